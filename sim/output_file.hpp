#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gyre {

/// Errors: `InputError` where a file of that name could not be written, would take the place of one
/// of the `inputs`, or, unless `overwrite`, of any other file.
void check_output_file(const std::string& file, bool overwrite,
                       const std::vector<std::string>& inputs = {});

/// The same of an `--output` that may be left out for standard output. Errors: also for `overwrite`
/// without it.
void check_output(const std::optional<std::string>& output, bool overwrite,
                  const std::vector<std::string>& inputs = {});

}  // namespace gyre
