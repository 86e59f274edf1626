#pragma once

#include <cstddef>
#include <vector>

#include "models/error.hpp"

namespace gyre {

// What tasks that descend quadratic losses refuse. Each throws `InputError` at `where`.

/// `values` by island. Requires one value an island.
std::vector<double> one_an_island(const std::vector<double>& values, std::size_t islands,
                                  const Where& where);
/// `values` by island. Requires one value for all or one an island.
std::vector<double> one_or_one_an_island(const std::vector<double>& values, std::size_t islands,
                                         const Where& where);
/// Requires η·a < 2: beyond, descent on the curvature a diverges, and the numbers would overflow
/// sooner or later.
void require_convergence(double learning_rate, double curvature, const Where& where);

}  // namespace gyre
