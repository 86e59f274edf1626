#include "schedules/switch_sums.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "models/error.hpp"

namespace gyre {
namespace {

constexpr double kInt32Range = 2147483648.0;  // 2^31

/// A number on the wire, whatever the format, with what it means.
class Arithmetic {
 public:
  explicit Arithmetic(const SumNumbers& numbers) : numbers_(numbers) {}

  [[nodiscard]] double encode(double value) {
    if (numbers_.format == SumFormat::kFixed) {
      return wrapped(std::nearbyint(value * numbers_.scale));
    }
    const auto narrow = static_cast<float>(value);
    return static_cast<double>(numbers_.format == SumFormat::kBfloat16 ? to_bfloat16(narrow)
                                                                       : narrow);
  }
  [[nodiscard]] double decode(double wire) const {
    return numbers_.format == SumFormat::kFixed ? wire / numbers_.scale : wire;
  }
  /// One more input of a sum.
  [[nodiscard]] double add(double sum, double input) {
    if (numbers_.format == SumFormat::kFixed) return wrapped(sum + input);
    return static_cast<double>(static_cast<float>(sum) + static_cast<float>(input));
  }
  /// What a switch sends on of a sum.
  [[nodiscard]] double emit(double sum) const {
    if (numbers_.format != SumFormat::kBfloat16) return sum;
    return static_cast<double>(to_bfloat16(static_cast<float>(sum)));
  }
  [[nodiscard]] std::int64_t overflows() const { return overflows_; }

 private:
  /// What a 32-bit adder makes of it. Whole numbers below 2^53 are exact in double.
  double wrapped(double value) {
    if (value >= -kInt32Range && value < kInt32Range) return value;
    ++overflows_;
    if (!std::isfinite(value)) return 0.0;
    return std::remainder(value, 2.0 * kInt32Range);
  }

  const SumNumbers& numbers_;
  std::int64_t overflows_ = 0;
};

/// One flow's sum at its root, for a slice of the parameters.
class FlowSum {
 public:
  FlowSum(const Topology& topology, const Flow& flow, const ProgramFlow& program,
          const std::map<IslandId, const Model*>& models, Arithmetic& arithmetic)
      : topology_(topology),
        flow_(flow),
        program_(program),
        models_(models),
        arithmetic_(arithmetic) {
    for (const ProgramEntry& row : program.rows) {
      for (const Port& port : row.out) row_of_[port] = &row;
    }
    for (const auto& [island, ports] : program.starts) {
      for (const Port& port : ports) source_of_[port] = island;
    }
  }

  /// Values on the wire, as they leave the root.
  std::vector<double> run(std::size_t from, std::size_t to) {
    from_ = from;
    to_ = to;
    for (const ProgramEntry& row : program_.rows) {
      if (row.node == program_.root) return sum_of(row.node, row.in);
    }
    return sum_of(program_.root, program_.ends);
  }

 private:
  std::vector<double> on(const Port& port) {
    const auto source = source_of_.find(port);
    if (source != source_of_.end()) return encoded(source->second);
    const ProgramEntry& row = *row_of_.at(port);
    if (row.in.size() == 1 && topology_.is_switch(row.node)) return on(row.in.front());
    return sum_of(row.node, row.in);
  }

  std::vector<double> sum_of(NodeId node, const std::vector<Port>& inputs) {
    const bool in_switch = topology_.is_switch(node);
    std::vector<double> sum;
    for (const Port& port : inputs) {
      std::vector<double> input = on(port);
      if (sum.empty()) {
        sum = std::move(input);
        continue;
      }
      for (std::size_t i = 0; i < sum.size(); ++i) {
        // Islands add in double what they decode.
        sum[i] = in_switch ? arithmetic_.add(sum[i], input[i]) : sum[i] + input[i];
      }
    }
    if (in_switch) {
      for (double& value : sum) value = arithmetic_.emit(value);
      return sum;
    }
    const IslandId island = topology_.island_at(node);
    const auto& sources = flow_.stream.sources;
    if (std::find(sources.begin(), sources.end(), island) != sources.end()) {
      const std::vector<double> own = encoded(island);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += own[i];
    }
    return sum;
  }

  std::vector<double> encoded(IslandId island) {
    const Model& model = *models_.at(island);
    std::vector<double> wire;
    wire.reserve(to_ - from_);
    for (std::size_t i = from_; i < to_; ++i) wire.push_back(arithmetic_.encode(model[i]));
    return wire;
  }

  const Topology& topology_;
  const Flow& flow_;
  const ProgramFlow& program_;
  const std::map<IslandId, const Model*>& models_;
  Arithmetic& arithmetic_;
  std::map<Port, const ProgramEntry*> row_of_;
  std::map<Port, IslandId> source_of_;
  std::size_t from_ = 0;
  std::size_t to_ = 0;
};

/// The parameters that a flow's chunks stand for: its share of the payload, by place.
std::pair<std::size_t, std::size_t> slice_of(const ExchangePlan& plan, const Flow& flow,
                                             std::size_t parameters) {
  std::int64_t before = 0;
  std::int64_t through = 0;
  for (std::size_t c = 0; c < flow.chunk + flow.chunk_count; ++c) {
    if (c < flow.chunk) before += plan.chunks[c].in_bytes();
    through += plan.chunks[c].in_bytes();
  }
  const auto place = [&](std::int64_t bytes) {
    const double share = static_cast<double>(bytes) / static_cast<double>(plan.payload.in_bytes());
    return static_cast<std::size_t>(std::llround(share * static_cast<double>(parameters)));
  };
  return {place(before), place(through)};
}

}  // namespace

void SumNumbers::describe(Fields& fields) {
  where = fields.where();
  fields.required_choice({"format",
                          "What switches add: fixed (int32 of scale times value), bf16 (added in "
                          "float32) or fp32."},
                         format, kSumFormatNames);
  fields.optional({"scale", "Of fixed: the integer that stands for 1."}, scale, kPositive);
  if (fields.given("scale") && format != SumFormat::kFixed) {
    throw InputError(fields.where("scale"), "has no effect; allowed with `format: fixed`");
  }
}

double SumNumbers::bytes_per_parameter() const {
  return format == SumFormat::kBfloat16 ? 2.0 : 4.0;
}

float to_bfloat16(float value) {
  if (std::isnan(value)) return value;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t odd = (bits >> 16U) & 1U;
  return std::bit_cast<float>((bits + 0x7fffU + odd) & 0xffff0000U);
}

bool adds_in_switches(const Topology& topology, const SwitchProgram& program) {
  for (const ProgramFlow& flow : program.flows) {
    for (const ProgramEntry& row : flow.rows) {
      if (topology.is_switch(row.node) && row.in.size() > 1) return true;
    }
  }
  return false;
}

SwitchAverages switch_averages(const Topology& topology, const ExchangePlan& plan,
                               const SwitchProgram& program, const SumNumbers& numbers,
                               std::span<const Model> models) {
  const Clique& members = plan.members;
  const std::size_t parameters = models.front().size();
  std::map<IslandId, const Model*> model_of;
  for (std::size_t m = 0; m < members.size(); ++m) model_of[members[m]] = &models[m];
  // Each member begins with its own and adds what comes, unless a sum with its own comes.
  Arithmetic arithmetic(numbers);
  SwitchAverages averages;
  averages.of_member.assign(models.begin(), models.end());
  for (std::size_t f = 0; f < plan.flows.size(); ++f) {
    const Flow& flow = plan.flows[f];
    const auto& sources = flow.stream.sources;
    const auto [from, to] = slice_of(plan, flow, parameters);
    std::vector<double> values;
    if (sources.size() > 1) {
      values = FlowSum(topology, flow, program.flows[f], model_of, arithmetic).run(from, to);
      for (double& value : values) value = arithmetic.decode(value);
    } else {
      const Model& model = *model_of.at(sources.front());
      values.assign(model.begin() + static_cast<std::ptrdiff_t>(from),
                    model.begin() + static_cast<std::ptrdiff_t>(to));
    }
    for (const Delivery& delivery : flow.stream.deliveries) {
      const std::size_t rank = rank_in(members, delivery.receiver);
      const bool with_own =
          std::find(sources.begin(), sources.end(), delivery.receiver) != sources.end();
      Model& sum = averages.of_member[rank];
      for (std::size_t i = from; i < to; ++i) {
        sum[i] = with_own ? values[i - from] : sum[i] + values[i - from];
      }
    }
  }
  averages.overflows = arithmetic.overflows();
  const auto k = static_cast<double>(members.size());
  for (std::size_t i = 0; i < parameters; ++i) {
    double exact = 0.0;
    for (const Model& model : models) exact += model[i];
    for (Model& average : averages.of_member) {
      average[i] /= k;
      averages.largest_error = std::max(averages.largest_error, std::abs(average[i] - exact / k));
    }
  }
  return averages;
}

}  // namespace gyre
