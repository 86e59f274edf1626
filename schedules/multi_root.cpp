#include "schedules/multi_root.hpp"

#include <algorithm>
#include <map>

#include "schedules/optimizer/packed_tree.hpp"

namespace gyre {
namespace {

/// Who takes what `member` sends towards the root.
IslandId next_towards(const Network& network, const std::map<SwitchId, IslandId>& speakers,
                      IslandId member, IslandId root) {
  const Topology& topology = network.topology;
  const IslandId own = speakers.at(topology.island(member).at);
  if (own != member) return own;
  const std::vector<ArcId> path = network.routes.path(topology.node(member), topology.node(root));
  // From the member's switch on, before the last arc leads to the root itself.
  for (std::size_t a = 1; a + 1 < path.size(); ++a) {
    const auto speaker = speakers.find(topology.switch_at(topology.arc(path[a]).head));
    if (speaker != speakers.end()) return speaker->second;
  }
  return root;
}

TreeShape tree_into(const Network& network, const Clique& clique, IslandId root) {
  const Topology& topology = network.topology;
  std::map<SwitchId, IslandId> speakers{{topology.island(root).at, root}};
  for (const IslandId member : clique) speakers.try_emplace(topology.island(member).at, member);
  TreeShape shape{.root = topology.node(root), .up = {}, .down = {}};
  for (const IslandId member : clique) {
    if (member == root) continue;
    const NodeId far = topology.node(member);
    const NodeId near = topology.node(next_towards(network, speakers, member, root));
    shape.up.push_back({.from = far, .to = near, .path = network.routes.path(far, near)});
    shape.down.push_back({.from = near, .to = far, .path = network.routes.path(near, far)});
  }
  return shape;
}

}  // namespace

ExchangePlan plan_multi_root(const Network& network, const Clique& clique, Bytes payload) {
  ExchangePlan plan{.exchange = Exchange::kMultiRoot,
                    .members = clique,
                    .payload = payload,
                    .chunks = even_chunks(payload, clique.size()),
                    .flows = {},
                    .root = {},
                    .ring_order = {},
                    .limited_by = {},
                    .predicted = {}};
  for (std::size_t r = 0; r < clique.size(); ++r) {
    plan.flows.push_back(
        {.stream = to_stream(network.topology,
                             {.shape = tree_into(network, clique, clique[r]), .latency = {}},
                             {.sources = clique, .receivers = clique}),
         .bytes = plan.chunks[r],
         .chunk = r,
         .chunk_count = 1,
         .rate = {},
         .carries = Carries::kResult,
         .memory_shares = {},
         .after = {}});
  }
  plan.predicted = predict_one_step(network.topology, plan.flows);
  return plan;
}

}  // namespace gyre
