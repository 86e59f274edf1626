#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/bounds.hpp"
#include "models/model_mixer.hpp"
#include "models/training.hpp"
#include "sim/clique_exchange.hpp"

namespace gyre {

/// Lower bounds of an exchange of a clique.
struct CliqueBounds {
  CutBound all;
  std::vector<Duration> members;  ///< by rank
};

/// A clique's synchronisation of one fragment: what its members make of each other's models, and
/// the exchanges, one a piece, that carry it.
struct Sync {
  std::int64_t round = 0;
  std::size_t fragment = 0;
  std::shared_ptr<const Round> cliques;  ///< of the round
  std::size_t clique = 0;                ///< this one's place there

  std::unique_ptr<ModelMixer::Mix> mix;                    ///< none where nothing is learnt
  std::vector<std::shared_ptr<CliqueExchange>> exchanges;  ///< by piece, made when first needed
  Clique absent;            ///< members that came after it had begun, or never
  std::size_t through = 0;  ///< members that are done with it
  bool reported = false;
  std::vector<std::pair<IslandId, IslandId>> fetching;  ///< who waits for whose result

  Instant began_round;  ///< when the first member began its local steps
  Instant first_ready;
  Instant ended;           ///< so far: a member held all pieces
  Duration compute;        ///< the longest of the members'
  std::vector<Duration> waits;  ///< by rank: from ready to begun
  double sum_error = 0.0;  ///< largest error of a parameter by the switches' numbers
  /// Of all pieces together; of a quorum's exchange, of those who take part.
  std::shared_ptr<const CliqueBounds> bounds;

  [[nodiscard]] const Clique& members() const { return cliques->cliques[clique]; }
  [[nodiscard]] Duration bound_of(IslandId member) const {
    return bounds->members[rank_in(members(), member)];
  }
  [[nodiscard]] bool has_begun() const {
    return !exchanges.empty() && exchanges.front() != nullptr && exchanges.front()->has_begun();
  }
  [[nodiscard]] bool dropped() const;
  [[nodiscard]] bool partly_dropped() const;
};

/// What an island does in a sync.
enum class SyncPhase : std::uint8_t { kMeeting, kExchanging };

/// A sync of an island that it has not taken in yet.
struct PendingSync {
  std::shared_ptr<Sync> sync;
  std::int64_t steps_left = 0;  ///< local steps until it is due
  Duration least;               ///< least time at which the island can hold the result
  bool is_over = false;         ///< the island has played its part
  bool is_awaited = false;      ///< the island waits for that
  SyncPhase phase = SyncPhase::kMeeting;
  simgrid::s4u::SemaphorePtr over = simgrid::s4u::Semaphore::create(0);
};

}  // namespace gyre
