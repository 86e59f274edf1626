#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "models/error.hpp"
#include "models/limits.hpp"
#include "scenarios/generate/generators.hpp"
#include "scenarios/import/node_names.hpp"
#include "scenarios/import/topology_yaml.hpp"
#include "scenarios/yaml.hpp"
#include "sim/cli.hpp"
#include "sim/cli_generate.hpp"
#include "sim/cli_values.hpp"
#include "sim/manifest.hpp"
#include "sim/output_file.hpp"
#include "sim/version.hpp"

namespace gyre {
namespace {

/// Longest latency a km or a link, in ms, and longest side of a square, in km (round the earth).
constexpr double kMostMilliseconds = 1e6;
constexpr double kMostKilometers = 40'000;

/// Reads options one by one, and remembers what they say, defaults included.
class Choices {
 public:
  void note(std::string_view option, std::string_view text) {
    text_ += fmt::format(" {} {}", option, text);
  }
  std::size_t count(std::string_view option, const std::string& text, std::size_t least,
                    std::size_t most) {
    note(option, text);
    return static_cast<std::size_t>(whole_number(
        option, text,
        {.least = static_cast<std::int64_t>(least), .most = static_cast<std::int64_t>(most)}));
  }
  std::uint64_t seed(std::string_view option, const std::string& text) {
    note(option, text);
    return static_cast<std::uint64_t>(whole_number(option, text, {}));
  }
  Duration latency(std::string_view option, const std::string& text) {
    note(option, text);
    const Duration value = milliseconds(option, text);
    if (value > Duration::milliseconds(kMostMilliseconds)) {
      throw InputError(option,
                       fmt::format("{} ms is too much; at most {:g}", text, kMostMilliseconds));
    }
    return value;
  }
  Distance side(std::string_view option, const std::string& text) {
    note(option, text);
    const std::optional<double> km = parse_number(text);
    if (!km || !(*km > 0.0) || *km > kMostKilometers) {
      throw InputError(option, fmt::format("'{}' is no number of km above 0 and up to {:g}", text,
                                           kMostKilometers));
    }
    return Distance::kilometers(*km);
  }
  Bandwidth rate(std::string_view option, const std::string& text) {
    note(option, text);
    return capacity(option, text);
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

GeneratedMap make(Choices& choices, const GenerateOptions::RandomGeometric& given,
                  const MapFigures& figures) {
  RandomGeometric options;
  options.islands = choices.count("--islands", given.islands, 2, kMostGeneratedIslands);
  options.links =
      choices.count("--links", given.links, options.islands - 1,
                    std::min(kMostGeneratedLinks, options.islands * (options.islands - 1) / 2));
  options.seed = choices.seed("--seed", given.seed);
  options.side = choices.side("--side-km", given.side_km);
  options.per_km = choices.latency("--ms-per-km", given.ms_per_km);
  options.per_link = choices.latency("--ms-per-link", given.ms_per_link);
  return random_geometric(options, figures);
}

GeneratedMap make(Choices& choices, const GenerateOptions::Regions& given,
                  const MapFigures& figures) {
  Regions options;
  options.core = static_cast<RegionCore>(
      chosen("--core", given.core, {kRegionCoreNames.begin(), kRegionCoreNames.end()}));
  // Two hubs have no ring but a link; a mesh has a link a pair.
  const std::size_t most = options.core == RegionCore::kMesh ? 400 : kMostGeneratedIslands;
  options.regions =
      choices.count("--regions", given.regions, options.core == RegionCore::kRing ? 3 : 2, most);
  options.islands =
      choices.count("--islands", given.islands, 1, kMostGeneratedIslands / options.regions);
  choices.note("--core", given.core);
  options.local = choices.latency("--local-ms", given.local_ms);
  options.remote = choices.latency("--core-ms", given.core_ms);
  options.core_bandwidth = given.core_bandwidth
                               ? choices.rate("--core-bandwidth", *given.core_bandwidth)
                               : figures.bandwidth;
  return regions(options, figures);
}

GeneratedMap make(Choices& choices, const GenerateOptions::Torus& given,
                  const MapFigures& figures) {
  Torus options;
  choices.note("--sides", given.sides);
  std::size_t cities = 1;
  for (std::size_t from = 0; from <= given.sides.size();) {
    const std::size_t end = std::min(given.sides.find('x', from), given.sides.size());
    const std::int64_t side =
        whole_number("--sides", given.sides.substr(from, end - from),
                     {.least = 2, .most = static_cast<std::int64_t>(kMostGeneratedIslands)});
    options.sides.push_back(static_cast<std::size_t>(side));
    cities *= options.sides.back();
    if (cities > kMostGeneratedIslands) {
      throw InputError(
          "--sides", fmt::format("{} are more than {} cities", given.sides, kMostGeneratedIslands));
    }
    from = end + 1;
  }
  options.per_link = choices.latency("--ms-per-link", given.ms_per_link);
  return torus(options, figures);
}

GeneratedMap make(Choices& choices, const GenerateOptions& options, const MapFigures& figures) {
  switch (options.kind) {
    case MapKind::kRandomGeometric:
      return make(choices, options.random_geometric, figures);
    case MapKind::kRegions:
      return make(choices, options.regions, figures);
    case MapKind::kTorus:
      return make(choices, options.torus, figures);
  }
  broken_invariant("an unknown kind of map");
}

/// `100 islands, 144 links, total length 1234 km`.
std::string size_text(const GeneratedMap& map) {
  std::string text = fmt::format("{}, {}", counted(map.spec.islands.size(), "island"),
                                 counted(map.spec.links.size(), "link"));
  if (map.length) text += fmt::format(", total length {:.0f} km", map.length->in_kilometers());
  return text;
}

}  // namespace

int command_generate(const GenerateOptions& options) {
  const std::string_view kind = generator_table()[static_cast<std::size_t>(options.kind)].name;
  if (options.name && options.name->empty()) {
    throw InputError("--name", "is empty; a name is wanted");
  }
  Choices choices;
  MapFigures figures;
  figures.bandwidth = choices.rate("--bandwidth", options.bandwidth);
  if (options.access) figures.access = choices.rate("--access", *options.access);
  GeneratedMap map = make(choices, options, figures);
  check_output(options.output, options.overwrite, {});

  map.spec.name.value = printable(options.name.value_or(std::string(kind)));
  map.spec.source.value = fmt::format("generated by gyre {}: {}{}", kVersion, kind, choices.text());
  const std::string size = size_text(map);
  std::vector<std::string> comments{
      fmt::format("Generated ({}): {}. No map of a real network.", kind, size)};
  comments.insert(comments.end(), map.comments.begin(), map.comments.end());
  const std::string text = topology_yaml(map.spec, comments);
  check(text.size() <= kLargestFile, "a generated map that is too large to be read");
  if (options.output) {
    write_file(*options.output, text);
  } else {
    fmt::print("{}", text);
  }
  if (!options.quiet) fmt::print(stderr, "{}: {}\n", map.spec.name.value, size);
  return kExitDone;
}

}  // namespace gyre
