#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/import/raw_map.hpp"
#include "scenarios/import/source_text.hpp"

namespace gyre {

/// A format of foreign maps. A new one is a file with its reader, and a row of the table.
struct ImportFormat {
  std::string_view name;
  std::string_view summary;
  std::vector<std::string_view> extensions;
  /// Whether a text looks like the format, where its extension leaves a choice.
  bool (*recognises)(std::string_view text);
  /// Errors: `InputError` with the place of the first thing that is wrong.
  RawMap (*read)(const SourceText& source);
};

std::span<const ImportFormat> import_formats();

/// The format of that name, or the one that the file's extension and its content point to.
/// Errors: `InputError` that lists the formats.
const ImportFormat& choose_format(const std::optional<std::string>& name, const SourceText& source);

/// Reads a map and says which file it is from. Errors: those of the reader.
RawMap read_map(const ImportFormat& format, const SourceText& source);

/// The first line that is neither empty nor a comment (`#`).
std::string_view first_line(std::string_view text);

RawMap read_gml(const SourceText& source);
RawMap read_graphml(const SourceText& source);
RawMap read_sndlib(const SourceText& source);
RawMap read_doublezero(const SourceText& source);
RawMap read_edge_list(const SourceText& source);
RawMap read_simgrid(const SourceText& source);

}  // namespace gyre
