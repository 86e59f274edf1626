#pragma once

// SimGrid by itself, to measure gyre against.

#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "sim/platform.hpp"

namespace gyre {

/// The engine with gyre's options and a full zone: a link an arc, a host an island. One per
/// process.
class BareMap {
 public:
  explicit BareMap(const Topology& topology) : engine_(&count_, pointers_.data()) {
    for (std::size_t a = 0; a < topology.arc_count(); ++a) {
      links_.push_back(
          simgrid_compat::add_link(zone_, fmt::format("arc{}", a),
                                   topology.arc(ArcId::at(a)).capacity.in_bytes_per_second()));
    }
    for (std::size_t i = 0; i < topology.island_count(); ++i) {
      hosts_.push_back(simgrid_compat::add_host(zone_, fmt::format("island{}", i)));
    }
    zone_->seal();
  }
  BareMap(const BareMap&) = delete;
  BareMap& operator=(const BareMap&) = delete;

  void add_route(IslandId from, IslandId to, std::span<const ArcId> path) {
    std::vector<simgrid::s4u::LinkInRoute> route;
    for (const ArcId arc : path) route.emplace_back(links_[arc.index()]);
    zone_->add_route(hosts_[from.index()]->get_netpoint(), hosts_[to.index()]->get_netpoint(),
                     nullptr, nullptr, route, false);
  }
  void run() { engine_.run(); }
  [[nodiscard]] const std::vector<simgrid::s4u::Host*>& hosts() const { return hosts_; }

 private:
  static std::vector<std::string> words() {
    std::vector<std::string> all{"bare", "--log=root.thres:critical"};
    for (const ModelOption& option : model_options()) {
      all.push_back(fmt::format("--cfg={}:{}", option.name, option.value));
    }
    return all;
  }
  static std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
  }

  std::vector<std::string> words_ = words();
  std::vector<char*> pointers_ = pointers_to(words_);
  int count_ = static_cast<int>(words_.size());
  simgrid::s4u::Engine engine_;
  simgrid::s4u::NetZone* zone_ = simgrid::s4u::create_full_zone("bare");
  std::vector<simgrid::s4u::Link*> links_;
  std::vector<simgrid::s4u::Host*> hosts_;
};

}  // namespace gyre
