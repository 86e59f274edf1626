// Where a run's bytes went: plans, arcs and rounds have to agree.

#include "sim/churn.hpp"
#include "tests/soak_parts.hpp"

namespace gyre {
namespace {

/// Bytes by arc.
using Load = std::map<std::string, std::int64_t>;

class ByteChecks {
 public:
  ByteChecks(const EndedRun& run, const SoakFiles& files, Complaints& wrong)
      : run_(run), topology_(*run.spec.topology), files_(files), wrong_(wrong) {
    const SyncTiming timing = sync_timing(run.spec);
    for (std::size_t f = 0; f < timing.fragments(); ++f) {
      fragment_bytes_.push_back(timing.bytes(f).in_bytes());
      pieces_.push_back(timing.pieces(f).size());
      for (const Piece& piece : timing.pieces(f)) sizes_.insert(piece.bytes.in_bytes());
    }
    absences_ = absences_of(files, topology_);
    find_downloads();
    for (std::size_t r = 0; r < files.links.size(); ++r) {
      carried_[files.links.text(r, "arc")] += files.links.whole(r, "bytes");
    }
  }

  void run() {
    read_plans();
    for (const Plan& plan : plans_) {
      check_switches(plan.load, fmt::format("the plan of {}", plan.members));
      check_members(plan);
    }
    const bool packets = run_.spec.packets.has_value();
    // Lost chunks end on the way, and so do chunks that are under way at the end of time, or when
    // members of their exchange leave.
    const bool all = is_whole(run_) && downloads_.all && !breaks_off();
    if (!packets || (all && !run_.spec.packets->lossy())) {
      check_switches(carried_, "links.csv");
    }
    check_wan();
    check_carried_bits();
    if (run_.spec.policy->overlay()) {
      check_received();
    } else {
      check_exchanges();
    }
  }

 private:
  struct Plan {
    std::int64_t round = 0;
    std::string members;
    std::string exchange;
    Load load;
  };

  void read_plans() {
    std::int64_t last = -1;
    for (std::size_t r = 0; r < files_.routes.size(); ++r) {
      const std::int64_t number = files_.routes.whole(r, "plan");
      if (number != last) {
        plans_.push_back({.round = files_.routes.whole(r, "round"),
                          .members = files_.routes.text(r, "members"),
                          .exchange = files_.routes.text(r, "exchange"),
                          .load = {}});
      }
      last = number;
      const std::int64_t bytes = files_.routes.whole(r, "bytes");
      wrong_.require(bytes >= 0, "{}: {} bytes", files_.routes.place(r), bytes);
      plans_.back().load[files_.routes.text(r, "arc")] += bytes;
    }
  }

  /// A switch that can't add sends at least what it gets, one that can't replicate at most that.
  void check_switches(const Load& load, const std::string& where) {
    std::vector<std::int64_t> in(topology_.switch_count());
    std::vector<std::int64_t> out(topology_.switch_count());
    for (const auto& [name, bytes] : load) {
      const std::optional<ArcId> id = topology_.find_arc(name);
      wrong_.require(id.has_value(), "{}: '{}' is no arc", where, name);
      if (!id) continue;
      const Arc& arc = topology_.arc(*id);
      if (topology_.is_switch(arc.tail)) out[topology_.switch_at(arc.tail).index()] += bytes;
      if (topology_.is_switch(arc.head)) in[topology_.switch_at(arc.head).index()] += bytes;
    }
    for (std::size_t s = 0; s < in.size(); ++s) {
      const SwitchId at = SwitchId::at(s);
      const Capabilities& able = run_.spec.capabilities;
      wrong_.require(able.adds(at) || out[s] >= in[s], "{}: {} bytes go into switch {} and {} out",
                     where, in[s], topology_.name(at), out[s]);
      wrong_.require(able.replicates(at) || out[s] <= in[s],
                     "{}: {} bytes go into switch {} and {} out", where, in[s], topology_.name(at),
                     out[s]);
    }
  }

  /// Each member's part has to leave it, and the result has to come to it. Where no switch can do
  /// anything, k members send each other k(k-1) payloads directly and 2(k-1) by adding themselves.
  void check_members(const Plan& plan) {
    const std::vector<std::string> members = named(plan.members);
    std::int64_t sent = 0;
    std::int64_t received = 0;
    for (const std::string& member : members) {
      const auto bytes = [&plan](const std::string& arc) {
        const auto found = plan.load.find(arc);
        return found == plan.load.end() ? 0 : found->second;
      };
      sent += bytes(member + ".up");
      received += bytes(member + ".down");
      wrong_.require(
          bytes(member + ".up") >= *sizes_.begin() && bytes(member + ".down") >= *sizes_.begin(),
          "the plan of {} takes {} bytes from {} and {} to it, of a payload of {}", plan.members,
          bytes(member + ".up"), member, bytes(member + ".down"), *sizes_.begin());
    }
    const Capabilities& able = run_.spec.capabilities;
    const bool plain = std::ranges::none_of(able.multicast, [](bool b) { return b; }) &&
                       std::ranges::none_of(able.aggregation, [](bool b) { return b; });
    if (!plain || sizes_.size() > 1) return;
    const auto k = static_cast<std::int64_t>(members.size());
    const std::int64_t copies = plan.exchange == "direct" ? k * (k - 1) : 2 * (k - 1);
    wrong_.require(sent == copies * *sizes_.begin() && received == copies * *sizes_.begin(),
                   "{} of {}: {} bytes sent and {} received, instead of {} times {}", plan.exchange,
                   plan.members, sent, received, copies, *sizes_.begin());
  }

  /// Latecomers fetch results by flows that belong to no exchange.
  [[nodiscard]] bool fetches() const {
    const TrainingSpec& training = run_.spec.training;
    return training.follows(StragglerSpec::Rule::kQuorum) &&
           training.stragglers->late == StragglerSpec::Late::kDrop;
  }
  [[nodiscard]] bool loses_chunks() const {
    return run_.spec.packets && run_.spec.packets->lossy();
  }

  /// Whoever is back downloads a model, which belongs to no exchange.
  struct Downloads {
    Load load;        ///< of those that have ended
    bool all = true;  ///< none was under way at the end, or was in vain
  };
  void find_downloads() {
    Churn churn(run_.spec.churn, topology_.island_count(), run_.spec.seed);
    const Routes routes(topology_);
    const Network network{.topology = topology_,
                          .routes = routes,
                          .capabilities = run_.spec.capabilities,
                          .limits = run_.spec.limits};
    const double end_s = run_.result.simulated.in_seconds();
    for (const Absence& absence : absences_) {
      // Times in the file have 12 digits.
      const auto later = [](double s) { return s + 1e-11 * s + 1e-9; };
      Instant back = Instant::at_seconds(later(absence.from_s));
      bool returns = true;
      while (const std::optional<Period> away = churn.present_absence(absence.island, back)) {
        returns = away->to.has_value();
        if (!returns) break;
        back = *away->to;
      }
      const double back_s = (back - Instant()).in_seconds();
      if (!absence.to_s && returns && back_s <= later(end_s)) downloads_.all = false;
      if (!absence.to_s) continue;
      const std::optional<Period> again = churn.absence(absence.island, back);
      if (again && (again->from - Instant()).in_seconds() <= later(*absence.to_s)) {
        downloads_.all = false;
      }
      if (!absence.source) continue;
      for (const Stream& way : multicast_streams(network, *absence.source, {&absence.island, 1})) {
        for (const ArcUse& use : way.arcs) {
          downloads_.load[topology_.name(use.arc)] += run_.spec.payload.in_bytes() * use.copies;
        }
      }
    }
  }
  /// Whether exchanges may have ended in the middle, of which arcs carried some and plans say more.
  [[nodiscard]] bool breaks_off() const {
    for (std::size_t r = 0; r < files_.events.size(); ++r) {
      const std::string& what = files_.events.text(r, "what");
      if (what == "planned anew" || what == "dropped") return true;
    }
    for (std::size_t r = 0; r < files_.rounds.size(); ++r) {
      if (loses_members(r)) return true;
    }
    const SwitchLimits* limits = run_.spec.limits;
    return !absences_.empty() && limits != nullptr && limits->launch == LaunchRule::kEager;
  }
  /// Whether somebody left in that round, maybe in the middle of its exchange.
  [[nodiscard]] bool loses_members(std::size_t row) const {
    const std::vector<std::string> absent = named(files_.rounds.text(row, "absent"));
    return std::ranges::any_of(absences_, [&](const Absence& absence) {
      return absence.left_in == files_.rounds.whole(row, "round") &&
             std::ranges::find(absent, topology_.name(absence.island)) != absent.end();
    });
  }

  /// What the rounds say of the core arcs, and what these say.
  void check_wan() {
    std::int64_t by_rounds = 0;
    for (std::size_t r = 0; r < files_.rounds.size(); ++r) {
      by_rounds += files_.rounds.whole(r, "wan_bytes");
    }
    std::int64_t by_arcs = 0;
    for (std::size_t r = 0; r < files_.links.size(); ++r) {
      if (files_.links.text(r, "kind") == "core") by_arcs += files_.links.whole(r, "bytes");
    }
    std::int64_t others = 0;
    for (const auto& [arc, bytes] : downloads_.load) {
      if (topology_.is_core(topology_.find_arc(arc).value())) others += bytes;
    }
    wrong_.require(about(run_.summary.wan_gb.value_or(-1.0) * 1e9, static_cast<double>(by_arcs)),
                   "summary: {} GB over core arcs that carried {} bytes",
                   run_.summary.wan_gb.value_or(-1.0), by_arcs);
    // Rows are of exchanges that are over; chunks of an exchange may be sent again after its end.
    // An island of an overlay may have all that it waits for while others wait for what it sends.
    const bool ended = is_whole(run_) || !run_.spec.policy->overlay();
    const bool all = is_whole(run_) && !fetches() && !loses_chunks() && downloads_.all;
    wrong_.require(
        (!ended || by_rounds + others <= by_arcs) && (!all || by_rounds + others == by_arcs),
        "rounds.csv: {} bytes over core arcs and {} downloaded, which by links.csv carried {}",
        by_rounds, others, by_arcs);
  }

  /// The rates over time, and the bytes of the flows that ended.
  void check_carried_bits() {
    if (run_.spec.packets) return;
    for (std::size_t a = 0; a < run_.result.arcs.size(); ++a) {
      const ArcUsage& usage = run_.result.arcs[a];
      const double bits = usage.bytes.in_bits();
      // The engine takes two instants less than a nanosecond apart for one, where flows begin and
      // where they end; where exchanges were dropped or began again what was sent is rounded.
      const Bandwidth capacity = topology_.arc(ArcId::at(a)).capacity;
      const double of_a_flow = 2e-9 * static_cast<double>(capacity.in_bits_per_second()) +
                               (run_.spec.faults.empty() && absences_.empty() ? 0.0 : 8.0 * 8.0);
      const double rounding = 1e-6 * bits + of_a_flow * static_cast<double>(run_.result.flows);
      const bool all = is_whole(run_) && !fetches() && downloads_.all;
      wrong_.require(
          usage.carried_bits >= bits - rounding && (!all || usage.carried_bits <= bits + rounding),
          "links.csv: {} carried {} bits by its rates and {} by its flows",
          topology_.name(ArcId::at(a)), usage.carried_bits, bits);
    }
  }

  /// Of an overlay each receiver gets its fragment from each of the others.
  void check_received() {
    std::map<std::string, std::int64_t> received;
    for (std::size_t r = 0; r < files_.rounds.size(); ++r) {
      const std::string& receiver = files_.rounds.text(r, "receiver");
      if (receiver.empty()) continue;
      const auto others =
          static_cast<std::int64_t>(named(files_.rounds.text(r, "members")).size()) - 1;
      const auto fragment = static_cast<std::size_t>(files_.rounds.whole(r, "fragment"));
      received[receiver] += others * fragment_bytes_[fragment];
    }
    for (std::size_t r = 0; r < files_.islands.size(); ++r) {
      const std::string& island = files_.islands.text(r, "island");
      const std::int64_t bytes = files_.islands.whole(r, "received_bytes");
      // Who leaves has been sent something by then, and downloads a model when it is back.
      const bool all = is_whole(run_) && absences_.empty();
      wrong_.require(received[island] <= bytes && (!all || received[island] == bytes),
                     "islands.csv: {} received {} bytes, of which rounds.csv knows {}", island,
                     bytes, received[island]);
    }
  }

  /// Each arc carries what the plans of the exchanges put on it, and what is downloaded.
  void check_exchanges() {
    const bool unsummed =
        run_.spec.packets && run_.spec.limits != nullptr && run_.spec.limits->passes_unsummed();
    if (!is_whole(run_) || fetches() || loses_chunks() || unsummed || !run_.spec.faults.empty() ||
        sizes_.size() > 1) {
      return;
    }
    Load expected = downloads_.load;
    for (std::size_t r = 0; r < files_.rounds.size(); ++r) {
      if (files_.rounds.text(r, "exchange").empty() || loses_members(r)) continue;
      // It was skipped.
      if (files_.rounds.text(r, "outcome") == "dropped" && !absences_.empty()) continue;
      const Plan* latest = nullptr;
      for (const Plan& plan : plans_) {
        if (plan.members != files_.rounds.text(r, "members")) continue;
        if (plan.round <= files_.rounds.whole(r, "round")) latest = &plan;
      }
      wrong_.require(latest != nullptr && latest->exchange == files_.rounds.text(r, "exchange"),
                     "{}: no plan in routes.csv", files_.rounds.place(r));
      if (latest == nullptr) continue;
      const auto times = static_cast<std::int64_t>(
          pieces_[static_cast<std::size_t>(files_.rounds.whole(r, "fragment"))]);
      for (const auto& [arc, bytes] : latest->load) expected[arc] += times * bytes;
    }
    const bool all = downloads_.all && !breaks_off();
    for (const auto& [arc, bytes] : carried_) {
      wrong_.require(all ? expected[arc] == bytes : expected[arc] <= bytes,
                     "links.csv: {} carried {} bytes, the plans say {}", arc, bytes, expected[arc]);
    }
  }

  const EndedRun& run_;
  const Topology& topology_;
  const SoakFiles& files_;
  Complaints& wrong_;
  std::vector<std::int64_t> fragment_bytes_;
  std::vector<std::size_t> pieces_;  ///< by fragment
  std::set<std::int64_t> sizes_;     ///< of all pieces
  Load carried_;
  std::vector<Absence> absences_;
  Downloads downloads_;
  std::vector<Plan> plans_;
};

}  // namespace

void check_bytes(const EndedRun& run, const SoakFiles& files, Complaints& wrong) {
  ByteChecks(run, files, wrong).run();
}

}  // namespace gyre
