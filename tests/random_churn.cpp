#include "tests/random_churn.hpp"

#include <algorithm>

#include "models/churn.hpp"

namespace gyre {
namespace {

class ChurnWriter {
 public:
  ChurnWriter(Draw& draw, RandomRun& run) : draw_(draw), run_(run) {
    const bool plain = !run_.delayed && !run_.quorum;
    // In `colocated` and with `none` there is nobody that an island has to be waited for.
    leaving_ = (plain || run_.colocated) && draw_.chance(0.7);
  }

  RandomChurn write() {
    std::vector<std::string> events;
    const std::int64_t count = draw_.whole(1, 3);
    for (std::int64_t e = 0; e < count; ++e) events.push_back(event());
    std::vector<std::string> keys{"events: " + as_list(events)};
    RandomChurn churn;
    if (run_.leaves) rules(keys, churn.of_schedule);
    churn.text = fmt::format("churn: {}\n", as_mapping(keys));
    return churn;
  }

 private:
  std::string event() {
    const bool each = draw_.chance(0.25);
    std::vector<std::string> keys{each ? "every_island: true"
                                       : "island: " + as_name(draw_.one_of(run_.map.islands))};
    if (leaving_ && draw_.chance(0.75)) {
      run_.leaves = true;
    } else {
      keys.push_back(fmt::format("slowdown: {:.3f}", draw_.real(1.05, 6.0)));
    }
    if (draw_.chance(0.4)) {
      run_.held_up_by_chance = true;
      keys.push_back(fmt::format("availability: {:.4f}", draw_.real(0.5, 0.97)));
      keys.push_back("mean_outage: " + as_time(run_.round_s * draw_.scale(0.2, 3.0)));
      return as_mapping(keys);
    }
    const double from_s = draw_.chance(0.1) ? 0.0 : run_.round_s * draw_.real(0.0, 3.0);
    keys.push_back("from: " + as_time(from_s));
    if (each || draw_.chance(0.8)) {
      keys.push_back("to: " + as_time(from_s + 1e-9 + run_.round_s * draw_.scale(0.01, 3.0)));
    }
    return as_mapping(keys);
  }

  /// One that counts, where there are cliques; whoever stalls needs a deadline.
  void rules(std::vector<std::string>& keys, std::string& of_schedule) {
    const std::vector<std::string> all(kWithoutMemberNames.begin(), kWithoutMemberNames.end());
    const bool has_own = run_.exchanges && !run_.colocated;
    std::string counts;
    if (has_own && draw_.chance(0.3)) {
      counts = draw_.one_of(all);
      of_schedule = "without_member: " + counts;
    }
    if (counts.empty() || draw_.chance(0.5)) {
      const std::string general = draw_.one_of(all);
      keys.push_back("without_member: " + general);
      if (counts.empty()) counts = general;
    }
    if (counts != "stall") return;
    keys.push_back("deadline: " +
                   as_time(draw_.chance(0.2) ? 0.0 : run_.round_s * draw_.scale(0.01, 3.0)));
  }

  Draw& draw_;
  RandomRun& run_;
  bool leaving_ = false;
};

}  // namespace

RandomChurn random_churn(Draw& draw, RandomRun& run) {
  // `colocated` has no layers that count.
  if (run.layered || !draw.chance(0.2)) return {};
  return ChurnWriter(draw, run).write();
}

}  // namespace gyre
