#include "tests/random_scenario.hpp"

#include <algorithm>

#include "schedules/policy.hpp"
#include "tests/random_churn.hpp"
#include "tests/random_dynamics.hpp"
#include "tests/random_network.hpp"

namespace gyre {
namespace {

class ScenarioWriter {
 public:
  explicit ScenarioWriter(std::uint64_t seed) : draw_(seed), seed_(seed) {}

  RandomScenario write() {
    run_.map = random_map(draw_);
    choose_policy();
    run_.packets = !run_.overlay && draw_.chance(0.2);
    run_.mode = draw_.one_of<std::string>({"neither", "multicast", "aggregation", "both"});
    run_.engineered = !run_.overlay && islands() <= 6 && draw_.chance(0.15);
    choose_exchange();
    const std::string training = run_.exchanges ? all_training() : "";
    const std::string job = the_job(training);
    const std::string task = the_task();
    const RandomChurn churn = random_churn(draw_, run_);
    const std::string schedule = the_schedule(churn.of_schedule);
    const std::string network = random_network(draw_, run_);
    std::string text = fmt::format("gyre: 1\nname: soak\nseed: {}\n", seed_ % 1000 + 1);
    text += network + job + task + schedule + churn.text + the_end();
    return {.text = text,
            .trace = run_.trace,
            .fidelity = run_.packets ? Fidelity::kPacket : Fidelity::kFlow,
            .mean = law_};
  }

 private:
  [[nodiscard]] std::size_t islands() const { return run_.islands(); }
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(islands()); }

  void choose_policy() {
    while (true) {
      const PolicyEntry& entry = policy_table()[draw_.below(policy_table().size())];
      if (islands() == 1 && entry.name == "random-cliques") continue;
      const std::unique_ptr<Policy> policy = entry.make();
      run_.policy = entry.name;
      run_.exchanges = policy->exchanges();
      run_.overlay = policy->overlay();
      run_.colocated = policy->colocated();
      run_.joins_all = policy->joins_all();
      // The optimiser searches all partitions.
      run_.plans = run_.policy == "adaptive-cliques" ||
                   (run_.policy == "rotating-cliques" && draw_.chance(0.5));
      if (run_.plans && islands() > 5) continue;
      return;
    }
  }

  void choose_exchange() {
    std::vector<std::string> all{"best", "direct", "tree"};
    if (run_.mode == "both") all.emplace_back("in-network");
    if (!run_.plans) all.insert(all.end(), {"ring", "hub", "multi-root", "direct"});
    run_.exchange = draw_.one_of(all);
  }

  /// Islands in cliques, as in `I0+I3|I1+I2`.
  std::string some_round() {
    std::vector<std::string> names = run_.map.islands;
    draw_.shuffle(names);
    if (draw_.chance(0.05)) return "\"-\"";
    if (draw_.chance(0.2)) names.resize(1 + draw_.below(names.size()));  // some are left out
    std::string text;
    for (const std::string& name : names) {
      text += (text.empty() ? "" : draw_.chance(0.65) ? "+" : "|") + name;
    }
    return as_name(text);
  }
  std::string some_rounds() {
    std::vector<std::string> rounds(static_cast<std::size_t>(draw_.whole(1, 4)));
    for (std::string& round : rounds) round = some_round();
    return "rounds: " + as_list(rounds);
  }

  void planner_keys(std::vector<std::string>& keys) {
    const std::string objective =
        draw_.one_of<std::string>({"drift", "consensus", "pairs", "drift", "window"});
    keys.push_back("objective: " + objective);
    keys.push_back(fmt::format("max_period: {}", draw_.whole(1, 3)));
    if (draw_.chance(0.3)) keys.push_back(fmt::format("max_clique: {}", draw_.whole(2, 4)));
    if (draw_.chance(0.3)) keys.push_back(fmt::format("epsilon: {:.5f}", draw_.scale(1e-4, 0.5)));
    if (objective == "window") {
      keys.push_back("window: " + as_time(10.0 * exchange_s() * draw_.scale(1.0, 10.0)));
    }
  }

  std::vector<std::string> policy_keys() {
    std::vector<std::string> keys;
    const auto sometimes = [&](std::string_view name, const std::string& value) {
      if (draw_.chance(0.6)) keys.push_back(fmt::format("{}: {}", name, value));
    };
    const std::string& policy = run_.policy;
    if (policy == "adaptive-cliques") {
      planner_keys(keys);
      if (draw_.chance(0.6)) keys.push_back(some_rounds());
      sometimes("threshold", fmt::format("{:.3f}", draw_.real(0.01, 0.9)));
      sometimes("patience", fmt::to_string(draw_.whole(1, 2)));
    } else if (policy == "rotating-cliques") {
      run_.plans ? planner_keys(keys) : keys.push_back(some_rounds());
    } else if (policy == "explicit") {
      keys.push_back(some_rounds());
      sometimes("repeat", draw_.chance(0.5) ? "true" : "false");
    } else if (policy == "static-cliques") {
      keys.push_back("cliques: " + some_round());
    } else if (policy == "hierarchical") {
      keys.push_back("regions: " + some_round());
      sometimes("every", fmt::to_string(draw_.whole(1, 3)));
    } else if (policy == "random-cliques") {
      keys.push_back(fmt::format("size: {}", draw_.whole(2, count())));
    } else if (policy == "base-k") {
      sometimes("peers", fmt::to_string(draw_.whole(1, 4)));
    } else if (policy == "d-cliques" && islands() > 1) {
      sometimes("size", fmt::to_string(draw_.whole(2, count())));
      sometimes("swaps", fmt::to_string(draw_.whole(0, 100)));
    } else if (policy == "moshpit" && islands() > 1) {
      sometimes("side", fmt::to_string(draw_.whole(2, count())));
    } else if (policy == "exponential") {
      sometimes("peers", draw_.chance(0.5) ? "static" : "one-peer");
    } else if (policy == "ring-overlay") {
      sometimes("directions", draw_.chance(0.5) ? "both" : "one");
    } else if (policy == "matcha") {
      // Neighbours on the map need islands at each switch to join all.
      const bool links = run_.map.islands_everywhere && draw_.chance(0.5);
      keys.emplace_back(links ? "graph: links" : "graph: complete");
      sometimes("budget", fmt::format("{:.3f}", draw_.real(0.1, 1.0)));
    } else if (policy == "star") {
      sometimes("hub", as_name(draw_.one_of(run_.map.islands)));
    }
    return keys;
  }

  /// Local steps, and what islands do between and around exchanges.
  std::string all_training() {
    run_.local_steps = draw_.whole(1, 8);
    std::vector<std::string> keys;
    run_.quorum =
        !run_.packets && !run_.overlay && !run_.engineered && islands() > 1 && draw_.chance(0.15);
    const bool straggling = run_.quorum || draw_.chance(0.15);
    wants_values_ = draw_.chance(0.5);
    fragments_ = run_.quorum || wants_values_ || draw_.chance(0.7)
                     ? 1
                     : draw_.whole(1, std::min<std::int64_t>(4, run_.local_steps));
    if (fragments_ > 1) keys.push_back(fmt::format("fragments: {}", fragments_));
    if (!run_.quorum && !run_.overlay) overlap(keys);
    if (straggling) {
      std::string rule = draw_.one_of<std::string>({"wait", "dynamic-steps"});
      equal_steps_ = rule == "wait" && !run_.quorum;
      if (run_.quorum) {
        rule = fmt::format("quorum, quorum: {:.3f}, deadline: {}, late: {}", draw_.real(0.01, 1.0),
                           as_time(draw_.chance(0.2) ? 0.0 : draw_.scale(1e-5, 1.0)),
                           draw_.one_of<std::string>({"drop", "merge"}));
      }
      keys.push_back(fmt::format("stragglers: {{rule: {}}}", rule));
    }
    if (draw_.chance(0.15)) {
      averages_ = false;
      keys.push_back(fmt::format("outer_optimizer: {{learning_rate: {:.3f}, momentum: {:.3f}}}",
                                 draw_.real(0.1, 1.0), draw_.real(0.0, 0.95)));
    }
    if (wants_values_ && draw_.chance(0.3)) compression(keys);
    if (!compressed_ && wants_values_ && run_.adds() && !run_.engineered && draw_.chance(0.3)) {
      run_.numbers = draw_.one_of<std::string>({"fixed", "bf16", "fp32"});
      averages_ = false;
    }
    std::string text;
    for (const std::string& key : keys) text += (text.empty() ? "" : ", ") + key;
    return text;
  }
  void overlap(std::vector<std::string>& keys) {
    const std::int64_t between = run_.local_steps / fragments_;
    const bool layers = draw_.chance(0.2);
    run_.layered = layers;
    if (layers) {
      layers_ = fragments_ + draw_.whole(0, 4);
      std::string text = fmt::format("layers: {{count: {}", layers_);
      if (draw_.chance(0.5)) text += fmt::format(", backward: {:.3f}", draw_.real(0.05, 1.0));
      keys.push_back(text + "}");
    }
    const std::int64_t most = layers ? between - 1 : 2 * run_.local_steps;
    if (most >= 1 && draw_.chance(0.3)) {
      averages_ = false;
      run_.delayed = true;
      keys.push_back(fmt::format("overlap: {{kind: delayed, steps: {}, local_weight: {:.3f}}}",
                                 draw_.whole(1, most),
                                 draw_.chance(0.3) ? 0.0 : draw_.real(0.0, 0.99)));
    } else if (draw_.chance(0.1)) {
      keys.emplace_back("overlap: {kind: none}");
    }
  }
  void compression(std::vector<std::string>& keys) {
    compressed_ = true;
    averages_ = false;
    const bool top = run_.exchange == "direct" && !run_.adds() && !run_.colocated && run_.joins_all;
    const std::string kind =
        top && draw_.chance(0.7) ? "top-k" : draw_.one_of<std::string>({"int8", "int4"});
    std::string text = "kind: " + kind;
    if (kind == "top-k") {
      text += fmt::format(", keep: {:.3f}", draw_.real(0.01, 1.0));
      if (draw_.chance(0.5)) text += fmt::format(", index_bits: {}", draw_.whole(1, 64));
    } else {
      if (draw_.chance(0.5)) text += fmt::format(", block: {}", draw_.whole(1, 1000));
      if (!run_.joins_all || draw_.chance(0.5)) text += ", of: model";
    }
    if (draw_.chance(0.5)) text += ", error_feedback: false";
    keys.push_back("compression: {" + text + "}");
  }

  std::string the_job(const std::string& training) {
    const bool chips = draw_.chance(0.15);
    std::vector<std::string> keys;
    if (compressed_ || chips || draw_.chance(0.3)) {
      const double parameters = std::round(draw_.scale(20.0, 1e9));
      double each = draw_.one_of<double>({1.0, 2.0, 4.0});
      if (run_.numbers) each = *run_.numbers == "bf16" ? 2.0 : 4.0;
      keys.push_back(fmt::format("parameters: {:.0f}, bytes_per_parameter: {}", parameters, each));
      run_.payload_bytes = parameters * each;
    } else {
      const double least = static_cast<double>(std::max(layers_, fragments_));
      run_.payload_bytes = std::round(draw_.scale(least, draw_.chance(0.1) ? 1e3 : 4e9));
      keys.push_back("payload: " + as_bytes(run_.payload_bytes));
    }
    keys.push_back("compute: " + compute(chips));
    const double steps = static_cast<double>(run_.local_steps);
    run_.round_s = run_.step_s * steps + exchange_s();
    // A colocated schedule takes no compression from the job.
    in_job_ = !compressed_ && draw_.chance(0.5);
    keys.push_back(fmt::format("local_steps: {}", in_job_ ? run_.local_steps : 1));
    if (in_job_ && !training.empty()) keys.push_back(training);
    if (!in_job_) training_ = training;
    return fmt::format("job: {}\n", as_mapping(keys));
  }
  /// About, of a clique of all.
  [[nodiscard]] double exchange_s() const {
    return 8.0 * run_.payload_bytes * static_cast<double>(std::max<std::size_t>(islands(), 2) - 1) /
               run_.map.slowest_bps +
           2.0 * run_.map.farthest_s;
  }

  std::string compute(bool chips) {
    std::vector<std::string> keys;
    if (chips) {
      keys.push_back(fmt::format("accelerators: {{count: {}, peak: {} TFLOPS}}", draw_.whole(1, 64),
                                 draw_.whole(1, 1000)));
      keys.push_back(fmt::format("tokens_per_step: {}", draw_.whole(100, 1'000'000)));
    } else {
      run_.step_s = draw_.chance(0.5) ? draw_.scale(1e-5, 10.0)
                                      : exchange_s() * draw_.scale(1e-3, 10.0) + 1e-9;
      keys.push_back("step_time: " + as_time(run_.step_s));
    }
    if (draw_.chance(0.3)) {
      std::vector<std::string> own;
      for (const std::string& island : run_.map.islands) {
        if (draw_.chance(0.5)) continue;
        own.push_back(
            as_mapping({"island: " + as_name(island),
                        "step_time: " + as_time(run_.step_s * draw_.scale(0.2, 5.0) + 1e-9)}));
      }
      if (!own.empty()) keys.push_back("islands: " + as_list(own));
    }
    if (draw_.chance(0.5)) {
      std::string jitter =
          draw_.one_of<std::string>({"none", "exponential", "uniform", "lognormal"});
      if (jitter == "uniform") {
        jitter += fmt::format(", low: {:.3f}, high: {:.3f}",
                              draw_.chance(0.3) ? 0.0 : draw_.real(0.0, 0.9), draw_.real(1.0, 2.0));
      }
      if (jitter == "lognormal") jitter += fmt::format(", sigma: {:.3f}", draw_.real(0.01, 1.0));
      keys.push_back("jitter: {kind: " + jitter + "}");
    }
    return as_mapping(keys);
  }

  /// One an island, that are written as they are.
  std::vector<double> some_numbers(double least, double most) {
    std::vector<double> all;
    for (std::size_t i = 0; i < islands(); ++i) all.push_back(short_number(least, most));
    return all;
  }
  double short_number(double least, double most) {
    return std::round(draw_.real(least, most) * 1000.0) / 1000.0;
  }
  static std::string listed(const std::vector<double>& numbers) {
    return fmt::format("[{:.3f}]", fmt::join(numbers, ", "));
  }
  std::string quadratic() {
    MeanLaw law{.curvature = short_number(0.1, 2.0),
                .rate = short_number(0.01, 0.9),
                .start = short_number(-5.0, 5.0),
                .optima = some_numbers(-3.0, 3.0)};
    std::vector<std::string> keys{"kind: quadratic", "optima: " + listed(law.optima),
                                  fmt::format("start: {:.3f}", law.start),
                                  fmt::format("learning_rate: {:.3f}", law.rate)};
    const bool alike = draw_.chance(0.7);
    keys.push_back("curvatures: " +
                   listed(alike ? std::vector{law.curvature} : some_numbers(0.1, 2.0)));
    const bool noisy = draw_.chance(0.3);
    if (noisy) keys.push_back(fmt::format("noise: {:.3f}", draw_.real(0.01, 1.0)));
    if (alike && !noisy && averages_ && equal_steps_) law_ = law;
    return fmt::format("task: {}\n", as_mapping(keys));
  }
  std::string the_task() {
    if (wants_values_ || (fragments_ == 1 && draw_.chance(0.4))) {
      return quadratic();
    }
    if (draw_.chance(0.3)) {
      return fmt::format(
          "task: {{kind: scaling-law, parameters: {}, tokens_per_step: {}, penalty: {}}}\n",
          draw_.whole(1000, 1'000'000'000), draw_.whole(10, 1'000'000),
          draw_.one_of<std::string>({"none", "joint-fit", "n-dependent"}));
    }
    std::vector<std::string> keys{"kind: noisy-quadratic",
                                  fmt::format("dimensions: {}", draw_.whole(fragments_, 8))};
    if (draw_.chance(0.5)) keys.push_back("optima: " + listed(some_numbers(-3.0, 3.0)));
    if (draw_.chance(0.5)) keys.push_back(fmt::format("batch: {}", draw_.whole(1, 64)));
    return fmt::format("task: {}\n", as_mapping(keys));
  }

  std::string the_schedule(const std::string& without_member) {
    std::vector<std::string> keys{"policy: " + run_.policy};
    if (!without_member.empty()) keys.push_back(without_member);
    for (std::string& key : policy_keys()) keys.push_back(std::move(key));
    if (run_.exchanges) {
      if (!run_.overlay) keys.push_back("exchange: " + run_.exchange);
      if (!run_.quorum && draw_.chance(0.25)) keys.emplace_back("barrier: true");
      if (!in_job_) keys.push_back(fmt::format("local_steps: {}", run_.local_steps));
      if (!training_.empty()) keys.push_back(training_);
    }
    return fmt::format("schedules: [{}]\n", as_mapping(keys));
  }

  std::string the_end() {
    std::string text;
    if (draw_.chance(0.7)) {
      text += fmt::format("evaluate: {{every_rounds: {}}}\n", draw_.whole(1, 3));
    }
    run_.max_rounds = draw_.whole(1, 6);
    std::vector<std::string> keys{fmt::format("max_rounds: {}", run_.max_rounds)};
    const double rounds = static_cast<double>(run_.max_rounds);
    if (run_.never_back || draw_.chance(0.1)) {
      keys.push_back("max_time: " + as_time(run_.round_s * rounds * draw_.real(0.1, 1.5)));
    } else if (run_.held_up_by_chance) {
      keys.push_back("max_time: " + as_time(run_.round_s * rounds * 50.0));
    }
    if (draw_.chance(0.05)) keys.push_back(fmt::format("loss: {:.3f}", draw_.real(0.1, 10.0)));
    return text + fmt::format("stop: {}\n", as_mapping(keys));
  }

  Draw draw_;
  std::uint64_t seed_;
  RandomRun run_;
  std::string training_;  ///< of the schedule
  std::int64_t fragments_ = 1;
  std::int64_t layers_ = 1;
  bool wants_values_ = false;  ///< of its task
  bool compressed_ = false;
  bool in_job_ = false;
  bool averages_ = true;     ///< exchanges keep the mean of all models
  bool equal_steps_ = true;  ///< of all islands
  std::optional<MeanLaw> law_;
};

}  // namespace

RandomScenario random_scenario(std::uint64_t seed) { return ScenarioWriter(seed).write(); }

std::string to_text(const RandomScenario& scenario) {
  if (scenario.trace.empty()) return scenario.text;
  return fmt::format("{}\n{}:\n{}", scenario.text, kNetworkTrace, scenario.trace);
}

}  // namespace gyre
