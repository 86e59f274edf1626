#pragma once

// Policies made by name, as a scenario makes them, and a map that fits all of them.

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "scenarios/reader.hpp"
#include "scenarios/yaml.hpp"
#include "schedules/mixing.hpp"
#include "schedules/policy.hpp"
#include "tests/support.hpp"

namespace gyre {

inline constexpr std::int64_t kRounds = 12;

/// n islands `I0` … on one switch.
inline Topology star(std::size_t n) {
  const Bandwidth rate = Bandwidth::gigabits_per_second(10);
  std::vector<Topology::Island> islands;
  for (std::size_t i = 0; i < n; ++i) {
    islands.push_back({.name = fmt::format("I{}", i),
                       .at = SwitchId::at(0),
                       .up = rate,
                       .down = rate,
                       .latency = {}});
  }
  return {"star", {"s"}, islands, {}};
}

/// Rows of `width` islands as a round's text.
inline std::string rows(std::size_t n, std::size_t width) {
  std::string text;
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0) text += i % width == 0 ? "|" : "+";
    text += fmt::format("I{}", i);
  }
  return text;
}

/// The keys of a policy for n islands; every policy that has required ones needs a row here.
inline std::string options(const std::string& policy, std::size_t n) {
  if (policy == "hierarchical") return fmt::format("{{regions: '{}'}}", rows(n, 3));
  if (policy == "static-cliques") return fmt::format("{{cliques: '{}'}}", rows(n, 3));
  if (policy == "explicit" || policy == "rotating-cliques" || policy == "adaptive-cliques") {
    return fmt::format("{{rounds: ['{}', '{}', '-']}}", rows(n, 3), rows(n, 2));
  }
  if (policy == "random-cliques" && n < 3) return "{size: 2}";
  return "{}";
}

inline std::unique_ptr<Policy> make(const std::string& name, const std::string& keys) {
  for (const PolicyEntry& entry : policy_table()) {
    if (entry.name != name) continue;
    std::unique_ptr<Policy> policy = entry.make();
    read_mapping(parse_yaml(keys + "\n", "policy.yaml"),
                 [&policy](Fields& fields) { policy->describe(fields); });
    return policy;
  }
  throw std::invalid_argument("no policy " + name);
}

inline std::vector<Round> rounds_of(Policy& policy, const Topology& topology, std::uint64_t seed) {
  policy.start({.topology = topology, .seed = seed});
  std::vector<Round> rounds;
  for (std::int64_t r = 0; r < kRounds; ++r) rounds.push_back(policy.round(r));
  return rounds;
}

/// ‖W_r … W_1 − J‖₂ of the first rounds of a policy.
inline double contraction_of(const std::string& policy, const std::string& keys, std::size_t n,
                             std::int64_t rounds) {
  const Topology topology = star(n);
  const std::unique_ptr<Policy> made = make(policy, keys);
  made->start({.topology = topology, .seed = 1});
  const auto size = static_cast<Eigen::Index>(n);
  Eigen::MatrixXd product = Eigen::MatrixXd::Identity(size, size);
  for (std::int64_t r = 0; r < rounds; ++r) {
    product = mixing_matrix(made->round(r), n) * product;
  }
  return contraction(product);
}

inline std::vector<std::size_t> sizes(const Round& round) {
  std::vector<std::size_t> all;
  for (const Clique& clique : round.cliques) all.push_back(clique.size());
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace gyre
