#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "models/error.hpp"
#include "scenarios/import/formats.hpp"
#include "scenarios/import/import_map.hpp"
#include "scenarios/import/node_file.hpp"
#include "scenarios/import/node_names.hpp"
#include "scenarios/import/topology_yaml.hpp"
#include "scenarios/yaml.hpp"
#include "sim/cli.hpp"
#include "sim/cli_import.hpp"
#include "sim/cli_values.hpp"
#include "sim/manifest.hpp"
#include "sim/output_file.hpp"
#include "sim/version.hpp"

namespace gyre {
namespace {

namespace fs = std::filesystem;

ImportOptions import_options(const ImportCommandOptions& options) {
  ImportOptions result;
  result.islands = options.islands;
  result.force_bandwidth = options.force_bandwidth;
  if (options.ms_per_km) result.per_km = milliseconds("--ms-per-km", *options.ms_per_km);
  if (options.ms_per_link) result.per_link = milliseconds("--ms-per-link", *options.ms_per_link);
  result.drop_unplaced = options.drop_unplaced;
  result.largest_component = options.largest_component;
  result.internal_only = options.internal_only;
  if (options.name && options.name->empty()) {
    throw InputError("--name", "is empty; a name is wanted");
  }
  result.name = options.name;
  if (options.bandwidth) result.bandwidth = capacity("--bandwidth", *options.bandwidth);
  return result;
}

/// The options that decided something, as they were given.
std::string choices_text(const ImportCommandOptions& options) {
  std::string text;
  const auto add = [&text](std::string_view option, const std::optional<std::string>& value) {
    if (value) text += fmt::format(" {} {}", option, printable(*value));
  };
  const auto add_flag = [&text](std::string_view option, bool given) {
    if (given) text += fmt::format(" {}", option);
  };
  add("--format-of", options.format_of);
  add("--name", options.name);
  if (options.nodes) add("--nodes", fs::path(*options.nodes).filename().string());
  add("--ms-per-km", options.ms_per_km);
  add("--ms-per-link", options.ms_per_link);
  add("--bandwidth", options.bandwidth);
  add_flag("--force-bandwidth", options.force_bandwidth);
  add("--islands", options.islands);
  add_flag("--drop-unplaced", options.drop_unplaced);
  add_flag("--largest-component", options.largest_component);
  add_flag("--internal-only", options.internal_only);
  return text.empty() ? "none" : text.substr(1);
}

void append_list(std::vector<std::string>& lines, std::string_view heading,
                 const std::vector<std::string>& items) {
  if (items.empty()) return;
  lines.emplace_back(heading);
  for (const std::string& item : items) lines.push_back("- " + item);
}

/// `11 nodes, 9 islands, 12 links, total length 1234 km`.
std::string size_text(const ImportedMap& map) {
  std::string text = fmt::format("{}, {}, {}", counted(map.spec.switches.size(), "node"),
                                 counted(map.spec.islands.size(), "island"),
                                 counted(map.spec.links.size(), "link"));
  if (map.measured_links == 0) return text + ", lengths unknown";
  text += fmt::format(", total length {:.0f} km", map.length.in_kilometers());
  if (map.measured_links < map.spec.links.size()) {
    text += fmt::format(" of {}", counted(map.measured_links, "link"));
  }
  return text;
}

void print_summary(const std::string& file, const ImportFormat& format, const ImportedMap& map) {
  fmt::print(stderr, "{} ({}): {}\n", file, format.name, size_text(map));
  for (const std::string& rule : map.rules) fmt::print(stderr, "  rule: {}\n", rule);
  for (const std::string& note : map.notes) fmt::print(stderr, "  note: {}\n", note);
}

}  // namespace

int command_import(const ImportCommandOptions& options) {
  const ImportOptions choices = import_options(options);
  check_output(options.output, options.overwrite,
               {options.file, options.nodes.value_or(options.file)});
  const SourceText source(read_text_file(options.file), options.file);
  const ImportFormat& format = choose_format(options.format_of, source);
  RawMap raw = read_map(format, source);
  if (options.nodes) {
    read_node_file(raw, SourceText(read_text_file(*options.nodes), *options.nodes));
  }
  const std::string file = printable(fs::path(options.file).filename().string());
  const std::string origin = printable(raw.origin);
  ImportedMap map = import_map(std::move(raw), choices);

  map.spec.source.value = fmt::format("{} (format {})", file, format.name);
  if (!origin.empty())
    map.spec.source.value += fmt::format(", which gives {} as its source", origin);
  map.spec.source.value +=
      fmt::format("; imported by gyre {} with these choices: {}", kVersion, choices_text(options));
  std::vector<std::string> comments{
      fmt::format("Imported from {} ({}): {}.", file, format.name, size_text(map))};
  append_list(comments, "Rules:", map.rules);
  append_list(comments, "Dropped, changed or to be known:", map.notes);
  const std::string text = topology_yaml(map.spec, comments);
  if (options.output) {
    write_file(*options.output, text);
  } else {
    fmt::print("{}", text);
  }
  if (!options.quiet) print_summary(file, format, map);
  return kExitDone;
}

}  // namespace gyre
