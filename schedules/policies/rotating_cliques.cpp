#include "models/error.hpp"
#include "schedules/policy.hpp"
#include "schedules/round_planner.hpp"

namespace gyre {
namespace {

/// The rounds that the optimiser finds for the network, the job and the exchange, or given ones.
class RotatingCliques final : public Policy {
 public:
  void describe(Fields& fields) override {
    fields.list({"rounds",
                 "the cliques of each round of a period, as in 'SEO+TYO+SIN|LON+AMS'; without them "
                 "the optimiser finds the rounds"},
                Presence::kNullable, texts_);
    if (texts_.empty()) planner_.describe(fields);
  }

  void start(const PolicyContext& context) override {
    rounds_ = parse_rounds(texts_, context.topology);
    if (!rounds_.empty()) return;
    if (context.topology.island_count() == 1) rounds_.push_back(make_round({}, 1));
    planner_.start(context);
  }

  void prepare(const std::function<bool()>& keep_going) override {
    if (rounds_.empty()) rounds_ = planner_.period(keep_going).rounds;
  }

  [[nodiscard]] bool prepares() const override { return rounds_.empty() && planner_.waits(); }

  Round round(std::int64_t number) override {
    check(!rounds_.empty(), "rotating cliques were not prepared");
    return rounds_[static_cast<std::size_t>(number) % rounds_.size()];
  }

 private:
  std::vector<Text> texts_;
  RoundPlanner planner_;
  std::vector<Round> rounds_;
};

}  // namespace

std::unique_ptr<Policy> make_rotating_cliques() { return std::make_unique<RotatingCliques>(); }

}  // namespace gyre
