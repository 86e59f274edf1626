#include "analysis/figures.hpp"

#include <array>

#include "analysis/figure_drawings.hpp"

namespace gyre {

std::span<const Figure> figures() {
  static const std::array kFigures{
      Figure{"time-to-accuracy", "time to accuracy",
             "accuracy of the average model (loss, where the task has no accuracy) over simulated "
             "time, a line a schedule; with several seeds their mean in a band from least to most",
             time_to_accuracy_columns(), draw_time_to_accuracy},
      Figure{"round-time", "what a round's time is spent on",
             "compute, communication and wait of an island in a round, beside the mean length of "
             "a round and the least that it could be on these wires",
             round_time_columns(), draw_round_time},
      Figure{"link-utilisation", "utilisation of the busiest arcs",
             "mean utilisation in percent of the arcs that are busiest in any run",
             link_utilisation_columns(), draw_link_utilisation},
      Figure{"consensus", "consensus distance",
             "how far the islands' models are from their average over simulated time, a line a "
             "schedule; with several seeds their mean in a band from least to most",
             consensus_columns(), draw_consensus},
      Figure{"spread", "who has heard from whom",
             "share of the ordered pairs of islands of which one has heard from the other, "
             "directly or through others, after so many rounds",
             spread_columns(), draw_spread},
      Figure{"heard", "after how many rounds who has heard from whom",
             "rounds after which an island (row) has heard from another one (column), directly or "
             "through others, under the first schedule over the WAN of each mode",
             heard_columns(), draw_heard},
      Figure{"map", "load of the map",
             "mean utilisation of the arcs under the first schedule over the WAN of each mode; an "
             "island shows the higher one of its two access arcs",
             map_columns(), draw_map},
      Figure{"cliques", "who exchanges with whom",
             "the cliques of the first rounds in colour, on the least-latency ways between their "
             "members, under the first schedule over the WAN of each mode",
             cliques_columns(), draw_cliques}};
  return kFigures;
}

}  // namespace gyre
