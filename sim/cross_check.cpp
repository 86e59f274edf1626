#include "sim/cross_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "models/bounds.hpp"
#include "models/error.hpp"
#include "sim/exchange_probe.hpp"
#include "sim/prepared_plan.hpp"
#include "sim/run_setup.hpp"
#include "sim/schedule_rounds.hpp"

namespace gyre {
namespace {

/// A schedule in a mode, with the rounds that it is checked in.
struct Subject {
  std::size_t schedule = 0;
  Mode mode = Mode::kNeither;
  std::vector<Round> rounds;
};

/// The different ones among the first rounds that exchange.
std::vector<Round> rounds_to_check(const RunSpec& spec, std::int64_t count) {
  std::vector<Round> rounds;
  for (Round& round :
       first_rounds(spec, std::min(count, spec.stop.max_rounds), [] { return true; })) {
    const bool exchanges_any = std::any_of(round.cliques.begin(), round.cliques.end(),
                                           [](const Clique& c) { return c.size() > 1; });
    const bool known = std::find(rounds.begin(), rounds.end(), round) != rounds.end();
    if (exchanges_any && !known) rounds.push_back(std::move(round));
  }
  return rounds;
}

/// The packets' options from the ideal to the scenario's own.
std::array<PacketSettings, 4> steps(const PacketSettings& full) {
  PacketSettings lossless = full;
  lossless.lose_nothing();
  PacketSettings unlimited = lossless;
  unlimited.transport.window.reset();
  unlimited.unlimited_switches = true;
  PacketSettings ideal = unlimited;
  ideal.transport.header = Bytes();
  ideal.transport.hop_latency = Duration();
  return {ideal, unlimited, lossless, full};
}

bool same(const PacketSettings& a, const PacketSettings& b, const SwitchLimits* limits) {
  return a.transport.header == b.transport.header &&
         a.transport.hop_latency == b.transport.hop_latency &&
         a.transport.window == b.transport.window &&
         (a.unlimited_switches == b.unlimited_switches || limits == nullptr) &&
         a.lossy() == b.lossy();
}

class Checker {
 public:
  Checker(const LoadedScenario& loaded, const std::function<bool(double)>& progress)
      : loaded_(loaded), progress_(progress) {}

  std::vector<CrossCheck> run(const CrossCheckRequest& request) {
    const std::vector<Subject> subjects = find(request);
    std::size_t total = 0;
    for (const Subject& subject : subjects) total += subject.rounds.size();
    std::vector<CrossCheck> rows;
    for (const Subject& subject : subjects) {
      for (const Round& round : subject.rounds) {
        const auto done = static_cast<double>(rows.size());
        if (!progress_(done / static_cast<double>(total))) return rows;
        rows.push_back(check_round(subject, round));
      }
    }
    return rows;
  }

 private:
  [[nodiscard]] RunSpec spec_of(std::size_t schedule, Mode mode) const {
    const RunChoice choice{
        .schedule = schedule, .mode = mode, .seed = loaded_.scenario.seeds.front()};
    return run_spec(loaded_, choice, loaded_.topology);
  }

  [[nodiscard]] std::vector<Subject> find(const CrossCheckRequest& request) const {
    std::vector<Subject> subjects;
    for (const RunChoice& run : all_runs(loaded_.scenario)) {
      if (run.seed != loaded_.scenario.seeds.front()) continue;
      if (request.schedule && run.schedule != *request.schedule) continue;
      if (request.mode && run.mode != *request.mode) continue;
      const Policy& policy = *loaded_.scenario.schedules[run.schedule].policy;
      if (policy.colocated() || !policy.exchanges()) continue;
      Subject subject{.schedule = run.schedule, .mode = run.mode, .rounds = {}};
      subject.rounds = rounds_to_check(spec_of(run.schedule, run.mode), request.rounds);
      subjects.push_back(std::move(subject));
    }
    return subjects;
  }

  CrossCheck check_round(const Subject& subject, const Round& round) const {
    const RunSpec spec = spec_of(subject.schedule, subject.mode);
    const PacketSettings own = spec.packets.value_or(PacketSettings());
    CrossCheck row;
    row.schedule = loaded_.scenario.schedules[subject.schedule].label.value;
    row.mode = name_of(subject.mode);
    row.round = to_text(round, loaded_.topology);
    row.granularity_limit_s = limit_of(spec, own, round).in_seconds();
    const auto simulated = [&](const std::optional<PacketSettings>& packets, bool faults = false) {
      return probe(loaded_.topology, spec.capabilities, sync_timing(spec).bytes(0), spec.exchange,
                   {round},
                   {.routing = spec.routing,
                    .limits = spec.limits,
                    .packets = packets,
                    .seed = spec.seed,
                    .faults = faults ? spec.faults : std::vector<Fault>(),
                    .in_flight = spec.in_flight,
                    .without_propagation = false});
    };
    const ProbeResult flow = simulated(std::nullopt);
    row.flow_s = flow.rounds.at(0).time.in_seconds();
    for (const CliqueRow& clique : flow.rounds.at(0).cliques) {
      row.bound_s = std::max(row.bound_s, clique.bound.in_seconds());
    }
    const std::array<PacketSettings, 4> all = steps(own);
    std::array<double, 4> time_s{};
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool faults = i == 3 && !spec.faults.empty();
      if (i > 0 && !faults && same(all[i - 1], all[i], spec.limits)) {
        time_s[i] = time_s[i - 1];
        continue;
      }
      const ProbeResult packets = simulated(all[i], faults);
      if (!packets.failure.empty() || packets.dropped) {
        row.failure = packets.dropped ? "the exchange gave up and was dropped" : packets.failure;
        return row;
      }
      time_s[i] = packets.rounds.at(0).time.in_seconds();
      row.lost = packets.lost;
      row.retransmissions = 0;
      for (const CliqueRow& clique : packets.rounds.at(0).cliques) {
        row.retransmissions += clique.retransmissions;
      }
    }
    row.packet_s = time_s[3];
    row.granularity_s = time_s[0] - row.flow_s;
    row.headers_s = time_s[1] - time_s[0];
    row.limits_s = time_s[2] - time_s[1];
    row.loss_s = time_s[3] - time_s[2];
    return row;
  }

  [[nodiscard]] Duration limit_of(const RunSpec& spec, const PacketSettings& settings,
                                  const Round& round) const {
    const Routes routes(loaded_.topology);
    PlanCache plans({loaded_.topology, routes, spec.capabilities, spec.limits}, nullptr,
                    {.exchange = spec.exchange, .routing = spec.routing, .keep_rates = false});
    Duration latest;
    for (std::size_t c = 0; c < round.cliques.size(); ++c) {
      if (round.cliques[c].size() < 2) continue;
      const std::shared_ptr<const PreparedPlan> plan =
          plans.get(round, c, sync_timing(spec).bytes(0));
      check_recovery(loaded_.topology, *plan, settings, spec.limits);
      latest = std::max(latest, granularity(loaded_.topology, *plan, settings.transport));
    }
    return latest;
  }

  const LoadedScenario& loaded_;
  const std::function<bool(double)>& progress_;
};

}  // namespace

std::vector<CrossCheck> cross_check(const LoadedScenario& loaded, const CrossCheckRequest& request,
                                    const std::function<bool(double)>& progress) {
  return Checker(loaded, progress).run(request);
}

std::string main_reason(const CrossCheck& row) {
  if (!row.failure.empty()) return "did not end";
  const std::array<std::pair<double, const char*>, 4> parts{{
      {row.granularity_s, "granularity"},
      {row.headers_s, "headers and hops"},
      {row.limits_s, "windows and slots"},
      {row.loss_s, "loss and recovery"},
  }};
  const auto* const most = std::max_element(
      parts.begin(), parts.end(),
      [](const auto& a, const auto& b) { return std::abs(a.first) < std::abs(b.first); });
  return std::abs(most->first) > 0.0 ? most->second : "none";
}

}  // namespace gyre
