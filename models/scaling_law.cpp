#include "models/scaling_law.hpp"

#include <cmath>

#include <fmt/format.h>

#include "models/error.hpp"
#include "models/units.hpp"

namespace gyre {
namespace {

/// How far from the fits' tokens a parameter a budget may be before it is worth a word.
constexpr double kBudgetTolerance = 2.0;

double power(double base, double exponent) { return std::pow(base, exponent); }

/// What is left of the loss with endless data.
double loss_of_size(const LossFit& fit, double parameters) {
  return fit.irreducible_loss + fit.parameter_factor / power(parameters, fit.parameter_exponent);
}

/// With four digits, as inputs are written: 1e10, 7.216e10.
std::string short_text(double value) { return to_text(std::stod(fmt::format("{:.4g}", value))); }

bool outside(double value, FitRange range) { return value < range.least || value > range.most; }

void add_loss_cautions(const LossFit& fit, const ScalingLaw::Use& use,
                       std::vector<std::string>& cautions) {
  if (fit != LossFit{}) {
    cautions.emplace_back(
        "the constants of the loss are the scenario's own, not those of arXiv 2404.10102");
    return;
  }
  if (outside(use.parameters, kLossFitParameters)) {
    cautions.push_back(
        fmt::format("{} parameters are outside of the loss fit's 7e7 to 1.6e10 (arXiv 2404.10102)",
                    short_text(use.parameters)));
  }
  if (use.tokens && outside(*use.tokens, kLossFitTokens)) {
    cautions.push_back(
        fmt::format("{} tokens are outside of the loss fit's 5e9 to 5e11 (arXiv 2404.10102)",
                    short_text(*use.tokens)));
  }
}

void add_penalty_cautions(const ScalingLaw::Use& use, std::vector<std::string>& cautions) {
  if (outside(use.parameters, kPenaltyParameters)) {
    const bool compared =
        use.parameters > kPenaltyParameters.most && use.parameters <= kPenaltyComparedParameters;
    cautions.push_back(fmt::format(
        "{} parameters are outside of the 3.5e7 to 2.4e9 that the penalty was fitted on (arXiv "
        "2503.09799){}",
        short_text(use.parameters),
        compared ? "; up to 1e10 the fits were compared with single runs" : ""));
  }
  if (use.islands > kPenaltyIslands) {
    cautions.push_back(fmt::format(
        "{} islands are more than the 8 that the penalty was fitted on (arXiv 2503.09799)",
        short_text(use.islands)));
  }
  if (use.local_steps && *use.local_steps != kPenaltyLocalSteps) {
    cautions.push_back(
        fmt::format("the penalty holds for 30 local steps between exchanges (arXiv 2503.09799) and "
                    "has no term for their number, which is {} here",
                    *use.local_steps));
  }
  if (!use.tokens) return;
  const double each = *use.tokens / use.parameters;
  if (each < kPenaltyTokensPerParameter / kBudgetTolerance ||
      each > kPenaltyTokensPerParameter * kBudgetTolerance) {
    cautions.push_back(
        fmt::format("{:.3g} tokens a parameter are far from the 20 or so at which the penalty was "
                    "fitted (arXiv 2503.09799)",
                    each));
  }
}

}  // namespace

void LossFit::describe(Fields& fields) {
  fields.optional({"irreducible_loss", "E: the loss of an endless model on endless data."},
                  irreducible_loss, kNotNegative);
  fields.optional({"parameter_factor", "A in A/N^alpha, N the parameters."}, parameter_factor,
                  kPositive);
  fields.optional({"parameter_exponent", "alpha in A/N^alpha."}, parameter_exponent, kPositive);
  fields.optional({"token_factor", "B in B/D^beta, D the tokens of all islands."}, token_factor,
                  kPositive);
  fields.optional({"token_exponent", "beta in B/D^beta."}, token_exponent, kPositive);
}

double island_penalty(IslandPenalty kind, PenaltyCase of) {
  check(of.islands >= 1.0 && of.parameters >= 1.0,
        "a penalty of less than one island or parameter");
  switch (kind) {
    case IslandPenalty::kNone:
      return 1.0;
    case IslandPenalty::kJointFit:
      return power(of.islands, 0.0116);
    case IslandPenalty::kNDependent:
      return power(of.islands, 1.0923 * power(of.parameters, -0.2342));
  }
  broken_invariant("a penalty without a formula");
}

double ScalingLaw::loss(Training training) const {
  check(training.tokens > 0.0, "a loss without tokens");
  const double factor =
      island_penalty(penalty, {.islands = training.islands, .parameters = training.parameters});
  return factor * (loss_of_size(fit, training.parameters) +
                   fit.token_factor / power(training.tokens, fit.token_exponent));
}

std::optional<double> ScalingLaw::tokens_for_loss(Goal goal) const {
  const double factor =
      island_penalty(penalty, {.islands = goal.islands, .parameters = goal.parameters});
  const double left = goal.loss / factor - loss_of_size(fit, goal.parameters);
  if (!(left > 0.0)) return std::nullopt;
  const double tokens = power(fit.token_factor / left, 1.0 / fit.token_exponent);
  if (!std::isfinite(tokens)) return std::nullopt;
  return tokens;
}

std::vector<std::string> ScalingLaw::cautions(const Use& use) const {
  std::vector<std::string> cautions;
  add_loss_cautions(fit, use, cautions);
  if (use.islands <= 1.0) return cautions;
  if (penalty == IslandPenalty::kNone) {
    cautions.emplace_back(
        "penalty 'none': islands that exchange seldom count as one large batch; joint-fit and "
        "n-dependent say what they lose");
  } else {
    add_penalty_cautions(use, cautions);
  }
  return cautions;
}

}  // namespace gyre
