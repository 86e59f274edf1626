#include <filesystem>

#include <fmt/format.h>

#include "analysis/figures.hpp"
#include "models/error.hpp"
#include "sim/cli.hpp"
#include "sim/cli_figures.hpp"
#include "sim/figure_files.hpp"
#include "sim/version.hpp"

namespace gyre {

namespace fs = std::filesystem;

int command_figures(const FiguresOptions& options) {
  const Results results = read_results(options.results, kVersion);
  const fs::path folder =
      options.output ? fs::path(*options.output) : fs::path(options.results) / "figures";
  struct Made {
    const Figure* figure;
    DrawnFigure drawn;
  };
  std::vector<Made> made;
  bool any = false;
  for (const Figure& figure : figures()) {
    made.push_back({.figure = &figure, .drawn = figure.draw(figure, results)});
    any = any || std::holds_alternative<Drawing>(made.back().drawn);
  }
  if (!any) {
    throw InputError(options.results,
                     "holds nothing that could be drawn: no run was evaluated or ended a round; "
                     "run the comparison again");
  }
  std::vector<std::string_view> all;
  for (const Figure& figure : figures()) all.push_back(figure.name);
  clear_figures(folder, all, options.overwrite);
  const auto say = [&options](const std::string& text) {
    if (!options.quiet) fmt::print(stderr, "{}\n", text);
  };
  for (const std::string& note : results.notes) say("note: " + note);
  std::vector<std::string_view> written;
  for (const auto& [figure, drawn] : made) {
    if (const auto* left_out = std::get_if<LeftOut>(&drawn)) {
      say(fmt::format("{}: left out, since {}", figure->name, left_out->reason));
      continue;
    }
    const Drawing& drawing = std::get<Drawing>(drawn);
    write_figure(folder, figure->name, drawing);
    written.push_back(figure->name);
    for (const std::string& note : drawing.notes) say(fmt::format("{}: {}", figure->name, note));
  }
  if (!draw_figures(folder, written)) return kExitFailed;
  say(fmt::format("{} figures in {}", written.size(), folder.string()));
  return kExitDone;
}

}  // namespace gyre
