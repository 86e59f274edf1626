#include "schedules/ring_order.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

namespace gyre {
namespace {

constexpr std::size_t kExactMembers = 9;
constexpr std::size_t kImprovedMembers = 128;  // a sweep costs k³ path lengths

/// Hops between members by position in the clique. Where an order is improved its hops are asked
/// for again and again, and their arcs are kept; of more members they would be gigabytes.
class Hops {
 public:
  Hops(const Network& network, const Clique& clique, Bytes payload)
      : network_(&network), clique_(&clique), k_(clique.size()) {
    const auto steps = static_cast<double>(2 * (k_ - 1));
    const double bits_a_step = payload.in_bits() / static_cast<double>(k_);
    latency_.resize(k_ * k_, 0.0);
    seconds_.resize(network.topology.arc_count());
    load_.resize(network.topology.arc_count(), 0);
    for (std::size_t a = 0; a < seconds_.size(); ++a) {
      const Bandwidth rate = network.topology.arc(ArcId::at(a)).capacity;
      seconds_[a] = steps * bits_a_step / static_cast<double>(rate.in_bits_per_second());
    }
    const bool keeps = k_ <= kImprovedMembers;
    for (std::size_t i = 0; i < k_; ++i) {
      for (std::size_t j = 0; j < k_; ++j) {
        Duration latency;
        walk(i, j, [&](ArcId a) {
          latency += network.topology.arc(a).latency;
          if (keeps) kept_.push_back(a);
        });
        latency_[i * k_ + j] = latency.in_seconds();
        if (keeps) kept_ends_.push_back(kept_.size());
      }
    }
  }

  [[nodiscard]] std::size_t size() const { return k_; }
  [[nodiscard]] double latency(std::size_t i, std::size_t j) const { return latency_[i * k_ + j]; }

  /// Puts a hop on its arcs; returns the slowest arc's time so far, at least `pace`.
  double add(std::size_t i, std::size_t j, double pace) {
    each_arc(i, j, [&](ArcId a) {
      load_[a.index()] += 1;
      pace = std::max(pace, load_[a.index()] * seconds_[a.index()]);
    });
    return pace;
  }
  void remove(std::size_t i, std::size_t j) {
    each_arc(i, j, [&](ArcId a) { load_[a.index()] -= 1; });
  }

  /// The largest sum of 2(k−1) consecutive hop latencies: two laps less the smallest two in a row.
  [[nodiscard]] double chain_latency(const std::vector<std::size_t>& order) const {
    double lap = 0.0;
    double least_two = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < k_; ++i) {
      const std::size_t a = order[i];
      const std::size_t b = order[(i + 1) % k_];
      const std::size_t c = order[(i + 2) % k_];
      lap += latency(a, b);
      least_two = std::min(least_two, latency(a, b) + latency(b, c));
    }
    return 2.0 * lap - least_two;
  }

  struct Cost {
    double pace = 0.0;
    double latency = 0.0;
    [[nodiscard]] double total() const { return pace + latency; }
  };
  Cost cost(const std::vector<std::size_t>& order) {
    Cost cost;
    for (std::size_t i = 0; i < k_; ++i) cost.pace = add(order[i], order[(i + 1) % k_], cost.pace);
    for (std::size_t i = 0; i < k_; ++i) remove(order[i], order[(i + 1) % k_]);
    cost.latency = chain_latency(order);
    return cost;
  }

  [[nodiscard]] ArcId slowest_arc(const std::vector<std::size_t>& order) {
    double pace = 0.0;
    for (std::size_t i = 0; i < k_; ++i) pace = add(order[i], order[(i + 1) % k_], pace);
    std::size_t slowest = 0;
    while (load_[slowest] * seconds_[slowest] < pace) ++slowest;
    for (std::size_t i = 0; i < k_; ++i) remove(order[i], order[(i + 1) % k_]);
    return ArcId::at(slowest);
  }

 private:
  /// The arcs of member i's tree that lead to member j, the last one first.
  template <class Visit>
  void walk(std::size_t i, std::size_t j, Visit visit) const {
    const NodeId from = network_->topology.node((*clique_)[i]);
    for (NodeId at = network_->topology.node((*clique_)[j]); at != from;) {
      const ArcId arc = network_->routes.parent_arc(from, at);
      visit(arc);
      at = network_->topology.arc(arc).tail;
    }
  }

  template <class Visit>
  void each_arc(std::size_t i, std::size_t j, Visit visit) const {
    if (kept_ends_.empty()) return walk(i, j, visit);
    const std::size_t hop = i * k_ + j;
    for (std::size_t a = hop == 0 ? 0 : kept_ends_[hop - 1]; a < kept_ends_[hop]; ++a) {
      visit(kept_[a]);
    }
  }

  const Network* network_;
  const Clique* clique_;
  std::size_t k_;
  std::vector<ArcId> kept_;             ///< hop by hop
  std::vector<std::size_t> kept_ends_;  ///< by hop: where its arcs end
  std::vector<double> latency_;
  std::vector<double> seconds_;  ///< by arc: all steps of one hop
  std::vector<int> load_;
};

/// Depth-first over all orders that start with member 0, cut where pace and latency so far (each
/// only grows) reach the best total.
class ExactSearch {
 public:
  explicit ExactSearch(Hops& hops) : hops_(&hops), order_{0}, used_(hops.size(), false) {
    used_[0] = true;
    extend(0.0, 0.0);
  }
  [[nodiscard]] const std::vector<std::size_t>& best() const { return best_; }

 private:
  void extend(double pace, double lap) {
    const std::size_t k = hops_->size();
    // Two laps less two hops are at least one lap, and all k = 2 hops count once.
    if (pace + lap >= best_total_) return;
    const std::size_t last = order_.back();
    if (order_.size() == k) {
      const double whole = hops_->add(last, 0, pace);
      const double total = whole + hops_->chain_latency(order_);
      hops_->remove(last, 0);
      if (total < best_total_ - 1e-15) {
        best_total_ = total;
        best_ = order_;
      }
      return;
    }
    for (std::size_t next = 1; next < k; ++next) {
      if (used_[next]) continue;
      used_[next] = true;
      order_.push_back(next);
      const double grown = hops_->add(last, next, pace);
      extend(grown, lap + hops_->latency(last, next));
      hops_->remove(last, next);
      order_.pop_back();
      used_[next] = false;
    }
  }

  Hops* hops_;
  std::vector<std::size_t> order_;
  std::vector<bool> used_;
  std::vector<std::size_t> best_;
  double best_total_ = std::numeric_limits<double>::infinity();
};

/// For each member all members by their distance from it; equal ones by position.
std::vector<std::vector<std::uint32_t>> by_distance(const Hops& hops) {
  std::vector<std::vector<std::uint32_t>> lists(hops.size());
  for (std::size_t i = 0; i < hops.size(); ++i) {
    lists[i].resize(hops.size());
    std::iota(lists[i].begin(), lists[i].end(), std::uint32_t{0});
    std::stable_sort(lists[i].begin(), lists[i].end(), [&](std::uint32_t a, std::uint32_t b) {
      return hops.latency(i, a) < hops.latency(i, b);
    });
  }
  return lists;
}

std::vector<std::size_t> nearest_neighbour(const std::vector<std::vector<std::uint32_t>>& nearest,
                                           std::size_t start) {
  std::vector<std::size_t> order{start};
  std::vector<bool> used(nearest.size(), false);
  used[start] = true;
  while (order.size() < nearest.size()) {
    const std::vector<std::uint32_t>& others = nearest[order.back()];
    const std::size_t next =
        *std::ranges::find_if(others, [&](std::uint32_t j) { return !used[j]; });
    used[next] = true;
    order.push_back(next);
  }
  return order;
}

/// Moves segments of up to three members, straight or reversed, and reverses whole stretches, as
/// long as the total falls.
void improve(Hops& hops, std::vector<std::size_t>& order) {
  const std::size_t k = order.size();
  double best = hops.cost(order).total();
  const auto try_order = [&](const std::vector<std::size_t>& candidate) {
    const double total = hops.cost(candidate).total();
    if (total >= best - 1e-12) return false;
    best = total;
    order = candidate;
    return true;
  };
  bool better = true;
  while (better) {
    better = false;
    for (std::size_t i = 0; i + 1 < k; ++i) {
      for (std::size_t j = i + 1; j < k; ++j) {
        std::vector<std::size_t> candidate = order;
        std::reverse(candidate.begin() + static_cast<std::ptrdiff_t>(i),
                     candidate.begin() + static_cast<std::ptrdiff_t>(j) + 1);
        better = try_order(candidate) || better;
        for (std::size_t length = 1; length <= 3 && i + length <= k; ++length) {
          candidate = order;
          const auto from = candidate.begin() + static_cast<std::ptrdiff_t>(i);
          const std::vector<std::size_t> segment(from, from + static_cast<std::ptrdiff_t>(length));
          candidate.erase(from, from + static_cast<std::ptrdiff_t>(length));
          const std::size_t to = std::min(j, candidate.size());
          candidate.insert(candidate.begin() + static_cast<std::ptrdiff_t>(to), segment.begin(),
                           segment.end());
          better = try_order(candidate) || better;
        }
      }
    }
  }
}

std::vector<std::size_t> heuristic_order(Hops& hops) {
  // All starts are compared; only the best ones are worth the improvement.
  constexpr std::size_t kImproved = 3;
  std::vector<std::pair<double, std::vector<std::size_t>>> starts;
  const std::vector<std::vector<std::uint32_t>> nearest = by_distance(hops);
  for (std::size_t start = 0; start < hops.size(); ++start) {
    std::vector<std::size_t> order = nearest_neighbour(nearest, start);
    const double total = hops.cost(order).total();
    starts.emplace_back(total, std::move(order));
  }
  std::sort(starts.begin(), starts.end());  // equal totals: by order, so that nothing is left open
  starts.resize(std::min(starts.size(), kImproved));
  std::vector<std::size_t> best;
  double best_total = std::numeric_limits<double>::infinity();
  for (auto& [unused, order] : starts) {
    if (hops.size() <= kImprovedMembers) improve(hops, order);
    const double total = hops.cost(order).total();
    if (total >= best_total) continue;
    best_total = total;
    best = order;
  }
  std::rotate(best.begin(), std::find(best.begin(), best.end(), std::size_t{0}), best.end());
  return best;
}

Prediction prediction(Hops& hops, const std::vector<std::size_t>& order) {
  const Hops::Cost cost = hops.cost(order);
  return {.bandwidth = Duration::seconds(cost.pace),
          .latency = Duration::seconds(cost.latency),
          .binding_arc = hops.slowest_arc(order)};
}

}  // namespace

Ring ring_order(const Network& network, const Clique& clique, Bytes payload) {
  Hops hops(network, clique, payload);
  const std::vector<std::size_t> best =
      clique.size() <= kExactMembers ? ExactSearch(hops).best() : heuristic_order(hops);
  Ring ring{.order = {}, .predicted = prediction(hops, best)};
  for (const std::size_t i : best) ring.order.push_back(clique[i]);
  return ring;
}

Prediction ring_time(const Network& network, const std::vector<IslandId>& order, Bytes payload) {
  Hops hops(network, order, payload);
  std::vector<std::size_t> positions(order.size());
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  return prediction(hops, positions);
}

}  // namespace gyre
