#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace gyre {

using Matching = std::vector<std::pair<std::size_t, std::size_t>>;

/// A graph's edges as disjoint matchings (edge colours, Misra and Gries 1992): at most one more
/// than the highest degree. The order of edges and matchings is fixed.
std::vector<Matching> matchings_of(const std::vector<std::pair<std::size_t, std::size_t>>& graph,
                                   std::size_t nodes);

/// How MATCHA (Wang et al. 2019, arXiv 1905.09435) activates matchings.
///
/// Matching j is active in a round with probability p_j, independently; then W = I − α Σ L_j over
/// the active ones. With L̄ = Σ p_j L_j and L̃ = Σ p_j (1 − p_j) L_j,
///
///     p      maximises λ_2(L̄)  subject to  Σ p_j ≤ budget · matchings,  0 ≤ p_j ≤ 1
///     α      minimises ρ(α) = ‖E[W²] − J‖ = λ_max(I − 2α L̄ + α² (L̄² + 2 L̃) − J)
///
/// λ_2 is concave in p: it is found by projected gradient ascent on a soft minimum of the
/// eigenvalues, made harder step by step; to about 1e-4. ρ is convex in α.
/// Cost: some thousand eigenvalue decompositions.
struct MatchaPlan {
  std::vector<double> probabilities;  ///< by matching
  double weight = 0.0;                ///< α
  double connectivity = 0.0;          ///< λ_2(L̄)
  double contraction = 1.0;           ///< ρ
};

/// Requires at least one matching of at least two nodes, and a budget in (0, 1].
MatchaPlan matcha_plan(const std::vector<Matching>& matchings, std::size_t nodes, double budget);

}  // namespace gyre
