#pragma once

#include <string_view>

namespace gyre {

#ifndef GYRE_VERSION
#define GYRE_VERSION "0.0.0"
#endif
/// The version of CMakeLists.txt, as manifests carry it.
inline constexpr std::string_view kVersion = GYRE_VERSION;

}  // namespace gyre
