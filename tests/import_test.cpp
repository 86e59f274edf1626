// The rules by which a foreign map becomes one that loads.

#include <algorithm>
#include <cstdint>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/rng.hpp"
#include "models/units.hpp"
#include "scenarios/import/great_circle.hpp"
#include "tests/import_maps.hpp"

namespace gyre {
namespace {

// A quarter of a meridian is π/2 · 6371 km; the others by hand with the haversine formula.
TEST(GreatCircle, IsTheKnownDistance) {
  const auto km = [](GeoPoint a, GeoPoint b) { return great_circle(a, b).in_kilometers(); };
  EXPECT_NEAR(km({.latitude_deg = 51.5074, .longitude_deg = -0.1278},
                 {.latitude_deg = 40.7128, .longitude_deg = -74.0060}),
              5570.2, 0.5);
  EXPECT_NEAR(km({.latitude_deg = 90.0, .longitude_deg = 12.0}, {}), 10007.543, 1e-3);
  EXPECT_NEAR(km({.latitude_deg = 0.0, .longitude_deg = 180.0}, {}), 20015.087, 1e-3);
  EXPECT_NEAR(km({.latitude_deg = 10.0, .longitude_deg = 179.5},
                 {.latitude_deg = 10.0, .longitude_deg = -179.5}),
              109.505, 1e-2);
  EXPECT_EQ(
      km({.latitude_deg = 1.0, .longitude_deg = 2.0}, {.latitude_deg = 1.0, .longitude_deg = 2.0}),
      0.0);
}

TEST(Import, TheFilesOwnCapacitiesWinUnlessForced) {
  const Input mixed{.file = "a.csv",
                    .text = "from,to,latency_ms,bandwidth_gbps\nA,B,1,1\nB,C,1,\n",
                    .options = ruled([](auto& o) { o.per_km.reset(); })};
  EXPECT_EQ(links_of(mixed), (Strings{"A>B 1 ms 1 Gbps", "B>C 1 ms 10 Gbps"}));
  Input forced = mixed;
  forced.options.force_bandwidth = true;
  EXPECT_EQ(links_of(forced), (Strings{"A>B 1 ms 10 Gbps", "B>C 1 ms 10 Gbps"}));
}

TEST(Import, DuplicatesAreMergedAndLoopsDropped) {
  const ImportedMap map =
      imported({.file = "a.graphml",
                .text = graphml(node("a", placed(0)) + node("b", placed(1)) + edge("a", "b") +
                                edge("b", "b") + edge("b", "a", "<data key=\"d6\">1e9</data>")),
                .options = ruled()});
  EXPECT_EQ(links_of(loaded(map)), Strings{"a>b 945 us 11 Gbps"});
  EXPECT_TRUE(notes_have(map, "from a node to itself, dropped: 1 link"));
  EXPECT_TRUE(notes_have(map, "capacities added: 1 link"));
}

TEST(Import, NodesWithoutCoordinatesAreNamedOrDroppedOrPlaced) {
  Input input{.file = "a.graphml",
              .text = graphml(node("a", placed(0)) + node("b", placed(1)) +
                              node("c", label("Nowhere")) + edge("a", "b") + edge("b", "c")),
              .options = ruled()};
  const std::string refusal = problem(input);
  EXPECT_TRUE(has(refusal, "a.graphml:")) << refusal;
  EXPECT_TRUE(has(refusal, "'Nowhere'")) << refusal;
  EXPECT_TRUE(has(refusal, "--drop-unplaced")) << refusal;

  input.nodes = "name,latitude,longitude,access_gbps\nNowhere,0,2,2.5\n";
  const TopologySpec spec = loaded(imported(input));
  EXPECT_EQ(links_of(spec), (Strings{"a>b 945 us 10 Gbps", "b>Nowhere 945 us 10 Gbps"}));
  EXPECT_EQ(to_text(spec.islands[2].up.value()), "2.5 Gbps");
  EXPECT_FALSE(spec.islands[0].up);

  input.nodes = "";
  input.options.drop_unplaced = true;
  const ImportedMap dropped = imported(input);
  EXPECT_EQ(switches_of(loaded(dropped)), (Strings{"a", "b"}));
  EXPECT_TRUE(notes_have(dropped, "1 node without coordinates dropped: 'Nowhere'"));

  input.options.drop_unplaced = false;
  input.options.per_km = Duration();
  input.options.per_link = Duration::milliseconds(4.0);
  EXPECT_EQ(links_of(input), (Strings{"a>b 4 ms 10 Gbps", "b>Nowhere 4 ms 10 Gbps"}));
}

TEST(Import, SmallerPartsAreNamedOrDropped) {
  Input input{.file = "a.graphml",
              .text = graphml(node("x", placed(5)) + node("a", placed(0)) + node("b", placed(1)) +
                              edge("a", "b")),
              .options = ruled()};
  const std::string refusal = problem(input);
  EXPECT_TRUE(has(refusal, "2 parts")) << refusal;
  EXPECT_TRUE(has(refusal, "are 'x'")) << refusal;
  input.options.largest_component = true;
  const ImportedMap map = imported(input);
  EXPECT_EQ(switches_of(loaded(map)), (Strings{"a", "b"}));
  EXPECT_TRUE(notes_have(map, "1 node outside of the largest of 2 parts dropped: 'x'"));
}

TEST(Import, OtherNetworksStayUnlessAskedAndHyperedgesHaveNoIsland) {
  Input input{
      .file = "a.graphml",
      .text = graphml(node("a", placed(0)) + node("h", placed(1) + "<data key=\"d4\">true</data>") +
                      node("b", placed(2)) + node("e", placed(3) + "<data key=\"d3\">0</data>") +
                      edge("a", "h") + edge("h", "b") + edge("b", "e")),
      .options = ruled()};
  const ImportedMap map = imported(input);
  EXPECT_EQ(switches_of(loaded(map)), (Strings{"a", "h", "b", "e"}));
  EXPECT_EQ(islands_of(map.spec), (Strings{"a", "b", "e"}));
  EXPECT_TRUE(notes_have(map, "1 node of other networks (Internal 0) kept: 'e'"));
  input.options.internal_only = true;
  EXPECT_EQ(islands_of(loaded(imported(input))), (Strings{"a", "b"}));
}

TEST(Import, NamesBecomeLegalAndUnique) {
  ImportOptions options = ruled();
  options.per_km = Duration();
  const ImportedMap map = imported(
      {.file = "a.graphml",
       .text = graphml(node("n0", label("New+York")) + node("n1", label("London")) +
                       node("n2", label("London")) + node("n3", label("London-n1")) +
                       node("n4", label("-")) + node("n5", label("NO")) + node("n6", label("007")) +
                       node("n7", label("a: [b], #c \"d\\")) + edge("n0", "n1") + edge("n1", "n2") +
                       edge("n2", "n3") + edge("n3", "n4") + edge("n4", "n5") + edge("n5", "n6") +
                       edge("n6", "n7")),
       .options = options});
  EXPECT_EQ(switches_of(loaded(map)), (Strings{"New-York", "London-n1-2", "London-n2", "London-n1",
                                               "node-n4", "NO", "007", "a: [b], #c \"d\\"}));
  EXPECT_TRUE(notes_have(map, "2 names not legal in gyre"));
  EXPECT_TRUE(notes_have(map, "told apart by id: 'London-n1-2', 'London-n2'"));
}

TEST(Import, IslandsAreChosenByNameAlsoWithCommas) {
  Input input{.file = "a.csv",
              .text =
                  "from,to,latency_ms,bandwidth_gbps\n"
                  "\"Reno, NV\",B,1,1\nB,C,1,1\nC,Reno,1,1\n"};
  input.options.islands = "C,Reno, NV, B";
  EXPECT_EQ(islands_of(loaded(imported(input))), (Strings{"C", "Reno, NV", "B"}));
  input.options.islands = "C,Ren";
  EXPECT_TRUE(has(problem(input), "'Ren' is no node of the map (did you mean 'Reno'?)"));
  input.options.islands = "C,,B";
  EXPECT_TRUE(has(problem(input), "'' is no node"));
  input.options.islands = "C,C";
  EXPECT_TRUE(has(problem(input), "'C' is there twice"));
}

TEST(Import, OptionsWithoutEffectAreRefused) {
  Input input{.file = "a.csv", .text = "from,to,latency_ms,bandwidth_gbps\nA,B,1,1\n"};
  input.options.bandwidth = Bandwidth::gigabits_per_second(1);
  EXPECT_TRUE(has(problem(input), "--bandwidth: has no effect"));
  input.options.force_bandwidth = true;
  EXPECT_EQ(problem(input), "nothing is wrong");
  input.options.bandwidth.reset();
  EXPECT_TRUE(has(problem(input), "link 'A' - 'B' has no capacity"));
  input.options = ruled();
  input.options.per_km = Duration::milliseconds(1e300);
  EXPECT_TRUE(has(
      problem(
          {.file = "a.csv", .text = "from,to,distance_km\nA,B,1e300\n", .options = input.options}),
      "link 'A' - 'B' is too long for the rule"));
  input.options = {};
  input.options.per_km = Duration::milliseconds(1.0);
  EXPECT_TRUE(has(problem(input), "--ms-per-km: has no effect"));
}

// Whatever the map, it arrives: the same nodes, links and figures.
TEST(Import, RandomMapsArriveUnchanged) {
  const Strings letters{"a", "é", " ", ",", "'", ":", "#", "[", "}", "\\", "*", "&", "!", "%", "~"};
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng = Rng::stream(seed, "import");
    Strings names{"x0"};
    Strings links;
    std::string text = "from,to,latency_ms,bandwidth_gbps\n";
    const std::size_t nodes = 2 + rng.below(12);
    while (names.size() < nodes) {
      std::string name = fmt::format("x{}", names.size());
      for (std::size_t i = rng.below(4); i > 0; --i) name += letters[rng.below(letters.size())];
      name += "z";
      // A tree, so that there are no duplicates.
      const std::string& other = names[rng.below(names.size())];
      const std::uint64_t us = rng.below(200'000);
      const std::uint64_t mbps = 1 + rng.below(400'000);
      text += fmt::format("\"{}\",\"{}\",{}.{:03},{}.{:03}\n", other, name, us / 1000, us % 1000,
                          mbps / 1000, mbps % 1000);
      links.push_back(
          fmt::format("{}>{} {} {}", other, name,
                      to_text(parse_duration(fmt::format("{} us", us)).value.value()),
                      to_text(parse_bandwidth(fmt::format("{} Mbps", mbps)).value.value())));
      names.push_back(name);
    }
    const TopologySpec spec = loaded(imported({.file = "a.csv", .text = text}));
    Strings switches = switches_of(spec);
    std::sort(switches.begin(), switches.end());
    std::sort(names.begin(), names.end());
    EXPECT_EQ(switches, names);
    EXPECT_EQ(islands_of(spec), switches_of(spec));
    EXPECT_EQ(links_of(spec), links) << text;
  }
}

// One node without a link, and two, are maps (F9); capacities that overflow are not (F6).
TEST(Import, SmallAndLargeMaps) {
  EXPECT_EQ(islands_of(loaded(imported({.file = "a.gml", .text = "graph [ node [ id 7 ] ]"}))),
            Strings{"7"});
  const std::string half = "edge [ source 0 target 1 latency_ms 1 capacity 3000000000000000000 ]";
  EXPECT_TRUE(has(
      problem({.file = "a.gml", .text = "graph [ node [ id 0 ] node [ id 1 ]" + half + half + "]"}),
      "add up to 2^62 bps"));
}

}  // namespace
}  // namespace gyre
