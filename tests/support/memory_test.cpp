#include "support/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

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
  for (std::size_t bytes : {std::size_t{10}, mega, 2 * mega, 3 * mega, 9 * mega, 40 * mega, 8 * mega, mega, std::size_t{1}, 5 * mega}) {
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
  for (std::size_t bytes : {std::size_t{1000}, 7 * mega}) {
    for (std::size_t less : {bytes, bytes / 2, bytes / 7, std::size_t{0}}) {
      void* block = resize_block(nullptr, bytes);
      fill(block, 0, bytes);
      block = trimmed_block(block, less);
      ASSERT_NE(block, nullptr);
      EXPECT_TRUE(is_filled(block, less));
      block = resize_block(block, 2 * bytes);
      EXPECT_TRUE(is_filled(block, less));
      release_block(block);
    }
  }
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

TEST(Blocks, AreMadeByManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++) {
    threads.emplace_back([] {
      for (int n = 0; n < 50; n++) {
        void* block = resize_block(nullptr, 2 * mega);
        fill(block, 0, 100);
        block = resize_block(block, 4 * mega);
        EXPECT_TRUE(is_filled(block, 100));
        release_block(block);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace filigree
