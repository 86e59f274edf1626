#include <optional>

#include "models/error.hpp"
#include "schedules/policy.hpp"

namespace gyre {
namespace {

class Explicit final : public Policy {
 public:
  void describe(Fields& fields) override {
    fields.list({"rounds",
                 "the cliques of round 0, 1, 2, …, as in 'SEO+TYO+SIN|LON+AMS'; '-' for a "
                 "round without exchange"},
                Presence::kNullable, texts_);
    std::optional<Text> file;  // the loader has put the file's rounds in its place
    fields.optional({"file",
                     "instead of `rounds`: a schedule file as gyre plan writes it, relative to the "
                     "scenario"},
                    file);
    where_ = fields.where();
    fields.optional({"repeat",
                     "whether the list starts again after its last round; else no "
                     "exchange follows it"},
                    repeat_);
  }
  void start(const PolicyContext& context) override {
    if (texts_.empty()) {
      throw InputError(where_, "the rounds are not given; allowed is either `rounds` or `file`");
    }
    rounds_ = parse_rounds(texts_, context.topology);
    idle_ = make_round({}, context.topology.island_count());
  }
  Round round(std::int64_t number) override {
    const auto at = static_cast<std::size_t>(number);
    if (!repeat_ && at >= rounds_.size()) return idle_;
    return rounds_[at % rounds_.size()];
  }

 private:
  std::vector<Text> texts_;
  Where where_;
  bool repeat_ = true;
  std::vector<Round> rounds_;
  Round idle_;
};

}  // namespace

std::unique_ptr<Policy> make_explicit() { return std::make_unique<Explicit>(); }

}  // namespace gyre
