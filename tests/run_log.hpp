#pragma once

// Running a simulation in a process of its own and reading what it reported, with the smallest map.

#include <atomic>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "sim/child_process.hpp"
#include "sim/given_rounds.hpp"
#include "sim/simulation.hpp"
#include "tests/support.hpp"

namespace gyre {

inline const std::atomic<bool> kNever{false};

/// Rounds that come again and again, as text.
class Repeated final : public GivenRounds {
 public:
  Repeated(const Topology& topology, const std::vector<std::string>& rounds)
      : GivenRounds(parsed(topology, rounds)) {}

 private:
  static std::vector<Round> parsed(const Topology& topology,
                                   const std::vector<std::string>& rounds) {
    std::vector<Round> all;
    for (const std::string& text : rounds) all.push_back(parse_round({text, {}}, topology));
    return all;
  }
};

/// Keeps what a run reported, as text: exact, and easy to carry out of its process.
class Log final : public RunObserver {
 public:
  explicit Log(const Topology& topology) : topology_(&topology) {}
  void on_trace(const TraceRow& row) override {
    text << fmt::format("trace {} {} {:a} {:a}\n", row.time.in_seconds(), row.round,
                        row.evaluation.loss_average, row.evaluation.consensus_distance);
  }
  void on_clique(const CliqueRow& row) override {
    text << fmt::format("clique {} {} {} {} {} {} {}\n", row.round,
                        to_text(row.members, *topology_), row.start.in_seconds(),
                        row.compute.in_seconds(), row.wait.in_seconds(),
                        row.communication.in_seconds(), row.bound_by);
  }
  std::ostringstream text;

 private:
  const Topology* topology_;
};

/// Runs in a process of its own; returns the log and a last line `end status time rounds`.
inline std::vector<std::string> run_log(const RunSpec& spec) {
  const std::string text = in_child([&spec] {
    Log log(*spec.topology);
    const RunResult result = simulate(spec, log, kNever);
    Bytes bytes;
    double bits = 0.0;
    for (const ArcUsage& usage : result.arcs) {
      bytes += usage.bytes;
      bits += usage.carried_bits;
    }
    log.text << fmt::format("end {} {} {} {} {} {} {} {}", static_cast<int>(result.status),
                            result.simulated.in_seconds(), result.rounds, bytes.in_bytes(), bits,
                            result.mean_round.value_or(Duration()).in_seconds(),
                            result.bound_round.value_or(Duration()).in_seconds(), result.failure);
    return log.text.str();
  });
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

inline double field(const std::string& line, std::size_t index) {
  std::istringstream stream(line);
  std::string word;
  for (std::size_t i = 0; i <= index; ++i) stream >> word;
  return std::strtod(word.c_str(), nullptr);
}

inline std::vector<std::string> starting(const std::vector<std::string>& lines,
                                         const std::string& what) {
  std::vector<std::string> found;
  for (const std::string& line : lines) {
    if (line.compare(0, what.size() + 1, what + " ") == 0) found.push_back(line);
  }
  return found;
}

// A ──10 Gbps, 10 ms── B: two islands, access 10 Gbps. 1 GB takes 0.8 s and 10 ms.
inline Topology pair(Bandwidth core = Bandwidth::gigabits_per_second(10),
                     Duration latency = Duration::milliseconds(10)) {
  const Bandwidth access = Bandwidth::gigabits_per_second(10);
  return {"pair",
          {"a", "b"},
          {{"A", SwitchId::at(0), access, access, {}}, {"B", SwitchId::at(1), access, access, {}}},
          {{SwitchId::at(0), SwitchId::at(1), core, latency, core, latency}}};
}

inline RunSpec pair_spec(const Topology& topology, Policy& policy) {
  RunSpec spec;
  spec.topology = &topology;
  spec.capabilities = capabilities(topology, Mode::kNeither);
  spec.policy = &policy;
  spec.exchange = Exchange::kDirect;
  spec.payload = Bytes::count(1'000'000'000);
  spec.compute.step_time = Duration::seconds(1.0);
  spec.stop.max_rounds = 3;
  return spec;
}

}  // namespace gyre
