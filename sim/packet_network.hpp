#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/rng.hpp"
#include "schedules/fair_rates.hpp"
#include "schedules/switch_limits.hpp"
#include "sim/arc_conditions.hpp"
#include "sim/packet_agenda.hpp"
#include "sim/packet_flow.hpp"
#include "sim/packet_ports.hpp"
#include "sim/packet_rows.hpp"
#include "sim/packet_tables.hpp"
#include "sim/platform.hpp"

namespace gyre {

/// A switch that fails.
struct SwitchFault {
  SwitchId at;
  std::size_t fault = 0;  ///< of the wire's
};

struct PacketOptions {
  WireOptions wire;
  std::vector<SwitchFault> switch_faults;
  const SwitchLimits* limits = nullptr;
  bool lossy = false;  ///< something can be lost, so that chunks are acknowledged and sent again
  RecoverySpec recovery;
};

/// `network.transport` and `network.faults` of a scenario.
struct PacketSettings {
  TransportSpec transport;
  std::vector<FaultSpec> faults;  ///< their arcs and switches are on the map
  /// Switches hold and add as much as is wanted, at once: plans keep the rates that limits set.
  bool unlimited_switches = false;

  /// Whether anything can be lost, so that chunks are acknowledged and sent again.
  [[nodiscard]] bool lossy() const { return transport.lossy() || !faults.empty(); }
  /// Takes all losses away, and the recovery from them.
  void lose_nothing();
};
PacketOptions packet_options(const Topology& topology, const PacketSettings& settings,
                             const SwitchLimits* limits, std::uint64_t seed, bool propagation);

/// One flow as it is to run in packets.
struct PacketPlan {
  std::shared_ptr<const PacketTables> tables;
  std::optional<Bandwidth> rate;      ///< never faster than that
  std::vector<double> memory_shares;  ///< by row: of its switch's memory
};

/// From sending a chunk of a flow to its acknowledgement, on an idle map: propagation, the
/// switches' own time, and a chunk's time on each arc. What a time-out has to exceed.
Duration round_trip(const Topology& topology, const PacketTables& tables,
                    const TransportSpec& transport, const SwitchLimits* limits, Bytes flow,
                    bool propagation = true);

/// A switch's state at an instant.
struct SwitchRow {
  Instant time;
  SwitchId at;
  SwitchUsage usage;
};

/// The WAN at fidelity `packet`: every node is an actor that runs its tables chunk by chunk.
///
/// Sources send at their flow's max–min share of all flows under way (`FairRates`: what flow
/// fidelity gives them), as long as windows let them. As the chunk b goes to 0, with windows of
/// capacity × delay and without loss, an exchange ends when it does in flow fidelity, plus at most
/// (arcs on the way) × b/rate.
///
/// Where chunks can be lost, each source sends a chunk again when it has not been acknowledged for
/// a time-out after all sources have launched: results acknowledge contributions, and otherwise a
/// word that takes the path's latency (words are not lost and take no capacity). After `give_up`
/// the flow ends by its rule.
class PacketNetwork {
 public:
  using OnSwitch = std::function<void(const SwitchRow&)>;

  PacketNetwork(const Topology& topology, const Platform& platform, PacketOptions options);
  PacketNetwork(const PacketNetwork&) = delete;
  PacketNetwork& operator=(const PacketNetwork&) = delete;
  ~PacketNetwork() = default;

  /// Starts the nodes. To be called once, before the simulation runs. `look_up` is called every few
  /// ten thousand events: a round may be long.
  void start(std::function<void()> look_up = [] {});
  /// Called with a switch's state: when it changes, at most every `interval`.
  void watch_switches(OnSwitch callback, Duration interval);
  void report_switches();

  /// A flow that nobody has launched yet. `early`: not all of its sources are ready.
  std::shared_ptr<PacketFlow> open(const PacketPlan& plan, Bytes bytes, bool early = false);
  /// The source `island` starts to send. Does nothing if it is no source or has started.
  void launch(PacketFlow& flow, IslandId island);
  /// Blocks the calling actor, the island's, until its part has ended; `gate` is its own.
  Instant wait(PacketFlow& flow, IslandId island, const simgrid::s4u::SemaphorePtr& gate);
  /// Ends a flow at this instant, for everybody.
  void abort(PacketFlow& flow);
  /// The arc has this from now on, for flows under way as well: sources share anew, ports follow
  /// (see `PacketPorts`). Windows of sums and time-outs are those of when a flow was opened.
  void set_arc(ArcId arc, Bandwidth capacity, Duration latency);
  /// As `FlowNetwork` does.
  [[nodiscard]] std::vector<Bandwidth> take_mean_capacities();
  /// Wakes whoever waits at a gate, when the present event is over.
  void wake(const simgrid::s4u::SemaphorePtr& gate) { agenda_.wake(gate); }
  /// Wakes them now: called where no event is being handled.
  void flush() { agenda_.flush(); }
  void stop() { agenda_.stop(); }

  [[nodiscard]] std::vector<ArcUsage> usage(Duration until) const { return ports_.usage(until); }
  [[nodiscard]] const SwitchUsage& usage(SwitchId s) const { return rows_.usage(s); }
  [[nodiscard]] std::int64_t lost(ArcId arc) const { return ports_.lost(arc); }
  [[nodiscard]] std::int64_t events() const { return agenda_.handled(); }
  [[nodiscard]] GiveUpRule give_up_rule() const { return options_.recovery.then; }

 private:
  void handle(NodeId node, const PacketEvent& event);
  void arrive(PacketFlow& flow, const PacketEvent& event);
  void receive(PacketFlow& flow, std::uint32_t receiver, std::int64_t chunk, double now_s);
  void acknowledge(PacketFlow& flow, std::uint32_t receiver, std::int64_t chunk, double now_s);
  void acknowledged(PacketFlow& flow, std::size_t s, std::int64_t chunk, double now_s);
  bool admit(PacketFlow& flow);
  void admit_waiting();
  void set_window(PacketFlow& flow) const;
  void all_ready(PacketFlow& flow);
  void put_launch(PacketFlow& flow, std::size_t s);
  void begin_source(PacketFlow& flow, std::size_t s, double now_s);
  void try_send(PacketFlow& flow, std::size_t s, double now_s);
  void send(PacketFlow& flow, std::size_t s, std::int64_t chunk, bool again, double now_s);
  void send_again(PacketFlow& flow, std::size_t s, std::int64_t chunk, double now_s);
  [[nodiscard]] std::optional<std::int64_t> next_chunk(PacketFlow& flow, std::size_t s) const;
  /// Whether the source's answer to a sum may be one to what any source has sent again.
  [[nodiscard]] bool may_answer_a_repeat(const PacketFlow& flow, std::size_t s, std::int64_t chunk,
                                         double now_s) const;
  void measure_trip(PacketFlow& flow, std::size_t s, std::int64_t chunk, double now_s) const;
  void wait_for_answer(PacketFlow& flow, std::size_t s, std::int64_t chunk, double now_s);
  void set_timer(PacketFlow& flow, std::size_t s);
  void note_repeat(PacketFlow& flow, std::size_t s, std::int64_t chunk, double now_s);
  void time_out(PacketFlow& flow, std::size_t s, double now_s);
  void give_up(PacketFlow& flow, std::size_t s, std::int64_t chunk, double since_s, double now_s);
  void on_sent(PacketFlow& flow, std::uint32_t lane, const QueuedChunk& chunk, double now_s,
               double left_s);
  void part_ended(PacketFlow& flow, double now_s);
  void end(PacketFlow& flow, double now_s);
  void share_out(double now_s);
  void plan_fair_end(PacketFlow& flow);
  [[nodiscard]] double fair_end_s(const PacketFlow& flow) const;
  void leave_shares(PacketFlow& flow, double now_s);
  /// Puts in when the switch of a fault goes down next.
  void expect_down(std::uint32_t fault, double after_s);
  void switch_down(NodeId node, double now_s);
  [[nodiscard]] Rng& launch_stream(IslandId island);
  [[nodiscard]] NodeId node_of(const PacketFlow& flow, std::size_t s) const;

  const Topology* topology_;
  PacketOptions options_;
  PacketAgenda agenda_;
  PacketPorts ports_;
  PacketRows rows_;
  FairRates fair_rates_;
  OfferedCapacities offers_;
  std::vector<std::shared_ptr<PacketFlow>> flows_;  ///< that something still refers to
  std::vector<PacketFlow*> waiting_;                ///< for slots, in order; early ones last
  std::vector<PacketFlow*> sharing_;                ///< with a fair share, in order of launch
  std::vector<std::optional<Rng>> launch_streams_;
  std::function<void()> look_up_;
  OnSwitch on_switch_;
  double interval_s_ = 0.0;
  std::vector<double> next_report_s_;
  std::vector<bool> reported_all_;
};

}  // namespace gyre
