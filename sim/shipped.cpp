#include "sim/shipped.hpp"

#include <system_error>

namespace gyre {

namespace fs = std::filesystem;

std::optional<fs::path> shipped_scenarios() {
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  if (error) return std::nullopt;
  for (const fs::path& candidate :
       {here / "../share/gyre/scenarios", here / "../../scenarios", here / "../../../scenarios"}) {
    if (fs::is_directory(candidate / "topologies", error)) return fs::weakly_canonical(candidate);
  }
  return std::nullopt;
}

}  // namespace gyre
