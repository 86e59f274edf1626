#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/csv.hpp"
#include "analysis/table.hpp"
#include "models/compute.hpp"
#include "models/error.hpp"
#include "sim/cli.hpp"
#include "sim/interrupt.hpp"
#include "sim/json_cell.hpp"
#include "sim/plan_file.hpp"
#include "sim/planned_mode.hpp"
#include "sim/status_line.hpp"

namespace gyre {
namespace {

using Json = nlohmann::ordered_json;

std::string percent(double share) {
  return std::isfinite(share) ? fmt::format("{:.1f} %", 100.0 * share) : "-";
}

std::string in_seconds(double value) {
  return std::isfinite(value) ? fmt::format("{:.4f}", value) : "never";
}

/// The objective's value as people read it.
std::string value_text(PlanObjective objective, double value) {
  return objective == PlanObjective::kPairs ? fmt::format("{:.4f}", -value) : in_seconds(value);
}

std::string value_heading(PlanObjective objective) {
  switch (objective) {
    case PlanObjective::kDrift:
    case PlanObjective::kWindow:
      return "drift s";
    case PlanObjective::kConsensus:
      return "consensus s";
    case PlanObjective::kPairs:
      break;
  }
  return "pairs/s";
}

std::string progress_text(Mode mode, double share, double incumbent, double bound,
                          double elapsed_s) {
  std::string gap;
  if (std::isfinite(incumbent) && bound > 0.0) {
    gap = fmt::format(", bound {:.4f}, gap {}", bound, percent(incumbent / bound - 1.0));
  }
  return fmt::format("planning mode {}: {:.0f} %, {:.0f} s, best {}{}", name_of(mode),
                     100.0 * share, elapsed_s, in_seconds(incumbent), gap);
}

/// What paces a round, in words.
std::string pace_text(const Topology& topology, const PlannedRound& round) {
  if (!round.switches.empty()) {
    std::string text = "paced by the switches: ";
    for (std::size_t i = 0; i < round.switches.size(); ++i) {
      const auto& [at, limit] = round.switches[i];
      text += fmt::format("{}{} of {}", i > 0 ? ", " : "", limit, topology.name(at));
    }
    return text;
  }
  if (round.prices.empty()) return "";
  constexpr std::size_t kMost = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, round.prices.size()); ++i) {
    const auto& [arc, saving] = round.prices[i];
    text += fmt::format("{}{}", i > 0 ? ", " : "", topology.name(arc));
    if (!round.together) text += fmt::format(" {:.3f} s", saving.in_seconds());
  }
  if (round.prices.size() > kMost) {
    text += fmt::format(" and {} more", round.prices.size() - kMost);
  }
  if (!round.together) return "one more Gbps saves: " + text;
  const double saved_s = round.prices.front().second.in_seconds();
  if (saved_s < 5e-4) {
    return fmt::format("paced by {} among other narrow places: more on them alone saves nothing",
                       text);
  }
  return fmt::format("paced by {} together: one more Gbps on all of them saves {:.3f} s", text,
                     saved_s);
}

void print_schedule_rounds(const Topology& topology, const PlannedSchedule& schedule) {
  for (std::size_t r = 0; r < schedule.rounds.size(); ++r) {
    const PlannedRound& round = schedule.rounds[r];
    fmt::print("  round {}  {}\n", r + 1, to_text(round.round, topology));
    fmt::print("           {:.4f} s = {:.4f} s bandwidth + {:.4f} s latency\n",
               round.time.in_seconds(), (round.time - round.latency).in_seconds(),
               round.latency.in_seconds());
    if (round.certificate > 0.0) {
      fmt::print("           its rate is within {} of the best over any paths\n",
                 round.certificate < 1e-6 ? "0.0001 %" : percent(round.certificate));
    }
    const std::string pace = pace_text(topology, round);
    if (!pace.empty()) fmt::print("           {}\n", pace);
  }
}

TextTable schedules_table(const PlannedMode& mode, const Topology& topology,
                          PlanObjective objective) {
  using Align = TextTable::Align;
  const bool shows_drift =
      objective == PlanObjective::kDrift || objective == PlanObjective::kWindow;
  TextTable table({{.text = "#"},
                   {.text = value_heading(objective), .align = Align::kRight},
                   {.text = "gap", .align = Align::kRight},
                   {.text = "period s", .align = Align::kRight},
                   {.text = shows_drift ? "consensus s" : "drift s", .align = Align::kRight},
                   {.text = "schedule"}});
  // A bound holds for one exchange: baselines with another have no gap.
  const auto add = [&](const std::string& rank, const PlannedSchedule& one) {
    table.row({rank, value_text(objective, one.value),
               one.name.empty() ? percent(mode.gap(one)) : "", in_seconds(one.period.in_seconds()),
               in_seconds(shows_drift ? one.consensus.time_s : one.drift_s),
               one.name.empty() ? to_text(one, topology) : one.name});
  };
  for (std::size_t i = 0; i < mode.result.ranked.size(); ++i) {
    add(std::to_string(i + 1), mode.result.ranked[i]);
  }
  for (const PlannedSchedule& one : mode.result.baselines) add("-", one);
  return table;
}

void print_mode(const LoadedScenario& loaded, const PlannedMode& mode) {
  const Topology& topology = loaded.topology;
  const PlanBlock& plan = loaded.scenario.plan;
  const PlannedSchedule& best = mode.result.ranked.front();
  fmt::print("mode {}: exchange {}, routing {}\n", name_of(mode.mode), name_of(plan.exchange),
             name_of(loaded.scenario.network.routing));
  fmt::print("  {} {} {}, bound {}, gap {} ({})\n",
             mode.gap(best) < 1e-9 ? "best      " : "best found",
             value_heading(plan.spec.objective), value_text(plan.spec.objective, best.value),
             value_text(plan.spec.objective, mode.result.bound), percent(mode.gap(best)),
             mode.result.method);
  print_schedule_rounds(topology, best);
  if (mode.simulated) {
    fmt::print("  as plans of flows, latencies of all trees counted, the period takes {:.4f} s\n",
               mode.simulated->in_seconds());
  }
  for (const std::string& line : mode.notes) fmt::print("  {}\n", line);
  fmt::print("\n{}\n", schedules_table(mode, topology, plan.spec.objective).render());
}

void print_shift(const std::vector<PlannedMode>& modes, const LoadedScenario& loaded) {
  if (modes.size() < 2) return;
  fmt::print("How the optimum shifts with what the switches can do:\n");
  for (const PlannedMode& mode : modes) {
    const PlannedSchedule& best = mode.result.ranked.front();
    const std::size_t largest = largest_clique(best);
    const bool global = largest == loaded.topology.island_count();
    const PlannedSchedule* baseline = nullptr;
    for (const PlannedSchedule& one : mode.result.baselines) {
      if (baseline == nullptr || one.value < baseline->value) baseline = &one;
    }
    std::string against;
    if (baseline != nullptr) {
      against = fmt::format("; best baseline {} {}", baseline->name,
                            value_text(loaded.scenario.plan.spec.objective, baseline->value));
    }
    fmt::print(
        "  {:<12} {} {}: {}{}\n", name_of(mode.mode),
        value_heading(loaded.scenario.plan.spec.objective),
        value_text(loaded.scenario.plan.spec.objective, best.value),
        global ? "the global clique"
               : fmt::format("{} rotating rounds of cliques up to {}", best.rounds.size(), largest),
        against);
  }
}

std::vector<std::string> csv_fields(const LoadedScenario& loaded, const PlannedMode& mode,
                                    std::size_t rank) {
  const PlanBlock& plan = loaded.scenario.plan;
  const PlannedSchedule& one = mode.result.ranked[rank];
  const bool consensus = plan.spec.objective == PlanObjective::kConsensus;
  const auto text = [](double value) { return std::isfinite(value) ? number(value) : ""; };
  const double bound =
      plan.spec.objective == PlanObjective::kPairs ? -mode.result.bound : mode.result.bound;
  return {std::string(name_of(mode.mode)),
          std::string(name_of(loaded.scenario.network.routing)),
          std::string(name_of(plan.exchange)),
          std::string(name_of(plan.spec.objective)),
          std::to_string(rank + 1),
          to_text(one, loaded.topology),
          std::to_string(one.rounds.size()),
          text(consensus ? one.consensus.time_s : one.period.in_seconds()),
          text(one.drift_s),
          text(bound),
          text(mode.gap(one)),
          text(one.period.in_seconds()),
          text(one.consensus.time_s),
          rank == 0 && mode.simulated ? text(mode.simulated->in_seconds()) : ""};
}

void print_csv(const LoadedScenario& loaded, const std::vector<PlannedMode>& modes) {
  fmt::print("{}", csv_header(plan_columns()));
  for (const PlannedMode& mode : modes) {
    for (std::size_t r = 0; r < mode.result.ranked.size(); ++r) {
      fmt::print("{}", csv_line(csv_fields(loaded, mode, r)));
    }
  }
}

void print_json(const LoadedScenario& loaded, const std::vector<PlannedMode>& modes) {
  Json list = Json::array();
  for (const PlannedMode& mode : modes) {
    for (std::size_t r = 0; r < mode.result.ranked.size(); ++r) {
      const std::vector<std::string> fields = csv_fields(loaded, mode, r);
      Json entry = Json::object();
      for (std::size_t i = 0; i < fields.size(); ++i) {
        const std::string name(plan_columns()[i].name);
        if (name == "rank" || name == "rounds") {
          entry[name] = std::stoll(fields[i]);
        } else {
          entry[name] = fields[i].empty() ? Json() : json_cell(fields[i]);
        }
      }
      list.push_back(std::move(entry));
    }
  }
  fmt::print("{}\n", list.dump(2));
}

/// The modes to plan: the one that was asked for, or all of the scenario's.
std::vector<Mode> chosen_modes(const PlanCommandOptions& options, const Scenario& scenario) {
  if (options.mode) return {chosen_mode(options.mode, scenario)};
  return scenario.network.modes;
}

}  // namespace

int command_plan(const PlanCommandOptions& options) {
  const LoadedScenario loaded = load(options.common);
  const Format format = chosen_format(options.common.format);
  const std::vector<Mode> modes = chosen_modes(options, loaded.scenario);
  if (options.common.output) {
    check_plan_output(*options.common.output, modes, options.common.overwrite);
  }
  for (const Mode mode : modes) check_plan(loaded, mode);
  warn_of_changes(loaded, "a plan");

  watch_interrupts();
  std::vector<PlannedMode> planned;
  {
    StatusLine progress(options.common.quiet);
    for (const Mode mode : modes) {
      if (interrupted()) break;
      planned.push_back(plan_mode(loaded, mode, [&](double share, double incumbent, double bound) {
        if (progress.due()) {
          progress.draw(progress_text(mode, share, incumbent, bound, progress.elapsed_s()));
        }
        return !interrupted();
      }));
      if (planned.back().result.ranked.empty()) planned.pop_back();
    }
  }
  switch (format) {
    case Format::kTable:
      for (const PlannedMode& mode : planned) print_mode(loaded, mode);
      print_shift(planned, loaded);
      break;
    case Format::kCsv:
      print_csv(loaded, planned);
      break;
    case Format::kJson:
      print_json(loaded, planned);
      break;
  }
  if (options.common.output) write_plans(*options.common.output, loaded, planned);
  if (interrupted()) {
    fmt::print(stderr, "interrupted: what is shown is the best so far\n");
    return kExitFailed;
  }
  return kExitDone;
}

}  // namespace gyre
