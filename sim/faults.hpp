#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "models/capabilities.hpp"
#include "models/rng.hpp"
#include "models/routing.hpp"
#include "models/topology.hpp"
#include "models/transport.hpp"
#include "schedules/round.hpp"
#include "schedules/stream.hpp"

namespace gyre {

/// What a switch cannot do any more.
struct LostCapability {
  SwitchId at;
  bool adding = false;  ///< else replicating

  auto operator<=>(const LostCapability&) const = default;
};

/// Something that fails in a run, resolved.
struct Fault {
  std::string name;         ///< `NYC->LON`, `NYC-LON`, `NYC`, `aggregation of NYC`
  std::vector<ArcId> arcs;  ///< that are down with it
  std::vector<LostCapability> lost;
  Instant from;
  std::optional<Instant> to;  ///< none: for good
  /// Mean times of an up and of a down, exponential, instead of `from` and `to`.
  std::optional<std::pair<Duration, Duration>> random;

  [[nodiscard]] bool is_for_good() const { return !to && !random; }
};

/// With availability A and mean outage d it is up for d·A/(1 − A) on average.
void set_times(Fault& fault, const TimesSpec& spec);

/// The faults of a scenario, one an independent thing.
std::vector<Fault> faults_of(const std::vector<FaultSpec>& specs, const Topology& topology);

/// When a fault strikes and ends, one after the other: from its times, or drawn from the stream
/// `fault/NAME` of the seed.
class FaultTimes {
 public:
  FaultTimes(const Fault& fault, std::uint64_t seed);
  /// The next time at which it fails, or is back; nothing if there is none.
  std::optional<Instant> next();
  /// Whether what `next` told last was that it fails.
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  const Fault* fault_;
  Rng rng_;
  Instant now_;
  bool failed_ = false;
  bool over_ = false;
};

/// A time in which something is away: until `to`, or for good.
struct Period {
  Instant from;
  std::optional<Instant> to;

  [[nodiscard]] bool has(Instant at) const { return from <= at && !is_over(at); }
  [[nodiscard]] bool is_over(Instant at) const { return to && *to <= at; }
};

/// The periods of a fault, drawn as time goes on: what fails by chance fails without end.
class FaultPeriods {
 public:
  /// The fault has to outlive it.
  FaultPeriods(const Fault& fault, std::uint64_t seed);
  /// By time, those that begin up to then and one more (none where no other follows), without what
  /// is forgotten.
  const std::vector<Period>& until(Instant at);
  /// What is over by then is not asked for any more. Without this memory grows with the periods.
  void forget(Instant until);

 private:
  FaultTimes times_;
  std::vector<Period> drawn_;
  bool over_ = false;
};

/// What is away now. Several faults may have the same thing.
class Outages {
 public:
  /// Of a map whose switches can do that while nothing is away.
  explicit Outages(const Capabilities& able) : whole_(able), able_(able) {}

  void fail(const Fault& fault) { count(fault, 1); }
  void restore(const Fault& fault) { count(fault, -1); }
  [[nodiscard]] bool any() const { return !down_.empty() || !lost_.empty(); }
  [[nodiscard]] bool is_down(ArcId arc) const { return down_.contains(arc); }
  /// What the switches can do now.
  [[nodiscard]] const Capabilities& able() const { return able_; }
  [[nodiscard]] std::set<ArcId> down() const;
  /// Tells one state from another.
  [[nodiscard]] std::string key() const;

 private:
  void count(const Fault& fault, int more);

  Capabilities whole_;
  Capabilities able_;
  std::map<ArcId, int> down_;           ///< by how many faults
  std::map<LostCapability, int> lost_;  ///< likewise
};

/// The network as it is with some outages: routes around them, what the switches can still do, and
/// next to nothing on arcs that are down, so that nobody plans on them. Arcs keep their numbers.
class ReducedNetwork {
 public:
  ReducedNetwork(const Network& whole, const Outages& outages);
  ReducedNetwork(const ReducedNetwork&) = delete;
  ReducedNetwork& operator=(const ReducedNetwork&) = delete;

  [[nodiscard]] const Network& network() const { return network_; }
  /// Whether all members can reach each other.
  [[nodiscard]] bool joins(std::span<const IslandId> members) const;
  /// The round without the cliques that it does not join: they wait, and those that are planned
  /// together with them need not know of them. The others keep their places.
  [[nodiscard]] Round joined(const Round& round) const;

 private:
  Topology topology_;
  std::set<ArcId> down_;
  Routes routes_;
  Capabilities able_;
  Network network_;
};

/// Whether an arc of the stream is down.
bool crosses_outage(const Outages& outages, const Stream& stream);
/// The first of them.
std::optional<ArcId> outage_on(const Outages& outages, const Stream& stream);
/// Whether a switch of the stream cannot replicate or add now as it needs.
bool lacks_capability(const Network& whole, const Outages& outages, const Stream& stream);

}  // namespace gyre
