// Seeds checked by worker processes, so that a crash or a hang is a finding and not the end.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace filigree::fuzz {

/// What is wrong with a seed: what a check told, or that its process crashed or took too long.
struct Finding {
  std::uint64_t seed;
  int stage;  // where the check was
  std::string category;
};

/// A worker's own view, for the check that it runs.
class Worker {
 public:
  virtual ~Worker() = default;
  /// Where the check is, for findings from here on.
  virtual void enter(int stage) = 0;
  virtual void tell(const std::string& category) = 0;
  /// Adds one to a number that all workers share; see Workers::counted.
  virtual void count(int which) = 0;
};

struct WorkerOptions {
  std::uint64_t from = 1, to = 1;  // seeds, `to` included
  int workers = 2;
  std::int64_t longest = 20'000'000;  // microseconds of the processor; a check that takes longer hangs
};

class Workers {
 public:
  static constexpr int counters = 8;

  /// `check` runs in workers, `found` in this process.
  Workers(const WorkerOptions& options, std::function<void(std::uint64_t, Worker&)> check,
          std::function<void(const Finding&)> found);
  ~Workers();
  void run();

  std::uint64_t counted(int which) const;
  /// The longest time of the processor that one check took, and its seed.
  double longest_seconds() const;
  std::uint64_t longest_seed() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace filigree::fuzz
