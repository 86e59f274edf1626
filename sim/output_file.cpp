#include "sim/output_file.hpp"

#include <filesystem>
#include <system_error>

#include "models/error.hpp"

namespace gyre {

void check_output_file(const std::string& file, bool overwrite,
                       const std::vector<std::string>& inputs) {
  namespace fs = std::filesystem;
  const fs::path path = file;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code error;
  if (file.empty()) throw InputError("--output", "is empty; expected the name of a file");
  if (!fs::is_directory(folder, error)) {
    throw InputError(file, "its folder does not exist; make it first");
  }
  if (fs::is_directory(path, error)) throw InputError(file, "is a folder, not a file");
  if (!fs::exists(path, error)) return;
  for (const std::string& input : inputs) {
    if (fs::equivalent(path, input, error)) {
      throw InputError(file, "is read by this command; choose another file");
    }
  }
  if (!overwrite) {
    throw InputError(file, "exists; choose another file or replace this one with --overwrite");
  }
}

void check_output(const std::optional<std::string>& output, bool overwrite,
                  const std::vector<std::string>& inputs) {
  if (output) {
    check_output_file(*output, overwrite, inputs);
  } else if (overwrite) {
    throw InputError("--overwrite", "has no effect without --output");
  }
}

}  // namespace gyre
