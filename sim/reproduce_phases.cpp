#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "models/error.hpp"
#include "sim/child_process.hpp"
#include "sim/reproduction_tables.hpp"
#include "sim/two_islands.hpp"

namespace gyre {
namespace {

struct Phases {
  std::string_view run;
  double inner_s;     ///< local steps
  double exchange_s;  ///< all-reduce
  double published;   ///< utilisation
};

// INTELLECT-1 (arXiv 2412.01152): 38 minutes of inner steps, then an all-reduce of 103, 382 or 469
// s, by where the nodes were. OpenDiLoCo (arXiv 2407.07852): 300 s of compute, 4050 s of exchange.
constexpr std::array<Phases, 4> kPhases{{
    {"INTELLECT-1, 103 s", 38.0 * 60.0, 103.0, 0.957},
    {"INTELLECT-1, 382 s", 38.0 * 60.0, 382.0, 0.856},
    {"INTELLECT-1, 469 s", 38.0 * 60.0, 469.0, 0.830},
    {"OpenDiLoCo", 300.0, 4050.0, 0.069},
}};

/// Two islands whose exchange of 20 GB takes as long as the published phase.
double utilisation(const Phases& phases) {
  const Bytes payload = Bytes::count(20'000'000'000);
  const Bandwidth rate =
      Bandwidth::bits_per_second(std::llround(payload.in_bits() / phases.exchange_s));
  TwoIslands islands(rate);
  RunSpec& spec = islands.spec;
  spec.payload = payload;
  spec.compute.step_time = Duration::seconds(phases.inner_s / 100.0);
  spec.training.local_steps = 100;
  spec.stop.max_rounds = 2;
  const std::string text = in_child([&spec] {
    const std::atomic<bool> never{false};
    RunObserver nobody;
    const RunResult result = simulate(spec, nobody, never);
    check(result.status == RunStatus::kComplete, "two islands did not end their rounds");
    return fmt::format("{:a}",
                       result.islands.front().compute.in_seconds() / result.simulated.in_seconds());
  });
  return std::strtod(text.c_str(), nullptr);
}

}  // namespace

ReproducedTable phases(const ReproductionWatch& watch) {
  ReproducedTable table{
      .columns = {"run", "inner_s", "exchange_s", "published_%", "ours_%", "difference_%"},
      .rows = {},
      .findings = {}};
  double done = 0.0;
  for (const Phases& one : kPhases) {
    if (!watch(done++ / static_cast<double>(kPhases.size()))) return table;
    const double ours = utilisation(one);
    table.rows.push_back({std::string(one.run), fmt::format("{:g}", one.inner_s),
                          fmt::format("{:g}", one.exchange_s),
                          fmt::format("{:.1f}", 100.0 * one.published),
                          fmt::format("{:.2f}", 100.0 * ours),
                          fmt::format("{:+.2f}", 100.0 * (ours - one.published))});
  }
  table.findings.emplace_back("2280 s of 2280 + 469 s are 82.94 %, where 83.0 % was published");
  return table;
}

}  // namespace gyre
