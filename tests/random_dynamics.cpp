#include "tests/random_dynamics.hpp"

#include <algorithm>
#include <map>

namespace gyre {
namespace {

class DynamicsWriter {
 public:
  DynamicsWriter(Draw& draw, RandomRun& run) : draw_(draw), run_(run) {
    for (const RandomMap::Arc& arc : run_.map.arcs) left_bps_[arc.name] = arc.bits_per_second;
  }

  std::string write() {
    if (draw_.chance(0.2)) changes();
    // The cells of a trace are not quoted.
    if (run_.map.plain_names && draw_.chance(0.1)) traces();
    if (draw_.chance(0.15)) background();
    return text_;
  }

 private:
  void key(std::string_view name, const std::string& value) {
    text_ += fmt::format("  {}: {}\n", name, value);
  }
  const RandomMap::Arc& arc_of(const std::string& name) const {
    return *std::ranges::find(run_.map.arcs, name, &RandomMap::Arc::name);
  }

  /// What these arcs have from a time on: a bandwidth, a latency or both, as they are written.
  struct Change {
    std::string bandwidth;
    std::string latency;
  };
  Change change_of(const std::vector<RandomMap::Arc>& arcs) {
    double most_bps = arcs.front().bits_per_second;
    double least_s = 0.0;
    for (const RandomMap::Arc& arc : arcs) {
      most_bps = std::min(most_bps, arc.bits_per_second);
      least_s = std::max(least_s, arc.latency_s);
    }
    Change change;
    const std::int64_t kind = draw_.whole(0, 2);
    if (kind != 1) {
      const double share = draw_.chance(0.3) ? 0.99 : draw_.scale(0.05, 0.99);
      const double rate_bps = std::floor(most_bps * share - 1.0);
      change.bandwidth = as_rate(rate_bps);
      for (const RandomMap::Arc& arc : arcs) {
        left_bps_[arc.name] = std::min(left_bps_[arc.name], std::max(1.0, rate_bps));
      }
    }
    if (kind != 0) {
      // The map's is rounded, to picoseconds.
      const double more_s = draw_.chance(0.3) ? run_.round_s * draw_.scale(1e-3, 0.3)
                                              : least_s * draw_.real(0.0, 3.0);
      change.latency = as_time(least_s + 1e-9 + more_s);
    }
    return change;
  }

  void changes() {
    std::vector<std::string> all;
    const std::int64_t count = draw_.whole(1, 3);
    for (std::int64_t c = 0; c < count; ++c) {
      std::vector<RandomMap::Arc> arcs = run_.map.arcs;
      draw_.shuffle(arcs);
      arcs.resize(1 + draw_.below(std::min<std::size_t>(arcs.size(), 3)));
      std::vector<std::string> names;
      for (const RandomMap::Arc& arc : arcs) names.push_back(as_name(arc.name));
      std::vector<std::string> keys{"at: " + as_time(run_.round_s * draw_.real(0.001, 3.0)),
                                    "arcs: " + as_list(names)};
      const Change change = change_of(arcs);
      if (!change.bandwidth.empty()) keys.push_back("bandwidth: " + change.bandwidth);
      if (!change.latency.empty()) keys.push_back("latency: " + change.latency);
      all.push_back(as_mapping(keys));
    }
    key("changes", as_list(all));
  }

  void traces() {
    const std::string end = draw_.chance(0.2) ? "\r\n" : "\n";
    run_.trace = "time,arc,bandwidth,latency" + end;
    if (draw_.chance(0.2)) run_.trace = "# measured" + end + run_.trace;
    const std::int64_t count = draw_.whole(1, 8);
    double at_s = draw_.chance(0.3) ? 0.0 : run_.round_s * draw_.real(0.0, 2.0);
    for (std::int64_t c = 0; c < count; ++c) {
      if (draw_.chance(0.1)) run_.trace += end;
      const RandomMap::Arc arc = draw_.one_of(run_.map.arcs);
      const Change change = change_of({arc});
      const std::string blank = draw_.chance(0.2) ? " " : "";
      run_.trace += fmt::format("{},{}{},{},{}{}", as_time(at_s), blank, arc.name, change.bandwidth,
                                change.latency, c + 1 < count || draw_.chance(0.8) ? end : "");
      // Some at the same time.
      if (!draw_.chance(0.2)) at_s += run_.round_s * draw_.scale(1e-3, 1.0);
    }
    key("traces", kNetworkTrace);
  }

  /// Arcs by the key that names them.
  std::pair<std::string, std::vector<std::string>> some_arcs() {
    const auto both = [](const std::pair<std::string, std::string>& link) {
      return std::vector{link.first + "->" + link.second, link.second + "->" + link.first};
    };
    const std::int64_t kind = draw_.whole(0, 4);
    if (kind == 0 && !run_.map.links.empty()) {
      std::vector<std::string> names;
      for (const auto& link : run_.map.links) {
        for (const std::string& name : both(link)) {
          if (std::ranges::find(names, name) == names.end()) names.push_back(name);
        }
      }
      return {"every_link: true", names};
    }
    if (kind <= 2 && !run_.map.links.empty()) {
      const std::pair<std::string, std::string> link = draw_.one_of(run_.map.links);
      return {fmt::format("link: [{}, {}]", as_name(link.first), as_name(link.second)), both(link)};
    }
    const std::string name = draw_.one_of(run_.map.arcs).name;
    return {"arc: " + as_name(name), {name}};
  }

  /// Of each arc it takes a part of what changes and the background before it leave.
  void background() {
    std::vector<std::string> all;
    const std::int64_t count = draw_.whole(1, 3);
    for (std::int64_t b = 0; b < count; ++b) {
      const auto [place, names] = some_arcs();
      double least_bps = left_bps_[names.front()];
      double least_share = 1.0;
      for (const std::string& name : names) {
        least_bps = std::min(least_bps, left_bps_[name]);
        least_share = std::min(least_share, left_bps_[name] / arc_of(name).most_bits_per_second);
      }
      const double part = draw_.chance(0.2) ? 0.9 : draw_.real(0.05, 0.6);
      constexpr double kLeastRate_bps = 100.0;
      if (least_bps < kLeastRate_bps) continue;
      std::vector<std::string> keys{place};
      const double share = part * least_share;
      const bool by_share = share > 1e-5 && draw_.chance(0.5);
      keys.push_back(by_share ? fmt::format("share: {:.7f}", share)
                              : "rate: " + as_rate(part * least_bps));
      for (const std::string& name : names) {
        left_bps_[name] -=
            1.0 + (by_share ? share * arc_of(name).most_bits_per_second : part * least_bps);
      }
      if (draw_.chance(0.6)) {
        keys.push_back("mean_on: " + as_time(run_.round_s * draw_.scale(0.05, 3.0)));
        keys.push_back("mean_off: " + as_time(run_.round_s * draw_.scale(0.05, 3.0)));
      }
      all.push_back(as_mapping(keys));
    }
    if (!all.empty()) key("background", as_list(all));
  }

  Draw& draw_;
  RandomRun& run_;
  std::string text_;
  std::map<std::string, double> left_bps_;  ///< the least at any time
};

}  // namespace

std::string random_dynamics(Draw& draw, RandomRun& run) {
  return DynamicsWriter(draw, run).write();
}

}  // namespace gyre
