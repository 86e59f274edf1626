#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "schedules/exchange.hpp"
#include "schedules/optimizer/partitions.hpp"
#include "schedules/optimizer/round_packing.hpp"

namespace gyre {

/// How long every partition of the islands takes as a round, all its cliques at once:
///
///     τ(P) = M / Y(P) + L(P),
///
/// with Y the largest common rate and L the least latency of its slowest clique. One tree attains
/// it; packed trees of different depths take (M + Σ y L)/Σ y, which is at least that.
///
/// Any prices l bound every partition at once: 1/Y(P) ≥ Σ_{C ∈ P} g(C) for Σ c·l = 1, where g(C) is
/// the price of the clique's cheapest trees. So each exact solution leaves a table of g over all
/// cliques, and `lower` is the best bound that these tables give; where the rates are fixed by the
/// routing (shortest paths) the arcs' tables are exact and no LP is needed.
class RoundTimes {
 public:
  struct Options {
    Exchange exchange = Exchange::kDirect;  ///< direct, tree, in-network or best
    Routing routing = Routing::kShortest;
    Bytes payload;
  };

  /// `partitions` of the network's islands. Requires `exchange` to be available.
  RoundTimes(const Network& network, const Partitions& partitions, const Options& options);

  /// No round with this partition is faster. Seconds; 0 where nobody exchanges.
  [[nodiscard]] double lower_s(std::size_t partition) const;
  /// τ, by the LP where it is not known yet.
  double exact_s(std::size_t partition);
  [[nodiscard]] bool is_exact(std::size_t partition) const;
  /// The partition (of those given) with the least τ, exactly; and its τ. Requires one.
  std::size_t fastest(std::span<const std::size_t> among);

  /// What paces a round: the arcs with what one more Gbit/s on each would save, or, where no arc
  /// alone saves anything, on all of them at once.
  struct Pace {
    Duration bandwidth;  ///< M / Y
    Duration latency;
    std::vector<std::pair<ArcId, Duration>> arcs;
    std::vector<std::pair<SwitchId, std::string>> switches;  ///< whose limit paces it, and which
    bool together = false;     ///< the arcs bind equally: only more on all of them saves anything
    double certificate = 0.0;  ///< relative gap between the rate and its bound by the prices
  };
  Pace pace(std::size_t partition);
  /// L of the fastest way, without solving anything more for an explanation.
  double latency_s(std::size_t partition);
  /// LPs solved so far.
  [[nodiscard]] std::size_t solved() const { return solved_; }

  ~RoundTimes();
  RoundTimes(RoundTimes&&) noexcept;

  class Way;  ///< a kind of packing, or fixed paths

 private:
  [[nodiscard]] Way& fastest_way(std::size_t partition);

  const Partitions* partitions_;
  std::vector<std::unique_ptr<Way>> ways_;
  std::size_t solved_ = 0;
};

/// The kinds of packing that an exchange may use on this network.
std::vector<PackingKind> packing_kinds(const Network& network, Exchange exchange);

}  // namespace gyre
