// Random programs against the oracle: interpreter for all, compiled code for some.  A failure is shrunk, printed as
// a .case with its seed, and stored where --store says.
//
//   fuzz --from 1 --to 10000                    many programs
//   fuzz --seed 123 --jit-percent 100           one again
//   fuzz --print 123                            the program of a seed, not run
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "fuzz/check_program.h"
#include "fuzz/random_text.h"
#include "fuzz/shrink.h"

namespace filigree::fuzz {
namespace {

struct Options {
  std::uint64_t from = 1, to = 1000;  // seeds, `to` included
  unsigned jit_percent = 0;
  int threads = 2;
  int keep = 3;                       // failures of one category that are shrunk and printed
  std::string store;                  // directory for failing cases
  bool shrinks = true;
  std::uint64_t texts = 0;            // random texts for the parsers
};

struct Watched {
  std::atomic<std::uint64_t> seed = 0;
  std::atomic<std::int64_t> since = 0;  // 0: idle
};
thread_local std::uint64_t current_seed = 0;

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// A crash ends the run, but says where.
void on_signal(int number) {
  char text[96];
  int length = std::snprintf(text, sizeof text, "FAILED: signal %d\nagain: fuzz --seed %llu\n", number, static_cast<unsigned long long>(current_seed));
  [[maybe_unused]] auto written = write(1, text, static_cast<size_t>(length));
  _exit(3);
}

class Campaign {
 public:
  explicit Campaign(const Options& options) : options_(options), next_(options.from) {}

  int run() {
    std::int64_t start = now();
    std::vector<std::thread> workers;
    for (int w = 0; w < options_.threads; w++) watched_.emplace_back();
    for (Watched& watched : watched_) workers.emplace_back([this, &watched] { work(watched); });
    std::jthread watch([this](std::stop_token stop) { watchdog(stop); });
    for (std::thread& worker : workers) worker.join();
    check_texts();
    return report(static_cast<double>(now() - start) * 1e-6);
  }

 private:
  void work(Watched& watched) {
    std::vector<char> stack(1 << 16);  // for on_signal, when the thread's own stack has run out
    stack_t alternative{};
    alternative.ss_sp = stack.data();
    alternative.ss_size = stack.size();
    sigaltstack(&alternative, nullptr);
    for (std::uint64_t seed; (seed = next_++) <= options_.to;) {
      current_seed = seed;
      watched.seed = seed;
      watched.since = now();
      check(seed);
      watched.since = 0;
    }
  }

  void check(std::uint64_t seed) {
    Sketch sketch = random_sketch(seed);
    Program program = render(sketch);
    for (auto target : {compiler::Target::Interpret, compiler::Target::Jit}) {
      bool jit = target == compiler::Target::Jit;
      if (jit && seed * 2654435761u % 1000 >= 10 * options_.jit_percent) return;
      Verdict verdict = check_program(program, target);
      runs_++;
      compiled_ += jit;
      if (verdict.kind == Verdict::Kind::Refused) {
        refused_++;
        return;
      }
      if (verdict.kind == Verdict::Kind::Wrong) {
        fail(seed, sketch, target, verdict);
        return;
      }
    }
  }

  void fail(std::uint64_t seed, const Sketch& sketch, compiler::Target target, const Verdict& verdict) {
    failed_++;
    std::string category = verdict.category();
    {
      std::lock_guard lock(mutex_);
      if (categories_[category]++ >= options_.keep) return;
    }
    Sketch small = sketch;
    auto fails_alike = [&](const Sketch& candidate) {
      Verdict other = check_program(render(candidate), target);
      return other.kind == Verdict::Kind::Wrong && other.category() == category;
    };
    if (options_.shrinks) small = shrink(sketch, fails_alike);
    std::string message = check_program(render(small), target).message;
    bool jit = target == compiler::Target::Jit;
    std::string again = fmt::format("fuzz --seed {}{}", seed, jit ? " --jit-percent 100" : "");
    std::lock_guard lock(mutex_);
    fmt::print("FAILED {}\n{}again: {}\n\n", message, to_text(render(small)), again);
    std::fflush(stdout);
    store(seed, message, again, render(small));
  }

  void store(std::uint64_t seed, const std::string& message, const std::string& again, const Program& program) const {
    if (options_.store.empty()) return;
    std::filesystem::create_directories(options_.store);
    std::ofstream file(options_.store + "/seed_" + std::to_string(seed) + ".case");
    std::string comment = "# " + message.substr(0, message.find('\n')) + "\n# " + again + "\n";
    file << comment << to_text(program) << "\n[result]\n";
  }

  /// The parsers end in a value or in a UserError, whatever they are given.
  void check_texts() {
    for (std::uint64_t n = 0; n < options_.texts; n++) {
      current_seed = options_.from + n;
      std::string text = random_text(options_.from + n);
      if (std::optional<std::string> wrong = check_text(text)) {
        failed_++;
        fmt::print("FAILED {}\nfor the text (in quotes): '{}'\n", *wrong, text);
      }
    }
  }

  void watchdog(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      for (const Watched& watched : watched_) {
        std::int64_t since = watched.since;
        if (since == 0 || now() - since < 300'000'000) continue;
        fmt::print("FAILED: hangs\nagain: fuzz --seed {}\n", watched.seed.load());
        std::fflush(stdout);
        _exit(3);
      }
    }
  }

  int report(double seconds) const {
    std::uint64_t programs = options_.to + 1 - options_.from;
    for (const auto& [category, count] : categories_) fmt::print("failed {} times: {}\n", count, category);
    fmt::print("seeds {} to {}: {} programs, {} refused, {} runs compiled, {} texts, {:.1f} s\n", options_.from, options_.to, programs,
               refused_.load(), compiled_.load(), options_.texts, seconds);
    fmt::print("{} passed, {} failed\n", programs + options_.texts - static_cast<std::uint64_t>(refused_ + failed_), failed_.load());
    return failed_ > 0 ? 1 : 0;
  }

  Options options_;
  std::atomic<std::uint64_t> next_;
  std::atomic<int> runs_ = 0, compiled_ = 0, refused_ = 0, failed_ = 0;
  std::deque<Watched> watched_;
  std::mutex mutex_;
  std::map<std::string, int> categories_;
};

int usage() {
  std::cerr << "usage: fuzz [--from SEED] [--to SEED] [--seed SEED] [--print SEED] [--jit-percent P] [--threads T]\n"
               "            [--keep FAILURES_PER_CATEGORY] [--store DIRECTORY] [--texts N] [--no-shrink]\n";
  return 2;
}

}  // namespace
}  // namespace filigree::fuzz

int main(int argc, char** argv) {
  using namespace filigree::fuzz;
  setenv("FILIGREE_CACHE_SIZE", "0", 0);  // kernels that nobody will ask for again
  for (int number : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS}) {
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_ONSTACK;
    sigaction(number, &action, nullptr);
  }
  Options options;
  for (int a = 1; a < argc; a++) {
    std::string option = argv[a];
    if (option == "--no-shrink") { options.shrinks = false; continue; }
    if (a + 1 == argc) return usage();
    std::string value = argv[++a];
    std::uint64_t number = std::strtoull(value.c_str(), nullptr, 10);
    if (option == "--from") options.from = number;
    else if (option == "--to") options.to = number;
    else if (option == "--seed") options.from = options.to = number;
    else if (option == "--jit-percent") options.jit_percent = static_cast<unsigned>(number);
    else if (option == "--threads") options.threads = static_cast<int>(number);
    else if (option == "--keep") options.keep = static_cast<int>(number);
    else if (option == "--store") options.store = value;
    else if (option == "--texts") options.texts = number;
    else if (option == "--print") {
      std::cout << to_text(render(random_sketch(number)));
      return 0;
    } else return usage();
  }
  return Campaign(options).run();
}
