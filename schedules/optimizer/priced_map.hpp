#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "models/ids.hpp"
#include "models/routing.hpp"
#include "models/topology.hpp"

namespace gyre {

/// A map whose arcs have prices, closed over paths: what it costs to send one stream from one node
/// to another through forwarding switches. Cost: S³ for S switches (engineered), or the length of
/// the paths asked for.
class PricedMap {
 public:
  /// `price` by arc, ≥ 0. `routes` are the paths where those are fixed, else null.
  PricedMap(const Topology& topology, const Routes* routes, std::vector<double> price);

  [[nodiscard]] const Topology& topology() const { return *topology_; }
  [[nodiscard]] std::span<const double> price() const { return price_; }
  /// Σ of the cheapest path's prices; 0 from a node to itself.
  [[nodiscard]] double cost(NodeId from, NodeId to) const;
  /// The arcs of that path, in order. Ties: the path through the lowest switches.
  [[nodiscard]] std::vector<ArcId> path(NodeId from, NodeId to) const;

 private:
  [[nodiscard]] std::size_t at(std::size_t i, std::size_t j) const { return i * switches_ + j; }
  [[nodiscard]] std::size_t switch_of(NodeId node) const;

  const Topology* topology_;
  const Routes* routes_;
  std::size_t switches_;
  std::vector<double> price_;
  std::vector<double> cost_;         ///< between switches
  std::vector<std::size_t> next_;    ///< by pair of switches: the next switch on the way
  std::vector<std::size_t> direct_;  ///< by pair of switches: the cheapest arc that joins them
};

}  // namespace gyre
