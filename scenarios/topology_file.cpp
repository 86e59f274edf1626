#include "scenarios/topology_file.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "models/error.hpp"
#include "models/limits.hpp"
#include "scenarios/overrides.hpp"
#include "scenarios/reader.hpp"
#include "scenarios/yaml.hpp"

namespace gyre {
namespace {

/// Islands and switches are named in rounds (`A+B|C`), tables and file names.
void check_name(const Text& name, std::string_view kind) {
  const std::string& text = name.value;
  if (text.size() > kLongestName) {
    throw InputError(name.where, fmt::format("a name of {} bytes for {}; at most {} are allowed",
                                             text.size(), kind, kLongestName));
  }
  const bool blank_edge = text.empty() || text.front() == ' ' || text.back() == ' ';
  if (blank_edge || text == "-" || text.find_first_of("+|\n") != std::string::npos) {
    throw InputError(
        name.where, fmt::format("'{}' cannot name {}; a name is not empty nor '-', has no '+', '|' "
                                "or line break, and no space at either end",
                                text, kind));
  }
}

/// Errors: `InputError` at the list of `key` where it is too long for a map.
void check_count(const Fields& fields, const char* key, std::size_t count, std::size_t most) {
  if (count <= most) return;
  throw InputError(fields.where(key),
                   fmt::format("a map of {} {}; at most {} are allowed", count, key, most));
}

/// Names by position, to find one and to refuse a second one of the same name.
class Names {
 public:
  explicit Names(std::string_view kind) : kind_(kind) {}

  void add(const Text& name) {
    check_name(name, fmt::format("{} {}", kind_ == "island" ? "an" : "a", kind_));
    const auto [first, is_new] = positions_.emplace(name.value, names_.size());
    if (!is_new) {
      throw InputError(name.where, fmt::format("{} '{}' is there twice, first in {}; each name may "
                                               "stand once",
                                               kind_, name.value, lines_[first->second]));
    }
    names_.push_back(name.value);
    lines_.push_back(name.where.line_text());
  }

  [[nodiscard]] std::size_t find(const Text& name) const {
    const auto found = positions_.find(name.value);
    if (found == positions_.end()) {
      throw InputError(name.where, fmt::format("unknown {} '{}'{}; must be {}", kind_, name.value,
                                               did_you_mean(name.value, names_), one_of(names_)));
    }
    return found->second;
  }

  [[nodiscard]] const std::vector<std::string>& all() const { return names_; }

 private:
  std::string kind_;
  std::map<std::string, std::size_t> positions_;
  std::vector<std::string> names_;
  std::vector<std::string> lines_;
};

Topology::Island build_island(const IslandSpec& spec, const AccessSpec& access,
                              const Names& switches) {
  const SwitchId at = SwitchId::at(switches.find(spec.at));
  const std::optional<Bandwidth> up = spec.up ? spec.up : access.bandwidth;
  const std::optional<Bandwidth> down = spec.down ? spec.down : access.bandwidth;
  if (!up || !down) {
    throw InputError(spec.name.where,
                     fmt::format("island '{}' has no access bandwidth; give it `up` and `down`, or "
                                 "all islands `network.access.bandwidth`",
                                 spec.name.value));
  }
  return {.name = spec.name.value,
          .at = at,
          .up = *up,
          .down = *down,
          .latency = spec.latency.value_or(access.latency)};
}

/// To the whole bit a second, at least one.
Bandwidth scaled(Bandwidth capacity, double factor, const Where& where) {
  const double scaled = static_cast<double>(capacity.in_bits_per_second()) * factor;
  if (!(scaled < 0x1p62)) {
    throw InputError(where, fmt::format("this link's {} times {:g} (`network.scale.bandwidth`) is "
                                        "too much; must be below 2^62 bps",
                                        to_text(capacity), factor));
  }
  return Bandwidth::bits_per_second(std::max<std::int64_t>(1, std::llround(scaled)));
}

Topology::Link build_link(const LinkSpec& spec, const ScaleSpec& scale, const Names& switches) {
  const std::size_t first = switches.find(spec.between[0]);
  const std::size_t second = switches.find(spec.between[1]);
  if (first == second) {
    throw InputError(spec.between[1].where,
                     fmt::format("a link from '{}' to itself; it must join two switches",
                                 spec.between[1].value));
  }
  return {.first = SwitchId::at(first),
          .second = SwitchId::at(second),
          .capacity = scaled(spec.bandwidth, scale.bandwidth, spec.where),
          .latency = spec.latency * scale.latency,
          .reverse_capacity =
              scaled(spec.reverse_bandwidth.value_or(spec.bandwidth), scale.bandwidth, spec.where),
          .reverse_latency = spec.reverse_latency.value_or(spec.latency) * scale.latency};
}

void check_capable(const std::optional<std::vector<Text>>& names, const Names& switches) {
  if (!names) return;
  std::vector<std::size_t> seen;
  for (const Text& name : *names) {
    const std::size_t found = switches.find(name);
    if (std::find(seen.begin(), seen.end(), found) != seen.end()) {
      throw InputError(name.where,
                       fmt::format("switch '{}' is there twice; each may stand once", name.value));
    }
    seen.push_back(found);
  }
}

}  // namespace

void SwitchSpec::describe(Fields& fields) {
  fields.required({"name", "Name of the switch, most often of its city."}, name);
  fields.optional({"latitude", "Degrees north, for drawings of the map."}, latitude,
                  Range{.at_least = -90.0, .at_most = 90.0});
  fields.optional({"longitude", "Degrees east, for drawings of the map."}, longitude,
                  Range{.at_least = -180.0, .at_most = 180.0});
  if (latitude.has_value() != longitude.has_value()) {
    throw InputError(fields.where(), "needs both of latitude and longitude, or neither");
  }
}

void IslandSpec::describe(Fields& fields) {
  fields.required({"name", "Name of the island."}, name);
  fields.required({"at", "The switch that the island hangs on."}, at);
  fields.optional({"up", "Capacity from the island to its switch; by default `access.bandwidth`."},
                  up, kPositive);
  fields.optional({"down",
                   "Capacity from the switch to its island; by default "
                   "`access.bandwidth`."},
                  down, kPositive);
  fields.optional({"latency", "One-way latency of the access link; by default `access.latency`."},
                  latency, kNotNegative);
}

void LinkSpec::describe(Fields& fields) {
  where = fields.where();
  fields.list({"between",
               "The two switches that the fibre joins; the figures hold from the first "
               "to the second."},
              Presence::kRequired, between, 2);
  fields.required({"latency", "One-way latency."}, latency, kNotNegative);
  fields.required({"bandwidth", "Capacity in this direction."}, bandwidth, kPositive);
  fields.optional({"reverse_latency",
                   "One-way latency from the second to the first switch; by "
                   "default the same."},
                  reverse_latency, kNotNegative);
  fields.optional({"reverse_bandwidth",
                   "Capacity from the second to the first switch; by default "
                   "the same."},
                  reverse_bandwidth, kPositive);
  if (between.size() > 2) {
    throw InputError(fields.where("between"),
                     fmt::format("names {} switches; a link joins two", between.size()));
  }
}

void TopologySpec::describe(Fields& fields) {
  where = fields.where();
  fields.optional({"name", "Name of the map."}, name);
  fields.optional({"source", "Where the figures are from."}, source);
  fields.list_of({"switches", "The WAN devices."}, Presence::kRequired, switches);
  fields.list_of({"islands", "The sites of compute; their order is their rank."},
                 Presence::kRequired, islands);
  fields.list_of({"links", "The fibres between switches. Two links of one pair are two fibres."},
                 Presence::kDefaulted, links, 0);
  check_count(fields, "switches", switches.size(), kMostSwitches);
  check_count(fields, "islands", islands.size(), kMostIslands);
  check_count(fields, "links", links.size(), kMostLinks);
}

void describe_topology_file(Fields& fields, TopologySpec& spec) {
  fields.required({"gyre", "Version of the file format."}, spec.format,
                  Range{.at_least = 1.0, .at_most = 1.0});
  spec.describe(fields);
}

TopologyFile read_topology_file(const Text& path, const std::string& scenario_path,
                                const std::vector<Override>& overrides) {
  const std::filesystem::path folder = std::filesystem::path(scenario_path).parent_path();
  const std::string file = (folder / path.value).lexically_normal().string();
  YamlNode root = parse_yaml(read_text_file(file, path.where), file);
  for (const Override& change : overrides) apply_override(root, change);
  TopologyFile result;
  result.resolved = read_mapping(
      root, [&result](Fields& fields) { describe_topology_file(fields, result.spec); },
      "network.topology");
  return result;
}

Topology build_topology(const NetworkSpec& network) {
  const TopologySpec& spec = network.topology;
  Names switches("switch");
  for (const SwitchSpec& device : spec.switches) switches.add(device.name);
  Names island_names("island");
  std::vector<Topology::Island> islands;
  islands.reserve(spec.islands.size());
  for (const IslandSpec& island : spec.islands) {
    island_names.add(island.name);
    islands.push_back(build_island(island, network.access, switches));
  }
  std::vector<Topology::Link> links;
  links.reserve(spec.links.size());
  for (const LinkSpec& link : spec.links) {
    links.push_back(build_link(link, network.scale, switches));
  }
  check_capable(network.capable.multicast, switches);
  check_capable(network.capable.aggregation, switches);

  if (const auto pair = unreachable_pair(switches.all().size(), islands, links)) {
    const IslandSpec& from = spec.islands[pair->first];
    const IslandSpec& to = spec.islands[pair->second];
    throw InputError(to.name.where,
                     fmt::format("island '{}' cannot be reached from island '{}': no links lead "
                                 "from switch '{}' to switch '{}'; all islands must be connected",
                                 to.name.value, from.name.value, from.at.value, to.at.value));
  }
  return {spec.name.value, switches.all(), std::move(islands), links};
}

}  // namespace gyre
