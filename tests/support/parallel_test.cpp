#include "support/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace filigree {
namespace {

/// How often each iteration ran.
struct Visits {
  explicit Visits(std::int64_t count) : times(static_cast<size_t>(count)) {}
  std::vector<std::atomic<int>> times;
  static void body(void* closure, std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; n++) static_cast<Visits*>(closure)->times[static_cast<size_t>(n)]++;
  }
  bool all_once() const {
    for (const std::atomic<int>& t : times) {
      if (t != 1) return false;
    }
    return true;
  }
};

TEST(ParallelFor, RunsEveryIterationOnce) {
  for (int threads : {1, 2, 3, 8}) {
    for (std::int64_t count : {0, 1, 2, 3, 7, 16, 1000, 12345}) {
      Visits visits(count);
      parallel_for(threads, count, Visits::body, &visits);
      EXPECT_TRUE(visits.all_once()) << threads << " threads, " << count;
    }
  }
}

TEST(ParallelFor, RunsLoopsOfSeveralThreadsAtOnce) {
  std::vector<std::thread> callers;
  std::atomic<int> wrong = 0;
  for (int c = 0; c < 6; c++) {
    callers.emplace_back([&] {
      for (int n = 0; n < 300; n++) {
        Visits visits(n);
        parallel_for(3, n, Visits::body, &visits);
        if (!visits.all_once()) wrong++;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ParallelFor, UsesOtherThreads) {
  struct Meeting {
    std::atomic<int> arrived = 0;
    static void body(void* closure, std::int64_t begin, std::int64_t end) {
      auto* meeting = static_cast<Meeting*>(closure);
      for (std::int64_t n = begin; n < end; n++) {
        meeting->arrived++;
        while (meeting->arrived < 3) std::this_thread::yield();  // all three have to be here at once
      }
    }
  } meeting;
  parallel_for(3, 3, Meeting::body, &meeting);
  EXPECT_EQ(meeting.arrived, 3);
}

TEST(ParallelFor, OneThreadIsTheCallers) {
  std::thread::id used;
  parallel_for(
      1, 5,
      [](void* closure, std::int64_t, std::int64_t) {
        *static_cast<std::thread::id*>(closure) = std::this_thread::get_id();
      },
      &used);
  EXPECT_EQ(used, std::this_thread::get_id());
}

}  // namespace
}  // namespace filigree
