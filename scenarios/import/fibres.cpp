#include "scenarios/import/fibres.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include <fmt/format.h>

#include "models/limits.hpp"
#include "scenarios/import/node_names.hpp"

namespace gyre {
namespace {

FibreFigures backward_of(const Fibre& fibre) { return fibre.backward.value_or(fibre.forward); }

Fibre turned(Fibre fibre) {
  const FibreFigures forward = fibre.forward;
  std::swap(fibre.from, fibre.to);
  fibre.forward = backward_of(fibre);
  fibre.backward = forward;
  return fibre;
}

Bandwidth sum(Bandwidth a, Bandwidth b, const Where& where) {
  constexpr std::int64_t kMost = std::int64_t{1} << 62U;
  if (a.in_bits_per_second() >= kMost - b.in_bits_per_second()) {
    throw InputError(where, "the capacities of the links of this pair add up to 2^62 bps or more");
  }
  return Bandwidth::bits_per_second(a.in_bits_per_second() + b.in_bits_per_second());
}

}  // namespace

FibreList::Pair FibreList::pair_of(const Fibre& fibre) {
  return {std::min(fibre.from, fibre.to), std::max(fibre.from, fibre.to)};
}

void FibreList::add(const Fibre& link) {
  std::vector<std::size_t>& of_pair = by_pair_[pair_of(link)];
  if (link.directed) {
    for (const std::size_t f : of_pair) {
      Fibre& other = fibres_[f];
      if (!other.directed || other.backward || other.from != link.to) continue;
      other.backward = link.forward;
      return;
    }
  }
  if (of_pair.size() == kMostParallelLinks) {
    throw InputError(link.where,
                     fmt::format("more than {} links of one pair of nodes", kMostParallelLinks));
  }
  of_pair.push_back(fibres_.size());
  fibres_.push_back(link);
}

std::vector<Fibre> FibreList::fibres() {
  std::vector<bool> gone(fibres_.size(), false);
  for (const auto& [pair, of_pair] : by_pair_) {
    std::vector<std::size_t> distinct;
    for (const std::size_t f : of_pair) {
      if (fibres_[f].directed && !fibres_[f].backward) ++one_way_;
      bool merged = false;
      for (const std::size_t d : distinct) {
        if (exact_) break;
        Fibre& first = fibres_[d];
        const Fibre same = fibres_[f].from == first.from ? fibres_[f] : turned(fibres_[f]);
        if (same.forward.latency != first.forward.latency ||
            backward_of(same).latency != backward_of(first).latency) {
          continue;
        }
        FibreFigures backward = backward_of(first);
        backward.bandwidth = sum(backward.bandwidth, backward_of(same).bandwidth, same.where);
        first.forward.bandwidth = sum(first.forward.bandwidth, same.forward.bandwidth, same.where);
        first.backward = backward;
        merged = gone[f] = true;
        ++merged_;
        break;
      }
      if (!merged) distinct.push_back(f);
    }
    if (distinct.size() > 1 && !exact_) parallel_ += distinct.size();
  }
  std::vector<Fibre> result;
  for (std::size_t f = 0; f < fibres_.size(); ++f) {
    if (!gone[f]) result.push_back(fibres_[f]);
  }
  return result;
}

std::vector<std::string> FibreList::notes() const {
  std::vector<std::string> notes;
  if (one_way_ > 0) {
    notes.push_back(fmt::format("listed in one direction only, figures taken both ways: {}",
                                counted(one_way_, "link")));
  }
  if (merged_ > 0) {
    notes.push_back(
        fmt::format("merged with another one of the same two nodes and latency, "
                    "capacities added: {}",
                    counted(merged_, "link")));
  }
  if (parallel_ > 0) {
    notes.push_back(
        fmt::format("of the same two nodes as another one but with another latency, "
                    "kept as fibres of their own: {}",
                    counted(parallel_, "link")));
  }
  return notes;
}

}  // namespace gyre
