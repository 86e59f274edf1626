#include "scenarios/import/csv_table.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "models/error.hpp"
#include "models/limits.hpp"

namespace gyre {
namespace {

struct Field {
  std::string text;
  std::size_t position = 0;
};

std::string trimmed(std::string_view text) {
  const std::size_t from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return "";
  return std::string(text.substr(from, text.find_last_not_of(" \t") - from + 1));
}

class CsvReader {
 public:
  explicit CsvReader(const SourceText& source) : source_(source), text_(source.text()) {}

  /// The fields of the next row, or nothing at the end.
  std::optional<std::vector<Field>> row() {
    while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '#')) {
      at_ = std::min(text_.find('\n', at_), text_.size());
      if (at_ < text_.size()) ++at_;
    }
    if (at_ >= text_.size()) return std::nullopt;
    std::vector<Field> fields;
    while (true) {
      fields.push_back(field());
      if (fields.size() > kMostKeys) {
        throw InputError(source_.where(fields.back().position),
                         fmt::format("more than {} fields in one row", kMostKeys));
      }
      if (at_ >= text_.size()) return fields;
      const bool more = text_[at_] == ',';
      ++at_;
      if (!more) return fields;
    }
  }

 private:
  Field field() {
    const std::size_t start = at_;
    std::size_t first = text_.find_first_not_of(" \t", at_);
    first = std::min(first, text_.size());
    if (first < text_.size() && text_[first] == '"') {
      at_ = first;
      return quoted();
    }
    at_ = std::min(text_.find_first_of(",\n", at_), text_.size());
    return {.text = trimmed(text_.substr(start, at_ - start)), .position = std::min(first, at_)};
  }

  Field quoted() {
    Field field{.text = {}, .position = at_};
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] != '"') {
        field.text += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        field.text += text_[at_++];
      } else {
        at_ = std::min(text_.find_first_not_of(" \t", at_ + 1), text_.size());
        if (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n') {
          throw InputError(source_.where(at_),
                           "text behind a closing quote; a comma or the end of the line is wanted");
        }
        return field;
      }
    }
    throw InputError(source_.where(field.position), "a quote that is never closed");
  }

  const SourceText& source_;
  std::string_view text_;
  std::size_t at_ = 0;
};

void check_header(const SourceText& source, const std::vector<Field>& header,
                  const CsvColumns& columns) {
  std::vector<std::string> known = columns.required;
  known.insert(known.end(), columns.optional.begin(), columns.optional.end());
  for (std::size_t i = 0; i < header.size(); ++i) {
    const std::string& name = header[i].text;
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw InputError(source.where(header[i].position),
                       fmt::format("unknown column '{}'{}; allowed: {}", name,
                                   did_you_mean(name, known), one_of(known)));
    }
    for (std::size_t before = 0; before < i; ++before) {
      if (header[before].text != name) continue;
      throw InputError(source.where(header[i].position),
                       fmt::format("column '{}' is there twice; once is allowed", name));
    }
  }
  for (const std::string& name : columns.required) {
    const bool there = std::any_of(header.begin(), header.end(),
                                   [&name](const Field& field) { return field.text == name; });
    if (!there) {
      throw InputError(source.where(header.front().position),
                       fmt::format("no column '{}'; needed: {}", name, one_of(columns.required)));
    }
  }
}

}  // namespace

CsvTable read_csv(const SourceText& source, const CsvColumns& columns) {
  CsvReader reader(source);
  const std::optional<std::vector<Field>> header = reader.row();
  if (!header) {
    throw InputError(source.where(0), fmt::format("no header; the first line has to name columns, "
                                                  "at least {}",
                                                  one_of(columns.required)));
  }
  check_header(source, *header, columns);
  CsvTable table;
  table.header_where = source.where(header->front().position);
  for (const Field& field : *header) table.header.push_back(field.text);
  while (const std::optional<std::vector<Field>> fields = reader.row()) {
    const Where where = source.where(fields->front().position);
    if (fields->size() != table.header.size()) {
      throw InputError(where, fmt::format("{} fields; the header has {} columns", fields->size(),
                                          table.header.size()));
    }
    if (table.rows.size() == kMostCsvRows) {
      throw InputError(where, fmt::format("more than {} rows", kMostCsvRows));
    }
    Attributes row;
    for (std::size_t i = 0; i < fields->size(); ++i) {
      const Field& field = (*fields)[i];
      const std::string& name = table.header[i];
      if (!field.text.empty()) {
        row.push_back({.key = name, .value = field.text, .where = source.where(field.position)});
      } else if (std::find(columns.required.begin(), columns.required.end(), name) !=
                 columns.required.end()) {
        throw InputError(source.where(field.position),
                         fmt::format("'{}' is empty; each row needs it", name));
      }
    }
    table.rows.push_back(std::move(row));
    table.row_where.push_back(where);
  }
  return table;
}

}  // namespace gyre
