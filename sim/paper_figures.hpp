#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace gyre {

struct PaperFigureOptions {
  std::filesystem::path folder;
  std::optional<std::string> figure;  ///< none: all of them
  std::size_t jobs = 1;
  bool quiet = false;
  bool overwrite = false;  ///< replace figure files that somebody changed
};

/// Plans and simulates what the paper's figures show (`paper_figures()`), from the shipped
/// scenarios/nine-city.yaml, and draws them into the folder, each with its data, its source and its
/// caption; prints what they say. What the folder holds of it from before is not done again.
/// Returns the exit status. Errors: `InputError`.
int reproduce_paper_figures(const PaperFigureOptions& options);

}  // namespace gyre
