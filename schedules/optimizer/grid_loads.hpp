#pragma once

#include <cstdint>
#include <vector>

#include "schedules/stream.hpp"

namespace gyre {

/// Arcs that every member's vector crosses on its way to every other member, over shortest paths.
class PathTable {
 public:
  explicit PathTable(const Network& network);
  [[nodiscard]] const std::vector<std::uint32_t>& arcs(std::size_t from, std::size_t to) const {
    return arcs_[from * islands_ + to];
  }
  [[nodiscard]] double latency_s(std::size_t from, std::size_t to) const {
    return latency_s_[from * islands_ + to];
  }
  [[nodiscard]] std::size_t islands() const { return islands_; }

 private:
  std::size_t islands_;
  std::vector<std::vector<std::uint32_t>> arcs_;
  std::vector<double> latency_s_;
};

/// How `direct` loads the arcs.
enum class LoadKind : std::uint8_t {
  kUnicast,    ///< once a pair
  kMulticast,  ///< once a source, however many receivers are behind the arc
  kReduction,  ///< once a receiver, however many sources are behind the arc
};

/// The loads of one round, kept while islands move between its cliques.
class RoundLoads {
 public:
  RoundLoads(const PathTable& paths, const std::vector<double>& capacity_gbps, LoadKind kind);

  /// `island` joins (or leaves) a clique of these others. Cost: O(k · path).
  void join(std::size_t island, const std::vector<std::size_t>& others) {
    change(island, others, 1);
  }
  void leave(std::size_t island, const std::vector<std::size_t>& others) {
    change(island, others, -1);
  }
  /// max_a load(a)/c(a), seconds a Gbit.
  [[nodiscard]] double most() const;
  /// (Σ_a (load(a)/c(a))^8)^(1/8): close to `most`, but every arc counts.
  [[nodiscard]] double smooth() const;
  [[nodiscard]] const std::vector<std::int32_t>& load() const { return load_; }

 private:
  void change(std::size_t island, const std::vector<std::size_t>& others, std::int32_t by);
  void pair(std::size_t from, std::size_t to, std::int32_t by);

  const PathTable* paths_;
  LoadKind kind_;
  std::vector<double> per_gigabit_;   ///< 1/c
  std::vector<std::int32_t> load_;    ///< by arc
  std::vector<std::int32_t> behind_;  ///< by source (receiver) and arc: ends behind the arc
};

}  // namespace gyre
