#include "sim/flow_rounds.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "models/error.hpp"
#include "sim/child_process.hpp"
#include "sim/flow_network.hpp"

namespace gyre {

namespace s4u = simgrid::s4u;
using Json = nlohmann::json;

std::vector<Duration> lengths_of_rounds(const Topology& topology, Bytes payload, Duration compute,
                                        const std::vector<std::vector<GivenFlow>>& rounds) {
  const std::string text = in_child([&] {
    std::size_t most = 0;
    for (const auto& flows : rounds) most = std::max(most, flows.size());
    Platform platform(topology, most);
    FlowNetwork network(platform);
    const IslandId anybody = IslandId::at(0);
    Json lengths_s = Json::array();
    s4u::Actor::create("rounds", platform.host(anybody), [&] {
      for (const std::vector<GivenFlow>& flows : rounds) {
        const Instant began = simulated_now();
        sleep_until(began + compute);
        std::vector<FlowHandle> handles;
        handles.reserve(flows.size());
        for (const GivenFlow& flow : flows) {
          const FlowRoute route = network.route(flow.stream, flow.rate);
          handles.push_back(network.start(anybody, flow.stream, route, payload));
        }
        for (std::size_t f = 0; f < flows.size(); ++f) {
          sleep_until(handles[f].wait() + flows[f].latency);
        }
        lengths_s.push_back((simulated_now() - began).in_seconds());
      }
    });
    check(platform.run([] {}), "rounds of given flows did not end");
    return lengths_s.dump();
  });
  std::vector<Duration> lengths;
  for (const Json& length_s : Json::parse(text)) {
    lengths.push_back(Duration::seconds(length_s.get<double>()));
  }
  return lengths;
}

}  // namespace gyre
