// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

namespace einc {
namespace {

// Blocks of all sizes around the largest of the lists, each filled with a byte of its own.
struct Blocks {
  std::vector<unsigned char*> blocks;

  explicit Blocks(size_t most) {
    for (size_t size = 0; size < most; ++size) {
      blocks.push_back(static_cast<unsigned char*>(::operator new(size)));
      std::memset(blocks.back(), static_cast<int>(size % 251), size);
    }
  }

  ~Blocks() {
    for (unsigned char* block : blocks) ::operator delete(block);
  }

  bool keepTheirs() const {
    for (size_t size = 0; size < blocks.size(); ++size)
      for (size_t i = 0; i < size; ++i)
        if (blocks[size][i] != size % 251) return false;
    return true;
  }
};

TEST(AllocationTest, BlocksAreAlignedAndApartWhenGivenAgain) {
  Blocks kept(1200);
  for (int round = 0; round < 3; ++round) {
    Blocks others(1200);
    for (unsigned char* block : others.blocks)
      EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % alignof(std::max_align_t), 0u);
    EXPECT_TRUE(others.keepTheirs());
  }
  EXPECT_TRUE(kept.keepTheirs());
}

TEST(AllocationTest, AnotherThreadMayFree) {
  Blocks kept(600);
  auto* others = new Blocks(600);
  std::thread([&] {
    delete others;
    EXPECT_TRUE(Blocks(600).keepTheirs());
  }).join();
  EXPECT_TRUE(kept.keepTheirs());
}

TEST(AllocationTest, WhatDoesNotExistIsRefused) {
  volatile size_t size = SIZE_MAX;
  EXPECT_THROW(::operator delete(::operator new(size)), std::bad_alloc);
  EXPECT_EQ(::operator new(size, std::nothrow), nullptr);
  ::operator delete(nullptr);
}

}  // namespace
}  // namespace einc
