#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/summary.hpp"
#include "sim/path_lock.hpp"

struct sqlite3;

namespace gyre {

struct DatabaseCloser {
  void operator()(sqlite3* database) const;
};
using DatabasePtr = std::unique_ptr<sqlite3, DatabaseCloser>;

/// What a sweep knows of a run that has ended.
struct StudyResult {
  std::size_t run = 0;
  std::vector<std::string> values;  ///< of the study's keys
  std::string setting;              ///< the same as options of `gyre run`
  SummaryRow summary;               ///< `status` is complete or failed
  std::string failure;              ///< why it failed
};

/// The one SQLite file of a study. Table `study` (key, value) says which study it is of and holds
/// its text and that of its scenario; table `runs` has a row for each run that has ended: run, the
/// study's keys, the columns of summary.csv, failure, setting. A row is written whole or not at
/// all, whatever stops the process.
class StudyStore {
 public:
  struct Identity {
    std::string name;
    std::string version;   ///< of gyre
    std::string key;       ///< of everything that decides the runs
    std::string study;     ///< text of the study file
    std::string scenario;  ///< text of the scenario file
    std::vector<std::string> keys;
  };
  /// Opens the file for this process alone, or makes it. Errors: `InputError` if it is another
  /// study's (unless `overwrite`), no database, in use, or cannot be written.
  StudyStore(const std::filesystem::path& file, const Identity& identity, bool overwrite);
  StudyStore(const StudyStore&) = delete;
  StudyStore& operator=(const StudyStore&) = delete;
  ~StudyStore() = default;

  /// The runs that it has, with status complete, or also those that failed.
  [[nodiscard]] std::set<std::size_t> runs(bool also_failed) const;
  /// Errors: `std::runtime_error` if it cannot be written, as when the disk is full.
  void add(const StudyResult& result);

 private:
  /// The tables, in place of another study's with `replace`, in one step.
  void make(const Identity& identity, bool replace);

  std::filesystem::path file_;
  std::vector<std::string> keys_;
  std::optional<PathLock> lock_;
  DatabasePtr database_;  ///< closed before the lock is let go
};

/// A table that SQLite gives; numbers as all outputs write them.
struct QueryResult {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

/// Asks a study's file, which stays as it is. Errors: `InputError` for a file that is no study's,
/// and for what SQLite does not understand.
QueryResult query_study(const std::filesystem::path& file, const std::string& sql);

}  // namespace gyre
