#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "sim/child_process.hpp"

namespace gyre {

/// A run of a sweep that has ended.
struct SweepEnd {
  std::size_t run = 0;
  std::string line;     ///< what it reported; empty if it never did
  int exit_status = 0;  ///< of its process, or 128 + the signal that killed it
};

/// What simulates a run, in a process of its own, and reports a line.
using SweepBody = std::function<std::string(std::size_t run)>;

/// Who does the runs of a sweep.
class SweepWorkers {
 public:
  virtual ~SweepWorkers() = default;
  /// How many runs it can take on now.
  [[nodiscard]] virtual std::size_t idle() const = 0;
  [[nodiscard]] virtual std::size_t places() const = 0;
  [[nodiscard]] virtual std::size_t running() const = 0;
  /// Requires that somebody is idle.
  virtual void start(std::size_t run) = 0;
  /// The next run that has ended, or nothing if none did within `patience`.
  virtual std::optional<SweepEnd> next(std::chrono::milliseconds patience) = 0;
  /// Ends the runs under way as truncated.
  virtual void interrupt() = 0;
};

/// Processes on this machine.
class LocalWorkers final : public SweepWorkers {
 public:
  LocalWorkers(std::size_t jobs, SweepBody body) : jobs_(jobs), body_(std::move(body)) {}
  [[nodiscard]] std::size_t idle() const override { return jobs_ - pool_.running(); }
  [[nodiscard]] std::size_t places() const override { return jobs_; }
  [[nodiscard]] std::size_t running() const override { return pool_.running(); }
  void start(std::size_t run) override;
  std::optional<SweepEnd> next(std::chrono::milliseconds patience) override;
  void interrupt() override;

 private:
  std::size_t jobs_;
  SweepBody body_;
  ChildPool pool_;
  std::map<std::size_t, SweepEnd> under_way_;  ///< by child
};

/// The processes that `mpirun` (or `srun`) has started, one of which leads: it hands out the runs,
/// one at a time to each, and takes part itself.
class MpiWorld {
 public:
  /// Joins the world that this process was started in. Errors: `InputError` if there is one and
  /// this gyre was built without MPI.
  MpiWorld();
  MpiWorld(const MpiWorld&) = delete;
  MpiWorld& operator=(const MpiWorld&) = delete;
  ~MpiWorld();

  /// Whether this process was started as one of several.
  static bool present();
  [[nodiscard]] bool leads() const;
  [[nodiscard]] std::size_t size() const;
  /// Of the leading one. They are released when the workers are destroyed.
  std::unique_ptr<SweepWorkers> workers(SweepBody body);
  /// Of the others: does what it is given until it is released.
  void serve(const SweepBody& body);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace gyre
