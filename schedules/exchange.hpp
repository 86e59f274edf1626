#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace gyre {

/// How a clique comes to hold its average (`schedules/exchange_plan.hpp` builds the flows).
enum class Exchange : std::uint8_t { kBest, kDirect, kInNetwork, kRing, kTree, kHub, kMultiRoot };
inline constexpr std::array<std::string_view, 7> kExchangeNames{
    "best", "direct", "in-network", "ring", "tree", "hub", "multi-root"};
constexpr std::string_view name_of(Exchange exchange) {
  return kExchangeNames[static_cast<std::size_t>(exchange)];
}

}  // namespace gyre
