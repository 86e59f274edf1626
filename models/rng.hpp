#pragma once

#include <cstdint>
#include <random>
#include <string_view>
#include <utility>

namespace gyre {

/// A stream of random numbers with a name. Streams of one seed are independent of each other, so
/// that adding one shifts no other. The engine is fixed by the C++ standard and the distributions
/// are our own: the same seed and name give the same numbers everywhere.
class Rng {
 public:
  /// The stream `name` (such as `island/FRA/batch`) of `seed`.
  static Rng stream(std::uint64_t seed, std::string_view name);

  std::uint64_t next() { return engine_(); }
  /// Uniform on [0, 1): the upper 53 bits over 2^53.
  double uniform();
  /// Uniform on {0, …, bound − 1}, without bias. Requires bound ≥ 1.
  std::uint64_t below(std::uint64_t bound);
  /// Exponential with mean 1, by inversion.
  double exponential();
  /// Standard normal (Box–Muller; two uniforms a number).
  double normal();
  /// Gamma with the given shape and scale 1 (Marsaglia and Tsang 2000). Requires shape > 0.
  double gamma(double shape);

  /// Fisher–Yates, from the last element to the first.
  template <class Range>
  void shuffle(Range& range) {
    for (std::size_t i = range.size(); i > 1; --i) std::swap(range[i - 1], range[below(i)]);
  }

 private:
  explicit Rng(std::uint64_t state) : engine_(state) {}
  std::mt19937_64 engine_;
};

}  // namespace gyre
