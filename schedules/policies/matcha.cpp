#include <algorithm>
#include <array>
#include <string_view>

#include "models/connected_parts.hpp"
#include "models/rng.hpp"
#include "schedules/matcha_plan.hpp"
#include "schedules/policy.hpp"

namespace gyre {
namespace {

/// Matchings of a base graph that are active at random, those that join the islands best most often
/// (`MatchaPlan`). The base graph joins islands whose switches are neighbours on the map (`links`),
/// or all with all (`complete`).
class Matcha final : public Policy {
 public:
  void describe(Fields& fields) override {
    fields.optional({"budget", "Mean share of the matchings that is active in a round."}, budget_,
                    Range{.above = 0.0, .at_most = 1.0});
    fields.optional_choice({"graph",
                            "Base graph: islands at the same or at neighbouring switches (links), "
                            "or all with all (complete)."},
                           graph_, kGraphNames);
    where_ = fields.where("graph");
  }
  void start(const PolicyContext& context) override {
    islands_ = context.topology.island_count();
    stream_ = Rng::stream(context.seed, "policy/matcha");
    const auto graph = base_graph(context.topology);
    if (graph == planned_for_) return;  // a start anew in the same circumstances
    planned_for_.reset();
    matchings_.clear();
    if (islands_ < 2) return;
    if (connected_parts(std::vector<bool>(islands_, true), graph).size() > 1) {
      throw InputError(where_,
                       "does not join all islands: some have no neighbour with an island; allowed "
                       "is complete");
    }
    matchings_ = matchings_of(graph, islands_);
    plan_ = matcha_plan(matchings_, islands_, budget_);
    planned_for_ = graph;
  }
  Round round(std::int64_t /*number*/) override {
    std::vector<OverlayLink> links;
    for (std::size_t j = 0; j < matchings_.size(); ++j) {
      if (stream_.uniform() >= plan_.probabilities[j]) continue;
      for (const auto& [a, b] : matchings_[j]) links.push_back({a, b, plan_.weight});
    }
    return make_overlay(links, islands_);
  }
  [[nodiscard]] bool overlay() const override { return true; }

 private:
  using Edges = std::vector<std::pair<std::size_t, std::size_t>>;
  enum class Graph : std::uint8_t { kLinks, kComplete };
  static constexpr std::array<std::string_view, 2> kGraphNames{"links", "complete"};

  [[nodiscard]] Edges base_graph(const Topology& topology) const {
    Edges edges;
    for (std::size_t a = 0; a < islands_; ++a) {
      for (std::size_t b = a + 1; b < islands_; ++b) {
        const SwitchId first = topology.island(IslandId::at(a)).at;
        const SwitchId second = topology.island(IslandId::at(b)).at;
        if (graph_ == Graph::kComplete || first == second || neighbours(topology, first, second)) {
          edges.emplace_back(a, b);
        }
      }
    }
    return edges;
  }

  static bool neighbours(const Topology& topology, SwitchId first, SwitchId second) {
    return std::ranges::any_of(topology.out_arcs(topology.node(first)), [&](ArcId arc) {
      return topology.arc(arc).head == topology.node(second);
    });
  }

  double budget_ = 0.5;
  Graph graph_ = Graph::kLinks;
  Where where_;
  std::size_t islands_ = 0;
  std::optional<Edges> planned_for_;
  std::vector<Matching> matchings_;
  MatchaPlan plan_;
  Rng stream_ = Rng::stream(0, "");
};

}  // namespace

std::unique_ptr<Policy> make_matcha() { return std::make_unique<Matcha>(); }

}  // namespace gyre
