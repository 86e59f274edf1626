// Maps as CSV: a plain list of links, and the files of DoubleZero's network-shapley.

#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "models/error.hpp"
#include "scenarios/import/csv_table.hpp"
#include "scenarios/import/formats.hpp"

namespace gyre {
namespace {

/// Nodes that exist because a link names them, in the order of their first mention.
class NamedNodes {
 public:
  explicit NamedNodes(RawMap& map) : map_(map) {}

  std::size_t at(const Attribute& name) {
    const auto [found, is_new] = positions_.emplace(name.value, map_.nodes.size());
    if (is_new) {
      RawNode node;
      node.id = name.value;
      node.where = name.where;
      add_node(map_, std::move(node));
    }
    return found->second;
  }

 private:
  RawMap& map_;
  std::map<std::string, std::size_t> positions_;
};

void check_any(const CsvTable& table, std::string_view what) {
  if (table.rows.empty()) {
    throw InputError(table.header_where, fmt::format("no {} below the header", what));
  }
}

}  // namespace

RawMap read_edge_list(const SourceText& source) {
  const CsvTable table =
      read_csv(source, {.required = {"from", "to"},
                        .optional = {"latency_ms", "bandwidth_gbps", "distance_km",
                                     "reverse_latency_ms", "reverse_bandwidth_gbps"}});
  check_any(table, "links");
  RawMap map;
  NamedNodes nodes(map);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const Attributes& row = table.rows[r];
    RawLink link;
    link.from = nodes.at(*find(row, "from"));
    link.to = nodes.at(*find(row, "to"));
    link.where = table.row_where[r];
    if (const Attribute* latency = find(row, "latency_ms")) {
      link.figures.latency = latency_of(*latency, "ms");
    }
    if (const Attribute* bandwidth = find(row, "bandwidth_gbps")) {
      link.figures.bandwidth = bandwidth_of(*bandwidth, "Gbps");
    }
    if (const Attribute* distance = find(row, "distance_km")) {
      link.distance = Distance::kilometers(not_negative(*distance, "a number of km from 0"));
    }
    const Attribute* reverse_latency = find(row, "reverse_latency_ms");
    const Attribute* reverse_bandwidth = find(row, "reverse_bandwidth_gbps");
    if (reverse_latency != nullptr || reverse_bandwidth != nullptr) {
      link.reverse = link.figures;
      if (reverse_latency != nullptr) link.reverse->latency = latency_of(*reverse_latency, "ms");
      if (reverse_bandwidth != nullptr) {
        link.reverse->bandwidth = bandwidth_of(*reverse_bandwidth, "Gbps");
      }
    }
    link.directed = !link.reverse;
    add_link(map, std::move(link));
  }
  return map;
}

RawMap read_doublezero(const SourceText& source) {
  const std::string_view header = first_line(source.text());
  if (header.find("operator") != std::string_view::npos) {
    throw InputError(source.where(0),
                     "a list of devices has no links; import the file of the private links and "
                     "give this one as --nodes");
  }
  const bool cities = header.find("city1") != std::string_view::npos;
  const std::string first = cities ? "city1" : "device1";
  const std::string second = cities ? "city2" : "device2";
  CsvColumns columns{.required = {first, second, "latency"}, .optional = {}};
  if (!cities) columns.optional = {"bandwidth", "uptime", "shared"};
  const CsvTable table = read_csv(source, columns);
  check_any(table, "links");
  RawMap map;
  NamedNodes nodes(map);
  bool has_uptime = false;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const Attributes& row = table.rows[r];
    RawLink link;
    link.from = nodes.at(*find(row, first));
    link.to = nodes.at(*find(row, second));
    link.where = table.row_where[r];
    link.figures.latency = latency_of(*find(row, "latency"), "ms");
    if (const Attribute* bandwidth = find(row, "bandwidth")) {
      link.figures.bandwidth = bandwidth_of(*bandwidth, "Gbps");
    }
    has_uptime = has_uptime || find(row, "uptime") != nullptr;
    add_link(map, std::move(link));
  }
  add_rule(map, "latency is one-way, in ms");
  if (!cities) add_rule(map, "bandwidth is in Gbps, each way");
  if (has_uptime) map.notes.emplace_back("uptime and shared are not modelled");
  return map;
}

}  // namespace gyre
