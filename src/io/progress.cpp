#include "io/progress.h"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace filigree::io {

Progress::Progress(std::string label, std::int64_t total, bool enabled)
    : label_(std::move(label)), total_(total), enabled_(enabled && total > 0 && isatty(STDERR_FILENO)), start_(Clock::now()) {}

Progress::~Progress() {
  if (shown_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::advance(std::int64_t amount) {
  if (!enabled_) return;
  std::int64_t done = done_ += amount;
  std::int64_t now = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start_).count();
  std::int64_t due = next_report_;
  // Of several threads that find the report due, one prints it.
  if (now < due || !next_report_.compare_exchange_strong(due, now + 200)) return;
  shown_ = true;
  fmt::print(stderr, "\r{} {}%\x1b[K", label_, 100 * done / total_);
  std::fflush(stderr);
}

}  // namespace filigree::io
