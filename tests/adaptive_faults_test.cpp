// Adaptive cliques where arcs fail, and the oracle that knows when they will: closed forms.

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sim/known_future.hpp"
#include "tests/policies.hpp"
#include "tests/run_log.hpp"

namespace gyre {
namespace {

const std::string kAdaptive = "{objective: consensus}";
const std::string kOracle = "{objective: consensus, knows: future}";

Fault link_fault(const Topology& map, const std::string& there, const std::string& back,
                 double from_s, double to_s) {
  Fault fault;
  fault.name = there;
  fault.arcs = {*map.find_arc(there), *map.find_arc(back)};
  fault.from = Instant::at_seconds(from_s);
  fault.to = Instant::at_seconds(to_s);
  return fault;
}

/// Keeps what happened and when; what an exchange made of it does not count.
class Events final : public RunObserver {
 public:
  void on_event(const EventRow& row) override {
    if (row.what != "planned anew" && row.what != "waits") {
      text << fmt::format("{:a} {:d} {} {}\n", row.time.in_seconds(), row.what == "fails",
                          row.subject, row.round.value_or(-1));
    }
  }
  std::ostringstream text;
};

std::string events_of(const RunSpec& spec) {
  return in_child([&spec] {
    Events events;
    simulate(spec, events, kNever);
    return events.text.str();
  });
}

/// Three islands in a row, A – B – C, links of 1 Gbit/s and 1 ms; 1 GB after 1 s of compute. Of all
/// three the two links carry two models each way: 16 s and 2 ms. A and B alone take 8.001 s.
class AdaptiveFaults : public testing::Test {
 protected:
  [[nodiscard]] RunSpec spec_of(Policy& policy, std::int64_t rounds) const {
    RunSpec spec = pair_spec(row_, policy);
    spec.in_flight = InFlight::kReroute;
    spec.stop.max_rounds = rounds;
    return spec;
  }
  [[nodiscard]] Fault outage(double from_s, double to_s) const {
    return link_fault(row_, "b->c", "c->b", from_s, to_s);
  }
  [[nodiscard]] double end_s(const std::string& name, const std::string& keys,
                             const std::vector<Fault>& faults, std::int64_t rounds) const {
    const std::unique_ptr<Policy> policy = make(name, keys);
    RunSpec spec = spec_of(*policy, rounds);
    spec.faults = faults;
    return field(run_log(spec).back(), 2);
  }

  Topology row_ = lettered_map(3, {{'A', 'B', 1.0, 1}, {'B', 'C', 1.0, 1}});
};

// The link to C fails while the islands compute (17.5 s to 77.5 s), and in the middle of an
// exchange (120 s to 180 s). No other way leads there, so that who exchanges with C waits.
//
// Static: rounds end at 17.002, 93.502 (16.002 from 77.5 on), 110.504, 187.506 (8.496 of it before
// the second outage), 204.508, and then every 17.002 s.
// Adaptive: A and B exchange without C from 18.002 on, every 9.001 s, until the round that begins
// to exchange at 81.009, the ninth; the tenth ends at 114.013. The eleventh is under way when the
// link fails: 4.987 of 16 s, the rest from 180 on. The twelfth ends at 208.017. Oracle: the
// eleventh and twelfth do without C, and end at 123.014 and 132.015.
TEST_F(AdaptiveFaults, TheOracleIsAheadOfTheAdaptiveOnesAndTheyOfTheStaticOnes) {
  const std::vector<Fault> faults{outage(17.5, 77.5), outage(120.0, 180.0)};
  EXPECT_NEAR(end_s("rotating-cliques", kAdaptive, faults, 12), 204.508 + 7 * 17.002, 1e-6);
  EXPECT_NEAR(end_s("adaptive-cliques", kAdaptive, faults, 12), 208.017, 1e-6);
  EXPECT_NEAR(end_s("adaptive-cliques", kOracle, faults, 12), 132.015, 1e-6);
  // Without outages they are one and the same.
  EXPECT_NEAR(end_s("rotating-cliques", kAdaptive, {}, 4), 4 * 17.002, 1e-6);
  EXPECT_NEAR(end_s("adaptive-cliques", kAdaptive, {}, 4), 4 * 17.002, 1e-6);
  EXPECT_NEAR(end_s("adaptive-cliques", kOracle, {}, 4), 4 * 17.002, 1e-6);
}

// Who is cut off computes, and waits for the others: it is with them again in the first round that
// begins to exchange when the link is back, and has taken as many steps as they have.
TEST_F(AdaptiveFaults, WhoIsCutOffKeepsStep) {
  const auto policy = make("adaptive-cliques", kAdaptive);
  RunSpec spec = spec_of(*policy, 4);
  spec.faults = {outage(17.5, 30.0)};
  const std::vector<std::string> log = run_log(spec);
  std::map<std::int64_t, std::string> of_round;
  for (const std::string& row : starting(log, "clique")) {
    std::istringstream words(row);
    std::string word;
    std::int64_t round = 0;
    words >> word >> round >> word;
    of_round[round] += word + " ";
  }
  EXPECT_EQ(of_round[0], "A+B+C ");
  EXPECT_EQ(of_round[1], "C A+B ");
  EXPECT_EQ(of_round[2], "C A+B ");  // at 27.003 s
  EXPECT_EQ(of_round[3], "A+B+C ");  // at 36.004 s
  // Both new plans are events, of the rounds from which on they are followed, when the first island
  // needs one: B had the first average 1 ms before the ends of the row.
  std::istringstream lines(events_of(spec));
  std::vector<std::pair<double, std::int64_t>> plans;
  std::string time;
  bool fails = false;
  std::string subject;
  for (std::int64_t round = 0; lines >> time >> fails >> subject >> round;) {
    if (subject == "schedule") {
      plans.emplace_back(std::strtod(time.c_str(), nullptr), round);
    }
  }
  ASSERT_EQ(plans.size(), 2U);
  EXPECT_NEAR(plans[0].first, 18.001, 1e-6);
  EXPECT_EQ(plans[0].second, 1);
  EXPECT_NEAR(plans[1].first, 36.004, 1e-6);
  EXPECT_EQ(plans[1].second, 3);
}

// Both ends of the row are cut off: everybody trains alone, one second a round, until 30 s. Nothing
// is planned for nobody.
TEST_F(AdaptiveFaults, WhereNobodyReachesAnybodyEachTrainsAlone) {
  for (const std::string& keys : {kAdaptive, kOracle}) {
    // Round 0 ends at 17.002; rounds 1 to 12 end at 18.002 to 29.002; round 13 exchanges at 30.002.
    EXPECT_NEAR(end_s("adaptive-cliques", keys,
                      {outage(17.5, 30.0), link_fault(row_, "a->b", "b->a", 17.5, 30.0)}, 14),
                30.002 + 16.002, 1e-6)
        << keys;
  }
}

/// The same with D at the end of the row, and switches that replicate and add: the sum and its way
/// back take each link once, 8.004 s for all four and 8.002 s for A, B and C.
class AdaptiveTables : public AdaptiveFaults {
 protected:
  [[nodiscard]] double end_of(const std::string& name, const std::string& keys,
                              const std::vector<std::pair<double, double>>& outages_s,
                              std::int64_t rounds) const {
    const Topology row =
        lettered_map(4, {{'A', 'B', 1.0, 1}, {'B', 'C', 1.0, 1}, {'C', 'D', 1.0, 1}});
    const auto policy = make(name, keys);
    RunSpec spec = spec_of(*policy, rounds);
    spec.topology = &row;
    spec.capabilities = capabilities(row, Mode::kBoth);
    spec.setup_time = Duration::seconds(0.5);
    for (const auto& [from, to] : outages_s) {
      spec.faults.push_back(link_fault(row, "c->d", "d->c", from, to));
    }
    return field(run_log(spec).back(), 2);
  }
};

// The switches get their tables for all four at first, and for three of them when that is planned
// first; both are there when they are needed again. D ends a round with all four last, by 1 ms,
// which holds nobody up where it is cut off. Rounds end at 9.504, without D at 19.005 and 28.007,
// with D at 37.011, 46.015 and 55.019, without D again at 64.020, with D at 73.024.
TEST_F(AdaptiveTables, OfANewPlanTakeTheirSetUpTimeOnce) {
  EXPECT_NEAR(end_of("adaptive-cliques", kAdaptive, {{9.6, 29.0}, {55.5, 65.0}}, 8), 73.024, 1e-6);
}

// A clique that an outage does not touch goes the way it went.
TEST_F(AdaptiveTables, OfWhatGoesWhereItWentAreThere) {
  EXPECT_NEAR(end_of("static-cliques", "{cliques: A+B+C}", {{9.6, 12.0}}, 3), 0.5 + 3 * 9.002,
              1e-6);
}

/// What the arcs offered, as an adaptive policy sees it.
class Seen final : public Policy {
 public:
  explicit Seen(const Topology& topology) : topology_(&topology) {}
  void describe(Fields& /*fields*/) override {}
  void start(const PolicyContext& /*context*/) override {}
  Round round(std::int64_t /*number*/) override { return round_of("A+B", *topology_); }
  [[nodiscard]] bool observes() const override { return true; }
  void observe(std::int64_t number, std::span<const Bandwidth> arc_rates) override {
    const double expected = number == 1 ? 1.0 : number == 2 ? 0.0 : 0.75;
    const double seen = arc_rates[topology_->find_arc("b->c")->index()].in_gigabits_per_second();
    if (std::abs(seen - expected) > 1e-8) std::abort();  // the parent has to see it
  }

 private:
  const Topology* topology_;
};

// Rounds exchange at 1, 10.001, 19.002 and 28.003 s. Before the second one the link was away for
// two seconds, which do not count; before the third it is away; before the fourth it was so for all
// but half of the time, and half of that time half as fast.
TEST_F(AdaptiveFaults, AnArcIsSeenAsItIsOrWasWhenItWasThere) {
  Seen policy(row_);
  RunSpec spec = spec_of(policy, 4);
  spec.faults = {outage(3.0, 5.0), outage(15.0, 20.003)};
  spec.changes = {{.at = Instant::at_seconds(24.003),
                   .arc = *row_.find_arc("b->c"),
                   .capacity = Bandwidth::bits_per_second(500'000'000)}};
  EXPECT_NEAR(field(run_log(spec).back(), 2), 4 * 9.001, 1e-6);
}

// The faults of a run with chance in them, and a change: what an oracle was told is what came.
TEST_F(AdaptiveFaults, TheKnownFutureIsWhatThenHappens) {
  Repeated policy(row_, {"A+B+C"});
  RunSpec spec = spec_of(policy, 40);
  Fault random = outage(0.0, 0.0);
  random.name = "b-c";
  random.random = {Duration::seconds(20.0), Duration::seconds(10.0)};
  spec.faults = {random, link_fault(row_, "a->b", "b->a", 100.0, 130.0)};
  spec.faults.front().to.reset();
  spec.changes = {{.at = Instant::at_seconds(50.0),
                   .arc = *row_.find_arc("a->b"),
                   .capacity = Bandwidth::bits_per_second(250'000'000)}};
  spec.seed = 3;
  spec.in_flight = InFlight::kWait;
  const std::string text = events_of(spec);
  const std::size_t arc = row_.find_arc("b->c")->index();
  const std::size_t other = row_.find_arc("a->b")->index();
  KnownFuture future(spec);
  KnownFuture all(spec);
  std::istringstream lines(text);
  std::string time;
  std::string subject;
  bool fails = false;
  int outages = 0;
  double up_s = 0.0;
  double down_s = 0.0;
  double last_s = 0.0;
  std::int64_t round = 0;
  while (lines >> time >> fails >> subject >> round) {
    const double now_s = std::strtod(time.c_str(), nullptr);
    if (subject != "b-c") continue;
    outages += fails ? 1 : 0;
    (fails ? up_s : down_s) += now_s - last_s;
    const auto at = [&](double at_s) {
      return future.rates(Instant::at_seconds(at_s), Duration())[arc].in_gigabits_per_second();
    };
    EXPECT_EQ(at(std::nextafter(now_s, 0.0)), fails ? 1.0 : 0.0) << now_s;
    EXPECT_EQ(at(now_s), fails ? 0.0 : 1.0) << now_s;
    last_s = now_s;
  }
  EXPECT_GT(outages, 10);
  const auto whole = all.rates(Instant(), Duration::seconds(last_s));
  EXPECT_NEAR(whole[arc].in_gigabits_per_second(), up_s / (up_s + down_s), 1e-8);
  EXPECT_NEAR(whole[other].in_gigabits_per_second(),
              (50.0 + 0.25 * (last_s - 50.0 - 30.0)) / last_s, 1e-8);
  // Where what is under way when an arc fails is lost, nobody can count on it.
  spec.in_flight = InFlight::kReroute;
  KnownFuture strict(spec);
  const auto until_110 = strict.rates(Instant::at_seconds(99.0), Duration::seconds(1.0));
  EXPECT_EQ(until_110[other].in_gigabits_per_second(), 0.25);
  const auto longer = strict.rates(Instant::at_seconds(99.0), Duration::seconds(1.5));
  EXPECT_EQ(longer[other], Bandwidth());
}

/// The nine cities as a policy sees them, without a run.
class AdaptivePlans : public testing::Test {
 protected:
  [[nodiscard]] std::vector<Bandwidth> without(const std::vector<std::string>& arcs) const {
    std::vector<Bandwidth> all = world_.topology.capacities();
    for (const std::string& arc : arcs) all[world_.arc(arc).index()] = Bandwidth();
    return all;
  }
  World world_{nine_city()};
};

// SEO hangs on one fibre, BAR on another, and two join the Far East to the rest: the parts go on by
// themselves, each as if the map were no larger, and side by side.
TEST_F(AdaptivePlans, PartsGoOnSideBySide) {
  const Network network = world_.network();
  const ExchangeContext exchanges{.network = network,
                                  .exchange = Exchange::kDirect,
                                  .routing = Routing::kShortest,
                                  .payload = Bytes::count(2'000'000'000),
                                  .compute = Duration::seconds(1.2),
                                  .reroutes = true};
  const auto policy = make("adaptive-cliques", "{objective: consensus, max_clique: 3}");
  policy->start({.topology = world_.topology, .seed = 1, .exchanges = &exchanges});
  policy->prepare([] { return true; });
  policy->observe(1, without({"NYC->BAR", "SIN->FRA", "FRA->SIN", "TYO->LAX", "LAX->TYO",
                              "SIN->LAX", "LAX->SIN"}));
  const Clique east = world_.clique("SEO+TYO+SIN");
  bool meet = false;
  for (std::int64_t r = 1; r < 20; ++r) {
    const Round round = policy->round(r);
    std::size_t islands = 0;
    for (const Clique& clique : round.cliques) {
      islands += clique.size();
      const auto from_east =
          static_cast<std::size_t>(std::count_if(clique.begin(), clique.end(), [&](IslandId i) {
            return std::find(east.begin(), east.end(), i) != east.end();
          }));
      EXPECT_TRUE(from_east == 0 || from_east == clique.size()) << to_text(round, world_.topology);
      meet = meet || clique == east;
      if (clique.size() > 1) {
        EXPECT_EQ(std::count(clique.begin(), clique.end(), *world_.topology.find_island("BAR")), 0);
      }
    }
    EXPECT_EQ(islands, 9U);
  }
  EXPECT_TRUE(meet);
  // And together again, as before.
  policy->observe(20, world_.topology.capacities());
  const auto rotating = make("rotating-cliques", "{objective: consensus, max_clique: 3}");
  rotating->start({.topology = world_.topology, .seed = 1, .exchanges = &exchanges});
  rotating->prepare([] { return true; });
  EXPECT_EQ(policy->round(20), rotating->round(0));
}

}  // namespace
}  // namespace gyre
