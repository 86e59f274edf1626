#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/import/raw_map.hpp"

namespace gyre {

/// A name that switches and islands may have, as close to `text` as can be: `+` and `|` become `-`,
/// control characters become spaces, blanks at the ends go. Empty where nothing is left of it.
std::string legal_name(std::string_view text);

/// Text for a comment or a list on one line: control characters become spaces.
std::string printable(std::string_view text);

/// One name a node, by position: its label, or its id where it has none; made legal; labels that
/// several nodes share are made unique by the id (`London-12`). Adds a note for each kind of
/// change.
std::vector<std::string> node_names(const std::vector<RawNode>& nodes,
                                    std::vector<std::string>& notes);

/// `1 link`, `3 links`.
std::string counted(std::size_t count, std::string_view thing);

/// `'a', 'b', 'c' and 12 more`.
std::string some_of(const std::vector<std::string>& names);

}  // namespace gyre
