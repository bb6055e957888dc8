#include "support/parallel.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

namespace filigree {
namespace {

/// Whoever has nothing to do stays awake for a while before it sleeps: to wake a thread takes longer than many loops
/// do, and one loop is often followed by another.
template <class IsOver>
void stay_awake_until(const IsOver& is_over) {
  constexpr std::chrono::microseconds patience{1000};
  constexpr int looks_per_time = 64;
  auto until = std::chrono::steady_clock::now() + patience;
  do {
    for (int n = 0; n < looks_per_time; n++) {
      if (is_over()) return;
#if defined(__x86_64__) || defined(__i386__)
      __builtin_ia32_pause();
#else
      std::this_thread::yield();
#endif
    }
  } while (std::chrono::steady_clock::now() < until);
}

/// A loop that is being run.  It lives on its caller's stack: the caller takes it off the list when no piece is left to
/// begin, and waits until nobody works on it.
struct Loop {
  LoopBody* body;
  void* closure;
  std::int64_t count, pieces;
  int wanted;                         // how many more threads may join; under the pool's mutex
  std::atomic<int> working{0};        // threads that joined and are not done; changed under the pool's mutex
  std::atomic<std::int64_t> next{0};  // the first piece that nobody has begun

  void work() {
    for (std::int64_t piece = next++; piece < pieces; piece = next++) {
      // Without overflow for counts up to 2^63.
      std::int64_t whole = count / pieces, rest = count % pieces;
      std::int64_t begin = whole * piece + std::min(piece, rest), size = whole + (piece < rest ? 1 : 0);
      body(closure, begin, begin + size);
    }
  }
};

class Pool {
 public:
  ~Pool() {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    has_work_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }

  void run(Loop& loop) {
    std::list<Loop*>::iterator place;
    int to_wake = 0;
    {
      std::lock_guard lock(mutex_);
      start_workers(loop.wanted);
      place = loops_.insert(loops_.end(), &loop);
      offered_++;
      to_wake = std::min(loop.wanted, asleep_);
    }
    for (int n = 0; n < to_wake; n++) has_work_.notify_one();
    loop.work();
    {
      std::lock_guard lock(mutex_);
      loops_.erase(place);
    }
    if (has_cores_) stay_awake_until([&] { return loop.working == 0; });
    std::unique_lock lock(mutex_);
    is_done_.wait(lock, [&] { return loop.working == 0; });
  }

 private:
  void start_workers(int wanted) {
    try {
      while (static_cast<int>(workers_.size()) < wanted) workers_.emplace_back([this] { serve(); });
    } catch (const std::exception&) {
      // No more threads to be had: those that are there do the work.
    }
    has_cores_ = static_cast<int>(workers_.size()) < core_count();
  }

  /// The first loop that wants another thread.
  Loop* find() {
    for (Loop* loop : loops_) {
      if (loop->wanted > 0 && loop->next < loop->pieces) return loop;
    }
    return nullptr;
  }

  void serve() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      Loop* loop = find();
      if (!loop) {
        wait(lock);
        continue;
      }
      loop->wanted--;
      loop->working++;
      lock.unlock();
      loop->work();
      lock.lock();
      if (--loop->working == 0) is_done_.notify_all();
    }
  }

  /// Until there may be work.
  void wait(std::unique_lock<std::mutex>& lock) {
    std::uint64_t seen = offered_;
    lock.unlock();
    if (has_cores_) stay_awake_until([&] { return offered_ != seen || stopping_; });
    lock.lock();
    if (offered_ != seen || stopping_) return;
    asleep_++;
    has_work_.wait(lock, [&] { return offered_ != seen || stopping_; });
    asleep_--;
  }

  std::mutex mutex_;
  std::condition_variable has_work_, is_done_;
  std::list<Loop*> loops_;
  std::vector<std::thread> workers_;
  std::atomic<std::uint64_t> offered_{0};  // loops so far; changed under the mutex
  int asleep_ = 0;                         // workers
  std::atomic<bool> stopping_{false};
  std::atomic<bool> has_cores_{true};  // one for each thread, so that nobody waits for one that has nothing to do
};

/// The threads of this process.  A child of fork has none of its parent's: it starts its own, and leaves those alone,
/// whose locks may be taken.
class Pools {
 public:
  Pools() {
    pthread_atfork(nullptr, nullptr, [] { pools().begin_anew(); });
  }
  ~Pools() { delete current_; }
  Pool& current() { return *current_; }

  static Pools& pools() {
    static Pools instance;
    return instance;
  }

 private:
  void begin_anew() {
    left_.push_back(current_);
    current_ = new Pool;
  }

  Pool* current_ = new Pool;
  std::vector<Pool*> left_;  // never destroyed: their threads cannot be waited for
};

Pool& pool() { return Pools::pools().current(); }

}  // namespace

void parallel_for(int threads, std::int64_t count, LoopBody* body, void* closure) {
  if (count <= 0) return;
  if (threads <= 1 || count == 1) {
    body(closure, 0, count);
    return;
  }
  // Iterations may differ in length; a few pieces for each thread even that out.
  constexpr std::int64_t pieces_per_thread = 8;
  std::int64_t pieces = std::min(count, pieces_per_thread * threads);
  Loop loop{body, closure, count, pieces, static_cast<int>(std::min<std::int64_t>(threads, pieces)) - 1, 0, 0};
  pool().run(loop);
}

int core_count() {
  // Asked for once: the system answers by reading files, which takes longer than many kernels do.
  static const int count = [] {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));  // more cores than a set has room for
  }();
  return count;
}

}  // namespace filigree
