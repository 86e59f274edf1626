#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/fields.hpp"

namespace gyre {

/// The loss of a large language model by its size and its training, from published fits:
///
///     L(N, D, M) = f(M, N) · (E + A/N^α + B/D^β)
///
/// N parameters, D training tokens of all islands together, M islands that exchange seldom.
/// Everything but f is the parametric fit of Hoffmann et al. as fitted anew by Besiroglu et al.
/// (arXiv 2404.10102): E = 1.8172, A = 482.01, B = 2085.43, α = 0.3478, β = 0.3658, from models of
/// 70 million to 16 billion parameters on 5 to 500 billion tokens.
///
/// f is a choice, because the published fits differ:
///
///     none          1: islands that exchange seldom learn like one large batch
///     joint-fit     M^0.0116, of L = 19.226 N^−0.0985 M^0.0116 (Charles et al., Scaling Laws for
///                   DiLoCo, arXiv 2503.09799, table 10): the ratio of M islands to one
///     n-dependent   M^(1.0923 N^−0.2342): the exponent ln(L_8/L_1)/ln 8 of each model size in that
///                   paper's table 4, fitted over the sizes by R. Rahman (documentation of the
///                   simulator in robirahman/miri-decentralized-training-report, section 4.7)
///
/// Both were made with 35 million to 2.4 billion parameters (compared with runs at 4 and 10
/// billion), M = 1, 2, 4, 8, H = 30 local steps between exchanges, and about 20 tokens a parameter
/// (the numbers of that paper as the simulator's documentation quotes them). Neither has a term for
/// H. DiLoCo (arXiv 2311.08105) tries several H without a fit over them, and the ln H term that the
/// n-dependent fit's author adds is, as he says, not measured: so there is none here, and
/// `cautions` speaks up when H is not 30.
///
/// What the law does not know: an L at D tokens is that of a run whose learning rate decayed over
/// D tokens, with batch and rates tuned; so a curve over a run is one of ends of runs. M = 1 of the
/// DiLoCo fits is one island with an outer optimiser. The data are those of the fits.

/// The constants of E + A/N^α + B/D^β.
struct LossFit {
  double irreducible_loss = 1.8172;    ///< E
  double parameter_factor = 482.01;    ///< A
  double parameter_exponent = 0.3478;  ///< α
  double token_factor = 2085.43;       ///< B
  double token_exponent = 0.3658;      ///< β

  void describe(Fields& fields);
  bool operator==(const LossFit&) const = default;
};

enum class IslandPenalty : std::uint8_t { kNone, kJointFit, kNDependent };
/// In the enumerators' order.
inline constexpr std::array<std::string_view, 3> kIslandPenalties{"none", "joint-fit",
                                                                  "n-dependent"};

struct FitRange {
  double least;
  double most;
};
inline constexpr FitRange kLossFitParameters{70e6, 16e9};
inline constexpr FitRange kLossFitTokens{5e9, 500e9};
inline constexpr FitRange kPenaltyParameters{35e6, 2.4e9};
inline constexpr double kPenaltyComparedParameters = 10e9;
inline constexpr double kPenaltyIslands = 8.0;
inline constexpr std::int64_t kPenaltyLocalSteps = 30;
inline constexpr double kPenaltyTokensPerParameter = 20.0;

/// f(M, N). Requires at least one parameter and one island; M need not be whole.
struct PenaltyCase {
  double islands = 1.0;
  double parameters = 1.0;
};
double island_penalty(IslandPenalty kind, PenaltyCase of);

struct ScalingLaw {
  LossFit fit;
  IslandPenalty penalty = IslandPenalty::kNone;

  struct Training {
    double parameters = 1.0;
    double tokens = 1.0;
    double islands = 1.0;
  };
  /// L(N, D, M). Requires positive numbers.
  [[nodiscard]] double loss(Training training) const;

  struct Goal {
    double parameters = 1.0;
    double loss = 0.0;
    double islands = 1.0;
  };
  /// The D at which the loss is the goal's, which is (B / (L/f − E − A/N^α))^(1/β); none where no
  /// number of tokens leads there. 10 billion parameters reach 2.20 after 7.2155e10 tokens.
  [[nodiscard]] std::optional<double> tokens_for_loss(Goal goal) const;

  struct Use {
    double parameters = 1.0;
    double islands = 1.0;
    std::optional<double> tokens = std::nullopt;             ///< of all islands, where known
    std::optional<std::int64_t> local_steps = std::nullopt;  ///< H, where there is one
  };
  /// A sentence for each way in which a use leaves what the fits were made from.
  [[nodiscard]] std::vector<std::string> cautions(const Use& use) const;
};

}  // namespace gyre
