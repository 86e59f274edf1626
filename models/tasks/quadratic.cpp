#include "models/tasks/quadratic.hpp"

#include <algorithm>

#include "models/tasks/descent.hpp"

namespace gyre {

void QuadraticSpec::describe(Fields& fields) {
  fields.list({"curvatures",
               "Curvatures a of the islands' losses a/2 (x - b)^2: one value for all "
               "islands or one an island, in the topology's order."},
              Presence::kDefaulted, curvatures, 1, kPositive);
  fields.list(
      {"optima", "Optima b of the islands' losses, one an island, in the topology's order."},
      Presence::kRequired, optima);
  fields.optional({"start", "The number that all islands start from."}, start);
  fields.optional({"learning_rate",
                   "Step size of the local descent; times the largest curvature it "
                   "has to stay below 2, else the descent diverges."},
                  learning_rate, kPositive);
  fields.optional({"noise", "Standard deviation of the Gaussian noise on every gradient."}, noise,
                  kNotNegative);
  curvatures_where = fields.where("curvatures");
  optima_where = fields.where("optima");
  learning_rate_where = fields.where("learning_rate");
}

void Quadratic::start(const TaskContext& context) {
  const std::size_t n = context.islands.size();
  optima_ = one_an_island(spec_.optima, n, spec_.optima_where);
  curvatures_ = one_or_one_an_island(spec_.curvatures, n, spec_.curvatures_where);
  require_convergence(spec_.learning_rate, *std::ranges::max_element(curvatures_),
                      spec_.learning_rate_where);
  models_.assign(n, spec_.start);
  start_slots(n);
  streams_.clear();
  for (const std::string& island : context.islands) {
    streams_.push_back(Rng::stream(context.seed, "island/" + island + "/gradient"));
  }
}

void Quadratic::train(IslandId island, std::int64_t steps) {
  const std::size_t i = island.index();
  const double a = curvatures_[i];
  const double b = optima_[i];
  double x = models_[i];
  for (std::int64_t step = 0; step < steps; ++step) {
    double gradient = a * (x - b);
    if (spec_.noise > 0.0) gradient += spec_.noise * streams_[i].normal();
    x -= spec_.learning_rate * gradient;
  }
  models_[i] = x;
}

double Quadratic::loss(double x) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < curvatures_.size(); ++i) {
    const double distance = x - optima_[i];
    sum += 0.5 * curvatures_[i] * distance * distance;
  }
  return sum / static_cast<double>(curvatures_.size());
}

Evaluation Quadratic::evaluate() const {
  const auto n = static_cast<double>(models_.size());
  Evaluation result;
  double average = 0.0;
  for (const double x : models_) average += x;
  average /= n;
  result.loss_average = loss(average);
  result.loss_worst = loss(models_.front());
  for (const double x : models_) {
    const double own_loss = loss(x);
    result.loss_mean += own_loss / n;
    result.loss_worst = std::max(result.loss_worst, own_loss);
    result.consensus_distance += (x - average) * (x - average) / n;
  }
  return result;
}

std::unique_ptr<Task> make_quadratic() { return std::make_unique<Quadratic>(); }

}  // namespace gyre
