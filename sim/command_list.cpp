#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/columns.hpp"
#include "analysis/figures.hpp"
#include "analysis/paper_figures.hpp"
#include "models/error.hpp"
#include "models/task.hpp"
#include "scenarios/generate/generators.hpp"
#include "scenarios/topology_file.hpp"
#include "schedules/policy.hpp"
#include "sim/cli.hpp"
#include "sim/print_rows.hpp"
#include "sim/reproductions.hpp"
#include "sim/shipped.hpp"

namespace gyre {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Listing {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

Listing policies() {
  Listing listing{.columns = {"policy", "what it does"}, .rows = {}};
  for (const PolicyEntry& entry : policy_table()) {
    listing.rows.push_back({entry.name, std::string(entry.summary)});
  }
  return listing;
}

Listing tasks() {
  Listing listing{.columns = {"task", "what is learnt"}, .rows = {}};
  for (const TaskEntry& entry : task_table()) {
    listing.rows.push_back({std::string(entry.name), std::string(entry.summary)});
  }
  return listing;
}

Listing exchanges() {
  return {.columns = {"exchange", "how a clique comes to hold its average"},
          .rows = {{"best",
                    "the fastest of direct, in-network, ring and tree that the mode allows, for "
                    "the clique alone"},
                   {"direct",
                    "each member's vector to each other member; replicated or added on the way as "
                    "the mode allows; with both it is in-network"},
                   {"in-network",
                    "one reduction tree up to a switch and one multicast tree back; needs both "
                    "capabilities"},
                   {"ring",
                    "reduce-scatter and all-gather around the order that paces it best; "
                    "needs no capability"},
                   {"tree",
                    "islands add and re-send over packed trees; needs no capability, and with "
                    "routing engineered uses those that there are"},
                   {"hub",
                    "all send to one member and take the result back from it; added and replicated "
                    "on the way as the mode allows"},
                   {"multi-root",
                    "a part of the model a member, each along its own tree, in which members add "
                    "and re-send; needs no capability"}}};
}

Listing generators() {
  Listing listing{.columns = {"kind", "what it generates"}, .rows = {}};
  for (const GeneratorEntry& entry : generator_table()) {
    listing.rows.push_back({std::string(entry.name), std::string(entry.summary)});
  }
  return listing;
}

Listing known_tables() {
  Listing listing{.columns = {"reproduction", "what it shows", "source"}, .rows = {}};
  for (const Reproduction& one : reproductions()) {
    listing.rows.push_back(
        {std::string(one.name), std::string(one.summary), std::string(one.source)});
  }
  for (const PaperFigure& figure : paper_figures()) {
    listing.rows.push_back({fmt::format("figures {}", figure.name), std::string(figure.title),
                            "arXiv 2608.26453 (its abstract)"});
  }
  return listing;
}

Listing topologies() {
  const std::optional<fs::path> folder = shipped_scenarios();
  if (!folder)
    throw InputError("gyre list topologies", "the folder of shipped scenarios is missing");
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(*folder / "topologies")) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  Listing listing{.columns = {"file", "islands", "switches", "links", "source"}, .rows = {}};
  for (const fs::path& file : files) {
    const TopologySpec spec =
        read_topology_file({.value = file.string(), .where = {}}, file.string(), {}).spec;
    listing.rows.push_back({"topologies/" + file.filename().string(),
                            std::to_string(spec.islands.size()),
                            std::to_string(spec.switches.size()), std::to_string(spec.links.size()),
                            spec.source.value});
  }
  return listing;
}

Listing columns() {
  Listing listing{.columns = {"table", "column", "unit", "meaning"}, .rows = {}};
  for (const OutputTable& table : output_tables()) {
    for (const Column& column : table.columns) {
      listing.rows.push_back({std::string(table.name), std::string(column.name),
                              std::string(column.unit), std::string(column.definition)});
    }
  }
  return listing;
}

Listing known_figures() {
  Listing listing{.columns = {"figure", "title", "what it shows"}, .rows = {}};
  for (const Figure& figure : figures()) {
    listing.rows.push_back(
        {std::string(figure.name), std::string(figure.title), std::string(figure.meaning)});
  }
  return listing;
}

void print(const Listing& listing, Format format) {
  if (format == Format::kCsv) {
    print_csv(listing.columns, listing.rows);
    return;
  }
  if (format == Format::kJson) {
    Json list = Json::array();
    for (const auto& row : listing.rows) {
      Json entry = Json::object();
      for (std::size_t c = 0; c < row.size(); ++c) entry[listing.columns[c]] = row[c];
      list.push_back(entry);
    }
    fmt::print("{}\n", list.dump(2));
    return;
  }
  print_table(listing.columns, listing.rows);
}

}  // namespace

int command_list(const ListOptions& options) {
  const Format format = chosen_format(options.format);
  const std::vector<std::pair<std::string, Listing (*)()>> listings{
      {"policies", policies},     {"tasks", tasks},
      {"exchanges", exchanges},   {"topologies", topologies},
      {"generators", generators}, {"columns", columns},
      {"figures", known_figures}, {"reproductions", known_tables}};
  std::vector<std::string> names;
  names.reserve(listings.size());
  for (const auto& [name, list] : listings) names.push_back(name);
  print(listings[chosen("gyre list", options.what, names)].second(), format);
  return kExitDone;
}

}  // namespace gyre
