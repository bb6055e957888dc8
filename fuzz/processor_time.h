// How long a process has been running, whatever else the machine does.
#pragma once

#include <sys/types.h>
#include <time.h>

#include <cstdint>

namespace filigree::fuzz {

/// What waits by the clock ends after so many times what it may use of the processor.
constexpr int longest_wait = 20;

/// The microseconds of the processor that a process has used, with all its threads; 0 if it has ended.
inline std::int64_t processor_time(pid_t process) {
  clockid_t clock;
  timespec time{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return std::int64_t{time.tv_sec} * 1'000'000 + time.tv_nsec / 1000;
}

}  // namespace filigree::fuzz
