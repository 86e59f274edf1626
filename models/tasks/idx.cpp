#include "models/tasks/idx.hpp"

#include <array>
#include <filesystem>
#include <optional>
#include <span>

#include <fmt/format.h>
#include <zlib.h>

#include "models/error.hpp"

namespace gyre {
namespace {

constexpr std::size_t kLargestFile = std::size_t{1} << 30U;

std::string images_name(const std::string& prefix) { return prefix + "-images-idx3-ubyte"; }
std::string labels_name(const std::string& prefix) { return prefix + "-labels-idx1-ubyte"; }

std::optional<std::string> find_file(const std::string& folder, const std::string& name) {
  for (const std::string& candidate : {name, name + ".gz"}) {
    const std::filesystem::path path = std::filesystem::path(folder) / candidate;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored)) return path.string();
  }
  return std::nullopt;
}

/// An open file that is decompressed as it is read, if it is compressed at all.
class Input {
 public:
  explicit Input(std::string path) : path_(std::move(path)), file_(gzopen(path_.c_str(), "rb")) {
    if (file_ == nullptr) throw InputError(path_, "can't be opened");
    gzbuffer(file_, 1U << 17U);
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  Input(Input&&) = delete;
  Input& operator=(Input&&) = delete;
  ~Input() { gzclose(file_); }

  /// Fills `bytes`. Errors: `InputError` if the file ends before.
  void read(std::span<std::uint8_t> bytes) {
    const int got = gzread(file_, bytes.data(), static_cast<unsigned>(bytes.size()));
    int error = Z_OK;
    const char* text = gzerror(file_, &error);
    if (got < 0 && error != Z_BUF_ERROR)
      throw InputError(path_, fmt::format("is broken: {}", text));
    position_ += got < 0 ? 0U : static_cast<std::size_t>(got);
    if (got < 0 || static_cast<std::size_t>(got) < bytes.size()) {
      throw InputError(path_,
                       fmt::format("ends after {} bytes, in the middle of its data", position_));
    }
  }
  std::size_t read_big_endian() {
    std::array<std::uint8_t, 4> bytes{};
    read(bytes);
    std::size_t value = 0;
    for (const std::uint8_t byte : bytes) value = value << 8U | byte;
    return value;
  }
  void expect_end() {
    std::uint8_t byte = 0;
    // A cut-off compressed stream shows only when its checksum is asked for.
    const int got = gzread(file_, &byte, 1);
    if (got > 0) throw InputError(path_, "holds more bytes than its dimensions say");
    int error = Z_OK;
    gzerror(file_, &error);
    if (got < 0 || error != Z_OK) throw InputError(path_, "ends before its checksum");
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  gzFile file_;
  std::size_t position_ = 0;
};

/// The dimensions of the file, after its magic number. Returns the first one.
std::size_t read_header(Input& input, std::span<const std::size_t> inner_dimensions) {
  const std::size_t expected_magic = 0x800U + 1U + inner_dimensions.size();
  const std::size_t magic = input.read_big_endian();
  if (magic != expected_magic) {
    throw InputError(input.path(), fmt::format("starts with the magic number {:#010x}; an IDX file "
                                               "of bytes with {} dimensions starts with {:#010x}",
                                               magic, 1 + inner_dimensions.size(), expected_magic));
  }
  const std::size_t count = input.read_big_endian();
  std::size_t item = 1;
  for (const std::size_t expected : inner_dimensions) {
    const std::size_t dimension = input.read_big_endian();
    if (dimension != expected) {
      throw InputError(input.path(), fmt::format("has a dimension of {} where images have {}",
                                                 dimension, expected));
    }
    item *= expected;
  }
  if (count == 0) throw InputError(input.path(), "holds no items");
  if (count > kLargestFile / item) {
    throw InputError(input.path(), fmt::format("claims {} items, more than {} bytes; allowed is no "
                                               "more than that",
                                               count, kLargestFile));
  }
  return count;
}

std::string require_file(const std::string& folder, const std::string& name) {
  const std::optional<std::string> path = find_file(folder, name);
  if (!path) {
    throw InputError((std::filesystem::path(folder) / name).string(),
                     "there is no such file, plain or with the suffix .gz");
  }
  return *path;
}

}  // namespace

bool has_labelled_images(const std::string& folder, const std::string& prefix) {
  return find_file(folder, images_name(prefix)) && find_file(folder, labels_name(prefix));
}

LabelledImages read_labelled_images(const std::string& folder, const std::string& prefix,
                                    const ImageFormat& format) {
  LabelledImages result;
  result.pixels_per_image = format.rows * format.columns;

  Input images(require_file(folder, images_name(prefix)));
  const std::array<std::size_t, 2> image_dimensions{format.rows, format.columns};
  result.count = read_header(images, image_dimensions);
  result.pixels.resize(result.count * result.pixels_per_image);
  images.read(result.pixels);
  images.expect_end();

  Input labels(require_file(folder, labels_name(prefix)));
  const std::size_t label_count = read_header(labels, {});
  if (label_count != result.count) {
    throw InputError(labels.path(), fmt::format("holds {} labels for the {} images of {}",
                                                label_count, result.count, images.path()));
  }
  result.labels.resize(label_count);
  labels.read(result.labels);
  labels.expect_end();
  for (std::size_t i = 0; i < label_count; ++i) {
    if (result.labels[i] < format.classes) continue;
    throw InputError(labels.path(), fmt::format("label {} is {}; allowed are 0 to {}", i,
                                                result.labels[i], format.classes - 1));
  }
  return result;
}

}  // namespace gyre
