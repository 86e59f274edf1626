#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace gyre {

/// A dense index of one kind of thing. Kinds do not mix; order is the order of declaration.
template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  static constexpr Id at(std::size_t index) { return Id(static_cast<std::uint32_t>(index)); }
  [[nodiscard]] constexpr std::size_t index() const { return index_; }
  constexpr auto operator<=>(const Id&) const = default;

 private:
  explicit constexpr Id(std::uint32_t index) : index_(index) {}
  std::uint32_t index_ = 0;
};

using IslandId = Id<struct IslandTag>;
using SwitchId = Id<struct SwitchTag>;
using ArcId = Id<struct ArcTag>;
/// A node of the network graph: the switches first, then the islands.
using NodeId = Id<struct NodeTag>;

}  // namespace gyre
