#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/compression.hpp"
#include "models/fields.hpp"
#include "models/outer_optimizer.hpp"
#include "models/units.hpp"

namespace gyre {

/// `overlap` of a job or schedule: whether islands go on computing while they exchange.
struct OverlapSpec {
  enum class Kind : std::uint8_t { kNone, kDelayed };
  Kind kind = Kind::kNone;
  std::int64_t steps = 1;     ///< τ: local steps from the sending to the merging
  double local_weight = 0.5;  ///< α: of what the island has then
  Where where = {};

  void describe(Fields& fields);
};

/// `layers`: gradients are sent layer by layer behind the backward pass of the last local step.
///
/// With a step of time t, b the backward pass's share and L equal layers, layer l (0 is the first)
/// is ready (1 − b)·t + b·t·(L − l)/L after the step's beginning. Layers follow each other on the
/// wire, the last first.
struct LayersSpec {
  std::int64_t count = 1;
  double backward = 2.0 / 3.0;
  Where where = {};

  void describe(Fields& fields);
};

/// `stragglers`: what happens when islands are not ready together.
struct StragglerSpec {
  enum class Rule : std::uint8_t { kWait, kQuorum, kDynamicSteps };
  enum class Late : std::uint8_t { kDrop, kMerge };
  static constexpr std::array<std::string_view, 2> kLateNames{"drop", "merge"};

  Rule rule = Rule::kWait;
  double quorum = 0.75;    ///< share of a clique's members, rounded up
  Duration deadline = {};  ///< from the first one ready
  Late late = Late::kDrop;
  Where where = {};

  void describe(Fields& fields);
};

/// How islands train between and around exchanges. A schedule's own choices replace the job's.
struct TrainingSpec {
  std::optional<std::int64_t> local_steps = std::nullopt;
  std::optional<std::int64_t> fragments = std::nullopt;
  std::optional<LayersSpec> layers = std::nullopt;
  std::optional<OverlapSpec> overlap = std::nullopt;
  std::optional<StragglerSpec> stragglers = std::nullopt;
  std::optional<CompressionSpec> compression = std::nullopt;
  std::optional<OuterOptimizerSpec> outer_optimizer = std::nullopt;
  Where fragments_where = {};

  void describe(Fields& fields);
  /// These choices, and the others' where there is none.
  [[nodiscard]] TrainingSpec over(const TrainingSpec& others) const;
  [[nodiscard]] std::int64_t steps() const { return local_steps.value_or(1); }
  [[nodiscard]] std::size_t fragment_count() const {
    return static_cast<std::size_t>(fragments.value_or(1));
  }
  /// τ and α of a delayed merge; without one 0.
  [[nodiscard]] std::int64_t delay() const;
  [[nodiscard]] double local_weight() const;
  [[nodiscard]] bool follows(StragglerSpec::Rule rule) const {
    return stragglers && stragglers->rule == rule;
  }
  /// Errors: `InputError` for choices that do not go together.
  void check_together() const;
};

/// A part of an exchange that is sent by itself.
struct Piece {
  Bytes bytes;
  double ready = 1.0;  ///< share of the last local step that has passed when it can be sent
};

/// When an island exchanges which part of the model within a round of H local steps.
///
/// A model in F fragments exchanges fragment f after ⌊(f+1)·H/F⌋ steps of each round: every
/// parameter once a round. With L layers fragment f holds the layers f, f+F, f+2F, … (strided, as
/// in Streaming DiLoCo, arXiv 2501.18512), each ⌊(l+1)M/L⌋ − ⌊l·M/L⌋ of the model's M bytes;
/// without layers L = F and a fragment is sent whole at the end of the step.
class SyncTiming {
 public:
  /// `steps` holds H by island. Requires H ≥ F and, with layers, L ≥ F.
  SyncTiming(const TrainingSpec& training, Bytes model, std::vector<std::int64_t> steps);

  [[nodiscard]] std::size_t fragments() const { return pieces_.size(); }
  /// Local steps of the island before it exchanges the fragment, since the one before.
  [[nodiscard]] std::int64_t steps(std::size_t island, std::size_t fragment) const;
  /// Of an exchange among all of a run's, which come in this order.
  [[nodiscard]] std::int64_t number(std::int64_t round, std::size_t fragment) const {
    return round * static_cast<std::int64_t>(fragments()) + static_cast<std::int64_t>(fragment);
  }
  /// In the order in which they are sent.
  [[nodiscard]] const std::vector<Piece>& pieces(std::size_t fragment) const {
    return pieces_[fragment];
  }
  [[nodiscard]] Bytes bytes(std::size_t fragment) const;
  /// Whether pieces are sent behind the backward pass.
  [[nodiscard]] bool layered() const { return layered_; }
  /// How many exchanges of an island may be under way at a time in a run of so many rounds, those
  /// that merge τ steps late.
  [[nodiscard]] std::size_t most_in_flight(std::int64_t delay, std::int64_t rounds) const;
  /// The least of the islands' H.
  [[nodiscard]] std::int64_t least_steps() const;
  /// Mean over the islands of H.
  [[nodiscard]] double mean_steps() const;

 private:
  std::vector<std::int64_t> steps_;
  std::vector<std::vector<Piece>> pieces_;
  bool layered_ = false;
};

/// Local steps by island, in proportion to its speed: H_i = round(H·n·(1/t_i) / Σ_j 1/t_j), at
/// least `least`: all take about as long, and together about n·H steps.
std::vector<std::int64_t> dynamic_steps(std::int64_t steps, const std::vector<Duration>& step_times,
                                        std::int64_t least);

}  // namespace gyre
