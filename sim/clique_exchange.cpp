#include "sim/clique_exchange.hpp"

#include <algorithm>
#include <utility>

#include "models/error.hpp"

namespace gyre {

CliqueExchange::CliqueExchange(std::shared_ptr<const PreparedPlan> plan, Networks networks,
                               const std::vector<simgrid::s4u::SemaphorePtr>& gates,
                               bool propagation)
    : networks_(networks),
      gates_(&gates),
      propagation_(propagation),
      attempt_(std::make_shared<Attempt>()) {
  attempt_->states = std::vector<FlowState>(plan->plan.flows.size());
  attempt_->plan = std::move(plan);
}

CliqueExchange::~CliqueExchange() {
  for (const FlowState& state : attempt_->states) {
    if (state.packets != nullptr) state.packets->on_give_up = nullptr;
  }
}

bool CliqueExchange::launches_alone(std::size_t flow) const {
  return networks_.eager && plan().plan.flows[flow].stream.sources.size() > 1 &&
         plan().plan.flows[flow].after.empty();
}

PacketFlow& CliqueExchange::packets(Attempt& attempt, std::size_t flow) {
  FlowState& state = attempt.states[flow];
  if (state.packets == nullptr) {
    state.packets =
        networks_.packets->open(attempt.plan->packets[flow], attempt.plan->plan.flows[flow].bytes,
                                launches_alone(flow) && !has_begun_);
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
  const std::shared_ptr<Attempt> attempt = attempt_;
  for (std::size_t f = 0; f < attempt->states.size() && !attempt->left; ++f) {
    if (launches_alone(f)) networks_.packets->launch(packets(*attempt, f), member);
  }
  return last;
}

void CliqueExchange::await(IslandId member) {
  if (std::erase(expected_, member) > 0) return;
  awaiting_.push_back(member);
  (*gates_)[member.index()]->acquire();
}

bool CliqueExchange::let_go(IslandId member) {
  const bool waits = std::erase(awaiting_, member) > 0;
  if (waits) (*gates_)[member.index()]->release();
  return waits;
}

void CliqueExchange::withdraw(IslandId member) {
  std::erase(ready_, member);
  const bool eager = std::any_of(attempt_->states.begin(), attempt_->states.end(),
                                 [](const FlowState& state) { return state.packets != nullptr; });
  if (eager) restart(attempt_->plan);
  let_go(member);
}

void CliqueExchange::call_off() {
  called_off_ = true;
  has_begun_ = true;
  begun = simulated_now();
  drop();
  for (const IslandId member : std::vector<IslandId>(awaiting_)) let_go(member);
}

void CliqueExchange::begin(IslandId starter, bool let_starter_go, Duration setup) {
  has_begun_ = true;
  begun = simulated_now();
  const std::shared_ptr<Attempt> attempt = attempt_;
  if (setup > Duration()) sleep_until(begun + setup);
  start_independent(*attempt, starter);
  // Starting lets others run: some may have left by now, who have to know as well.
  for (const IslandId member : attempt->plan->plan.members) {
    if (member == starter && !let_starter_go) continue;
    if (!let_go(member)) expected_.push_back(member);
  }
}

void CliqueExchange::reduce(std::shared_ptr<const PreparedPlan> plan) {
  check(!has_begun_, "an exchange under way lost members");
  restart(std::move(plan));
}

void CliqueExchange::restart(std::shared_ptr<const PreparedPlan> plan, bool hold) {
  // Leaving the old one lets its members run, who look for the new one.
  const std::shared_ptr<Attempt> attempt = std::make_shared<Attempt>();
  attempt->states = std::vector<FlowState>(plan->plan.flows.size());
  attempt->plan = std::move(plan);
  const std::shared_ptr<Attempt> old = std::exchange(attempt_, attempt);
  held_ = hold && has_begun_;
  leave_attempt(*old);
  if (attempt->left) return;  // it was planned anew once more
  if (!hold && has_begun_) go_on();
}

void CliqueExchange::start_independent(Attempt& attempt, IslandId starter) {
  for (const std::size_t f : attempt.plan->independent) {
    // Something may have failed meanwhile: each start lets others run.
    if (attempt.left) return;
    start(attempt, starter, f);
  }
}

void CliqueExchange::go_on() {
  held_ = false;
  const std::shared_ptr<Attempt> attempt = attempt_;
  start_independent(*attempt, attempt->plan->plan.members.front());
  if (attempt->left) return;
  for (const IslandId member : left_) {
    simgrid::s4u::Actor::create("sends again", networks_.platform->host(member),
                                [self = shared_from_this(), attempt, member] {
                                  self->play(attempt, member, simgrid::s4u::Semaphore::create(0));
                                })
        ->daemonize();
  }
}

bool CliqueExchange::is_held_up(
    const std::function<bool(const Stream& stream)>& is_affected) const {
  if (dropped_ || finished_) return false;
  for (std::size_t f = 0; f < attempt_->states.size(); ++f) {
    const FlowState& state = attempt_->states[f];
    // Who is eager has sent before all were ready.
    if (!has_begun_ && state.packets == nullptr) continue;
    if (state.launched && !under_way(state)) continue;
    if (is_affected(plan().plan.flows[f].stream)) return true;
  }
  return false;
}

bool CliqueExchange::under_way(const FlowState& state) const {
  if (networks_.packets == nullptr) return networks_.flows->under_way(state.handle);
  return state.packets != nullptr && !state.packets->ended;
}

void CliqueExchange::leave_attempt(Attempt& attempt) {
  attempt.left = true;
  if (networks_.packets != nullptr) {
    for (FlowState& state : attempt.states) {
      if (state.packets == nullptr) continue;
      state.packets->on_give_up = nullptr;
      lost_wan_bytes_ += Bytes::count(state.packets->core_bytes);
      lost_retransmissions_ += state.packets->retransmissions;
    }
    abort_packets(attempt);
    networks_.packets->flush();
    return;
  }
  // First what they have sent: closing them lets others run, who may report the exchange and end
  // the run.
  for (std::size_t f = 0; f < attempt.states.size(); ++f) {
    if (attempt.states[f].launched) settle_lost(attempt, f);
  }
  for (FlowState& state : attempt.states) {
    if (state.launched) networks_.flows->close(state.handle);
    for (const Gate& gate : std::exchange(state.waiting, {})) gate->release();
  }
}

void CliqueExchange::settle_lost(Attempt& attempt, std::size_t flow) {
  const Bytes sent = networks_.flows->settle(attempt.states[flow].handle);
  for (const ArcUse& use : attempt.plan->plan.flows[flow].stream.arcs) {
    if (networks_.topology->is_core(use.arc)) lost_wan_bytes_ += sent * use.copies;
  }
}

void CliqueExchange::start(Attempt& attempt, IslandId starter, std::size_t flow) {
  FlowState& state = attempt.states[flow];
  const Flow& planned = attempt.plan->plan.flows[flow];
  if (networks_.packets == nullptr) {
    state.handle =
        networks_.flows->start(starter, planned.stream, attempt.plan->routes[flow], planned.bytes);
    // Starting lets others run, who may have left the attempt and not known of this flow.
    if (attempt.left) {
      settle_lost(attempt, flow);
      networks_.flows->close(state.handle);
    }
  } else if (!dropped_ && !attempt.left) {
    PacketFlow& running = packets(attempt, flow);
    for (const IslandId source : planned.stream.sources) {
      networks_.packets->launch(running, source);
    }
  }
  state.launched = true;
  for (const Gate& gate : std::exchange(state.waiting, {})) gate->release();
}

Instant CliqueExchange::settle(Attempt& attempt, std::size_t flow, IslandId member,
                               const Gate& gate) {
  FlowState& state = attempt.states[flow];
  if (!state.launched && !dropped_ && !attempt.left) {
    state.waiting.push_back(gate);
    gate->acquire();
  }
  if (dropped_ || attempt.left) return simulated_now();
  if (networks_.packets != nullptr) return networks_.packets->wait(*state.packets, member, gate);
  const Instant done = state.handle.wait();
  if (!propagation_ || attempt.left) return done;
  return done + state.handle.latency_to(member).value_or(Duration());
}

void CliqueExchange::take_part(IslandId member) {
  const Gate& gate = (*gates_)[member.index()];
  // It may not be among those of whom there is left what has been planned anew.
  const auto takes_part = [this, member] {
    const Clique& members = plan().plan.members;
    return !dropped_ && !finished_ && std::binary_search(members.begin(), members.end(), member);
  };
  while (takes_part() && !play(attempt_, member, gate)) {
  }
}

bool CliqueExchange::play(const std::shared_ptr<Attempt>& attempt, IslandId member,
                          const Gate& gate) {
  // The attempt that is handed over may be replaced meanwhile: hold on to this one.
  const std::shared_ptr<Attempt> mine = attempt;
  const PreparedPlan& prepared = *mine->plan;
  const std::size_t rank = rank_in(prepared.plan.members, member);
  for (const std::size_t f : prepared.starts[rank]) {
    for (const std::size_t before : prepared.plan.flows[f].after) {
      sleep_until(settle(*mine, before, member, gate));
      if (mine->left) return false;
    }
    start(*mine, member, f);
  }
  Instant done = simulated_now();
  for (const std::size_t f : prepared.touches[rank]) {
    done = std::max(done, settle(*mine, f, member, gate));
    if (mine->left) return false;
  }
  if (!dropped_) sleep_until(done);
  return !mine->left;
}

void CliqueExchange::drop(bool in_event) {
  dropped_ = true;
  partly_ = !left_.empty();
  if (networks_.packets == nullptr) {
    leave_attempt(*attempt_);
    return;
  }
  abort_packets(*attempt_);
  if (!in_event) networks_.packets->flush();
}

void CliqueExchange::finish() {
  finished_ = true;
  leave_attempt(*attempt_);
}

void CliqueExchange::abort_packets(Attempt& attempt) {
  for (FlowState& state : attempt.states) {
    if (state.packets != nullptr) networks_.packets->abort(*state.packets);
    for (const Gate& gate : std::exchange(state.waiting, {})) networks_.packets->wake(gate);
  }
}

bool CliqueExchange::has_left(IslandId member) const {
  return std::find(left_.begin(), left_.end(), member) != left_.end();
}

Bytes CliqueExchange::wan_bytes() const {
  if (networks_.packets == nullptr) {
    return dropped_ || finished_ ? lost_wan_bytes_ : lost_wan_bytes_ + plan().wan_bytes;
  }
  std::int64_t bytes = lost_wan_bytes_.in_bytes();
  if (finished_) return Bytes::count(bytes);
  for (const FlowState& state : attempt_->states) {
    if (state.packets != nullptr) bytes += state.packets->core_bytes;
  }
  return Bytes::count(bytes);
}

std::int64_t CliqueExchange::retransmissions() const {
  std::int64_t chunks = lost_retransmissions_;
  if (finished_) return chunks;
  for (const FlowState& state : attempt_->states) {
    if (state.packets != nullptr) chunks += state.packets->retransmissions;
  }
  return chunks;
}

}  // namespace gyre
