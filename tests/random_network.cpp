#include "tests/random_network.hpp"

#include <algorithm>

#include "tests/random_dynamics.hpp"

namespace gyre {
namespace {

class NetworkWriter {
 public:
  NetworkWriter(Draw& draw, RandomRun& run) : draw_(draw), run_(run) {}

  std::string write() {
    text_ = "network:\n" + run_.map.text;
    key("modes", as_list({run_.mode}));
    capable();
    if (run_.engineered) key("routing", "engineered");
    if (run_.colocated && draw_.chance(0.5)) {
      key("fabric", as_mapping({"bandwidth: " + as_rate(draw_.scale(1e8, 1e12)),
                                "latency: " + as_time(draw_.real(0.0, 1e-4))}));
    }
    text_ += random_dynamics(draw_, run_);
    const bool limited = run_.numbers || (run_.adds() && !run_.engineered && draw_.chance(0.35));
    if (run_.packets) {
      chunk_bytes_ = std::max(1.0, std::floor(run_.payload_bytes / draw_.real(1.0, 25.0)));
      lossy_ = draw_.chance(0.4);
      faulty_ = draw_.chance(0.2);
      if (faulty_) faults();
      if (faulty_) key("in_flight", rule_);
      if (draw_.chance(0.9) || lossy_ || faulty_ || run_.payload_bytes > 1e6) {
        transport();
      } else {
        chunk_bytes_ = 1e6;
      }
    } else {
      faulty_ = draw_.chance(0.25);
      if (faulty_) faults();
      if (faulty_) key("in_flight", rule_);
      if (!run_.quorum && !run_.leaves && draw_.chance(0.15)) {
        key("setup_time", as_time(run_.round_s * draw_.scale(0.001, 1.0)));
      }
    }
    if (limited) aggregator();
    return text_;
  }

 private:
  void key(std::string_view name, const std::string& value) {
    text_ += fmt::format("  {}: {}\n", name, value);
  }

  /// An exchange by the switches needs one of both capabilities: the first one always is.
  std::string some_switches() {
    std::vector<std::string> names{as_name(run_.map.switches.front())};
    for (std::size_t s = 1; s < run_.map.switches.size(); ++s) {
      if (draw_.chance(0.5)) names.push_back(as_name(run_.map.switches[s]));
    }
    draw_.shuffle(names);
    return as_list(names);
  }
  void capable() {
    std::vector<std::string> keys;
    if (run_.replicates() && draw_.chance(0.4)) keys.push_back("multicast: " + some_switches());
    if (run_.adds() && draw_.chance(0.4)) keys.push_back("aggregation: " + some_switches());
    if (!keys.empty()) key("capable", as_mapping(keys));
  }

  std::string some_thing() {
    const std::int64_t kind = draw_.whole(0, 5);
    if (kind == 0 && !run_.map.links.empty()) return "every_link: true";
    if (kind <= 2 && !run_.map.links.empty()) {
      const auto [first, second] = draw_.one_of(run_.map.links);
      return fmt::format("link: [{}, {}]", as_name(first), as_name(second));
    }
    if (kind == 3) {
      std::string text = "switch: " + as_name(draw_.one_of(run_.map.switches));
      if (!run_.overlay && draw_.chance(0.5)) {
        text += ", loses: " + draw_.one_of<std::string>({"multicast", "aggregation", "both"});
      }
      return text;
    }
    return "arc: " + as_name(draw_.one_of(run_.map.arcs).name);
  }
  void faults() {
    rule_ = run_.overlay ? "wait" : draw_.one_of<std::string>({"wait", "reroute", "drop"});
    std::vector<std::string> all;
    const std::int64_t count = draw_.whole(1, 3);
    for (std::int64_t f = 0; f < count; ++f) {
      std::vector<std::string> keys{some_thing()};
      loses_chunks_ = loses_chunks_ || keys.front().find("loses") == std::string::npos;
      if (draw_.chance(0.4)) {
        run_.held_up_by_chance = true;
        keys.push_back(fmt::format("availability: {:.4f}", draw_.real(0.5, 0.95)));
        keys.push_back("mean_outage: " + as_time(run_.round_s * draw_.real(0.1, 1.0)));
      } else {
        const double from_s = draw_.chance(0.1) ? 0.0 : run_.round_s * draw_.real(0.0, 2.0);
        keys.push_back("from: " + as_time(from_s));
        if (draw_.chance(0.1)) {
          run_.never_back = true;
        } else {
          keys.push_back("to: " + as_time(from_s + run_.round_s * draw_.scale(0.01, 2.0)));
        }
      }
      all.push_back(as_mapping(keys));
    }
    key("faults", as_list(all));
  }

  void transport() {
    const double packet_bytes = std::max(1.0, std::floor(chunk_bytes_ / draw_.real(1.0, 4.0)));
    std::vector<std::string> keys{"chunk: " + as_bytes(chunk_bytes_),
                                  "packet: " + as_bytes(packet_bytes)};
    if (draw_.chance(0.3)) keys.push_back("header: " + as_bytes(packet_bytes * draw_.real(0, 0.2)));
    if (draw_.chance(0.3)) {
      keys.push_back("window: " + as_bytes(chunk_bytes_ * std::floor(draw_.real(1.0, 8.0))));
    }
    if (draw_.chance(0.3)) keys.push_back("hop_latency: " + as_time(draw_.scale(1e-7, 1e-3)));
    if (lossy_) {
      const bool everywhere = draw_.chance(0.7);
      if (everywhere) keys.push_back(fmt::format("loss: {:.6f}", draw_.scale(1e-4, 0.05)));
      if (!everywhere) {
        keys.push_back(fmt::format("losses: [{{arc: {}, loss: {:.6f}}}]",
                                   as_name(draw_.one_of(run_.map.arcs).name),
                                   draw_.scale(1e-3, 0.2)));
      }
    }
    if (lossy_ || loses_chunks_) recovery(keys);
    key("transport", as_mapping(keys));
  }
  void recovery(std::vector<std::string>& transport) {
    std::vector<std::string> keys;
    const double trip_s = 4.0 * run_.map.farthest_s + 10.0 * run_.round_s;
    if (draw_.chance(0.3)) {
      keys.push_back("timeout: " + as_time(trip_s * draw_.real(0.5, 1.0)));
      if (draw_.chance(0.3)) keys.push_back("force: true");
    }
    keys.push_back("give_up: " + as_time(100.0 * trip_s + 1.0));
    keys.push_back("then: " + draw_.one_of<std::string>({"fail", "drop", "drop"}));
    transport.push_back("recovery: " + as_mapping(keys));
  }

  void aggregator() {
    std::vector<std::string> keys;
    const bool memory = draw_.chance(0.6);
    // At fidelity flow what holds the memory needs one.
    const bool rules = memory || run_.packets;
    const bool acknowledged = rules && draw_.chance(0.4);
    const bool unsummed =
        run_.packets && memory && !lossy_ && !faulty_ && !acknowledged && draw_.chance(0.5);
    const double chunk_bytes = run_.packets ? 2.0 * std::max(chunk_bytes_, 1.0) : 1.0;
    if (memory) {
      const double bytes = run_.payload_bytes * draw_.scale(1e-3, 10.0);
      keys.push_back("memory: " + as_bytes(std::max(chunk_bytes, bytes)));
    }
    if (acknowledged) keys.push_back("discipline: ack-clocked");
    if (unsummed) {
      const bool partial = draw_.chance(0.5);
      keys.push_back(partial ? "discipline: partial-timeout" : "discipline: best-effort");
      if (partial) keys.push_back("timeout: " + as_time(run_.round_s * draw_.scale(1e-3, 1.0)));
    }
    if (rules && draw_.chance(0.4)) {
      const bool aligned = !acknowledged && draw_.chance(0.5);
      if (aligned) {
        keys.emplace_back("launch: aligned");
        if (draw_.chance(0.5)) keys.push_back("jitter: " + as_time(draw_.scale(1e-7, 1e-2)));
      } else {
        keys.emplace_back(run_.packets ? "launch: eager" : "launch: together");
      }
    }
    if (draw_.chance(0.3)) {
      keys.push_back("rate: " + as_rate(run_.map.slowest_bps * draw_.scale(0.1, 100.0)));
    }
    if (draw_.chance(0.3)) keys.push_back(fmt::format("fan_in: {}", draw_.whole(2, 4)));
    if (draw_.chance(0.3)) keys.push_back(fmt::format("groups: {}", draw_.whole(1, 8)));
    if (run_.packets && draw_.chance(0.3)) {
      keys.push_back("latency: " + as_time(draw_.scale(1e-7, 1e-3)));
    }
    if (run_.numbers) {
      std::string numbers = "format: " + *run_.numbers;
      if (*run_.numbers == "fixed") numbers += fmt::format(", scale: {:.1f}", draw_.scale(1, 1e8));
      keys.push_back("numbers: " + as_mapping({numbers}));
    }
    if (keys.empty()) keys.emplace_back("fan_in: 2");
    key("aggregator", as_mapping(keys));
  }

  Draw& draw_;
  RandomRun& run_;
  std::string text_;
  std::string rule_;
  double chunk_bytes_ = 0.0;
  bool lossy_ = false;
  bool faulty_ = false;
  bool loses_chunks_ = false;  ///< by faults
};

}  // namespace

std::string random_network(Draw& draw, RandomRun& run) { return NetworkWriter(draw, run).write(); }

}  // namespace gyre
