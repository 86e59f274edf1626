#include <gtest/gtest.h>

#include "schedules/exchange_plan.hpp"
#include "schedules/optimizer/round_packing.hpp"
#include "tests/support.hpp"

namespace gyre {
namespace {

constexpr double kGigabits = 16.0;  // 2 GB

struct Column {
  const char* name;
  PackingKind kind;
  Mode mode;
};

/// Rates of the reference against ours, primal and dual.
void expect_rates(const std::string& file, const Column& column) {
  const World world(nine_city(), column.mode);
  const Network network = world.network();
  RoundPacker packer({.network = &network, .kind = column.kind});
  for (const CsvRow& row : read_csv(file)) {
    const RoundPacking packing = packer.pack(round_of(row.at("parts"), world.topology));
    const double expected = std::stod(row.at(column.name));
    EXPECT_NEAR(packing.gbps / expected, 1.0, 1e-6) << column.name << ' ' << row.at("parts");
    EXPECT_NEAR(packing.bound_gbps / packing.gbps, 1.0, 1e-6) << row.at("parts");
  }
}

const std::vector<Column> kColumns{
    {"Y_pairwise", PackingKind::kPairs, Mode::kNeither},
    {"Y_mcast_ag", PackingKind::kScatter, Mode::kMulticast},
    {"Y_mcast_ag", PackingKind::kGather, Mode::kAggregation},
    {"Y_neither", PackingKind::kIslands, Mode::kNeither},
    {"Y_mcast_ar", PackingKind::kIslands, Mode::kMulticast},
    {"Y_mcast_ar", PackingKind::kIslands, Mode::kAggregation},
    {"Y_both", PackingKind::kInNetwork, Mode::kBoth},
};

class PackedReference : public testing::TestWithParam<Column> {};

TEST_P(PackedReference, AllCliques) { expect_rates("nine_city_packed_cliques.csv", GetParam()); }
TEST_P(PackedReference, Partitions) { expect_rates("nine_city_packed_partitions.csv", GetParam()); }

struct TimeColumn {
  const char* name;
  PackingKind kind;
  Mode mode;
  double factor = 1.0;  ///< of M/Y; 2/k where 0
};

TEST(PackedReference, TimesOfAllExchanges) {
  const std::vector<TimeColumn> columns{
      {"T_pairwise", PackingKind::kPairs, Mode::kNeither},
      {"T_mcast_ag", PackingKind::kScatter, Mode::kMulticast},
      {"T_agg_rd", PackingKind::kGather, Mode::kAggregation},
      {"T_host_ag", PackingKind::kAllGather, Mode::kNeither},
      {"T_host_RSAG_seq", PackingKind::kAllGather, Mode::kNeither, 0.0},
      {"T_neither", PackingKind::kIslands, Mode::kNeither},
      {"T_mcast_ar", PackingKind::kIslands, Mode::kMulticast},
      {"T_agg_ar", PackingKind::kIslands, Mode::kAggregation},
      {"T_both", PackingKind::kInNetwork, Mode::kBoth}};
  const std::vector<CsvRow> rows = read_csv("nine_city_packed_times.csv");
  ASSERT_GE(rows.size(), 39U);
  for (const TimeColumn& column : columns) {
    const World world(nine_city(), column.mode);
    const Network network = world.network();
    RoundPacker packer({.network = &network, .kind = column.kind});
    for (const CsvRow& row : rows) {
      const Clique clique =
          row.at("clique") == "ALL9" ? world.everybody() : world.clique(row.at("clique"));
      const double factor =
          column.factor > 0.0 ? column.factor : 2.0 / static_cast<double>(clique.size());
      const double seconds = factor * kGigabits / packer.pack(make_round({clique}, 9)).gbps;
      EXPECT_NEAR(seconds / std::stod(row.at(column.name)), 1.0, 1e-6)
          << column.name << ' ' << row.at("clique");
    }
  }
}

// Two rings at once, one each way round with half the payload: what the ring's plan puts on the
// arcs and its mirror image.
TEST(PackedReference, RingsBothWaysRound) {
  const World world(nine_city(), Mode::kNeither);
  const Network network = world.network();
  const Bytes half = Bytes::count(1'000'000'000);
  for (const CsvRow& row : read_csv("nine_city_packed_times.csv")) {
    const Clique clique =
        row.at("clique") == "ALL9" ? world.everybody() : world.clique(row.at("clique"));
    std::vector<Flow> flows = plan_exchange(network, clique, half, Exchange::kRing).flows;
    const std::size_t one_way = flows.size();
    for (std::size_t f = 0; f < one_way; ++f) {
      Flow back = flows[f];
      const IslandId to = back.stream.sources.front();
      back.stream =
          multicast_streams(network, back.stream.deliveries.front().receiver, {&to, 1}).front();
      flows.push_back(std::move(back));
    }
    const double seconds = busiest_arc(world.topology, flows).bandwidth.in_seconds();
    EXPECT_NEAR(seconds / std::stod(row.at("T_ring_bidir")), 1.0, 1e-6) << row.at("clique");
  }
}

// At 100 Gbps of access some cliques cannot reach their cut without coding (theory, section 2.3).
TEST(PackedReference, SteinerPackingMayMissTheCut) {
  const World world(nine_city(Bandwidth::gigabits_per_second(100)), Mode::kBoth);
  const Network network = world.network();
  RoundPacker packer({.network = &network, .kind = PackingKind::kInNetwork});
  const RoundPacking packing = packer.pack(round_of("TYO+NYC+LON", world.topology));
  EXPECT_NEAR(kGigabits / packing.gbps, 16.0 / 15.0, 1e-6);
  EXPECT_NEAR(world.bounds.cut(world.clique("TYO+NYC+LON"), Bytes::count(2'000'000'000))
                  .bandwidth.in_seconds(),
              0.8, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(NineCities, PackedReference, testing::ValuesIn(kColumns),
                         [](const auto& test) {
                           return std::string(test.param.name) + "_" +
                                  std::string(name_of(test.param.mode));
                         });

}  // namespace
}  // namespace gyre
