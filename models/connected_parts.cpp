#include "models/connected_parts.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace gyre {

std::vector<std::vector<std::size_t>> connected_parts(
    const std::vector<bool>& kept, const std::vector<std::pair<std::size_t, std::size_t>>& links) {
  std::vector<std::size_t> parent(kept.size());
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto root = [&parent](std::size_t n) {
    while (parent[n] != n) n = parent[n] = parent[parent[n]];
    return n;
  };
  for (const auto& [from, to] : links) {
    const std::size_t a = root(from);
    const std::size_t b = root(to);
    parent[std::max(a, b)] = std::min(a, b);
  }
  // The least node of a part is its root, so that the parts come by their first nodes.
  std::map<std::size_t, std::vector<std::size_t>> parts;
  for (std::size_t n = 0; n < kept.size(); ++n) {
    if (kept[n]) parts[root(n)].push_back(n);
  }
  std::vector<std::vector<std::size_t>> result;
  result.reserve(parts.size());
  for (auto& [first, nodes] : parts) result.push_back(std::move(nodes));
  return result;
}

}  // namespace gyre
