// How far something that takes long has got, shown on a terminal.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace filigree::io {

/// Shows "reading A.mtx 45%" on one line of stderr, if that is a terminal, from one second after the start; the line is
/// gone at the end.  Where the total is not known, what is done is shown as bytes, "writing y.tns 1.5 MiB", and where
/// nothing is counted the time, "running 3 s".  Of several at a time the one that began last is shown.  A thread of its
/// own writes the line, and runs only while there is something that could be shown.  Threads may advance it together.
class Progress {
 public:
  explicit Progress(std::string label, std::int64_t total = 0, bool enabled = true);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(std::int64_t amount) { done_.fetch_add(amount, std::memory_order_relaxed); }
  /// What the line says, without a line's end.
  std::string text() const;
  std::chrono::steady_clock::duration age() const { return std::chrono::steady_clock::now() - start_; }

 private:
  std::string label_;
  std::int64_t total_;  // 0: not known
  bool enabled_;
  std::chrono::steady_clock::time_point start_;
  std::atomic<std::int64_t> done_{0};
};

/// Turns the line off for the whole process, or on again.
void allow_progress(bool allowed);

/// Takes the line away if there is one.  May be called from a signal handler.
void clear_progress_line();

}  // namespace filigree::io
