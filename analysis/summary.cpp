#include "analysis/summary.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <system_error>
#include <tuple>

#include "analysis/csv.hpp"
#include "models/units.hpp"

namespace gyre {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Reads fields in order; remembers whether all of them had the form asked for.
class FieldReader {
 public:
  explicit FieldReader(const std::vector<std::string>& fields) : fields_(&fields) {}
  std::string text() { return next_ < fields_->size() ? (*fields_)[next_++] : fail<std::string>(); }
  std::optional<double> maybe() {
    const std::string field = text();
    if (field.empty()) return std::nullopt;
    // A run that diverges ends with such a loss.
    for (const double special : {kInfinity, -kInfinity, std::nan("")}) {
      if (field == number(special)) return special;
    }
    const std::optional<double> value = parse_number(field);
    return value ? value : fail<std::optional<double>>();
  }
  std::optional<std::int64_t> maybe_count() {
    const std::string field = text();
    if (field.empty()) return std::nullopt;
    std::int64_t value = 0;
    const char* const end = field.data() + field.size();
    const auto [stop, error] = std::from_chars(field.data(), end, value);
    if (error == std::errc() && stop == end) return value;
    return fail<std::optional<std::int64_t>>();
  }
  std::int64_t count() {
    const std::optional<std::int64_t> value = maybe_count();
    return value ? *value : fail<std::int64_t>();
  }
  [[nodiscard]] bool good() const { return good_ && next_ == fields_->size(); }

 private:
  template <class T>
  T fail() {
    good_ = false;
    return T{};
  }
  const std::vector<std::string>* fields_;
  std::size_t next_ = 0;
  bool good_ = true;
};

}  // namespace

std::vector<std::string> SummaryRow::fields() const {
  return {schedule,
          policy,
          exchange,
          mode,
          std::to_string(seed),
          status,
          number(time_to_accuracy_s),
          number(final_accuracy_average),
          number(final_accuracy_worst),
          rounds ? std::to_string(*rounds) : "",
          number(mean_round_s),
          number(bound_round_s),
          number(ratio_to_bound),
          number(communication_share),
          number(wan_gb),
          binding_arc,
          bound_by,
          number(wait_share),
          number(mean_communication_s),
          number(final_loss_average),
          number(simulated_s)};
}

std::optional<SummaryRow> parse_summary_row(const std::vector<std::string>& fields) {
  FieldReader read(fields);
  SummaryRow row;
  row.schedule = read.text();
  row.policy = read.text();
  row.exchange = read.text();
  row.mode = read.text();
  row.seed = read.count();
  row.status = read.text();
  row.time_to_accuracy_s = read.maybe();
  row.final_accuracy_average = read.maybe();
  row.final_accuracy_worst = read.maybe();
  row.rounds = read.maybe_count();
  row.mean_round_s = read.maybe();
  row.bound_round_s = read.maybe();
  row.ratio_to_bound = read.maybe();
  row.communication_share = read.maybe();
  row.wan_gb = read.maybe();
  row.binding_arc = read.text();
  row.bound_by = read.text();
  row.wait_share = read.maybe();
  row.mean_communication_s = read.maybe();
  row.final_loss_average = read.maybe();
  row.simulated_s = read.maybe();
  if (!read.good()) return std::nullopt;
  return row;
}

void rank(std::vector<SummaryRow>& rows) {
  std::map<std::string, std::size_t> mode_order;
  for (const SummaryRow& row : rows) mode_order.emplace(row.mode, mode_order.size());
  const auto key = [&mode_order](const SummaryRow& row) {
    // Not a number compares with nothing.
    const double reported = row.final_loss_average.value_or(kInfinity);
    const double loss = std::isnan(reported) ? kInfinity : reported;
    return std::tuple{mode_order.at(row.mode), row.status != "complete",
                      row.time_to_accuracy_s.value_or(kInfinity),
                      -row.final_accuracy_average.value_or(0.0), loss};
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&key](const SummaryRow& a, const SummaryRow& b) { return key(a) < key(b); });
}

}  // namespace gyre
