#include <algorithm>

#include "models/rng.hpp"
#include "schedules/policy.hpp"
#include "schedules/random_partition.hpp"

namespace gyre {
namespace {

/// Random pairs, as NoLoCo has them (arXiv 2506.10911) beside its outer optimiser, which is the
/// job's; of an odd number of islands the last three average together, so that nobody is left out.
class NoLoCo final : public Policy {
 public:
  void describe(Fields& /*fields*/) override {}
  void start(const PolicyContext& context) override {
    islands_ = context.topology.island_count();
    stream_ = Rng::stream(context.seed, "policy/noloco");
  }
  Round round(std::int64_t /*number*/) override {
    Round pairs = random_partition(islands_, 2, stream_);
    const auto alone = std::find_if(pairs.cliques.begin(), pairs.cliques.end(),
                                    [](const Clique& clique) { return clique.size() == 1; });
    if (alone == pairs.cliques.end() || pairs.cliques.size() == 1) return pairs;
    const IslandId left = alone->front();
    pairs.cliques.erase(alone);
    pairs.cliques.back().push_back(left);
    return make_round(std::move(pairs.cliques), islands_);
  }

 private:
  std::size_t islands_ = 0;
  Rng stream_ = Rng::stream(0, "");
};

}  // namespace

std::unique_ptr<Policy> make_noloco() { return std::make_unique<NoLoCo>(); }

}  // namespace gyre
