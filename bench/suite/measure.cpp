#include "measure.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>

namespace suite {

namespace {

/// Milliseconds of the clock on the wall, or of this thread's work.
double now(bool of_processor = false) {
  if (of_processor) {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
  }
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Milliseconds of one run.  Short ones are repeated `times` times between two looks at the clock.
double timed(const Contender& contender, int times, bool of_processor) {
  if (contender.before) contender.before();
  if (contender.self_timed) return contender.self_timed(of_processor);
  double start = now(of_processor);
  for (int n = 0; n < times; n++) contender.run();
  return (now(of_processor) - start) / times;
}

/// Threads that wait for more work stay awake for a while, and would take a core from the next contender.
void let_threads_sleep(int threads) {
  if (threads > 1) std::this_thread::sleep_for(std::chrono::milliseconds(3));
}

Times summary(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  auto at = [&](double part) { return times[static_cast<std::size_t>(part * static_cast<double>(times.size() - 1))]; };
  Times made;
  made.least = times.front();
  made.median = at(0.5);
  made.spread = (at(0.75) - at(0.25)) / made.median;
  made.runs = static_cast<int>(times.size());
  return made;
}

}  // namespace

std::vector<Times> measure(const Race& race, double seconds, bool of_processor) {
  std::size_t count = race.contenders.size();
  std::vector<std::vector<double>> times(count);
  std::vector<Answer> answers;
  std::vector<int> repeats(count, 1), together(count, 1);
  for (std::size_t c = 0; c < count; c++) {
    timed(race.contenders[c], 1, of_processor);
    answers.push_back(race.contenders[c].answer());
    double once = timed(race.contenders[c], 1, of_processor);
    repeats[c] = once > 30 ? 1 : once > 3 ? 3 : 8;
    if (once < 0.02) together[c] = static_cast<int>(0.1 / std::max(once, 1e-4)) + 1;
    let_threads_sleep(race.threads);
  }
  double start = now();
  for (std::size_t round = 0; round < 3 || now() - start < seconds * 1000; round++) {
    for (std::size_t n = 0; n < count; n++) {
      std::size_t c = (n + round) % count;
      // What the contender before left in the caches is none of this one's business.
      if (repeats[c] > 1) timed(race.contenders[c], together[c], of_processor);
      for (int r = 0; r < repeats[c]; r++) times[c].push_back(timed(race.contenders[c], together[c], of_processor));
      let_threads_sleep(race.threads);
    }
    if (round >= 2 && now() - start > seconds * 4000) break;
  }
  std::vector<Times> made;
  for (std::size_t c = 0; c < count; c++) {
    made.push_back(summary(times[c]));
    made.back().agrees = answers[c].agrees(answers[0], race.tolerance);
  }
  return made;
}

double stream_bandwidth(int threads) {
  constexpr std::size_t count = std::size_t{1} << 23;
  Vector<double> a(count), b(count, 1), c(count, 2);
  double best = 1e30;
  for (int n = 0; n < 12; n++) {
    double start = now();
#pragma omp parallel for simd num_threads(threads) schedule(static)
    for (std::size_t i = 0; i < count; i++) a[i] = b[i] + 3 * c[i];
    best = std::min(best, now() - start);
  }
  return 3 * 8 * static_cast<double>(count) / best / 1e6;
}

}  // namespace suite
