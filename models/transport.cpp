#include "models/transport.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace gyre {
namespace {

constexpr Range kProbability{.at_least = 0.0, .below = 1.0};

}  // namespace

void ArcLoss::describe(Fields& fields) {
  fields.required({"arc", "The arc, as in NYC->LON, NYC.up or NYC.down."}, arc);
  fields.required({"loss", "Probability that it loses a packet."}, loss, kProbability);
}

void RecoverySpec::describe(Fields& fields) {
  where = fields.where();
  fields.optional(
      {"timeout",
       "Time from sending a chunk to sending it again if it was not acknowledged; twice "
       "the exchange's round trip if not given."},
      timeout, kPositive);
  timeout_where = fields.where("timeout");
  give_up_where = fields.where("give_up");
  fields.optional({"force", "Allow a time-out below the round trip, which repeats everything."},
                  force);
  fields.optional({"give_up", "Time after which a chunk that does not get through ends it."},
                  give_up, kPositive);
  fields.optional_choice({"then",
                          "What an exchange that gives up does: fail the run, or drop the "
                          "exchange, so that its members keep their models in this round."},
                         then, kGiveUpRuleNames);
  if (timeout && give_up <= *timeout) {
    throw InputError(give_up_where, "is not above `timeout`, so that nothing would be sent again");
  }
  if (force && !timeout) {
    throw InputError(fields.where("force"), "has no effect without `timeout`");
  }
}

void TransportSpec::describe(Fields& fields) {
  where = fields.where();
  fields.optional({"chunk", "Bytes that travel, are added and are acknowledged as one."}, chunk,
                  Range{.at_least = 1.0});
  fields.optional({"packet", "Payload bytes of a packet; a chunk is one or several."}, packet,
                  Range{.at_least = 1.0});
  fields.optional({"header", "Bytes that each packet adds on the wire."}, header, kNotNegative);
  fields.optional({"window",
                   "Bytes of a stream that may be on an arc or wait behind it; what the arc's "
                   "capacity and delay need if not given."},
                  window, Range{.at_least = 1.0});
  fields.optional({"hop_latency", "Time that a switch takes to pass a chunk on."}, hop_latency,
                  kNotNegative);
  fields.optional({"loss", "Probability that an arc loses a packet."}, loss, kProbability);
  fields.list_of({"losses", "Arcs with a loss of their own."}, Presence::kDefaulted, losses);
  fields.optional_object({"recovery", "How lost chunks come back."}, recovery);
  if (window && *window < chunk) {
    throw InputError(fields.where("window"),
                     fmt::format("is below the chunk of {}; must hold one", to_text(chunk)));
  }
}

bool TransportSpec::lossy() const {
  return loss > 0.0 || std::any_of(losses.begin(), losses.end(),
                                   [](const ArcLoss& one) { return one.loss > 0.0; });
}

std::int64_t TransportSpec::packets(std::int64_t bytes) const {
  return (bytes + packet.in_bytes() - 1) / packet.in_bytes();
}

std::int64_t TransportSpec::wire_bytes(std::int64_t bytes) const {
  return bytes + packets(bytes) * header.in_bytes();
}

namespace {

constexpr TimesSpec::Words kFaultWords{
    .from = "When it fails.",
    .to = "When it is back; never if not given.",
    .availability =
        "Share of the time that it is there, instead of `from` and `to`: it fails "
        "again and again, after exponential times.",
    .mean_outage = "How long it then is away, on average.",
    .is_away = "fails"};

}  // namespace

void FaultSpec::describe(Fields& fields) {
  where = fields.where();
  fields.optional({"arc", "The arc that fails, as in NYC->LON, NYC.up or NYC.down."}, arc);
  fields.list({"link", "The two switches whose links fail, in both directions."},
              Presence::kDefaulted, link, 2);
  fields.optional({"every_link", "Each link between switches fails by itself."}, every_link);
  fields.optional({"switch", "The switch that fails, with its arcs and what it holds."}, at_switch);
  fields.optional_choice({"loses", "What the switch cannot do meanwhile, instead of failing."},
                         loses, kLosesNames);
  loses_where = fields.where("loses");
  describe_times(fields, kFaultWords);
  const int things =
      (arc ? 1 : 0) + (link.empty() ? 0 : 1) + (every_link ? 1 : 0) + (at_switch ? 1 : 0);
  if (things != 1) {
    throw InputError(where, "names what fails by one of `arc`, `link`, `every_link` and `switch`");
  }
  if (link.size() > 2) {
    throw InputError(fields.where("link"), "is to name two switches");
  }
  if (loses && !at_switch) throw InputError(loses_where, "is a switch's; give `switch`");
  check_times(fields, kFaultWords);
}

void ChangeSpec::describe(Fields& fields) {
  where = fields.where();
  fields.required({"at", "When it changes."}, at, kPositive);
  fields.list({"arcs", "The arcs that change, as in NYC->LON, NYC.up or NYC.down."},
              Presence::kRequired, arcs);
  fields.optional({"bandwidth", "What each of them carries from then on; at most its own."},
                  bandwidth, kPositive);
  fields.optional({"latency", "How long each of them takes from then on; at least its own."},
                  latency, kNotNegative);
  bandwidth_where = fields.where("bandwidth");
  latency_where = fields.where("latency");
  if (!bandwidth && !latency) {
    throw InputError(where, "changes nothing; give `bandwidth`, `latency` or both");
  }
}

}  // namespace gyre
