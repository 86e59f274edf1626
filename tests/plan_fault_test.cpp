// Breaks sound exchange plans in every way and expects plan_fault to see it.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "schedules/exchange_plan.hpp"
#include "tests/support.hpp"

namespace gyre {
namespace {

const Bytes kPayload = Bytes::count(2'000'000'000);  // 16 Gbit

struct PlanKind {
  Mode mode;
  Exchange exchange;
  const char* clique;
};

/// Sound plans of every kind.
class SoundPlans : public testing::TestWithParam<PlanKind> {
 protected:
  [[nodiscard]] ExchangePlan plan() const {
    return plan_exchange(world_.network(), world_.clique(GetParam().clique), kPayload,
                         GetParam().exchange);
  }
  [[nodiscard]] std::string fault_of(const ExchangePlan& plan) const {
    return plan_fault(world_.network(), plan).value_or("sound");
  }
  /// Breaks each flow in turn and expects that to be seen.
  void expect_seen(const std::function<bool(ExchangePlan&, std::size_t)>& mutate) const {
    const ExchangePlan sound = plan();
    ASSERT_EQ(fault_of(sound), "sound");
    for (std::size_t f = 0; f < sound.flows.size(); ++f) {
      ExchangePlan mutant = sound;
      if (!mutate(mutant, f)) continue;
      EXPECT_NE(fault_of(mutant), "sound") << "flow " << f;
    }
  }
  World world_{nine_city(), GetParam().mode};
};

TEST_P(SoundPlans, BreakWithoutAFlow) {
  expect_seen([](ExchangePlan& plan, std::size_t f) {
    plan.flows.erase(plan.flows.begin() + static_cast<std::ptrdiff_t>(f));
    for (Flow& flow : plan.flows) {
      std::erase(flow.after, f);
      for (std::size_t& before : flow.after) before -= before > f ? 1 : 0;
    }
    return true;
  });
}

TEST_P(SoundPlans, BreakWithAFlowTwice) {
  expect_seen([](ExchangePlan& plan, std::size_t f) {
    plan.flows.push_back(plan.flows[f]);
    return true;
  });
}

TEST_P(SoundPlans, BreakWithOtherBytes) {
  expect_seen([](ExchangePlan& plan, std::size_t f) {
    plan.flows[f].bytes += Bytes::count(f % 2 == 0 ? 1 : -1);
    return true;
  });
}

TEST_P(SoundPlans, BreakWithAnotherChunk) {
  expect_seen([](ExchangePlan& plan, std::size_t f) {
    plan.flows[f].chunk = (plan.flows[f].chunk + 1) % plan.chunks.size();
    plan.flows[f].bytes = plan.chunks[plan.flows[f].chunk];
    return plan.chunks.size() > 1;
  });
  expect_seen([](ExchangePlan& plan, std::size_t f) {
    plan.flows[f].chunk = plan.chunks.size();
    return true;
  });
}

TEST_P(SoundPlans, BreakWithSourceAndReceiverSwapped) {
  expect_seen([](ExchangePlan& plan, std::size_t f) {
    Stream& stream = plan.flows[f].stream;
    const std::vector<IslandId> sources = stream.sources;
    std::vector<IslandId> receivers;
    for (const Delivery& delivery : stream.deliveries) receivers.push_back(delivery.receiver);
    stream.sources = receivers;
    stream.deliveries.clear();
    for (const IslandId i : sources) stream.deliveries.push_back({.receiver = i, .latency = {}});
    return sources != receivers;  // in the network all send and all receive
  });
}

TEST_P(SoundPlans, BreakWithAnUnneededReceiver) {
  expect_seen([this](ExchangePlan& plan, std::size_t f) {
    // An island outside the clique takes the place of a receiver, with arcs that lead there.
    Flow& flow = plan.flows[f];
    if (flow.stream.sources.size() != 1 || flow.stream.deliveries.size() != 1) return false;
    const IslandId stranger = world_.clique("SEO+TYO").front();
    flow.stream =
        multicast_streams(world_.network(), flow.stream.sources.front(), {&stranger, 1}).front();
    return true;
  });
}

// What an island passes on, it must have.
TEST_P(SoundPlans, BreakWithoutWaitingForWhatTheyPassOn) {
  expect_seen([](ExchangePlan& plan, std::size_t f) {
    const bool waits = !plan.flows[f].after.empty();
    plan.flows[f].after.clear();
    return waits;
  });
  expect_seen([](ExchangePlan& plan, std::size_t f) {
    plan.flows[f].after = {f};
    return true;
  });
}

TEST_P(SoundPlans, BreakWithAnotherPayload) {
  ExchangePlan mutant = plan();
  mutant.payload += Bytes::count(1);
  EXPECT_EQ(fault_of(mutant), "its chunks do not add up to the payload");
}

TEST_P(SoundPlans, BreakOnSwitchesThatCannotDoIt) {
  const World incapable(nine_city());
  const ExchangePlan sound = plan();
  const bool asks = std::any_of(sound.flows.begin(), sound.flows.end(), [](const Flow& flow) {
    return flow.stream.sources.size() > 1 || flow.stream.deliveries.size() > 1;
  });
  const std::string fault = plan_fault(incapable.network(), sound).value_or("sound");
  EXPECT_EQ(fault.find("cannot") != std::string::npos, asks) << fault;
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, SoundPlans,
    testing::Values(PlanKind{Mode::kNeither, Exchange::kDirect, "LAX+BAR+FRA"},
                    PlanKind{Mode::kMulticast, Exchange::kDirect, "TYO+LON+AMS+FRA"},
                    PlanKind{Mode::kAggregation, Exchange::kDirect, "TYO+LON+AMS+FRA"},
                    PlanKind{Mode::kBoth, Exchange::kInNetwork, "LAX+BAR+FRA"},
                    PlanKind{Mode::kBoth, Exchange::kInNetwork, "LAX+BAR"},
                    PlanKind{Mode::kNeither, Exchange::kRing, "LAX+BAR"},
                    PlanKind{Mode::kNeither, Exchange::kRing, "SIN+LAX+NYC+LON+FRA"}));

}  // namespace
}  // namespace gyre
