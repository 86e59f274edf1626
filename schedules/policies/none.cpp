#include "schedules/policy.hpp"

namespace gyre {
namespace {

class None final : public Policy {
 public:
  void describe(Fields& /*fields*/) override {}
  void start(const PolicyContext& context) override {
    round_ = make_round({}, context.topology.island_count());
  }
  Round round(std::int64_t /*number*/) override { return round_; }
  [[nodiscard]] bool exchanges() const override { return false; }

 private:
  Round round_;
};

}  // namespace

std::unique_ptr<Policy> make_none() { return std::make_unique<None>(); }

}  // namespace gyre
