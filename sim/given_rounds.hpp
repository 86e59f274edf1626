#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "schedules/policy.hpp"

namespace gyre {

/// Rounds that somebody else has chosen, over and over.
class GivenRounds : public Policy {
 public:
  /// Requires at least one round.
  explicit GivenRounds(std::vector<Round> rounds) : rounds_(std::move(rounds)) {}
  void describe(Fields& /*fields*/) override {}
  void start(const PolicyContext& /*context*/) override {}
  Round round(std::int64_t number) override {
    return rounds_[static_cast<std::size_t>(number) % rounds_.size()];
  }
  [[nodiscard]] bool overlay() const override { return !rounds_.front().edges.empty(); }

 private:
  std::vector<Round> rounds_;
};

}  // namespace gyre
