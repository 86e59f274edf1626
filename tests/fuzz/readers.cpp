#include "tests/fuzz/readers.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>

#include <fmt/format.h>
#include <unistd.h>

#include "models/error.hpp"
#include "scenarios/import/formats.hpp"
#include "scenarios/import/import_map.hpp"
#include "scenarios/import/node_file.hpp"
#include "scenarios/import/topology_yaml.hpp"
#include "scenarios/reader.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/study.hpp"
#include "scenarios/topology_file.hpp"
#include "scenarios/yaml.hpp"

namespace gyre {
namespace {

namespace fs = std::filesystem;

/// A folder of this process for what the readers want to find in files. The shipped topologies are
/// in it, so that the shipped scenarios load from there.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / fmt::format("gyre-readers-{}", getpid())) {
    fs::create_directories(path_);
    fs::copy(fs::path(GYRE_SOURCE_DIR) / "scenarios/topologies", path_ / "topologies",
             fs::copy_options::overwrite_existing);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  /// Writes a file and returns its path.
  [[nodiscard]] std::string file(std::string_view name, std::string_view bytes) const {
    const fs::path path = path_ / name;
    std::ofstream out(path, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    check(out.good(), "a file of the readers' folder cannot be written");
    return path.string();
  }

 private:
  fs::path path_;
};

const Folder& folder() {
  static const Folder kFolder;
  return kFolder;
}

std::string outcome(const std::function<void()>& read) {
  try {
    read();
  } catch (const InputError& error) {
    const std::string message = error.what();
    check(!message.empty(), "an error without a message");
    return message;
  }
  return {};
}

/// Four islands on a ring, with a choice of what else to read.
std::string scenario_with(std::string_view compute, std::string_view schedule) {
  return fmt::format(
      "gyre: 1\n"
      "name: fed\n"
      "network:\n"
      "  access: {{bandwidth: 10 Gbps}}\n"
      "  topology:\n"
      "    switches: [{{name: A}}, {{name: B}}, {{name: C}}, {{name: D}}]\n"
      "    islands: [{{name: A, at: A}}, {{name: B, at: B}}, {{name: C, at: C}}, {{name: D, at: "
      "D}}]\n"
      "    links:\n"
      "      - {{between: [A, B], latency: 5 ms, bandwidth: 10 Gbps}}\n"
      "      - {{between: [B, C], latency: 5 ms, bandwidth: 10 Gbps}}\n"
      "      - {{between: [C, D], latency: 5 ms, bandwidth: 10 Gbps}}\n"
      "      - {{between: [D, A], latency: 5 ms, bandwidth: 10 Gbps}}\n"
      "job: {{payload: 1 MB, compute: {}}}\n"
      "task: {{kind: quadratic, optima: [-1, 0, 1, 2]}}\n"
      "schedules: [{}]\n",
      compute, schedule);
}

constexpr std::string_view kCompute = "{step_time: 10 ms}";
constexpr std::string_view kSchedule = "{policy: all-reduce, exchange: direct}";

std::string read_scenario(std::string_view bytes) {
  return outcome([bytes] {
    const LoadedScenario loaded = load_scenario(folder().file("scenario.yaml", bytes));
    check_fidelity(loaded.scenario, Fidelity::kFlow);
  });
}

std::string read_packet_scenario(std::string_view bytes) {
  return outcome([bytes] {
    const LoadedScenario loaded = load_scenario(folder().file("scenario.yaml", bytes));
    check_fidelity(loaded.scenario, Fidelity::kPacket);
  });
}

std::string read_topology(std::string_view bytes) {
  return outcome([bytes] {
    const std::string path = folder().file("topology.yaml", bytes);
    static_cast<void>(is_topology_file(path));
    static_cast<void>(
        load_topology(path, {{.key_path = "network.access.bandwidth", .value = "10 Gbps"}}));
  });
}

std::string read_schedule(std::string_view bytes) {
  return outcome([bytes] {
    static_cast<void>(folder().file("rounds.yaml", bytes));
    const std::string scenario =
        scenario_with(kCompute, "{policy: explicit, exchange: direct, file: rounds.yaml}");
    static_cast<void>(load_scenario(folder().file("scenario.yaml", scenario)));
  });
}

std::string read_trace(std::string_view bytes) {
  return outcome([bytes] {
    static_cast<void>(folder().file("trace.csv", bytes));
    const std::string scenario = scenario_with("{step_time: 10 ms, trace: trace.csv}", kSchedule);
    static_cast<void>(load_scenario(folder().file("scenario.yaml", scenario)));
  });
}

/// `KEY.PATH=VALUE`, as `--set` takes it.
std::string read_override(std::string_view bytes) {
  return outcome([bytes] {
    static const std::string kPath =
        folder().file("overridden.yaml", scenario_with(kCompute, kSchedule));
    const std::size_t equals = std::min(bytes.find('='), bytes.size());
    const std::size_t value = std::min(equals + 1, bytes.size());
    static_cast<void>(load_scenario(kPath, {{.key_path = std::string(bytes.substr(0, equals)),
                                             .value = std::string(bytes.substr(value))}}));
  });
}

std::string read_study(std::string_view bytes) {
  return outcome([bytes] { static_cast<void>(load_study(folder().file("study.yaml", bytes))); });
}

/// What was imported has to load.
void check_loads(const ImportedMap& map) {
  const std::string text = topology_yaml(map.spec, map.notes);
  const std::string problem = outcome([&text] {
    NetworkSpec network;
    network.access.bandwidth = Bandwidth::gigabits_per_second(10);
    read_mapping(parse_yaml(text, "imported.yaml"),
                 [&network](Fields& fields) { describe_topology_file(fields, network.topology); });
    static_cast<void>(build_topology(network));
  });
  check(problem.empty(), "an imported map does not load: " + problem);
}

/// Imports as it is, or with what makes up for what it leaves out.
std::string import_from(const RawMap& raw) {
  const std::string bare = outcome([&raw] { check_loads(import_map(raw, {})); });
  if (bare.empty()) return bare;
  for (const bool rule : {false, true}) {
    for (const bool capacity : {false, true}) {
      ImportOptions options;
      options.drop_unplaced = options.largest_component = true;
      if (rule) options.per_km = Duration::milliseconds(0.01);
      if (capacity) options.bandwidth = Bandwidth::gigabits_per_second(10);
      if (outcome([&] { check_loads(import_map(raw, options)); }).empty()) return {};
    }
  }
  return bare;
}

template <const char* format>
std::string read_foreign_map(std::string_view bytes) {
  std::string problem;
  const std::string reading = outcome([bytes, &problem] {
    const SourceText source(bytes, "map");
    problem = import_from(read_map(choose_format(format, source), source));
  });
  return reading.empty() ? problem : reading;
}

constexpr char kCsv[] = "csv";
constexpr char kDoublezero[] = "doublezero";
constexpr char kGml[] = "gml";
constexpr char kGraphml[] = "graphml";
constexpr char kSimgrid[] = "simgrid";
constexpr char kSndlib[] = "sndlib";

std::string read_nodes(std::string_view bytes) {
  std::string problem;
  const std::string reading = outcome([bytes, &problem] {
    const SourceText links("from,to,latency_ms\nA,B,1\nB,C,2\n", "links.csv");
    RawMap raw = read_edge_list(links);
    read_node_file(raw, SourceText(bytes, "nodes.csv"));
    problem = import_from(raw);
  });
  return reading.empty() ? problem : reading;
}

}  // namespace

std::span<const FedReader> fed_readers() {
  static constexpr std::array<FedReader, 14> kReaders{{
      {.name = "csv", .read = read_foreign_map<kCsv>},
      {.name = "doublezero", .read = read_foreign_map<kDoublezero>},
      {.name = "gml", .read = read_foreign_map<kGml>},
      {.name = "graphml", .read = read_foreign_map<kGraphml>},
      {.name = "nodes", .read = read_nodes},
      {.name = "override", .read = read_override},
      {.name = "packet", .read = read_packet_scenario},
      {.name = "scenario", .read = read_scenario},
      {.name = "schedule", .read = read_schedule},
      {.name = "simgrid", .read = read_foreign_map<kSimgrid>},
      {.name = "sndlib", .read = read_foreign_map<kSndlib>},
      {.name = "study", .read = read_study},
      {.name = "topology", .read = read_topology},
      {.name = "trace", .read = read_trace},
  }};
  return kReaders;
}

}  // namespace gyre
