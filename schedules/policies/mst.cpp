#include "schedules/policy.hpp"
#include "schedules/spanning_tree.hpp"

namespace gyre {
namespace {

/// The minimum spanning tree of the islands, edges as long as the mean of both ways' latencies,
/// with Metropolis–Hastings weights.
class Mst final : public Policy {
 public:
  void describe(Fields& /*fields*/) override {}
  void start(const PolicyContext& context) override {
    const std::size_t n = context.topology.island_count();
    round_ = make_overlay(metropolis(spanning_tree(mean_latencies(context.topology)), n), n);
  }
  Round round(std::int64_t /*number*/) override { return round_; }
  [[nodiscard]] bool overlay() const override { return true; }

 private:
  Round round_;
};

}  // namespace

std::unique_ptr<Policy> make_mst() { return std::make_unique<Mst>(); }

}  // namespace gyre
