#include "models/tasks/idx.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <zlib.h>

#include "models/error.hpp"

namespace gyre {
namespace {

constexpr ImageFormat kTiny{.rows = 2, .columns = 3, .classes = 10};

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    bytes += static_cast<char>(value >> shift & 0xffU);
  }
  return bytes;
}

std::string images_of(std::uint32_t count, std::size_t bytes) {
  std::string text = big_endian(0x803) + big_endian(count) + big_endian(2) + big_endian(3);
  for (std::size_t k = 0; k < bytes; ++k) text += static_cast<char>(k * 7 % 256);
  return text;
}

std::string labels_of(std::uint32_t count, const std::string& labels) {
  return big_endian(0x801) + big_endian(count) + labels;
}

/// A folder of its own for each test, removed at the end.
class Idx : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ("gyre_idx_" +
               std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    write(kImages, images_of(4, 24));
    write(kLabels, labels_of(4, std::string("\x03\x00\x09\x01", 4)));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  void write_compressed(const std::string& name, const std::string& bytes) const {
    gzFile file = gzopen((folder_ / name).c_str(), "wb");
    ASSERT_EQ(gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())),
              static_cast<int>(bytes.size()));
    gzclose(file);
  }
  [[nodiscard]] LabelledImages read() const {
    return read_labelled_images(folder_.string(), "tiny", kTiny);
  }
  /// The error text after the folder.
  [[nodiscard]] std::string error() const {
    try {
      (void)read();
    } catch (const InputError& error) {
      const std::string text = error.what();
      const std::string prefix = folder_.string() + "/";
      return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
    }
    return "no error";
  }

  static constexpr const char* kImages = "tiny-images-idx3-ubyte";
  static constexpr const char* kLabels = "tiny-labels-idx1-ubyte";
  std::filesystem::path folder_;
};

TEST_F(Idx, PlainFiles) {
  const LabelledImages data = read();
  EXPECT_EQ(data.count, 4U);
  EXPECT_EQ(data.pixels_per_image, 6U);
  ASSERT_EQ(data.pixels.size(), 24U);
  EXPECT_EQ(data.pixels[23], 161);
  EXPECT_EQ(data.labels, (std::vector<std::uint8_t>{3, 0, 9, 1}));
}

TEST_F(Idx, CompressedFilesReadTheSame) {
  const LabelledImages plain = read();
  for (const char* name : {kImages, kLabels}) std::filesystem::remove(folder_ / name);
  EXPECT_FALSE(has_labelled_images(folder_.string(), "tiny"));
  write_compressed(std::string(kImages) + ".gz", images_of(4, 24));
  write_compressed(std::string(kLabels) + ".gz", labels_of(4, std::string("\x03\x00\x09\x01", 4)));
  EXPECT_TRUE(has_labelled_images(folder_.string(), "tiny"));
  const LabelledImages compressed = read();
  EXPECT_EQ(compressed.pixels, plain.pixels);
  EXPECT_EQ(compressed.labels, plain.labels);
}

TEST_F(Idx, MissingFile) {
  std::filesystem::remove(folder_ / kLabels);
  EXPECT_EQ(error(), "tiny-labels-idx1-ubyte: there is no such file, plain or with the suffix .gz");
}

TEST_F(Idx, WrongMagicNumber) {
  write(kImages, labels_of(4, "abcd"));
  EXPECT_EQ(error(),
            "tiny-images-idx3-ubyte: starts with the magic number 0x00000801; an IDX file of bytes "
            "with 3 dimensions starts with 0x00000803");
}

TEST_F(Idx, TruncatedData) {
  write(kImages, images_of(4, 23));
  EXPECT_EQ(error(), "tiny-images-idx3-ubyte: ends after 39 bytes, in the middle of its data");
  write(kImages, "");
  EXPECT_EQ(error(), "tiny-images-idx3-ubyte: ends after 0 bytes, in the middle of its data");
}

TEST_F(Idx, TruncatedCompression) {
  std::filesystem::remove(folder_ / kImages);
  const std::string name = std::string(kImages) + ".gz";
  write_compressed(name, images_of(4, 24));
  const auto size = std::filesystem::file_size(folder_ / name);
  for (std::uintmax_t cut = 1; cut < size - 2; ++cut) {
    write_compressed(name, images_of(4, 24));
    std::filesystem::resize_file(folder_ / name, size - cut);
    EXPECT_EQ(error().rfind("tiny-images-idx3-ubyte.gz: ", 0), 0U) << "cut " << cut << error();
  }
}

TEST_F(Idx, MoreBytesThanItsDimensions) {
  write(kImages, images_of(4, 25));
  EXPECT_EQ(error(), "tiny-images-idx3-ubyte: holds more bytes than its dimensions say");
}

TEST_F(Idx, AnotherImageSize) {
  write(kImages, big_endian(0x803) + big_endian(4) + big_endian(2) + big_endian(4));
  EXPECT_EQ(error(), "tiny-images-idx3-ubyte: has a dimension of 4 where images have 3");
}

TEST_F(Idx, AbsurdCounts) {
  write(kImages, images_of(0xffffffff, 24));
  EXPECT_EQ(error(),
            "tiny-images-idx3-ubyte: claims 4294967295 items, more than 1073741824 bytes; allowed "
            "is no more than that");
  write(kImages, images_of(0, 0));
  EXPECT_EQ(error(), "tiny-images-idx3-ubyte: holds no items");
}

TEST_F(Idx, MismatchedCounts) {
  write(kLabels, labels_of(3, "\x01\x02\x03"));
  const std::string images = (folder_ / kImages).string();
  EXPECT_EQ(error(), "tiny-labels-idx1-ubyte: holds 3 labels for the 4 images of " + images);
}

TEST_F(Idx, LabelOutOfRange) {
  write(kLabels, labels_of(4, "\x01\x02\x0a\x03"));
  EXPECT_EQ(error(), "tiny-labels-idx1-ubyte: label 2 is 10; allowed are 0 to 9");
}

}  // namespace
}  // namespace gyre
