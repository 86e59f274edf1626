#include <algorithm>
#include <cmath>
#include <utility>

#include "models/error.hpp"
#include "schedules/policy.hpp"
#include "schedules/round_planner.hpp"

namespace gyre {
namespace {

/// Rotating cliques that are planned anew when the arcs' rates leave what the plan assumed.
///
/// Before each round the policy sees the mean rate that each arc offered since the last one. When
/// one of them has been off the assumed rate by more than `threshold` (relative to it) for
/// `patience` rounds in a row, all measured rates become the assumed ones and the optimiser plans
/// for them; the period starts again. What is planned once is not planned twice. Since the assumed
/// rates move only then, a rate that hovers at a threshold does not set off one plan after another.
class AdaptiveCliques final : public Policy {
 public:
  void describe(Fields& fields) override {
    planner_.describe(fields);
    fields.list(
        {"rounds",
         "the rounds of a period until the rates change, as in 'SEO+TYO+SIN|LON+AMS'; without "
         "them the optimiser finds the first ones too"},
        Presence::kNullable, texts_);
    fields.optional(
        {"threshold", "How far a measured rate may be off the assumed one, as a share of that."},
        threshold_, Range{.above = 0.0, .below = 1.0});
    fields.optional({"patience", "Rounds in a row that a rate has to be off before a new plan."},
                    patience_, Range{.at_least = 1.0});
  }

  void start(const PolicyContext& context) override {
    first_ = 0;
    off_ = 0;
    rounds_ = parse_rounds(texts_, context.topology);
    if (rounds_.empty() && context.topology.island_count() == 1) {
      rounds_.push_back(make_round({}, 1));
    }
    planner_.start(context);
    assumed_ = context.topology.capacities();
  }

  void prepare(const std::function<bool()>& keep_going) override {
    keep_going_ = keep_going;
    if (rounds_.empty()) rounds_ = planner_.rounds(keep_going);
  }

  [[nodiscard]] bool prepares() const override { return rounds_.empty() && planner_.waits(); }
  [[nodiscard]] bool observes() const override { return true; }

  void observe(std::int64_t number, std::span<const Bandwidth> arc_rates) override {
    if (!planner_.started()) return;
    check(arc_rates.size() == assumed_.size(), "rates of other arcs than the map's");
    off_ = is_off(arc_rates) ? off_ + 1 : 0;
    if (off_ < patience_) return;
    off_ = 0;
    assumed_.assign(arc_rates.begin(), arc_rates.end());
    const std::vector<Round>& planned = planner_.rounds_for(assumed_, keep_going_);
    // Nothing fits a window any more: better the old rounds than none.
    if (planned.empty() || planned == rounds_) return;
    rounds_ = planned;
    first_ = number;
  }

  Round round(std::int64_t number) override {
    check(!rounds_.empty(), "adaptive cliques were not prepared");
    return rounds_[static_cast<std::size_t>(number - first_) % rounds_.size()];
  }

 private:
  [[nodiscard]] bool is_off(std::span<const Bandwidth> arc_rates) const {
    for (std::size_t a = 0; a < arc_rates.size(); ++a) {
      const auto measured = static_cast<double>(arc_rates[a].in_bits_per_second());
      const auto assumed = static_cast<double>(assumed_[a].in_bits_per_second());
      if (std::abs(measured - assumed) > threshold_ * assumed) return true;
    }
    return false;
  }

  std::vector<Text> texts_;
  RoundPlanner planner_;
  double threshold_ = 0.1;
  std::int64_t patience_ = 1;
  std::function<bool()> keep_going_;
  std::vector<Round> rounds_;
  std::int64_t first_ = 0;          ///< the round with which their period began
  std::vector<Bandwidth> assumed_;  ///< by arc
  std::int64_t off_ = 0;            ///< rounds in a row
};

}  // namespace

std::unique_ptr<Policy> make_adaptive_cliques() { return std::make_unique<AdaptiveCliques>(); }

}  // namespace gyre
