#include "models/tasks/image_classes.hpp"

#include "models/wide.hpp"

namespace gyre {

GYRE_WIDE_INTEGERS void scale_pixels(const std::uint8_t* __restrict pixels,
                                     float* __restrict inputs) {
  for (std::size_t j = 0; j < kImageInputs; ++j) {
    inputs[j] = static_cast<float>(pixels[j]) * (1.0F / 255.0F);
  }
}

}  // namespace gyre
