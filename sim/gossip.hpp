#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/bounds.hpp"
#include "models/model_mixer.hpp"
#include "models/training.hpp"
#include "sim/faults.hpp"
#include "sim/flow_network.hpp"
#include "sim/simulation.hpp"
#include "sim/sync.hpp"

namespace gyre {

/// Rounds of overlays at fidelity `flow`. An island that has made its local steps sends its model
/// to those that its edges lead to, over its shortest-path tree where switches replicate, else one
/// by one and all at a time. It goes on when it holds what its incoming edges bring, whatever
/// others still wait for: nobody waits for the whole round. Methods that block run in the actor of
/// the island that they name.
class Gossip {
 public:
  struct Parts {
    const RunSpec& spec;
    const Network& network;
    const Bounds& bounds;
    FlowNetwork& flows;
    const Outages& gone;  ///< what has failed for good
    const SyncTiming& timing;
    ModelMixer* mixer = nullptr;  ///< null: nothing is learnt
    std::function<void(const CliqueRow& row)> report;
    std::function<void(const std::string& why)> fail;  ///< ends the run
  };
  using OnPhase = std::function<void(SyncPhase)>;

  explicit Gossip(const Parts& parts);
  Gossip(const Gossip&) = delete;
  Gossip& operator=(const Gossip&) = delete;

  /// An island's place in a run.
  struct Turn {
    std::int64_t round = 0;
    std::size_t fragment = 0;
    Instant began;   ///< its local steps
    Duration least;  ///< no network could have let it get here sooner
  };
  /// The island's part of a round's exchange, from its sending to its taking in. Returns the least
  /// time at which it could have what it takes: max over its senders u of their own least time and
  /// M / mincut(u → me) + latency(u, me).
  Duration exchange(IslandId me, const Round& overlay, const Turn& turn, const OnPhase& on_phase);

  /// Ends the run if what an island has sent stands still for good, unless the clock ends it.
  void look_for_dead_ends();

 private:
  /// What an island has sent in a round.
  struct Sent {
    struct Part {
      Stream stream;
      FlowRoute route;
      FlowHandle handle;
    };
    bool begun = false;
    Instant at;
    Duration least;                   ///< of the turn
    std::vector<IslandId> receivers;  ///< by rank
    std::vector<Part> parts;
    std::vector<IslandId> waiting;  ///< for it to begin
  };
  struct State {
    std::unique_ptr<ModelMixer::Mix> mix;
    std::vector<Sent> sent;  ///< by island
    std::size_t through = 0;
  };

  State& state_of(std::int64_t number, const Round& overlay, const Turn& turn);
  void send(State& state, IslandId me, Bytes bytes);
  /// Blocks until the island holds what `from` has sent it.
  void receive(State& state, IslandId me, IslandId from);

  Parts parts_;
  const Topology& topology_;
  std::vector<simgrid::s4u::SemaphorePtr> gates_;          ///< by island
  std::map<std::int64_t, std::unique_ptr<State>> states_;  ///< by number of the exchange
};

}  // namespace gyre
