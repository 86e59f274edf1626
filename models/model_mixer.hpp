#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "models/compression.hpp"
#include "models/outer_optimizer.hpp"
#include "models/task.hpp"

namespace gyre {

/// How a model takes in what an exchange brings it.
struct MixingRule {
  std::optional<OuterOptimizerSpec> outer = std::nullopt;
  std::optional<CompressionSpec> compression = std::nullopt;
  /// α: weight of what the island has made of its model since it sent it (0: the exchange's result
  /// replaces it).
  double local_weight = 0.0;
  /// θ may move between sending and merging: an exchange begins before the same part's last one
  /// has been merged.
  bool moves_meanwhile = false;
};

/// What exchanges do to the models, whatever time they take. With x_i an island's model, θ_i its
/// model after its last exchange, e_i what compression has withheld so far:
///
///     sent       s_i = x_i                                       without compression
///                v = x_i + e_i,        s_i = C(v),       e_i ← v − C(v)      of the model
///                v = x_i − θ_i + e_i,  s_i = θ_i + C(v), e_i ← v − C(v)      of the change
///     result     a = Σ_{j sent} s_j / k
///     outer      D = θ_i(sent) − a,  m_i ← μ m_i + D,  θ_i ← θ_i − lr (D + μ m_i)
///                (without: θ_i ← a)
///     merged     x_i ← α x_i + (1 − α) θ_i
///
/// on the exchange's fragment of the parameters. Source of the delayed merge: Streaming DiLoCo
/// (arXiv 2501.18512), of the outer step: DiLoCo (arXiv 2311.08105).
class ModelMixer {
 public:
  class Mix;

  /// After the task's start. Requires values in the task's slots where there is a compression.
  ModelMixer(MixingRule rule, Task& task, std::size_t islands);
  ModelMixer(const ModelMixer&) = delete;
  ModelMixer& operator=(const ModelMixer&) = delete;

  /// An exchange between `members`, who have sent nothing yet.
  std::unique_ptr<Mix> begin(std::vector<IslandId> members, Fragment fragment);
  /// Takes what the member sends: its model as it is now.
  void contribute(Mix& mix, std::size_t rank);
  /// What the member has sent does not count, and there is no result yet.
  void withdraw(Mix& mix, std::size_t rank);
  /// The result for all: the average of what was sent. Requires that somebody has sent.
  void average(Mix& mix);
  /// A copy of the island's model as it is now, in a slot of its own until `forget`.
  [[nodiscard]] std::size_t keep(IslandId island);
  void forget(std::size_t kept) { give_back(kept); }
  /// Calls `see` while these islands hold what was kept of them; then they have their models back,
  /// bit for bit.
  /// The mean of these slots, in a slot of its own until `forget`.
  [[nodiscard]] std::size_t mean_of(const std::vector<std::size_t>& slots);
  /// The island takes the other one's model, with what belongs to its outer optimiser; compression
  /// has withheld nothing.
  void adopt(IslandId island, IslandId other);
  void look_at(const std::vector<std::pair<IslandId, std::size_t>>& kept,
               const std::function<void()>& see);
  /// What was sent, in the order of the members who have. Requires values.
  [[nodiscard]] std::vector<Model> sent(const Mix& mix) const;
  /// The results instead of an average: one for all, or one for each of those who have sent, in
  /// their order.
  void set_results(Mix& mix, const std::vector<Model>& results);
  /// The member takes its result in. Requires an average or results.
  void apply(const Mix& mix, std::size_t rank);
  /// An edge's weight of what a member, by rank, has sent.
  struct Share {
    std::size_t rank = 0;
    double weight = 0.0;
  };
  /// The member takes in a result of its own: the shares, and the rest of what it has sent itself.
  /// Requires that it and those have sent.
  void take_in(Mix& mix, std::size_t rank, const std::vector<Share>& shares);

 private:
  void merge(const Mix& mix, std::size_t rank, std::size_t target);
  void copy(std::size_t from, std::size_t to);
  std::size_t take_slot();
  void give_back(std::size_t slot);

  MixingRule rule_;
  Task* task_;
  std::size_t islands_;
  std::optional<std::size_t> anchors_;  ///< first slot of θ, m, e: one an island each
  std::optional<std::size_t> momenta_;
  std::optional<std::size_t> residuals_;
  std::size_t slots_;
  std::vector<std::size_t> free_;  ///< slots of exchanges that have ended
};

/// An exchange's vectors; gives their slots back at its end.
class ModelMixer::Mix {
 public:
  Mix(ModelMixer& mixer, std::vector<IslandId> members, Fragment fragment)
      : mixer_(&mixer),
        members_(std::move(members)),
        fragment_(fragment),
        sent_(members_.size()),
        starts_(members_.size()) {}
  ~Mix();
  Mix(const Mix&) = delete;
  Mix& operator=(const Mix&) = delete;

 private:
  friend class ModelMixer;
  ModelMixer* mixer_;
  std::vector<IslandId> members_;
  Fragment fragment_;
  std::vector<std::optional<std::size_t>> sent_;    ///< slot by rank; none: it has not sent
  std::vector<std::optional<std::size_t>> starts_;  ///< θ when it was sent, where it moves
  std::vector<std::size_t> results_;                ///< slots: one for all or one by rank
};

}  // namespace gyre
