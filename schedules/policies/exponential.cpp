#include <array>
#include <string_view>

#include "schedules/policy.hpp"

namespace gyre {
namespace {

/// Every island sends to those 1, 2, 4, … ranks further on, round the clock: to all of them with
/// weights 1/(τ+1) (`static`), or to one of them a round with weight 1/2 (`one-peer`),
/// τ = ⌈log2 n⌉. One-peer rounds average exactly after τ rounds where n is a power of two (Ying et
/// al. 2021, arXiv 2110.13363).
class Exponential final : public Policy {
 public:
  void describe(Fields& fields) override {
    fields.optional_choice({"peers",
                            "Whether an island sends to all of its peers in every round (static) "
                            "or to one after the other (one-peer)."},
                           peers_, kPeersNames);
  }
  void start(const PolicyContext& context) override {
    islands_ = context.topology.island_count();
    distances_.clear();
    for (std::size_t d = 1; d < islands_; d *= 2) distances_.push_back(d);
  }
  Round round(std::int64_t number) override {
    if (distances_.empty()) return make_round({}, islands_);
    if (peers_ == Peers::kStatic) {
      return to_peers(distances_, 1.0 / static_cast<double>(distances_.size() + 1));
    }
    const std::size_t turn = static_cast<std::size_t>(number) % distances_.size();
    return to_peers({distances_[turn]}, 0.5);
  }
  [[nodiscard]] bool overlay() const override { return true; }

 private:
  enum class Peers : std::uint8_t { kOnePeer, kStatic };
  static constexpr std::array<std::string_view, 2> kPeersNames{"one-peer", "static"};

  [[nodiscard]] Round to_peers(const std::vector<std::size_t>& distances, double weight) const {
    std::vector<MixingEdge> edges;
    for (std::size_t i = 0; i < islands_; ++i) {
      for (const std::size_t d : distances) {
        edges.push_back(
            {.from = IslandId::at(i), .to = IslandId::at((i + d) % islands_), .weight = weight});
      }
    }
    return make_overlay(std::move(edges), islands_);
  }

  Peers peers_ = Peers::kOnePeer;
  std::size_t islands_ = 0;
  std::vector<std::size_t> distances_;
};

}  // namespace

std::unique_ptr<Policy> make_exponential() { return std::make_unique<Exponential>(); }

}  // namespace gyre
