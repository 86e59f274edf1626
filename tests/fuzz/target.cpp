// What libFuzzer calls. One program a reader: GYRE_READER names it.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "models/error.hpp"
#include "tests/fuzz/readers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const gyre::FedReader* const kReader = [] {
    const auto readers = gyre::fed_readers();
    const auto found = std::find_if(readers.begin(), readers.end(), [](const gyre::FedReader& one) {
      return one.name == GYRE_READER;
    });
    gyre::check(found != readers.end(), "no reader of the name of this target");
    return &*found;
  }();
  kReader->read({reinterpret_cast<const char*>(data), size});
  return 0;
}
