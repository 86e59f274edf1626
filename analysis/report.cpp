#include "analysis/report.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/columns.hpp"
#include "analysis/report_assets.hpp"
#include "models/error.hpp"

namespace gyre {
namespace {

using Json = nlohmann::ordered_json;

// What a page of some hundred runs can hold and still open at once.
constexpr std::size_t kMostPoints = 200;
constexpr std::size_t kMostArcs = 60;
constexpr std::size_t kMostEvents = 200;
constexpr std::size_t kMostCells = 60'000;  ///< of rounds and spans, all runs together

/// A number as a page needs it.
Json rounded(double value) { return Json::parse(fmt::format("{:.6g}", value)); }

Json trace_of(const ResultRun& run, std::string_view quantity) {
  const ResultTable trace(run.folder / "trace.csv");
  const std::string column = fmt::format("{}_average", quantity);
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < trace.rows(); ++i) {
    const auto time = trace.value(i, "time_s");
    const auto value = trace.value(i, column);
    if (time && value && std::isfinite(*value)) points.emplace_back(*time, *value);
  }
  Json list = Json::array();
  const std::size_t count = std::min(points.size(), kMostPoints);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = count < 2 ? 0 : i * (points.size() - 1) / (count - 1);
    list.push_back({rounded(points[at].first), rounded(points[at].second)});
  }
  return list;
}

/// The links of the map that each clique's exchanges cross, by members and the round from which on.
class Ways {
 public:
  Ways(const ResultRun& run, const ResultMap& map) {
    std::map<std::string, std::size_t, std::less<>> link_of;  // by arc
    for (std::size_t i = 0; i < map.links.size(); ++i) {
      const std::string& a = map.switches[map.links[i].first].name;
      const std::string& b = map.switches[map.links[i].second].name;
      link_of[fmt::format("{}->{}", a, b)] = i;
      link_of[fmt::format("{}->{}", b, a)] = i;
    }
    const ResultTable rows(run.folder / "routes.csv");
    std::string_view plan = "none";
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      std::set<std::size_t>& links =
          of_[std::string(rows.text(i, "members"))][rows.value(i, "round").value_or(0.0)];
      // The last plan of a round is the one that brought it to its end.
      if (rows.text(i, "plan") != plan) links.clear();
      plan = rows.text(i, "plan");
      const auto link = link_of.find(rows.text(i, "arc"));
      if (link != link_of.end()) links.insert(link->second);
    }
  }

  /// Null where it is not known.
  [[nodiscard]] Json of(std::string_view members, double round) const {
    const auto clique = of_.find(members);
    if (clique == of_.end()) return nullptr;
    const auto after = clique->second.upper_bound(round);
    if (after == clique->second.begin()) return nullptr;
    return std::prev(after)->second;
  }

 private:
  std::map<std::string, std::map<double, std::set<std::size_t>>, std::less<>> of_;
};

Json events_of(const ResultRun& run) {
  const ResultTable rows(run.folder / "events.csv");
  Json list = Json::array();
  for (std::size_t i = 0; i < std::min(rows.rows(), kMostEvents); ++i) {
    list.push_back({rounded(rows.value(i, "time_s").value_or(0.0)), rows.text(i, "subject"),
                    rows.text(i, "what"), rows.text(i, "round"), rows.text(i, "effect"),
                    rows.text(i, "accuracy_before"), rows.text(i, "accuracy_after")});
  }
  return list;
}

Json rounds_of(const ResultRun& run, const ResultMap& map, std::size_t most) {
  const ResultTable rows(run.folder / "rounds.csv");
  const Ways ways(run, map);
  Json list = Json::array();
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const auto number = static_cast<std::size_t>(rows.value(i, "round").value_or(0.0));
    if (number >= most) continue;
    while (list.size() <= number) {
      list.push_back({{"number", list.size()},
                      {"start", nullptr},
                      {"cliques", Json::array()},
                      {"ways", Json::array()}});
    }
    Json& round = list[number];
    const Json start = rounded(rows.value(i, "start_s").value_or(0.0));
    if (round["start"].is_null() || start < round["start"]) round["start"] = start;
    const std::vector<std::string_view> members = members_in(rows.text(i, "members"));
    // Fragments of a model repeat the cliques.
    const bool known = std::any_of(round["cliques"].begin(), round["cliques"].end(),
                                   [&](const Json& clique) { return clique == Json(members); });
    if (members.size() < 2 || known) continue;
    round["cliques"].push_back(members);
    round["ways"].push_back(ways.of(rows.text(i, "members"), static_cast<double>(number)));
    // An island of an overlay and those it hears from: no clique.
    if (rows.text(i, "exchange").empty()) {
      round["overlay"] = true;
      round["ways"].back() = rows.text(i, "receiver");
    }
  }
  return list;
}

/// What the islands did in their first rounds: [island, from, length, activity, round].
Json spans_of(const ResultRun& run, const std::vector<std::string>& islands, std::size_t most) {
  static const std::vector<std::string> kActivities{"compute", "wait", "exchange"};
  Json list = Json::array();
  std::ifstream file(run.folder / "timeline.json", std::ios::binary);
  std::vector<std::string> threads;
  for (std::string line; std::getline(file, line) && list.size() < most;) {
    // One event a line.
    const std::size_t open = line.find('{');
    const std::size_t close = line.rfind('}');
    if (open == std::string::npos || close == std::string::npos) continue;
    const Json event = Json::parse(line.substr(open, close - open + 1), nullptr, false);
    if (!event.is_object()) continue;
    const Json tid = event.value("tid", Json());
    const Json args = event.value("args", Json::object());
    if (!tid.is_number_unsigned() || tid > 1'000'000 || !args.is_object()) continue;
    const auto thread = tid.get<std::size_t>();
    if (event.value("name", "") == "thread_name") {
      threads.resize(std::max(threads.size(), thread + 1));
      threads[thread] = args.value("name", "");
      continue;
    }
    const auto activity =
        std::find(kActivities.begin(), kActivities.end(), event.value("name", ""));
    if (activity == kActivities.end() || thread >= threads.size()) continue;
    const auto island = std::find(islands.begin(), islands.end(), threads[thread]);
    if (island == islands.end()) continue;
    list.push_back({island - islands.begin(), rounded(1e-6 * event.value("ts", 0.0)),
                    rounded(1e-6 * event.value("dur", 0.0)), activity - kActivities.begin(),
                    args.value("round", 0)});
  }
  return list;
}

Json arcs_of(const ResultTable& links) {
  Json list = Json::array();
  std::vector<std::size_t> order(links.rows());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto use = [&](std::size_t i) { return links.value(i, "mean_utilisation").value_or(0.0); };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return use(a) > use(b); });
  // The busiest say where it binds.
  order.resize(std::min(order.size(), kMostArcs));
  for (const std::size_t i : order) {
    list.push_back({links.text(i, "arc"), links.text(i, "kind"),
                    rounded(links.value(i, "capacity_gbps").value_or(0.0)),
                    rounded(1e-9 * links.value(i, "bytes").value_or(0.0)), rounded(use(i)),
                    rounded(links.value(i, "peak_utilisation").value_or(0.0))});
  }
  return list;
}

/// By link of the map, the larger mean utilisation of its two directions.
Json link_loads(const ResultMap& map, const ResultTable& links) {
  std::map<std::string, double, std::less<>> by_arc;
  for (std::size_t i = 0; i < links.rows(); ++i) {
    double& use = by_arc[std::string(links.text(i, "arc"))];
    use = std::max(use, links.value(i, "mean_utilisation").value_or(0.0));
  }
  Json list = Json::array();
  for (const ResultMap::Link& link : map.links) {
    const std::string& a = map.switches[link.first].name;
    const std::string& b = map.switches[link.second].name;
    double most = 0.0;
    for (const std::string& arc : {fmt::format("{}->{}", a, b), fmt::format("{}->{}", b, a)}) {
      const auto found = by_arc.find(arc);
      if (found != by_arc.end()) most = std::max(most, found->second);
    }
    list.push_back(rounded(most));
  }
  return list;
}

/// Switches with their places in a unit square: by longitude and latitude, stretched to what the
/// map covers, or on a circle.
Json map_json(const ResultMap& map) {
  const bool placed = map.placed();
  double west = 180.0;
  double east = -180.0;
  double south = 90.0;
  double north = -90.0;
  for (const ResultMap::Switch& one : map.switches) {
    west = std::min(west, one.longitude.value_or(0.0));
    east = std::max(east, one.longitude.value_or(0.0));
    south = std::min(south, one.latitude.value_or(0.0));
    north = std::max(north, one.latitude.value_or(0.0));
  }
  const double wide = std::max(east - west, 1e-3);
  const double high = std::max(north - south, 1e-3);
  const auto x_of = [&](double longitude) { return 0.05 + 0.9 * (longitude - west) / wide; };
  const auto y_of = [&](double latitude) { return 0.92 - 0.84 * (latitude - south) / high; };
  Json json{{"placed", placed},
            {"switches", Json::array()},
            {"islands", Json::array()},
            {"links", Json::array()},
            {"graticule", Json::array()}};
  for (std::size_t i = 0; i < map.switches.size(); ++i) {
    const double angle =
        2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(map.switches.size());
    const ResultMap::Switch& one = map.switches[i];
    const double x = placed ? x_of(*one.longitude) : 0.5 + 0.3 * std::sin(angle);
    const double y = placed ? y_of(*one.latitude) : 0.5 - 0.42 * std::cos(angle);
    json["switches"].push_back({one.name, rounded(x), rounded(y)});
  }
  for (const ResultMap::Island& one : map.islands) json["islands"].push_back({one.name, one.at});
  for (const ResultMap::Link& one : map.links) {
    json["links"].push_back({one.first, one.second, rounded(one.latency_ms)});
  }
  if (!placed) return json;
  const auto line = [&](double x1, double y1, double x2, double y2) {
    json["graticule"].push_back({rounded(x1), rounded(y1), rounded(x2), rounded(y2)});
  };
  const double step = wide > 90.0 ? 30.0 : wide > 20.0 ? 10.0 : 2.0;
  for (double at = std::ceil(west / step) * step; at <= east; at += step) {
    line(x_of(at), 0.02, x_of(at), 0.98);
  }
  for (double at = std::ceil(south / step) * step; at <= north; at += step) {
    line(0.02, y_of(at), 0.98, y_of(at));
  }
  return json;
}

Json columns_json(std::span<const Column> columns) {
  Json list = Json::array();
  for (const Column& column : columns) {
    list.push_back(
        {{"name", column.name}, {"unit", column.unit}, {"definition", column.definition}});
  }
  return list;
}

Json run_json(const Results& results, const ResultRun& run, std::string_view quantity,
              std::size_t cells) {
  const ResultTable links(run.folder / "links.csv");
  const ResultTable islands(run.folder / "islands.csv");
  std::vector<std::string> names;
  Json times = Json::array();
  for (std::size_t i = 0; i < islands.rows(); ++i) {
    names.emplace_back(islands.text(i, "island"));
    times.push_back({names.back(), rounded(islands.value(i, "compute_s").value_or(0.0)),
                     rounded(islands.value(i, "wait_s").value_or(0.0)),
                     rounded(islands.value(i, "exchange_s").value_or(0.0))});
  }
  const bool colocated = run.summary && run.summary->policy == "colocated";
  const std::size_t rounds =
      std::max<std::size_t>(1, cells / std::max<std::size_t>(1, names.size()));
  return {{"id", run.id},
          {"schedule", run.schedule},
          {"mode", run.mode},
          {"seed", run.seed},
          {"status", run.status},
          {"trace", trace_of(run, quantity)},
          // In one data centre no round is on the map.
          {"rounds", colocated ? Json::array()
                               : rounds_of(run, results.map, std::min<std::size_t>(rounds, 60))},
          {"colocated", colocated},
          {"arcsLeftOut", links.rows() - std::min<std::size_t>(links.rows(), kMostArcs)},
          {"events", events_of(run)},
          {"spans", spans_of(run, names, cells)},
          {"islands", times},
          {"arcs", arcs_of(links)},
          {"links", link_loads(results.map, links)}};
}

Json pairs_json(const std::vector<std::pair<std::string, std::string>>& pairs) {
  Json list = Json::array();
  for (const auto& [key, value] : pairs) list.push_back({key, value});
  return list;
}

Json data_json(const Results& results) {
  const bool accuracy =
      std::any_of(results.runs.begin(), results.runs.end(), [](const ResultRun& run) {
        return run.summary && run.summary->final_accuracy_average.has_value();
      });
  const std::string_view quantity = accuracy ? "accuracy" : "loss";
  const Answers answers = answers_of(results);
  const std::string_view target = results.value(fmt::format("stop.{}", quantity));
  std::set<std::int64_t> seeds;
  Json modes = Json::array();
  Json runs = Json::array();
  Json rows = Json::array();
  std::size_t rounds_shown = 0;
  const std::size_t cells = std::clamp<std::size_t>(kMostCells / results.runs.size(), 30, 900);
  for (const ResultRun& run : results.runs) {
    seeds.insert(run.seed);
    if (std::find(modes.begin(), modes.end(), run.mode) == modes.end()) modes.push_back(run.mode);
    runs.push_back(run_json(results, run, quantity, cells));
    rounds_shown = std::max(rounds_shown, runs.back()["rounds"].size());
    if (run.summary) rows.push_back(run.summary->fields());
  }
  Json tables = Json::array();
  for (const OutputTable& table : output_tables()) {
    tables.push_back({{"name", table.name},
                      {"summary", table.summary},
                      {"columns", columns_json(table.columns)}});
  }
  return {{"scenario", results.scenario},
          {"description", results.description},
          {"version", results.version},
          {"fidelity", results.fidelity},
          {"question", answers.question},
          {"answers", answers.sentences},
          {"notes", results.notes},
          {"quantity", quantity},
          {"target", target.empty() ? Json() : Json::parse(target, nullptr, false)},
          {"modes", modes},
          {"seeds", seeds.size()},
          {"roundsShown", rounds_shown},
          {"mostEvents", kMostEvents},
          {"summary", {{"columns", columns_json(summary_columns())}, {"rows", rows}}},
          {"runs", runs},
          {"map", map_json(results.map)},
          {"resolved", pairs_json(results.resolved)},
          {"engine", pairs_json(results.engine)},
          {"scenarioText", results.scenario_text},
          {"tables", tables}};
}

/// Text that HTML shows as it is.
std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else
      safe += c;
  }
  return safe;
}

/// JSON that no HTML tag can end.
std::string in_script(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  }
  return safe;
}

}  // namespace

std::string report_html(const Results& results) {
  if (results.runs.empty()) {
    throw InputError(results.folder.string(), "holds no run yet; run the comparison first");
  }
  // Split by the marks, so that nothing that is put in is taken for one.
  std::string html;
  std::string_view rest = report_page();
  while (!rest.empty()) {
    const std::size_t open = rest.find('@');
    html += rest.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = rest.find('@', open + 1);
    const std::string_view mark = rest.substr(open + 1, close - open - 1);
    if (mark == "TITLE")
      html += escaped("gyre: " + results.scenario);
    else if (mark == "STYLE")
      html += report_style();
    else if (mark == "DATA")
      html += in_script(data_json(results));
    else if (mark == "D3")
      html += report_d3();
    else if (mark == "SCRIPT")
      html += report_script();
    else
      broken_invariant("the report's page has a mark that is none");
    rest = rest.substr(close + 1);
  }
  return html;
}

}  // namespace gyre
