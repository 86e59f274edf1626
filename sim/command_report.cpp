#include <filesystem>

#include <fmt/format.h>

#include "analysis/report.hpp"
#include "sim/cli.hpp"
#include "sim/cli_report.hpp"
#include "sim/manifest.hpp"
#include "sim/output_file.hpp"
#include "sim/version.hpp"

namespace gyre {

int command_report(const ReportOptions& options) {
  const std::filesystem::path folder(options.folder);
  // The folder's own page is gyre's to write again.
  const std::string file = options.output.value_or((folder / "report.html").string());
  const Results results = read_results(folder, kVersion);
  check_output_file(file, options.overwrite || !options.output);
  write_file(file, report_html(results));
  if (!options.quiet) fmt::print(stderr, "the report is {}\n", file);
  return kExitDone;
}

}  // namespace gyre
