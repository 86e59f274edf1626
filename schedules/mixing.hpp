#pragma once

#include <cstddef>

#include <Eigen/Core>

#include "models/task.hpp"
#include "schedules/round.hpp"

namespace gyre {

/// W of a round, n × n. Of cliques: block averaging, W_ij = 1/|C| for i, j in the same clique C,
/// else 0; doubly stochastic and symmetric, a projection (W² = W). Of an overlay: W_ij is the
/// weight of the edge from j to i.
Eigen::MatrixXd mixing_matrix(const Round& round, std::size_t islands);

/// W of a ring over n ≥ 3 islands in rank order: 1/3 for itself and either neighbour.
/// λ_k = (1 + 2cos(2πk/n))/3.
Eigen::MatrixXd ring_mixing_matrix(std::size_t islands);

/// Whether each row and each column sums to 1 within 1e-12, so that a mix keeps the mean. (MATCHA's
/// best weight may leave an island with less than nothing of its own model.)
bool keeps_the_mean(const Eigen::MatrixXd& w);
/// The same of a round's W, without making it. Cost: O(n + edges).
bool keeps_the_mean(const Round& round, std::size_t islands);

/// Whether every entry is ≥ 0 (within 1e-12) and each row and column sums to 1 within 1e-12.
bool is_doubly_stochastic(const Eigen::MatrixXd& w);

/// ‖W_p … W_1 − J‖₂, J = 11ᵀ/n: the factor by which a period shrinks disagreement at least.
/// `product` is W_p … W_1.
double contraction(const Eigen::MatrixXd& product);

/// Disagreement after noise and mixing: the limit of (1/n)·tr((I−J)S) for S ← W(S + I)Wᵀ over the
/// matrices in turn, at the end of the last one. Iterated until it moves less than 1e-15 relative.
/// Requires a contracting product. Source: x ← W(x + ξ), E ξξᵀ = I.
double disagreement_floor(std::span<const Eigen::MatrixXd> period);

/// The weights by which a clique's members average: each 1/|C|.
std::vector<WeightedIsland> clique_weights(std::span<const IslandId> clique);

}  // namespace gyre
