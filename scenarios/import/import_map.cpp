#include "scenarios/import/import_map.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "models/connected_parts.hpp"
#include "models/error.hpp"
#include "models/limits.hpp"
#include "scenarios/import/attributes.hpp"
#include "scenarios/import/fibres.hpp"
#include "scenarios/import/great_circle.hpp"
#include "scenarios/import/node_names.hpp"
#include "scenarios/import/raw_islands.hpp"

namespace gyre {
namespace {

/// In ms, without the noise of the last bits.
std::string ms_text(Duration value) { return fmt::format("{:.12g}", value.in_milliseconds()); }

class Importer {
 public:
  Importer(RawMap raw, const ImportOptions& options)
      : raw_(std::move(raw)), options_(options), kept_(raw_.nodes.size(), true) {}

  ImportedMap map();

 private:
  using Names = std::vector<std::string>;

  [[nodiscard]] std::string link_name(const RawLink& link) const {
    return fmt::format("link '{}' - '{}'", names_[link.from], names_[link.to]);
  }
  [[nodiscard]] bool kept(const RawLink& link) const { return kept_[link.from] && kept_[link.to]; }
  [[nodiscard]] bool silent(const RawLink& link) const {
    return !link.figures.latency || (link.reverse && !link.reverse->latency);
  }

  void drop(std::size_t node) { kept_[node] = false; }
  void drop_dangling_links();
  void drop_self_loops();
  void drop_external();
  void place_nodes();
  void connect();
  void measure();
  [[nodiscard]] Duration latency(const RawLink& link, const RawFigures& figures);
  [[nodiscard]] Bandwidth bandwidth(const RawLink& link, const RawFigures& figures);
  void check_effects() const;
  void add_islands();
  void add_exact_islands();
  [[nodiscard]] std::vector<std::size_t> chosen_of(const Names& names,
                                                   const std::vector<bool>& allowed) const;

  RawMap raw_;
  const ImportOptions& options_;
  const Duration per_km_ = options_.per_km.value_or(Duration());
  const Duration per_link_ = options_.per_link.value_or(Duration());
  std::vector<bool> kept_;
  Names names_;
  std::vector<Fibre> fibres_;
  ImportedMap result_;
  std::size_t rule_used_ = 0;
  std::size_t bandwidth_used_ = 0;
};

void Importer::drop_dangling_links() {
  std::erase_if(raw_.links, [this](const RawLink& link) { return !kept(link); });
}

void Importer::drop_self_loops() {
  const std::size_t loops =
      std::erase_if(raw_.links, [](const RawLink& link) { return link.from == link.to; });
  if (loops > 0) {
    result_.notes.push_back(
        fmt::format("from a node to itself, dropped: {}", counted(loops, "link")));
  }
}

void Importer::drop_external() {
  Names external;
  for (std::size_t n = 0; n < raw_.nodes.size(); ++n) {
    if (raw_.nodes[n].internal) continue;
    external.push_back(names_[n]);
    if (options_.internal_only) drop(n);
  }
  if (external.empty()) return;
  result_.notes.push_back(
      options_.internal_only
          ? fmt::format("{} of other networks (Internal 0) dropped: {}",
                        counted(external.size(), "node"), some_of(external))
          : fmt::format("{} of other networks (Internal 0) kept: {}; --internal-only drops such",
                        counted(external.size(), "node"), some_of(external)));
  drop_dangling_links();
}

/// Every link whose latency follows from coordinates needs them at both ends.
void Importer::place_nodes() {
  std::vector<bool> needed(raw_.nodes.size(), false);
  for (const RawLink& link : raw_.links) {
    if (!silent(link) || !kept(link)) continue;
    if (!options_.per_km) {
      throw InputError(
          link.where,
          fmt::format("{} has no latency{}; a rule is needed: --ms-per-km 0.0085 (cables half as "
                      "long again as the great circle), and --ms-per-link for a constant",
                      link_name(link), link.distance ? ", only a distance" : ""));
    }
    if (link.distance || per_km_ == Duration()) continue;
    needed[link.from] = needed[link.to] = true;
  }
  Names unplaced;
  const RawNode* first = nullptr;
  for (std::size_t n = 0; n < raw_.nodes.size(); ++n) {
    if (!needed[n] || raw_.nodes[n].place) continue;
    if (first == nullptr) first = &raw_.nodes[n];
    unplaced.push_back(names_[n]);
    if (options_.drop_unplaced) drop(n);
  }
  if (unplaced.empty()) return;
  if (!options_.drop_unplaced) {
    throw InputError(first->where,
                     fmt::format("{} without coordinates, with links without latency or "
                                 "distance: {}; --nodes FILE gives coordinates, --drop-unplaced "
                                 "drops the nodes, --ms-per-km 0 with --ms-per-link makes all "
                                 "such links equal",
                                 counted(unplaced.size(), "node"), some_of(unplaced)));
  }
  result_.notes.push_back(fmt::format("{} without coordinates dropped: {}",
                                      counted(unplaced.size(), "node"), some_of(unplaced)));
  drop_dangling_links();
}

/// One part is kept; the first of the largest ones.
void Importer::connect() {
  std::vector<std::pair<std::size_t, std::size_t>> ends;
  ends.reserve(raw_.links.size());
  for (const RawLink& link : raw_.links) ends.emplace_back(link.from, link.to);
  const std::vector<std::vector<std::size_t>> parts = connected_parts(kept_, ends);
  if (parts.empty()) {
    throw InputError(raw_.file, "no node is left; a map needs at least one");
  }
  if (parts.size() == 1) return;
  const auto largest = std::max_element(
      parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  Names others;
  const RawNode* first = nullptr;
  for (auto part = parts.begin(); part != parts.end(); ++part) {
    if (part == largest) continue;
    for (const std::size_t n : *part) {
      if (first == nullptr) first = &raw_.nodes[n];
      others.push_back(names_[n]);
      if (options_.largest_component) drop(n);
    }
  }
  if (!options_.largest_component) {
    throw InputError(first->where,
                     fmt::format("the map is in {} parts that no links join; outside of the "
                                 "largest ({} nodes) are {}; --largest-component keeps that one",
                                 parts.size(), largest->size(), some_of(others)));
  }
  result_.notes.push_back(fmt::format("{} outside of the largest of {} parts dropped: {}",
                                      counted(others.size(), "node"), parts.size(),
                                      some_of(others)));
  drop_dangling_links();
}

Duration Importer::latency(const RawLink& link, const RawFigures& figures) {
  if (figures.latency) return *figures.latency;
  ++rule_used_;
  const double km = link.distance ? link.distance->in_kilometers() : 0.0;
  const double ms = km * per_km_.in_milliseconds() + per_link_.in_milliseconds();
  // Through its text, as the topology file will have it.
  const std::optional<Duration> rounded = parse_duration(fmt::format("{:.3f} ms", ms)).value;
  if (!rounded) {
    throw InputError(link.where, fmt::format("{} is too long for the rule", link_name(link)));
  }
  return *rounded;
}

Bandwidth Importer::bandwidth(const RawLink& link, const RawFigures& figures) {
  if (figures.bandwidth && !options_.force_bandwidth) return *figures.bandwidth;
  if (!options_.bandwidth) {
    throw InputError(link.where, fmt::format("{} has no capacity; --bandwidth gives the links "
                                             "without one theirs, as in --bandwidth 10Gbps",
                                             link_name(link)));
  }
  ++bandwidth_used_;
  return *options_.bandwidth;
}

/// Gives every link its figures and makes fibres of them.
void Importer::measure() {
  FibreList list(raw_.exact);
  for (RawLink& link : raw_.links) {
    const std::optional<GeoPoint>& from = raw_.nodes[link.from].place;
    const std::optional<GeoPoint>& to = raw_.nodes[link.to].place;
    const bool by_coordinates = !link.distance && from && to;
    if (by_coordinates) link.distance = great_circle(*from, *to);
    if (silent(link) && by_coordinates && per_km_ > Duration()) {
      add_rule(raw_, "length of a link: great circle between its ends, earth radius 6371 km");
    }
    Fibre fibre{.from = link.from,
                .to = link.to,
                .forward = {.latency = latency(link, link.figures),
                            .bandwidth = bandwidth(link, link.figures)},
                .backward = std::nullopt,
                .directed = link.directed,
                .distance = link.distance,
                .where = link.where};
    if (link.reverse) {
      fibre.backward = {.latency = latency(link, *link.reverse),
                        .bandwidth = bandwidth(link, *link.reverse)};
    }
    list.add(fibre);
  }
  fibres_ = list.fibres();
  for (std::string& note : list.notes()) result_.notes.push_back(std::move(note));
}

/// An option without effect is a mistake about the file.
void Importer::check_effects() const {
  if (options_.force_bandwidth && !options_.bandwidth) {
    throw InputError("--force-bandwidth", "needs --bandwidth");
  }
  if (options_.bandwidth && bandwidth_used_ == 0) {
    throw InputError("--bandwidth",
                     "has no effect: the file gives every link a capacity; "
                     "--force-bandwidth puts this one in its place");
  }
  const char* rule = options_.per_km ? "--ms-per-km" : "--ms-per-link";
  if ((options_.per_km || options_.per_link) && rule_used_ == 0) {
    throw InputError(rule, "has no effect: the file gives every link a latency; leave it out");
  }
}

/// Which of the allowed ones `--islands` names. Names may hold commas: the longest name that fits
/// is taken.
std::vector<std::size_t> Importer::chosen_of(const Names& names,
                                             const std::vector<bool>& allowed) const {
  std::map<std::string, std::size_t> positions;
  Names known;
  for (std::size_t n = 0; n < names.size(); ++n) {
    if (!allowed[n]) continue;
    positions.emplace(names[n], n);
    known.push_back(names[n]);
  }
  const std::string text = options_.islands.value_or("");
  std::vector<std::size_t> chosen;
  for (std::size_t from = 0; from <= text.size();) {
    std::size_t next = text.size() + 1;
    auto found = positions.end();
    for (std::size_t comma = text.size() + 1; found == positions.end() && comma > from;) {
      comma = comma > text.size() ? text.size() : text.rfind(',', comma - 1);
      if (comma == std::string::npos || comma < from) break;
      next = comma + 1;
      found = positions.find(legal_name(text.substr(from, comma - from)));
    }
    if (found == positions.end()) {
      const std::string piece = text.substr(from, text.find(',', from) - from);
      const char* kind = raw_.exact ? "island" : "node";
      throw InputError("--islands",
                       fmt::format("'{}' is no {} of the map{}; its {}s: {}", piece, kind,
                                   did_you_mean(piece, known), kind, some_of(known)));
    }
    if (std::find(chosen.begin(), chosen.end(), found->second) != chosen.end()) {
      throw InputError("--islands",
                       fmt::format("'{}' is there twice; once is allowed", found->first));
    }
    chosen.push_back(found->second);
    from = next;
  }
  return chosen;
}

/// The file says which islands there are.
void Importer::add_exact_islands() {
  Names names;
  std::vector<bool> allowed;
  std::vector<std::size_t> chosen;
  for (const RawIsland& island : raw_.islands) {
    if (kept_[island.at]) chosen.push_back(names.size());
    allowed.push_back(kept_[island.at]);
    names.push_back(legal_name(island.name));
  }
  if (options_.islands) chosen = chosen_of(names, allowed);
  if (chosen.empty()) throw InputError(raw_.file, "no island is left; a map needs at least one");
  for (const std::size_t i : chosen) {
    const RawIsland& raw = raw_.islands[i];
    IslandSpec island;
    island.name.value = names[i];
    island.at.value = names_[raw.at];
    island.up = raw.up;
    island.down = raw.down;
    island.latency = raw.latency;
    result_.spec.islands.push_back(std::move(island));
  }
}

void Importer::add_islands() {
  std::vector<std::size_t> nodes;
  if (options_.islands) {
    nodes = chosen_of(names_, kept_);
  } else {
    for (std::size_t n = 0; n < names_.size(); ++n) {
      if (kept_[n] && raw_.nodes[n].site) nodes.push_back(n);
    }
  }
  if (nodes.empty()) {
    throw InputError(raw_.file, "no node is a site of an island; --islands chooses some");
  }
  for (const std::size_t n : nodes) {
    IslandSpec island;
    island.name.value = island.at.value = names_[n];
    island.up = island.down = raw_.nodes[n].access;
    result_.spec.islands.push_back(std::move(island));
  }
}

ImportedMap Importer::map() {
  names_ = node_names(raw_.nodes, result_.notes);
  drop_self_loops();
  drop_external();
  place_nodes();
  connect();
  measure();
  check_effects();
  for (std::size_t n = 0; n < names_.size(); ++n) {
    if (!kept_[n]) continue;
    SwitchSpec node;
    node.name.value = names_[n];
    if (const std::optional<GeoPoint>& place = raw_.nodes[n].place) {
      node.latitude = place->latitude_deg;
      node.longitude = place->longitude_deg;
    }
    result_.spec.switches.push_back(std::move(node));
  }
  if (raw_.exact) {
    add_exact_islands();
  } else {
    add_islands();
  }
  for (const Fibre& fibre : fibres_) {
    LinkSpec link;
    link.between = {{.value = names_[fibre.from], .where = {}},
                    {.value = names_[fibre.to], .where = {}}};
    link.latency = fibre.forward.latency;
    link.bandwidth = fibre.forward.bandwidth;
    if (fibre.backward && fibre.backward->latency != link.latency) {
      link.reverse_latency = fibre.backward->latency;
    }
    if (fibre.backward && fibre.backward->bandwidth != link.bandwidth) {
      link.reverse_bandwidth = fibre.backward->bandwidth;
    }
    result_.spec.links.push_back(std::move(link));
    if (!fibre.distance) continue;
    result_.length += *fibre.distance;
    ++result_.measured_links;
  }
  if (rule_used_ > 0) {
    raw_.rules.push_back(fmt::format(
        "latency where the file has none: {} ms per km of length and {} ms, rounded to 1 us",
        ms_text(per_km_), ms_text(per_link_)));
  }
  if (bandwidth_used_ > 0) {
    raw_.rules.push_back(fmt::format(
        "capacity {}: {} each way",
        options_.force_bandwidth ? "of every link of the file" : "where the file has none",
        to_text(options_.bandwidth.value_or(Bandwidth()))));
  }
  result_.rules = std::move(raw_.rules);
  result_.notes.insert(result_.notes.begin(), raw_.notes.begin(), raw_.notes.end());
  return std::move(result_);
}

}  // namespace

namespace {

/// What was kept has to be no more than a topology file may hold.
void check_counts(const std::string& file, const TopologySpec& spec) {
  const auto check_count = [&file](std::size_t count, std::size_t most, std::string_view thing) {
    if (count <= most) return;
    throw InputError(file, fmt::format("makes a map of {}; at most {} are allowed",
                                       counted(count, thing), most));
  };
  check_count(spec.switches.size(), kMostSwitches, "node");
  check_count(spec.islands.size(), kMostIslands, "island");
  check_count(spec.links.size(), kMostLinks, "link");
}

}  // namespace

ImportedMap import_map(RawMap raw, const ImportOptions& options) {
  const std::string file = raw.file;
  std::string name = options.name.value_or(raw.name);
  if (raw.exact) take_islands(raw);
  ImportedMap result = Importer(std::move(raw), options).map();
  check_counts(file, result.spec);
  result.spec.name.value = printable(name);
  return result;
}

}  // namespace gyre
