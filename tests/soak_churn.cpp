// Islands that were away: what the files say of them has to agree with when they were to be.

#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "sim/churn.hpp"
#include "tests/soak_parts.hpp"

namespace gyre {

std::vector<Absence> absences_of(const SoakFiles& files, const Topology& topology) {
  std::vector<Absence> all;
  const SoakTable& events = files.events;
  for (std::size_t r = 0; r < events.size(); ++r) {
    const std::optional<IslandId> island = topology.find_island(events.text(r, "subject"));
    const std::string& what = events.text(r, "what");
    if (!island || events.text(r, "round").empty()) continue;
    if (what == "leaves") {
      all.push_back({.island = *island,
                     .from_s = events.number(r, "time_s"),
                     .left_in = events.whole(r, "round"),
                     .to_s = {},
                     .back_in = {},
                     .source = {}});
    }
    if (what != "is back") continue;
    for (Absence& absence : all) {
      if (absence.island != *island || absence.to_s) continue;
      absence.to_s = events.number(r, "time_s");
      absence.back_in = events.whole(r, "round");
      const std::string& effect = events.text(r, "effect");
      const std::size_t from = effect.find(" from ");
      if (effect.starts_with("it has downloaded")) {
        absence.source = topology.find_island(effect.substr(from + 6));
      }
    }
  }
  return all;
}

namespace {

class ChurnChecks {
 public:
  ChurnChecks(const EndedRun& run, const SoakFiles& files, Complaints& wrong)
      : run_(run),
        topology_(*run.spec.topology),
        files_(files),
        wrong_(wrong),
        absences_(absences_of(files, topology_)),
        end_(Instant() + run.result.simulated) {}

  void run() {
    check_times();
    check_rounds();
    check_spans();
    check_counts();
  }

 private:
  /// Who leaves is away then by the scenario, and who is back is not.
  void check_times() {
    Churn churn(run_.spec.churn, topology_.island_count(), run_.spec.seed);
    for (const Absence& absence : absences_) {
      const std::string& name = topology_.name(absence.island);
      // The cell has 12 digits.
      const auto is_away = [&](double at_s, bool expected) {
        const double rounding_s = 1e-11 * at_s + 1e-9;
        const Instant first = Instant::at_seconds(std::max(0.0, at_s - rounding_s));
        const Instant last = Instant::at_seconds(at_s + rounding_s);
        const std::optional<Period> period = churn.absence(absence.island, first);
        if (expected) return period && period->from <= last;
        return !period || period->from > first || (period->to && *period->to <= last);
      };
      wrong_.require(is_away(absence.from_s, true), "events.csv: {} leaves at {} s", name,
                     absence.from_s);
      wrong_.require(!absence.to_s || is_away(*absence.to_s, false),
                     "events.csv: {} is back at {} s", name, absence.to_s.value_or(0.0));
    }
  }

  [[nodiscard]] bool misses(const Absence& absence, std::int64_t round) const {
    return absence.left_in <= round && (!absence.back_in || round < *absence.back_in);
  }

  /// Who is no member of its clique was away, and who was away the whole round is none.
  void check_rounds() {
    const SoakTable& rounds = files_.rounds;
    for (std::size_t r = 0; r < rounds.size(); ++r) {
      const std::int64_t round = rounds.whole(r, "round");
      const auto any = [&](const std::string& name, const auto& holds) {
        return std::ranges::any_of(absences_, [&](const Absence& absence) {
          return topology_.name(absence.island) == name && holds(absence);
        });
      };
      for (const std::string& name : named(rounds.text(r, "absent"))) {
        // In an overlay it may be in a later round and still send its model of this one.
        const bool overlay = run_.spec.policy->overlay();
        wrong_.require(
            !run_.spec.takes_islands_away() ||
                any(name,
                    [&](const Absence& absence) { return overlay || misses(absence, round); }),
            "{}: {} is absent and was not away", rounds.place(r), name);
      }
      // In the round in which it leaves it may have ended an exchange before.
      for (const std::string& name : named(rounds.text(r, "members"))) {
        if (rounds.text(r, "outcome") == "dropped") continue;
        wrong_.require(!any(name,
                            [&](const Absence& absence) {
                              return misses(absence, round) && absence.left_in < round;
                            }),
                       "{}: {} is a member and was away", rounds.place(r), name);
      }
    }
  }

  /// Nobody computes or waits for others while it is to be away.
  void check_spans() {
    Churn churn(run_.spec.churn, topology_.island_count(), run_.spec.seed);
    std::vector<std::vector<Period>> away(topology_.island_count());
    for (std::size_t i = 0; i < away.size(); ++i) {
      for (Instant now; now < end_;) {
        const std::optional<Period> period = churn.absence(IslandId::at(i), now);
        if (!period || period->from >= end_) break;
        away[i].push_back(*period);
        if (!period->to) break;
        now = std::max(now, *period->to);
      }
    }
    std::ifstream file(run_.folder / "timeline.json");
    const nlohmann::json timeline = nlohmann::json::parse(file, nullptr, false);
    if (!timeline.is_array()) return;
    for (const auto& span : timeline) {
      if (span["ph"] != "X" || span["name"] == "exchange") continue;
      const std::size_t island = span["tid"].get<std::size_t>() - 1;
      const double from_s = span["ts"].get<double>() * 1e-6;
      const double to_s = from_s + span["dur"].get<double>() * 1e-6;
      for (const Period& period : away[island]) {
        const double until_s = period.to ? (*period.to - Instant()).in_seconds()
                                         : std::numeric_limits<double>::infinity();
        const double both_s =
            std::min(until_s, to_s) - std::max(from_s, (period.from - Instant()).in_seconds());
        wrong_.require(
            both_s <= 1e-9 + 1e-9 * to_s,
            "timeline.json: from {} s to {} s {} does '{}' and is away from {} s to {} s", from_s,
            to_s, topology_.name(IslandId::at(island)), span["name"].get<std::string>(),
            (period.from - Instant()).in_seconds(), until_s);
      }
    }
  }

  /// An island ends each round that it is there for, once; it may have ended that in which it left.
  void check_counts() {
    for (std::size_t i = 0; i < files_.islands.size(); ++i) {
      std::int64_t least = 0;
      std::int64_t most = 0;
      for (std::int64_t round = 0; round < run_.spec.stop.max_rounds; ++round) {
        bool away = false;
        bool left = false;
        for (const Absence& absence : absences_) {
          if (absence.island != IslandId::at(i)) continue;
          away = away || misses(absence, round);
          left = left || (misses(absence, round) && absence.left_in < round);
        }
        if (!away && round < run_.result.rounds) ++least;
        if (!left) ++most;
      }
      const std::int64_t rounds = files_.islands.whole(i, "rounds");
      wrong_.require(rounds >= least && rounds <= most, "{}: {} rounds, of {} to {}",
                     files_.islands.place(i), rounds, least, most);
    }
  }

  const EndedRun& run_;
  const Topology& topology_;
  const SoakFiles& files_;
  Complaints& wrong_;
  std::vector<Absence> absences_;
  Instant end_;
};

}  // namespace

void check_churn(const EndedRun& run, const SoakFiles& files, Complaints& wrong) {
  ChurnChecks(run, files, wrong).run();
}

}  // namespace gyre
