#include "support/memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "support/large_blocks.h"
#include "support/parallel.h"

namespace filigree {
namespace {

constexpr std::size_t mega = std::size_t{1} << 20;

/// Byte n of what fill wrote.
unsigned char pattern(std::size_t n) { return static_cast<unsigned char>(n * 7 + n / 256); }

void fill(void* block, std::size_t from, std::size_t to) {
  for (std::size_t n = from; n < to; n++) static_cast<unsigned char*>(block)[n] = pattern(n);
}

bool is_filled(const void* block, std::size_t bytes) {
  for (std::size_t n = 0; n < bytes; n++) {
    if (static_cast<const unsigned char*>(block)[n] != pattern(n)) return false;
  }
  return true;
}

TEST(Blocks, KeepTheirBytesThroughAllSizes) {
  void* block = nullptr;
  std::size_t held = 0;
  for (std::size_t bytes :
       {std::size_t{10}, mega, 2 * mega, 3 * mega, 9 * mega, 40 * mega, 8 * mega, mega, std::size_t{1}, 5 * mega}) {
    block = resize_block(block, bytes);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignof(std::max_align_t), 0u);
    ASSERT_TRUE(is_filled(block, std::min(held, bytes))) << bytes;
    fill(block, 0, bytes);
    held = bytes;
  }
  EXPECT_EQ(resize_block(block, 0), nullptr);
}

TEST(Blocks, MoveWhenWhatFollowsIsTaken) {
  std::vector<void*> blocks;
  for (int n = 0; n < 20; n++) {
    blocks.push_back(resize_block(nullptr, 2 * mega));
    fill(blocks.back(), 0, 2 * mega);
  }
  for (void*& block : blocks) {
    block = resize_block(block, 7 * mega);
    ASSERT_TRUE(is_filled(block, 2 * mega));
  }
  for (void* block : blocks) release_block(block);
}

TEST(Blocks, AreTrimmed) {
  for (std::size_t bytes : {std::size_t{1000}, mega, 7 * mega, 40 * mega}) {
    for (std::size_t less : {bytes, bytes - 1, bytes / 2, bytes / 7, std::size_t{0}}) {
      void* block = resize_block(nullptr, bytes);
      fill(block, 0, bytes);
      block = trimmed_block(block, less);
      ASSERT_NE(block, nullptr);
      ASSERT_TRUE(is_filled(block, less));
      block = resize_block(block, bytes + mega);
      ASSERT_TRUE(is_filled(block, less));
      fill(block, 0, bytes + mega);
      release_block(block);
    }
  }
  release_block(trimmed_block(nullptr, 0));
}

/// Kilobytes of memory that this process may write to.
std::size_t writable_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmData:")) return std::stoull(line.substr(7));
  }
  return 0;
}

TEST(Blocks, HoldLittleMoreThanTheyWereTrimmedTo) {
  if (!LargeBlocks::are_worth_it(mega)) GTEST_SKIP() << "no large blocks here";
  std::size_t before = writable_kilobytes();
  std::vector<void*> blocks;
  for (int n = 0; n < 20; n++) blocks.push_back(trimmed_block(resize_block(nullptr, 200 * mega), 110 * mega));
  for (int n = 0; n < 200; n++) blocks.push_back(trimmed_block(resize_block(nullptr, mega + mega / 2), 8));
  constexpr std::size_t kept = 64 * mega, some = 16 * mega;
  EXPECT_LE(writable_kilobytes() - before, (20 * 112 * mega + kept + some) / 1024);
  for (void* block : blocks) release_block(block);
}

TEST(Blocks, GrowWithoutAskingForBothSizesAtOnce) {
  if (!LargeBlocks::are_worth_it(mega)) GTEST_SKIP() << "no large blocks here";
  pid_t child = fork();
  if (child == 0) {
    rlimit limit{writable_kilobytes() * 1024 + 600 * mega, RLIM_INFINITY};
    setrlimit(RLIMIT_DATA, &limit);
    void* block = resize_block(nullptr, 250 * mega);
    fill(block, 0, mega);
    void* behind = resize_block(nullptr, 4 * mega);  // so that it has to move
    block = resize_block(block, 500 * mega);
    _exit(block && behind && is_filled(block, mega) ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(Blocks, AreZeroedOnRequest) {
  for (std::size_t bytes : {std::size_t{100}, 3 * mega, 17 * mega}) {
    for (int again = 0; again < 2; again++) {
      auto* block = static_cast<unsigned char*>(zeroed_block(bytes));
      EXPECT_TRUE(std::all_of(block, block + bytes, [](unsigned char byte) { return byte == 0; }));
      fill(block, 0, bytes);
      release_block(block);
    }
  }
}

TEST(Blocks, ThatWereTrimmedAreExtendedForTheNext) {
  for (int round = 0; round < 3; round++) {
    char* block = static_cast<char*>(resize_block(nullptr, 60 * mega));
    ASSERT_NE(block, nullptr);
    std::fill(block, block + 60 * mega, 'x');
    release_block(trimmed_block(block, 25 * mega));
    char* zeroed = static_cast<char*>(zeroed_block(60 * mega));
    ASSERT_NE(zeroed, nullptr);
    EXPECT_TRUE(std::all_of(zeroed, zeroed + 60 * mega, [](char c) { return c == 0; }));
    std::fill(zeroed, zeroed + 60 * mega, 'y');
    release_block(zeroed);
  }
}

TEST(Blocks, OfMallocAreTakenOver) {
  void* block = std::malloc(mega);
  fill(block, 0, mega);
  block = resize_block(block, 6 * mega);
  EXPECT_TRUE(is_filled(block, mega));
  release_block(block);
  release_block(std::malloc(10));
  release_block(nullptr);
}

TEST(Blocks, ThatDoNotFitAreRefusedAndNothingIsLost) {
  constexpr std::size_t too_much = SIZE_MAX / 4;
  void* block = resize_block(nullptr, 3 * mega);
  fill(block, 0, 3 * mega);
  EXPECT_EQ(resize_block(block, too_much), nullptr);
  EXPECT_EQ(zeroed_block(too_much), nullptr);
  EXPECT_EQ(zeroed_block(SIZE_MAX - 10), nullptr);
  EXPECT_TRUE(is_filled(block, 3 * mega));
  release_block(block);
}

TEST(Blocks, AreClearedByManyThreads) {
  auto is_cleared = [](std::size_t bytes) {
    auto* block = static_cast<unsigned char*>(zeroed_block(bytes, 4));
    bool cleared = std::all_of(block, block + bytes, [](unsigned char byte) { return byte == 0; });
    fill(block, 0, bytes);
    release_block(block);
    return cleared;
  };
  for (int again = 0; again < 3; again++) EXPECT_TRUE(is_cleared(17 * mega + 12345));
  // Inside of a loop on several threads, as kernels do.
  struct Loop {
    decltype(is_cleared)& cleared;
    std::atomic<int> right = 0;
  } loop{is_cleared};
  parallel_for(
      4, 16,
      [](void* closure, std::int64_t begin, std::int64_t end) {
        Loop& all = *static_cast<Loop*>(closure);
        for (std::int64_t n = begin; n < end; n++) all.right += all.cleared(static_cast<std::size_t>(n % 5 + 1) * mega);
      },
      &loop);
  EXPECT_EQ(loop.right, 16);
}

TEST(Blocks, AreMadeByManyThreads) {
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; t++) {
    threads.emplace_back([t] {
      for (std::size_t n = 0; n < 60; n++) {
        std::size_t bytes = (n * 7 + t * 3) % 11 * mega / 4 + 100;
        void* block = resize_block(nullptr, bytes);
        fill(block, 0, bytes);
        block = resize_block(block, 2 * bytes);
        EXPECT_TRUE(is_filled(block, bytes));
        block = trimmed_block(block, bytes / 3);
        EXPECT_TRUE(is_filled(block, bytes / 3));
        release_block(block);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace filigree
