#include "analysis/columns.hpp"

#include <algorithm>
#include <array>

#include "analysis/run_columns.hpp"
#include "models/error.hpp"

namespace gyre {

using namespace run_tables;  // NOLINT(google-build-using-namespace)

namespace {

/// A figure's column that shows another table's numbers: in the unit that they have there.
consteval Column in_unit_of(std::string_view name, std::span<const Column> table,
                            std::string_view column, std::string_view definition) {
  for (const Column& other : table) {
    if (other.name == column) return {name, other.unit, definition};
  }
  throw "the table has no such column";
}

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
    OutputTable{"routes", "routes.csv: one row an arc of each plan that a run's exchanges follow",
                kRoutes},
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
std::span<const Column> routes_columns() { return kRoutes; }
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
