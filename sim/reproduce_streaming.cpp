#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "models/error.hpp"
#include "sim/child_process.hpp"
#include "sim/reproduction_tables.hpp"
#include "sim/round_ends.hpp"
#include "sim/two_islands.hpp"

namespace gyre {
namespace {

constexpr std::array<double, 5> kUtilisations{0.5, 0.8, 0.9, 0.95, 0.99};

struct Method {
  std::string_view name;
  bool every_step = false;  ///< data-parallel: gradients after each step
  bool fragments = false;
  bool overlap = false;
  double bits_share = 1.0;
  std::array<double, 5> published_gbps;  ///< by utilisation
};

struct TrainedModel {
  std::string_view name;
  double parameters;
  std::int64_t layers;
  double step_s;
  std::array<Method, 5> methods;
};

// Streaming DiLoCo (arXiv 2501.18512), Table 4.
const std::array<TrainedModel, 2>& trained_models() {
  static const std::array<TrainedModel, 2> kModels{{
      {"1B",
       1e9,
       24,
       0.1,
       {{{"dp", true, false, false, 1.0, {86.8, 152.6, 184.2, 222.3, 569.0}},
         {"diloco", false, false, false, 1.0, {1.4, 6.2, 13.3, 23.3, 86.8}},
         {"stream", false, true, false, 1.0, {1.4, 5.2, 9.1, 16.0, 28.1}},
         {"overlap", false, true, true, 1.0, {1.4, 4.3, 6.2, 9.1, 11.0}},
         {"fp4", false, true, true, 0.25, {0.4, 0.9, 1.7, 2.0, 3.0}}}}},
      {"10B",
       1e10,
       48,
       0.8,
       {{{"dp", true, false, false, 1.0, {104.8, 222.3, 222.3, 268.3, 471.5}},
         {"diloco", false, false, false, 1.0, {1.7, 7.5, 16.0, 33.9, 104.8}},
         {"stream", false, true, false, 1.0, {1.7, 5.2, 9.1, 13.3, 19.3}},
         {"overlap", false, true, true, 1.0, {1.7, 3.6, 5.2, 6.2, 7.5}},
         {"fp4", false, true, true, 0.25, {0.4, 0.9, 1.4, 1.4, 1.7}}}}},
  }};
  return kModels;
}

constexpr std::int64_t kLocalSteps = 100;
constexpr std::int64_t kLayersOfFragment = 3;
/// The one fitted constant: bits that a parameter takes in each direction, of bfloat16's 16.
constexpr double kBitsPerParameter = 0.83 * 16.0;

/// Published values are points of logspace(−1, 3, 50) in Gbit/s.
constexpr int kGridPoints = 50;
double grid_gbps(int point) { return std::pow(10.0, -1.0 + 4.0 * point / (kGridPoints - 1)); }
int nearest_point(double gbps) {
  return static_cast<int>(std::lround((std::log10(gbps) + 1.0) * (kGridPoints - 1) / 4.0));
}

/// Compute time over time, of a round in the steady state: neither the first nor the last, which
/// overlaps with nothing.
double utilisation(const TrainedModel& model, const Method& method, double gbps) {
  const Bandwidth rate = Bandwidth::bits_per_second(std::llround(gbps * 1e9));
  TwoIslands islands(rate);
  RunSpec& spec = islands.spec;
  spec.payload =
      Bytes::count(std::llround(kBitsPerParameter * method.bits_share * model.parameters / 8.0));
  spec.compute.step_time = Duration::seconds(model.step_s);
  spec.training.local_steps = method.every_step ? 1 : kLocalSteps;
  spec.training.layers = LayersSpec{.count = model.layers, .backward = 2.0 / 3.0};
  if (method.fragments) spec.training.fragments = model.layers / kLayersOfFragment;
  if (method.overlap) {
    spec.training.overlap =
        OverlapSpec{.kind = OverlapSpec::Kind::kDelayed, .steps = 1, .local_weight = 0.5};
  }
  spec.stop.max_rounds = 4;
  const std::string text = in_child([&spec] {
    const std::atomic<bool> never{false};
    RoundEnds ends;
    const RunResult result = simulate(spec, ends, never);
    check(result.status == RunStatus::kComplete && ends.at_s.size() == 5,
          "two islands did not end their rounds");
    return fmt::format("{:a}", (ends.at_s[3] - ends.at_s[1]) / 2.0);
  });
  const double round_s = std::strtod(text.c_str(), nullptr);
  return static_cast<double>(*spec.training.local_steps) * model.step_s / round_s;
}

/// The first grid point that reaches the target; none in the table is beyond the grid.
int first_point(const TrainedModel& model, const Method& method, double target,
                std::map<int, double>& known) {
  int low = 0;
  int high = kGridPoints - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    const auto [at, is_new] = known.try_emplace(middle, 0.0);
    if (is_new) at->second = utilisation(model, method, grid_gbps(middle));
    if (at->second >= target) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

ReproducedTable streaming_diloco(const ReproductionWatch& watch) {
  ReproducedTable table{.columns = {"model", "method", "compute_utilisation", "published_gbps",
                                    "ours_gbps", "difference_gbps", "grid_steps"},
                        .rows = {},
                        .findings = {}};
  std::size_t exact = 0;
  std::size_t near = 0;
  std::size_t cells = 0;
  const double all = static_cast<double>(trained_models().size()) * 25.0;
  for (const TrainedModel& model : trained_models()) {
    for (const Method& method : model.methods) {
      std::map<int, double> known;
      for (std::size_t u = 0; u < kUtilisations.size(); ++u) {
        if (!watch(static_cast<double>(cells) / all)) return table;
        const int ours = first_point(model, method, kUtilisations[u], known);
        const int steps = ours - nearest_point(method.published_gbps[u]);
        ++cells;
        if (steps == 0) ++exact;
        if (std::abs(steps) <= 1) ++near;
        table.rows.push_back({std::string(model.name), std::string(method.name),
                              fmt::format("{:g}", kUtilisations[u]),
                              fmt::format("{:.1f}", method.published_gbps[u]),
                              fmt::format("{:.2f}", grid_gbps(ours)),
                              fmt::format("{:+.2f}", grid_gbps(ours) - method.published_gbps[u]),
                              fmt::format("{:+d}", steps)});
      }
    }
  }
  table.findings.push_back(
      fmt::format("{} of {} cells are the published point of the grid (100 Mbit/s to 1 Tbit/s in "
                  "50 points), {} "
                  "within one point",
                  exact, cells, near));
  table.findings.emplace_back(
      "set by us: forward pass a third of a step, backward two thirds, equal layers sent one after "
      "the other behind it, three strided layers a fragment, merging one step late with overlap; "
      "fitted: 0.83 x 16 bits a parameter in each direction");
  return table;
}

}  // namespace gyre
