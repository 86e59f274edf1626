// Fidelity `packet` against what theory says: flow fidelity in the limit, slots, loss, faults.

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/exchange_probe.hpp"
#include "tests/support.hpp"

namespace gyre {
namespace {

PacketSettings chunks_of(std::int64_t bytes) {
  PacketSettings settings;
  settings.transport.chunk = Bytes::count(bytes);
  return settings;
}

TEST(Packet, Try) {
  const Topology topology = nine_city();
  const std::vector<Round> rounds{
      parse_round({"SEO+TYO+SIN+LAX+NYC+BAR+LON+AMS+FRA", {}}, topology),
      parse_round({"SEO+TYO+SIN|LAX+NYC+BAR|LON+AMS+FRA", {}}, topology)};
  for (const Mode mode : kAllModes) {
    for (const Exchange exchange : {Exchange::kDirect, Exchange::kRing, Exchange::kTree}) {
      const auto flow = probe(topology, capabilities(topology, mode), Bytes::count(2'000'000'000),
                              exchange, rounds);
      for (std::int64_t chunk : {4'000'000, 2'000'000, 1'000'000}) {
        const auto packet =
            probe(topology, capabilities(topology, mode), Bytes::count(2'000'000'000), exchange,
                  rounds, Routing::kShortest, nullptr, chunks_of(chunk));
        for (std::size_t r = 0; r < 2; ++r)
          fmt::print("{} {} chunk {} flow {:.6f} packet {:.6f} diff {:.6f} = {:.2f} chunk times, {} events\n",
                     name_of(mode), name_of(exchange), chunk, flow.rounds[r].time.in_seconds(),
                     packet.rounds[r].time.in_seconds(),
                     packet.rounds[r].time.in_seconds() - flow.rounds[r].time.in_seconds(),
                     (packet.rounds[r].time.in_seconds() - flow.rounds[r].time.in_seconds())/(static_cast<double>(chunk)*0.8e-9), packet.events);
      }
    }
  }
}

}  // namespace
}  // namespace gyre
