#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "analysis/figures.hpp"

namespace gyre {

/// Makes the folder, and removes the files that these figures had in it: also those of figures that
/// now have nothing to show. Errors: `InputError` where the name is no folder's, or such files are
/// there and may not be replaced.
void clear_figures(const std::filesystem::path& folder, const std::vector<std::string_view>& names,
                   bool overwrite);

/// Writes NAME.csv and NAME.gp.
void write_figure(const std::filesystem::path& folder, std::string_view name,
                  const Drawing& drawing);

/// Has gnuplot draw each NAME.gp. Whether all were drawn; says on standard error why not.
bool draw_figures(const std::filesystem::path& folder, const std::vector<std::string_view>& names);

}  // namespace gyre
