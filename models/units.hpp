#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gyre {

/// A length of simulated time. Made and read by name; arithmetic in double seconds.
class Duration {
 public:
  constexpr Duration() = default;
  static constexpr Duration seconds(double value) { return Duration(value); }
  static constexpr Duration milliseconds(double value) { return Duration(value * 1e-3); }
  [[nodiscard]] constexpr double in_seconds() const { return seconds_; }
  [[nodiscard]] constexpr double in_milliseconds() const { return seconds_ * 1e3; }

  constexpr auto operator<=>(const Duration&) const = default;
  constexpr Duration& operator+=(Duration other) {
    seconds_ += other.seconds_;
    return *this;
  }
  friend constexpr Duration operator+(Duration a, Duration b) {
    return Duration(a.seconds_ + b.seconds_);
  }
  friend constexpr Duration operator-(Duration a, Duration b) {
    return Duration(a.seconds_ - b.seconds_);
  }
  friend constexpr Duration operator*(Duration a, double factor) {
    return Duration(a.seconds_ * factor);
  }
  friend constexpr double operator/(Duration a, Duration b) { return a.seconds_ / b.seconds_; }
  friend constexpr Duration operator/(Duration a, double divisor) {
    return Duration(a.seconds_ / divisor);
  }

 private:
  explicit constexpr Duration(double seconds) : seconds_(seconds) {}
  double seconds_ = 0.0;
};

/// A point in simulated time, counted from the start of the run.
class Instant {
 public:
  constexpr Instant() = default;
  static constexpr Instant at_seconds(double value) { return Instant(value); }
  [[nodiscard]] constexpr double in_seconds() const { return seconds_; }

  constexpr auto operator<=>(const Instant&) const = default;
  friend constexpr Duration operator-(Instant a, Instant b) {
    return Duration::seconds(a.seconds_ - b.seconds_);
  }
  friend constexpr Instant operator+(Instant a, Duration b) {
    return Instant(a.seconds_ + b.in_seconds());
  }

 private:
  explicit constexpr Instant(double seconds) : seconds_(seconds) {}
  double seconds_ = 0.0;
};

/// An amount of data. Whole bytes in 64 bits: sums over a long run stay exact.
class Bytes {
 public:
  constexpr Bytes() = default;
  static constexpr Bytes count(std::int64_t value) { return Bytes(value); }
  [[nodiscard]] constexpr std::int64_t in_bytes() const { return bytes_; }
  [[nodiscard]] constexpr double in_bits() const { return static_cast<double>(bytes_) * 8.0; }
  [[nodiscard]] constexpr double in_gigabytes() const { return static_cast<double>(bytes_) * 1e-9; }

  constexpr auto operator<=>(const Bytes&) const = default;
  constexpr Bytes& operator+=(Bytes other) {
    bytes_ += other.bytes_;
    return *this;
  }
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return Bytes(a.bytes_ + b.bytes_); }
  friend constexpr Bytes operator*(Bytes a, std::int64_t factor) {
    return Bytes(a.bytes_ * factor);
  }

 private:
  explicit constexpr Bytes(std::int64_t bytes) : bytes_(bytes) {}
  std::int64_t bytes_ = 0;
};

/// A data rate. Whole bits per second, so that cuts add up exactly.
class Bandwidth {
 public:
  constexpr Bandwidth() = default;
  static constexpr Bandwidth bits_per_second(std::int64_t value) { return Bandwidth(value); }
  static constexpr Bandwidth gigabits_per_second(std::int64_t value) {
    return Bandwidth(value * 1'000'000'000);
  }
  [[nodiscard]] constexpr std::int64_t in_bits_per_second() const { return bits_per_second_; }
  [[nodiscard]] constexpr double in_bytes_per_second() const {
    return static_cast<double>(bits_per_second_) / 8.0;
  }
  [[nodiscard]] constexpr double in_gigabits_per_second() const {
    return static_cast<double>(bits_per_second_) * 1e-9;
  }

  constexpr auto operator<=>(const Bandwidth&) const = default;

 private:
  explicit constexpr Bandwidth(std::int64_t bits_per_second) : bits_per_second_(bits_per_second) {}
  std::int64_t bits_per_second_ = 0;
};

/// Floating-point operations a second, of a chip.
class FlopRate {
 public:
  constexpr FlopRate() = default;
  static constexpr FlopRate per_second(double value) { return FlopRate(value); }
  [[nodiscard]] constexpr double in_flop_per_second() const { return flop_per_second_; }

  constexpr auto operator<=>(const FlopRate&) const = default;

 private:
  explicit constexpr FlopRate(double value) : flop_per_second_(value) {}
  double flop_per_second_ = 0.0;
};

/// Time to move `amount` at `rate`. Requires a positive rate.
constexpr Duration operator/(Bytes amount, Bandwidth rate) {
  return Duration::seconds(amount.in_bits() / static_cast<double>(rate.in_bits_per_second()));
}

/// The legal units of each kind, as error texts list them.
inline constexpr std::string_view kDurationUnits = "ps, ns, us, ms, s, min, h, d";
inline constexpr std::string_view kBandwidthUnits =
    "bps, Kbps, Mbps, Gbps, Tbps (bits per second) or Bps, KBps, MBps, GBps, TBps (bytes per "
    "second)";
inline constexpr std::string_view kBytesUnits =
    "B, KB, MB, GB, TB (powers of 1000) or KiB, MiB, GiB, TiB (powers of 1024)";

inline constexpr std::string_view kFlopRateUnits = "FLOPS, MFLOPS, GFLOPS, TFLOPS, PFLOPS, EFLOPS";

/// The one reading of a plain number: `-?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)?`.
/// No sign `+`, leading zeros, hexadecimals, `_`, `.5`, `5.`, inf or nan.
std::optional<double> parse_number(std::string_view text);

/// What a quantity's text turned out to be: a value, or why it is none.
template <class T>
struct Parsed {
  std::optional<T> value;
  std::string problem;  ///< Empty iff `value` is there.
};

/// A number, optional spaces and a unit: `4.50 ms`, `10Gbps`, `2 GiB`. A missing or unknown unit is
/// a problem that lists the legal ones. Bytes and bandwidths that are no whole number of bytes or
/// bits per second, or reach 2^62, are a problem too. The sign is not judged here.
Parsed<Duration> parse_duration(std::string_view text);
Parsed<Bandwidth> parse_bandwidth(std::string_view text);
Parsed<Bytes> parse_bytes(std::string_view text);
Parsed<FlopRate> parse_flop_rate(std::string_view text);

/// The shortest text with a legal unit that reads back as the same value: `10 Gbps`, `4.5 ms`.
std::string to_text(Duration value);
std::string to_text(Bandwidth value);
std::string to_text(Bytes value);
std::string to_text(FlopRate value);

/// The shortest decimal text that reads back as the same double.
std::string to_text(double value);

}  // namespace gyre
