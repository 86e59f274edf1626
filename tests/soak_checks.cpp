#include "tests/soak_checks.hpp"

#include <nlohmann/json.hpp>

#include "tests/soak_parts.hpp"

namespace gyre {
namespace {

/// The engine takes instants less than a nanosecond apart for one, so that each of the flows that
/// follow each other in an exchange, up to 14 in a ring of 8, may end as much early.
constexpr double kInstants_s = 15e-9;

class Checks {
 public:
  explicit Checks(const EndedRun& run)
      : run_(run),
        spec_(run.spec),
        result_(run.result),
        files_(run.folder),
        end_s_(run.result.simulated.in_seconds()) {}

  std::vector<std::string> run() {
    check_end();
    check_trace();
    check_mean();
    for (std::size_t r = 0; r < files_.rounds.size(); ++r) check_round(r);
    check_presence();
    check_links();
    check_timeline();
    check_events();
    check_switches();
    check_churn(run_, files_, wrong_);
    check_bytes(run_, files_, wrong_);
    return wrong_.take();
  }

 private:
  [[nodiscard]] bool out_of_time() const {
    return spec_.stop.max_time && about(end_s_, spec_.stop.max_time->in_seconds());
  }

  void check_end() {
    const bool done =
        result_.rounds == spec_.stop.max_rounds || result_.time_to_target || out_of_time();
    wrong_.require(result_.status != RunStatus::kComplete || done,
                   "complete after {} of {} rounds, at {} s", result_.rounds, spec_.stop.max_rounds,
                   end_s_);
    wrong_.require(result_.status == RunStatus::kComplete || !result_.failure.empty(),
                   "it is {} and does not say why", run_.summary.status);
    wrong_.require(result_.failure.find("deadlock") == std::string::npos, "{}", result_.failure);
    const SummaryRow& summary = run_.summary;
    wrong_.require(summary.mean_round_s.has_value() == (result_.rounds > 0), "a mean of {} rounds",
                   result_.rounds);
    if (summary.mean_round_s && summary.bound_round_s) {
      wrong_.require(at_least(*summary.mean_round_s + kInstants_s, *summary.bound_round_s),
                     "the mean round takes {} s, less than its bound of {} s",
                     *summary.mean_round_s, *summary.bound_round_s);
      wrong_.require(at_least(end_s_, *summary.mean_round_s * static_cast<double>(result_.rounds)),
                     "it ended at {} s, before its rounds", end_s_);
    }
    const double communication = summary.communication_share.value_or(-1.0);
    const double wait = summary.wait_share.value_or(-1.0);
    wrong_.require(communication >= 0.0 && wait >= 0.0 && communication + wait <= 1.0 + 1e-9,
                   "{} of the time is exchange and {} wait", communication, wait);
  }

  void check_trace() {
    const SoakTable& trace = files_.trace;
    wrong_.require(
        trace.size() > 0 && trace.whole(0, "round") == 0 && trace.number(0, "time_s") == 0.0,
        "trace.csv does not begin at the beginning");
    std::set<std::int64_t> seen;
    for (std::size_t r = 0; r < trace.size(); ++r) {
      seen.insert(trace.whole(r, "round"));
      const double average = trace.number(r, "loss_average");
      const double mean = trace.number(r, "loss_mean");
      const double worst = trace.number(r, "loss_worst");
      // All of these tasks have convex losses.
      const double rounding = 1e-9 * std::abs(worst) + 1e-9;
      wrong_.require(std::isfinite(average) && mean <= worst + rounding &&
                         (average <= mean + rounding || !spec_.task->has_values()),
                     "{}: losses {}, {} and {}", trace.place(r), average, mean, worst);
      wrong_.require(trace.number(r, "consensus_distance") >= -1e-12,
                     "{}: a negative consensus distance", trace.place(r));
      if (r == 0) continue;
      for (const char* column : {"time_s", "round", "steps", "samples"}) {
        wrong_.require(trace.number(r, column) >= trace.number(r - 1, column), "{}: {} goes back",
                       trace.place(r), column);
      }
    }
    for (std::int64_t round = 0; round <= result_.rounds; round += spec_.evaluate_every) {
      wrong_.require(seen.contains(round), "trace.csv lacks round {}", round);
    }
    if (result_.status == RunStatus::kComplete) {
      wrong_.require(seen.contains(result_.rounds), "trace.csv lacks its end");
    }
  }

  /// The average model where exchanges keep it, and agreement where everybody averages with all:
  /// as long as nobody has left, who loses steps and comes back with another one's model.
  void check_mean() {
    if (!run_.made.mean) return;
    const MeanLaw& law = *run_.made.mean;
    bool dropped = false;
    for (std::size_t r = 0; r < files_.rounds.size(); ++r) {
      const std::string& outcome = files_.rounds.text(r, "outcome");
      // Who had left keeps the average and the others their own.
      if (outcome == "partly") return;
      dropped = dropped || outcome == "dropped";
    }
    const std::vector<Absence> absences = absences_of(files_, *spec_.topology);
    const auto n = static_cast<double>(law.optima.size());
    double middle = 0.0;
    for (const double optimum : law.optima) middle += optimum / n;
    for (std::size_t r = 0; r < files_.trace.size(); ++r) {
      // Islands that are ahead of the others are seen with the steps that they are ahead; at the
      // end of time they are in the middle of their rounds.
      const bool last = r + 1 == files_.trace.size();
      if (!absences.empty() && files_.trace.number(r, "time_s") >= absences.front().from_s) break;
      const bool together = spec_.barrier || spec_.policy->joins_all();
      if (last ? !is_whole(run_) : !together) continue;
      const double x = middle + (law.start - middle) * std::pow(1.0 - law.rate * law.curvature,
                                                                files_.trace.number(r, "steps"));
      double loss = 0.0;
      for (const double optimum : law.optima) {
        loss += 0.5 * law.curvature * (x - optimum) * (x - optimum) / n;
      }
      wrong_.require(about(files_.trace.number(r, "loss_average"), loss),
                     "{}: the average model has the loss {} instead of {}", files_.trace.place(r),
                     files_.trace.number(r, "loss_average"), loss);
      wrong_.require(dropped || !spec_.policy->joins_all() ||
                         files_.trace.number(r, "consensus_distance") <= 1e-12,
                     "{}: all average with all and are {} apart", files_.trace.place(r),
                     files_.trace.number(r, "consensus_distance"));
    }
  }

  void check_round(std::size_t r) {
    const SoakTable& rounds = files_.rounds;
    const double compute = rounds.number(r, "compute_s");
    const double wait = rounds.number(r, "wait_s");
    const double communication = rounds.number(r, "communication_s");
    wrong_.require(compute >= 0.0 && wait >= 0.0 && communication >= 0.0,
                   "{}: computes {} s, waits {} s, communicates {} s", rounds.place(r), compute,
                   wait, communication);
    const double start = rounds.number(r, "start_s");
    wrong_.require(start >= 0.0 && at_least(end_s_, start + communication),
                   "{}: from {} s, {} s of communication, but the run ended at {} s",
                   rounds.place(r), start, communication, end_s_);
    const std::string& outcome = rounds.text(r, "outcome");
    const bool overlay = !rounds.text(r, "receiver").empty();
    const bool left = overlay && outcome == "dropped" && run_.spec.takes_islands_away();
    wrong_.require(left || outcome.empty() == rounds.text(r, "exchange").empty(),
                   "{}: outcome '{}'", rounds.place(r), outcome);
    if (outcome != "averaged" && !overlay) return;
    const double bound = rounds.number(r, "bound_s");
    // Launched eagerly, what the others sent before all were ready counts.
    const bool eager =
        spec_.limits != nullptr && spec_.limits->launch == LaunchRule::kEager && spec_.packets;
    wrong_.require(eager || at_least(communication + kInstants_s, bound),
                   "{}: communicates in {} s, below its bound of {} s", rounds.place(r),
                   communication, bound);
    const double ratio = rounds.number(r, "ratio_to_bound");
    wrong_.require(overlay || bound == 0.0 || at_least(ratio * bound + kInstants_s, bound),
                   "{}: {} of its bound", rounds.place(r), ratio);
  }

  /// Each island is in each round and fragment once, absent or not, but for who is away: none of
  /// its clique may have been there.
  void check_presence() {
    std::map<std::pair<std::int64_t, std::int64_t>, std::multiset<std::string>> present;
    const SoakTable& rounds = files_.rounds;
    for (std::size_t r = 0; r < rounds.size(); ++r) {
      auto& there = present[{rounds.whole(r, "round"), rounds.whole(r, "fragment")}];
      if (!rounds.text(r, "receiver").empty()) {
        there.insert(rounds.text(r, "receiver"));
        continue;
      }
      for (const std::string& name : named(rounds.text(r, "members"))) there.insert(name);
      for (const std::string& name : named(rounds.text(r, "absent"))) there.insert(name);
    }
    for (const auto& [at, there] : present) {
      for (const std::string& name : there) {
        wrong_.require(there.count(name) == 1, "round {}, fragment {}: {} is in it {} times",
                       at.first, at.second, name, there.count(name));
      }
      wrong_.require(at.first < spec_.stop.max_rounds, "a round {} of {}", at.first,
                     spec_.stop.max_rounds);
    }
    if (!is_whole(run_)) return;
    const std::vector<Absence> absences = absences_of(files_, *spec_.topology);
    const auto is_away = [&absences](IslandId island, std::int64_t round) {
      return std::ranges::any_of(absences, [=](const Absence& absence) {
        return absence.island == island && absence.left_in <= round &&
               (!absence.back_in || round < *absence.back_in);
      });
    };
    const auto fragments = static_cast<std::int64_t>(spec_.training.fragment_count());
    for (std::int64_t round = 0; round < result_.rounds; ++round) {
      for (std::int64_t f = 0; f < fragments; ++f) {
        const std::multiset<std::string>& there = present[{round, f}];
        for (std::size_t i = 0; i < spec_.topology->island_count(); ++i) {
          const std::string& name = spec_.topology->name(IslandId::at(i));
          wrong_.require(there.contains(name) || is_away(IslandId::at(i), round),
                         "rounds.csv: round {}, fragment {} lacks {}", round, f, name);
        }
      }
    }
  }

  void check_links() {
    const SoakTable& links = files_.links;
    wrong_.require(links.size() == spec_.topology->arc_count(), "links.csv lacks arcs");
    for (std::size_t r = 0; r < links.size(); ++r) {
      const double busy = links.number(r, "busy_s");
      const double mean = links.number(r, "mean_utilisation");
      const double peak = links.number(r, "peak_utilisation");
      wrong_.require(links.whole(r, "bytes") >= 0 && busy >= 0.0 && at_least(end_s_, busy),
                     "{}: {} was busy for {} s of {} s", links.place(r), links.text(r, "arc"), busy,
                     end_s_);
      wrong_.require(mean >= 0.0 && peak >= 0.0 && mean <= 1.0 + 1e-9 && peak <= 1.0 + 1e-9,
                     "{}: {} has the utilisation {}, at most {}", links.place(r),
                     links.text(r, "arc"), mean, peak);
    }
  }

  /// Spans of an island do not overlap and add up to islands.csv.
  void check_timeline() {
    std::ifstream file(run_.folder / "timeline.json");
    const nlohmann::json timeline = nlohmann::json::parse(file, nullptr, false);
    wrong_.require(timeline.is_array(), "timeline.json is broken");
    if (!timeline.is_array()) return;
    const std::size_t n = spec_.topology->island_count();
    std::vector<double> ended_us(n, 0.0);
    std::vector<std::map<std::string, double>> spent_us(n);
    for (const auto& span : timeline) {
      if (span["ph"] != "X") continue;
      const std::size_t island = span["tid"].get<std::size_t>() - 1;
      const double from_us = span["ts"].get<double>();
      const double long_us = span["dur"].get<double>();
      wrong_.require(long_us >= 0.0 && at_least(from_us * 1e-6, ended_us[island] * 1e-6),
                     "timeline.json: island {} begins a span at {} us, before {} us", island + 1,
                     from_us, ended_us[island]);
      ended_us[island] = from_us + long_us;
      spent_us[island][span["name"].get<std::string>()] += long_us;
    }
    for (std::size_t i = 0; i < files_.islands.size(); ++i) {
      wrong_.require(at_least(end_s_, ended_us[i] * 1e-6),
                     "timeline.json: a span ends at {} us, after the run", ended_us[i]);
      for (const char* what : {"compute", "wait", "exchange"}) {
        const double time_s = files_.islands.number(i, fmt::format("{}_s", what));
        wrong_.require(time_s >= 0.0 && about(time_s, spent_us[i][what] * 1e-6),
                       "{}: {} {} s, but {} us in timeline.json", files_.islands.place(i), what,
                       time_s, spent_us[i][what]);
      }
    }
  }

  /// Things come back no more often than they fail, in the order of time.
  void check_events() {
    const SoakTable& events = files_.events;
    std::map<std::string, std::int64_t> away;
    for (std::size_t r = 0; r < events.size(); ++r) {
      const double time_s = events.number(r, "time_s");
      wrong_.require(time_s >= 0.0 && at_least(end_s_, time_s) &&
                         (r == 0 || time_s >= events.number(r - 1, "time_s")),
                     "{}: at {} s", events.place(r), time_s);
      const std::string& what = events.text(r, "what");
      std::int64_t& count = away[events.text(r, "subject")];
      if (what == "fails" || what == "leaves") ++count;
      if (what == "is back") --count;
      wrong_.require(count >= 0, "{}: {} is back and was not away", events.place(r),
                     events.text(r, "subject"));
      wrong_.require(stands_between_evaluations(r), "{}: no such evaluations stand around it",
                     events.place(r));
      wrong_.require(what != "leaves" || count == 1, "{}: {} leaves and is away", events.place(r),
                     events.text(r, "subject"));
    }
  }

  /// Whether losses of the event are those of an evaluation before it and of the next one.
  [[nodiscard]] bool stands_between_evaluations(std::size_t event) const {
    const SoakTable& events = files_.events;
    const SoakTable& trace = files_.trace;
    const double time_s = events.number(event, "time_s");
    for (std::size_t r = 0; r < trace.size() && trace.number(r, "time_s") <= time_s; ++r) {
      const bool last = r + 1 == trace.size();
      if (!last && trace.number(r + 1, "time_s") < time_s) continue;
      if (events.text(event, "loss_before") == trace.text(r, "loss_average") &&
          events.text(event, "loss_after") == (last ? "" : trace.text(r + 1, "loss_average"))) {
        return true;
      }
    }
    return false;
  }

  void check_switches() {
    const SoakTable& switches = files_.switches;
    const bool limited = spec_.limits != nullptr && spec_.limits->memory;
    std::map<std::string, double> latest_s;
    for (std::size_t r = 0; r < switches.size(); ++r) {
      const double peak = switches.number(r, "peak_memory_bytes");
      const double time_s = switches.number(r, "time_s");
      double& before_s = latest_s[switches.text(r, "switch")];
      // Of several switches the engine takes instants less than a nanosecond apart for one.
      wrong_.require(
          time_s >= before_s && (r == 0 || at_least(time_s, switches.number(r - 1, "time_s"))),
          "{}: time goes back", switches.place(r));
      before_s = time_s;
      wrong_.require(switches.number(r, "memory_bytes") >= 0.0 &&
                         switches.number(r, "memory_bytes") <= peak &&
                         switches.number(r, "blocked_s") >= 0.0,
                     "{}: memory or time is negative", switches.place(r));
      wrong_.require(!limited || peak <= static_cast<double>(spec_.limits->memory->in_bytes()),
                     "{}: {} bytes in a switch that holds {}", switches.place(r), peak,
                     limited ? spec_.limits->memory->in_bytes() : 0);
    }
  }

  const EndedRun& run_;
  const RunSpec& spec_;
  const RunResult& result_;
  SoakFiles files_;
  double end_s_;
  Complaints wrong_;
};

}  // namespace

std::vector<std::string> wrong_with(const EndedRun& run) { return Checks(run).run(); }

}  // namespace gyre
