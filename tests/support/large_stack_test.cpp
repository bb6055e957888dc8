#include "support/large_stack.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include <pthread.h>

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
    }), std::runtime_error);
    EXPECT_EQ(on_large_stack([] { return on_large_stack([] { return descend(2000); }) + descend(2000); }), 4000) << "one inside another";
    return nullptr;
  });
}

}  // namespace
}  // namespace filigree
