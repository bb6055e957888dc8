// Loops on several threads, which are started with the first such loop and kept until the process ends.
#pragma once

#include <cstdint>

namespace filigree {

using LoopBody = void(void* closure, std::int64_t begin, std::int64_t end);

/// Calls `body` for pieces of 0 .. count that together are all of it, on up to `threads` threads of which the caller's
/// is one; returns when all are done.  Any number of threads may call this at once, and all of them get on: whoever
/// finds the others busy does its own work alone.  `body` must not throw.
void parallel_for(int threads, std::int64_t count, LoopBody* body, void* closure);

/// How many threads run at once on the cores that this process may use, at least 1.
int core_count();

}  // namespace filigree
