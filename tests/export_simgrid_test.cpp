// SimGrid itself loads what is exported, and an actor that follows the deployment's arguments takes
// the time that gyre says.

#include <map>
#include <sstream>

#include <simgrid/s4u.hpp>

#include "scenarios/export/simgrid_files.hpp"
#include "sim/child_process.hpp"
#include "sim/platform.hpp"
#include "tests/cli.hpp"
#include "tests/support.hpp"

namespace gyre {
namespace {

namespace s4u = simgrid::s4u;

struct Way {
  std::vector<s4u::Link*> links;
  double latency_s = 0.0;
};

Way way_between(const s4u::Host* from, const s4u::Host* to) {
  Way way;
  from->route_to(to, way.links, &way.latency_s);
  return way;
}

/// An engine with nothing of ours but the file.
class Engine {
 public:
  explicit Engine(const fs::path& platform) : engine_(&count_, words_.data()) {
    engine_.load_platform(platform.string());
  }
  s4u::Engine* operator->() { return &engine_; }

 private:
  std::string name_ = "test";
  std::string quiet_ = "--log=root.thres:critical";
#ifdef GYRE_SANITIZED
  std::string threads_ = "--cfg=contexts/factory:thread";
  std::vector<char*> words_{name_.data(), quiet_.data(), threads_.data(), nullptr};
  int count_ = 3;
#else
  std::vector<char*> words_{name_.data(), quiet_.data(), nullptr};
  int count_ = 2;
#endif
  s4u::Engine engine_;
};

SimgridOptions options() {
  SimgridOptions all;
  for (const ModelOption& option : model_options()) all.emplace_back(option.name, option.value);
  return all;
}

class ExportSimgrid : public Cli {
 protected:
  [[nodiscard]] fs::path platform_file(const ExportedMap& map) const {
    return file("map.xml", simgrid_platform(map, Routes(*map.topology), options()));
  }
};

// Links are arcs, and routes are gyre's.
TEST_F(ExportSimgrid, LoadsThePlatform) {
  for (const Topology& topology :
       {nine_city(), random_topology(7, {.switches = 8, .islands = 6, .extra_links = 8})}) {
    const ExportedMap map{
        .topology = &topology, .name = "AMS", .title = "a -- test", .version = "1"};
    const fs::path file = platform_file(map);
    const std::string problems = in_child([&] {
      Engine engine(file);
      const Routes routes(topology);
      const ExportIds ids(map);
      std::string wrong;
      const auto expect = [&wrong](const std::string& what, double got, double wanted) {
        if (std::abs(got - wanted) <= 1e-12 * wanted) return;
        wrong += fmt::format("{}: {} instead of {}\n", what, got, wanted);
      };
      expect("hosts", static_cast<double>(engine->get_host_count()),
             static_cast<double>(topology.node_count()));
      for (std::size_t a = 0; a < topology.arc_count(); ++a) {
        const ArcId arc = ArcId::at(a);
        const s4u::Link* link = s4u::Link::by_name(ids.of(arc));
        expect(ids.of(arc), link->get_bandwidth(),
               topology.arc(arc).capacity.in_bytes_per_second());
        expect(ids.of(arc), link->get_latency(), topology.arc(arc).latency.in_seconds());
        const s4u::Host* tail = engine->host_by_name(ids.of(topology.arc(arc).tail));
        const s4u::Host* head = engine->host_by_name(ids.of(topology.arc(arc).head));
        expect("links of " + ids.of(arc), static_cast<double>(way_between(tail, head).links.size()),
               1.0);
      }
      for (std::size_t i = 0; i < topology.island_count(); ++i) {
        for (std::size_t j = 0; j < topology.island_count(); ++j) {
          if (i == j) continue;
          const NodeId from = topology.node(IslandId::at(i));
          const NodeId to = topology.node(IslandId::at(j));
          const auto [links, latency_s] =
              way_between(engine->host_by_name(ids.of(from)), engine->host_by_name(ids.of(to)));
          const std::string what = ids.of(from) + " to " + ids.of(to);
          expect(what, latency_s, routes.latency(from, to).in_seconds());
          const std::vector<ArcId> path = routes.path(from, to);
          expect(what, static_cast<double>(links.size()), static_cast<double>(path.size()));
          for (std::size_t k = 0; k < std::min(path.size(), links.size()); ++k) {
            if (links[k]->get_name() != ids.of(path[k])) wrong += what + " goes elsewhere\n";
          }
        }
      }
      return wrong;
    });
    EXPECT_EQ(problems, "");
  }
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
  return parts;
}

/// The function of the deployment, for direct exchange without help by switches: everyone's vector
/// to everyone, all at once; who receives waits for the latency.
void island(const std::vector<std::string>& arguments, const std::map<std::string, double>& way) {
  double compute_s = 0.0;
  double payload = 0.0;
  std::size_t number = 0;
  s4u::Host* me = s4u::this_actor::get_host();
  for (const std::string& argument : std::span(arguments).subspan(1)) {
    const std::size_t equals = argument.find('=');
    const std::string key = argument.substr(0, equals);
    const std::string value = argument.substr(equals + 1);
    if (key == "compute_s") compute_s = std::stod(value);
    if (key == "payload_bytes") payload = std::stod(value);
    if (key != "round") continue;
    ++number;
    s4u::this_actor::sleep_for(compute_s);
    if (value == "-") continue;
    std::vector<s4u::CommPtr> all;
    const auto box = [number](const std::string& from, const std::string& to) {
      return s4u::Mailbox::by_name(fmt::format("{} {} {}", number, from, to));
    };
    static int token = 0;
    std::vector<int*> received(64);
    std::vector<std::pair<s4u::CommPtr, double>> in;
    std::size_t k = 0;
    for (const std::string& other : split(value, '+')) {
      if (other == me->get_name()) continue;
      all.push_back(
          box(me->get_name(), other)->put_async(&token, static_cast<std::uint64_t>(payload)));
      in.emplace_back(box(other, me->get_name())->get_async<int>(&received[k++]),
                      way.at(other + ">" + me->get_name()));
    }
    double over_s = 0.0;
    for (const auto& [comm, latency_s] : in) {
      comm->wait();
      over_s = std::max(over_s, s4u::Engine::get_clock() + latency_s);
    }
    for (const s4u::CommPtr& comm : all) comm->wait();
    s4u::this_actor::sleep_until(std::max(over_s, s4u::Engine::get_clock()));
  }
}

/// When the last island has ended its rounds, every latency slept and none in the links.
double ended_s(const fs::path& platform, const fs::path& deployment) {
  return std::stod(in_child([&] {
    Engine engine(platform);
    std::map<std::string, double> way;
    const std::vector<s4u::Host*> hosts = engine->get_all_hosts();
    for (const s4u::Host* from : hosts) {
      for (const s4u::Host* to : hosts) {
        const auto is_island = [](const s4u::Host* host) {
          return std::string(host->get_property("kind")) == "island";
        };
        if (from == to || !is_island(from) || !is_island(to)) continue;
        way[from->get_name() + ">" + to->get_name()] = way_between(from, to).latency_s;
      }
    }
    for (s4u::Link* link : engine->get_all_links()) link->set_latency(0.0);
    engine->register_function(
        "island", [&way](const std::vector<std::string>& arguments) { island(arguments, way); });
    engine->load_deployment(deployment.string());
    engine->run();
    return fmt::format("{:.9f}", s4u::Engine::get_clock());
  }));
}

// By hand: 1 s of compute, 1 GB at 10 Gbps and 20 ms.
TEST_F(ExportSimgrid, FollowsTheDeploymentOfTwoIslands) {
  const Outcome outcome = gyre("export " + shipped("two-islands.yaml") +
                               " --to simgrid --schedule all-reduce/direct --mode neither"
                               " -o two.xml");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_NEAR(ended_s(folder_ / "two.xml", folder_ / "two.deployment.xml"), 1.82, 1e-6);
}

// 20.8 s on the busiest link and 157.28 ms to the farthest island (design: nine cities, direct
// exchange without capability); then one round of three regional triangles, 3.2 s + 81.04 ms.
TEST_F(ExportSimgrid, FollowsTheDeploymentOfNineCities) {
  for (const auto& [rounds, wanted_s] : {std::pair("all-reduce/direct", 1.2 + 20.8 + 0.15728),
                                         std::pair("static-cliques/direct", 1.2 + 3.2 + 0.08104)}) {
    const Outcome outcome = gyre(
        "export " + shipped("nine-city.yaml") +
        fmt::format(" --to simgrid --schedule {} --mode neither --overwrite -o nine.xml", rounds));
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_NEAR(ended_s(folder_ / "nine.xml", folder_ / "nine.deployment.xml"), wanted_s, 2e-3)
        << rounds;
  }
}

}  // namespace
}  // namespace gyre
