// How runs grow with the map: random geometric maps of 10, 100 and 1000 islands with two links an
// island, 20 rounds of overlays, of regions and of one in-network exchange of all. Prints times,
// peak memory and what grows how fast: the slope of log(time) over log(flows), or over log(arcs of
// these flows), by least squares; target: at most 1.3 for the rounds. Beside the overlays runs a
// bare SimGrid loop with the same islands, flows and routes, which shows the engine's own growth.
//
// Times are of the processor: others may run beside. `wall s` is the clock's, of everything.

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "models/routing.hpp"
#include "scenarios/generate/generators.hpp"
#include "scenarios/import/topology_yaml.hpp"
#include "scenarios/topology_file.hpp"
#include "schedules/policy.hpp"
#include "sim/child_process.hpp"
#include "sim/recorder.hpp"
#include "sim/run_setup.hpp"
#include "sim/simulation.hpp"
#include "sim/wall_clock.hpp"
#include "tests/bare_map.hpp"

namespace gyre {
namespace {

namespace fs = std::filesystem;
namespace s4u = simgrid::s4u;

constexpr std::int64_t kRounds = 20;
const std::atomic<bool> kNever{false};

struct Case {
  std::string name;
  Mode mode;
  std::string schedule;  ///< with `REGIONS` where the map's regions go
};

const std::vector<Case> kCases{
    {"mst", Mode::kNeither, "{policy: mst}"},
    {"ring-overlay", Mode::kNeither, "{policy: ring-overlay}"},
    {"hierarchical", Mode::kNeither, "{policy: hierarchical, regions: REGIONS}"},
    {"in-network", Mode::kBoth, "{policy: all-reduce, exchange: in-network}"}};

TopologySpec make_map(std::size_t islands) {
  return random_geometric({.islands = islands,
                           .links = 2 * islands,
                           .seed = 1,
                           .side = Distance::kilometers(5000),
                           .per_km = Duration::milliseconds(0.005),
                           .per_link = {}},
                          {.bandwidth = Bandwidth::gigabits_per_second(10), .access = {}})
      .spec;
}

/// About √n regions: the first island that has none with those nearest to it.
std::string regions_of(const Topology& topology) {
  const std::size_t n = topology.island_count();
  const auto size = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(n))));
  const Routes routes(topology);
  std::vector<std::size_t> left(n);
  for (std::size_t i = 0; i < n; ++i) left[i] = i;
  std::string text;
  while (!left.empty()) {
    const NodeId first = topology.node(IslandId::at(left.front()));
    std::stable_sort(left.begin(), left.end(), [&](std::size_t a, std::size_t b) {
      return routes.latency(topology.node(IslandId::at(a)), first) <
             routes.latency(topology.node(IslandId::at(b)), first);
    });
    const std::size_t taken = std::min(size, left.size());
    if (!text.empty()) text += '|';
    for (std::size_t i = 0; i < taken; ++i) {
      text += (i == 0 ? "" : "+") + topology.name(IslandId::at(left[i]));
    }
    left.erase(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(taken));
    std::sort(left.begin(), left.end());
  }
  return text;
}

/// What a user would write: a topology file and a scenario that names it.
fs::path write_scenario(const fs::path& folder, const Case& one, std::size_t islands) {
  const TopologySpec spec = make_map(islands);
  std::ofstream(folder / "map.yaml") << topology_yaml(spec, {});
  std::string schedule = one.schedule;
  if (const std::size_t at = schedule.find("REGIONS"); at != std::string::npos) {
    NetworkSpec network;
    network.topology = spec;
    network.access.bandwidth = Bandwidth::gigabits_per_second(10);
    schedule.replace(at, std::string("REGIONS").size(), regions_of(build_topology(network)));
  }
  std::string optima;
  for (std::size_t i = 0; i < islands; ++i) {
    optima += fmt::format("{}{}", i == 0 ? "" : ", ", static_cast<double>(i % 7));
  }
  std::ofstream(folder / "scenario.yaml") << fmt::format(
      "gyre: 1\nname: scale\n"
      "network: {{topology: map.yaml, access: {{bandwidth: 10 Gbps}}, modes: [{}]}}\n"
      "job: {{payload: 2 GB, local_steps: 10, compute: {{step_time: 100 ms}}}}\n"
      "task: {{kind: quadratic, curvatures: [1], optima: [{}]}}\n"
      "evaluate: {{every_rounds: 1}}\n"
      "schedules:\n  - {}\n"
      "stop: {{max_rounds: {}}}\n",
      name_of(one.mode), optima, schedule, kRounds);
  return folder / "scenario.yaml";
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Notes when the rounds end, on top of recording them as a run does.
class Watch final : public RunObserver {
 public:
  explicit Watch(Recorder& recorder) : recorder_(&recorder) {}
  void on_trace(const TraceRow& row) override {
    recorder_->on_trace(row);
    if (row.round == 1) first_round_s = processor_seconds();
    if (row.round == kRounds) last_round_s = processor_seconds();
  }
  void on_clique(const CliqueRow& row) override { recorder_->on_clique(row); }
  void on_span(const Span& span) override { recorder_->on_span(span); }

  double first_round_s = 0.0;
  double last_round_s = 0.0;

 private:
  Recorder* recorder_;
};

struct Measured {
  double load_s = 0.0;    ///< reading scenario and map
  double setup_s = 0.0;   ///< platform, policy, and the first round, which plans
  double rounds_s = 0.0;  ///< all rounds, at the pace of those after the first
  double bare_s = 0.0;    ///< the same by a bare SimGrid loop; 0: not played
  double wall_s = 0.0;
  double flows = 0.0;  ///< of all rounds
  double arcs = 0.0;   ///< of these flows
  double peak_mb = 0.0;
};

Measured play(const Case& one, const fs::path& scenario) {
  const std::string text = in_child([&] {
    const WallClock clock;
    const double start_s = processor_seconds();
    const LoadedScenario loaded = load_scenario(scenario.string(), {});
    const Topology fabric = colocated_topology(loaded.topology, loaded.scenario.network.fabric);
    const RunSpec spec = run_spec(loaded, {.schedule = 0, .mode = one.mode, .seed = 1}, fabric);
    const double loaded_s = processor_seconds();
    Recorder recorder(scenario.parent_path() / "run", *spec.topology, false);
    Watch watch(recorder);
    const RunResult result = simulate(spec, watch, kNever);
    recorder.finish(result);
    struct rusage used {};
    getrusage(RUSAGE_SELF, &used);
    return fmt::format("{} {} {} {} {} {} {}", loaded_s - start_s, watch.first_round_s - loaded_s,
                       (watch.last_round_s - watch.first_round_s) * kRounds / (kRounds - 1),
                       clock.elapsed_s(), result.flows, result.flow_arcs,
                       static_cast<double>(used.ru_maxrss) / 1024.0);
  });
  Measured run;
  std::istringstream(text) >> run.load_s >> run.setup_s >> run.rounds_s >> run.wall_s >>
      run.flows >> run.arcs >> run.peak_mb;
  return run;
}

/// The overlay's rounds without gyre: an actor an island that computes, sends to its neighbours and
/// waits for what they send in the same round, over routes that a full zone holds.
class BareOverlay {
 public:
  BareOverlay(const Topology& topology, const Round& overlay)
      : topology_(topology), edges_(overlay.edges) {}

  double seconds() {
    BareMap map(topology_);
    build(map);
    const double start_s = processor_seconds();
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      s4u::Actor::create(fmt::format("island{}", i), hosts_[i], [this, i] { live(i); });
    }
    map.run();
    return processor_seconds() - start_s;
  }

 private:
  void build(BareMap& map) {
    hosts_ = map.hosts();
    for (std::size_t i = 0; i < hosts_.size(); ++i) gates_.push_back(s4u::Semaphore::create(0));
    const Routes routes(topology_);
    out_.resize(hosts_.size());
    in_.resize(hosts_.size());
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      const auto [from, to, weight] = edges_[e];
      out_[from.index()].push_back(e);
      in_[to.index()].push_back(e);
      const std::vector<ArcId> path = routes.path(topology_.node(from), topology_.node(to));
      map.add_route(from, to, path);
      latency_s_.push_back(path_latency(topology_, path).in_seconds());
    }
    sent_.assign(kRounds, std::vector<s4u::CommPtr>(edges_.size()));
    awaited_.assign(kRounds, std::vector<bool>(edges_.size(), false));
  }

  void live(std::size_t me) {
    for (std::size_t r = 0; r < static_cast<std::size_t>(kRounds); ++r) {
      s4u::this_actor::sleep_for(1.0);
      for (const std::size_t e : out_[me]) {
        s4u::Host* to = hosts_[edges_[e].to.index()];
        sent_[r][e] = s4u::Comm::sendto_async(hosts_[me], to, 2'000'000'000);
        if (awaited_[r][e]) gates_[edges_[e].to.index()]->release();
      }
      for (const std::size_t e : in_[me]) {
        if (sent_[r][e] == nullptr) {
          awaited_[r][e] = true;
          gates_[me]->acquire();
        }
        simgrid_compat::wait(sent_[r][e]);
        s4u::this_actor::sleep_for(latency_s_[e]);
      }
    }
  }

  const Topology& topology_;
  std::vector<MixingEdge> edges_;
  std::vector<s4u::Host*> hosts_;
  std::vector<s4u::SemaphorePtr> gates_;
  std::vector<std::vector<std::size_t>> out_;  ///< by island: edges
  std::vector<std::vector<std::size_t>> in_;
  std::vector<double> latency_s_;                ///< by edge
  std::vector<std::vector<s4u::CommPtr>> sent_;  ///< by round and edge
  std::vector<std::vector<bool>> awaited_;
};

double play_bare(const Case& one, const fs::path& scenario) {
  return std::stod(in_child([&] {
    const LoadedScenario loaded = load_scenario(scenario.string(), {});
    const Topology fabric = colocated_topology(loaded.topology, loaded.scenario.network.fabric);
    const RunSpec spec = run_spec(loaded, {.schedule = 0, .mode = one.mode, .seed = 1}, fabric);
    const Round round = spec.policy->round(0);
    if (round.edges.empty()) return std::string("0");
    return std::to_string(BareOverlay(loaded.topology, round).seconds());
  }));
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Small maps several times, since they take milliseconds.
Measured measure(const Case& one, std::size_t islands) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("gyre-scale-{}", ::getpid());
  fs::create_directories(folder);
  const fs::path scenario = write_scenario(folder, one, islands);
  const std::size_t repetitions = std::max<std::size_t>(1, 200 / islands);
  std::vector<double> load;
  std::vector<double> setup;
  std::vector<double> rounds;
  std::vector<double> bare;
  Measured run;
  for (std::size_t r = 0; r < repetitions; ++r) {
    run = play(one, scenario);
    load.push_back(run.load_s);
    setup.push_back(run.setup_s);
    rounds.push_back(run.rounds_s);
    bare.push_back(play_bare(one, scenario));
  }
  fs::remove_all(folder);
  run.load_s = median(load);
  run.setup_s = median(setup);
  run.rounds_s = median(rounds);
  run.bare_s = median(bare);
  return run;
}

/// The slope of log y over log x by least squares.
double exponent(const std::vector<double>& x, const std::vector<double>& y) {
  double mean_x = 0.0;
  double mean_y = 0.0;
  const auto n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += std::log(x[i]) / n;
    mean_y += std::log(y[i]) / n;
  }
  double xy = 0.0;
  double xx = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (std::log(x[i]) - mean_x) * (std::log(y[i]) - mean_y);
    xx += (std::log(x[i]) - mean_x) * (std::log(x[i]) - mean_x);
  }
  return xy / xx;
}

void bench(const Case& one, const std::vector<std::size_t>& sizes) {
  std::vector<double> islands;
  std::vector<double> flows;
  std::vector<double> arcs;
  std::vector<double> setup;
  std::vector<double> rounds;
  std::vector<double> bare;
  for (const std::size_t n : sizes) {
    const Measured run = measure(one, n);
    const std::string ratio =
        run.bare_s > 0.0 ? fmt::format("{:.3f} {:>6.2f}", run.bare_s, run.bare_s / run.rounds_s)
                         : "-      -";
    fmt::print(
        "{:<13} {:>5} {:>8.0f} {:>9.0f} {:>8.3f} {:>8.3f} {:>9.4f} {:>15} {:>8.2f} {:>8.0f}\n",
        one.name, n, run.flows, run.arcs, run.load_s, run.setup_s, run.rounds_s, ratio, run.wall_s,
        run.peak_mb);
    std::fflush(stdout);
    islands.push_back(static_cast<double>(n));
    flows.push_back(run.flows);
    arcs.push_back(run.arcs);
    setup.push_back(run.load_s + run.setup_s);
    rounds.push_back(run.rounds_s);
    bare.push_back(run.bare_s);
  }
  if (sizes.size() < 2) return;
  fmt::print("  rounds grow as arcs^{:.2f}", exponent(arcs, rounds));
  if (flows.back() > flows.front()) fmt::print(" and flows^{:.2f}", exponent(flows, rounds));
  if (bare.back() > 0.0) fmt::print(" (bare SimGrid: flows^{:.2f})", exponent(flows, bare));
  fmt::print("; load and setup as islands^{:.2f}\n", exponent(islands, setup));
}

/// `bench_scale [CASE [ISLANDS]]` measures only that.
int run(const std::vector<std::string>& words) {
  fmt::print("{:<13} {:>5} {:>8} {:>9} {:>8} {:>8} {:>9} {:>15} {:>8} {:>8}\n", "20 rounds", "isl.",
             "flows", "arcs", "load s", "setup s", "rounds s", "bare s  ratio", "wall s",
             "peak MB");
  std::vector<std::size_t> sizes{10, 100, 1000};
  if (words.size() > 1) sizes = {std::stoul(words[1])};
  for (const Case& one : kCases) {
    if (words.empty() || words[0] == one.name) bench(one, sizes);
  }
  return 0;
}

}  // namespace
}  // namespace gyre

int main(int argc, char** argv) { return gyre::run({argv + 1, argv + argc}); }
