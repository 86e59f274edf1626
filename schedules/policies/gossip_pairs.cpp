#include "models/rng.hpp"
#include "schedules/policy.hpp"
#include "schedules/random_partition.hpp"

namespace gyre {
namespace {

class GossipPairs final : public Policy {
 public:
  void describe(Fields& /*fields*/) override {}
  void start(const PolicyContext& context) override {
    islands_ = context.topology.island_count();
    stream_ = Rng::stream(context.seed, "policy/gossip-pairs");
  }
  /// With an odd number of islands one is left out, at random.
  Round round(std::int64_t /*number*/) override { return random_partition(islands_, 2, stream_); }

 private:
  std::size_t islands_ = 0;
  Rng stream_ = Rng::stream(0, "");
};

}  // namespace

std::unique_ptr<Policy> make_gossip_pairs() { return std::make_unique<GossipPairs>(); }

}  // namespace gyre
