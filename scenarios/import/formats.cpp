#include "scenarios/import/formats.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>

#include "models/error.hpp"

namespace gyre {
namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const ImportFormat& format : import_formats()) all.emplace_back(format.name);
  return all;
}

/// The formats with their extensions, as an error text lists them.
std::string table_text() {
  std::string text;
  for (const ImportFormat& format : import_formats()) {
    if (!text.empty()) text += "; ";
    text += format.name;
    for (const std::string_view extension : format.extensions)
      text += fmt::format(" {}", extension);
  }
  return text;
}

}  // namespace

std::span<const ImportFormat> import_formats() {
  static const std::array<ImportFormat, 6> kFormats{{
      {.name = "csv",
       .summary = "links as CSV: from, to, latency_ms, bandwidth_gbps, distance_km, reverse_...",
       .extensions = {".csv"},
       .recognises = [](std::string_view text) { return has(first_line(text), "from"); },
       .read = read_edge_list},
      {.name = "doublezero",
       .summary = "private or public links of DoubleZero's network-shapley, as CSV",
       .extensions = {".csv"},
       .recognises =
           [](std::string_view text) {
             const std::string_view header = first_line(text);
             return has(header, "device") || has(header, "city1");
           },
       .read = read_doublezero},
      {.name = "gml",
       .summary = "GML, with latency, distance, LinkSpeed or capacity of the edges",
       .extensions = {".gml"},
       .recognises = [](std::string_view text) { return has(text, "graph"); },
       .read = read_gml},
      {.name = "graphml",
       .summary = "GraphML, as of the Topology Zoo and of yEd",
       .extensions = {".graphml", ".xml"},
       .recognises = [](std::string_view text) { return has(text, "<graphml"); },
       .read = read_graphml},
      {.name = "simgrid",
       .summary = "SimGrid platform: one flat zone, routes over one link",
       .extensions = {".xml"},
       .recognises = [](std::string_view text) { return has(text, "<platform"); },
       .read = read_simgrid},
      {.name = "sndlib",
       .summary = "SNDlib's native format",
       .extensions = {".txt", ".native"},
       .recognises = [](std::string_view text) { return text.starts_with("?SNDlib native"); },
       .read = read_sndlib},
  }};
  return kFormats;
}

const ImportFormat& choose_format(const std::optional<std::string>& name,
                                  const SourceText& source) {
  const std::span<const ImportFormat> formats = import_formats();
  if (name) {
    const auto known = std::find_if(formats.begin(), formats.end(),
                                    [&name](const ImportFormat& f) { return f.name == *name; });
    if (known == formats.end()) {
      throw InputError("--format-of", fmt::format("'{}' is unknown{}; allowed: {}", *name,
                                                  did_you_mean(*name, names()), one_of(names())));
    }
    return *known;
  }
  std::string extension = std::filesystem::path(source.file()).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  const ImportFormat* only = nullptr;
  std::size_t candidates = 0;
  for (const ImportFormat& format : formats) {
    if (std::find(format.extensions.begin(), format.extensions.end(), extension) ==
        format.extensions.end()) {
      continue;
    }
    if (format.recognises(source.text())) return format;
    only = &format;
    ++candidates;
  }
  // Where the extension leaves no choice, the reader says best what is wrong; `.txt` says nothing.
  if (candidates == 1 && extension != ".txt") return *only;
  throw InputError(
      source.where(0),
      fmt::format("is in none of the formats that gyre knows: {}; --format-of says which it is",
                  table_text()));
}

RawMap read_map(const ImportFormat& format, const SourceText& source) {
  RawMap map = format.read(source);
  map.file = source.file();
  if (map.name.empty()) map.name = std::filesystem::path(map.file).stem().string();
  return map;
}

std::string_view first_line(std::string_view text) {
  while (!text.empty() && (text.front() == '\n' || text.front() == '#')) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

}  // namespace gyre
