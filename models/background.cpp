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
  for (const BackgroundSpec& spec : specs) {
    for (NamedArcs& on : named_arcs(spec, topology)) {
      const int times = ++named[on.name];
      if (times > 1) on.name += fmt::format("#{}", times);
      Background one{
          .name = std::move(on.name), .takes = {}, .random = {}, .where = spec.rate_where};
      for (const ArcId arc : on.arcs) {
        const auto capacity_bps =
            static_cast<double>(topology.arc(arc).capacity.in_bits_per_second());
        const auto share_bps = std::llround(spec.share.value_or(0.0) * capacity_bps);
        one.takes.emplace_back(
            arc, spec.rate.value_or(Bandwidth::bits_per_second(std::max(1LL, share_bps))));
      }
      if (spec.mean_on) one.random = {*spec.mean_on, *spec.mean_off};
      all.push_back(std::move(one));
    }
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
