#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/fields.hpp"
#include "models/topology.hpp"
#include "schedules/exchange.hpp"
#include "schedules/round.hpp"
#include "schedules/stream.hpp"

namespace gyre {

/// How the rounds of a run will exchange, for policies that plan by it.
struct ExchangeContext {
  Network network;
  Exchange exchange = Exchange::kBest;
  Routing routing = Routing::kShortest;
  Bytes payload;
  Duration compute;  ///< of a round, before it exchanges: the slowest island's mean
  bool reroutes =
      false;  ///< around arcs that are away; else exchanges wait for them, or are dropped
};

/// Training samples by island and label.
using LabelCounts = std::vector<std::vector<double>>;

/// What each arc will offer from now on, over so long a stretch.
using ComingRates = std::function<std::vector<Bandwidth>(Duration stretch)>;

/// What a policy may look at when it starts.
struct PolicyContext {
  const Topology& topology;
  std::uint64_t seed = 1;
  const ExchangeContext* exchanges = nullptr;  ///< null where only names are known
  const LabelCounts* labels = nullptr;         ///< null where the task has none
};

/// A schedule policy: yields the cliques of round 0, 1, 2, …
///
/// To add one: write `schedules/policies/<name>.cpp` with `make_<name>()` and name it in
/// `schedules/policies.def`.
class Policy {
 public:
  virtual ~Policy() = default;
  /// The policy's own keys beside `policy:` (see `Fields`).
  virtual void describe(Fields& fields) = 0;
  /// Starts a run. Errors: `InputError` for options that do not fit the topology.
  virtual void start(const PolicyContext& context) = 0;
  /// Does what takes long, once it has started, and keeps the outcome for the next start in the
  /// same circumstances. Ends early, with what it has, when `keep_going` says so.
  virtual void prepare(const std::function<bool()>& /*keep_going*/) {}
  /// Whether `prepare` has something to do, after a start.
  [[nodiscard]] virtual bool prepares() const { return false; }
  /// Whether it wants to see what the arcs offer (`observe`).
  [[nodiscard]] virtual bool observes() const { return false; }
  /// Before round `number`, from the second one on: the mean rate that each arc offered since the
  /// last call, or since the start, while it was there; nothing where it is away now.
  virtual void observe(std::int64_t /*number*/, std::span<const Bandwidth> /*arc_rates*/) {}
  /// Whether it wants to know what the arcs will offer (`foresee`), which no real policy can.
  [[nodiscard]] virtual bool foresees() const { return false; }
  /// Before each round: what is to come, nothing where an arc cannot be counted on. Valid during
  /// the call.
  virtual void foresee(std::int64_t /*number*/, const ComingRates& /*coming*/) {}
  /// How many times it has given up its rounds for others, since it started.
  [[nodiscard]] virtual std::int64_t changes_of_plan() const { return 0; }
  /// The partition of the islands in round `number`. Called once for each number, in order.
  virtual Round round(std::int64_t number) = 0;
  /// Whether the islands train in one data centre, on its fabric instead of the WAN.
  [[nodiscard]] virtual bool colocated() const { return false; }
  /// Whether every round is one clique of all islands.
  [[nodiscard]] virtual bool joins_all() const { return false; }
  /// How many different cliques of two to `members` members all its rounds have together (islands
  /// that are ahead exchange in a later one), once it has started; none where it cannot tell.
  [[nodiscard]] virtual std::optional<std::size_t> different_cliques(
      std::size_t /*members*/) const {
    return std::nullopt;
  }
  /// Whether its rounds are overlays, so that no exchange may be named.
  [[nodiscard]] virtual bool overlay() const { return false; }
  /// Whether no round ever exchanges, so that no exchange may be named.
  [[nodiscard]] virtual bool exchanges() const { return true; }
};

struct PolicyEntry {
  std::string name;
  std::string_view summary;
  std::unique_ptr<Policy> (*make)();
};

/// All policies, sorted by name.
std::span<const PolicyEntry> policy_table();

}  // namespace gyre
