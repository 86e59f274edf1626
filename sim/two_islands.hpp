#pragma once

#include "sim/given_rounds.hpp"
#include "sim/simulation.hpp"

namespace gyre {

/// Runs of two islands on one switch without latency, which swap their models in every round: what
/// published tables of utilisations are about. The job is the user's to set in `spec`.
class TwoIslands {
 public:
  /// `rate`: of each access link, each way.
  explicit TwoIslands(Bandwidth rate)
      : topology_("two islands", {"s"},
                  {{"A", SwitchId::at(0), rate, rate, {}}, {"B", SwitchId::at(0), rate, rate, {}}},
                  {}) {
    spec.topology = &topology_;
    spec.capabilities = {.multicast = {false}, .aggregation = {false}};
    spec.policy = &policy_;
    spec.exchange = Exchange::kDirect;
  }
  TwoIslands(const TwoIslands&) = delete;
  TwoIslands& operator=(const TwoIslands&) = delete;

  RunSpec spec;

 private:
  Topology topology_;
  GivenRounds policy_{std::vector<Round>{make_round({{IslandId::at(0), IslandId::at(1)}}, 2)}};
};

}  // namespace gyre
