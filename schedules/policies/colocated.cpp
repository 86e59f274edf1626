#include "schedules/policy.hpp"

namespace gyre {

std::unique_ptr<Policy> make_all_reduce();

namespace {

/// A global clique every round; that it runs on the fabric instead of the WAN is the simulation's
/// part.
class Colocated final : public Policy {
 public:
  void describe(Fields& fields) override { all_reduce_->describe(fields); }
  void start(const PolicyContext& context) override { all_reduce_->start(context); }
  Round round(std::int64_t number) override { return all_reduce_->round(number); }
  [[nodiscard]] bool colocated() const override { return true; }
  [[nodiscard]] bool joins_all() const override { return true; }

 private:
  std::unique_ptr<Policy> all_reduce_ = make_all_reduce();
};

}  // namespace

std::unique_ptr<Policy> make_colocated() { return std::make_unique<Colocated>(); }

}  // namespace gyre
