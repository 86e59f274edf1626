#pragma once

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
  class Everybody final : public Policy {
   public:
    void describe(Fields& /*fields*/) override {}
    void start(const PolicyContext& /*context*/) override {}
    Round round(std::int64_t /*number*/) override {
      return make_round({{IslandId::at(0), IslandId::at(1)}}, 2);
    }
  };

  Topology topology_;
  Everybody policy_;
};

}  // namespace gyre
