#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gyre {

/// A reader of files, as the fuzzer and the replay of its findings feed it.
struct FedReader {
  std::string_view name;
  /// What any bytes have to come to: a text that loads (empty), or the message of an `InputError`.
  /// Whatever else happens is a fault.
  std::string (*read)(std::string_view bytes);
};

/// All of them.
std::span<const FedReader> fed_readers();

}  // namespace gyre
