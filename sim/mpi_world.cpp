#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

#include "models/error.hpp"
#include "sim/interrupt.hpp"
#include "sim/sweep_workers.hpp"

#ifdef GYRE_MPI
#include <boost/mpi.hpp>
#include <boost/serialization/string.hpp>
#endif

namespace gyre {

bool MpiWorld::present() {
  // What Open MPI, MPICH and Slurm tell the processes that they start.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"}) {
    if (std::getenv(name) != nullptr) return true;  // NOLINT(concurrency-mt-unsafe)
  }
  const char* tasks = std::getenv("SLURM_STEP_NUM_TASKS");  // NOLINT(concurrency-mt-unsafe)
  return tasks != nullptr && std::atoi(tasks) > 1;
}

#ifdef GYRE_MPI

namespace {

namespace mpi = boost::mpi;

constexpr int kRunTag = 1;  // a run to do, or kStop
constexpr int kEndTag = 2;  // a run that has ended
constexpr long kStop = -1;

struct EndMessage {
  std::size_t run = 0;
  std::string line;
  int exit_status = 0;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& run& line& exit_status;
  }
};

/// Its own process does runs as well: places are as many as there are processes.
class MpiWorkers final : public SweepWorkers {
 public:
  MpiWorkers(mpi::communicator world, SweepBody body)
      : world_(std::move(world)), own_(1, std::move(body)) {
    for (int rank = 1; rank < world_.size(); ++rank) idle_.push_back(rank);
  }
  MpiWorkers(const MpiWorkers&) = delete;
  MpiWorkers& operator=(const MpiWorkers&) = delete;
  ~MpiWorkers() override {
    for (int rank = 1; rank < world_.size(); ++rank) world_.send(rank, kRunTag, kStop);
  }

  [[nodiscard]] std::size_t idle() const override { return idle_.size() + own_.idle(); }
  [[nodiscard]] std::size_t places() const override {
    return static_cast<std::size_t>(world_.size());
  }
  [[nodiscard]] std::size_t running() const override {
    return static_cast<std::size_t>(world_.size()) - 1 - idle_.size() + own_.running();
  }
  void start(std::size_t run) override {
    // The others first: this process has the others to look after.
    if (idle_.empty()) {
      own_.start(run);
      return;
    }
    world_.send(idle_.back(), kRunTag, static_cast<long>(run));
    idle_.pop_back();
  }
  std::optional<SweepEnd> next(std::chrono::milliseconds patience) override {
    constexpr std::chrono::milliseconds kLook{2};
    for (std::chrono::milliseconds waited{}; waited < patience; waited += kLook) {
      if (const auto status = world_.iprobe(mpi::any_source, kEndTag)) {
        EndMessage message;
        world_.recv(status->source(), kEndTag, message);
        idle_.push_back(status->source());
        return SweepEnd{.run = message.run,
                        .line = std::move(message.line),
                        .exit_status = message.exit_status};
      }
      if (std::optional<SweepEnd> end = own_.next(kLook)) return end;
    }
    return std::nullopt;
  }
  void interrupt() override { own_.interrupt(); }  // the others were told by mpirun

 private:
  mpi::communicator world_;
  LocalWorkers own_;
  std::vector<int> idle_;  ///< ranks
};

}  // namespace

struct MpiWorld::Parts {
  mpi::environment environment{false};  // errors are ours to say
  mpi::communicator world;
};

MpiWorld::MpiWorld() {
  if (present()) parts_ = std::make_unique<Parts>();
}
MpiWorld::~MpiWorld() = default;

bool MpiWorld::leads() const { return parts_ == nullptr || parts_->world.rank() == 0; }

std::size_t MpiWorld::size() const {
  return parts_ == nullptr ? 1 : static_cast<std::size_t>(parts_->world.size());
}

std::unique_ptr<SweepWorkers> MpiWorld::workers(SweepBody body) {
  check(parts_ != nullptr, "there is no world of MPI");
  return std::make_unique<MpiWorkers>(parts_->world, std::move(body));
}

void MpiWorld::serve(const SweepBody& body) {
  mpi::communicator& world = parts_->world;
  while (true) {
    // A receive would keep the core busy while it waits.
    while (!world.iprobe(0, kRunTag)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    long run = kStop;
    world.recv(0, kRunTag, run);
    if (run == kStop) return;
    LocalWorkers one(1, body);
    one.start(static_cast<std::size_t>(run));
    bool passed_on = false;
    std::optional<SweepEnd> end;
    while (!end) {
      end = one.next(std::chrono::milliseconds(100));
      if (interrupted() && !passed_on) {
        one.interrupt();
        passed_on = true;
      }
    }
    world.send(0, kEndTag, EndMessage{end->run, end->line, end->exit_status});
  }
}

#else

struct MpiWorld::Parts {};

MpiWorld::MpiWorld() {
  if (!present()) return;
  throw InputError("gyre sweep",
                   "was started by mpirun or srun, but this gyre was built without MPI; install "
                   "the Debian package libboost-mpi-dev and build it again");
}
MpiWorld::~MpiWorld() = default;
bool MpiWorld::leads() const { return true; }
std::size_t MpiWorld::size() const { return 1; }
std::unique_ptr<SweepWorkers> MpiWorld::workers(SweepBody /*body*/) { return nullptr; }
void MpiWorld::serve(const SweepBody& /*body*/) {}

#endif

}  // namespace gyre
