#include "sim/packet_tables.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "models/error.hpp"

namespace gyre {
namespace {

class Builder {
 public:
  Builder(const Network& network, const Flow& flow, const ProgramFlow& program)
      : network_(network), topology_(network.topology), flow_(flow), program_(program) {}

  PacketTables run() {
    const std::vector<IslandId>& sources = flow_.stream.sources;
    tables_.sums = sources.size() > 1;
    if (tables_.sums && sources.size() > kMostContributors) {
      throw InputError("--fidelity",
                       fmt::format("packets carry sums of up to {} islands; this map's exchange "
                                   "adds {}",
                                   kMostContributors, sources.size()));
    }
    tables_.arcs = flow_.stream.arcs;
    add_rows();
    add_ends();
    add_endpoints();
    tables_.rows_above.resize(tables_.sources.size());
    if (tables_.sums) {
      climb();
      add_detour();
    }
    for (std::uint32_t l = 0; l < tables_.lanes.size(); ++l) reach(l);
    measure();
    return std::move(tables_);
  }

 private:
  std::uint32_t lane(const Port& port) {
    const auto [known, is_new] =
        lane_of_.emplace(port, static_cast<std::uint32_t>(tables_.lanes.size()));
    if (is_new) add_lane(port.arc);
    return known->second;
  }
  std::uint32_t add_lane(ArcId arc) {
    const Arc& a = topology_.arc(arc);
    PacketLane lane;
    lane.arc = arc;
    lane.tail = a.tail;
    lane.head = a.head;
    tables_.lanes.push_back(lane);
    tables_.ends.push_back(kNoIndex);
    return static_cast<std::uint32_t>(tables_.lanes.size() - 1);
  }
  void add_row(PacketRow row) {
    const auto index = static_cast<std::uint32_t>(tables_.rows.size());
    for (const std::uint32_t l : row.in) tables_.lanes[l].row = index;
    row.at_switch = topology_.is_switch(row.node);
    tables_.rows.push_back(std::move(row));
  }

  void add_rows() {
    for (const ProgramEntry& entry : program_.rows) {
      PacketRow row;
      row.node = entry.node;
      for (const Port& port : entry.in) row.in.push_back(lane(port));
      for (const Port& port : entry.out) row.out.push_back(lane(port));
      add_row(std::move(row));
    }
  }

  /// A sum that ends at an island is complete when all its ways in have delivered.
  void add_ends() {
    if (!topology_.is_switch(program_.root) && tables_.sums && !turns()) {
      PacketRow row;
      row.node = program_.root;
      for (const Port& port : program_.ends) row.in.push_back(lane(port));
      add_row(std::move(row));
    }
  }
  /// Whether the root has a row of its own, where sums turn round.
  [[nodiscard]] bool turns() const {
    return std::any_of(program_.rows.begin(), program_.rows.end(),
                       [this](const ProgramEntry& entry) { return entry.node == program_.root; });
  }

  void add_endpoints() {
    const std::vector<IslandId>& sources = flow_.stream.sources;
    for (const IslandId from : sources) {
      PacketSource source;
      source.island = from;
      for (const auto& [island, ports] : program_.starts) {
        if (island != from) continue;
        for (const Port& port : ports) source.out.push_back(lane(port));
      }
      for (const auto& [island, offset] : program_.launch_offsets) {
        if (island == from) source.launch_offset = offset;
      }
      tables_.sources.push_back(std::move(source));
    }
    for (const Delivery& delivery : flow_.stream.deliveries) {
      PacketReceiver receiver;
      receiver.island = delivery.receiver;
      const auto source = std::find(sources.begin(), sources.end(), delivery.receiver);
      if (source != sources.end()) {
        receiver.source = static_cast<std::uint32_t>(source - sources.begin());
      }
      const auto index = static_cast<std::uint32_t>(tables_.receivers.size());
      const NodeId node = topology_.node(delivery.receiver);
      const std::vector<Port> ways_in = ways_into(node);
      for (const Port& port : ways_in) tables_.ends[lane(port)] = index;
      check(tables_.sums || !ways_in.empty(), "nothing of a flow leads to its receiver");
      if (ways_in.empty()) tables_.root_receives = index;
      for (const IslandId from : sources) {
        receiver.ack_latency.push_back(network_.routes.latency(node, topology_.node(from)));
      }
      tables_.receivers.push_back(std::move(receiver));
    }
  }

  /// What a receiver has got when it has come in. None into the root of sums, whose row completes
  /// them.
  [[nodiscard]] std::vector<Port> ways_into(NodeId node) const {
    std::vector<Port> ways;
    if (tables_.sums && node == program_.root) return ways;
    for (const Port& port : program_.ends) {
      if (topology_.arc(port.arc).head == node) ways.push_back(port);
    }
    if (node != program_.root) return ways;
    for (const ProgramEntry& entry : program_.rows) {
      if (entry.node == node) ways.insert(ways.end(), entry.in.begin(), entry.in.end());
    }
    return ways;
  }

  /// Marks the way up: who adds, and what each lane carries when it is complete.
  void climb() {
    for (std::size_t s = 0; s < tables_.sources.size(); ++s) {
      const Contributors bit = Contributors{1} << s;
      tables_.everybody |= bit;
      PacketSource& source = tables_.sources[s];
      for (const std::uint32_t l : source.out) climb_lane(l, bit);
      if (!source.out.empty()) continue;
      // Its row is the one at its node that leads up, or the root's.
      for (std::uint32_t r = 0; r < tables_.rows.size(); ++r) {
        PacketRow& row = tables_.rows[r];
        if (row.node != topology_.node(source.island) || !leads_up(r)) continue;
        source.row = r;
        row.own = bit;
        row.adds = true;
        row.expects |= bit;
        if (row.node == program_.root) continue;
        for (const std::uint32_t l : row.out) climb_lane(l, bit);
      }
    }
    for (PacketRow& row : tables_.rows) {
      if (row.expects == 0) continue;
      const bool complete = row.node == program_.root;
      row.adds = row.adds || row.in.size() > 1 || complete;
      if (complete && row.expects == tables_.everybody) {
        tables_.root_row = static_cast<std::uint32_t>(&row - tables_.rows.data());
      }
    }
    check(tables_.root_row != kNoIndex, "a sum that does not meet at its root");
    for (std::uint32_t r = 0; r < tables_.rows.size(); ++r) {
      PacketRow& row = tables_.rows[r];
      if (!row.adds) continue;
      for (std::uint32_t s = 0; s < tables_.sources.size(); ++s) {
        if ((row.expects >> s & 1U) == 0) continue;
        const NodeId island = topology_.node(tables_.sources[s].island);
        tables_.rows_above[s].emplace_back(r, network_.routes.latency(island, row.node));
      }
    }
  }

  /// Whether what the row takes comes from other sources' starts.
  [[nodiscard]] bool leads_up(std::uint32_t r) const {
    if (tables_.rows[r].node == program_.root) return true;
    // The way up ends at the root: follow the only way out of each row.
    std::uint32_t at = r;
    for (std::size_t step = 0; step <= tables_.rows.size(); ++step) {
      const PacketRow& row = tables_.rows[at];
      if (row.out.size() != 1) return false;
      const PacketLane& next = tables_.lanes[row.out.front()];
      if (next.head == program_.root) return true;
      if (next.row == kNoIndex) return false;
      at = next.row;
    }
    return false;
  }

  void climb_lane(std::uint32_t l, Contributors bit) {
    tables_.lanes[l].full |= bit;
    const std::uint32_t r = tables_.lanes[l].row;
    if (r == kNoIndex) return;
    PacketRow& row = tables_.rows[r];
    row.expects |= bit;
    if (row.node == program_.root) return;
    for (const std::uint32_t next : row.out) climb_lane(next, bit);
  }

  /// The way from the root switch to the member nearest to it and back.
  void add_detour() {
    if (!topology_.is_switch(program_.root) || tables_.receivers.empty()) return;
    const std::uint32_t turn = tables_.root_row;
    const Routes& routes = network_.routes;
    IslandId nearest = tables_.sources.front().island;
    for (const PacketSource& source : tables_.sources) {
      if (routes.latency(program_.root, topology_.node(source.island)) <
          routes.latency(program_.root, topology_.node(nearest))) {
        nearest = source.island;
      }
    }
    const NodeId host = topology_.node(nearest);
    const auto [down_first, down_last] = chain(routes.path(program_.root, host));
    const auto [up_first, up_last] = chain(routes.path(host, program_.root));
    PacketRow finish;
    finish.node = host;
    finish.in = {down_last};
    finish.out = {up_first};
    finish.adds = true;
    finish.expects = tables_.everybody;
    add_row(std::move(finish));
    PacketRow result;
    result.node = program_.root;
    result.in = {up_last};
    result.out = tables_.rows[turn].out;
    add_row(std::move(result));
    tables_.rows[turn].detour = down_first;
  }
  std::pair<std::uint32_t, std::uint32_t> chain(const std::vector<ArcId>& path) {
    std::uint32_t first = kNoIndex;
    std::uint32_t last = kNoIndex;
    for (const ArcId arc : path) {
      const std::uint32_t next = add_lane(arc);
      if (last != kNoIndex) {
        PacketRow row;
        row.node = topology_.arc(arc).tail;
        row.in = {last};
        row.out = {next};
        add_row(std::move(row));
      } else {
        first = next;
      }
      last = next;
    }
    return {first, last};
  }

  Contributors reach(std::uint32_t l) {
    PacketLane& lane = tables_.lanes[l];
    if (lane.reaches != 0) return lane.reaches;
    Contributors found = 0;
    if (tables_.ends[l] != kNoIndex) {
      const std::uint32_t source = tables_.receivers[tables_.ends[l]].source;
      if (source != kNoIndex && source < kMostContributors) found |= Contributors{1} << source;
    }
    if (lane.row != kNoIndex) {
      const PacketRow& row = tables_.rows[lane.row];
      const bool down = !row.adds && row.expects == 0;
      if (down) {
        for (const std::uint32_t next : row.out) found |= reach(next);
      }
    }
    return tables_.lanes[l].reaches = found;
  }

  void measure() {
    Duration deepest;
    for (const Delivery& delivery : flow_.stream.deliveries) {
      deepest = std::max(deepest, delivery.latency);
    }
    const bool answered = tables_.sums && topology_.is_switch(program_.root);
    const bool turned = tables_.sums && turns();
    tables_.round_trip = answered || turned ? deepest : deepest * 2.0;
    for (const PacketSource& source : tables_.sources) {
      for (const std::uint32_t l : source.out) {
        tables_.hops = std::max(tables_.hops, hops_from(l));
      }
    }
    for (const auto& rows : tables_.rows_above) {
      const auto sums =
          static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [this](const auto& row) {
            return tables_.rows[row.first].at_switch;
          }));
      tables_.sums_on_the_way = std::max(tables_.sums_on_the_way, sums);
    }
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const ArcUse& use : tables_.arcs) {
      least = std::min(least, topology_.arc(use.arc).capacity.in_bits_per_second() / use.copies);
    }
    tables_.line = Bandwidth::bits_per_second(std::max<std::int64_t>(1, least));
  }
  [[nodiscard]] std::size_t hops_from(std::uint32_t l) const {
    const std::uint32_t r = tables_.lanes[l].row;
    std::size_t most = 0;
    if (r != kNoIndex) {
      for (const std::uint32_t next : tables_.rows[r].out) {
        most = std::max(most, hops_from(next));
      }
    }
    return most + 1;
  }

  const Network& network_;
  const Topology& topology_;
  const Flow& flow_;
  const ProgramFlow& program_;
  std::map<Port, std::uint32_t> lane_of_;
  PacketTables tables_;
};

}  // namespace

PacketTables packet_tables(const Network& network, const Flow& flow, const ProgramFlow& program) {
  return Builder(network, flow, program).run();
}

}  // namespace gyre
