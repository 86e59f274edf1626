#include "tests/soak_play.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include "models/error.hpp"
#include "sim/manifest.hpp"
#include "sim/recorder.hpp"
#include "sim/run_setup.hpp"
#include "sim/run_summary.hpp"
#include "tests/random_dynamics.hpp"
#include "tests/run_log.hpp"
#include "tests/soak_checks.hpp"

namespace gyre {

namespace fs = std::filesystem;

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

namespace {

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// All files of a folder with their names.
std::string digest_of(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    files[entry.path().filename().string()] = content_of(entry.path());
  }
  std::string all;
  for (const auto& [name, content] : files) all += name + content;
  return name_uuid(all);
}

}  // namespace

void play(const RandomScenario& made, const fs::path& folder, const ChildPool::Report& report,
          const std::function<void(const fs::path&)>& tamper) {
  fs::create_directories(folder);
  // The manifest names the scenario's file.
  fs::current_path(folder);
  std::ofstream("soak.yaml") << made.text;
  if (!made.trace.empty()) std::ofstream(kNetworkTrace, std::ios::binary) << made.trace;
  std::optional<LoadedScenario> loaded;
  const fs::path results = "run";
  try {
    loaded = load_scenario("soak.yaml");
    loaded->fidelity = made.fidelity;
    check_fidelity(loaded->scenario, made.fidelity);
    const RunChoice choice = all_runs(loaded->scenario).at(0);
    const Topology fabric = colocated_topology(loaded->topology, loaded->scenario.network.fabric);
    const RunSpec spec = run_spec(*loaded, choice, fabric);
    Recorder recorder(results, *spec.topology, spec.packets.has_value(),
                      !spec.faults.empty() || !spec.churn.empty());
    const RunResult result = simulate(spec, recorder, kNever);
    recorder.finish(result);
    const SummaryRow summary = summarise(*loaded, choice, spec, result, recorder.totals());
    write_run_manifest(results, *loaded, choice,
                       {.key = run_key(*loaded, choice),
                        .status = result.status,
                        .failure = result.failure,
                        .summary = summary});
    tamper(results);
    for (const std::string& what : wrong_with({.made = made,
                                   .spec = spec,
                                   .result = result,
                                   .summary = summary,
                                   .folder = results})) {
      report("wrong " + one_line(what));
    }
    report(one_line(fmt::format("ended {} {}", summary.status, result.failure)));
  } catch (const InputError& error) {
    report(one_line(fmt::format("refused {}", error.what())));
    return;
  }
  report("digest " + digest_of(results));
}

std::string played_alone(const RandomScenario& made,
                         const std::function<void(const fs::path&)>& tamper) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("gyre-sound-{}", ::getpid());
  const std::string said = in_child([&] {
    std::string all;
    const auto note = [&all](std::string_view line) { all += std::string(line) + "\n"; };
    play(made, folder, note, tamper);
    return all;
  });
  fs::remove_all(folder);
  return said;
}

}  // namespace gyre
