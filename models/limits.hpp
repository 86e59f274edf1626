#pragma once

// What a file may hold at most, of whatever format. Wide of what anybody simulates, and narrow
// enough that no file takes more than seconds and a few gigabytes to be read or refused.

#include <cstddef>

namespace gyre {

/// Bytes of a file.
inline constexpr std::size_t kLargestFile = std::size_t{16} << 20U;
/// Lists and mappings inside each other, in YAML, GML and XML, and steps of a key path.
inline constexpr std::size_t kDeepestNesting = 64;
/// Values of a YAML file, pairs of a GML file, elements and attributes of an XML file.
inline constexpr std::size_t kMostValues = 1'000'000;
/// Entries of a list, such as rounds, links or faults.
inline constexpr std::size_t kMostEntries = 100'000;
/// Keys of a mapping, declared keys of a GraphML file, and columns of a list of links or nodes.
inline constexpr std::size_t kMostKeys = 100;
/// Bytes of a key, or of a key path.
inline constexpr std::size_t kLongestKey = 256;
/// Bytes of the name of a switch or an island, and of a label or an id in an imported file: what
/// makes names unique may join the two and add a number.
inline constexpr std::size_t kLongestName = 512;
inline constexpr std::size_t kLongestLabel = (kLongestName - 24) / 2;

inline constexpr std::size_t kMostSwitches = 10'000;
inline constexpr std::size_t kMostIslands = 10'000;
inline constexpr std::size_t kMostLinks = 100'000;
/// Rows of a list of links or nodes: a link each way, and the islands'.
inline constexpr std::size_t kMostCsvRows = 2 * (kMostLinks + kMostIslands);
/// Links of one pair of nodes in an imported file.
inline constexpr std::size_t kMostParallelLinks = 1'000;
inline constexpr std::size_t kMostSchedules = 1'000;
/// Rounds that all schedules list, times the islands.
inline constexpr std::size_t kMostListedPlaces = 10'000'000;
/// Steps of a trace, times its islands.
inline constexpr std::size_t kMostTracedSteps = 10'000'000;
/// Bytes that the points of a study take in memory.
inline constexpr std::size_t kLargestStudy = std::size_t{1} << 30U;
/// Numbers of all islands' models together, and of a perceptron's batch.
inline constexpr std::size_t kMostModelNumbers = std::size_t{1} << 28U;

/// Letters of the names for which the nearest known one is looked for.
inline constexpr std::size_t kLongestCorrected = 64;
/// How many names an error lists.
inline constexpr std::size_t kMostListed = 60;
/// Bytes of the message of an error; what is in the middle is left out.
inline constexpr std::size_t kLongestMessage = 8'192;

}  // namespace gyre
