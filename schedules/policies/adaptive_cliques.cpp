#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "models/error.hpp"
#include "schedules/policy.hpp"
#include "schedules/round_planner.hpp"

namespace gyre {
namespace {

enum class Knows : std::uint8_t { kPast, kFuture };
constexpr std::array<std::string_view, 2> kKnowsNames{"past", "future"};

/// Rotating cliques that are planned anew when the arcs' rates leave what the plan assumed.
///
/// Before each round the policy sees the mean rate that each arc offered since the last one, and
/// which arcs are away. When one of them has been off the assumed rate by more than `threshold`
/// (relative to it) for `patience` rounds in a row, all measured rates become the assumed ones and
/// the optimiser plans for them; the period starts again. What is planned once is not planned
/// twice. Since the assumed rates move only then, a rate that hovers at a threshold does not set
/// off one plan after another. Islands that are cut off from each other have rounds of their own
/// until they are joined again.
///
/// With `knows: future` it is no policy that anybody could run but a yardstick for those: before
/// each period it sees what the arcs will offer until that is over, the run's own faults included,
/// and plans for what it can count on throughout.
class AdaptiveCliques final : public Policy {
 public:
  void describe(Fields& fields) override {
    planner_.describe(fields);
    fields.optional_choice(
        {"knows",
         "past: it plans by what the arcs have offered since the last round. future: by what they "
         "will offer in its next period, which no real policy can know: a yardstick."},
        knows_, kKnowsNames);
    fields.optional({"threshold", "How far a rate may be off the assumed one, as a share of that."},
                    threshold_, Range{.above = 0.0, .below = 1.0});
    if (knows_ == Knows::kFuture) return;
    fields.list(
        {"rounds",
         "the rounds of a period until the rates change, as in 'SEO+TYO+SIN|LON+AMS'; without "
         "them the optimiser finds the first ones too"},
        Presence::kNullable, texts_);
    fields.optional({"patience", "Rounds in a row that a rate has to be off before a new plan."},
                    patience_, Range{.at_least = 1.0});
  }

  void start(const PolicyContext& context) override {
    period_ = {};
    first_ = 0;
    off_ = 0;
    changes_ = 0;
    period_.rounds = parse_rounds(texts_, context.topology);
    if (period_.rounds.empty() && context.topology.island_count() == 1) {
      period_.rounds.push_back(make_round({}, 1));
    }
    planner_.start(context);
    if (context.exchanges != nullptr) compute_ = context.exchanges->compute;
    assumed_ = context.topology.capacities();
  }

  void prepare(const std::function<bool()>& keep_going) override {
    keep_going_ = keep_going;
    if (period_.rounds.empty()) period_ = planner_.period(keep_going);
  }

  [[nodiscard]] bool prepares() const override {
    return period_.rounds.empty() && planner_.waits();
  }
  [[nodiscard]] bool observes() const override { return knows_ == Knows::kPast; }
  [[nodiscard]] bool foresees() const override { return knows_ == Knows::kFuture; }

  void observe(std::int64_t number, std::span<const Bandwidth> arc_rates) override {
    if (!planner_.started()) return;
    off_ = is_off(arc_rates) ? off_ + 1 : 0;
    if (off_ >= patience_) plan_for(number, arc_rates);
  }

  void foresee(std::int64_t number, const ComingRates& coming) override {
    if (!planner_.started() || place_of(number) != 0 || !is_off(coming(period_time()))) return;
    plan_for(number, coming(period_time()));
    // How far it has to see is what it has just found out.
    if (is_off(coming(period_time()))) plan_for(number, coming(period_time()));
  }

  [[nodiscard]] std::int64_t changes_of_plan() const override { return changes_; }

  Round round(std::int64_t number) override {
    check(!period_.rounds.empty(), "adaptive cliques were not prepared");
    return period_.rounds[place_of(number)];
  }

 private:
  [[nodiscard]] std::size_t place_of(std::int64_t number) const {
    return static_cast<std::size_t>(number - first_) % period_.rounds.size();
  }
  /// From its first exchange to the end of its last one.
  [[nodiscard]] Duration period_time() const {
    Duration time = compute_ * static_cast<double>(period_.rounds.size() - 1);
    for (const Duration round : period_.times) time += round;
    return time;
  }
  [[nodiscard]] bool is_off(std::span<const Bandwidth> arc_rates) const {
    check(arc_rates.size() == assumed_.size(), "rates of other arcs than the map's");
    for (std::size_t a = 0; a < arc_rates.size(); ++a) {
      const auto rate = static_cast<double>(arc_rates[a].in_bits_per_second());
      const auto assumed = static_cast<double>(assumed_[a].in_bits_per_second());
      if (std::abs(rate - assumed) > threshold_ * assumed) return true;
    }
    return false;
  }
  void plan_for(std::int64_t number, std::span<const Bandwidth> arc_rates) {
    off_ = 0;
    assumed_.assign(arc_rates.begin(), arc_rates.end());
    PlannedPeriod planned = planner_.period_for(assumed_, keep_going_);
    // Nothing fits a window any more: better the old rounds than none.
    if (planned.rounds.empty() || planned.rounds == period_.rounds) return;
    period_ = std::move(planned);
    first_ = number;
    ++changes_;
  }

  std::vector<Text> texts_;
  RoundPlanner planner_;
  Knows knows_ = Knows::kPast;
  double threshold_ = 0.1;
  std::int64_t patience_ = 1;
  std::function<bool()> keep_going_;
  Duration compute_;  ///< of a round
  PlannedPeriod period_;
  std::int64_t first_ = 0;          ///< the round with which the period began
  std::vector<Bandwidth> assumed_;  ///< by arc; none where it is away
  std::int64_t off_ = 0;            ///< rounds in a row
  std::int64_t changes_ = 0;        ///< of the period
};

}  // namespace

std::unique_ptr<Policy> make_adaptive_cliques() { return std::make_unique<AdaptiveCliques>(); }

}  // namespace gyre
