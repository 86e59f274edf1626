#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "analysis/csv.hpp"

namespace gyre {

/// A CSV file of a run's folder.
class SoakTable {
 public:
  /// Of a file that may be missing, which has no rows.
  explicit SoakTable(const std::filesystem::path& path) : name_(path.filename().string()) {
    std::ifstream file(path, std::ios::binary);
    for (std::string line; std::getline(file, line);) {
      std::optional<std::vector<std::string>> fields = parse_csv_line(line);
      if (!fields) throw std::runtime_error(name_ + ": " + line);
      if (columns_.empty()) {
        for (const std::string& field : *fields) columns_.emplace(field, columns_.size());
        continue;
      }
      if (fields->size() != columns_.size()) throw std::runtime_error(name_ + ": " + line);
      rows_.push_back(std::move(*fields));
    }
  }

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] const std::string& text(std::size_t row, const std::string& column) const {
    return rows_[row][columns_.at(column)];
  }
  /// NaN where the cell is empty or no number.
  [[nodiscard]] double number(std::size_t row, const std::string& column) const {
    const std::string& cell = text(row, column);
    char* end = nullptr;
    const double value = std::strtod(cell.c_str(), &end);
    return cell.empty() || *end != '\0' ? std::nan("") : value;
  }
  [[nodiscard]] std::int64_t whole(std::size_t row, const std::string& column) const {
    return std::stoll(text(row, column));
  }
  /// `file.csv, row 3`, for what is said of it.
  [[nodiscard]] std::string place(std::size_t row) const {
    return fmt::format("{}, row {}", name_, row + 1);
  }

 private:
  std::string name_;
  std::map<std::string, std::size_t> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace gyre
