#include "scenarios/scenario.hpp"

#include <cmath>
#include <set>

#include <fmt/format.h>

#include "models/error.hpp"
#include "models/limits.hpp"

namespace gyre {
namespace {

constexpr double kPayloadLimit = 4611686018427387904.0;  // 2^62 bytes

/// A `describe` for keys that belong to no struct of their own.
template <class F>
struct Described {
  F describe_keys;
  void describe(Fields& fields) { describe_keys(fields); }
};
template <class F>
Described(F) -> Described<F>;

void describe_seeds(Fields& fields, std::vector<std::int64_t>& seeds) {
  std::optional<std::vector<std::int64_t>> several;
  fields.list({"seeds", "Seeds of several runs each, instead of `seed`."}, several, 1,
              kNotNegative);
  const Key one{"seed", "Seed of all randomness: data shards, batches, jitter, random cliques."};
  if (!several) {
    fields.optional(one, seeds.front(), kNotNegative);
    return;
  }
  std::optional<std::int64_t> seed;
  fields.optional(one, seed, kNotNegative);
  if (seed) {
    throw InputError(fields.where("seed"), "`seeds` is given as well; only one of them is allowed");
  }
  std::set<std::int64_t> seen;
  for (const std::int64_t each : *several) {
    if (seen.insert(each).second) continue;
    throw InputError(fields.where("seeds"),
                     fmt::format("seed {} is there twice; each may stand once", each));
  }
  seeds = std::move(*several);
}

void describe_task(Fields& fields, Scenario& scenario) {
  std::vector<Fields::Alternative> kinds;
  for (const TaskEntry& entry : task_table()) {
    kinds.push_back({.name = std::string(entry.name),
                     .doc = std::string(entry.summary),
                     .describe = [&scenario, &entry](Fields& inner) {
                       scenario.task = entry.make();
                       scenario.task->describe(inner);
                     }});
  }
  scenario.task_name = kinds[fields.variant({"kind", "What the islands learn."}, kinds)].name;
}

}  // namespace

void AccessSpec::describe(Fields& fields) {
  fields.optional({"bandwidth", "Capacity of an access link, each way."}, bandwidth, kPositive);
  fields.optional({"latency", "One-way latency of an access link."}, latency, kNotNegative);
}

void ScaleSpec::describe(Fields& fields) {
  fields.optional({"bandwidth", "Factor on the capacities of the links between switches."},
                  bandwidth, Range{.at_least = 1e-6, .at_most = 1e6});
  fields.optional({"latency", "Factor on the latencies of the links between switches."}, latency,
                  Range{.at_least = 0.0, .at_most = 1e6});
}

void FabricSpec::describe(Fields& fields) {
  fields.optional({"bandwidth", "Capacity of each island's link to the fabric, each way."},
                  bandwidth, kPositive);
  fields.optional({"latency", "One-way latency of each island's link to the fabric."}, latency,
                  kNotNegative);
  where = fields.where();
}

void CapableSpec::describe(Fields& fields) {
  fields.list({"multicast", "Switches that can replicate; all if not given."}, multicast);
  fields.list({"aggregation", "Switches that can add streams; all if not given."}, aggregation);
  multicast_where = fields.where("multicast");
  aggregation_where = fields.where("aggregation");
}

void NetworkSpec::describe(Fields& fields) {
  fields.text_or_object({"topology",
                         "The map: a topology file, relative to the scenario's folder, "
                         "or the same keys inline."},
                        topology_file, [this](Fields& inner) { topology.describe(inner); });
  fields.optional_object({"scale", "The same map with other links: factors on what it states."},
                         scale);
  fields.optional_object({"access", "Access links of islands that state no own figures."}, access);
  fields.list_of_choices({"modes", "Network capabilities to compare: what the switches may do."},
                         Presence::kDefaulted, modes, kModeNames);
  fields.optional_object({"capable", "Which switches have the hardware, whatever the mode allows."},
                         capable);
  fields.optional_object({"fabric", "The data centre's network of `colocated` schedules."}, fabric);
  fields.optional_object({"aggregator", "What a switch that adds can hold and do."}, aggregator);
  fields.optional_object({"transport",
                          "How chunks travel at fidelity packet: their size, windows, loss and "
                          "recovery."},
                         transport);
  fields.list_of({"faults", "Arcs, links and switches that fail."}, Presence::kDefaulted, faults);
  fields.optional_choice(
      {"in_flight",
       "What exchanges do when something that they use fails: wait until it is back and go on (at "
       "fidelity packet chunks are sent again by `transport.recovery`); reroute: be planned anew "
       "on what is left, and start again; drop: be "
       "done without in this round. Needed where there are `faults`."},
      in_flight, kInFlightNames);
  in_flight_where = fields.where("in_flight");
  fields.optional({"setup_time",
                   "Time to install the tables of an exchange that switches replicate or add for, "
                   "before it first runs."},
                  setup_time, kNotNegative);
  setup_time_where = fields.where("setup_time");
  fields.list_of({"changes", "Arcs whose capacity or latency changes while a run goes on."},
                 Presence::kDefaulted, changes);
  fields.optional({"traces",
                   "More such changes: a CSV file, relative to the scenario's folder, with the "
                   "columns time,arc,bandwidth,latency. An empty cell leaves that as it is."},
                  traces);
  fields.list_of({"background", "Traffic of others, which takes capacity away."},
                 Presence::kDefaulted, background);
  fields.optional_choice({"routing",
                          "How flows and trees are routed: on least-latency paths (shortest), or "
                          "split over any paths and trees as is best for the whole round "
                          "(engineered; up to 12 islands)."},
                         routing, kRoutingNames);
  routing_where = fields.where("routing");
}

void JobSpec::describe(Fields& fields) {
  where = fields.where();
  fields.optional({"payload",
                   "Bytes that an island contributes to one exchange, instead of "
                   "`parameters` and `bytes_per_parameter`."},
                  payload, Range{.at_least = 1.0});
  fields.optional({"parameters", "Number of the model's parameters."}, parameters, kPositive);
  fields.optional({"bytes_per_parameter", "Bytes on the wire for one parameter."},
                  bytes_per_parameter, kPositive);
  fields.optional({"local_steps", "Local steps of an island between two exchanges (H)."},
                  local_steps, Range{.at_least = 1.0});
  fields.required_object({"compute", "How long the local steps take."}, compute);
  training.describe(fields);
  training.local_steps = local_steps;

  compute.check_given();
  compute.parameters = parameters.value_or(0.0);
  if (payload && (bytes_per_parameter || (parameters && !compute.counts_operations()))) {
    throw InputError(
        fields.where("payload"),
        "the payload is given twice; allowed is either `payload`, or `parameters` with "
        "`bytes_per_parameter`");
  }
  if (payload) return;
  if (!parameters || !bytes_per_parameter) {
    throw InputError(where,
                     "the payload is not given; allowed is either `payload`, or both "
                     "`parameters` and `bytes_per_parameter`");
  }
  const double bytes = *parameters * *bytes_per_parameter;
  if (!(bytes < kPayloadLimit)) {
    throw InputError(fields.where("parameters"),
                     fmt::format("the payload, `parameters` times `bytes_per_parameter`, is {} B; "
                                 "must be below 2^62 B",
                                 to_text(bytes)));
  }
  // The product of two rounded numbers may miss a whole one by as much as this.
  const double rounding = std::ldexp(bytes, -52);
  if (std::round(bytes) < 1.0 || std::abs(bytes - std::round(bytes)) > rounding) {
    throw InputError(fields.where("parameters"),
                     fmt::format("the payload, `parameters` times `bytes_per_parameter`, is {} B; "
                                 "must be a whole number of bytes, at least 1",
                                 to_text(bytes)));
  }
}

Bytes JobSpec::model_bytes(const TrainingSpec& by) const {
  if (payload) return *payload;
  const double count = parameters.value_or(0.0);
  const double each = bytes_per_parameter.value_or(0.0);
  const double bytes =
      by.compression ? compressed_bytes(*by.compression, count, 8.0 * each) : count * each;
  return Bytes::count(std::llround(bytes));
}

Bytes JobSpec::payload_bytes() const {
  return SyncTiming(training, model_bytes(training), {training.steps()}).bytes(0);
}

double JobSpec::steps_between() const {
  return static_cast<double>(training.steps()) / static_cast<double>(training.fragment_count());
}

void ScheduleSpec::describe(Fields& fields) {
  where = fields.where();
  std::vector<Fields::Alternative> kinds;
  for (const PolicyEntry& entry : policy_table()) {
    const auto keys = [this, &entry](Fields& inner) {
      policy = entry.make();
      policy->describe(inner);
      if (!policy->exchanges()) return;
      if (!policy->overlay()) {
        inner.optional_choice({"exchange",
                               "How a clique comes to hold its average; `best` takes the "
                               "fastest that the mode allows."},
                              exchange, kExchangeNames);
      }
      inner.optional({"barrier", "Whether all islands wait for the whole round before the next."},
                     barrier);
      inner.optional({"local_steps", "Local steps between two exchanges, instead of the job's."},
                     training.local_steps, Range{.at_least = 1.0});
      training.describe(inner);
      if (policy->colocated()) return;
      inner.optional_choice(
          {"without_member", "What a clique does while a member is away, instead of `churn`'s."},
          without_member, kWithoutMemberNames);
    };
    kinds.push_back({std::string(entry.name), std::string(entry.summary), keys});
  }
  policy_name =
      kinds[fields.variant({"policy", "Who exchanges with whom, round by round."}, kinds)].name;
  fields.list_of_choices(
      {"modes", "Run only in these of the network's modes; in all if not given."},
      Presence::kNullable, modes, kModeNames);
  exchange_where = fields.where("exchange");
  without_member_where = fields.where("without_member");
  modes_where = fields.where("modes");
  label.where = where;
  label.value = policy_name;
  if (policy && policy->exchanges() && !policy->overlay() && !policy->colocated()) {
    label.value += fmt::format("/{}", name_of(exchange));
  }
  fields.optional({"name",
                   "The schedule's name in results; unique. By default the policy, and the "
                   "exchange where there is one."},
                  label);
}

void PlanBlock::describe(Fields& fields) {
  where = fields.where();
  fields.optional_choice({"exchange",
                          "How the cliques exchange: direct, tree, in-network, or best, the "
                          "fastest of these for each round."},
                         exchange, kExchangeNames);
  spec.describe(fields);
}

void PriceSpec::describe(Fields& fields) {
  where = fields.where();
  accelerator_where = fields.where("accelerator_hour");
  fields.optional({"currency", "What the prices are in; printed, nothing else."}, currency);
  fields.optional({"accelerator_hour", "Of one chip for an hour."}, accelerator_hour, kNotNegative);
  fields.optional({"sent_gb", "Of 1e9 bytes that an island sends."}, sent_gb, kNotNegative);
  if (!accelerator_hour && !sent_gb) {
    throw InputError(where, "has no price; allowed are `accelerator_hour` and `sent_gb`");
  }
}

void ForecastBlock::describe(Fields& fields) {
  where = fields.where();
  fields.list({"local_steps",
               "Numbers of local steps between exchanges to forecast with, for schedules that give "
               "no own; the job's if not given."},
              Presence::kDefaulted, local_steps, 1, Range{.at_least = 1.0});
  fields.optional({"rounds",
                   "Rounds of each forecast that are simulated (an even number); from the second "
                   "half of them the rest is extrapolated. Ten times as many with a quorum, whose "
                   "rounds end in bursts."},
                  rounds, Range{.at_least = 2.0});
  fields.optional_object({"prices", "What chips and traffic cost."}, prices);
}

void StopSpec::describe(Fields& fields) {
  accuracy_where = fields.where("accuracy");
  fields.optional({"accuracy", "Target: accuracy of the average model on the test set."}, accuracy,
                  Range{.above = 0.0, .at_most = 1.0});
  fields.optional({"loss", "Target: loss of the average model; instead of `accuracy`."}, loss,
                  kPositive);
  fields.optional({"max_rounds", "A run ends after this many rounds at the latest."}, max_rounds,
                  Range{.at_least = 1.0});
  fields.optional({"max_time", "A run ends at this simulated time at the latest."}, max_time,
                  kPositive);
  if (accuracy && loss) {
    throw InputError(fields.where("loss"),
                     "`accuracy` is given as well; only one target is allowed");
  }
}

void Scenario::describe(Fields& fields) {
  fields.required({"gyre", "Version of the file format."}, format,
                  Range{.at_least = 1.0, .at_most = 1.0});
  fields.required({"name", "Name of the scenario."}, name);
  fields.optional({"description", "What the scenario shows."}, description);
  describe_seeds(fields, seeds);
  fields.required_object({"network", "Islands, switches, links and what the switches can do."},
                         network);
  fields.required_object({"job", "What is trained: payload, local steps and compute time."}, job);
  Described task_keys{[this](Fields& inner) { describe_task(inner, *this); }};
  fields.required_object({"task", "What the islands learn, trained for real in simulated time."},
                         task_keys);
  Described evaluate{[this](Fields& inner) {
    inner.optional({"every_rounds", "Rounds from one evaluation of the models to the next."},
                   evaluate_every, Range{.at_least = 1.0});
  }};
  fields.optional_object({"evaluate", "When the models are evaluated."}, evaluate);
  fields.list_of({"schedules", "The schedules to compare."}, Presence::kRequired, schedules);
  fields.optional_object({"churn", "Islands that leave, return, or are slow for a while."}, churn);
  if (schedules.size() > kMostSchedules) {
    throw InputError(fields.where("schedules"), fmt::format("{} schedules; at most {} are allowed",
                                                            schedules.size(), kMostSchedules));
  }
  fields.optional_object({"plan", "What `gyre plan` looks for."}, plan);
  fields.optional_object({"forecast", "What `gyre forecast` varies and prices."}, forecast);
  fields.optional_object({"stop", "When a run ends."}, stop);
}

}  // namespace gyre
