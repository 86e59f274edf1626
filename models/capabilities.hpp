#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "models/ids.hpp"

namespace gyre {

/// What the network's switches may do, as an axis of a comparison.
enum class Mode : std::uint8_t { kNeither, kMulticast, kAggregation, kBoth };
inline constexpr std::array<std::string_view, 4> kModeNames{"neither", "multicast", "aggregation",
                                                            "both"};
inline constexpr std::array kAllModes{Mode::kNeither, Mode::kMulticast, Mode::kAggregation,
                                      Mode::kBoth};
constexpr std::string_view name_of(Mode mode) { return kModeNames[static_cast<std::size_t>(mode)]; }

/// What each switch can do in a run: it has the hardware and the mode allows it.
struct Capabilities {
  std::vector<bool> multicast;    ///< by switch: may replicate a stream onto several out-arcs
  std::vector<bool> aggregation;  ///< by switch: may add streams from several in-arcs

  [[nodiscard]] bool replicates(SwitchId s) const { return multicast[s.index()]; }
  [[nodiscard]] bool adds(SwitchId s) const { return aggregation[s.index()]; }
};

/// Every switch with what the mode allows.
inline Capabilities capabilities_of(Mode mode, std::size_t switches) {
  const bool both = mode == Mode::kBoth;
  return {.multicast = std::vector<bool>(switches, both || mode == Mode::kMulticast),
          .aggregation = std::vector<bool>(switches, both || mode == Mode::kAggregation)};
}

/// No switch can do anything but forward.
inline Capabilities no_capabilities(std::size_t switches) {
  return capabilities_of(Mode::kNeither, switches);
}

inline bool any_of_them(const std::vector<bool>& switches) {
  return std::find(switches.begin(), switches.end(), true) != switches.end();
}

/// Those that have the capability, by index.
inline std::vector<SwitchId> capable_switches(const std::vector<bool>& switches) {
  std::vector<SwitchId> found;
  for (std::size_t s = 0; s < switches.size(); ++s) {
    if (switches[s]) found.push_back(SwitchId::at(s));
  }
  return found;
}

}  // namespace gyre
