// What each format says arrives in a topology file; what is wrong is refused at its place.

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/import_maps.hpp"

namespace gyre {
namespace {

TEST(ImportFormats, CsvIsReadAsWritten) {
  EXPECT_EQ(links_of({.file = "a.csv",
                      .text = "# ours\n"
                              "from,to,latency_ms,bandwidth_gbps,reverse_bandwidth_gbps\r\n"
                              "\"Washington, DC\",B,4.50,10,2.5\r\n"
                              "B,\"C \"\"x\"\"\",0.2,0.1,\n"}),
            (Strings{"Washington, DC>B 4.5 ms 10 Gbps back 4.5 ms 2.5 Gbps",
                     "B>C \"x\" 200 us 100 Mbps"}));
  EXPECT_EQ(links_of({.file = "a.csv",
                      .text = "from,to,distance_km\nA,B,100\nB,C,5570.4706",
                      .options = ruled()}),
            (Strings{"A>B 850 us 10 Gbps", "B>C 47.349 ms 10 Gbps"}));
}

// A row each way is one fibre; a third one of a direction that is taken is a fibre beside it.
TEST(ImportFormats, ADirectedFileListsBothDirectionsOfAFibre) {
  const Input input{.file = "a.csv",
                    .text =
                        "from,to,latency_ms,bandwidth_gbps\n"
                        "A,B,4,10\nB,A,6,1\nA,B,5,2\nB,C,1,1\n"};
  const ImportedMap map = imported(input);
  EXPECT_EQ(links_of(loaded(map)),
            (Strings{"A>B 4 ms 10 Gbps back 6 ms 1 Gbps", "A>B 5 ms 2 Gbps", "B>C 1 ms 1 Gbps"}));
  EXPECT_TRUE(notes_have(map, "one direction only, figures taken both ways: 2 links"));
  EXPECT_TRUE(notes_have(map, "kept as fibres of their own: 2 links"));
}

constexpr const char* kGml = R"(# by hand
Creator "us"
graph [
  Network "Toy"
  Source "somewhere"
  node [ id 0 label "Oslo" Latitude 60 Longitude 10 Internal 1 graphics [ x 1.0 ] ]
  node [ id 1 label "Jos&#233; &amp; Co" Latitude 60 Longitude 11 ]
  node [ id 2 label "Paris" ]
  edge [ source 0 target 1 LinkSpeedRaw 155000000.0 ]
  edge [ source 1 target 2 distance 200.0 LinkSpeed "10" LinkSpeedUnits "G" ]
  edge [ source 2 target 0 latency "7 ms" capacity 1e9 ]
])";

// At 60° north a degree of longitude is 55.6 km (half of 111.195, less a little): 0.473 ms.
TEST(ImportFormats, GmlGivesLatencyByTheBestThatItKnows) {
  const ImportedMap map = imported(
      {.file = "a.gml", .text = kGml, .options = ruled([](auto& o) { o.bandwidth.reset(); })});
  EXPECT_EQ(links_of(loaded(map)),
            (Strings{"Oslo>José & Co 473 us 155 Mbps", "José & Co>Paris 1.7 ms 10 Gbps",
                     "Paris>Oslo 7 ms 1 Gbps"}));
  EXPECT_EQ(islands_of(map.spec), (Strings{"Oslo", "José & Co", "Paris"}));
  EXPECT_EQ(map.spec.name.value, "Toy");
  EXPECT_EQ(map.measured_links, 2U);
  EXPECT_NEAR(map.length.in_kilometers(), 255.6, 0.1);
}

// On the equator a degree is 111.195 km: 0.945 ms.
TEST(ImportFormats, GraphmlHasItsNamesFromLabelsAndDrawings) {
  EXPECT_EQ(links_of({.file = "a.graphml",
                      .text = graphml(
                          node("n0", placed(0) + label("A")) +
                          node("n1", placed(1) + "<data key=\"d7\"><y:ShapeNode><y:NodeLabel> B b "
                                                 "</y:NodeLabel></y:ShapeNode></data>") +
                          node("n2", placed(2) + "<data key=\"d5\"/>") +
                          edge("n0", "n1", "<data key=\"d6\">2.5e9</data>") + edge("n1", "n2")),
                      .options = ruled()}),
            (Strings{"A>B b 945 us 2.5 Gbps", "B b>n2 945 us 10 Gbps"}));
}

// yEd calls all graphs directed, and draws the undirected ones without arrows.
TEST(ImportFormats, EdgesDrawnWithoutArrowsHaveNoDirection) {
  const std::string nodes = node("a", "") + node("b", "");
  ImportOptions options = ruled();
  options.per_km = Duration();
  options.per_link = Duration::milliseconds(5.0);
  const std::string drawn = "<data key=\"d9\"><y:Arrows source=\"none\" target=\"none\"/></data>";
  EXPECT_EQ(
      links_of({.file = "a.graphml",
                .text = graphml(nodes + edge("a", "b", drawn) + edge("b", "a", drawn), "directed"),
                .options = options}),
      Strings{"a>b 5 ms 20 Gbps"});
  EXPECT_EQ(links_of({.file = "a.graphml",
                      .text = graphml(nodes + edge("a", "b") + edge("b", "a"), "directed"),
                      .options = options}),
            Strings{"a>b 5 ms 10 Gbps"});
}

constexpr const char* kSndlib = R"(?SNDlib native format; type: network; version: 1.0
# network toy
META (
  unit  = MBITPERSEC
  origin  = us (by hand)
)
NODES (
  A ( 0.00 0.00 )
  B ( 1.00 0.00 )
  C ( 2.00 0.00 )
)
LINKS (
  L1 ( A B ) 9920.00 0.00 0.00 0.00 ( 40000.00 133.00 )
  L2 ( B C ) 0.00 0.00 0.00 0.00 ( 20.00 1.00 40.00 2.00 )
)
DEMANDS (
  D1 ( A B ) 1 195.00 UNLIMITED
)
)";

TEST(ImportFormats, SndlibGivesWhatIsInstalled) {
  const ImportedMap map = imported({.file = "a.native.txt", .text = kSndlib, .options = ruled()});
  EXPECT_EQ(links_of(loaded(map)), (Strings{"A>B 945 us 9.92 Gbps", "B>C 945 us 10 Gbps"}));
  EXPECT_TRUE(notes_have(map, "no pre-installed capacity"));
}

TEST(ImportFormats, DoubleZeroListsLinksAndDevices) {
  const std::string links =
      "device1,device2,latency,bandwidth,uptime,shared\nA1,B1,4.50,10,0.99,NA\n";
  Input input{.file = "links.csv", .text = links};
  EXPECT_EQ(links_of(input), Strings{"A1>B1 4.5 ms 10 Gbps"});
  input.nodes = "device,edge,operator\nA1,100,x\nB1,10,y\n";
  const TopologySpec spec = loaded(imported(input));
  EXPECT_EQ(to_text(spec.islands[0].up.value()), "100 Gbps");
  EXPECT_EQ(to_text(spec.islands[1].down.value()), "10 Gbps");
  input.nodes = "device,edge,operator\nA1,100,x\nB2,10,y\n";
  EXPECT_TRUE(has(problem(input), "nodes.csv:3:1: 'B2' is no node of the map"));
  input.nodes = "device,edge,operator\nA1,100,x\n";
  EXPECT_TRUE(has(problem(input), "device 'B1' is not in nodes.csv"));
  EXPECT_TRUE(has(problem({.file = "d.csv", .text = "device,edge,operator\nA1,100,x\n"}),
                  "a list of devices has no links"));
  EXPECT_EQ(links_of({.file = "p.csv",
                      .text = "city1,city2,latency\n\"A\",\"B\",152.39\n",
                      .options = ruled([](auto& o) { o.per_km.reset(); })}),
            Strings{"A>B 152.39 ms 10 Gbps"});
}

std::string platform(const std::string& zone) {
  return "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
         "\"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n<zone id=\"toy\" "
         "routing=\"Floyd\">\n" +
         zone + "</zone>\n</platform>\n";
}

constexpr const char* kZone =
    "<host id=\"A\" speed=\"1Gf\"/>\n<router id=\"R\"/>\n<host id=\"B\" speed=\"1Gf\"/>\n"
    "<link id=\"l1\" bandwidth=\"1.25GBps\" latency=\"4.5ms\"/>\n"
    "<link id=\"l2\" bandwidth=\"100kBps\" latency=\"1us\" sharing_policy=\"SHARED\"/>\n"
    "<link id=\"l3\" bandwidth=\"1Gbps\" latency=\"2us\"/>\n";

TEST(ImportFormats, SimgridPlatformsAreReadIfTheyAreFlat) {
  const std::string routes =
      "<route src=\"A\" dst=\"R\"><link_ctn id=\"l1\"/></route>\n"
      "<route src=\"R\" dst=\"B\" symmetrical=\"NO\"><link_ctn id=\"l2\"/></route>\n"
      "<route src=\"B\" dst=\"R\" symmetrical=\"NO\"><link_ctn id=\"l3\"/></route>\n";
  const ImportedMap map = imported({.file = "a.xml", .text = platform(kZone + routes)});
  EXPECT_EQ(links_of(loaded(map)),
            (Strings{"A>R 4.5 ms 10 Gbps", "R>B 1 us 800 Kbps back 2 us 1 Gbps"}));
  EXPECT_EQ(islands_of(map.spec), (Strings{"A", "B"}));
  EXPECT_TRUE(notes_have(map, "full duplex"));
  const auto refused = [](const std::string& zone) {
    return problem({.file = "a.xml", .text = platform(zone)});
  };
  EXPECT_TRUE(
      has(refused(std::string(kZone) + "<route src=\"A\" dst=\"B\"><link_ctn id=\"l1\"/><link_ctn "
                                       "id=\"l2\"/></route>"),
          "a.xml:11:1: the route from 'A' to 'B' goes over 2 links"));
  EXPECT_TRUE(has(refused("<zone id=\"x\"/>"), "<zone> is not read"));
  EXPECT_TRUE(has(refused("<link id=\"l\" bandwidth=\"1.25e9\"/>"), "bandwidth: "));
}

struct Wrong {
  std::string file;
  std::string text;
  std::string message;  ///< how it begins, or a part of it
};

TEST(ImportFormats, WrongFilesAreRefusedAtTheirPlace) {
  const std::string header = "from,to,latency_ms,bandwidth_gbps\n";
  const std::string nodes = "graph [ node [ id 0 ] node [ id 1 ]\n";
  const std::vector<Wrong> wrong{
      {"a.csv", "", "in none of the formats"},
      {"a.csv", "frm,to\n", "in none of the formats"},
      {"a.csv", "from,to,latency\nA,B,1\n",
       "a.csv:1:9: unknown column 'latency' (did you mean 'latency_ms'?)"},
      {"a.csv", "from,to,to\n", "a.csv:1:9: column 'to' is there twice"},
      {"a.csv", header, "no links below the header"},
      {"a.csv", header + "A,B,1\n", "a.csv:2:1: 3 fields; the header has 4 columns"},
      {"a.csv", header + "A,\"B,1,1\n", "a.csv:2:3: a quote that is never closed"},
      {"a.csv", header + "A,\"B\"x,1,1\n", "a.csv:2:6: text behind a closing quote"},
      {"a.csv", header + "A,,1,1\n", "a.csv:2:3: 'to' is empty"},
      {"a.csv", header + "A,B,-1,1\n", "a.csv:2:5: latency_ms: -1 is negative"},
      {"a.csv", header + "é,é,-1,1\n", "a.csv:2:5: latency_ms: -1 is negative"},
      {"a.csv", header + "A,B,nan,1\n", "a.csv:2:5: latency_ms: 'nan' is no number"},
      {"a.csv", header + "A,B,1 ms,1\n", "'1 ms' is no number"},
      {"a.csv", header + "A,B,1,0\n", "a.csv:2:7: bandwidth_gbps: 0 carries"},
      {"a.csv", header + "A,B,1,inf\n", "'inf' is no number"},
      {"a.csv", header + "A,B,1,1e99\n", "a.csv:2:7: bandwidth_gbps: "},
      {"a.csv", header + "A,B,1,\n", "a.csv:2:1: link 'A' - 'B' has no capacity; --bandwidth"},
      {"a.csv", header + "A,B,,1\n", "a.csv:2:1: link 'A' - 'B' has no latency"},
      {"a.csv", header + "A,\xff,1,1\n", "a.csv:2:3: invalid UTF-8"},
      {"a.gml", "", "no 'graph [ … ]'"},
      {"a.gml", "graph [\n  node [ id 0", "a.gml:2:8: the list of 'node' is not closed"},
      {"a.gml", "graph [ ] ]", "a.gml:1:11: a ']' that closes no list"},
      {"a.gml", "graph [ node [ id \"0 ] ]", "a.gml:1:19: a string without a closing quote"},
      {"a.gml", "graph [ node [ id ] ]", "is no value for 'id'"},
      {"a.gml", "graph [ node [ label \"x\" ] ]", "a.gml:1:9: a node without 'id'"},
      {"a.gml", "graph [ node [ id 0 ] node [ id 0 ] ]", "a second node with the id '0'"},
      {"a.gml", "graph [ ]", "no node is left"},
      {"a.gml", nodes + "edge [ source 0 target 2 ] ]", "a.gml:2:24: target: '2' is the"},
      {"a.gml", nodes + "edge [ source 0 target 1 latency 5 ] ]", "a.gml:2:34: latency: "},
      {"a.gml", nodes + "edge [ source 0 target 1 LinkSpeedRaw 0 ] ]", "carries nothing"},
      {"a.gml", "graph [ node [ id 0 Latitude 91 Longitude 0 ] ]", "is not on the globe"},
      {"a.gml", "graph [ node [ id 0 Latitude 9 ] ]", "has no Longitude"},
      {"a.gml", "graph [ node [ id 0 Internal 2 ] ]", "is no truth value"},
      {"a.graphml", "<graphml><graph></graphml>", "a.graphml:1:1: "},
      {"a.graphml", "<html/>", "the document is a <html>; a <graphml> is wanted"},
      {"a.graphml", graphml("<node/>"), "a.graphml:11:1: <node> without 'id'"},
      {"a.graphml", graphml(node("a", "") + edge("a", "b")), "a.graphml:12:1: target: 'b' is the"},
      {"a.txt", "1 2 0.5\n", "in none of the formats"},
      {"a.txt", "?SNDlib native\nNODES ( A ( 1 ) )", "')'; latitude is wanted"},
      {"a.txt", "?SNDlib native\nNODES ( A )\nLINKS ( L ( A B ) 1 0 0 0 ( ) )", "target 'B' is no"},
      {"a.txt", "?SNDlib native\nNODES ( A", "the file ends here"},
      {"a.xyz", "", "in none of the formats that gyre knows: csv .csv; doublezero .csv; gml .gml"}};
  for (const Wrong& one : wrong) {
    const std::string message = problem({.file = one.file, .text = one.text});
    EXPECT_TRUE(has(message, one.message)) << one.text << '\n' << message;
    EXPECT_EQ(message.compare(0, one.file.size(), one.file), 0) << message;
  }
}

// Deep nesting is refused before it can exhaust the stack of a parser.
TEST(ImportFormats, DeepNestingIsRefused) {
  std::string gml;
  std::string xml;
  for (int i = 0; i < 100'000; ++i) {
    gml += "graph [ ";
    xml += "<graphml>";
  }
  EXPECT_TRUE(has(problem({.file = "a.gml", .text = gml}), "nested too deeply"));
  EXPECT_TRUE(has(problem({.file = "a.graphml", .text = xml}), "nested too deeply"));
}

// Every format is in the table with a name, an extension and a sentence.
TEST(ImportFormats, TheTableIsComplete) {
  for (const ImportFormat& format : import_formats()) {
    EXPECT_FALSE(format.name.empty());
    EXPECT_FALSE(format.summary.empty());
    EXPECT_FALSE(format.extensions.empty());
  }
  EXPECT_EQ(import_formats().size(), 6U);
}

}  // namespace
}  // namespace gyre
