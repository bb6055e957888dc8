#include "support/large_stack.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "support/sanitizers.h"

namespace filigree {
namespace {

/// Takes about a KiB of stack for every level.
int descend(int depth) {
  volatile char block[1024];
  block[0] = static_cast<char>(depth);
  return depth == 0 ? block[0] : descend(depth - 1) + (block[0] != 0 ? 1 : 1);
}

/// Calls a function on a thread with a stack of 256 KiB.
void on_small_thread(void* (*function)(void*)) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 << 10);
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, function, nullptr), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

TEST(OnLargeStack, ReturnsAndThrows) {
  EXPECT_EQ(on_large_stack([] { return std::string("done"); }), "done");
  EXPECT_THROW(on_large_stack([]() -> int { throw std::runtime_error("no"); }), std::runtime_error);
}

TEST(OnLargeStack, IsLargeWhereTheCallersIsNot) {
  if (is_sanitized) GTEST_SKIP() << "frames are larger";
  on_small_thread([](void*) -> void* {
    EXPECT_EQ(on_large_stack([] { return descend(4000); }), 4000);
    EXPECT_THROW(on_large_stack([] {
                   descend(4000);
                   throw std::runtime_error("no");
                 }),
                 std::runtime_error);
    EXPECT_EQ(on_large_stack([] { return on_large_stack([] { return descend(2000); }) + descend(2000); }), 4000)
        << "one inside another";
    return nullptr;
  });
}

ucontext_t caller, coroutine;

/// A coroutine's stack may be above the thread's own, where it looks as if much were left.
TEST(OnLargeStack, IsLargeWhereACoroutinesIsNot) {
  if (is_sanitized) GTEST_SKIP() << "they do not know such stacks";
  constexpr std::size_t below = std::size_t{64} << 20, bytes = 64 << 10;
  // One block for both: the thread's stack at its start, the coroutine's at its end, and nothing in between.
  void* block =
      mmap(nullptr, below + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(block, MAP_FAILED);
  ASSERT_EQ(mprotect(static_cast<char*>(block) + (256 << 10), below - (256 << 10), PROT_NONE), 0);
  static char* coroutine_stack;
  coroutine_stack = static_cast<char*>(block) + below;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, block, 256 << 10);
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, &attributes,
                [](void*) -> void* {
                  getcontext(&coroutine);
                  coroutine.uc_stack.ss_sp = coroutine_stack;
                  coroutine.uc_stack.ss_size = bytes;
                  coroutine.uc_link = &caller;
                  makecontext(&coroutine, [] { EXPECT_EQ(on_large_stack([] { return descend(4000); }), 4000); }, 0);
                  swapcontext(&caller, &coroutine);
                  return nullptr;
                },
                nullptr),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  munmap(block, below + bytes);
}

}  // namespace
}  // namespace filigree
