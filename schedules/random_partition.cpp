#include "schedules/random_partition.hpp"

#include <utility>

namespace gyre {

Round random_partition(std::size_t islands, std::size_t size, Rng& stream) {
  std::vector<IslandId> order;
  order.reserve(islands);
  for (std::size_t i = 0; i < islands; ++i) order.push_back(IslandId::at(i));
  stream.shuffle(order);
  std::vector<Clique> cliques;
  for (std::size_t i = 0; i < islands; ++i) {
    if (i % size == 0) cliques.emplace_back();
    cliques.back().push_back(order[i]);
  }
  return make_round(std::move(cliques), islands);
}

}  // namespace gyre
