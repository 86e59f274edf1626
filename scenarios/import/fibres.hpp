#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/error.hpp"
#include "models/units.hpp"
#include "scenarios/import/great_circle.hpp"

namespace gyre {

/// One direction of a fibre.
struct FibreFigures {
  Duration latency;
  Bandwidth bandwidth;
};

struct Fibre {
  std::size_t from = 0;
  std::size_t to = 0;
  FibreFigures forward;
  std::optional<FibreFigures> backward;  ///< absent: as forward
  bool directed = false;
  std::optional<Distance> distance;
  Where where;  ///< of its link
};

/// Makes fibres of the links of a file, in their order: opposite directed links become the two
/// directions of one fibre, and fibres of one pair with the same latencies become one, with their
/// capacities added, unless the map is `exact`.
class FibreList {
 public:
  explicit FibreList(bool exact) : exact_(exact) {}

  /// Errors: `InputError` for more than `kMostParallelLinks` of one pair.
  void add(const Fibre& link);
  /// Merges what was added. Errors: `InputError` for capacities whose sum is no bandwidth.
  std::vector<Fibre> fibres();
  /// What `fibres` did, a sentence each.
  std::vector<std::string> notes() const;

 private:
  using Pair = std::pair<std::size_t, std::size_t>;

  static Pair pair_of(const Fibre& fibre);

  bool exact_;
  std::vector<Fibre> fibres_;
  std::map<Pair, std::vector<std::size_t>> by_pair_;
  std::size_t one_way_ = 0;
  std::size_t merged_ = 0;
  std::size_t parallel_ = 0;
};

}  // namespace gyre
