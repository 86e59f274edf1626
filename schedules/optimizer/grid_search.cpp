#include "schedules/optimizer/grid_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "models/error.hpp"
#include "models/rng.hpp"
#include "schedules/exchange_plan.hpp"
#include "schedules/optimizer/grid_placement.hpp"
#include "schedules/optimizer/partitions.hpp"
#include "schedules/optimizer/priced_map.hpp"
#include "schedules/optimizer/round_packing.hpp"

namespace gyre {
namespace {

constexpr double kMostWork = 8e9;  // arc visits of a plan: what one core does in half a minute
constexpr std::size_t kMostShapes = 3;
constexpr double kPrecision = 1e-9;         // of the drift: a period costs n² there
constexpr std::size_t kMostHostPlans = 16;  // islands up to which ring and tree are baselines

class GridSearch {
 public:
  GridSearch(const PlanRequest& request, const PlanSpec& spec, const PlanWatch& watch)
      : request_(request),
        spec_(spec),
        watch_(watch),
        network_(*request.network),
        n_(network_.topology.island_count()),
        gigabits_(request.payload.in_bits() / kBitsPerGigabit),
        paths_(network_) {
    const Topology& topology = network_.topology;
    for (std::size_t a = 0; a < topology.arc_count(); ++a) {
      capacity_gbps_.push_back(topology.arc(ArcId::at(a)).capacity.in_gigabits_per_second());
    }
    const auto all = [](const std::vector<bool>& switches) {
      return std::find(switches.begin(), switches.end(), false) == switches.end();
    };
    if (all(network_.capabilities.multicast)) {
      kind_ = LoadKind::kMulticast;
    } else if (all(network_.capabilities.aggregation)) {
      kind_ = LoadKind::kReduction;
    }
  }

  PlanResult run() {
    PlanResult result;
    result.baselines.push_back(global(Exchange::kDirect));
    if (n_ <= kMostHostPlans) {
      result.baselines.push_back(global(Exchange::kTree));
      result.baselines.push_back(global(Exchange::kRing));
    }
    if (available(network_, Exchange::kInNetwork)) {
      PlannedSchedule one = global(Exchange::kInNetwork);
      const bool only = request_.exchange == Exchange::kInNetwork;
      if (!only && result.baselines.front().value <= one.value) one = result.baselines.front();
      one.name.clear();
      result.ranked.push_back(std::move(one));
    } else {
      std::vector<std::vector<std::size_t>> shapes =
          grid_shapes(n_, static_cast<std::size_t>(spec_.max_period));
      if (shapes.size() > kMostShapes) shapes.resize(kMostShapes);
      for (std::size_t s = 0; s < shapes.size() && !result.stopped; ++s) {
        result.ranked.push_back(annealed(shapes[s], s, shapes.size(), result.stopped));
      }
      PlannedSchedule one = result.baselines.front();
      one.name.clear();
      result.ranked.push_back(std::move(one));
      if (!result.stopped) result.ranked.push_back(neighbours());
    }
    std::stable_sort(
        result.ranked.begin(), result.ranked.end(),
        [](const PlannedSchedule& a, const PlannedSchedule& b) { return a.value < b.value; });
    if (result.ranked.size() > request_.keep) result.ranked.resize(request_.keep);
    bound(result);
    return result;
  }

 private:
  /// One clique of all, as its plan predicts it.
  [[nodiscard]] PlannedSchedule global(Exchange exchange) const {
    Clique everybody;
    for (std::size_t i = 0; i < n_; ++i) everybody.push_back(IslandId::at(i));
    const Prediction predicted =
        plan_exchange(network_, everybody, request_.payload, exchange).predicted;
    PlannedSchedule schedule;
    schedule.name = fmt::format("all-reduce/{}", name_of(exchange));
    schedule.rounds.push_back({.round = make_round({everybody}, n_),
                               .time = predicted.total(),
                               .latency = predicted.latency,
                               .prices = {},
                               .together = false,
                               .switches = {},
                               .certificate = 0.0});
    evaluate(schedule, request_, spec_, kPrecision);
    return schedule;
  }

  PlannedSchedule annealed(const std::vector<std::size_t>& shape, std::size_t number,
                           std::size_t shapes, bool& stopped) const {
    const Grid grid(shape, n_);
    Rng rng = Rng::stream(request_.seed, fmt::format("plan/grid/{}", fmt::join(shape, "x")));
    Placement now(grid, paths_, capacity_gbps_, kind_, ordered_by_latency());
    std::vector<std::size_t> best = now.island_of();
    double best_s = now.seconds(gigabits_);
    double energy = now.energy(gigabits_);
    const std::size_t moves = move_count(shape, shapes);
    const double first_temperature = 0.01 * energy;
    for (std::size_t move = 0; move < moves; ++move) {
      const auto a = static_cast<std::size_t>(rng.below(n_));
      const auto b = static_cast<std::size_t>(rng.below(n_));
      if (a == b) continue;
      const auto done = static_cast<double>(move) / static_cast<double>(moves);
      const double temperature = first_temperature * std::pow(1e-3, done);
      now.swap_cells(a, b);
      const double next = now.energy(gigabits_);
      if (next > energy && rng.uniform() >= std::exp((energy - next) / temperature)) {
        now.swap_cells(a, b);
        continue;
      }
      energy = next;
      const double seconds = now.seconds(gigabits_);
      if (seconds < best_s) {
        best_s = seconds;
        best = now.island_of();
      }
      if (move % 256 == 0 && watch_) {
        const double share = (static_cast<double>(number) + done) / static_cast<double>(shapes);
        if (!watch_(share, best_s, 0.0)) {
          stopped = true;
          break;
        }
      }
    }
    return planned(Placement(grid, paths_, capacity_gbps_, kind_, best), grid.dimensions());
  }

  /// Neighbours in the order are near each other: from each island on to the nearest that is left.
  [[nodiscard]] std::vector<std::size_t> ordered_by_latency() const {
    std::vector<std::size_t> order{0};
    std::vector<bool> used(n_, false);
    used[0] = true;
    while (order.size() < n_) {
      std::size_t next = n_;
      for (std::size_t i = 0; i < n_; ++i) {
        if (used[i]) continue;
        if (next == n_ ||
            paths_.latency_s(order.back(), i) < paths_.latency_s(order.back(), next)) {
          next = i;
        }
      }
      used[next] = true;
      order.push_back(next);
    }
    return order;
  }

  [[nodiscard]] std::size_t move_count(const std::vector<std::size_t>& shape,
                                       std::size_t shapes) const {
    double path_arcs = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
      path_arcs +=
          static_cast<double>(paths_.arcs(i, (i + 1) % n_).size()) / static_cast<double>(n_);
    }
    double work = 0.0;
    for (const std::size_t size : shape) work += 8.0 * static_cast<double>(size) * path_arcs;
    work += static_cast<double>(2 * shape.size() * capacity_gbps_.size());
    return static_cast<std::size_t>(kMostWork / static_cast<double>(shapes) / work) + 1;
  }

  [[nodiscard]] PlannedSchedule planned(const Placement& placement, std::size_t rounds) const {
    PlannedSchedule schedule;
    for (std::size_t d = 0; d < rounds; ++d) {
      schedule.rounds.push_back(described(placement.round(d), placement.load(d),
                                          placement.bandwidth_s(d, 1.0), placement.latency_s(d)));
    }
    evaluate(schedule, request_, spec_, kPrecision);
    return schedule;
  }

  /// Neighbours in the order of latency as pairs, and in the next round each with the other one:
  /// for maps where anything larger is slow.
  [[nodiscard]] PlannedSchedule neighbours() const {
    const std::vector<std::size_t> order = ordered_by_latency();
    PlannedSchedule schedule;
    for (const std::size_t first : {0U, 1U}) {
      RoundLoads loads(paths_, capacity_gbps_, kind_);
      std::vector<Clique> pairs;
      double latency_s = 0.0;
      for (std::size_t i = first; i + 1 < n_; i += 2) {
        loads.join(order[i], {order[i + 1]});
        pairs.push_back({IslandId::at(order[i]), IslandId::at(order[i + 1])});
        latency_s = std::max({latency_s, paths_.latency_s(order[i], order[i + 1]),
                              paths_.latency_s(order[i + 1], order[i])});
      }
      schedule.rounds.push_back(
          described(make_round(std::move(pairs), n_), loads.load(), loads.most(), latency_s));
    }
    evaluate(schedule, request_, spec_, kPrecision);
    return schedule;
  }

  /// A round with what binds it and how far it is from the best over any paths.
  [[nodiscard]] PlannedRound described(Round cliques, const std::vector<std::int32_t>& load,
                                       double per_gigabit, double latency_s) const {
    const double bandwidth_s = gigabits_ * per_gigabit;
    PlannedRound round{.round = std::move(cliques),
                       .time = Duration::seconds(bandwidth_s + latency_s),
                       .latency = Duration::seconds(latency_s),
                       .prices = {},
                       .together = false,
                       .switches = {},
                       .certificate = 0.0};
    std::vector<std::size_t> binding;
    double left_s = 0.0;  // with one Gbit/s more on each binding arc
    for (std::size_t a = 0; a < capacity_gbps_.size(); ++a) {
      const double arc_s = gigabits_ * load[a] / capacity_gbps_[a];
      const bool binds = arc_s >= bandwidth_s * (1.0 - 1e-9);
      if (binds) binding.push_back(a);
      left_s =
          std::max(left_s, binds ? arc_s * capacity_gbps_[a] / (capacity_gbps_[a] + 1.0) : arc_s);
    }
    for (const std::size_t a : binding) {
      round.prices.emplace_back(ArcId::at(a), Duration::seconds(bandwidth_s - left_s));
    }
    round.together = binding.size() > 1;
    round.certificate = bandwidth_s / round_bound_s(round.round, load) - 1.0;
    return round;
  }

  /// What the round needs over any paths: for prices l of the arcs, M·Σ l(cheapest way of each
  /// transfer) / Σ c·l. Prices that grow with the loads of the shortest paths find the narrow
  /// places; of several powers the best. A tree costs at least its dearest receiver.
  [[nodiscard]] double round_bound_s(const Round& round,
                                     const std::vector<std::int32_t>& load) const {
    const Topology& topology = network_.topology;
    double best = 0.0;
    for (const double power : {1.0, 3.0, 8.0}) {
      std::vector<double> price(load.size());
      double budget = 0.0;
      double largest = 0.0;
      for (std::size_t a = 0; a < load.size(); ++a) {
        largest = std::max(largest, load[a] / capacity_gbps_[a]);
      }
      for (std::size_t a = 0; a < load.size(); ++a) {
        const double share = load[a] / capacity_gbps_[a] / largest;
        price[a] = (std::pow(share, power) + 1e-6) / capacity_gbps_[a];
        budget += price[a] * capacity_gbps_[a];
      }
      const PricedMap map(topology, nullptr, std::move(price));
      double needed = 0.0;
      for (const Clique& clique : round.cliques) {
        for (const IslandId u : clique) {
          double all = 0.0;
          double dearest = 0.0;
          for (const IslandId v : clique) {
            if (u == v) continue;
            const double cost = kind_ == LoadKind::kReduction
                                    ? map.cost(topology.node(v), topology.node(u))
                                    : map.cost(topology.node(u), topology.node(v));
            all += cost;
            dearest = std::max(dearest, cost);
          }
          needed += kind_ == LoadKind::kUnicast ? all : dearest;
        }
      }
      best = std::max(best, gigabits_ * needed / budget);
    }
    return best;
  }

  void bound(PlanResult& result) const {
    // Where vectors are added on the way, it is the sending that each pair costs.
    const std::size_t side = kind_ == LoadKind::kReduction ? 0 : 1;
    double slowest_gbps = capacity_gbps_[side];
    double fastest_gbps = capacity_gbps_[side];
    double latency_s = kNeverMixes;
    for (std::size_t u = 0; u < n_; ++u) {
      slowest_gbps = std::min(slowest_gbps, capacity_gbps_[2 * u + side]);
      fastest_gbps = std::max(fastest_gbps, capacity_gbps_[2 * u + side]);
      for (std::size_t v = 0; v < n_; ++v) {
        if (u != v) latency_s = std::min(latency_s, paths_.latency_s(u, v));
      }
    }
    const auto n = static_cast<double>(n_);
    if (spec_.objective == PlanObjective::kConsensus) {
      const double vectors = available(network_, Exchange::kInNetwork)
                                 ? 1.0
                                 : std::log2(n / (1.0 + n * spec_.epsilon));
      result.bound = gigabits_ * vectors / slowest_gbps + latency_s;
      result.method = "what the slowest access link carries until its island's weight is spread";
      return;
    }
    // A round that mixes takes one vector over some access link at least, and its compute.
    const double round_s = gigabits_ / fastest_gbps + latency_s + request_.compute.in_seconds();
    result.bound = round_s * (n - 1.0) / (2.0 * n);
    result.method = "one vector over the fastest access link in every round";
  }

  const PlanRequest& request_;
  const PlanSpec& spec_;
  const PlanWatch& watch_;
  const Network& network_;
  std::size_t n_;
  double gigabits_;
  PathTable paths_;
  std::vector<double> capacity_gbps_;
  LoadKind kind_ = LoadKind::kUnicast;
};

void factor(std::size_t left, std::size_t least, std::size_t most, std::vector<std::size_t>& chosen,
            std::vector<std::vector<std::size_t>>& found) {
  if (!chosen.empty() && left >= least) {
    chosen.push_back(left);
    found.push_back(chosen);
    chosen.pop_back();
  }
  if (chosen.size() + 2 > most) return;
  for (std::size_t f = least; f * f <= left; ++f) {
    if (left % f != 0) continue;
    chosen.push_back(f);
    factor(left / f, f, most, chosen, found);
    chosen.pop_back();
  }
}

}  // namespace

std::vector<std::vector<std::size_t>> grid_shapes(std::size_t islands, std::size_t most) {
  std::vector<std::vector<std::size_t>> found;
  std::vector<std::size_t> chosen;
  factor(islands, 2, std::max<std::size_t>(most, 2), chosen, found);
  // A side longer than this makes cliques as slow as the global one.
  const auto side = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(islands))));
  std::erase_if(found, [side](const auto& shape) { return shape.back() > 2 * side; });
  if (found.empty()) found.push_back({side, (islands + side - 1) / side});
  // The fewest rounds first, then the most even.
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    if (a.size() != b.size()) return a.size() < b.size();
    return a.back() < b.back();
  });
  return found;
}

std::optional<std::string> grid_fault(const PlanRequest& request, const PlanSpec& spec) {
  if (request.exchange != Exchange::kDirect && request.exchange != Exchange::kInNetwork) {
    return fmt::format("beyond {} islands only direct and in-network are planned",
                       Partitions::kMostIslands);
  }
  if (request.routing == Routing::kEngineered) {
    return fmt::format("beyond {} islands only shortest paths are planned",
                       Partitions::kMostIslands);
  }
  if (spec.objective != PlanObjective::kDrift && spec.objective != PlanObjective::kConsensus) {
    return fmt::format("beyond {} islands the objective is drift or consensus",
                       Partitions::kMostIslands);
  }
  if (spec.max_clique) {
    return fmt::format("beyond {} islands the grid decides the clique sizes; leave out max_clique",
                       Partitions::kMostIslands);
  }
  if (spec.max_period < 2) return "a grid takes at least two rounds; set max_period to 2 or more";
  return std::nullopt;
}

PlanResult search_grid(const PlanRequest& request, const PlanSpec& spec, const PlanWatch& watch) {
  return GridSearch(request, spec, watch).run();
}

}  // namespace gyre
