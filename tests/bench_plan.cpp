// The exact nine-city plan in all four modes against an LP from scratch for every partition.

#include <chrono>

#include <fmt/format.h>

#include "schedules/optimizer/search.hpp"
#include "tests/support.hpp"

namespace gyre {
namespace {

constexpr Bytes kPayload = Bytes::count(2'000'000'000);
constexpr std::size_t kSample = 20;  // the naive way solves each 20th partition

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Plans all four modes exactly; returns the number of LPs.
std::size_t plan(const Topology& topology, const Partitions& partitions) {
  std::size_t solved = 0;
  for (const Mode mode : kAllModes) {
    const World world(topology, mode);
    const Network network = world.network();
    RoundTimes times(
        network, partitions,
        {.exchange = Exchange::kDirect, .routing = Routing::kEngineered, .payload = kPayload});
    const SearchResult found = search_consensus(partitions, times, {});
    fmt::print("  {:<12} {:.4f} s, bound {:.4f} s, {} LPs\n", name_of(mode),
               found.best.front().value, found.bound, times.solved());
    solved += times.solved();
  }
  return solved;
}

/// Each sampled partition by an LP of its own; returns how many there would be.
std::size_t solve_sample(const Topology& topology, const Partitions& partitions,
                         std::size_t& sampled) {
  std::size_t all = 0;
  for (const Mode mode : kAllModes) {
    const World world(topology, mode);
    const Network network = world.network();
    for (const PackingKind kind : packing_kinds(network, Exchange::kDirect)) {
      all += partitions.size() - 1;
      for (std::size_t p = 0; p + 1 < partitions.size(); p += kSample) {
        RoundPacker fresh({.network = &network, .kind = kind, .routing = Routing::kEngineered});
        static_cast<void>(fresh.pack(partitions.round(p)));
        ++sampled;
      }
    }
  }
  return all;
}

int run() {
  const Topology topology = nine_city();
  const Partitions partitions(9);
  fmt::print("Exact plan of the nine cities, objective consensus, engineered routing:\n");
  const double start = seconds();
  const std::size_t solved = plan(topology, partitions);
  const double ours_s = seconds() - start;
  std::size_t sampled = 0;
  const double naive_start = seconds();
  const std::size_t all = solve_sample(topology, partitions, sampled);
  const double naive_s =
      (seconds() - naive_start) * static_cast<double>(all) / static_cast<double>(sampled);
  fmt::print(
      "plan {:.2f} s with {} LPs; an LP for each of {} would take {:.1f} s "
      "(every {}th solved): {:.0f} times as long\n",
      ours_s, solved, all, naive_s, kSample, naive_s / ours_s);
  return 0;
}

}  // namespace
}  // namespace gyre

int main() { return gyre::run(); }
