#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/fields.hpp"
#include "models/named_arcs.hpp"
#include "models/rng.hpp"
#include "models/topology.hpp"
#include "models/units.hpp"

namespace gyre {

/// Traffic of others on an arc, on both arcs of a link, or on every link (`network.background` of a
/// scenario): it gives way to nobody. While it is on, the job has what it leaves of the arc.
struct BackgroundSpec : ArcsSpec {
  std::optional<Bandwidth> rate;
  std::optional<double> share;  ///< of the map's capacity, instead of `rate`
  std::optional<Duration> mean_on;
  std::optional<Duration> mean_off;  ///< with `mean_on`; otherwise it is on all the time
  Where where;
  Where rate_where;  ///< of `rate` or `share`

  void describe(Fields& fields);
};

/// One independent source of background traffic, resolved.
struct Background {
  std::string name;  ///< of its stream: `NYC->LON`, `NYC-LON`; of the second one there `NYC-LON#2`
  std::vector<std::pair<ArcId, Bandwidth>> takes;
  /// Mean times of an on and of an off, exponential; none: always on.
  std::optional<std::pair<Duration, Duration>> random;
  Where where;  ///< of its rate

  /// Of the time that it is on, in the long run.
  [[nodiscard]] double share_on() const;
};

/// Requires arcs and links of the map.
std::vector<Background> backgrounds_of(const std::vector<BackgroundSpec>& specs,
                                       const Topology& topology);

/// When a background goes on and off, drawn from the stream `background/NAME` of the seed.
///
/// It begins as it is in the long run, on with probability on/(on + off); so at any time, since an
/// exponential time has no memory.
class BackgroundTimes {
 public:
  BackgroundTimes(const Background& background, std::uint64_t seed);
  /// Whether it is on until `next`.
  [[nodiscard]] bool on() const { return on_; }
  /// The next time at which it goes on or off; nothing if it always is on. From then on `on` tells
  /// of the time after.
  std::optional<Instant> next();

 private:
  const Background* background_;
  Rng rng_;
  Instant now_;
  bool on_ = true;
};

}  // namespace gyre
