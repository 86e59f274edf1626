// Flows per second of gyre's flow simulation against a bare SimGrid loop that plays the same flows
// over the same routes. Prints the ratio; target: at least 0.7.

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "models/routing.hpp"
#include "sim/child_process.hpp"
#include "sim/given_rounds.hpp"
#include "sim/simulation.hpp"
#include "sim/wall_clock.hpp"
#include "tests/bare_map.hpp"
#include "tests/support.hpp"

namespace gyre {
namespace {

namespace s4u = simgrid::s4u;

const Bytes kPayload = Bytes::count(2'000'000'000);
const std::atomic<bool> kNever{false};

/// `count` islands around a ring of as many switches, with a chord from every fourth.
Topology ring_with_chords(std::size_t count) {
  const Bandwidth rate = Bandwidth::gigabits_per_second(10);
  std::vector<std::string> switches;
  std::vector<Topology::Island> islands;
  std::vector<Topology::Link> links;
  const auto link = [&](std::size_t a, std::size_t b, double milliseconds) {
    const Duration latency = Duration::milliseconds(milliseconds);
    links.push_back({SwitchId::at(a), SwitchId::at(b), rate, latency, rate, latency});
  };
  for (std::size_t i = 0; i < count; ++i) {
    switches.push_back(fmt::format("s{}", i));
    islands.push_back({fmt::format("i{}", i), SwitchId::at(i), rate, rate, {}});
    link(i, (i + 1) % count, 5.0 + static_cast<double>(i % 7));
    if (i % 4 == 0) link(i, (i + count / 2 + 1) % count, 20.0);
  }
  return {"ring with chords", switches, islands, links};
}

double seconds(const std::function<void()>& work) {
  const WallClock clock;
  work();
  return clock.elapsed_s();
}

double gyre_seconds(const Topology& topology, std::int64_t rounds) {
  Clique everybody;
  for (std::size_t i = 0; i < topology.island_count(); ++i) everybody.push_back(IslandId::at(i));
  GivenRounds policy({make_round({everybody}, everybody.size())});
  RunSpec spec;
  spec.topology = &topology;
  spec.capabilities = capabilities(topology, Mode::kNeither);
  spec.policy = &policy;
  spec.exchange = Exchange::kDirect;
  spec.barrier = true;
  spec.payload = kPayload;
  spec.stop.max_rounds = rounds;
  RunObserver silent;
  return seconds([&] { simulate(spec, silent, kNever); });
}

/// One actor, the routes in a full zone, all flows of a round started and waited for in turn.
double bare_seconds(const Topology& topology, std::int64_t rounds) {
  return seconds([&] {
    BareMap map(topology);
    const std::vector<s4u::Host*>& hosts = map.hosts();
    const std::size_t n = hosts.size();
    const Routes routes(topology);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        if (i == j) continue;
        const IslandId from = IslandId::at(i);
        const IslandId to = IslandId::at(j);
        map.add_route(from, to, routes.path(topology.node(from), topology.node(to)));
      }
    }
    s4u::Actor::create("all", hosts[0], [&] {
      for (std::int64_t r = 0; r < rounds; ++r) {
        std::vector<s4u::CommPtr> flows;
        for (s4u::Host* from : hosts) {
          for (s4u::Host* to : hosts) {
            if (from == to) continue;
            flows.push_back(
                s4u::Comm::sendto_async(from, to, static_cast<std::uint64_t>(kPayload.in_bytes())));
          }
        }
        for (const s4u::CommPtr& flow : flows) flow->wait();
      }
    });
    map.run();
  });
}

void bench(const std::string& name, const Topology& topology, std::int64_t rounds) {
  const std::size_t n = topology.island_count();
  const double flows = static_cast<double>(n * (n - 1)) * static_cast<double>(rounds);
  std::vector<double> ours;
  std::vector<double> bare;
  std::vector<double> ratios;
  for (int repetition = 0; repetition < 7; ++repetition) {
    ours.push_back(
        std::stod(in_child([&] { return std::to_string(gyre_seconds(topology, rounds)); })));
    bare.push_back(
        std::stod(in_child([&] { return std::to_string(bare_seconds(topology, rounds)); })));
    ratios.push_back(bare.back() / ours.back());
  }
  for (std::vector<double>* values : {&ours, &bare, &ratios})
    std::sort(values->begin(), values->end());
  fmt::print("{:<22} gyre {:>9.0f} flows/s   bare SimGrid {:>9.0f} flows/s   ratio {:.2f}\n", name,
             flows / ours[3], flows / bare[3], ratios[3]);
}

}  // namespace
}  // namespace gyre

int main() {
  gyre::bench("9 islands (nine-city)", gyre::nine_city(), 200);
  gyre::bench("64 islands", gyre::ring_with_chords(64), 3);
  return 0;
}
