#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "models/units.hpp"
#include "schedules/stream.hpp"
#include "sim/simgrid_compat.hpp"

namespace gyre {

/// What an arc carried in a run.
struct ArcUsage {
  Bytes bytes;                    ///< of the flows that ended
  Duration busy;                  ///< time with at least one flow on it
  double carried_bits = 0.0;      ///< ∫ rate dt, flows under way included
  double peak_utilisation = 0.0;  ///< highest share of the capacity in use between two events
};

/// Integrates what flows put on arcs.
///
/// Where a flow begins or ends, only the rates of flows change that share an arc with it, or with
/// one that does, and so on: the engine shares each such part of the map anew, by itself. The meter
/// follows it: it asks the engine for the rates of that part only, and otherwise goes on with those
/// that it knows. (All arcs at each step of the clock would make a round of n islands cost n²: most
/// steps are those of islands that wait for a latency, or are other islands' far away.)
///
/// Cost: of a beginning or end, the arcs and flows of its part, but no more than all arcs; of a
/// step of the clock, three additions an arc in use. Memory: O(arcs + arcs of the flows under way).
class ArcMeter {
 public:
  /// `links` by arc.
  explicit ArcMeter(const std::vector<simgrid::s4u::Link*>& links);

  /// The flow that is this communication of the engine's has begun.
  void begin(const Stream& stream, const simgrid_compat::Activity* flow);
  /// It has ended, at this step of the clock, whether anyone waits for it or not.
  void end(const simgrid_compat::Activity* flow);
  /// Forgets those that have ended since the time last advanced: what is cancelled carries nothing
  /// from then on, while what ends by itself does until the advance that it ends with.
  void remove_ended();
  /// The arc's capacity changes now, and with it the rates of its part.
  void change(ArcId arc) { changed_.push_back(arc.index()); }
  /// Adds bytes to the arcs of a stream, each as often as it carries a copy.
  void count(const Stream& stream, Bytes bytes);
  /// The clock has moved. The engine has not yet shared anew what the flows that ended leave: its
  /// rates are those of the time that has passed.
  void advance(Duration elapsed);

  [[nodiscard]] const std::vector<ArcUsage>& usage() const { return usage_; }

 private:
  /// A flow on an arc, and which of its places that is.
  struct Crossing {
    std::uint32_t flow = 0;
    std::uint32_t place = 0;
  };
  /// An arc of a flow, and where in the arc's list the flow stands.
  struct Place {
    std::uint32_t arc = 0;
    std::uint32_t at = 0;
  };
  struct FlowState {
    std::vector<Place> places;  ///< none: nobody's
    std::uint64_t seen = 0;     ///< in which search
  };
  struct ArcState {
    std::vector<Crossing> crossings;
    std::uint64_t seen = 0;
    std::size_t carried = 0;  ///< its place in `carried_`, counted from 1; 0: it carries nothing
  };
  struct Carried {
    std::size_t arc = 0;
    double bits_per_second = 0.0;
    double utilisation = 0.0;
  };

  void update();
  void remove(std::uint32_t flow);
  void sample(std::size_t arc);

  const std::vector<simgrid::s4u::Link*>& links_;
  std::vector<ArcUsage> usage_;
  std::vector<FlowState> flows_;
  std::vector<std::uint32_t> free_flows_;
  std::vector<ArcState> arcs_;
  std::vector<Carried> carried_;      ///< of the arcs that carry something, in any order
  std::vector<std::size_t> changed_;  ///< arcs of flows that began or ended since the last search
  std::vector<std::size_t> open_;     ///< of a search
  std::uint64_t search_ = 0;
  std::map<const simgrid_compat::Activity*, std::uint32_t> under_way_;  ///< only looked up
  std::vector<std::uint32_t> ended_;  ///< at this step of the clock
};

}  // namespace gyre
