#include "sim/clique_exchange.hpp"

#include <algorithm>
#include <utility>

namespace gyre {

CliqueExchange::CliqueExchange(std::shared_ptr<const PreparedPlan> plan, FlowNetwork& flows,
                               const std::vector<simgrid::s4u::SemaphorePtr>& gates,
                               bool propagation)
    : plan_(std::move(plan)),
      flows_(&flows),
      gates_(&gates),
      propagation_(propagation),
      states_(plan_->plan.flows.size()) {}

bool CliqueExchange::meet(IslandId member) {
  ready_.push_back(member);
  if (missing() == 0) return true;
  (*gates_)[member.index()]->acquire();
  return false;
}

void CliqueExchange::begin(IslandId member) {
  begun = simulated_now();
  for (const std::size_t f : plan_->independent) start(member, f);
  for (const IslandId other : plan_->plan.members) {
    if (other != member) (*gates_)[other.index()]->release();
  }
}

void CliqueExchange::start(IslandId starter, std::size_t flow) {
  FlowState& state = states_[flow];
  state.handle = flows_->start(starter, plan_->routes[flow], plan_->plan.flows[flow].bytes);
  if (state.waiting) (*gates_)[state.waiting->index()]->release();
}

Instant CliqueExchange::settle(std::size_t flow, IslandId member) {
  FlowState& state = states_[flow];
  if (!state.handle.started()) {
    state.waiting = member;
    (*gates_)[member.index()]->acquire();
  }
  Instant done = state.handle.wait();
  const Flow& planned = plan_->plan.flows[flow];
  if (!state.accounted) {
    state.accounted = true;
    flows_->account(planned.stream, planned.bytes);
  }
  if (!propagation_) return done;
  for (const Delivery& delivery : planned.stream.deliveries) {
    if (delivery.receiver == member) return done + delivery.latency;
  }
  return done;
}

void CliqueExchange::take_part(IslandId member) {
  const Clique& members = plan_->plan.members;
  const auto rank = static_cast<std::size_t>(
      std::lower_bound(members.begin(), members.end(), member) - members.begin());
  for (const std::size_t f : plan_->starts[rank]) {
    for (const std::size_t before : plan_->plan.flows[f].after) sleep_until(settle(before, member));
    start(member, f);
  }
  Instant done = simulated_now();
  for (const std::size_t f : plan_->touches[rank]) done = std::max(done, settle(f, member));
  sleep_until(done);
}

bool CliqueExchange::leave() { return ++left_ == plan_->plan.members.size(); }

}  // namespace gyre
