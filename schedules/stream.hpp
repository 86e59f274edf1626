#pragma once

#include <optional>
#include <span>
#include <vector>

#include "models/capabilities.hpp"
#include "models/routing.hpp"
#include "models/topology.hpp"

namespace gyre {

/// An arc that a stream uses, and how many copies of the stream's packets cross it. More than one
/// only beyond a switch that cannot replicate (or before one that cannot add): the copies leave the
/// last capable switch together, at the stream's one rate.
struct ArcUse {
  ArcId arc;
  int copies = 1;

  bool operator==(const ArcUse&) const = default;
};

struct Delivery {
  IslandId receiver;
  Duration latency;  ///< of the critical path to this receiver
};

/// A step of a tree between nodes where data begins, branches, merges or ends; the switches in
/// between only forward it.
struct Hop {
  NodeId from;
  NodeId to;
  std::vector<ArcId> path;

  bool operator==(const Hop&) const = default;
};

/// A way into a root (island or switch) and out of it again; one of both may be empty.
struct TreeShape {
  NodeId root;
  std::vector<Hop> up;    ///< the data's way to the root, merging
  std::vector<Hop> down;  ///< and from it, branching

  bool operator==(const TreeShape&) const = default;
};

/// Data that flows at one rate over all its arcs: a unicast, a multicast tree, a reduction tree, or
/// a reduction tree joined to a multicast tree at a switch. Fluid: it occupies all arcs at once,
/// and each receiver has everything `latency` after the last byte has left.
struct Stream {
  std::vector<IslandId> sources;     ///< by rank; more than one are summed on the way
  std::vector<Delivery> deliveries;  ///< by rank of the receiver
  std::vector<ArcUse> arcs;          ///< by arc
  std::vector<ArcUse> up;            ///< the part of `arcs` that leads to an in-network root
  /// Of a packed tree: its hops, in which islands may add and re-send on the way. `arcs` is their
  /// sum and `up` is empty.
  std::optional<TreeShape> shape;
};

/// Of the critical path to a receiver; none where the stream does not lead to it.
std::optional<Duration> latency_to(const Stream& stream, IslandId receiver);

struct SwitchLimits;

/// What builds streams: the map, its routes and what its switches can do.
struct Network {
  const Topology& topology;
  const Routes& routes;
  const Capabilities& capabilities;
  const SwitchLimits* limits = nullptr;  ///< of adding switches; null: none
};

/// Latency along the out-tree of `from`, which may differ from unicast where latencies tie. Cost: a
/// step for each arc of the way.
Duration tree_latency(const Network& network, NodeId from, NodeId to);

/// `source` to each of `receivers` over its shortest-path tree. Where all branching switches
/// replicate that is one stream; without the capability, one unicast per receiver.
std::vector<Stream> multicast_streams(const Network& network, IslandId source,
                                      std::span<const IslandId> receivers);

/// The sum of `sources` to `receiver`: the mirror image, over the tree of shortest paths to it.
std::vector<Stream> reduction_streams(const Network& network, std::span<const IslandId> sources,
                                      IslandId receiver);

/// Whether sums of the members may turn round at the switch: it adds and replicates, and they reach
/// each other, which with arcs left out of the routes not all do.
bool can_be_root(const Network& network, std::span<const IslandId> members, SwitchId root);

/// All members' sum up to the switch `root` and from there to all members, pipelined: latency = the
/// deepest way up + the way down. Requires that it can be their root.
Stream in_network_stream(const Network& network, std::span<const IslandId> members, SwitchId root);

/// Why the stream is not one that the switches can carry, or nothing. Its arcs have to be a tree
/// from the one source to the receivers, or from the sources to the one receiver, or (`up`, and the
/// rest of `arcs`) both at one root switch. A switch where more copies leave than come in has to
/// replicate; where fewer leave, to add; an island sends and receives one. A stream with a shape is
/// judged by its hops: one way to the root from each source, one from it to each receiver; several
/// hops meet only in switches that can add (replicate) and in its own islands.
std::optional<std::string> stream_fault(const Network& network, const Stream& stream);

}  // namespace gyre
