#include "models/background.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace gyre {

void BackgroundSpec::describe(Fields& fields) {
  where = fields.where();
  fields.optional({"arc", "The arc that it is on, as in NYC->LON, NYC.up or NYC.down."}, arc);
  fields.list({"link", "The two switches whose links it is on, in both directions."},
              Presence::kDefaulted, link, 2);
  fields.optional({"every_link", "Each link between switches has its own."}, every_link);
  fields.optional({"rate", "What it takes of each of the arcs."}, rate, kPositive);
  fields.optional({"share", "Share of the arc's capacity on the map, instead of `rate`."}, share,
                  Range{.above = 0.0, .below = 1.0});
  rate_where = fields.where(share ? "share" : "rate");
  fields.optional({"mean_on",
                   "How long it is on, on average, where it goes on and off after exponential "
                   "times."},
                  mean_on, kPositive);
  fields.optional({"mean_off", "How long it then is off, on average."}, mean_off, kPositive);
  if ((arc ? 1 : 0) + (link.empty() ? 0 : 1) + (every_link ? 1 : 0) != 1) {
    throw InputError(where, "names where it is by one of `arc`, `link` and `every_link`");
  }
  if (link.size() > 2) throw InputError(fields.where("link"), "is to name two switches");
  if (rate.has_value() == share.has_value()) {
    throw InputError(where, "says what it takes by one of `rate` and `share`");
  }
  if (mean_on.has_value() != mean_off.has_value()) {
    throw InputError(where, "`mean_on` and `mean_off` need each other");
  }
}

double Background::share_on() const {
  return random ? random->first / (random->first + random->second) : 1.0;
}

std::vector<Background> backgrounds_of(const std::vector<BackgroundSpec>& specs,
                                       const Topology& topology) {
  std::vector<Background> all;
  std::map<std::string, int> named;
  const auto add = [&](const BackgroundSpec& spec, std::string name,
                       const std::vector<ArcId>& arcs) {
    const int times = ++named[name];
    if (times > 1) name += fmt::format("#{}", times);
    Background one{.name = std::move(name), .takes = {}, .random = {}, .where = spec.rate_where};
    for (const ArcId arc : arcs) {
      const auto capacity_bps =
          static_cast<double>(topology.arc(arc).capacity.in_bits_per_second());
      const auto share_bps = std::llround(spec.share.value_or(0.0) * capacity_bps);
      one.takes.emplace_back(
          arc, spec.rate.value_or(Bandwidth::bits_per_second(std::max(1LL, share_bps))));
    }
    if (spec.mean_on) one.random = {*spec.mean_on, *spec.mean_off};
    all.push_back(std::move(one));
  };
  for (const BackgroundSpec& spec : specs) {
    if (spec.arc) {
      add(spec, spec.arc->value, {topology.find_arc(spec.arc->value).value()});
      continue;
    }
    const auto link_name = [&](SwitchId first, SwitchId second) {
      return fmt::format("{}-{}", topology.name(first), topology.name(second));
    };
    if (spec.every_link) {
      // Core arcs come in pairs, both directions of a link.
      for (std::size_t a = 2 * topology.island_count(); a < topology.arc_count(); a += 2) {
        const Arc& arc = topology.arc(ArcId::at(a));
        add(spec, link_name(topology.switch_at(arc.tail), topology.switch_at(arc.head)),
            {ArcId::at(a), ArcId::at(a + 1)});
      }
      continue;
    }
    const SwitchId first = topology.find_switch(spec.link[0].value).value();
    const SwitchId second = topology.find_switch(spec.link[1].value).value();
    std::vector<ArcId> arcs;
    for (const auto& [tail, head] : {std::pair(first, second), std::pair(second, first)}) {
      for (const ArcId a : topology.out_arcs(topology.node(tail))) {
        if (topology.arc(a).head == topology.node(head)) arcs.push_back(a);
      }
    }
    add(spec, link_name(first, second), arcs);
  }
  return all;
}

BackgroundTimes::BackgroundTimes(const Background& background, std::uint64_t seed)
    : background_(&background), rng_(Rng::stream(seed, "background/" + background.name)) {
  if (background.random) on_ = rng_.uniform() < background.share_on();
}

std::optional<Instant> BackgroundTimes::next() {
  if (!background_->random) return std::nullopt;
  const auto& [on, off] = *background_->random;
  now_ = now_ + (on_ ? on : off) * rng_.exponential();
  on_ = !on_;
  return now_;
}

}  // namespace gyre
