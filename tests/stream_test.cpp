#include "schedules/stream.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support.hpp"

namespace gyre {
namespace {

/// Capabilities of switches by letter: `replicate` and `add` name those that have one.
Capabilities able(const Topology& map, const std::string& replicate, const std::string& add) {
  Capabilities who = capabilities(map, Mode::kNeither);
  for (std::size_t s = 0; s < map.switch_count(); ++s) {
    const char name = map.name(SwitchId::at(s)).front();
    who.multicast[s] = replicate.find(name) != std::string::npos;
    who.aggregation[s] = add.find(name) != std::string::npos;
  }
  return who;
}

/// `A -> B C: A.up a->b*2 …`: sources, receivers and arcs with their copies.
std::string text_of(const Topology& map, const Stream& stream) {
  std::string text;
  for (const IslandId i : stream.sources) text += map.name(i) + " ";
  text += "->";
  for (const Delivery& delivery : stream.deliveries) text += " " + map.name(delivery.receiver);
  text += ":";
  for (const ArcUse& use : stream.arcs) {
    text += " " + map.name(use.arc);
    if (use.copies != 1) text += fmt::format("*{}", use.copies);
  }
  return text;
}

std::vector<std::string> texts_of(const Topology& map, const std::vector<Stream>& streams) {
  std::vector<std::string> texts;
  for (const Stream& stream : streams) texts.push_back(text_of(map, stream));
  return texts;
}

using Texts = std::vector<std::string>;

//  A       D     B     The switches a, b, c form a chain with latencies 1 and 2 ms; islands A on a,
//  │       │     │     D on b, B and C on c.
//  a ─1──  b ─2─ c
//                │
//                C
Topology chain() {
  const Bandwidth rate = Bandwidth::gigabits_per_second(10);
  const auto island = [rate](const char* name, std::size_t at) {
    return Topology::Island{
        .name = name, .at = SwitchId::at(at), .up = rate, .down = rate, .latency = {}};
  };
  const auto link = [rate](std::size_t first, double latency_ms) {
    const Duration latency = Duration::milliseconds(latency_ms);
    return Topology::Link::both_ways(SwitchId::at(first), SwitchId::at(first + 1), rate, latency);
  };
  return {"chain",
          {"a", "b", "c"},
          {island("A", 0), island("B", 2), island("C", 2), island("D", 1)},
          {link(0, 1.0), link(1, 2.0)}};
}

class StreamsOnAChain : public testing::Test {
 protected:
  Texts multicast(const std::string& replicate) {
    const World world(chain(), able(chain(), replicate, ""));
    return texts_of(world.topology,
                    multicast_streams(world.network(), from_, world.clique("B+C+D")));
  }
  Texts reduction(const std::string& add) {
    const World world(chain(), able(chain(), "", add));
    return texts_of(world.topology,
                    reduction_streams(world.network(), world.clique("B+C+D"), from_));
  }
  IslandId from_ = IslandId::at(0);  // A
};

// One tree: a copy on each arc.
TEST_F(StreamsOnAChain, WithAllCapableAreOneTree) {
  EXPECT_EQ(multicast("abc"), (Texts{"A -> B C D: A.up B.down C.down D.down a->b b->c"}));
  EXPECT_EQ(reduction("abc"), (Texts{"B C D -> A: A.down B.up C.up D.up b->a c->b"}));
}

TEST_F(StreamsOnAChain, WithoutCapabilityAreUnicasts) {
  const Texts out{"A -> D: A.up D.down a->b", "A -> B: A.up B.down a->b b->c",
                  "A -> C: A.up C.down a->b b->c"};
  EXPECT_EQ(multicast(""), out);
  const Texts in{"D -> A: A.down D.up b->a", "B -> A: A.down B.up b->a c->b",
                 "C -> A: A.down C.up b->a c->b"};
  EXPECT_EQ(reduction(""), in);
}

// b makes three copies of what A sends once: one for D and two that c, which cannot replicate,
// sends on to B and C. So two copies cross b->c, at the stream's one rate.
TEST_F(StreamsOnAChain, LeaveTheLastCapableSwitchInCopies) {
  EXPECT_EQ(multicast("b"), (Texts{"A -> B C D: A.up B.down C.down D.down a->b b->c*2"}));
  EXPECT_EQ(reduction("b"), (Texts{"B C D -> A: A.down B.up C.up D.up b->a c->b*2"}));
}

// Only a replicates: one copy leaves the island, three cross a->b and two b->c.
TEST_F(StreamsOnAChain, MayBeCopiedAtTheSourcesSwitchOnly) {
  EXPECT_EQ(multicast("a"), (Texts{"A -> B C D: A.up B.down C.down D.down a->b*3 b->c*2"}));
  EXPECT_EQ(reduction("a"), (Texts{"B C D -> A: A.down B.up C.up D.up b->a*3 c->b*2"}));
}

// Only c replicates: B and C share one stream, D has its own.
TEST_F(StreamsOnAChain, AreSeparateWhereTheyPartBeforeACapableSwitch) {
  EXPECT_EQ(multicast("c"),
            (Texts{"A -> D: A.up D.down a->b", "A -> B C: A.up B.down C.down a->b b->c"}));
  EXPECT_EQ(reduction("c"),
            (Texts{"D -> A: A.down D.up b->a", "B C -> A: A.down B.up C.up b->a c->b"}));
}

TEST_F(StreamsOnAChain, KnowEachReceiversLatency) {
  const World world(chain(), Mode::kBoth);
  const std::vector<Stream> out = multicast_streams(world.network(), from_, world.clique("B+C+D"));
  ASSERT_EQ(out.front().deliveries.size(), 3U);
  EXPECT_DOUBLE_EQ(out.front().deliveries[0].latency.in_milliseconds(), 3.0);
  EXPECT_DOUBLE_EQ(out.front().deliveries[2].latency.in_milliseconds(), 1.0);
  // A sum is there when its farthest contribution is.
  const std::vector<Stream> in = reduction_streams(world.network(), world.clique("B+D"), from_);
  EXPECT_DOUBLE_EQ(in.front().deliveries.front().latency.in_milliseconds(), 3.0);
}

TEST_F(StreamsOnAChain, MeetAtTheRootInTheNetwork) {
  const World world(chain(), Mode::kBoth);
  const Stream stream =
      in_network_stream(world.network(), world.everybody(), *world.topology.find_switch("b"));
  EXPECT_EQ(text_of(world.topology, stream),
            "A B C D -> A B C D: A.up A.down B.up B.down C.up C.down D.up D.down a->b b->a b->c "
            "c->b");
  // Up: 2 ms from B; down 1 ms to A, 2 ms to B, 0 to D.
  EXPECT_DOUBLE_EQ(stream.deliveries[0].latency.in_milliseconds(), 3.0);
  EXPECT_DOUBLE_EQ(stream.deliveries[1].latency.in_milliseconds(), 4.0);
  EXPECT_DOUBLE_EQ(stream.deliveries[3].latency.in_milliseconds(), 2.0);
}

// Only b is capable: B's and C's contributions cross c->b separately, and so do their results back.
TEST_F(StreamsOnAChain, CrossAnIncapableSwitchInCopiesInTheNetwork) {
  const World world(chain(), able(chain(), "b", "b"));
  const Stream stream =
      in_network_stream(world.network(), world.everybody(), *world.topology.find_switch("b"));
  EXPECT_EQ(text_of(world.topology, stream),
            "A B C D -> A B C D: A.up A.down B.up B.down C.up C.down D.up D.down a->b b->a b->c*2 "
            "c->b*2");
  EXPECT_FALSE(stream_fault(world.network(), stream).has_value());
}

TEST(StreamDeathTest, TheRootHasToBeCapable) {
  const World world(chain(), able(chain(), "abc", "ac"));
  EXPECT_DEATH(
      in_network_stream(world.network(), world.everybody(), *world.topology.find_switch("b")),
      "has to add, to replicate, and to reach");
}

/// What stream_fault says of the full tree A -> B C D, or of its mirror image, after a change.
std::string fault_after(const std::function<void(const World&, Stream&)>& change,
                        const std::string& replicate = "abc", const std::string& add = "abc",
                        bool mirrored = false) {
  const World built(chain(), Mode::kBoth);
  const Clique others = built.clique("B+C+D");
  Stream stream = mirrored ? reduction_streams(built.network(), others, IslandId::at(0)).front()
                           : multicast_streams(built.network(), IslandId::at(0), others).front();
  const World world(chain(), able(chain(), replicate, add));
  change(world, stream);
  return stream_fault(world.network(), stream).value_or("sound");
}

void drop_arc(const World& world, Stream& stream, const std::string& name) {
  const ArcId arc = world.arc(name);
  std::erase_if(stream.arcs, [arc](const ArcUse& use) { return use.arc == arc; });
}

void nothing(const World& /*world*/, Stream& /*stream*/) {}

TEST(StreamFault, FindsNothingInSoundStreams) {
  EXPECT_EQ(fault_after(nothing), "sound");
  EXPECT_EQ(fault_after(nothing, "bc", ""), "sound");
  EXPECT_EQ(fault_after(nothing, "", "bc", true), "sound");
}

TEST(StreamFault, FindsSwitchesThatAreAskedForTooMuch) {
  EXPECT_EQ(fault_after(nothing, "ab", "abc"), "switch c cannot replicate");
  EXPECT_EQ(fault_after(nothing, "ac", "abc"), "switch b cannot replicate");
  EXPECT_EQ(fault_after(nothing, "abc", "ab", true), "switch c cannot add");
  EXPECT_EQ(fault_after(nothing, "abc", "ac", true), "switch b cannot add");
}

TEST(StreamFault, FindsMissingArcs) {
  const auto without = [](const char* name) {
    return fault_after(
        [name](const World& world, Stream& stream) { drop_arc(world, stream, name); });
  };
  EXPECT_EQ(without("a->b"), "switch a creates or loses data");
  EXPECT_EQ(without("b->c"), "switch c creates or loses data");
  EXPECT_EQ(without("A.up"), "switch a creates or loses data");
  EXPECT_EQ(without("B.down"), "its arcs do not end at its receivers");
}

TEST(StreamFault, FindsWrongEnds) {
  EXPECT_EQ(fault_after([](const World&, Stream& stream) { stream.deliveries.pop_back(); }),
            "its arcs do not end at its receivers");
  EXPECT_EQ(fault_after([](const World&, Stream& stream) {
              stream.deliveries.push_back({.receiver = IslandId::at(0), .latency = {}});
            }),
            "its arcs do not end at its receivers");
  EXPECT_EQ(fault_after([](const World&, Stream& stream) { stream.sources = {IslandId::at(1)}; }),
            "its arcs do not start at its sources");
  EXPECT_EQ(fault_after([](const World&, Stream& stream) { stream.sources.clear(); }),
            "its arcs do not start at its sources");
  EXPECT_EQ(fault_after([](const World&, Stream& stream) { stream.arcs.front().copies = 0; }),
            "A.up carries no copy");
}

/// What stream_fault says of an exchange of all four at root b.
std::string in_network_fault(const std::string& replicate, const std::string& add,
                             const std::function<void(const World&, Stream&)>& change = nothing) {
  const World built(chain(), Mode::kBoth);
  Stream stream =
      in_network_stream(built.network(), built.everybody(), *built.topology.find_switch("b"));
  const World world(chain(), able(chain(), replicate, add));
  change(world, stream);
  return stream_fault(world.network(), stream).value_or("sound");
}

// As many copies enter a switch as leave it where the way up and the way down share it, so that
// each way has to be looked at by itself.
TEST(StreamFault, SeesBothWaysOfAnExchangeInTheNetwork) {
  EXPECT_EQ(in_network_fault("bc", "bc"), "sound");
  EXPECT_EQ(in_network_fault("bc", "b"), "switch c cannot add");
  EXPECT_EQ(in_network_fault("b", "bc"), "switch c cannot replicate");
  EXPECT_EQ(in_network_fault("bc", "c"), "switch b cannot add");
  EXPECT_EQ(in_network_fault("c", "bc"), "switch b cannot replicate");
  EXPECT_EQ(in_network_fault("bc", "bc", [](const World&, Stream& stream) { stream.up.clear(); }),
            "several sources and several receivers need a root");
  EXPECT_EQ(in_network_fault("bc", "bc",
                             [](const World&, Stream& stream) { stream.deliveries.pop_back(); }),
            "its arcs do not end at its receivers");
  EXPECT_EQ(
      in_network_fault("bc", "bc", [](const World&, Stream& stream) { stream.sources.pop_back(); }),
      "its arcs do not start at its sources");
  for (const char* name : {"a->b", "b->a", "c->b", "C.up", "C.down"}) {
    EXPECT_NE(in_network_fault(
                  "bc", "bc",
                  [name](const World& world, Stream& stream) { drop_arc(world, stream, name); }),
              "sound")
        << name;
  }
}

TEST(StreamFault, FindsSeveralCopiesAtAnIsland) {
  EXPECT_EQ(fault_after([](const World&, Stream& stream) { stream.arcs[1].copies = 2; }),
            "B sends or receives several copies");
}

// A cycle of arcs that no island feeds conserves copies at each of its switches.
TEST(StreamFault, FindsArcsThatNothingFeeds) {
  EXPECT_EQ(fault_after([](const World& world, Stream& stream) {
              stream = multicast_streams(world.network(), IslandId::at(1),  // B to C, inside c
                                         std::vector<IslandId>{IslandId::at(2)})
                           .front();
              stream.arcs.push_back({.arc = world.arc("a->b"), .copies = 1});
              stream.arcs.push_back({.arc = world.arc("b->a"), .copies = 1});
            }),
            "a->b is not fed by a source");
}

// B to C and A to D are two streams: nothing joins them.
TEST(StreamFault, FindsReceiversThatASourceDoesNotReach) {
  EXPECT_EQ(fault_after([](const World& world, Stream& stream) {
              stream.sources = {IslandId::at(0), IslandId::at(1)};
              stream.deliveries = {{.receiver = IslandId::at(2), .latency = {}},
                                   {.receiver = IslandId::at(3), .latency = {}}};
              stream.arcs.clear();
              for (const char* name : {"A.up", "B.up", "C.down", "D.down", "a->b"}) {
                stream.arcs.push_back({.arc = world.arc(name), .copies = 1});
              }
            }),
            "several sources and several receivers need a root");
}

}  // namespace
}  // namespace gyre
