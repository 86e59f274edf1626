// Nothing is allocated in the inner loop. An executable of its own: it replaces operator new.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include <gtest/gtest.h>

#include "models/tasks/mlp.hpp"
#include "models/tasks/softmax.hpp"

namespace {

std::atomic<std::size_t> allocations = 0;

void* allocate(std::size_t size, std::size_t alignment) {
  ++allocations;
  // aligned_alloc wants a multiple of the alignment.
  void* memory = std::aligned_alloc(alignment, (size / alignment + 1) * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// The forms for arrays and those that do not throw call these. Inlined, a free would seem to meet
// a new of another kind.
void* operator new(std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/,
                                       std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}

namespace gyre {
namespace {

using Kind = InnerOptimizerSpec::Kind;

/// Allocations of 50 steps after the first two.
std::size_t allocations_of_training(Task& task) {
  task.load();
  task.start({.islands = {"A", "B"}, .seed = 1});
  task.train(IslandId::at(0), 2);
  const std::size_t before = allocations;
  task.train(IslandId::at(0), 50);
  return allocations - before;
}

struct alignas(64) Line {
  std::byte bytes[64];
};

TEST(Allocation, IsCounted) {
  const std::size_t before = allocations;
  const auto one = std::make_unique<int>(1);
  EXPECT_EQ(allocations - before, 1U);
  const std::vector<float> many(100);
  EXPECT_EQ(allocations - before, 2U);
  const auto aligned = std::make_unique<Line>();
  EXPECT_EQ(allocations - before, 3U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned.get()) % alignof(Line), 0U);

  // In a library of ours as well: a start allocates a model for each island, an evaluation a block.
  Softmax softmax;
  softmax.load();
  const std::size_t loaded = allocations;
  softmax.start({.islands = {"A", "B"}, .seed = 1});
  const std::size_t started = allocations;
  EXPECT_GT(started, loaded + 2);
  static_cast<void>(softmax.evaluate());
  EXPECT_GT(allocations, started);
}

TEST(Allocation, NoneInStepsOfSoftmax) {
  for (const std::int64_t batch : {32, 7}) {
    SoftmaxSpec spec;
    spec.batch = batch;
    Softmax softmax(spec);
    EXPECT_EQ(allocations_of_training(softmax), 0U) << batch;
  }
}

TEST(Allocation, NoneInStepsOfMlp) {
  for (const Kind kind : {Kind::kSgd, Kind::kMomentum, Kind::kAdamW}) {
    MlpSpec spec;
    spec.images.learning_rate = 0.001;
    spec.hidden = {128, 33};
    spec.optimizer.kind = kind;
    Mlp mlp(spec);
    EXPECT_EQ(allocations_of_training(mlp), 0U) << static_cast<int>(kind);
  }
}

}  // namespace
}  // namespace gyre
