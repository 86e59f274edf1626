#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace gyre {

/// A first-in-first-out queue in one block of memory, with access by place. Grows by doubling and
/// keeps what it has. Requires that T is default-constructible.
template <class T>
class RingBuffer {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  T& operator[](std::size_t place) { return slots_[(first_ + place) & (slots_.size() - 1)]; }
  T& front() { return (*this)[0]; }

  void push_back(T value) {
    if (size_ == slots_.size()) grow();
    ++size_;
    (*this)[size_ - 1] = std::move(value);
  }
  void pop_front() {
    front() = T();
    first_ = (first_ + 1) & (slots_.size() - 1);
    --size_;
  }
  void clear() {
    while (!empty()) pop_front();
  }

 private:
  void grow() {
    std::vector<T> larger(slots_.empty() ? 4 : 2 * slots_.size());
    for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move((*this)[i]);
    slots_ = std::move(larger);
    first_ = 0;
  }

  std::vector<T> slots_;  ///< a power of two of them, or none
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace gyre
