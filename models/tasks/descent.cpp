#include "models/tasks/descent.hpp"

#include <fmt/format.h>

#include "models/units.hpp"

namespace gyre {

std::vector<double> one_an_island(const std::vector<double>& values, std::size_t islands,
                                  const Where& where) {
  if (values.size() != islands) {
    throw InputError(where,
                     fmt::format("has {} values for {} islands; allowed is one value an island",
                                 values.size(), islands));
  }
  return values;
}

std::vector<double> one_or_one_an_island(const std::vector<double>& values, std::size_t islands,
                                         const Where& where) {
  if (values.size() != 1 && values.size() != islands) {
    throw InputError(where, fmt::format("has {} values for {} islands; allowed is one value for "
                                        "all or one value an island",
                                        values.size(), islands));
  }
  return values.size() == islands ? values : std::vector<double>(islands, values.front());
}

void require_convergence(double learning_rate, double curvature, const Where& where) {
  if (!(learning_rate * curvature < 2.0)) {
    throw InputError(
        where, fmt::format("is {}, with which descent on the curvature {} diverges; "
                           "allowed is a number below {}",
                           to_text(learning_rate), to_text(curvature), to_text(2.0 / curvature)));
  }
}

}  // namespace gyre
