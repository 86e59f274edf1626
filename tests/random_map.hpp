#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/draw.hpp"

namespace gyre {

/// A small map as a scenario's text, with what the rest of the scenario has to know of it.
struct RandomMap {
  struct Arc {
    std::string name;
    double bits_per_second = 0.0;       ///< of parallel ones the least
    double most_bits_per_second = 0.0;  ///< and the most
    double latency_s = 0.0;             ///< the longest
  };

  std::vector<std::string> islands;
  std::vector<std::string> switches;
  std::vector<Arc> arcs;  ///< each name once
  std::vector<std::pair<std::string, std::string>> links;
  bool islands_everywhere = false;  ///< at each switch
  bool plain_names = true;          ///< without commas
  double slowest_bps = 0.0;
  double farthest_s = 0.0;  ///< more than any two islands are apart
  std::string text;         ///< the keys `topology`, `scale` and `access` of `network`
};

/// Up to 8 islands and 6 switches, connected: islands that share a switch, switches without any,
/// parallel links, both directions alike or not, latencies down to none.
RandomMap random_map(Draw& draw);

}  // namespace gyre
