#pragma once

// The columns of a run's files and of summary.csv; read by analysis/columns.cpp alone.

#include <array>

#include "analysis/columns.hpp"

namespace gyre::run_tables {

inline constexpr Column kSchedule{"schedule", "-", "name of the schedule in the scenario"};
inline constexpr Column kMode{"mode", "-", "what the switches may do"};

inline constexpr std::array kSummary{
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

inline constexpr std::array kTrace{
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

inline constexpr std::array kRounds{
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
    Column{"absent", "-",
           "islands of the clique that it went without, since they were late or away"},
    Column{"receiver", "-",
           "of an overlay: the member that takes in what the others send it; empty for a clique"},
};

inline constexpr std::array kLinks{
    Column{"arc", "-",
           "X->Y from switch to switch; X.up and X.down between island X and its switch"},
    Column{"kind", "-", "core or access"},
    Column{"capacity_gbps", "Gbit/s", "capacity of this direction"},
    Column{"latency_ms", "ms", "one-way latency"},
    Column{"bytes", "B",
           "bytes of all flows that ended on it (fidelity packet: of all chunks that crossed it)"},
    Column{"busy_s", "s", "time with at least one flow on it"},
    Column{"mean_utilisation", "1",
           "bits of the job carried / (capacity on the map x simulated time)"},
    Column{"peak_utilisation", "1",
           "highest share in use at any time of the capacity that changes and background leave"},
    Column{"lost_chunks", "-", "chunks that it lost (fidelity packet)"},
};

inline constexpr std::array kSwitches{
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

inline constexpr std::array kEvents{
    Column{"time_s", "s", "simulated time"},
    Column{"what", "-",
           "fails, leaves or is back; of an exchange planned anew, dropped, or waits (its members "
           "cannot reach each other); of an arc changes; of background begins or ends; of "
           "the schedule plans anew"},
    Column{"subject", "-",
           "the arc, link, switch, capability or island; the members of the exchange; background "
           "and the place of its traffic"},
    Column{"round", "-",
           "of the exchange; from which on a plan is followed; in which an island leaves, or with "
           "which it goes on; empty for a thing "
           "of the map"},
    Column{"effect", "-", "what that means, in words"},
    Column{"accuracy_before", "-",
           "accuracy of the average model in the last evaluation before it; empty without one"},
    Column{"accuracy_after", "-", "the same in the next evaluation, which may be at its instant"},
    Column{"loss_before", "-", "loss of the average model in the last evaluation before it"},
    Column{"loss_after", "-", "the same in the next evaluation"},
};

inline constexpr std::array kRoutes{
    Column{"plan", "-", "number of the plan in the run, from 0"},
    Column{"round", "-", "round from which on the clique's exchanges go this way"},
    Column{"members", "-", "islands of the clique, joined by +"},
    Column{"exchange", "-", "exchange that was planned for them"},
    Column{"arc", "-", "an arc that it crosses"},
    Column{"bytes", "B", "what crosses it in one exchange, copies included"},
};

inline constexpr std::array kIslands{
    Column{"island", "-", "name of the island"},
    Column{"rounds", "-", "rounds that it ended"},
    Column{"compute_s", "s", "time it computed"},
    Column{"wait_s", "s", "time it waited for other islands"},
    Column{"exchange_s", "s", "time it spent in exchanges"},
    Column{"sent_bytes", "B", "bytes over its access link to the switch"},
    Column{"received_bytes", "B", "bytes over its access link from the switch"},
};

}  // namespace gyre::run_tables
