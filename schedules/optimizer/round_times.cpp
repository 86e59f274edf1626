#include "schedules/optimizer/round_times.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "models/error.hpp"
#include "schedules/exchange_plan.hpp"
#include "schedules/switch_limits.hpp"

namespace gyre {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

}  // namespace

std::vector<PackingKind> packing_kinds(const Network& network, Exchange exchange) {
  const Capabilities& can = network.capabilities;
  const bool direct = exchange == Exchange::kDirect || exchange == Exchange::kBest;
  std::vector<PackingKind> kinds;
  // Also where trees have the better rate: paths may have the better latency.
  if (direct) kinds.push_back(PackingKind::kPairs);
  if (direct && any_of_them(can.multicast)) kinds.push_back(PackingKind::kScatter);
  if (direct && any_of_them(can.aggregation)) kinds.push_back(PackingKind::kGather);
  if (exchange == Exchange::kTree || exchange == Exchange::kBest) {
    kinds.push_back(PackingKind::kIslands);
  }
  if ((direct || exchange == Exchange::kInNetwork) && available(network, Exchange::kInNetwork)) {
    kinds.push_back(PackingKind::kInNetwork);
  }
  return kinds;
}

class RoundTimes::Way {
 public:
  virtual ~Way() = default;
  Way(const Partitions& partitions, Bytes payload)
      : partitions_(&partitions),
        gigabits_(payload.in_bits() / kBitsPerGigabit),
        latency_s_(TerminalSet{1} << partitions.islands(), 0.0),
        per_gigabit_(partitions.size(), 0.0) {}

  [[nodiscard]] double lower_s(std::size_t p) const {
    double latency_s = 0.0;
    for (const TerminalSet set : partitions_->sets_of(p)) {
      latency_s = std::max(latency_s, latency_s_[set]);
    }
    return gigabits_ * per_gigabit_[p] + latency_s;
  }
  [[nodiscard]] virtual bool is_exact(std::size_t p) const = 0;
  /// Makes `lower_s` exact for the partition; false if it was.
  virtual bool make_exact(std::size_t p) = 0;
  /// Fills in what binds the partition and its certificate. Requires an exact time.
  virtual void explain(std::size_t p, RoundTimes::Pace& pace) = 0;
  [[nodiscard]] double bandwidth_s(std::size_t p) const { return gigabits_ * per_gigabit_[p]; }

 protected:
  /// Seconds that a Gbit of payload needs at least, by clique, whatever else is under way: every
  /// partition needs their sum.
  void add_row(const std::vector<double>& clique_cost) {
    for (std::size_t p = 0; p < per_gigabit_.size(); ++p) {
      double sum = 0.0;
      for (const TerminalSet set : partitions_->sets_of(p)) sum += clique_cost[set];
      per_gigabit_[p] = std::max(per_gigabit_[p], sum);
    }
  }
  /// Calls `visit` with each set of two islands or more.
  template <class Visit>
  void for_cliques(Visit visit) const {
    for (TerminalSet set = 1; set < latency_s_.size(); ++set) {
      if ((set & (set - 1)) != 0) visit(set);
    }
  }
  void set_latency(TerminalSet set, double latency_s) { latency_s_[set] = latency_s; }
  void set_exactly(std::size_t p, double per_gigabit) {
    per_gigabit_[p] = std::max(per_gigabit_[p], per_gigabit);
  }
  [[nodiscard]] const Partitions& partitions() const { return *partitions_; }
  [[nodiscard]] double gigabits() const { return gigabits_; }

 private:
  const Partitions* partitions_;
  double gigabits_;
  std::vector<double> latency_s_;    ///< by clique
  std::vector<double> per_gigabit_;  ///< by partition: the best row so far
};

namespace {

/// What the shortest paths (trees) of all cliques put on each arc.
class FixedWay final : public RoundTimes::Way {
 public:
  FixedWay(const Network& network, const Partitions& partitions, Exchange exchange, Bytes payload)
      : Way(partitions, payload),
        topology_(&network.topology),
        rows_(network.topology.arc_count(),
              std::vector<double>(TerminalSet{1} << partitions.islands(), 0.0)) {
    const Topology& topology = network.topology;
    const std::size_t sets = std::size_t{1} << partitions.islands();
    held_.assign(topology.switch_count(), std::vector<double>(sets, 0.0));
    added_ = held_;
    merging_.assign(topology.switch_count(), std::vector<std::size_t>(sets, 0));
    for_cliques([&](TerminalSet set) {
      const ExchangePlan plan = plan_exchange(network, members_of(set), payload, exchange);
      double latency_s = 0.0;
      for (const Flow& flow : plan.flows) {
        for (const ArcUse& use : flow.stream.arcs) {
          const double gbps = topology.arc(use.arc).capacity.in_gigabits_per_second();
          rows_[use.arc.index()][set] +=
              use.copies * (flow.bytes.in_bits() / payload.in_bits()) / gbps;
        }
        for (const Delivery& delivery : flow.stream.deliveries) {
          latency_s = std::max(latency_s, delivery.latency.in_seconds());
        }
        for (const AggregationLoad& load : aggregation_loads(network, flow.stream)) {
          const SwitchLimits& limits = *network.limits;
          if (limits.memory) {
            held_[load.at.index()][set] +=
                load.hold.in_seconds() / (limits.memory->in_bits() / kBitsPerGigabit);
          }
          if (limits.rate) {
            added_[load.at.index()][set] +=
                static_cast<double>(load.inputs) / limits.rate->in_gigabits_per_second();
          }
        }
      }
      set_latency(set, latency_s);
      const std::vector<std::size_t> streams = merging_streams(network, plan.flows);
      for (std::size_t s = 0; s < streams.size(); ++s) merging_[s][set] = streams[s];
    });
    forbid_crowded(network);
    for (const std::vector<double>& row : held_) add_row(row);
    for (const std::vector<double>& row : added_) add_row(row);
    for (const std::vector<double>& row : rows_) add_row(row);
  }
  /// Rounds that would merge more streams at a switch than it has groups never end.
  void forbid_crowded(const Network& network) {
    if (network.limits == nullptr || !network.limits->groups) return;
    const auto most = static_cast<std::size_t>(*network.limits->groups);
    for (std::size_t p = 0; p < partitions().size(); ++p) {
      for (std::size_t s = 0; s < network.topology.switch_count(); ++s) {
        std::size_t sum = 0;
        for (const TerminalSet set : partitions().sets_of(p)) sum += merging_[s][set];
        if (sum > most) set_exactly(p, kFar);
      }
    }
  }
  [[nodiscard]] bool is_exact(std::size_t /*p*/) const override { return true; }
  bool make_exact(std::size_t /*p*/) override { return false; }
  void explain(std::size_t p, RoundTimes::Pace& pace) override {
    std::vector<double> arc_s(rows_.size(), 0.0);
    std::vector<std::size_t> binding;
    for (std::size_t a = 0; a < rows_.size(); ++a) {
      for (const TerminalSet set : partitions().sets_of(p)) arc_s[a] += gigabits() * rows_[a][set];
      if (arc_s[a] > 0.0 && arc_s[a] >= bandwidth_s(p) * (1.0 - 1e-9)) binding.push_back(a);
    }
    // With one Gbit/s more on each of them: what they need then, or the next slowest arc.
    double left_s = 0.0;
    for (std::size_t a = 0; a < rows_.size(); ++a) {
      const double gbps = topology_->arc(ArcId::at(a)).capacity.in_gigabits_per_second();
      const bool binds = std::find(binding.begin(), binding.end(), a) != binding.end();
      left_s = std::max(left_s, binds ? arc_s[a] * gbps / (gbps + 1.0) : arc_s[a]);
    }
    for (const std::size_t a : binding) {
      pace.arcs.emplace_back(ArcId::at(a), Duration::seconds(bandwidth_s(p) - left_s));
    }
    pace.together = binding.size() > 1;
    for (std::size_t s = 0; s < held_.size(); ++s) {
      for (const auto* limit : {&held_[s], &added_[s]}) {
        double sum = 0.0;
        for (const TerminalSet set : partitions().sets_of(p)) sum += (*limit)[set];
        if (sum > 0.0 && sum * gigabits() >= bandwidth_s(p) * (1.0 - 1e-9)) {
          pace.switches.emplace_back(SwitchId::at(s), limit == &held_[s] ? "memory" : "adder rate");
        }
      }
    }
  }

 private:
  const Topology* topology_;
  std::vector<std::vector<double>> rows_;          ///< by arc and clique: seconds a Gbit
  std::vector<std::vector<double>> held_;          ///< by switch and clique: the same by its memory
  std::vector<std::vector<double>> added_;         ///< and by its adders
  std::vector<std::vector<std::size_t>> merging_;  ///< streams that merge there
};

class PackedWay final : public RoundTimes::Way {
 public:
  PackedWay(const Network& network, const Partitions& partitions, PackingKind kind, Routing routing,
            Bytes payload)
      : Way(partitions, payload),
        plain_(no_capabilities(network.topology.switch_count())),
        // On shortest paths the islands do it alone: routers have one tree a source, not several.
        network_{.topology = network.topology,
                 .routes = network.routes,
                 .capabilities = routing == Routing::kShortest ? plain_ : network.capabilities},
        problem_{.network = &network_, .kind = kind, .routing = routing},
        packer_(problem_),
        exact_(partitions.size(), false) {
    for_cliques([&](TerminalSet set) {
      set_latency(set, least_latency(problem_, members_of(set)).in_seconds());
    });
    exact_[partitions.size() - 1] = true;
    // Every arc alone is a first bound.
    const Topology& topology = network.topology;
    for (std::size_t a = 0; a < topology.arc_count(); ++a) {
      std::vector<double> price(topology.arc_count(), 0.0);
      price[a] = 1.0 / topology.arc(ArcId::at(a)).capacity.in_gigabits_per_second();
      add_prices(price);
    }
  }
  [[nodiscard]] bool is_exact(std::size_t p) const override { return exact_[p]; }
  bool make_exact(std::size_t p) override {
    if (exact_[p]) return false;
    const RoundPacking packing = packer_.pack(partitions().round(p));
    exact_[p] = true;
    add_prices(packing.price);
    set_exactly(p, 1.0 / packing.gbps);
    return true;
  }
  void explain(std::size_t p, RoundTimes::Pace& pace) override {
    const RoundPacking packing = packer_.pack(partitions().round(p));
    pace.certificate = packing.bound_gbps / packing.gbps - 1.0;
    // The prices say which arcs may matter; what more capacity really saves, another packing.
    const Topology& topology = network_.topology;
    std::vector<std::pair<double, std::size_t>> dearest;  // share of the budget
    std::vector<double> capacity_gbps;
    for (std::size_t a = 0; a < packing.price.size(); ++a) {
      capacity_gbps.push_back(topology.arc(ArcId::at(a)).capacity.in_gigabits_per_second());
      const double share = packing.price[a] * capacity_gbps[a];
      if (share >= 1e-6) dearest.emplace_back(-share, a);
    }
    std::sort(dearest.begin(), dearest.end());
    const auto saving_s = [&](std::span<const std::pair<double, std::size_t>> arcs) {
      std::vector<double> more = capacity_gbps;
      for (const auto& [share, a] : arcs) more[a] += 1.0;
      const double gbps = RoundPacker(problem_, std::move(more)).pack(partitions().round(p)).gbps;
      return bandwidth_s(p) - gigabits() / gbps;
    };
    constexpr std::size_t kMostTried = 8;
    for (std::size_t i = 0; i < std::min(kMostTried, dearest.size()); ++i) {
      const double saved_s = saving_s({&dearest[i], 1});
      if (saved_s < 1e-6 * bandwidth_s(p)) continue;
      pace.arcs.emplace_back(ArcId::at(dearest[i].second), Duration::seconds(saved_s));
    }
    if (!pace.arcs.empty()) return;
    pace.together = true;
    const double saved_s = saving_s(dearest);
    for (const auto& [share, a] : dearest) {
      pace.arcs.emplace_back(ArcId::at(a), Duration::seconds(saved_s));
    }
  }

 private:
  void add_prices(const std::vector<double>& price) {
    const PricedMap map(network_.topology,
                        problem_.routing == Routing::kShortest ? &network_.routes : nullptr, price);
    const TreePricing pricing(problem_, map, members_of(all_islands()));
    std::vector<double> row(std::size_t{all_islands()} + 1, 0.0);
    for_cliques([&](TerminalSet set) { row[set] = pricing.cost(set); });
    add_row(row);
  }
  [[nodiscard]] TerminalSet all_islands() const {
    return (TerminalSet{1} << partitions().islands()) - 1;
  }

  Capabilities plain_;
  Network network_;
  PackingProblem problem_;
  RoundPacker packer_;
  std::vector<bool> exact_;
};

}  // namespace

RoundTimes::RoundTimes(const Network& network, const Partitions& partitions, const Options& options)
    : partitions_(&partitions) {
  const bool fixed = options.routing == Routing::kShortest;
  const bool direct = options.exchange != Exchange::kTree;
  if (fixed && direct) {
    const Exchange exchange =
        options.exchange == Exchange::kBest ? Exchange::kDirect : options.exchange;
    ways_.push_back(std::make_unique<FixedWay>(network, partitions, exchange, options.payload));
  }
  for (const PackingKind kind : packing_kinds(network, options.exchange)) {
    if (fixed && kind != PackingKind::kIslands) continue;
    ways_.push_back(
        std::make_unique<PackedWay>(network, partitions, kind, options.routing, options.payload));
  }
  check(!ways_.empty(), "no way to exchange");
}

RoundTimes::~RoundTimes() = default;
RoundTimes::RoundTimes(RoundTimes&&) noexcept = default;

double RoundTimes::lower_s(std::size_t partition) const {
  double least = kFar;
  for (const auto& way : ways_) least = std::min(least, way->lower_s(partition));
  return least;
}

RoundTimes::Way& RoundTimes::fastest_way(std::size_t partition) {
  while (true) {
    Way& way = **std::min_element(ways_.begin(), ways_.end(), [&](const auto& a, const auto& b) {
      return a->lower_s(partition) < b->lower_s(partition);
    });
    if (!way.make_exact(partition)) return way;
    ++solved_;
  }
}

double RoundTimes::exact_s(std::size_t partition) {
  return fastest_way(partition).lower_s(partition);
}

bool RoundTimes::is_exact(std::size_t partition) const {
  const auto& way = **std::min_element(
      ways_.begin(), ways_.end(),
      [&](const auto& a, const auto& b) { return a->lower_s(partition) < b->lower_s(partition); });
  return way.is_exact(partition);
}

std::size_t RoundTimes::fastest(std::span<const std::size_t> among) {
  check(!among.empty(), "the fastest of no partitions");
  while (true) {
    const std::size_t best =
        *std::min_element(among.begin(), among.end(),
                          [this](std::size_t a, std::size_t b) { return lower_s(a) < lower_s(b); });
    if (is_exact(best)) return best;
    exact_s(best);
  }
}

double RoundTimes::latency_s(std::size_t partition) {
  const Way& way = fastest_way(partition);
  return way.lower_s(partition) - way.bandwidth_s(partition);
}

RoundTimes::Pace RoundTimes::pace(std::size_t partition) {
  Way& way = fastest_way(partition);
  Pace pace;
  pace.bandwidth = Duration::seconds(way.bandwidth_s(partition));
  pace.latency = Duration::seconds(way.lower_s(partition)) - pace.bandwidth;
  way.explain(partition, pace);
  return pace;
}

}  // namespace gyre
