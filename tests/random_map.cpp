#include "tests/random_map.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

namespace gyre {
namespace {

class MapWriter {
 public:
  explicit MapWriter(Draw& draw) : draw_(draw) {
    map_.slowest_bps = std::numeric_limits<double>::infinity();
    rate_bps_ = draw_.scale(1e6, 4e11);
    latency_s_ = draw_.chance(0.15) ? 0.0 : draw_.scale(1e-5, 0.1);
    alike_ = draw_.chance(0.25);
    if (draw_.chance(0.1)) factor_ = {draw_.scale(0.1, 10.0), draw_.real(0.0, 3.0)};
  }

  RandomMap run() {
    const std::size_t switches = static_cast<std::size_t>(draw_.whole(1, 6));
    const std::size_t islands =
        draw_.chance(0.04) ? 1 : static_cast<std::size_t>(draw_.whole(2, 8));
    // Names that a table has to quote.
    const std::string mark = draw_.chance(0.03) ? ", " : "";
    map_.plain_names = mark.empty();
    for (std::size_t s = 0; s < switches; ++s) {
      map_.switches.push_back(fmt::format("S{}{}", mark, s));
    }
    for (std::size_t i = 0; i < islands; ++i) {
      map_.islands.push_back(fmt::format("I{}{}", mark, i));
    }
    std::vector<std::string> devices;
    for (const std::string& name : map_.switches) {
      devices.push_back(as_mapping({"name: " + as_name(name)}));
    }
    std::vector<std::string> keys{"switches: " + as_list(devices),
                                  "islands: " + as_list(all_islands()),
                                  "links: " + as_list(all_links())};
    map_.text = "  topology: " + as_mapping(keys) + "\n";
    if (factor_) {
      map_.text +=
          fmt::format("  scale: {{bandwidth: {}, latency: {}}}\n", factor_->first, factor_->second);
    }
    if (!access_.empty()) map_.text += "  access: " + as_mapping(access_) + "\n";
    return std::move(map_);
  }

 private:
  double rate_bps() {
    const double rate_bps = alike_ ? rate_bps_ : rate_bps_ * draw_.scale(0.1, 10.0);
    return std::max(1000.0, std::round(rate_bps));
  }
  double latency_s() {
    if (draw_.chance(0.1)) return 0.0;
    return alike_ ? latency_s_ : latency_s_ * draw_.scale(0.1, 10.0);
  }
  void add_arc(const std::string& name, double rate_bps, double latency_s) {
    map_.slowest_bps = std::min(map_.slowest_bps, rate_bps);
    map_.farthest_s += latency_s;
    for (RandomMap::Arc& known : map_.arcs) {
      if (known.name != name) continue;
      known.bits_per_second = std::min(known.bits_per_second, rate_bps);
      known.most_bits_per_second = std::max(known.most_bits_per_second, rate_bps);
      known.latency_s = std::max(known.latency_s, latency_s);
      return;
    }
    map_.arcs.push_back({name, rate_bps, rate_bps, latency_s});
  }

  std::vector<std::string> all_islands() {
    const double shared_bps = rate_bps();
    const double shared_s = draw_.chance(0.5) ? 0.0 : latency_s();
    access_.push_back("bandwidth: " + as_rate(shared_bps));
    if (shared_s > 0.0) access_.push_back("latency: " + as_time(shared_s));
    std::vector<std::string> islands;
    std::set<std::string> used;
    for (const std::string& name : map_.islands) {
      const std::string at = draw_.one_of(map_.switches);
      used.insert(at);
      std::vector<std::string> keys{"name: " + as_name(name), "at: " + as_name(at)};
      double up_bps = shared_bps;
      double down_bps = shared_bps;
      double there_s = shared_s;
      if (!alike_ && draw_.chance(0.4)) {
        up_bps = rate_bps();
        keys.push_back("up: " + as_rate(up_bps));
      }
      if (!alike_ && draw_.chance(0.4)) {
        down_bps = rate_bps();
        keys.push_back("down: " + as_rate(down_bps));
      }
      if (draw_.chance(0.2)) {
        there_s = latency_s();
        keys.push_back("latency: " + as_time(there_s));
      }
      add_arc(name + ".up", up_bps, there_s);
      add_arc(name + ".down", down_bps, there_s);
      islands.push_back(as_mapping(keys));
    }
    map_.islands_everywhere = used.size() == map_.switches.size();
    return islands;
  }

  std::vector<std::string> all_links() {
    std::vector<std::string> links;
    for (std::size_t s = 1; s < map_.switches.size(); ++s) links.push_back(link(s, draw_.below(s)));
    const std::int64_t more = draw_.whole(0, 4);
    for (std::int64_t l = 0; l < more && map_.switches.size() > 1; ++l) {
      const std::size_t first = draw_.below(map_.switches.size());
      const std::size_t step = 1 + draw_.below(map_.switches.size() - 1);
      links.push_back(link(first, (first + step) % map_.switches.size()));
    }
    return links;
  }

  std::string link(std::size_t first, std::size_t second) {
    const std::string& a = map_.switches[first];
    const std::string& b = map_.switches[second];
    const double forth_bps = rate_bps();
    const double forth_s = latency_s();
    double back_bps = forth_bps;
    double back_s = forth_s;
    std::vector<std::string> keys{fmt::format("between: [{}, {}]", as_name(a), as_name(b)),
                                  "latency: " + as_time(forth_s),
                                  "bandwidth: " + as_rate(forth_bps)};
    if (!alike_ && draw_.chance(0.3)) {
      back_bps = rate_bps();
      keys.push_back("reverse_bandwidth: " + as_rate(back_bps));
    }
    if (!alike_ && draw_.chance(0.3)) {
      back_s = latency_s();
      keys.push_back("reverse_latency: " + as_time(back_s));
    }
    const auto [faster, longer] = factor_.value_or(std::pair(1.0, 1.0));
    add_arc(a + "->" + b, forth_bps * faster, forth_s * longer);
    add_arc(b + "->" + a, back_bps * faster, back_s * longer);
    map_.links.emplace_back(a, b);
    return as_mapping(keys);
  }

  Draw& draw_;
  RandomMap map_;
  double rate_bps_ = 0.0;
  double latency_s_ = 0.0;
  bool alike_ = false;
  std::optional<std::pair<double, double>> factor_;  ///< on the links' rates and latencies
  std::vector<std::string> access_;
};

}  // namespace

RandomMap random_map(Draw& draw) { return MapWriter(draw).run(); }

}  // namespace gyre
