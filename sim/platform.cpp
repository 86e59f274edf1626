#include "sim/platform.hpp"

#include <fmt/format.h>

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

Platform::InterruptAction::InterruptAction() { ::sigaction(SIGINT, nullptr, &action); }
void Platform::InterruptAction::restore() const { ::sigaction(SIGINT, &action, nullptr); }

Platform::Platform(const Topology& topology, std::size_t pace_links)
    : engine_(engine_arguments().count(), engine_arguments().values()) {
  interrupt_.restore();
  zone_ = new simgrid_compat::ChosenRouteZone("wan");
  s4u::NetZone* zone = zone_->get_iface();
  for (std::size_t a = 0; a < topology.arc_count(); ++a) {
    links_.push_back(simgrid_compat::add_link(
        zone, fmt::format("arc{}", a), topology.arc(ArcId::at(a)).capacity.in_bytes_per_second()));
  }
  for (std::size_t i = 0; i < topology.island_count(); ++i) {
    islands_.push_back(simgrid_compat::add_host(zone, fmt::format("island{}", i)));
  }
  for (std::size_t i = 0; i < topology.switch_count(); ++i) {
    switches_.push_back(simgrid_compat::add_host(zone, fmt::format("switch{}", i)));
  }
  for (std::size_t p = 0; p < pace_links; ++p) {
    pace_links_.push_back(simgrid_compat::add_link(zone, fmt::format("pace{}", p), 1.0));
  }
  sink_ = simgrid_compat::add_host(zone, "sink");
  zone->seal();
}

bool Platform::run(const std::function<void()>& on_deadlock) {
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
