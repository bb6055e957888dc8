// How far a long read has got, shown on a terminal.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace filigree::io {

/// Prints "reading A.mtx 45%" over and over on one line of stderr, if that is a terminal, from one second
/// after the start; the line is cleared at the end.  Threads may advance it together.
class Progress {
 public:
  Progress(std::string label, std::int64_t total, bool enabled);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(std::int64_t amount);

 private:
  using Clock = std::chrono::steady_clock;
  std::string label_;
  std::int64_t total_;
  bool enabled_;
  Clock::time_point start_;
  std::atomic<std::int64_t> done_{0};
  std::atomic<std::int64_t> next_report_{1000};  // milliseconds after the start
  std::atomic<bool> shown_{false};
};

}  // namespace filigree::io
