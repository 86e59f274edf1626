#include "models/units.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace gyre {
namespace {

std::int64_t bits_per_second(std::string_view text) {
  const Parsed<Bandwidth> parsed = parse_bandwidth(text);
  EXPECT_TRUE(parsed.value) << text << ": " << parsed.problem;
  return parsed.value ? parsed.value->in_bits_per_second() : -1;
}

std::int64_t bytes(std::string_view text) {
  const Parsed<Bytes> parsed = parse_bytes(text);
  EXPECT_TRUE(parsed.value) << text << ": " << parsed.problem;
  return parsed.value ? parsed.value->in_bytes() : -1;
}

double seconds(std::string_view text) {
  const Parsed<Duration> parsed = parse_duration(text);
  EXPECT_TRUE(parsed.value) << text << ": " << parsed.problem;
  return parsed.value ? parsed.value->in_seconds() : std::nan("");
}

// Fault F2: bits and bytes per second are never confused.
TEST(Units, SpellingsOfOneBandwidthAreTheSame) {
  EXPECT_EQ(bits_per_second("10 Gbps"), 10'000'000'000);
  EXPECT_EQ(bits_per_second("1.25 GBps"), 10'000'000'000);
  EXPECT_EQ(bits_per_second("10000 Mbps"), 10'000'000'000);
  EXPECT_EQ(bits_per_second("10Gbps"), 10'000'000'000);
  EXPECT_EQ(bits_per_second("1e1   Gbps"), 10'000'000'000);
  EXPECT_EQ(bits_per_second("10 GBps"), 8 * bits_per_second("10 Gbps"));
}

TEST(Units, EveryBandwidthUnit) {
  EXPECT_EQ(bits_per_second("3 bps"), 3);
  EXPECT_EQ(bits_per_second("3 Kbps"), 3'000);
  EXPECT_EQ(bits_per_second("3 Mbps"), 3'000'000);
  EXPECT_EQ(bits_per_second("3 Gbps"), 3'000'000'000);
  EXPECT_EQ(bits_per_second("3 Tbps"), 3'000'000'000'000);
  EXPECT_EQ(bits_per_second("3 Bps"), 24);
  EXPECT_EQ(bits_per_second("3 KBps"), 24'000);
  EXPECT_EQ(bits_per_second("3 MBps"), 24'000'000);
  EXPECT_EQ(bits_per_second("3 GBps"), 24'000'000'000);
  EXPECT_EQ(bits_per_second("3 TBps"), 24'000'000'000'000);
}

// Fault F3: GB is a power of 1000, GiB of 1024.
TEST(Units, EveryByteUnit) {
  EXPECT_EQ(bytes("3 B"), 3);
  EXPECT_EQ(bytes("3 KB"), 3'000);
  EXPECT_EQ(bytes("3 MB"), 3'000'000);
  EXPECT_EQ(bytes("3 GB"), 3'000'000'000);
  EXPECT_EQ(bytes("3 TB"), 3'000'000'000'000);
  EXPECT_EQ(bytes("3 KiB"), 3'072);
  EXPECT_EQ(bytes("3 MiB"), 3'145'728);
  EXPECT_EQ(bytes("2 GiB"), 2'147'483'648);
  EXPECT_EQ(bytes("1 TiB"), 1'099'511'627'776);
}

TEST(Units, EveryDurationUnit) {
  EXPECT_DOUBLE_EQ(seconds("3 ps"), 3e-12);
  EXPECT_DOUBLE_EQ(seconds("3 ns"), 3e-9);
  EXPECT_DOUBLE_EQ(seconds("3 us"), 3e-6);
  EXPECT_DOUBLE_EQ(seconds("3 ms"), 3e-3);
  EXPECT_DOUBLE_EQ(seconds("3 s"), 3);
  EXPECT_DOUBLE_EQ(seconds("3 min"), 180);
  EXPECT_DOUBLE_EQ(seconds("3 h"), 10'800);
  EXPECT_DOUBLE_EQ(seconds("3 d"), 259'200);
}

TEST(Units, ADecimalDurationIsTheNearestDouble) {
  EXPECT_EQ(seconds("4.5 ms"), 0.0045);
  EXPECT_EQ(seconds("57.62 ms"), 0.05762);
  EXPECT_EQ(seconds("121.56 ms"), 0.12156);
  EXPECT_EQ(seconds("0.1 us"), 1e-7);
}

// Fault F6: exact on both sides of 2^31 and 2^32, and where a double has no room for the digits.
TEST(Units, LargeSizesAreExact) {
  EXPECT_EQ(bytes("2147483647 B"), 2'147'483'647);
  EXPECT_EQ(bytes("2147483648 B"), 2'147'483'648);
  EXPECT_EQ(bytes("4294967297 B"), 4'294'967'297);
  EXPECT_EQ(bytes("1 TB"), 1'000'000'000'000);
  EXPECT_EQ(bytes("9007199254740993 B"), 9'007'199'254'740'993);
  EXPECT_EQ(bytes("4611686018427387903 B"), 4'611'686'018'427'387'903);
}

TEST(Units, TransferTimeIsLinearInTheSize) {
  const Bandwidth rate = Bandwidth::gigabits_per_second(10);
  for (const std::int64_t size :
       {2'147'483'647LL, 2'147'483'648LL, 4'294'967'297LL, 1'000'000'000'000LL}) {
    const double expected = static_cast<double>(size) * 8.0 / 1e10;
    EXPECT_DOUBLE_EQ((Bytes::count(size) / rate).in_seconds(), expected);
  }
}

TEST(Units, SumsOfBytesStayExact) {
  Bytes sum;
  for (int i = 0; i < 1'000'000; ++i) sum += Bytes::count(2'147'483'649);
  EXPECT_EQ(sum.in_bytes(), 2'147'483'649'000'000);
  EXPECT_EQ(Bytes::count(4'294'967'297) * 1000, Bytes::count(4'294'967'297'000));
}

TEST(Units, PlainNumbers) {
  EXPECT_EQ(parse_number("0"), 0.0);
  EXPECT_EQ(parse_number("-12"), -12.0);
  EXPECT_EQ(parse_number("0.5"), 0.5);
  EXPECT_EQ(parse_number("1e-3"), 1e-3);
  EXPECT_EQ(parse_number("1E+9"), 1e9);
  EXPECT_EQ(parse_number("1e9"), 1e9);
}

TEST(Units, AmbiguousNumbersAreRefused) {
  for (const char* text :
       {"",      " ",     "010",      "00",    "-01",   "+1",    ".5",    "5.",  "-.5",
        "0x10",  "0o7",   "1_000",    "1,000", "12:30", ".nan",  "nan",   "NaN", ".inf",
        "-.inf", "inf",   "infinity", "1e",    "1e+",   "e5",    "1e5.5", "1 ",  " 1",
        "--1",   "1e999", "-1e999",   "1f",    "1d",    "0x1p3", "½",     "١"}) {
    EXPECT_FALSE(parse_number(text)) << text;
  }
}

TEST(Units, AMissingUnitListsTheLegalOnes) {
  EXPECT_EQ(parse_bandwidth("10").problem,
            "'10' lacks a unit; legal units: bps, Kbps, Mbps, Gbps, Tbps (bits per second) or Bps, "
            "KBps, MBps, GBps, TBps (bytes per second)");
  EXPECT_EQ(parse_bytes("2e9").problem,
            "'2e9' lacks a unit; legal units: B, KB, MB, GB, TB (powers of 1000) or KiB, MiB, GiB, "
            "TiB (powers of 1024)");
  EXPECT_EQ(parse_duration("5").problem,
            "'5' lacks a unit; legal units: ps, ns, us, ms, s, min, h, d");
}

TEST(Units, AnUnknownUnitListsTheLegalOnes) {
  EXPECT_EQ(parse_duration("5 m").problem,
            "unknown unit 'm'; legal units: ps, ns, us, ms, s, min, h, d");
  for (const char* text : {"10 gbps", "10 GBPS", "10 Gb", "10 Gbit/s", "10 GiBps", "10 Gbps/2"}) {
    EXPECT_EQ(parse_bandwidth(text).problem.find("unknown unit '"), 0U) << text;
  }
  for (const char* text : {"2 gb", "2 Gb", "2 GIB", "2 PB", "2 GB GB"}) {
    EXPECT_EQ(parse_bytes(text).problem.find("unknown unit '"), 0U) << text;
  }
}

TEST(Units, QuantitiesWithoutAProperNumberAreRefused) {
  for (const char* text : {"", "Gbps", "+10 Gbps", "010 Gbps", ".5 Gbps", "0x10 Gbps", ".inf Gbps",
                           "nan Gbps", "1e999 Gbps", "ten Gbps"}) {
    const Parsed<Bandwidth> parsed = parse_bandwidth(text);
    EXPECT_FALSE(parsed.value) << text;
    EXPECT_FALSE(parsed.problem.empty()) << text;
  }
  EXPECT_EQ(parse_duration("1e308 d").problem, "'1e308 d' is out of range");
}

TEST(Units, PartsOfABitOrByteAreRefused) {
  EXPECT_EQ(parse_bytes("1.5 B").problem, "'1.5 B' is not a whole number of bytes");
  EXPECT_EQ(parse_bytes("0.1 KiB").problem, "'0.1 KiB' is not a whole number of bytes");
  EXPECT_EQ(parse_bytes("1.0000000001 GB").problem,
            "'1.0000000001 GB' is not a whole number of bytes");
  EXPECT_EQ(parse_bandwidth("0.5 bps").problem,
            "'0.5 bps' is not a whole number of bits per second");
  EXPECT_EQ(bytes("0.1 GB"), 100'000'000);
  EXPECT_EQ(bits_per_second("4.7 Gbps"), 4'700'000'000);
  EXPECT_EQ(bits_per_second("0.3 Tbps"), 300'000'000'000);
}

TEST(Units, TooLargeIsRefused) {
  EXPECT_EQ(parse_bytes("4611686018427387904 B").problem,
            "'4611686018427387904 B' is too large; must be below 2^62 bytes");
  EXPECT_EQ(parse_bytes("1e300 TB").problem, "'1e300 TB' is too large; must be below 2^62 bytes");
}

TEST(Units, TextIsShortAndHasTheBestUnit) {
  EXPECT_EQ(to_text(Bandwidth::gigabits_per_second(10)), "10 Gbps");
  EXPECT_EQ(to_text(Bandwidth::bits_per_second(1'500'000)), "1.5 Mbps");
  EXPECT_EQ(to_text(Bandwidth::bits_per_second(999)), "999 bps");
  EXPECT_EQ(to_text(Bytes::count(2'000'000'000)), "2 GB");
  EXPECT_EQ(to_text(Bytes::count(2'147'483'648)), "2.147483648 GB");
  EXPECT_EQ(to_text(Bytes()), "0 B");
  EXPECT_EQ(to_text(Bytes::count(-5000)), "-5 KB");
  EXPECT_EQ(to_text(Duration::seconds(0.0045)), "4.5 ms");
  EXPECT_EQ(to_text(Duration::seconds(0.05762)), "57.62 ms");
  EXPECT_EQ(to_text(Duration::seconds(5e-6)), "5 us");
  EXPECT_EQ(to_text(Duration()), "0 s");
  EXPECT_EQ(to_text(Duration::seconds(90)), "90 s");
  EXPECT_EQ(to_text(Duration::seconds(-0.002)), "-2 ms");
  EXPECT_EQ(to_text(1e9), "1e9");
  EXPECT_EQ(to_text(1e-7), "1e-7");
  EXPECT_EQ(to_text(1.5e300), "1.5e300");
  EXPECT_EQ(to_text(120.0), "120");
  EXPECT_EQ(to_text(-0.1), "-0.1");
}

TEST(Units, TextReadsBackAsTheSameValue) {
  // A fixed walk through magnitudes and awkward digits.
  double seconds_value = 1e-13;
  std::int64_t whole = 1;
  for (int i = 0; i < 400; ++i) {
    const Parsed<Duration> duration = parse_duration(to_text(Duration::seconds(seconds_value)));
    ASSERT_TRUE(duration.value) << duration.problem;
    EXPECT_EQ(duration.value->in_seconds(), seconds_value);
    EXPECT_EQ(bytes(to_text(Bytes::count(whole))), whole);
    EXPECT_EQ(bits_per_second(to_text(Bandwidth::bits_per_second(whole))), whole);
    EXPECT_EQ(parse_number(to_text(seconds_value)), seconds_value);
    seconds_value *= 1.1371;
    whole = whole > 1'000'000'000'000'000'000 ? whole % 7'919 + 1 : whole * 3 + i;
  }
}

TEST(Units, Arithmetic) {
  EXPECT_EQ(Instant::at_seconds(3) - Instant::at_seconds(1), Duration::seconds(2));
  EXPECT_EQ(Instant::at_seconds(1) + Duration::seconds(2), Instant::at_seconds(3));
  EXPECT_EQ(Duration::seconds(3) / Duration::seconds(2), 1.5);
  EXPECT_EQ(Duration::seconds(3) / 2.0, Duration::seconds(1.5));
  EXPECT_EQ(Bytes::count(2'000'000'000) / Bandwidth::gigabits_per_second(10),
            Duration::seconds(1.6));
}

TEST(FlopRate, ReadsAndPrints) {
  EXPECT_EQ(parse_flop_rate("989 TFLOPS").value, FlopRate::per_second(989e12));
  EXPECT_EQ(parse_flop_rate("0.989 PFLOPS").value, FlopRate::per_second(989e12));
  EXPECT_EQ(to_text(FlopRate::per_second(989e12)), "989 TFLOPS");
  EXPECT_EQ(to_text(FlopRate::per_second(5.0)), "5 FLOPS");
  EXPECT_FALSE(parse_flop_rate("989").value);
  EXPECT_NE(parse_flop_rate("989 TFLOP").problem.find("legal units"), std::string::npos);
}

}  // namespace
}  // namespace gyre
