#include <cstdio>
#include <exception>

#include <fmt/format.h>

#include "models/error.hpp"
#include "sim/cli.hpp"

int main(int argc, char** argv) {
  try {
    return gyre::run_cli(argc, argv);
  } catch (const gyre::InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return gyre::kExitBadInput;
  } catch (const std::exception& error) {
    fmt::print(stderr, "gyre: {}\n", error.what());
    return gyre::kExitFailed;
  }
}
