// Chunk events per second of gyre's packets against a bare SimGrid loop that passes as many
// messages between two actors through a mailbox. Prints the ratio; target: at least 0.5. And the
// memory of a packet run of 2 GB beside one of 200 GB.

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>

#include "sim/child_process.hpp"
#include "sim/exchange_probe.hpp"
#include "sim/wall_clock.hpp"
#include "tests/support.hpp"

namespace gyre {
namespace {

namespace s4u = simgrid::s4u;

struct Rate {
  std::int64_t events = 0;
  double wall_s = 0.0;
  [[nodiscard]] double per_second() const { return static_cast<double>(events) / wall_s; }
};

Rate packets(Mode mode, std::int64_t chunk) {
  const Topology topology = nine_city();
  ProbeOptions options{.without_propagation = false};
  options.packets.emplace();
  options.packets->transport.chunk = Bytes::count(chunk);
  Clique everybody;
  for (std::size_t i = 0; i < 9; ++i) everybody.push_back(IslandId::at(i));
  const WallClock start;
  const ProbeResult result =
      probe(topology, capabilities(topology, mode), Bytes::count(2'000'000'000), Exchange::kDirect,
            {make_round({everybody}, 9)}, options);
  return {result.events, start.elapsed_s()};
}

Rate ping(std::int64_t messages) {
  const Topology topology = nine_city();
  const WallClock start;
  in_child([&] {
    Platform platform(topology);
    const simgrid_compat::LinkList route = platform.zone().links(
        {s4u::LinkInRoute(platform.links()[0]), s4u::LinkInRoute(platform.links()[3])});
    s4u::Mailbox* box = s4u::Mailbox::by_name("box");
    int word = 0;
    s4u::Actor::create("sender", platform.host(IslandId::at(0)), [&] {
      for (std::int64_t m = 0; m < messages; ++m) {
        platform.zone().choose(platform.host(IslandId::at(0)), route);
        box->put(&word, 1'000'000);
      }
    });
    s4u::Actor::create("receiver", platform.host(IslandId::at(1)), [&] {
      for (std::int64_t m = 0; m < messages; ++m) box->get<int>();
    });
    platform.run([] {});
    return std::string();
  });
  return {messages, start.elapsed_s()};
}

/// Peak memory of a process that simulates one exchange.
long peak_kilobytes(std::int64_t bytes) {
  const std::string text = in_child([bytes] {
    const Topology topology = nine_city();
    ProbeOptions options{.without_propagation = false};
    options.packets.emplace();
    options.packets->transport.chunk = Bytes::count(10'000'000);
    Clique everybody;
    for (std::size_t i = 0; i < 9; ++i) everybody.push_back(IslandId::at(i));
    probe(topology, capabilities(topology, Mode::kBoth), Bytes::count(bytes), Exchange::kDirect,
          {make_round({everybody}, 9)}, options);
    struct rusage used {};
    getrusage(RUSAGE_CHILDREN, &used);
    return std::to_string(used.ru_maxrss);
  });
  return std::stol(text);
}

int run() {
  fmt::print("chunk events per second, against a mailbox ping of as many messages\n");
  for (const Mode mode : {Mode::kNeither, Mode::kBoth}) {
    for (const std::int64_t chunk : {1'000'000, 100'000}) {
      double best = 0.0;
      Rate ours;
      Rate theirs;
      for (int repeat = 0; repeat < 3; ++repeat) {
        ours = packets(mode, chunk);
        theirs = ping(ours.events);
        best = std::max(best, ours.per_second() / theirs.per_second());
      }
      fmt::print(
          "  all nine, {:<8} {:>9}: {:>9} events, {:.2f} M/s, ping {:.2f} M/s: ratio {:.2f}\n",
          name_of(mode), to_text(Bytes::count(chunk)), ours.events, ours.per_second() * 1e-6,
          theirs.per_second() * 1e-6, best);
    }
  }
  const long small = peak_kilobytes(2'000'000'000);
  const long large = peak_kilobytes(200'000'000'000);
  fmt::print("peak memory of all nine, both, 10 MB chunks: 2 GB {} KB, 200 GB {} KB\n", small,
             large);
  return 0;
}

}  // namespace
}  // namespace gyre

int main() { return gyre::run(); }
