// What is exported reads back as the same map, whatever the map.

#include <gtest/gtest.h>

#include "scenarios/export/graphml_file.hpp"
#include "scenarios/export/simgrid_files.hpp"
#include "scenarios/export/xml_text.hpp"
#include "scenarios/import/xml.hpp"
#include "tests/import_maps.hpp"
#include "tests/support.hpp"

namespace gyre {
namespace {

ExportedMap exported(const Topology& topology) {
  return {.topology = &topology, .name = topology.name(), .title = "a test", .version = "1.2.3"};
}

std::string platform_of(const ExportedMap& map) {
  return simgrid_platform(map, Routes(*map.topology), {{"network/model", "CM02"}});
}

/// The imported map as a scenario without access figures has it.
Topology built(const ImportedMap& map) {
  NetworkSpec network;
  network.topology = loaded(map);
  return build_topology(network);
}

void expect_same(const Topology& one, const Topology& other) {
  EXPECT_EQ(one.name(), other.name());
  EXPECT_EQ(one.switch_names(), other.switch_names());
  ASSERT_EQ(one.island_names(), other.island_names());
  ASSERT_EQ(one.arc_count(), other.arc_count());
  for (std::size_t a = 0; a < one.arc_count(); ++a) {
    const Arc& mine = one.arc(ArcId::at(a));
    const Arc& its = other.arc(ArcId::at(a));
    EXPECT_EQ(mine.tail, its.tail) << one.name(ArcId::at(a));
    EXPECT_EQ(mine.head, its.head) << one.name(ArcId::at(a));
    EXPECT_EQ(mine.capacity, its.capacity) << one.name(ArcId::at(a));
    EXPECT_EQ(mine.latency, its.latency) << one.name(ArcId::at(a));
  }
}

void expect_back(const Topology& topology) {
  const ExportedMap map = exported(topology);
  expect_same(built(imported({.file = "a.graphml", .text = graphml_file(map)})), topology);
  expect_same(built(imported({.file = "a.xml", .text = platform_of(map)})), topology);
}

/// Two islands at one switch, a switch without one, two fibres of one pair alike in all figures,
/// and names that need care: those of other things with their endings, and XML's own letters.
Topology odd_map() {
  const auto gbps = [](std::int64_t value) { return Bandwidth::gigabits_per_second(value); };
  const auto ms = [](double value) { return Duration::milliseconds(value); };
  const auto s = [](std::size_t at) { return SwitchId::at(at); };
  return {"a & <b> \"c\" --> ]]>",
          {"São Paulo", "A", "A.switch", "B.up"},
          {{.name = "A.switch", .at = s(0), .up = gbps(1), .down = gbps(2), .latency = ms(0.1)},
           {.name = "A", .at = s(0), .up = gbps(3), .down = gbps(3), .latency = ms(0)},
           {.name = "A->B", .at = s(3), .up = gbps(4), .down = gbps(5), .latency = ms(1.0 / 3.0)},
           {.name = "B.up->A", .at = s(1), .up = gbps(4), .down = gbps(5), .latency = ms(90000)}},
          {{s(0), s(1), gbps(10), ms(5), gbps(10), ms(5)},
           {s(0), s(1), gbps(10), ms(5), gbps(10), ms(5)},
           {s(1), s(0), gbps(10), ms(7), gbps(10), ms(5)},
           {s(1), s(2), Bandwidth::bits_per_second(1'234'567'891), ms(1e-9), gbps(1), ms(1e-7)},
           {s(2), s(3), gbps(10), ms(7), gbps(10), ms(5)}}};
}

TEST(Export, MapsComeBack) {
  expect_back(nine_city());
  expect_back(odd_map());
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    expect_back(random_topology(seed, {.switches = 6, .islands = 9, .extra_links = 9}));
  }
}

TEST(Export, SomeOfTheIslandsComeBack) {
  ImportOptions options;
  options.islands = "TYO,AMS";
  const std::string text = graphml_file(exported(nine_city()));
  EXPECT_EQ(islands_of(imported({.file = "a.graphml", .text = text, .options = options}).spec),
            (Strings{"TYO", "AMS"}));
  options.islands = "TYOO";
  EXPECT_EQ(problem({.file = "a.graphml", .text = text, .options = options}).find("--islands"), 0U);
}

// A mixture of both kinds of edges is what many readers refuse.
TEST(Export, GraphmlIsDirectedIfSomeLinkDiffersByDirection) {
  const Topology same = nine_city();
  const XmlElement graph =
      *parse_xml(SourceText(graphml_file(exported(same)), "a"), "graphml").child("graph");
  EXPECT_EQ(graph.required("edgedefault").value, "undirected");
  const auto count = [](const XmlElement& of, std::string_view name) {
    return std::count_if(of.children.begin(), of.children.end(),
                         [name](const XmlElement& child) { return child.name == name; });
  };
  EXPECT_EQ(count(graph, "node"), 18);
  EXPECT_EQ(count(graph, "edge"), 9 + 11);
  const Topology odd = odd_map();
  const XmlElement other =
      *parse_xml(SourceText(graphml_file(exported(odd)), "a"), "graphml").child("graph");
  EXPECT_EQ(other.required("edgedefault").value, "directed");
  EXPECT_EQ(count(other, "edge"), static_cast<std::ptrdiff_t>(odd.arc_count()));
}

TEST(Export, SwitchesSayWhatTheyCanDo) {
  const Topology topology = nine_city();
  ExportedMap map = exported(topology);
  map.mode = Mode::kMulticast;
  map.able = capabilities(topology, Mode::kMulticast);
  map.able.multicast[0] = false;
  const std::string graph = graphml_file(map);
  EXPECT_TRUE(has(graph, R"(<data key="graph_mode">multicast</data>)"));
  EXPECT_TRUE(has(graph, R"(<data key="node_label">SEO</data><data key="node_multicast">false)"));
  EXPECT_TRUE(has(graph, R"(<data key="node_label">TYO</data><data key="node_multicast">true)"));
  const std::string platform = platform_of(map);
  EXPECT_TRUE(has(platform, R"(value="TYO"/><prop id="multicast" value="true"/>)"
                            R"(<prop id="aggregation" value="false"/></host>)"));
  EXPECT_FALSE(has(graphml_file(exported(topology)), "multicast"));
}

ExportedSchedule schedule_of(const Topology& topology, std::vector<Round> rounds,
                             const std::string& exchange) {
  return {.label = "mine",
          .exchange = exchange,
          .seed = 3,
          .rounds = std::move(rounds),
          .repeats = true,
          .payload = Bytes::count(1000),
          .fragments = 1,
          .compute = std::vector<Duration>(topology.island_count(), Duration::seconds(0.5))};
}

TEST(Export, CliquesAreAttributesAndArguments) {
  const Topology topology = lettered_map(3, {{'A', 'B'}, {'B', 'C'}});
  const ExportedSchedule schedule =
      schedule_of(topology, {round_of("A+C", topology), round_of("A+B+C", topology)}, "direct");
  const std::string graph = graphml_file(exported(topology), &schedule);
  EXPECT_TRUE(has(graph, R"(<data key="node_label">B</data><data key="node_round_1">-</data>)"
                         R"(<data key="node_round_2">A+B+C</data></node>)"));
  EXPECT_TRUE(has(graph, "schedule mine with seed 3: its 2 rounds, which then begin again"));
  const std::string deployment = simgrid_deployment(exported(topology), schedule);
  EXPECT_TRUE(has(deployment,
                  "  <actor host=\"B\" function=\"island\">\n"
                  "    <argument value=\"compute_s=0.5\"/>\n"
                  "    <argument value=\"payload_bytes=1000\"/>\n"
                  "    <argument value=\"round=-\"/>\n"
                  "    <argument value=\"round=A+B+C\"/>\n"
                  "  </actor>\n"))
      << deployment;
  expect_same(built(imported({.file = "a.graphml", .text = graph})), topology);
}

TEST(Export, OverlaysAreGraphsAndArguments) {
  const Topology topology = lettered_map(3, {{'A', 'B'}, {'B', 'C'}});
  const IslandId a = IslandId::at(0);
  const IslandId b = IslandId::at(1);
  const IslandId c = IslandId::at(2);
  const Round round = make_overlay({{a, b, 0.25}, {c, b, 0.5}, {b, a, 0.5}}, 3);
  const ExportedSchedule schedule = schedule_of(topology, {round}, "");
  const std::string text = graphml_file(exported(topology), &schedule);
  const XmlElement document = parse_xml(SourceText(text, "a"), "graphml");
  const XmlElement& graph = document.children.back();
  EXPECT_EQ(graph.required("id").value, "round_1");
  EXPECT_EQ(graph.required("edgedefault").value, "directed");
  EXPECT_TRUE(has(text, R"(<edge source="C@1" target="B@1"><data key="edge_weight">0.5</data>)"));
  const std::string deployment = simgrid_deployment(exported(topology), schedule);
  EXPECT_TRUE(has(deployment,
                  "<argument value=\"round=A\"/>\n"
                  "    <argument value=\"take=0.25 A+0.5 C\"/>"))
      << deployment;
  EXPECT_TRUE(has(deployment, "<argument value=\"round=B\"/>\n    <argument value=\"take=-\"/>"));
  expect_same(built(imported({.file = "a.graphml", .text = text})), topology);
}

TEST(Export, MillisecondsReadBack) {
  for (const double seconds : {0.0, 0.0045, 1.0 / 3.0, 0.05762, 1e-13, 4.9e-324, 123456.789}) {
    const Duration value = Duration::seconds(seconds);
    EXPECT_EQ(parse_duration(ms_text(value) + " ms").value, value) << ms_text(value);
  }
  EXPECT_EQ(ms_text(Duration::milliseconds(57.62)), "57.62");
}

TEST(Export, XmlTextsAreWellFormed) {
  EXPECT_EQ(xml_escaped("a<b>&\"]]>\n"), "a&lt;b>&amp;&quot;]]&gt; ");
  EXPECT_EQ(xml_comment({"a --- b", "", "-->"}), "<!--\n  a - - - b\n\n  - ->\n-->\n");
}

/// A file of gyre's that somebody has changed.
std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Export, WhatWasSpoiledIsRefusedAtItsPlace) {
  const Topology topology = lettered_map(2, {{'A', 'B'}});
  const std::string graph = graphml_file(exported(topology));
  const std::string platform = platform_of(exported(topology));
  const auto refused = [](const std::string& text, const std::string& file) {
    return problem({.file = file, .text = text});
  };
  EXPECT_TRUE(has(refused(changed(graph, "target=\"a.switch\"", "target=\"B\""), "a.graphml"),
                  "joins the islands 'A' and 'B'; an island is joined to a switch"));
  EXPECT_TRUE(has(refused(changed(graph, "source=\"B\" target=\"b.switch\"",
                                  "source=\"A\" target=\"b.switch\""),
                          "a.graphml"),
                  "a second access link of island 'A'; one is allowed"));
  EXPECT_TRUE(has(refused(changed(graph, "<edge id=\"A.up\" source=\"A\"",
                                  "<edge id=\"A.up\" source=\"b.switch\""),
                          "a.graphml"),
                  "island 'A' has no access link with latency and capacity both ways"));
  EXPECT_TRUE(has(refused(changed(platform, "latency=\"0s\"", "latency=\"1ms\""), "a.xml"),
                  "the access link of island 'A' takes 1 ms up and 0 s down; one latency"));
  EXPECT_TRUE(has(refused(changed(platform, "<prop id=\"to\" value=\"a.switch\"/>", ""), "a.xml"),
                  "link 'A.up' has no property 'to'"));
  EXPECT_TRUE(has(
      refused(changed(platform, "id=\"to\" value=\"a.switch\"", "id=\"to\" value=\"x\""), "a.xml"),
      "to 'x' is no host or router of the zone"));
}

}  // namespace
}  // namespace gyre
