#pragma once

#include <string>
#include <vector>

namespace gyre {

/// Errors: `InputError` where a file of that name could not be written, would take the place of one
/// of the `inputs`, or, unless `overwrite`, of any other file.
void check_output_file(const std::string& file, bool overwrite,
                       const std::vector<std::string>& inputs = {});

}  // namespace gyre
