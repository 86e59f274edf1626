#include <map>
#include <optional>

#include <fmt/format.h>

#include "models/error.hpp"
#include "schedules/optimizer/optimizer.hpp"
#include "schedules/policy.hpp"

namespace gyre {
namespace {

/// The rounds that the optimiser finds for the network, the job and the exchange, or given ones.
class RotatingCliques final : public Policy {
 public:
  void describe(Fields& fields) override {
    where_ = fields.where();
    fields.list({"rounds",
                 "the cliques of each round of a period, as in 'SEO+TYO+SIN|LON+AMS'; without them "
                 "the optimiser finds the rounds"},
                Presence::kNullable, texts_);
    if (texts_.empty()) spec_.describe(fields);
  }

  void start(const PolicyContext& context) override {
    rounds_.clear();
    request_.reset();
    for (const Text& text : texts_) rounds_.push_back(parse_round(text, context.topology));
    if (!rounds_.empty() || context.exchanges == nullptr) return;
    if (context.topology.island_count() == 1) {
      rounds_.push_back(make_round({}, 1));
      return;
    }
    const ExchangeContext& exchanges = exchanges_.emplace(*context.exchanges);
    const PlanRequest& request = request_.emplace(PlanRequest{.network = &exchanges.network,
                                                              .exchange = exchanges.exchange,
                                                              .routing = exchanges.routing,
                                                              .payload = exchanges.payload,
                                                              .compute = exchanges.compute,
                                                              .seed = context.seed});
    if (const auto fault = request_fault(request, spec_)) throw InputError(where_, *fault);
  }

  void prepare(const std::function<bool()>& keep_going) override {
    if (!rounds_.empty()) return;
    if (!request_) broken_invariant("a plan needs to know the exchanges");
    const std::string key = content_of(*request_);
    auto known = planned_.find(key);
    if (known == planned_.end()) {
      known = planned_.emplace(key, planned(*request_, keep_going)).first;
    }
    rounds_ = known->second;
  }

  [[nodiscard]] bool prepares() const override {
    return rounds_.empty() && request_ && !planned_.contains(content_of(*request_));
  }

  Round round(std::int64_t number) override {
    check(!rounds_.empty(), "rotating cliques were not prepared");
    return rounds_[static_cast<std::size_t>(number) % rounds_.size()];
  }

 private:
  [[nodiscard]] std::vector<Round> planned(const PlanRequest& request,
                                           const std::function<bool()>& keep_going) const {
    const PlanResult result = plan_schedule(
        request, spec_, [&keep_going](double, double, double) { return keep_going(); });
    if (result.ranked.empty()) {
      throw InputError(where_, "no round communicates within the window; allow more time");
    }
    std::vector<Round> rounds;
    rounds.reserve(result.ranked.front().rounds.size());
    for (const PlannedRound& round : result.ranked.front().rounds) rounds.push_back(round.round);
    return rounds;
  }

  /// Everything that the plan depends on.
  static std::string content_of(const PlanRequest& request) {
    const Topology& topology = request.network->topology;
    std::string text = fmt::format("{} {} {} {} {}", name_of(request.exchange),
                                   name_of(request.routing), request.payload.in_bytes(),
                                   to_text(request.compute.in_seconds()), request.seed);
    for (std::size_t a = 0; a < topology.arc_count(); ++a) {
      const Arc& arc = topology.arc(ArcId::at(a));
      text += fmt::format(";{}>{} {} {}", arc.tail.index(), arc.head.index(),
                          arc.capacity.in_bits_per_second(), to_text(arc.latency.in_seconds()));
    }
    for (std::size_t s = 0; s < topology.switch_count(); ++s) {
      const SwitchId at = SwitchId::at(s);
      text += fmt::format(";{:d}{:d}", request.network->capabilities.replicates(at),
                          request.network->capabilities.adds(at));
    }
    return text;
  }

  std::vector<Text> texts_;
  PlanSpec spec_;
  Where where_;
  std::vector<Round> rounds_;
  std::optional<ExchangeContext> exchanges_;
  std::optional<PlanRequest> request_;
  std::map<std::string, std::vector<Round>> planned_;  ///< by content
};

}  // namespace

std::unique_ptr<Policy> make_rotating_cliques() { return std::make_unique<RotatingCliques>(); }

}  // namespace gyre
