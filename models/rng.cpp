#include "models/rng.hpp"

#include <cmath>
#include <numbers>

#include "models/error.hpp"

namespace gyre {
namespace {

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): spreads every input bit.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

}  // namespace

Rng Rng::stream(std::uint64_t seed, std::string_view name) {
  std::uint64_t state = mix(seed);
  for (const char c : name) state = mix(state ^ static_cast<unsigned char>(c));
  return Rng(mix(state ^ name.size()));
}

double Rng::uniform() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

std::uint64_t Rng::below(std::uint64_t bound) {
  check(bound >= 1, "a random number below 0 was asked for");
  const std::uint64_t rest = (0 - bound) % bound;  // 2^64 mod bound: the part that would be unfair
  std::uint64_t draw = next();
  while (draw < rest) draw = next();
  return draw % bound;
}

double Rng::exponential() { return -std::log1p(-uniform()); }

double Rng::normal() {
  const double radius = std::sqrt(2.0 * exponential());
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

double Rng::gamma(double shape) {
  check(shape > 0.0, "a gamma variate needs a positive shape");
  if (shape < 1.0) {
    const double boosted = gamma(shape + 1.0);
    return boosted * std::pow(1.0 - uniform(), 1.0 / shape);
  }
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  while (true) {
    const double x = normal();
    const double v = std::pow(1.0 + c * x, 3.0);
    if (v <= 0.0) continue;
    if (std::log1p(-uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

}  // namespace gyre
