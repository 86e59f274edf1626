#include "models/rng.hpp"
#include "schedules/policy.hpp"
#include "schedules/random_partition.hpp"

namespace gyre {
namespace {

class RandomCliques final : public Policy {
 public:
  void describe(Fields& fields) override {
    fields.optional({"size", "islands in a clique; the last clique of a round holds the rest"},
                    size_, {.at_least = 2});
    where_ = fields.where("size");
  }
  void start(const PolicyContext& context) override {
    islands_ = context.topology.island_count();
    if (size_ > static_cast<std::int64_t>(islands_)) {
      throw InputError(where_, "cliques of " + std::to_string(size_) +
                                   " need as many islands; the "
                                   "topology has " +
                                   std::to_string(islands_));
    }
    stream_ = Rng::stream(context.seed, "policy/random-cliques");
  }
  Round round(std::int64_t /*number*/) override {
    return random_partition(islands_, static_cast<std::size_t>(size_), stream_);
  }

 private:
  std::int64_t size_ = 3;
  Where where_;
  std::size_t islands_ = 0;
  Rng stream_ = Rng::stream(0, "");
};

}  // namespace

std::unique_ptr<Policy> make_random_cliques() { return std::make_unique<RandomCliques>(); }

}  // namespace gyre
