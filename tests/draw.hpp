#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "models/rng.hpp"

namespace gyre {

/// Random choices of a seed, for tests that make up their input.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : stream_(Rng::stream(seed, "draw")) {}

  bool chance(double probability) { return stream_.uniform() < probability; }
  std::int64_t whole(std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(stream_.below(static_cast<std::uint64_t>(most - least + 1)));
  }
  double real(double least, double most) { return least + (most - least) * stream_.uniform(); }
  /// As likely between 1 and 10 as between 10 and 100.
  double scale(double least, double most) {
    return std::exp(real(std::log(least), std::log(most)));
  }
  std::size_t below(std::size_t bound) { return stream_.below(bound); }
  template <class T>
  T one_of(const std::vector<T>& all) {
    return all[below(all.size())];
  }
  template <class T>
  void shuffle(std::vector<T>& all) {
    stream_.shuffle(all);
  }

 private:
  Rng stream_;
};

/// How scenarios write things.
inline std::string as_time(double time_s) { return fmt::format("{:.6f} us", time_s * 1e6); }
inline std::string as_rate(double bits_per_second) {
  return fmt::format("{} bps", std::max<std::int64_t>(1, std::llround(bits_per_second)));
}
inline std::string as_bytes(double bytes) {
  return fmt::format("{} B", std::max<std::int64_t>(1, std::llround(bytes)));
}
inline std::string as_name(const std::string& name) { return fmt::format("\"{}\"", name); }
inline std::string as_list(const std::vector<std::string>& entries) {
  return fmt::format("[{}]", fmt::join(entries, ", "));
}
inline std::string as_mapping(const std::vector<std::string>& entries) {
  return fmt::format("{{{}}}", fmt::join(entries, ", "));
}

}  // namespace gyre
