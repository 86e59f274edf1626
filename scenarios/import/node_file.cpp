#include "scenarios/import/node_file.hpp"

#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "models/error.hpp"
#include "scenarios/import/csv_table.hpp"
#include "scenarios/import/formats.hpp"

namespace gyre {
namespace {

/// Finds nodes by id, else by label.
class NodeIndex {
 public:
  explicit NodeIndex(const std::vector<RawNode>& nodes) {
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      ids_.emplace(nodes[n].id, n);
      if (!nodes[n].label.empty()) labels_[nodes[n].label].push_back(n);
      known_.push_back(nodes[n].label.empty() ? nodes[n].id : nodes[n].label);
    }
  }

  [[nodiscard]] std::size_t at(const Attribute& name) const {
    if (const auto id = ids_.find(name.value); id != ids_.end()) return id->second;
    const auto label = labels_.find(name.value);
    if (label == labels_.end()) {
      throw InputError(name.where, fmt::format("'{}' is no node of the map, or has no link{}; a "
                                               "node's name or id is wanted",
                                               name.value, did_you_mean(name.value, known_)));
    }
    if (label->second.size() > 1) {
      throw InputError(name.where, fmt::format("{} nodes are called '{}'; name them by their ids",
                                               label->second.size(), name.value));
    }
    return label->second.front();
  }

 private:
  std::map<std::string, std::size_t> ids_;
  std::map<std::string, std::vector<std::size_t>> labels_;
  std::vector<std::string> known_;
};

}  // namespace

void read_node_file(RawMap& map, const SourceText& source) {
  const bool devices = first_line(source.text()).find("device") != std::string_view::npos;
  const CsvTable table =
      devices ? read_csv(source, {.required = {"device", "edge"}, .optional = {"operator"}})
              : read_csv(source, {.required = {"name"},
                                  .optional = {"latitude", "longitude", "access_gbps"}});
  const NodeIndex index(map.nodes);
  std::vector<const Where*> seen(map.nodes.size(), nullptr);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const Attributes& row = table.rows[r];
    const Attribute& name = *find(row, devices ? "device" : "name");
    const std::size_t n = index.at(name);
    if (seen[n] != nullptr) {
      throw InputError(name.where, fmt::format("'{}' is there twice, first in {}; once is allowed",
                                               name.value, seen[n]->line_text()));
    }
    seen[n] = &table.row_where[r];
    RawNode& node = map.nodes[n];
    const Attribute* latitude = find(row, "latitude");
    const Attribute* longitude = find(row, "longitude");
    if ((latitude == nullptr) != (longitude == nullptr)) {
      throw InputError(table.row_where[r], "a place needs both latitude and longitude, or neither");
    }
    if (latitude != nullptr) node.place = place_of(*latitude, *longitude);
    if (const Attribute* access = find(row, devices ? "edge" : "access_gbps")) {
      node.access = bandwidth_of(*access, "Gbps");
    }
  }
  for (std::size_t n = 0; devices && n < seen.size(); ++n) {
    if (seen[n] != nullptr) continue;
    throw InputError(map.nodes[n].where, fmt::format("device '{}' is not in {}; the list has to "
                                                     "name all devices",
                                                     map.nodes[n].id, source.file()));
  }
  if (devices) add_rule(map, "edge of a device is the access bandwidth of its island, in Gbps");
}

}  // namespace gyre
