#include "models/value_task.hpp"

#include <algorithm>
#include <utility>

#include "models/error.hpp"

namespace gyre {

void ValueTask::start_slots(std::size_t islands) {
  islands_ = islands;
  others_.clear();
}

void ValueTask::reserve(std::size_t slots) {
  check(slots >= islands_ + others_.size(), "slots of a task were taken away");
  others_.resize(slots - islands_, Model(parameters(), 0.0));
}

void ValueTask::combine(std::size_t target, std::span<const Term> terms, Fragment fragment) {
  sum_.assign(parameters(), 0.0);
  for (const auto& [slot, weight] : terms) {
    if (slot < islands_) {
      add_to(IslandId::at(slot), weight, sum_);
      continue;
    }
    const Model& other = others_.at(slot - islands_);
    for (std::size_t p = fragment.index; p < sum_.size(); p += fragment.count) {
      sum_[p] += weight * other[p];
    }
  }
  if (fragment.count > 1) {
    Model whole = values(target, {});
    for (std::size_t p = fragment.index; p < sum_.size(); p += fragment.count) whole[p] = sum_[p];
    assign(target, whole, {});
  } else if (target < islands_) {
    set(IslandId::at(target), sum_);
  } else {
    std::swap(others_.at(target - islands_), sum_);
  }
}

Model ValueTask::values(std::size_t slot, Fragment fragment) const {
  Model whole(slot < islands_ ? parameters() : 0, 0.0);
  if (slot < islands_) {
    add_to(IslandId::at(slot), 1.0, whole);
  } else {
    whole = others_.at(slot - islands_);
  }
  if (fragment.count == 1) return whole;
  Model part;
  for (std::size_t p = fragment.index; p < whole.size(); p += fragment.count) {
    part.push_back(whole[p]);
  }
  return part;
}

void ValueTask::assign(std::size_t slot, const Model& values, Fragment fragment) {
  Model whole = values;
  if (fragment.count > 1) {
    whole = this->values(slot, {});
    std::size_t next = 0;
    for (std::size_t p = fragment.index; p < whole.size(); p += fragment.count) {
      whole[p] = values.at(next++);
    }
  }
  check(whole.size() == parameters(), "a model has another length than the task's");
  if (slot < islands_) {
    set(IslandId::at(slot), whole);
  } else {
    others_.at(slot - islands_) = std::move(whole);
  }
}

}  // namespace gyre
