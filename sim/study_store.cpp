#include "sim/study_store.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include "analysis/columns.hpp"
#include "analysis/csv.hpp"
#include "models/error.hpp"
#include "models/units.hpp"

namespace gyre {
namespace {

namespace fs = std::filesystem;

constexpr int kApplication = 0x67797265;  // "gyre": tells a study's file from other databases

class Statement {
 public:
  Statement(sqlite3* database, const std::string& sql) : database_(database) {
    if (sqlite3_prepare_v2(database, sql.c_str(), -1, &statement_, nullptr) != SQLITE_OK) fail();
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(statement_); }

  void bind(int place, const std::string& text) {
    const int size = static_cast<int>(text.size());
    if (sqlite3_bind_text(statement_, place, text.c_str(), size, SQLITE_TRANSIENT) != SQLITE_OK) {
      fail();
    }
  }
  /// A cell of a table: a number where it reads as one, null where it is empty.
  void bind_cell(int place, const std::string& cell) {
    if (cell.empty()) return;  // null from the start
    const std::optional<double> value = parse_number(cell);
    if (!value) {
      bind(place, cell);
      return;
    }
    const auto whole = static_cast<std::int64_t>(*value);
    const bool is_whole = static_cast<double>(whole) == *value && std::abs(*value) < 1e15;
    const int status = is_whole ? sqlite3_bind_int64(statement_, place, whole)
                                : sqlite3_bind_double(statement_, place, *value);
    if (status != SQLITE_OK) fail();
  }
  bool step() {
    const int status = sqlite3_step(statement_);
    if (status == SQLITE_ROW) return true;
    if (status != SQLITE_DONE) fail();
    return false;
  }
  [[nodiscard]] int columns() const { return sqlite3_column_count(statement_); }
  [[nodiscard]] std::string name(int column) const {
    return sqlite3_column_name(statement_, column);
  }
  [[nodiscard]] std::string text(int column) const {
    switch (sqlite3_column_type(statement_, column)) {
      case SQLITE_NULL:
        return "";
      case SQLITE_FLOAT:
        return number(sqlite3_column_double(statement_, column));
      default:
        break;
    }
    // SQLite's own type for text is unsigned.
    const void* bytes = sqlite3_column_text(statement_, column);
    return {static_cast<const char*>(bytes),
            static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
  }

 private:
  [[noreturn]] void fail() const { throw std::runtime_error(sqlite3_errmsg(database_)); }

  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
};

/// Errors: `std::runtime_error`.
DatabasePtr open_database(const fs::path& file, int flags) {
  constexpr int kPatience = 5000;  // ms
  sqlite3* opened = nullptr;
  const int status = sqlite3_open_v2(file.c_str(), &opened, flags, nullptr);
  DatabasePtr database(opened);
  if (status != SQLITE_OK) throw std::runtime_error(sqlite3_errmsg(opened));
  sqlite3_busy_timeout(opened, kPatience);
  return database;
}

void execute(sqlite3* database, const std::string& sql) {
  Statement statement(database, sql);
  while (statement.step()) {
  }
}

std::string sql_name(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

/// The columns of `runs`, but for those of the study's keys that a summary has anyway.
std::vector<std::string> columns_of(const std::vector<std::string>& keys) {
  std::vector<std::string> columns{"run"};
  for (const std::string& key : keys) {
    const bool known = std::any_of(summary_columns().begin(), summary_columns().end(),
                                   [&key](const Column& column) { return column.name == key; });
    columns.push_back(known ? "set " + key : key);
  }
  for (const Column& column : summary_columns()) columns.emplace_back(column.name);
  columns.emplace_back("failure");
  columns.emplace_back("setting");
  return columns;
}

std::string value_in(sqlite3* database, const std::string& key) {
  Statement statement(database, "SELECT value FROM study WHERE key = ?");
  statement.bind(1, key);
  return statement.step() ? statement.text(0) : "";
}

bool is_study(sqlite3* database) {
  Statement statement(database, "PRAGMA application_id");
  return statement.step() && statement.text(0) == std::to_string(kApplication);
}

}  // namespace

void DatabaseCloser::operator()(sqlite3* database) const { sqlite3_close(database); }

StudyStore::StudyStore(const fs::path& file, const Identity& identity, bool overwrite)
    : file_(file), keys_(identity.keys) {
  std::error_code error;
  if (fs::exists(file, error) && !fs::is_regular_file(file, error)) {
    throw InputError(file.string(), "is no file; name a file for the study's results");
  }
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), error);
  if (error) {
    throw InputError(file.parent_path().string(),
                     fmt::format("cannot be made: {}", error.message()));
  }
  const bool is_new = !fs::exists(file, error);
  if (is_new && !std::ofstream(file)) throw InputError(file.string(), "cannot be written");
  // Runs of a sweep that was killed take a moment to end.
  lock_.emplace(file, std::chrono::milliseconds(3000));
  try {
    database_ = open_database(file, SQLITE_OPEN_READWRITE);
    sqlite3_extended_result_codes(database_.get(), 1);
    execute(database_.get(), "PRAGMA synchronous = FULL");
    const bool empty = fs::file_size(file, error) == 0;
    if (!empty && !is_study(database_.get())) {
      throw InputError(file.string(), "is a database of something else; choose another file");
    }
    if (!empty && value_in(database_.get(), "key") != identity.key) {
      if (!overwrite) {
        throw InputError(file.string(),
                         "holds the runs of another study, scenario or version; choose another "
                         "file with --output, or replace them with --overwrite");
      }
      make(identity, true);
    }
    if (empty) make(identity, false);
    // A folder that cannot be written shows here, before anything runs.
    execute(database_.get(), "BEGIN IMMEDIATE");
    execute(database_.get(), "UPDATE study SET value = value WHERE key = 'key'");
    execute(database_.get(), "COMMIT");
  } catch (const InputError&) {
    throw;
  } catch (const std::runtime_error& problem) {
    throw InputError(file.string(), fmt::format("cannot be used: {}", problem.what()));
  }
}

void StudyStore::make(const Identity& identity, bool replace) {
  execute(database_.get(), "BEGIN IMMEDIATE");
  if (replace) {
    execute(database_.get(), "DROP TABLE runs");
    execute(database_.get(), "DROP TABLE study");
  }
  execute(database_.get(), fmt::format("PRAGMA application_id = {}", kApplication));
  execute(database_.get(), "CREATE TABLE study (key TEXT PRIMARY KEY, value TEXT NOT NULL)");
  std::vector<std::string> columns;
  for (const std::string& column : columns_of(identity.keys)) columns.push_back(sql_name(column));
  columns.front() += " INTEGER PRIMARY KEY";
  execute(database_.get(), fmt::format("CREATE TABLE runs ({})", fmt::join(columns, ", ")));
  for (const auto& [key, value] :
       {std::pair("name", &identity.name), std::pair("version", &identity.version),
        std::pair("key", &identity.key), std::pair("study", &identity.study),
        std::pair("scenario", &identity.scenario)}) {
    Statement statement(database_.get(), "INSERT INTO study VALUES (?, ?)");
    statement.bind(1, key);
    statement.bind(2, *value);
    statement.step();
  }
  execute(database_.get(), "COMMIT");
}

std::set<std::size_t> StudyStore::runs(bool also_failed) const {
  Statement statement(database_.get(), also_failed
                                           ? "SELECT run FROM runs"
                                           : "SELECT run FROM runs WHERE status = 'complete'");
  std::set<std::size_t> runs;
  while (statement.step()) runs.insert(std::stoul(statement.text(0)));
  return runs;
}

void StudyStore::add(const StudyResult& result) {
  const std::vector<std::string> columns = columns_of(keys_);
  std::vector<std::string> marks(columns.size(), "?");
  try {
    Statement statement(database_.get(), fmt::format("INSERT OR REPLACE INTO runs VALUES ({})",
                                                     fmt::join(marks, ", ")));
    int place = 1;
    statement.bind_cell(place++, std::to_string(result.run));
    for (const std::string& value : result.values) statement.bind_cell(place++, value);
    for (const std::string& field : result.summary.fields()) statement.bind_cell(place++, field);
    statement.bind_cell(place++, result.failure);
    statement.bind_cell(place++, result.setting);
    statement.step();
  } catch (const std::runtime_error& problem) {
    throw std::runtime_error(
        fmt::format("{} cannot be written: {}", file_.string(), problem.what()));
  }
}

QueryResult query_study(const fs::path& file, const std::string& sql) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) {
    throw InputError(file.string(), "is no study's file; gyre sweep makes them");
  }
  DatabasePtr database;
  try {
    database = open_database(file, SQLITE_OPEN_READONLY);
    if (!is_study(database.get())) throw std::runtime_error("it is no study's");
  } catch (const std::runtime_error& problem) {
    throw InputError(file.string(), fmt::format("cannot be read: {}", problem.what()));
  }
  QueryResult result;
  try {
    Statement statement(database.get(), sql);
    for (int c = 0; c < statement.columns(); ++c) result.columns.push_back(statement.name(c));
    while (statement.step()) {
      std::vector<std::string>& row = result.rows.emplace_back();
      for (int c = 0; c < statement.columns(); ++c) row.push_back(statement.text(c));
    }
  } catch (const std::runtime_error& problem) {
    throw InputError("gyre query", fmt::format("SQLite says: {}", problem.what()));
  }
  return result;
}

}  // namespace gyre
