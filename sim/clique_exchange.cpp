#include "sim/clique_exchange.hpp"

#include <algorithm>
#include <utility>

#include "models/error.hpp"

namespace gyre {

CliqueExchange::CliqueExchange(std::shared_ptr<const PreparedPlan> plan, Networks networks,
                               const std::vector<simgrid::s4u::SemaphorePtr>& gates,
                               bool propagation)
    : plan_(std::move(plan)),
      networks_(networks),
      gates_(&gates),
      propagation_(propagation),
      states_(plan_->plan.flows.size()) {}

CliqueExchange::~CliqueExchange() {
  for (const FlowState& state : states_) {
    if (state.packets != nullptr) state.packets->on_give_up = nullptr;
  }
}

bool CliqueExchange::launches_alone(std::size_t flow) const {
  return networks_.eager && plan_->plan.flows[flow].stream.sources.size() > 1 &&
         plan_->plan.flows[flow].after.empty();
}

PacketFlow& CliqueExchange::packets(std::size_t flow) {
  FlowState& state = states_[flow];
  if (state.packets == nullptr) {
    state.packets = networks_.packets->open(plan_->packets[flow], plan_->plan.flows[flow].bytes);
    state.packets->on_give_up = [this](const std::string& why) {
      if (on_give_up) on_give_up(why);
    };
  }
  return *state.packets;
}

bool CliqueExchange::meet(IslandId member) {
  // Launching lets others run, who may come as well.
  ready_.push_back(member);
  const bool last = missing() == 0;
  for (std::size_t f = 0; f < states_.size(); ++f) {
    if (launches_alone(f)) networks_.packets->launch(packets(f), member);
  }
  return last;
}

void CliqueExchange::await(IslandId member) { (*gates_)[member.index()]->acquire(); }

void CliqueExchange::begin(IslandId starter, bool let_starter_go) {
  has_begun_ = true;
  begun = simulated_now();
  for (const std::size_t f : plan_->independent) start(starter, f);
  for (const IslandId member : plan_->plan.members) {
    if (member != starter || let_starter_go) (*gates_)[member.index()]->release();
  }
}

void CliqueExchange::reduce(std::shared_ptr<const PreparedPlan> plan) {
  check(!has_begun_ && networks_.packets == nullptr, "an exchange under way lost members");
  plan_ = std::move(plan);
  states_ = std::vector<FlowState>(plan_->plan.flows.size());
}

void CliqueExchange::start(IslandId starter, std::size_t flow) {
  FlowState& state = states_[flow];
  const Flow& planned = plan_->plan.flows[flow];
  if (networks_.packets == nullptr) {
    state.handle =
        networks_.flows->start(starter, planned.stream, plan_->routes[flow], planned.bytes);
  } else if (!dropped_) {
    PacketFlow& running = packets(flow);
    for (const IslandId source : planned.stream.sources) {
      networks_.packets->launch(running, source);
    }
  }
  state.launched = true;
  for (const IslandId other : std::exchange(state.waiting, {})) {
    (*gates_)[other.index()]->release();
  }
}

Instant CliqueExchange::settle(std::size_t flow, IslandId member) {
  FlowState& state = states_[flow];
  if (!state.launched && !dropped_) {
    state.waiting.push_back(member);
    (*gates_)[member.index()]->acquire();
  }
  if (dropped_) return simulated_now();
  if (networks_.packets != nullptr) {
    return networks_.packets->wait(*state.packets, member, (*gates_)[member.index()]);
  }
  const Instant done = state.handle.wait();
  if (!propagation_) return done;
  return done + latency_to(plan_->plan.flows[flow].stream, member).value_or(Duration());
}

void CliqueExchange::take_part(IslandId member) {
  const std::size_t rank = rank_in(plan_->plan.members, member);
  for (const std::size_t f : plan_->starts[rank]) {
    for (const std::size_t before : plan_->plan.flows[f].after) sleep_until(settle(before, member));
    start(member, f);
  }
  Instant done = simulated_now();
  for (const std::size_t f : plan_->touches[rank]) done = std::max(done, settle(f, member));
  if (!dropped_) sleep_until(done);
}

void CliqueExchange::drop() {
  dropped_ = true;
  partly_ = !left_.empty();
  for (FlowState& state : states_) {
    if (state.packets != nullptr) networks_.packets->abort(*state.packets);
    for (const IslandId other : std::exchange(state.waiting, {})) {
      networks_.packets->wake((*gates_)[other.index()]);
    }
  }
}

bool CliqueExchange::has_left(IslandId member) const {
  return std::find(left_.begin(), left_.end(), member) != left_.end();
}

Bytes CliqueExchange::wan_bytes() const {
  if (networks_.packets == nullptr) return plan_->wan_bytes;
  std::int64_t bytes = 0;
  for (const FlowState& state : states_) {
    if (state.packets != nullptr) bytes += state.packets->core_bytes;
  }
  return Bytes::count(bytes);
}

std::int64_t CliqueExchange::retransmissions() const {
  std::int64_t chunks = 0;
  for (const FlowState& state : states_) {
    if (state.packets != nullptr) chunks += state.packets->retransmissions;
  }
  return chunks;
}

}  // namespace gyre
