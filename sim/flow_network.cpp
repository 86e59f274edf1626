#include "sim/flow_network.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "models/error.hpp"

namespace gyre {
namespace {

namespace s4u = simgrid::s4u;

/// The engine reads its options from an argument vector that has to outlive it.
class EngineArguments {
 public:
  EngineArguments() {
    words_.emplace_back("gyre");
    words_.emplace_back("--log=root.thres:critical");
    for (const ModelOption& option : model_options()) {
      words_.push_back(fmt::format("--cfg={}:{}", option.name, option.value));
    }
#ifdef GYRE_SANITIZED
    words_.emplace_back("--cfg=contexts/factory:thread");
#endif
    for (std::string& word : words_) pointers_.push_back(word.data());
    count_ = static_cast<int>(pointers_.size());
    pointers_.push_back(nullptr);
  }
  int* count() { return &count_; }
  char** values() { return pointers_.data(); }

 private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
  int count_ = 0;
};

EngineArguments& engine_arguments() {
  static EngineArguments arguments;
  return arguments;
}

}  // namespace

const std::vector<ModelOption>& model_options() {
  static const std::vector<ModelOption> kOptions{
      {"network/model", "CM02"},       {"network/optim", "Lazy"},
      {"network/TCP-gamma", "0"},      {"network/weight-S", "0"},
      {"network/latency-factor", "1"}, {"network/bandwidth-factor", "1"},
      {"network/crosstraffic", "0"},   {"network/loopback-bw", "1e18"},
      {"network/loopback-lat", "0"},   {"surf/precision", "1e-9"},
      {"maxmin/precision", "1e-10"},
  };
  return kOptions;
}

std::string engine_version() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  sg_version_get(&major, &minor, &patch);
  return fmt::format("{}.{}.{}", major, minor, patch);
}

Instant FlowHandle::wait() {
  check(started_, "a flow that has not started was waited for");
  if (comm_ != nullptr) {
    simgrid_compat::wait(comm_);
    ended_ = Instant::at_seconds(comm_->get_finish_time());
  }
  if (pace_ != nullptr) network_->free_paces_.push_back(std::exchange(pace_, nullptr));
  return ended_;
}

FlowNetwork::InterruptAction::InterruptAction() { ::sigaction(SIGINT, nullptr, &action); }
void FlowNetwork::InterruptAction::restore() const { ::sigaction(SIGINT, &action, nullptr); }

FlowNetwork::FlowNetwork(const Topology& topology, std::size_t most_paced_flows)
    : topology_(&topology),
      engine_(engine_arguments().count(), engine_arguments().values()),
      usage_(topology.arc_count()) {
  interrupt_.restore();
  zone_ = new simgrid_compat::ChosenRouteZone("wan");
  s4u::NetZone* zone = zone_->get_iface();
  for (std::size_t a = 0; a < topology.arc_count(); ++a) {
    links_.push_back(simgrid_compat::add_link(
        zone, fmt::format("arc{}", a), topology.arc(ArcId::at(a)).capacity.in_bytes_per_second()));
  }
  for (std::size_t i = 0; i < topology.island_count(); ++i) {
    hosts_.push_back(simgrid_compat::add_host(zone, fmt::format("island{}", i)));
  }
  for (std::size_t p = 0; p < most_paced_flows; ++p) {
    free_paces_.push_back(simgrid_compat::add_link(zone, fmt::format("pace{}", p), 1.0));
  }
  sink_ = simgrid_compat::add_host(zone, "sink");
  zone->seal();
  s4u::Engine::on_time_advance_cb(
      [this](double elapsed_s) { measure(Duration::seconds(elapsed_s)); });
}

FlowRoute FlowNetwork::route(const Flow& flow) const {
  std::vector<s4u::LinkInRoute> links;
  for (const ArcUse& use : flow.stream.arcs) {
    // A link that stands in a route twice is charged twice.
    for (int copy = 0; copy < use.copies; ++copy) links.emplace_back(links_[use.arc.index()]);
  }
  return {.links = zone_->links(links), .rate = flow.rate};
}

FlowHandle FlowNetwork::start(IslandId starter, const FlowRoute& route, Bytes bytes) {
  FlowHandle handle;
  handle.started_ = true;
  if (bytes == Bytes()) {
    handle.ended_ = simulated_now();
    return handle;
  }
  const simgrid_compat::LinkList* links = &route.links;
  simgrid_compat::LinkList paced;
  if (route.rate) {
    check(!free_paces_.empty(), "more paced flows at once than the run was made for");
    handle.network_ = this;
    handle.pace_ = free_paces_.back();
    free_paces_.pop_back();
    handle.pace_->set_bandwidth(route.rate->in_bytes_per_second());
    paced = route.links;
    for (const auto& link : zone_->links({s4u::LinkInRoute(handle.pace_)})) paced.push_back(link);
    links = &paced;
  }
  zone_->choose(host(starter), *links);  // read at once, when the communication starts
  handle.comm_ =
      s4u::Comm::sendto_async(host(starter), sink_, static_cast<std::uint64_t>(bytes.in_bytes()));
  return handle;
}

void FlowNetwork::account(const Stream& stream, Bytes bytes) {
  for (const ArcUse& use : stream.arcs) usage_[use.arc.index()].bytes += bytes * use.copies;
}

/// Called after the clock has moved and before flows that ended are removed: the rates are still
/// those of the time that has passed.
void FlowNetwork::measure(Duration elapsed) {
  if (elapsed <= Duration()) return;
  for (std::size_t a = 0; a < links_.size(); ++a) {
    const double bytes_per_second = links_[a]->get_usage();
    if (bytes_per_second <= 0.0) continue;
    ArcUsage& usage = usage_[a];
    usage.busy += elapsed;
    usage.carried_bits += 8.0 * bytes_per_second * elapsed.in_seconds();
    usage.peak_utilisation =
        std::max(usage.peak_utilisation, bytes_per_second / links_[a]->get_bandwidth());
  }
}

bool FlowNetwork::run(const std::function<void()>& on_deadlock) {
  bool deadlocked = false;
  s4u::Engine::on_deadlock_cb([&] {
    deadlocked = true;
    on_deadlock();
  });
  engine_.run();
  return !deadlocked;
}

Instant simulated_now() { return Instant::at_seconds(s4u::Engine::get_clock()); }

void sleep_until(Instant when) {
  if (when > simulated_now()) s4u::this_actor::sleep_until(when.in_seconds());
}

}  // namespace gyre
