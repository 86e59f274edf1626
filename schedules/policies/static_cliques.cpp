#include "schedules/policy.hpp"

namespace gyre {
namespace {

class StaticCliques final : public Policy {
 public:
  void describe(Fields& fields) override {
    fields.required({"cliques", "the cliques of every round, as in 'SEO+TYO+SIN|LON+AMS'"},
                    cliques_);
  }
  void start(const PolicyContext& context) override {
    round_ = parse_round(cliques_, context.topology);
  }
  Round round(std::int64_t /*number*/) override { return round_; }
  [[nodiscard]] std::optional<std::size_t> different_cliques(std::size_t members) const override {
    return cliques_up_to(round_, members);
  }

 private:
  Text cliques_;
  Round round_;
};

}  // namespace

std::unique_ptr<Policy> make_static_cliques() { return std::make_unique<StaticCliques>(); }

}  // namespace gyre
