#include <array>
#include <numeric>
#include <string_view>

#include "schedules/policy.hpp"
#include "schedules/ring_order.hpp"

namespace gyre {
namespace {

/// A ring of all islands, each of which sends to the next (weights 1/2) or to both of its
/// neighbours (1/3). The order is that of a ring all-reduce, chosen by what paces it.
class RingOverlay final : public Policy {
 public:
  void describe(Fields& fields) override {
    fields.optional_choice(
        {"directions", "Whether islands send to both of their neighbours or to the next one only."},
        directions_, kDirectionsNames);
  }
  void start(const PolicyContext& context) override {
    const std::size_t n = context.topology.island_count();
    std::vector<IslandId> order;
    order.reserve(n);
    for (std::size_t i = 0; i < n; ++i) order.push_back(IslandId::at(i));
    if (n >= 3 && context.exchanges != nullptr) {
      order = ring_order(context.exchanges->network, order, context.exchanges->payload).order;
    }
    std::vector<MixingEdge> edges;
    const bool both = directions_ == Directions::kBoth && n >= 3;
    const double weight = both ? 1.0 / 3.0 : 0.5;
    for (std::size_t i = 0; i < n && n >= 2; ++i) {
      const IslandId here = order[i];
      const IslandId next = order[(i + 1) % n];
      edges.push_back({.from = here, .to = next, .weight = weight});
      if (both) edges.push_back({.from = next, .to = here, .weight = weight});
    }
    round_ = make_overlay(std::move(edges), n);
  }
  Round round(std::int64_t /*number*/) override { return round_; }
  [[nodiscard]] bool overlay() const override { return true; }

 private:
  enum class Directions : std::uint8_t { kBoth, kOne };
  static constexpr std::array<std::string_view, 2> kDirectionsNames{"both", "one"};

  Directions directions_ = Directions::kBoth;
  Round round_;
};

}  // namespace

std::unique_ptr<Policy> make_ring_overlay() { return std::make_unique<RingOverlay>(); }

}  // namespace gyre
