#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedules/exchange_plan.hpp"

namespace gyre {

/// An arc together with the label that the packets carry there: streams, and a stream's hops that
/// share an arc, are told apart by their labels.
struct Port {
  ArcId arc;
  std::uint32_t label = 0;

  auto operator<=>(const Port&) const = default;
};

/// What a node does with a stream: it waits for one packet on each port of `in`, adds them up if
/// they are several, and sends the sum on every port of `out`. At switches these are the rows of
/// their tables; islands that add and re-send have them too.
struct ProgramEntry {
  NodeId node;
  std::vector<Port> in;
  std::vector<Port> out;
};

/// The tables' rows for one flow of a plan, and where it begins and ends.
struct ProgramFlow {
  std::vector<ProgramEntry> rows;
  std::vector<std::pair<IslandId, std::vector<Port>>> starts;  ///< where each source puts its data
  std::vector<Port> ends;  ///< where receivers take it; a root that receives has none
  NodeId root;             ///< where sums are complete, or the one source
  /// How much later than the earliest each source launches, so that contributions meet everywhere
  /// on the way up: the deepest way − the source's own. Empty where nothing is added.
  std::vector<std::pair<IslandId, Duration>> launch_offsets;
};

/// The tables that make a clique's exchange happen: compiled from its plan, and what an
/// orchestrator would install. By flow of the plan.
struct SwitchProgram {
  std::vector<ProgramFlow> flows;
};

/// Compiles a sound plan: a label a hop; a table row wherever a stream is forwarded, branches or
/// merges.
SwitchProgram compile(const Network& network, const ExchangePlan& plan);

/// Plays one packet of every source of the flow through the tables and returns the arcs that it
/// crosses with their copies: what the simulation charges. Requires a flow that
/// delivers.
std::vector<ArcUse> played_arcs(const Topology& topology, const ProgramFlow& flow);

/// What a switch would be asked for by the programs of a round together.
struct SwitchDemand {
  std::size_t rows = 0;          ///< table entries
  std::size_t groups = 0;        ///< streams that it adds
  std::size_t fan_in = 0;        ///< most inputs of one sum
  std::size_t replications = 0;  ///< rows with several outputs
};
std::vector<SwitchDemand> demands(const Topology& topology,
                                  const std::vector<SwitchProgram>& programs);

/// The stream's hops, from wherever it may branch to wherever it does: its own, or those that its
/// arcs and copies amount to.
TreeShape shape_of(const Network& network, const Stream& stream);

}  // namespace gyre
