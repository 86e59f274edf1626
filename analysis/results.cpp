#include "analysis/results.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/columns.hpp"
#include "analysis/csv.hpp"
#include "models/error.hpp"
#include "models/units.hpp"

namespace gyre {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

Json json_of(const fs::path& file) {
  try {
    return Json::parse(text_of(file));
  } catch (const Json::exception&) {
    throw InputError(file.string(), "is damaged; run the comparison again");
  }
}

ResultRun run_of(const fs::path& folder, std::string id) {
  ResultRun run{.id = std::move(id),
                .folder = folder,
                .schedule = {},
                .mode = {},
                .status = {},
                .failure = {},
                .summary = {}};
  const Json json = json_of(folder / "manifest.json");
  try {
    run.schedule = json.at("schedule");
    run.mode = json.at("mode");
    run.seed = json.at("seed");
    run.status = json.at("status");
    run.failure = json.value("failure", "");
    if (json.contains("summary")) {
      std::vector<std::string> fields;
      for (const Column& column : summary_columns()) {
        fields.push_back(json["summary"].value(std::string(column.name), ""));
      }
      run.summary = parse_summary_row(fields);
    }
  } catch (const Json::exception&) {
    throw InputError((folder / "manifest.json").string(), "is no manifest of a run");
  }
  return run;
}

/// Runs in the order in which summaries are ranked; those without a summary last.
void rank_runs(std::vector<ResultRun>& runs) {
  std::vector<SummaryRow> rows;
  for (const ResultRun& run : runs) {
    if (run.summary) rows.push_back(*run.summary);
  }
  rank(rows);
  std::map<std::string, std::size_t> places;
  const auto key = [](const SummaryRow& row) {
    return fmt::format("{}\n{}\n{}", row.schedule, row.mode, row.seed);
  };
  for (std::size_t i = 0; i < rows.size(); ++i) places.emplace(key(rows[i]), i);
  std::stable_sort(runs.begin(), runs.end(), [&](const ResultRun& a, const ResultRun& b) {
    const auto place = [&](const ResultRun& run) {
      return run.summary ? places.at(key(*run.summary)) : places.size();
    };
    return place(a) < place(b);
  });
}

ResultMap map_of(const Results& results) {
  ResultMap map;
  const std::map<std::string_view, std::string_view> values(results.resolved.begin(),
                                                            results.resolved.end());
  const auto value = [&values](const std::string& key) {
    const auto found = values.find(key);
    return found == values.end() ? std::string_view() : found->second;
  };
  /// The entries of a list, by a key that each has.
  const auto list = [&values](std::string_view what, std::string_view known, const auto& add) {
    for (std::size_t i = 0;; ++i) {
      const std::string key = fmt::format("network.topology.{}[{}].", what, i);
      if (!values.contains(key + std::string(known))) return;
      add(key);
    }
  };
  std::map<std::string_view, std::size_t> index;
  list("switches", "name", [&](const std::string& key) {
    const std::string_view name = value(key + "name");
    index.emplace(name, map.switches.size());
    map.switches.push_back({.name = std::string(name),
                            .latitude = parse_number(value(key + "latitude")),
                            .longitude = parse_number(value(key + "longitude"))});
  });
  const auto switch_named = [&](std::string_view name) {
    const auto found = index.find(name);
    if (found == index.end()) {
      throw InputError((results.folder / "manifest.json").string(),
                       fmt::format("names a switch '{}' that its map does not have", name));
    }
    return found->second;
  };
  list("islands", "name", [&](const std::string& key) {
    map.islands.push_back(
        {.name = std::string(value(key + "name")), .at = switch_named(value(key + "at"))});
  });
  list("links", "between", [&](const std::string& key) {
    // Written as [A, B].
    const std::string_view ends = value(key + "between");
    if (ends.size() < 2) return;
    const std::string_view both = ends.substr(1, ends.size() - 2);
    // A name may hold a comma.
    std::size_t comma = both.find(", ");
    while (comma != std::string_view::npos &&
           !(index.contains(both.substr(0, comma)) && index.contains(both.substr(comma + 2)))) {
      comma = both.find(", ", comma + 1);
    }
    if (comma == std::string_view::npos) {
      throw InputError(
          (results.folder / "manifest.json").string(),
          fmt::format("names a link '{}' between switches that its map does not have", ends));
    }
    map.links.push_back(
        {.first = switch_named(both.substr(0, comma)),
         .second = switch_named(both.substr(comma + 2)),
         .latency_ms =
             parse_duration(value(key + "latency")).value.value_or(Duration()).in_milliseconds()});
  });
  return map;
}

std::string plain(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

std::vector<std::string_view> members_in(std::string_view clique) {
  std::vector<std::string_view> members;
  while (!clique.empty()) {
    const std::size_t end = std::min(clique.find('+'), clique.size());
    members.push_back(clique.substr(0, end));
    clique.remove_prefix(std::min(clique.size(), end + 1));
  }
  return members;
}

std::vector<std::size_t> members_in(std::string_view clique, const IslandNumbers& numbers) {
  std::vector<std::size_t> members;
  for (const std::string_view name : members_in(clique)) {
    const auto found = numbers.find(name);
    if (found != numbers.end()) members.push_back(found->second);
  }
  return members;
}

ResultTable::ResultTable(const fs::path& file) {
  std::string text = text_of(file);
  // What was not ended by a line break was cut off.
  text.erase(text.find_last_of('\n') == std::string::npos ? 0 : text.find_last_of('\n') + 1);
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = text.find('\n', from);
    auto fields = parse_csv_line(std::string_view(text).substr(from, end - from));
    from = end + 1;
    if (!fields || (!columns_.empty() && fields->size() != columns_.size())) {
      throw InputError(file.string(), "is damaged; run the comparison again");
    }
    if (columns_.empty()) {
      columns_ = std::move(*fields);
    } else {
      rows_.push_back(std::move(*fields));
    }
  }
}

std::string_view ResultTable::text(std::size_t row, std::string_view column) const {
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  if (found == columns_.end()) return {};
  return rows_[row][static_cast<std::size_t>(found - columns_.begin())];
}

std::optional<double> ResultTable::value(std::size_t row, std::string_view column) const {
  return parse_number(text(row, column));
}

IslandNumbers ResultMap::island_numbers() const {
  IslandNumbers numbers;
  for (const Island& island : islands) numbers.emplace(island.name, numbers.size());
  return numbers;
}

bool ResultMap::placed() const {
  return !switches.empty() && std::all_of(switches.begin(), switches.end(), [](const Switch& one) {
    return one.latitude && one.longitude;
  });
}

std::string_view Results::value(std::string_view key_path) const {
  for (const auto& [key, text] : resolved) {
    if (key == key_path) return text;
  }
  return {};
}

Results read_results(const fs::path& folder, std::string_view version) {
  std::error_code error;
  if (!fs::is_regular_file(folder / "manifest.json", error)) {
    throw InputError(folder.string(),
                     "holds no results; allowed is a folder that `gyre compare` or `gyre run` has "
                     "written, with its manifest.json");
  }
  const Json json = json_of(folder / "manifest.json");
  Results results;
  results.folder = folder;
  try {
    results.version = json.at("gyre");
    results.scenario = json.at("scenario");
    results.fidelity = json.value("fidelity", "flow");
    results.status = json.at("status");
    results.scenario_text = json.value("scenario_text", "");
    const Json resolved = json.value("resolved", Json::object());
    for (const auto& [key, text] : resolved.items()) {
      results.resolved.emplace_back(key, plain(text));
    }
    const Json engine = json.value("engine", Json::object());
    results.engine = {
        {"engine", fmt::format("{} {}", engine.value("name", ""), engine.value("version", ""))}};
    const Json options = engine.value("options", Json::object());
    for (const auto& [key, text] : options.items()) {
      results.engine.emplace_back(key, plain(text));
    }
    if (json.at("kind") == "run") {
      results.runs.push_back(run_of(folder, folder.filename().string()));
    } else {
      std::size_t missing = 0;
      for (const Json& id : json.at("runs")) {
        const fs::path run = folder / "runs" / id.get<std::string>();
        if (fs::is_regular_file(run / "manifest.json", error)) {
          results.runs.push_back(run_of(run, id));
        } else {
          ++missing;
        }
      }
      if (missing > 0) {
        results.whole = false;
        results.notes.push_back(
            fmt::format("{} of {} runs are missing: the comparison has not "
                        "ended; the same command again goes on with them",
                        missing, json.at("runs").size()));
      }
    }
  } catch (const Json::exception&) {
    throw InputError((folder / "manifest.json").string(), "is no manifest of results");
  }
  if (results.version != version) {
    results.notes.push_back(
        fmt::format("written by gyre {}; this is gyre {}", results.version, version));
  }
  for (const ResultRun& run : results.runs) {
    if (run.status == "complete") continue;
    results.notes.push_back(fmt::format("{} is {}{}{}", run.id, run.status,
                                        run.failure.empty() ? "" : ": ", run.failure));
  }
  results.description = results.value("description");
  if (results.description == "\"\"") results.description.clear();  // none
  results.whole =
      results.whole && std::all_of(results.runs.begin(), results.runs.end(),
                                   [](const ResultRun& run) { return run.status == "complete"; });
  rank_runs(results.runs);
  results.map = map_of(results);
  return results;
}

}  // namespace gyre
