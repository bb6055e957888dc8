#include "io/progress.h"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "support/text.h"

namespace filigree::io {
namespace {

using namespace std::chrono_literals;

constexpr auto first_report = 1s;
constexpr auto between_reports = 200ms;
constexpr auto worth_mentioning = 300ms;  // of a part of what is reported already
constexpr std::string_view clear_line = "\r\x1b[K";

std::atomic<bool> is_allowed{true};
std::atomic<bool> is_shown{false};

bool has_terminal() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) && (terminal == nullptr || std::string_view(terminal) != "dumb");
}

/// All or nothing: a line that cannot be written is no loss.
void put(std::string_view text) {
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

/// A line that is longer than the terminal is wide would not go away.
std::string fitted(const std::string& text) {
  struct winsize size = {};
  size_t columns = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 8 ? size.ws_col - 1 : 79;
  if (text.size() <= columns) return text;
  size_t begin = text.size() - (columns - 3);
  while (begin < text.size() && (text[begin] & 0xC0) == 0x80) begin++;  // not inside a character
  return "..." + text.substr(begin);
}

/// Everything that is going on, the latest last, and the thread that tells about it.
class Reporter {
 public:
  /// False if no thread can be had: then nothing is shown, and nothing is to leave.
  bool enter(Progress* progress) {
    std::lock_guard lock(mutex_);
    active_.reserve(active_.size() + 1);
    try {
      if (!thread_.joinable()) thread_ = std::jthread([this](std::stop_token stop) { report(stop); });
    } catch (const std::system_error&) {
      return false;
    }
    active_.push_back(progress);
    return true;
  }

  void leave(Progress* progress) {
    std::jthread ended;  // joined when the lock is free
    std::lock_guard lock(mutex_);
    active_.erase(std::find(active_.begin(), active_.end(), progress));
    clear_progress_line();
    if (!active_.empty()) return;
    thread_.request_stop();
    ended = std::move(thread_);
    thread_ = std::jthread();
  }

 private:
  void report(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      wake_.wait_for(lock, stop, between_reports, [] { return false; });
      if (stop.stop_requested()) return;
      if (!is_allowed || active_.empty() || active_.front()->age() < first_report) continue;
      auto is_due = [](const Progress* progress) { return progress->age() >= worth_mentioning; };
      auto latest = std::find_if(active_.rbegin(), active_.rend(), is_due);
      std::string line = "\r" + fitted(printable((*latest)->text())) + "\x1b[K";
      if (is_shown.exchange(true) && line == last_) continue;
      last_ = line;
      put(line);
    }
  }

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::vector<Progress*> active_;
  std::jthread thread_;
  std::string last_;  // the line as it is shown
};

/// Never destroyed: something may still be going on when the program ends.
Reporter& reporter() {
  static Reporter* only = new Reporter;
  return *only;
}

}  // namespace

Progress::Progress(std::string label, std::int64_t total, bool enabled)
    : label_(std::move(label)),
      total_(total),
      enabled_(enabled && is_allowed && has_terminal()),
      start_(std::chrono::steady_clock::now()) {
  if (enabled_) enabled_ = reporter().enter(this);
}

Progress::~Progress() {
  if (enabled_) reporter().leave(this);
}

std::string Progress::text() const {
  if (total_ > 0)
    return fmt::format("{} {}%", label_,
                       std::min<std::int64_t>(100, static_cast<std::int64_t>(100.0 * static_cast<double>(done_) /
                                                                             static_cast<double>(total_))));
  if (done_ > 0) return label_ + " " + human_bytes(static_cast<double>(done_));
  return fmt::format("{} {} s", label_, std::chrono::duration_cast<std::chrono::seconds>(age()).count());
}

void allow_progress(bool allowed) { is_allowed = allowed; }

void clear_progress_line() {
  if (is_shown.exchange(false)) put(clear_line);
}

}  // namespace filigree::io
