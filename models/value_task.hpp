#pragma once

#include <vector>

#include "models/task.hpp"

namespace gyre {

/// A task whose slots hold numbers. It keeps the islands' models in its own way and says how to
/// read and set them; the other slots are kept here, in double.
class ValueTask : public Task {
 public:
  void reserve(std::size_t slots) final;
  void combine(std::size_t target, std::span<const Term> terms, Fragment fragment) final;
  [[nodiscard]] Model values(std::size_t slot, Fragment fragment) const final;
  void assign(std::size_t slot, const Model& values, Fragment fragment) final;

  [[nodiscard]] Model model(IslandId island) const { return values(island.index(), {}); }
  void assign(IslandId island, const Model& model) { assign(island.index(), model, {}); }

 protected:
  /// Of a start: `islands` models and no other slots.
  void start_slots(std::size_t islands);
  /// sum += weight · the island's parameters.
  virtual void add_to(IslandId island, double weight, Model& sum) const = 0;
  virtual void set(IslandId island, const Model& model) = 0;

 private:
  std::size_t islands_ = 0;
  std::vector<Model> others_;  ///< slots from n on
  Model sum_;                  ///< of a combination; kept for its memory
};

}  // namespace gyre
