#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/csv.hpp"
#include "analysis/table.hpp"
#include "models/bounds.hpp"
#include "models/error.hpp"
#include "schedules/exchange_plan.hpp"
#include "sim/cli.hpp"
#include "sim/exchange_probe.hpp"
#include "sim/json_cell.hpp"
#include "sim/prepared_plan.hpp"
#include "sim/run_setup.hpp"

namespace gyre {
namespace {

using Json = nlohmann::ordered_json;

Exchange chosen_exchange(const std::string& name) {
  return static_cast<Exchange>(
      chosen("--exchange", name, {kExchangeNames.begin(), kExchangeNames.end()}));
}

Round chosen_round(const std::optional<std::string>& text, const Topology& topology) {
  if (text) {
    Round round =
        parse_round({.value = *text, .where = {.file = "--round", .key_path = {}}}, topology);
    const bool exchanges = std::any_of(round.cliques.begin(), round.cliques.end(),
                                       [](const Clique& c) { return c.size() > 1; });
    if (!exchanges) {
      throw InputError("--round",
                       "no clique has two members; join islands by '+', as in 'A+B|C+D'");
    }
    return round;
  }
  if (topology.island_count() < 2) {
    throw InputError("gyre exchange", "the topology has one island; an exchange needs two");
  }
  Clique everybody;
  for (std::size_t i = 0; i < topology.island_count(); ++i) everybody.push_back(IslandId::at(i));
  return make_round({everybody}, everybody.size());
}

/// What the command found, ready to print.
struct Report {
  RoundCost cost;
  std::string round;
  std::string exchange;  ///< of all cliques, joined by + where `best` chose differently
  std::string mode;
  std::string routing;
  Duration bound;
  Duration islands_add;  ///< bound without addition in the network, as far as the mode lacks it
  std::string binding_arc;
  std::size_t equally_bound = 0;  ///< further arcs that need as long
};

Report report_on(const LoadedScenario& loaded, const Round& round, Mode mode,
                 const ProbeResult& result) {
  const Topology& topology = loaded.topology;
  Report report{.cost = result.rounds.front(),
                .round = to_text(round, topology),
                .exchange = {},
                .mode = std::string(name_of(mode)),
                .routing = std::string(name_of(loaded.scenario.network.routing)),
                .bound = {},
                .islands_add = {},
                .binding_arc = {},
                .equally_bound = 0};
  const Routes routes(topology);
  const Bounds bounds(topology, routes);
  std::vector<std::string> exchanges;
  for (const CliqueRow& row : report.cost.cliques) {
    const std::string name(name_of(row.exchange.value_or(Exchange::kDirect)));
    if (std::find(exchanges.begin(), exchanges.end(), name) == exchanges.end()) {
      exchanges.push_back(name);
    }
    report.bound = std::max(report.bound, row.bound);
    report.islands_add = std::max(
        report.islands_add, bounds.islands_add(row.members, loaded.scenario.job.payload_bytes(),
                                               mode == Mode::kMulticast || mode == Mode::kBoth,
                                               mode == Mode::kAggregation || mode == Mode::kBoth));
  }
  report.exchange = fmt::format("{}", fmt::join(exchanges, "+"));
  const auto seconds_on = [&](std::size_t a) {
    return (result.arcs[a].bytes / topology.arc(ArcId::at(a)).capacity).in_seconds();
  };
  double longest = 0.0;
  for (std::size_t a = 0; a < result.arcs.size(); ++a) longest = std::max(longest, seconds_on(a));
  for (std::size_t a = 0; a < result.arcs.size(); ++a) {
    if (seconds_on(a) < longest * (1.0 - 1e-9)) continue;
    if (report.binding_arc.empty()) {
      report.binding_arc = topology.name(ArcId::at(a));
    } else {
      ++report.equally_bound;
    }
  }
  return report;
}

std::vector<std::string> csv_fields(const Report& report) {
  return {report.round,
          report.exchange,
          report.mode,
          report.routing,
          seconds(report.cost.time),
          seconds(report.cost.bandwidth),
          seconds(report.cost.time - report.cost.bandwidth),
          seconds(report.bound),
          number(report.cost.time / report.bound),
          report.binding_arc};
}

void print_table(const LoadedScenario& loaded, const Report& report, const ProbeResult& result) {
  const Topology& topology = loaded.topology;
  fmt::print("round     {}\n", report.round);
  fmt::print("exchange  {}, mode {}, routing {}, payload {} an island\n\n", report.exchange,
             report.mode, report.routing, to_text(loaded.scenario.job.payload_bytes()));
  fmt::print("time      {:.6f} s = {:.6f} s bandwidth + {:.6f} s latency\n",
             report.cost.time.in_seconds(), report.cost.bandwidth.in_seconds(),
             (report.cost.time - report.cost.bandwidth).in_seconds());
  fmt::print("bound     {:.6f} s by any exchange on these wires: {:.2f} times the bound\n",
             report.bound.in_seconds(), report.cost.time / report.bound);
  fmt::print("          {:.6f} s of bandwidth where islands add for each other in this mode\n",
             report.islands_add.in_seconds());
  for (const CliqueRow& row : report.cost.cliques) {
    if (!row.bound_by.starts_with("switch ")) continue;
    fmt::print("limits    {}: {}\n", to_text(row.members, topology), row.bound_by);
  }
  fmt::print("binds     {}{}\n\n", report.binding_arc,
             report.equally_bound > 0
                 ? fmt::format(" and {} other arcs equally", report.equally_bound)
                 : "");
  TextTable cliques({{.text = "clique"},
                     {.text = "exchange"},
                     {.text = "time s", .align = TextTable::Align::kRight},
                     {.text = "bound s", .align = TextTable::Align::kRight},
                     {.text = "x bound", .align = TextTable::Align::kRight}});
  for (const CliqueRow& row : report.cost.cliques) {
    cliques.row({to_text(row.members, topology),
                 std::string(name_of(row.exchange.value_or(Exchange::kDirect))),
                 fmt::format("{:.6f}", row.communication.in_seconds()),
                 fmt::format("{:.6f}", row.bound.in_seconds()),
                 fmt::format("{:.2f}", row.communication / row.bound)});
  }
  fmt::print("{}\n", cliques.render());
  TextTable arcs({{.text = "arc"},
                  {.text = "GB", .align = TextTable::Align::kRight},
                  {.text = "least s", .align = TextTable::Align::kRight},
                  {.text = "peak use", .align = TextTable::Align::kRight}});
  for (std::size_t a = 0; a < result.arcs.size(); ++a) {
    const ArcUsage& usage = result.arcs[a];
    if (usage.bytes == Bytes()) continue;
    arcs.row(
        {topology.name(ArcId::at(a)), fmt::format("{:.6g}", usage.bytes.in_gigabytes()),
         fmt::format("{:.6f}", (usage.bytes / topology.arc(ArcId::at(a)).capacity).in_seconds()),
         fmt::format("{:.0f} %", 100.0 * usage.peak_utilisation)});
  }
  fmt::print("{}", arcs.render());
}

void print_json(const LoadedScenario& loaded, const Report& report, const ProbeResult& result) {
  Json json = json_row(exchange_columns(), csv_fields(report));
  json["islands_add_bound_s"] = report.islands_add.in_seconds();
  for (std::size_t a = 0; a < result.arcs.size(); ++a) {
    json["bytes"][loaded.topology.name(ArcId::at(a))] = result.arcs[a].bytes.in_bytes();
  }
  fmt::print("{}\n", json.dump(2));
}

}  // namespace

int command_exchange(const ExchangeOptions& options) {
  const LoadedScenario loaded = load(options.common);
  const Mode mode = chosen_mode(options.mode, loaded.scenario);
  const Exchange exchange = chosen_exchange(options.exchange);
  const Round round = chosen_round(options.round, loaded.topology);
  const Capabilities capabilities = capabilities_in(loaded.scenario, loaded.topology, mode);
  const Routes routes(loaded.topology);
  if (!available({loaded.topology, routes, capabilities}, exchange)) {
    throw InputError("--exchange",
                     fmt::format("in-network needs a switch that replicates and adds; "
                                 "none does in mode {}",
                                 name_of(mode)));
  }
  std::optional<PacketSettings> packets;
  std::vector<Fault> faults;
  if (loaded.fidelity == Fidelity::kPacket) {
    packets = packet_settings(loaded, false);
    faults = faults_of(loaded.scenario.network.faults, loaded.topology);
    check_packets(
        {loaded.topology, routes, capabilities, limits_in(loaded.scenario)},
        {.exchange = exchange, .routing = loaded.scenario.network.routing, .keep_rates = false},
        loaded.scenario.job.payload_bytes(), *packets, std::span(&round, 1));
  }
  const ProbeResult result =
      probe(loaded.topology, capabilities, loaded.scenario.job.payload_bytes(), exchange, {round},
            {.routing = loaded.scenario.network.routing,
             .limits = limits_in(loaded.scenario),
             .packets = packets,
             .seed = static_cast<std::uint64_t>(loaded.scenario.seeds.front()),
             .faults = faults,
             .in_flight = loaded.scenario.network.in_flight.value_or(InFlight::kWait)});
  if (!result.failure.empty()) {
    fmt::print(stderr, "failed: {}\n", result.failure);
    return kExitFailed;
  }
  if (result.dropped) {
    fmt::print(stderr, "failed: the exchange gave up after {:.6g} s and was dropped\n",
               result.rounds.front().time.in_seconds());
    return kExitFailed;
  }
  warn_of_late_faults(loaded, result.rounds.front().time.in_seconds());
  const Report report = report_on(loaded, round, mode, result);
  switch (chosen_format(options.common.format)) {
    case Format::kTable:
      print_table(loaded, report, result);
      break;
    case Format::kCsv:
      fmt::print("{}{}", csv_header(exchange_columns()), csv_line(csv_fields(report)));
      break;
    case Format::kJson:
      print_json(loaded, report, result);
      break;
  }
  return kExitDone;
}

}  // namespace gyre
