#include "schedules/policy.hpp"

namespace gyre {
namespace {

class AllReduce final : public Policy {
 public:
  void describe(Fields& /*fields*/) override {}
  void start(const PolicyContext& context) override {
    Clique everybody;
    for (std::size_t i = 0; i < context.topology.island_count(); ++i) {
      everybody.push_back(IslandId::at(i));
    }
    round_ = make_round({everybody}, everybody.size());
  }
  Round round(std::int64_t /*number*/) override { return round_; }
  [[nodiscard]] bool joins_all() const override { return true; }
  [[nodiscard]] std::optional<std::size_t> different_cliques(std::size_t members) const override {
    return cliques_up_to(round_, members);
  }

 private:
  Round round_;
};

}  // namespace

std::unique_ptr<Policy> make_all_reduce() { return std::make_unique<AllReduce>(); }

}  // namespace gyre
