#include "schedules/policy.hpp"

namespace gyre {
namespace {

class RotatingCliques final : public Policy {
 public:
  void describe(Fields& fields) override {
    fields.list({"rounds", "the cliques of each round of a period, as in 'SEO+TYO+SIN|LON+AMS'"},
                Presence::kRequired, texts_);
  }
  void start(const PolicyContext& context) override {
    rounds_.clear();
    for (const Text& text : texts_) rounds_.push_back(parse_round(text, context.topology));
  }
  Round round(std::int64_t number) override {
    return rounds_[static_cast<std::size_t>(number) % rounds_.size()];
  }

 private:
  std::vector<Text> texts_;
  std::vector<Round> rounds_;
};

}  // namespace

std::unique_ptr<Policy> make_rotating_cliques() { return std::make_unique<RotatingCliques>(); }

}  // namespace gyre
