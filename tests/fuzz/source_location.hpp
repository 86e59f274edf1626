#pragma once

// clang before 16 lacks what libstdc++'s own std::source_location is made of. The preset `fuzz`
// includes this file everywhere.

#include <version>

#ifndef __cpp_lib_source_location
#include <experimental/source_location>
namespace std {  // NOLINT(cert-dcl58-cpp)
using experimental::source_location;
}
#endif
