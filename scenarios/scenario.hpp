#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/background.hpp"
#include "models/capabilities.hpp"
#include "models/churn.hpp"
#include "models/compute.hpp"
#include "models/fields.hpp"
#include "models/routing.hpp"
#include "models/task.hpp"
#include "models/topology.hpp"
#include "models/training.hpp"
#include "models/transport.hpp"
#include "schedules/exchange.hpp"
#include "schedules/optimizer/optimizer.hpp"
#include "schedules/policy.hpp"
#include "schedules/switch_limits.hpp"

namespace gyre {

/// The access link of the islands that the topology gives no own numbers.
struct AccessSpec {
  std::optional<Bandwidth> bandwidth;  ///< each way
  Duration latency;

  void describe(Fields& fields);
};

/// The same map with slower, faster, nearer or farther links.
struct ScaleSpec {
  double bandwidth = 1.0;
  double latency = 1.0;

  void describe(Fields& fields);
};

/// The fabric that joins the islands of a `colocated` schedule: one switch with both capabilities.
struct FabricSpec {
  Bandwidth bandwidth = Bandwidth::gigabits_per_second(400);
  Duration latency = Duration::seconds(5e-6);
  Where where;

  void describe(Fields& fields);
};

/// Which switches have the hardware, whatever the mode allows: absent means all.
struct CapableSpec {
  std::optional<std::vector<Text>> multicast;
  std::optional<std::vector<Text>> aggregation;
  Where multicast_where;
  Where aggregation_where;

  void describe(Fields& fields);
};

struct SwitchSpec {
  Text name;
  std::optional<double> latitude;   ///< degrees, for drawings only
  std::optional<double> longitude;  ///< there if the other is

  void describe(Fields& fields);
};

struct IslandSpec {
  Text name;
  Text at;  ///< the switch that it hangs on
  std::optional<Bandwidth> up;
  std::optional<Bandwidth> down;
  std::optional<Duration> latency;

  void describe(Fields& fields);
};

struct LinkSpec {
  std::vector<Text> between;  ///< two switches; the figures below hold for first → second
  Duration latency;
  Bandwidth bandwidth;
  std::optional<Duration> reverse_latency;     ///< absent: as above
  std::optional<Bandwidth> reverse_bandwidth;  ///< absent: as above
  Where where;

  void describe(Fields& fields);
};

/// A topology file, or the inline `topology` mapping.
struct TopologySpec {
  std::int64_t format = 1;
  Text name;
  Text source;  ///< where the figures are from
  std::vector<SwitchSpec> switches;
  std::vector<IslandSpec> islands;
  std::vector<LinkSpec> links;
  Where where;

  void describe(Fields& fields);
};

struct NetworkSpec {
  Text topology_file;  ///< empty when inline
  TopologySpec topology;
  ScaleSpec scale;
  AccessSpec access;
  std::vector<Mode> modes{Mode::kNeither, Mode::kMulticast, Mode::kAggregation, Mode::kBoth};
  CapableSpec capable;
  FabricSpec fabric;
  std::optional<SwitchLimits> aggregator;
  std::optional<TransportSpec> transport;
  std::vector<FaultSpec> faults;
  std::optional<InFlight> in_flight;
  std::vector<ChangeSpec> changes;  ///< with the lines of `traces`, which come last
  std::optional<Text> traces;       ///< a CSV file
  std::vector<BackgroundSpec> background;
  Duration setup_time;  ///< of the tables of an exchange that switches replicate or add for
  Where in_flight_where;
  Where setup_time_where;
  Routing routing = Routing::kShortest;
  Where routing_where;

  void describe(Fields& fields);
};

struct JobSpec {
  std::optional<double> parameters;
  std::optional<double> bytes_per_parameter;
  std::optional<Bytes> payload;  ///< instead of the two above
  std::int64_t local_steps = 1;
  ComputeSpec compute;
  TrainingSpec training;  ///< with `local_steps`
  Where where;

  void describe(Fields& fields);
  /// What the whole model takes on the wire: parameters × bytes per parameter, compressed, or the
  /// stated payload.
  [[nodiscard]] Bytes model_bytes(const TrainingSpec& by) const;
  /// M of one exchange, as the job trains: its first fragment.
  [[nodiscard]] Bytes payload_bytes() const;
  /// Local steps between two exchanges, as the job trains.
  [[nodiscard]] double steps_between() const;
};

struct ScheduleSpec {
  Text label;  ///< unique; defaults to policy and exchange
  std::string policy_name;
  std::shared_ptr<Policy> policy;
  Exchange exchange = Exchange::kBest;
  std::vector<Mode> modes;  ///< empty: all of the network's
  bool barrier = false;     ///< all islands wait for the whole round before the next one
  TrainingSpec training;    ///< what differs from the job's
  std::optional<WithoutMember> without_member;  ///< instead of the scenario's
  Where where;
  Where exchange_where;
  Where modes_where;
  Where without_member_where;

  void describe(Fields& fields);
};

/// What `gyre plan` looks for.
struct PlanBlock {
  Exchange exchange = Exchange::kDirect;
  PlanSpec spec;
  Where where;

  void describe(Fields& fields);
};

/// What things cost, in any currency.
struct PriceSpec {
  Text currency{.value = "USD", .where = {}};
  std::optional<double> accelerator_hour;  ///< of one chip
  std::optional<double> sent_gb;           ///< of 1e9 bytes that an island sends
  Where where;
  Where accelerator_where;

  void describe(Fields& fields);
};

/// What `gyre forecast` varies and prices.
struct ForecastBlock {
  std::vector<std::int64_t> local_steps;  ///< empty: the schedules' own
  std::int64_t rounds = 24;               ///< of each that are simulated
  std::optional<PriceSpec> prices;
  Where where;

  void describe(Fields& fields);
};

struct StopSpec {
  std::optional<double> accuracy;  ///< of the average model
  std::optional<double> loss;      ///< of the average model
  std::int64_t max_rounds = 1000;
  std::optional<Duration> max_time;
  Where accuracy_where;

  void describe(Fields& fields);
};

/// A scenario as its file says it, with defaults filled in. Const after reading.
struct Scenario {
  std::int64_t format = 1;
  Text name;
  Text description;
  std::vector<std::int64_t> seeds{1};
  NetworkSpec network;
  JobSpec job;
  std::string task_name;
  std::shared_ptr<Task> task;
  std::int64_t evaluate_every = 10;  ///< rounds
  std::vector<ScheduleSpec> schedules;
  std::optional<ChurnSpec> churn;
  PlanBlock plan;
  std::optional<ForecastBlock> forecast;
  StopSpec stop;

  void describe(Fields& fields);
};

/// A value of the resolved scenario, as `gyre check` prints it.
struct ResolvedValue {
  std::string key_path;  ///< `network.access.bandwidth`, `schedules[1].policy`
  std::string value;     ///< with its unit
  std::string origin;    ///< `file:line`, `default` or `--set`
};

struct Override {
  std::string key_path;
  std::string value;  ///< a YAML flow value: `100 Gbps`, `[1, 2]`, `{bandwidth: 10 Gbps}`
};

struct LoadedScenario {
  Scenario scenario;
  Topology topology;
  std::string text;                     ///< the scenario file as it was read
  std::vector<ResolvedValue> resolved;  ///< in reading order
  Fidelity fidelity = Fidelity::kFlow;  ///< that it is to be simulated at
};

/// What each switch can do in `mode`: the scenario's `capable` lists say who has the hardware.
Capabilities capabilities_in(const Scenario& scenario, const Topology& topology, Mode mode);

/// How a schedule trains: its own choices, else the job's. A colocated one does not compress for
/// the job's sake: its fabric is fast.
TrainingSpec training_of(const Scenario& scenario, const ScheduleSpec& schedule);

/// Refuses what would have no effect, or no sense, at a fidelity. Errors: `InputError`.
void check_fidelity(const Scenario& scenario, Fidelity fidelity);

/// The limits of the scenario's adding switches, or null.
const SwitchLimits* limits_in(const Scenario& scenario);

/// Reads and checks a scenario file with its topology.
/// Errors: `InputError` with file, line, column and key path for everything that is wrong.
LoadedScenario load_scenario(const std::string& path, const std::vector<Override>& overrides = {});

/// Whether a file is a topology file, by itself no scenario. Errors: `InputError` for a file that
/// is no YAML.
bool is_topology_file(const std::string& path);

/// A scenario of nothing but a topology file's map. Overrides are those of a scenario
/// (`network.access.bandwidth`). Errors: `InputError` as `load_scenario`, and for overrides that no
/// map depends on.
LoadedScenario load_topology(const std::string& path, const std::vector<Override>& overrides = {});

/// The JSON Schema (draft 7) of a scenario file, written from the same description that reads it.
std::string scenario_schema();

}  // namespace gyre
