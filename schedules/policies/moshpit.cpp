#include <cmath>

#include <fmt/format.h>

#include "models/error.hpp"
#include "schedules/policy.hpp"

namespace gyre {
namespace {

/// Islands at the points of a grid of side m in as many dimensions as they need; in round r those
/// average whose coordinates differ in dimension r mod d only. Exact after d rounds where n = m^d
/// (Moshpit SGD, Ryabinin et al. 2021, arXiv 2103.03239).
class Moshpit final : public Policy {
 public:
  void describe(Fields& fields) override {
    fields.optional({"side", "Islands of a full group; about the root of their number by default."},
                    side_, Range{.at_least = 2.0});
    where_ = fields.where("side");
  }
  void start(const PolicyContext& context) override {
    islands_ = context.topology.island_count();
    const auto n = static_cast<double>(islands_);
    group_ = static_cast<std::size_t>(
        side_.value_or(std::max<std::int64_t>(2, std::llround(std::ceil(std::sqrt(n) - 1e-9)))));
    if (side_ && group_ > islands_) {
      throw InputError(where_, fmt::format("groups of {} need as many islands; the topology has {}",
                                           group_, islands_));
    }
    strides_.clear();
    for (std::size_t stride = 1; stride < islands_; stride *= group_) strides_.push_back(stride);
  }
  Round round(std::int64_t number) override {
    if (strides_.empty()) return make_round({}, islands_);
    const std::size_t stride = strides_[static_cast<std::size_t>(number) % strides_.size()];
    std::vector<Clique> groups(islands_);
    for (std::size_t i = 0; i < islands_; ++i) {
      // The point with this dimension's coordinate at 0 stands for the group.
      const std::size_t coordinate = i / stride % group_;
      groups[i - coordinate * stride].push_back(IslandId::at(i));
    }
    return make_round(std::move(groups), islands_);
  }

 private:
  std::optional<std::int64_t> side_;
  std::size_t group_ = 2;
  Where where_;
  std::size_t islands_ = 0;
  std::vector<std::size_t> strides_;
};

}  // namespace

std::unique_ptr<Policy> make_moshpit() { return std::make_unique<Moshpit>(); }

}  // namespace gyre
