#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gyre {

/// Grey images of one size with a label each.
struct LabelledImages {
  std::size_t count = 0;
  std::size_t pixels_per_image = 0;
  std::vector<std::uint8_t> pixels;  ///< count × pixels_per_image, image by image
  std::vector<std::uint8_t> labels;  ///< count
};

/// What a pair of IDX files has to hold.
struct ImageFormat {
  std::size_t rows = 28;
  std::size_t columns = 28;
  std::size_t classes = 10;
};

/// Reads `PREFIX-images-idx3-ubyte` and `PREFIX-labels-idx1-ubyte` of a folder, each plain or,
/// where that is absent, with the suffix `.gz`. An IDX file is a magic number (two zero bytes, the
/// type 8 for bytes, the number of dimensions), the dimensions as big-endian 32-bit numbers, and
/// the bytes, last dimension fastest. Errors: `InputError` that starts with the file's path for a
/// file that is missing, truncated, too long, or has another magic number, image size, count or
/// label than expected. Source: the format's description at yann.lecun.com/exdb/mnist.
LabelledImages read_labelled_images(const std::string& folder, const std::string& prefix,
                                    const ImageFormat& format = {});

/// Whether the folder holds both files of a prefix, plain or compressed.
bool has_labelled_images(const std::string& folder, const std::string& prefix);

}  // namespace gyre
