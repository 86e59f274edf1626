#include "sim/recorder.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gyre {
namespace {

/// Adds the time until it goes out of scope.
class Stopwatch {
 public:
  explicit Stopwatch(double& total) : total_(&total) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() {
    *total_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  double* total_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

constexpr std::array<std::string_view, 3> kActivityNames{"compute", "wait", "exchange"};

std::string outcome_of(const CliqueRow& row) {
  if (!row.exchange) return row.receiver && row.dropped ? "dropped" : "";
  if (!row.dropped) return "averaged";
  return row.partly ? "partly" : "dropped";
}

std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

}  // namespace

Recorder::Recorder(const std::filesystem::path& folder, const Topology& topology, bool packets,
                   bool events)
    : folder_(folder),
      topology_(&topology),
      trace_file_((std::filesystem::create_directories(folder), open("trace.csv"))),
      rounds_file_(open("rounds.csv")),
      routes_file_(open("routes.csv")),
      timeline_(open("timeline.json")),
      trace_(trace_file_, trace_columns()),
      rounds_(rounds_file_, rounds_columns()),
      routes_(routes_file_, routes_columns()) {
  std::filesystem::remove(folder / "switches.csv");  // of a run at another fidelity
  if (packets) {
    switches_file_ = open("switches.csv");
    switches_.emplace(switches_file_, switches_columns());
  }
  std::filesystem::remove(folder / "events.csv");
  if (events) {
    events_file_ = open("events.csv");
    events_.emplace(events_file_, events_columns());
  }
  timeline_ << R"([{"name":"process_name","ph":"M","pid":1,"args":{"name":"gyre"}})";
  for (std::size_t i = 0; i < topology.island_count(); ++i) {
    timeline_ << fmt::format(
        ",\n{{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":{},\"args\":{{\"name\":{}}}}"
        "}",
        i + 1, quoted(topology.name(IslandId::at(i))));
  }
}

std::ofstream Recorder::open(const std::string& file) const {
  std::ofstream stream(folder_ / file, std::ios::binary | std::ios::trunc);
  if (!stream) throw std::runtime_error(fmt::format("cannot write {}", (folder_ / file).string()));
  return stream;
}

void Recorder::on_trace(const TraceRow& row) {
  const Stopwatch watch(wall_s_);
  const Evaluation& e = row.evaluation;
  trace_.row(std::vector<std::string>{
      number(row.time.in_seconds()), std::to_string(row.round), std::to_string(row.steps),
      std::to_string(row.samples), number(e.accuracy_average), number(e.accuracy_mean),
      number(e.accuracy_worst), number(e.loss_average), number(e.loss_mean), number(e.loss_worst),
      number(e.consensus_distance)});
  write_events(&e);
  last_evaluated_ = e;
  trace_file_.flush();
  rounds_file_.flush();
  routes_file_.flush();
  timeline_.flush();
  if (switches_) switches_file_.flush();
  if (events_) events_file_.flush();
}

void Recorder::on_clique(const CliqueRow& row) {
  const Stopwatch watch(wall_s_);
  const bool alone = !row.exchange;
  rounds_.row(std::vector<std::string>{
      std::to_string(row.round), to_text(row.members, *topology_),
      alone ? "" : std::string(name_of(*row.exchange)), number(row.start.in_seconds()),
      seconds(row.compute), seconds(row.wait), seconds(row.communication),
      std::to_string(row.wan_bytes.in_bytes()), seconds(row.bound),
      alone || row.dropped ? "" : number(row.in_exchange / row.bound), row.bound_by,
      outcome_of(row), std::to_string(row.retransmissions), number(row.sum_error),
      std::to_string(row.fragment), to_text(row.absent, *topology_),
      row.receiver ? topology_->name(*row.receiver) : ""});
  totals_.add(row);
}

void Recorder::on_event(const EventRow& row) {
  if (events_) new_events_.push_back(row);
}

void Recorder::write_events(const Evaluation* after) {
  const Evaluation* before = last_evaluated_ ? &*last_evaluated_ : nullptr;
  const auto accuracy = [](const Evaluation* e) {
    return e != nullptr ? number(e->accuracy_average) : std::string();
  };
  const auto loss = [](const Evaluation* e) {
    return e != nullptr ? number(e->loss_average) : std::string();
  };
  for (const EventRow& row : new_events_) {
    events_->row(std::vector<std::string>{number(row.time.in_seconds()), row.what, row.subject,
                                          row.round ? std::to_string(*row.round) : "", row.effect,
                                          accuracy(before), accuracy(after), loss(before),
                                          loss(after)});
    timeline_ << fmt::format(
        ",\n{{\"name\":{},\"ph\":\"i\",\"s\":\"g\",\"pid\":1,\"tid\":0,\"ts\":{},\"args\":{{"
        "\"effect\":{},\"accuracy before\":\"{}\",\"accuracy after\":\"{}\"}}}}",
        quoted(row.subject + " " + row.what), number(row.time.in_seconds() * 1e6),
        quoted(row.effect), accuracy(before), accuracy(after));
  }
  new_events_.clear();
}

Recorder::~Recorder() { write_events(nullptr); }

void Recorder::on_routes(const RoutesRow& row) {
  const Stopwatch watch(wall_s_);
  for (const auto& [arc, bytes] : row.arcs) {
    routes_.row(std::vector<std::string>{std::to_string(plans_), std::to_string(row.round),
                                         to_text(row.members, *topology_),
                                         std::string(name_of(row.exchange)), topology_->name(arc),
                                         std::to_string(bytes.in_bytes())});
  }
  ++plans_;
}

void Recorder::on_span(const Span& span) {
  const Stopwatch watch(wall_s_);
  constexpr double kMicroseconds = 1e6;
  timeline_ << fmt::format(
      ",\n{{\"name\":\"{}\",\"ph\":\"X\",\"pid\":1,\"tid\":{},\"ts\":{},\"dur\":{},"
      "\"args\":{{\"round\":{}}}}}",
      kActivityNames[static_cast<std::size_t>(span.activity)], span.island.index() + 1,
      number(span.from.in_seconds() * kMicroseconds),
      number((span.to - span.from).in_seconds() * kMicroseconds), span.round);
}

void Recorder::on_switch(const SwitchRow& row) {
  const Stopwatch watch(wall_s_);
  const SwitchUsage& usage = row.usage;
  if (!switches_) return;
  switches_->row(std::vector<std::string>{
      number(row.time.in_seconds()), topology_->name(row.at), std::to_string(usage.slots),
      std::to_string(usage.bytes), std::to_string(usage.peak_bytes), number(usage.blocked_s),
      std::to_string(usage.unsummed), std::to_string(usage.timeouts),
      std::to_string(usage.retransmissions), std::to_string(usage.repeated)});
}

void Recorder::write_links(std::ofstream& file, const RunResult& result) const {
  CsvWriter links(file, links_columns());
  for (std::size_t a = 0; a < result.arcs.size(); ++a) {
    const ArcId id = ArcId::at(a);
    const Arc& arc = topology_->arc(id);
    const ArcUsage& usage = result.arcs[a];
    const double could_carry =
        static_cast<double>(arc.capacity.in_bits_per_second()) * result.simulated.in_seconds();
    links.row(std::vector<std::string>{
        topology_->name(id), topology_->is_core(id) ? "core" : "access",
        number(arc.capacity.in_gigabits_per_second()), number(arc.latency.in_milliseconds()),
        std::to_string(usage.bytes.in_bytes()), seconds(usage.busy),
        number(could_carry > 0.0 ? usage.carried_bits / could_carry : 0.0),
        number(usage.peak_utilisation), std::to_string(result.lost.empty() ? 0 : result.lost[a])});
  }
}

void Recorder::write_islands(std::ofstream& file, const RunResult& result) const {
  CsvWriter islands(file, islands_columns());
  for (std::size_t i = 0; i < result.islands.size(); ++i) {
    const IslandId id = IslandId::at(i);
    const TimeShares& shares = result.islands[i];
    const auto bytes = [&result](ArcId arc) {
      return std::to_string(result.arcs[arc.index()].bytes.in_bytes());
    };
    islands.row(std::vector<std::string>{topology_->name(id), std::to_string(shares.rounds),
                                         seconds(shares.compute), seconds(shares.wait),
                                         seconds(shares.exchange), bytes(topology_->up(id)),
                                         bytes(topology_->down(id))});
  }
}

void Recorder::finish(const RunResult& result) {
  const Stopwatch watch(wall_s_);
  write_events(nullptr);
  std::ofstream links = open("links.csv");
  write_links(links, result);
  std::ofstream islands = open("islands.csv");
  write_islands(islands, result);
  timeline_ << "]\n";
  std::vector<std::ofstream*> files{&trace_file_, &rounds_file_, &routes_file_,
                                    &timeline_,   &links,        &islands};
  if (switches_) files.push_back(&switches_file_);
  if (events_) files.push_back(&events_file_);
  for (std::ofstream* file : files) {
    file->close();
    if (!*file) {
      throw std::runtime_error(
          fmt::format("could not write all results to {} (disk full?)", folder_.string()));
    }
  }
}

}  // namespace gyre
