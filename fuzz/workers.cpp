#include "fuzz/workers.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "fuzz/isolate.h"
#include "fuzz/processor_time.h"

namespace filigree::fuzz {
namespace {

constexpr int most_workers = 64;

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// In memory that workers and this process share.
struct Shared {
  std::atomic<std::uint64_t> next;
  std::atomic<std::uint64_t> counted[Workers::counters];
  std::atomic<std::int64_t> longest;  // microseconds of the processor that a check took
  std::atomic<std::uint64_t> longest_seed;
  struct Slot {
    std::atomic<std::uint64_t> seed;
    std::atomic<std::int64_t> since;       // 0: idle
    std::atomic<std::int64_t> used_since;  // the worker's processor time then
    std::atomic<int> stage;
  } slots[most_workers];
};

/// A finding on its way through the pipe: small enough to be written at once.
struct Message {
  std::uint64_t seed;
  int stage;
  char category[300];
};

}  // namespace

class Workers::State {
 public:
  State(const WorkerOptions& options, std::function<void(std::uint64_t, Worker&)> check,
        std::function<void(const Finding&)> found)
      : options_(options), check_(std::move(check)), found_(std::move(found)) {
    void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || pipe(pipe_) != 0) throw std::runtime_error("no shared memory or no pipe");
    fcntl(pipe_[0], F_SETFL, O_NONBLOCK);
    shared_ = new (memory) Shared{};
    shared_->next = options.from;
  }

  ~State() {
    close(pipe_[0]);
    close(pipe_[1]);
    munmap(shared_, sizeof(Shared));
  }

  void run() {
    workers_.assign(static_cast<std::size_t>(std::clamp(options_.workers, 1, most_workers)), 0);
    for (std::size_t w = 0; w < workers_.size(); w++) start(w);
    while (std::any_of(workers_.begin(), workers_.end(), [](pid_t id) { return id != 0; })) {
      collect(50);
      watch();
    }
    collect(0);
  }

  const Shared& shared() const { return *shared_; }

 private:
  class Here : public Worker {
   public:
    Here(Shared& shared, Shared::Slot& mine, int pipe) : shared_(shared), mine_(mine), pipe_(pipe) {}
    void enter(int stage) override { mine_.stage = stage; }
    void count(int which) override { shared_.counted[which]++; }
    void tell(const std::string& category) override {
      Message message{mine_.seed, mine_.stage, {}};
      std::strncpy(message.category, category.c_str(), sizeof message.category - 1);
      if (write(pipe_, &message, sizeof message) != sizeof message) _exit(4);
    }

   private:
    Shared& shared_;
    Shared::Slot& mine_;
    int pipe_;
  };

  void work(std::size_t w) {
    Shared::Slot& mine = shared_->slots[w];
    Here worker(*shared_, mine, pipe_[1]);
    for (std::uint64_t seed; (seed = shared_->next++) <= options_.to;) {
      mine.seed = seed;
      mine.stage = 0;
      mine.used_since = processor_time(getpid());
      mine.since = now();
      check_(seed, worker);
      note_time(seed, processor_time(getpid()) - mine.used_since);
      mine.since = 0;
    }
  }

  void note_time(std::uint64_t seed, std::int64_t took) {
    for (std::int64_t longest = shared_->longest; took > longest;) {
      if (!shared_->longest.compare_exchange_weak(longest, took)) continue;
      shared_->longest_seed = seed;
      return;
    }
  }

  void start(std::size_t w) {
    std::fflush(stdout);
    shared_->slots[w].since = 0;
    workers_[w] = fork();
    if (workers_[w] < 0) throw std::runtime_error("cannot fork");
    if (workers_[w] > 0) return;
    limit_memory();
    work(w);
    _exit(0);
  }

  void collect(int milliseconds) {
    pollfd waiting{pipe_[0], POLLIN, 0};
    poll(&waiting, 1, milliseconds);
    for (Message message; read(pipe_[0], &message, sizeof message) == sizeof message;)
      found_({message.seed, message.stage, message.category});
  }

  /// A busy machine makes nobody hang; a worker that waits for something that never comes uses no time at all.
  bool takes_too_long(pid_t worker, const Shared::Slot& slot) const {
    std::int64_t since = slot.since, used = processor_time(worker) - slot.used_since;
    return since != 0 && (used > options_.longest || now() - since > longest_wait * options_.longest);
  }

  /// Ends workers that hang, replaces those that ended before all seeds were checked.
  void watch() {
    for (std::size_t w = 0; w < workers_.size(); w++) {
      if (workers_[w] == 0) continue;
      Shared::Slot& slot = shared_->slots[w];
      bool hangs = takes_too_long(workers_[w], slot);
      if (hangs) kill(workers_[w], SIGKILL);
      int status = 0;
      if (waitpid(workers_[w], &status, hangs ? 0 : WNOHANG) == 0) continue;
      workers_[w] = 0;
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
      Verdict verdict = hangs ? hang() : WIFSIGNALED(status) ? crash(WTERMSIG(status)) : crash(SIGABRT);
      Finding finding{slot.seed, slot.stage, verdict.category()};
      start(w);
      found_(finding);
    }
  }

  WorkerOptions options_;
  std::function<void(std::uint64_t, Worker&)> check_;
  std::function<void(const Finding&)> found_;
  Shared* shared_ = nullptr;
  int pipe_[2] = {};
  std::vector<pid_t> workers_;  // 0: ended
};

Workers::Workers(const WorkerOptions& options, std::function<void(std::uint64_t, Worker&)> check,
                 std::function<void(const Finding&)> found)
    : state_(std::make_unique<State>(options, std::move(check), std::move(found))) {}
Workers::~Workers() = default;
void Workers::run() { state_->run(); }
std::uint64_t Workers::counted(int which) const { return state_->shared().counted[which]; }
double Workers::longest_seconds() const { return static_cast<double>(state_->shared().longest) * 1e-6; }
std::uint64_t Workers::longest_seed() const { return state_->shared().longest_seed; }

}  // namespace filigree::fuzz
