#include "sim/manifest.hpp"

#include <fstream>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/columns.hpp"
#include "sim/platform.hpp"
#include "sim/version.hpp"

namespace gyre {
namespace {

using Json = nlohmann::ordered_json;

Json engine_json() {
  Json options = Json::object();
  for (const ModelOption& option : model_options()) options[option.name] = option.value;
  return {{"name", "SimGrid"}, {"version", engine_version()}, {"options", options}};
}

Json resolved_json(const LoadedScenario& loaded) {
  Json resolved = Json::object();
  for (const ResolvedValue& value : loaded.resolved) resolved[value.key_path] = value.value;
  return resolved;
}

}  // namespace

void write_file(const std::filesystem::path& file, const std::string& content) {
  const std::filesystem::path draft = file.string() + ".part";
  {
    std::ofstream stream(draft, std::ios::binary | std::ios::trunc);
    stream << content;
    stream.close();
    if (!stream) throw std::runtime_error(fmt::format("cannot write {}", file.string()));
  }
  std::error_code error;
  std::filesystem::rename(draft, file, error);
  if (error) {
    throw std::runtime_error(fmt::format("cannot write {}: {}", file.string(), error.message()));
  }
}

void write_run_manifest(const std::filesystem::path& folder, const LoadedScenario& loaded,
                        const RunChoice& choice, const RunManifest& manifest) {
  const ScheduleSpec& schedule = loaded.scenario.schedules[choice.schedule];
  Json json{{"gyre", kVersion},
            {"kind", "run"},
            {"scenario", loaded.scenario.name.value},
            {"schedule", schedule.label.value},
            {"policy", schedule.policy_name},
            {"mode", name_of(choice.mode)},
            {"seed", choice.seed},
            {"fidelity", name_of(loaded.fidelity)},
            {"key", manifest.key},
            {"status", kRunStatusNames[static_cast<std::size_t>(manifest.status)]},
            {"failure", manifest.failure},
            {"engine", engine_json()}};
  if (manifest.summary) {
    const std::vector<std::string> fields = manifest.summary->fields();
    Json summary = Json::object();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      summary[std::string(summary_columns()[i].name)] = fields[i];
    }
    json["summary"] = summary;
  }
  json["resolved"] = resolved_json(loaded);
  json["scenario_text"] = loaded.text;
  write_file(folder / "manifest.json", json.dump(2) + "\n");
}

namespace {

RunManifest parse_run_manifest(const Json& json) {
  RunManifest manifest{.key = json.at("key"),
                       .status = RunStatus::kTruncated,
                       .failure = json.at("failure"),
                       .summary = {}};
  if (json.at("status") == "complete") manifest.status = RunStatus::kComplete;
  if (json.at("status") == "failed") manifest.status = RunStatus::kFailed;
  if (json.contains("summary")) {
    std::vector<std::string> fields;
    for (const auto& [name, value] : json["summary"].items()) fields.push_back(value);
    manifest.summary = parse_summary_row(fields);
  }
  return manifest;
}

}  // namespace

std::optional<RunManifest> read_run_manifest(const std::filesystem::path& folder) {
  std::ifstream file(folder / "manifest.json", std::ios::binary);
  if (!file) return std::nullopt;
  try {
    const Json json = Json::parse(file);
    if (json.at("gyre") != kVersion || json.at("kind") != "run") return std::nullopt;
    return parse_run_manifest(json);
  } catch (const Json::exception&) {
    return std::nullopt;  // damaged, or not ours
  }
}

void write_comparison_manifest(const std::filesystem::path& folder, const LoadedScenario& loaded,
                               const std::vector<RunChoice>& runs, RunStatus status) {
  Json ids = Json::array();
  for (const RunChoice& choice : runs) ids.push_back(run_id(loaded.scenario, choice));
  const Json json{{"gyre", kVersion},
                  {"kind", "comparison"},
                  {"scenario", loaded.scenario.name.value},
                  {"scenario_hash", scenario_key(loaded)},
                  {"seeds", loaded.scenario.seeds},
                  {"fidelity", name_of(loaded.fidelity)},
                  {"status", kRunStatusNames[static_cast<std::size_t>(status)]},
                  {"engine", engine_json()},
                  {"runs", ids},
                  {"resolved", resolved_json(loaded)},
                  {"scenario_text", loaded.text}};
  write_file(folder / "manifest.json", json.dump(2) + "\n");
}

}  // namespace gyre
