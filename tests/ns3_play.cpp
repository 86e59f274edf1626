#include "tests/ns3_play.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include <ns3/applications-module.h>
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>
#include <ns3/traffic-control-helper.h>

namespace gyre::ns3_play {
namespace {

/// Sends a flow's packets, each when the fluid flow has come to its first byte.
class PacedSource {
 public:
  PacedSource(ns3::Ptr<ns3::Socket> socket, ns3::InetSocketAddress to, std::int64_t bytes,
              std::vector<RateStep> steps)
      : socket_(socket), to_(to), left_bytes_(bytes), steps_(std::move(steps)) {}

  void start() { ns3::Simulator::ScheduleNow(&PacedSource::send, this); }

 private:
  void send() {
    const auto size =
        static_cast<std::uint32_t>(std::min<std::int64_t>(left_bytes_, kPayloadOfPacket));
    socket_->SendTo(ns3::Create<ns3::Packet>(size), 0, to_);
    left_bytes_ -= size;
    sent_bits_ += 8.0 * size;
    if (left_bytes_ <= 0) return;
    ns3::Simulator::Schedule(ns3::Seconds(time_of(sent_bits_)) - ns3::Simulator::Now(),
                             &PacedSource::send, this);
  }
  double time_of(double bits) const {
    double done_bits = 0.0;
    for (std::size_t i = 0; i + 1 < steps_.size(); ++i) {
      const double in_step = steps_[i].bits_per_second * (steps_[i + 1].from_s - steps_[i].from_s);
      if (done_bits + in_step >= bits) {
        return steps_[i].from_s + (bits - done_bits) / steps_[i].bits_per_second;
      }
      done_bits += in_step;
    }
    return steps_.back().from_s + (bits - done_bits) / steps_.back().bits_per_second;
  }

  ns3::Ptr<ns3::Socket> socket_;
  ns3::InetSocketAddress to_;
  std::int64_t left_bytes_;
  std::vector<RateStep> steps_;
  double sent_bits_ = 0.0;
};

/// The map in ns-3: every node has an internet stack, every link is a point-to-point channel.
class Network {
 public:
  explicit Network(const Map& map) : map_(map) {
    nodes_.Create(map.nodes);
    ns3::InternetStackHelper().Install(nodes_);
    ns3::Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    for (std::uint32_t a = 0; a < map.arcs.size(); a += 2) {
      const Arc& arc = map.arcs[a];
      ns3::PointToPointHelper link;
      link.SetDeviceAttribute("DataRate", ns3::DataRateValue(ns3::DataRate(arc.bits_per_second)));
      link.SetDeviceAttribute("Mtu", ns3::UintegerValue(9000));
      link.SetChannelAttribute("Delay", ns3::TimeValue(ns3::Seconds(arc.latency_s)));
      link.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", ns3::StringValue("100000000p"));
      const ns3::NetDeviceContainer devices =
          link.Install(nodes_.Get(arc.tail), nodes_.Get(arc.head));
      const ns3::Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
      addresses.NewNetwork();
      ns3::TrafficControlHelper().Uninstall(devices);  // its queues would drop
      const auto metric = static_cast<std::uint16_t>(1 + std::lround(arc.latency_s * 1e5));
      for (std::uint32_t end = 0; end < 2; ++end) {
        interfaces.Get(end).first->SetMetric(interfaces.Get(end).second, metric);
        out_interface_[a + end] = interfaces.Get(end).second;
        in_interface_[a + end] = interfaces.Get(1 - end).second;
      }
      if (a < map.first_access_arcs) address_[arc.tail] = interfaces.GetAddress(0);
    }
    ns3::Ipv4GlobalRoutingHelper::PopulateRoutingTables();
  }

  ns3::Ptr<ns3::Node> node(std::uint32_t n) const { return nodes_.Get(n); }
  ns3::Ipv4Address address(std::uint32_t island) const { return address_.at(island); }

  /// Static multicast routes of a tree.
  void route(const Flow& flow, ns3::Ipv4Address group) const {
    std::map<std::uint32_t, std::vector<std::uint32_t>> out;
    std::map<std::uint32_t, std::uint32_t> in;
    for (const std::uint32_t a : flow.arcs) {
      out[map_.arcs[a].tail].push_back(out_interface_.at(a));
      in[map_.arcs[a].head] = in_interface_.at(a);
    }
    ns3::Ipv4StaticRoutingHelper helper;
    for (const auto& [at, interfaces] : out) {
      const auto routing = helper.GetStaticRouting(node(at)->GetObject<ns3::Ipv4>());
      if (at == flow.source) {
        routing->SetDefaultMulticastRoute(interfaces.front());
      } else {
        routing->AddMulticastRoute(address(flow.source), group, in.at(at), interfaces);
      }
    }
  }

 private:
  const Map& map_;
  ns3::NodeContainer nodes_;
  std::map<std::uint32_t, std::uint32_t> out_interface_;  // by arc, at its tail
  std::map<std::uint32_t, std::uint32_t> in_interface_;   // by arc, at its head
  std::map<std::uint32_t, ns3::Ipv4Address> address_;
};

/// Counts what has to arrive; remembers when the last of it did.
struct Arrivals {
  std::int64_t missing_bytes = 0;
  double last_s = -1.0;
  void take(ns3::Ptr<ns3::Socket> socket) {
    while (const auto packet = socket->Recv()) missing_bytes -= packet->GetSize();
    if (missing_bytes > 0 || last_s >= 0.0) return;
    last_s = ns3::Simulator::Now().GetSeconds();
    ns3::Simulator::Stop();
  }
  void accept(ns3::Ptr<ns3::Socket> socket, const ns3::Address& /*from*/) {
    socket->SetRecvCallback(ns3::MakeCallback(&Arrivals::take, this));
  }
};

void listen(const Network& network, std::uint32_t receiver, std::uint16_t port, bool tcp,
            Arrivals& arrivals) {
  const auto socket =
      ns3::Socket::CreateSocket(network.node(receiver), tcp ? ns3::TcpSocketFactory::GetTypeId()
                                                            : ns3::UdpSocketFactory::GetTypeId());
  socket->Bind(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), port));
  if (!tcp) {
    socket->SetRecvCallback(ns3::MakeCallback(&Arrivals::take, &arrivals));
    return;
  }
  socket->Listen();
  socket->SetAcceptCallback(
      ns3::MakeNullCallback<bool, ns3::Ptr<ns3::Socket>, const ns3::Address&>(),
      ns3::MakeCallback(&Arrivals::accept, &arrivals));
}

}  // namespace

double play(const Map& map, const std::vector<Flow>& flows, bool tcp) {
  constexpr std::uint32_t kSegment = 8948;
  ns3::Config::SetDefault("ns3::TcpSocket::SegmentSize", ns3::UintegerValue(kSegment));
  ns3::Config::SetDefault("ns3::TcpSocket::SndBufSize", ns3::UintegerValue(1U << 30U));
  ns3::Config::SetDefault("ns3::TcpSocket::RcvBufSize", ns3::UintegerValue(1U << 30U));
  ns3::Config::SetDefault("ns3::TcpSocket::InitialCwnd", ns3::UintegerValue(40'000));
  const Network network(map);
  Arrivals arrivals;
  std::vector<std::unique_ptr<PacedSource>> sources;
  for (std::size_t f = 0; f < flows.size(); ++f) {
    const Flow& flow = flows[f];
    const auto port = static_cast<std::uint16_t>(1000 + f);
    const bool multicast = flow.receivers.size() > 1;
    const ns3::Ipv4Address group(0xE1000100U + static_cast<std::uint32_t>(f));
    if (multicast) network.route(flow, group);
    for (const std::uint32_t receiver : flow.receivers) {
      arrivals.missing_bytes += flow.bytes;
      listen(network, receiver, port, tcp, arrivals);
    }
    const ns3::InetSocketAddress to(multicast ? group : network.address(flow.receivers.front()),
                                    port);
    if (tcp) {
      ns3::BulkSendHelper bulk("ns3::TcpSocketFactory", to);
      bulk.SetAttribute("MaxBytes", ns3::UintegerValue(static_cast<std::uint64_t>(flow.bytes)));
      bulk.SetAttribute("SendSize", ns3::UintegerValue(kSegment));
      bulk.Install(network.node(flow.source)).Start(ns3::Seconds(0.0));
      continue;
    }
    const auto socket =
        ns3::Socket::CreateSocket(network.node(flow.source), ns3::UdpSocketFactory::GetTypeId());
    socket->Bind();
    sources.push_back(std::make_unique<PacedSource>(socket, to, flow.bytes, flow.steps));
    sources.back()->start();
  }
  ns3::Simulator::Stop(ns3::Seconds(1000));
  ns3::Simulator::Run();
  ns3::Simulator::Destroy();
  return arrivals.last_s;
}

}  // namespace gyre::ns3_play
