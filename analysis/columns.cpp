#include "analysis/columns.hpp"

#include <algorithm>
#include <array>

#include "models/error.hpp"

namespace gyre {
namespace {

/// A figure's column that shows another table's numbers: in the unit that they have there.
consteval Column in_unit_of(std::string_view name, std::span<const Column> table,
                            std::string_view column, std::string_view definition) {
  for (const Column& other : table) {
    if (other.name == column) return {name, other.unit, definition};
  }
  throw "the table has no such column";
}

constexpr Column kSchedule{"schedule", "-", "name of the schedule in the scenario"};
constexpr Column kMode{"mode", "-", "what the switches may do"};

constexpr std::array kSummary{
    kSchedule,
    Column{"policy", "-", "policy that yields its rounds"},
    Column{"exchange", "-",
           "exchange that the scenario asks for; empty where nothing is exchanged"},
    Column{"mode", "-", "what the switches may do: neither, multicast, aggregation or both"},
    Column{"seed", "-", "seed of all random streams"},
    Column{"status", "-", "complete, truncated (stopped early) or failed"},
    Column{"time_to_accuracy_s", "s",
           "simulated time at the first evaluation that held the target; empty if none did"},
    Column{"final_accuracy_average", "1",
           "accuracy of the average model at the last evaluation; empty without a test set"},
    Column{"final_accuracy_worst", "1", "accuracy of the worst island's model then"},
    Column{"rounds", "-", "rounds that every island ended"},
    Column{
        "mean_round_s", "s",
        "simulated time at which the last of these rounds ended / rounds, compute included; empty "
        "before the first"},
    Column{"bound_round_s", "s",
           "least time of a round of this schedule on these wires: the largest over the islands of "
           "(sum of its compute times and of the cut bounds of its exchanges) / rounds"},
    Column{"ratio_to_bound", "1", "mean_round_s / bound_round_s"},
    Column{"communication_share", "1",
           "share of the islands' time spent in exchanges, waiting for others not counted"},
    Column{"wan_gb", "GB",
           "bytes over all core arcs / 1e9 of the flows that ended, each arc counted"},
    Column{"binding_arc", "-",
           "the arc with the highest mean utilisation; empty where none was used"},
    Column{"bound_by", "-",
           "what took most of the rounds' time: compute, latency, or a link or access arc"},
    Column{"wait_share", "1", "share of the islands' time spent waiting for other islands"},
    Column{"mean_communication_s", "s",
           "mean over rounds and cliques of the time from all ready until the last one done"},
    Column{"final_loss_average", "task's own", "loss of the average model at the last evaluation"},
    Column{"simulated_s", "s", "simulated time at the end of the run"},
};

constexpr std::array kTrace{
    Column{"time_s", "s", "simulated time at which the last island ended the round"},
    Column{"round", "-",
           "rounds that every island has ended; what is evaluated are the models with which each "
           "ended its own last round (at the start, and when max_time is over, the models as they "
           "are)"},
    Column{"steps", "-",
           "local steps of an island in those rounds (mean; late for a quorum it may have skipped "
           "some)"},
    Column{"samples", "-", "training samples behind these models"},
    Column{"accuracy_average", "1", "test accuracy of the average model (1/n) sum of x_i"},
    Column{"accuracy_mean", "1", "mean of the islands' test accuracies"},
    Column{"accuracy_worst", "1", "lowest of the islands' test accuracies"},
    Column{"loss_average", "task's own", "loss of the average model"},
    Column{"loss_mean", "task's own", "mean of the islands' losses"},
    Column{"loss_worst", "task's own", "highest of the islands' losses"},
    Column{"consensus_distance", "parameter^2", "(1/n) sum over i of |x_i - average|^2"},
};

constexpr std::array kRounds{
    Column{"round", "-", "number of the round, from 0"},
    Column{"members", "-", "islands of the clique, joined by +"},
    Column{"exchange", "-", "exchange that ran; empty for an island by itself"},
    Column{"start_s", "s",
           "simulated time at which the clique's first member began its local steps"},
    Column{"compute_s", "s", "longest compute time of its members"},
    Column{"wait_s", "s", "mean over its members of the time from ready until all were ready"},
    Column{"communication_s", "s",
           "time from all ready until the last member held the result, propagation included"},
    Column{"wan_bytes", "B", "bytes over core arcs, each arc counted"},
    Column{"bound_s", "s", "least time that any exchange of this clique could take on this map"},
    Column{"ratio_to_bound", "1",
           "communication_s / bound_s (launch eager: counted from the first one ready); empty for "
           "an island by itself and a dropped exchange"},
    Column{
        "bound_by", "-",
        "compute if that took longer than the exchange, else latency, the switch whose memory or "
        "adder limits the rate, or the arc that needs longest for what this clique puts on it"},
    Column{"outcome", "-",
           "averaged; dropped if the exchange gave up and its members kept their models; partly if "
           "some had left with the result by then; empty for an island by itself"},
    Column{"retransmissions", "-",
           "chunks sent again, each arc that they crossed counted (fidelity packet)"},
    Column{"sum_error", "parameter",
           "largest error of a parameter of the average that the switches' numbers brought"},
    Column{"fragment", "-", "part of the model that was exchanged, from 0"},
    Column{"absent", "-", "islands of the clique that it went without, since they were late"},
    Column{"receiver", "-",
           "of an overlay: the member that takes in what the others send it; empty for a clique"},
};

constexpr std::array kLinks{
    Column{"arc", "-",
           "X->Y from switch to switch; X.up and X.down between island X and its switch"},
    Column{"kind", "-", "core or access"},
    Column{"capacity_gbps", "Gbit/s", "capacity of this direction"},
    Column{"latency_ms", "ms", "one-way latency"},
    Column{"bytes", "B",
           "bytes of all flows that ended on it (fidelity packet: of all chunks that crossed it)"},
    Column{"busy_s", "s", "time with at least one flow on it"},
    Column{"mean_utilisation", "1", "bits carried / (capacity x simulated time)"},
    Column{"peak_utilisation", "1", "highest share of the capacity in use at any time"},
    Column{"lost_chunks", "-", "chunks that it lost (fidelity packet)"},
};

constexpr std::array kSwitches{
    Column{"time_s", "s", "simulated time; a row follows a change, at most every 10 ms a switch"},
    Column{"switch", "-", "name of the switch"},
    Column{"slots", "-", "sums that it holds at that time, one a chunk of a stream"},
    Column{"memory_bytes", "B", "memory that they take"},
    Column{"peak_memory_bytes", "B", "most that they took at any time until then"},
    Column{"blocked_s", "s", "time until then in which a contribution waited for a slot"},
    Column{"unsummed", "-", "contributions passed on unsummed until then"},
    Column{"timeouts", "-", "partial sums sent on by their time-out until then"},
    Column{"retransmissions", "-", "chunks sent again that came by until then"},
    Column{"repeated", "-", "contributions until then that it had already"},
};

constexpr std::array kEvents{
    Column{"time_s", "s", "simulated time"},
    Column{"what", "-",
           "fails or is back; of an exchange planned anew, dropped, or waits (its members cannot "
           "reach each other)"},
    Column{"subject", "-", "the arc, link, switch or capability; the members of the exchange"},
    Column{"round", "-", "of the exchange; empty for a thing of the map"},
    Column{"effect", "-", "what that means, in words"},
};

constexpr std::array kIslands{
    Column{"island", "-", "name of the island"},
    Column{"rounds", "-", "rounds that it ended"},
    Column{"compute_s", "s", "time it computed"},
    Column{"wait_s", "s", "time it waited for other islands"},
    Column{"exchange_s", "s", "time it spent in exchanges"},
    Column{"sent_bytes", "B", "bytes over its access link to the switch"},
    Column{"received_bytes", "B", "bytes over its access link from the switch"},
};

constexpr std::array kExchange{
    Column{"round", "-", "cliques: members joined by +, cliques separated by |"},
    Column{"exchange", "-", "exchange that ran (what best chose)"},
    kMode,
    Column{"routing", "-", "how paths are chosen"},
    Column{"time_s", "s", "simulated time until the last member held its result"},
    Column{"bandwidth_s", "s", "the same simulation with every latency at zero"},
    Column{"latency_s", "s", "time_s - bandwidth_s"},
    Column{"bound_s", "s",
           "least time of any exchange on this map: max over pairs of M / min cut + latency"},
    Column{"ratio_to_bound", "1", "time_s / bound_s"},
    Column{"binding_arc", "-", "the arc that needs longest for what this round puts on it"},
};

constexpr std::array kCrosscheck{
    kSchedule,
    kMode,
    Column{"round", "-", "cliques: members joined by +, cliques separated by |"},
    Column{"flow_s", "s", "simulated time of the round's exchanges at fidelity flow"},
    Column{"packet_s", "s", "the same at fidelity packet; empty if it did not end"},
    Column{"difference_s", "s", "packet_s - flow_s, the sum of the four parts that follow"},
    Column{"granularity_s", "s", "part of chunks that are stored at every arc and sent in turn"},
    Column{"granularity_limit_s", "s",
           "what theory allows for that: arcs on the longest chain of ways x a chunk's time"},
    Column{"headers_s", "s", "part of header bytes and of the switches' own time"},
    Column{"limits_s", "s", "part of windows, slots, memory and adders"},
    Column{"loss_s", "s", "part of losses, faults and their recovery"},
    Column{"bound_s", "s", "least time that any exchange of these cliques could take on this map"},
    Column{"lost_chunks", "-", "chunks that arcs lost"},
    Column{"retransmissions", "-", "chunks sent again, each arc that they crossed counted"},
    Column{"mainly", "-", "the largest part in words"},
};

constexpr std::array kPlan{
    kMode,
    Column{"routing", "-", "how paths are chosen"},
    Column{"exchange", "-", "how the cliques exchange"},
    Column{"objective", "-", "what makes one schedule better than another"},
    Column{"rank", "-", "place of the schedule in its mode, the best first"},
    Column{"schedule", "-", "rounds of a period, separated by ' ; '"},
    Column{"rounds", "-", "number of rounds of a period"},
    Column{"time_s", "s",
           "objective consensus: communication time until all agree within epsilon; else of a "
           "period"},
    Column{"drift", "var",
           "time average of the islands' disagreement, in what an island drifts in a second"},
    Column{"bound_s", "s",
           "no schedule of rounds of payload / rate + latency has a lower value of the objective "
           "(pairs: a higher rate, in pairs/s)"},
    Column{"gap", "1", "distance of the schedule's value from the bound, relative to it"},
    Column{"period_s", "s",
           "communication time of a period: payload / rate + latency of each round"},
    Column{"consensus_s", "s", "communication time until all agree within epsilon"},
    Column{
        "plan_s", "s",
        "the best schedule's period as plans of flows with their rates, which the simulator runs"},
};

constexpr std::array kForecast{
    kSchedule,
    kMode,
    Column{"local_steps", "-", "local steps between two exchanges (H)"},
    Column{"outcome", "-", "reached, never (no number of tokens leads to the loss) or failed"},
    Column{"effective_islands", "-",
           "islands whose tokens keep reaching a model, for which the penalty is taken"},
    Column{"tokens", "-", "training tokens that have to reach a model for the loss"},
    Column{"steps", "-", "local steps of an island until then"},
    Column{"rounds", "-", "rounds until then"},
    Column{"days", "d", "time until then, extrapolated from the simulated rounds"},
    Column{"bound_days", "d",
           "least that the same rounds could take with any exchange on this map, compute included"},
    Column{"ratio_to_bound", "1", "days / bound_days"},
    Column{"round_s", "s", "length of a round in the second half of the simulated ones"},
    Column{"compute_utilisation", "1", "share of that time that islands compute, mean"},
    Column{"site_sent_gb", "GB", "bytes that an island sends until then, mean"},
    Column{"site_peak_gbps", "Gbit/s", "highest rate on any island's access link"},
    Column{"site_cost", "currency", "chips and traffic of an island, mean; empty without prices"},
    Column{"cost", "currency", "of all islands together"},
    Column{"simulated_rounds", "-", "rounds that were simulated"},
};

constexpr Column kPlace{"place", "-", "place of the schedule in its mode's ranking, from 1"};
constexpr Column kSeeds{"seeds", "-", "seeds that the row stands for"};

constexpr std::array kTimeToAccuracy{
    kMode,
    kPlace,
    kSchedule,
    in_unit_of("time_s", kTrace, "time_s",
               "simulated time: every one at which some seed's run was evaluated"),
    Column{"quantity", "-", "the column of trace.csv that is shown: of accuracy, else of loss"},
    Column{"mean", "1, or the task's own",
           "mean over the seeds; between two evaluations linear, after a run's last one that"},
    Column{"least", "1, or the task's own", "least over the seeds"},
    Column{"most", "1, or the task's own", "most over the seeds"},
    kSeeds,
};

constexpr std::array kRoundTime{
    kMode,
    kPlace,
    kSchedule,
    in_unit_of("compute_s", kIslands, "compute_s", "an island's compute time in a round, mean"),
    in_unit_of("communication_s", kIslands, "exchange_s",
               "an island's time in exchanges in a round, mean"),
    in_unit_of("wait_s", kIslands, "wait_s",
               "an island's time of waiting for others in a round, mean"),
    in_unit_of("round_s", kSummary, "mean_round_s",
               "mean_round_s; less than the three together where islands compute while they "
               "exchange"),
    in_unit_of("bound_s", kSummary, "bound_round_s", "bound_round_s: least time of such a round"),
    kSeeds,
};

constexpr std::array kLinkUtilisation{
    kMode,
    kPlace,
    kSchedule,
    Column{"arc_place", "-", "place of the arc by its highest mean utilisation in any run, from 1"},
    Column{"arc", "-", "as in links.csv"},
    Column{"kind", "-", "core or access"},
    in_unit_of("mean_utilisation", kLinks, "mean_utilisation", "mean over the seeds"),
    in_unit_of("peak_utilisation", kLinks, "peak_utilisation", "most over the seeds"),
    kSeeds,
};

constexpr std::array kConsensus{
    kMode,
    kPlace,
    kSchedule,
    in_unit_of("time_s", kTrace, "time_s",
               "simulated time: every one at which some seed's run was evaluated"),
    in_unit_of("mean", kTrace, "consensus_distance", "mean consensus distance over the seeds"),
    in_unit_of("least", kTrace, "consensus_distance", "least over the seeds"),
    in_unit_of("most", kTrace, "consensus_distance", "most over the seeds"),
    kSeeds,
};

constexpr std::array kSpread{
    kMode,
    kPlace,
    kSchedule,
    Column{"rounds", "-", "rounds that are over"},
    Column{"mean", "1",
           "share of ordered pairs of islands of which one has heard from the other by then, "
           "directly or through others; mean over the seeds"},
    Column{"least", "1", "least over the seeds"},
    Column{"most", "1", "most over the seeds"},
    kSeeds,
};

constexpr std::array kHeard{
    kMode,
    kSchedule,
    Column{"receiver", "-", "island that has heard"},
    Column{"sender", "-", "island it has heard from"},
    Column{"row", "-", "place of the receiver among the islands, from 1"},
    Column{"column", "-", "place of the sender"},
    Column{"rounds", "-",
           "rounds after which the receiver has heard from the sender, directly or through others "
           "(first seed); 0 for itself, - if never"},
};

constexpr std::array kMap{
    kMode,
    kSchedule,
    Column{"kind", "-", "core (an arc), switch or island"},
    Column{"name", "-", "of the arc, the switch or the island"},
    Column{"x", "-", "place on the drawing; as far as possible degrees east of its western edge"},
    Column{"y", "-", "place on the drawing; as far as possible degrees north"},
    Column{"end_x", "-", "where an arc ends"},
    Column{"end_y", "-", "where an arc ends"},
    in_unit_of("mean_utilisation", kLinks, "mean_utilisation",
               "of the arc; of an island the higher one of its two access arcs"),
};

constexpr Column kPanel{"panel", "-", "which panel of the figure, from 1"};

constexpr std::array kCliques{
    kPanel,
    kMode,
    Column{"kind", "-",
           "link (of the map), way (a link or an arc in use), switch, or name (the text at it)"},
    Column{"name", "-", "of the link, the arc, the switch, or the text"},
    Column{"x", "-", "place on the drawing; as far as possible degrees east of its western edge"},
    Column{"y", "-", "place on the drawing; as far as possible degrees north"},
    Column{"end_x", "-", "where a link or an arc ends"},
    Column{"end_y", "-", "where a link or an arc ends"},
    Column{"group", "-",
           "colour: in topology 1 outbound, 2 inbound; in schedules the clique, from 1; else 0"},
    Column{"copies", "-", "copies of a payload that cross the arc; empty where they do not count"},
    Column{"does", "-", "replicates, adds or both: what the switch does there; else empty"},
};

constexpr std::array kExchangeRate{
    kPanel,
    Column{"line", "-", "line of the figure"},
    Column{"value", "Gbit/s, or s",
           "capacity of every link and access link; in the second panel the window"},
    kMode,
    Column{"exchange", "-", "how cliques exchange"},
    Column{"heard_rate", "1/s",
           "models of others that an island takes in, mean over islands and rounds of the "
           "schedule; empty where no round fits"},
    Column{"heard_bound", "1/s",
           "no exchange could bring more: the largest (k - 1) / bound over all cliques of k"},
    Column{"round_s", "s", "mean length of a round; in the second panel the window"},
    Column{"consensus_s", "s", "exchange time until all islands agree, to 1e-3"},
    Column{"largest_clique", "-", "islands of its largest clique"},
    Column{"schedule", "-", "its rounds, separated by ;"},
};

constexpr std::array kSensitivity{
    kPanel,
    Column{"line", "-", "line of the figure"},
    Column{"value", "as the panel says", "what is varied"},
    kMode,
    kSchedule,
    in_unit_of("time_to_accuracy_s", kSummary, "time_to_accuracy_s",
               "of the first in the ranking among those of the line; empty if none gets there"),
    in_unit_of("rounds", kSummary, "rounds", "its rounds"),
    in_unit_of("mean_round_s", kSummary, "mean_round_s", "their mean length"),
    in_unit_of("bound_round_s", kSummary, "bound_round_s", "least time of such a round"),
    Column{"setting", "-", "the scenario's keys that it sets"},
};

constexpr std::array kTables{
    OutputTable{"summary", "summary.csv: one row a run of a comparison", kSummary},
    OutputTable{"trace", "trace.csv: one row an evaluation of a run", kTrace},
    OutputTable{"rounds", "rounds.csv: one row a round and clique of a run", kRounds},
    OutputTable{"links", "links.csv: one row an arc of a run", kLinks},
    OutputTable{"switches", "switches.csv: one row a change of a switch (fidelity packet)",
                kSwitches},
    OutputTable{"events", "events.csv: one row a fault, a return, or what an exchange made of it",
                kEvents},
    OutputTable{"islands", "islands.csv: one row an island of a run", kIslands},
    OutputTable{"exchange", "gyre exchange --format csv: one row", kExchange},
    OutputTable{"crosscheck", "gyre crosscheck --format csv: one row a round", kCrosscheck},
    OutputTable{"forecast", "gyre forecast --format csv: one row a schedule, mode and H",
                kForecast},
    OutputTable{"plan", "gyre plan --format csv: one row a mode and rank", kPlan},
    OutputTable{"time-to-accuracy", "gyre figures: one row a schedule, mode and time",
                kTimeToAccuracy},
    OutputTable{"round-time", "gyre figures: one row a schedule and mode", kRoundTime},
    OutputTable{"link-utilisation", "gyre figures: one row a schedule, mode and arc",
                kLinkUtilisation},
    OutputTable{"consensus", "gyre figures: one row a schedule, mode and time", kConsensus},
    OutputTable{"spread", "gyre figures: one row a schedule, mode and number of rounds", kSpread},
    OutputTable{"heard", "gyre figures: one row a mode and pair of islands", kHeard},
    OutputTable{"map", "gyre figures: one row a mode and arc, switch or island", kMap},
    OutputTable{"cliques", "gyre figures, and topology and schedules of gyre reproduce figures",
                kCliques},
    OutputTable{"exchange-rate", "gyre reproduce figures: one row a line and value", kExchangeRate},
    OutputTable{"sensitivity", "gyre reproduce figures: one row a line and value", kSensitivity},
};

}  // namespace

std::span<const Column> summary_columns() { return kSummary; }
std::span<const Column> trace_columns() { return kTrace; }
std::span<const Column> rounds_columns() { return kRounds; }
std::span<const Column> links_columns() { return kLinks; }
std::span<const Column> switches_columns() { return kSwitches; }
std::span<const Column> events_columns() { return kEvents; }
std::span<const Column> islands_columns() { return kIslands; }
std::span<const Column> exchange_columns() { return kExchange; }
std::span<const Column> crosscheck_columns() { return kCrosscheck; }
std::span<const Column> forecast_columns() { return kForecast; }
std::span<const Column> plan_columns() { return kPlan; }
std::span<const Column> time_to_accuracy_columns() { return kTimeToAccuracy; }
std::span<const Column> round_time_columns() { return kRoundTime; }
std::span<const Column> link_utilisation_columns() { return kLinkUtilisation; }
std::span<const Column> consensus_columns() { return kConsensus; }
std::span<const Column> spread_columns() { return kSpread; }
std::span<const Column> map_columns() { return kMap; }
std::span<const Column> heard_columns() { return kHeard; }
std::span<const Column> cliques_columns() { return kCliques; }
std::span<const Column> exchange_rate_columns() { return kExchangeRate; }
std::span<const Column> sensitivity_columns() { return kSensitivity; }
std::span<const OutputTable> output_tables() { return kTables; }

const Column& column_named(std::span<const Column> columns, std::string_view name) {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [name](const Column& column) { return column.name == name; });
  check(found != columns.end(), "the table has to have the column that is named");
  return *found;
}

}  // namespace gyre
