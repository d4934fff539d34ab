// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Linked with -Wl,--wrap=malloc, so that the tests can make an allocation of the library fail.
#include "runtime/arena.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

namespace {
bool malloc_fails = false;
}

extern "C" {  // NOLINTBEGIN(bugprone-reserved-identifier): the linker's names
void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes) { return malloc_fails ? nullptr : __real_malloc(bytes); }
}  // NOLINTEND(bugprone-reserved-identifier)

namespace {

using einc::Arena;

struct Memory {
  explicit Memory(const Arena &a) : arena(a.get()) {}
  void *take(int64_t bytes) const { return arena->take(arena, bytes); }
  void give(void *memory) const { arena->give(arena, memory); }
  einc_arena *arena;
};

TEST(Arena, KeepsWhatIsGivenBack) {
  auto arena = Arena::create(1 << 20);
  ASSERT_TRUE(arena);
  const Memory memory(*arena);
  void *first = memory.take(1000);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % 64, 0U);
  std::memset(first, 1, 1000);
  void *other = memory.take(1000);
  ASSERT_NE(other, nullptr);
  EXPECT_NE(other, first) << "it is in use";
  memory.give(first);
  EXPECT_EQ(memory.take(600), first) << "it is large enough, and less than twice as large";
  memory.give(first);
  void *small = memory.take(100);
  EXPECT_NE(small, first) << "most of it would be unused";
  memory.give(small);
  memory.give(other);
  memory.give(nullptr);
}

TEST(Arena, HasAtMostItsBound) {
  auto arena = Arena::create(1024);
  ASSERT_TRUE(arena);
  const Memory memory(*arena);
  EXPECT_EQ(memory.take(1025), nullptr);
  EXPECT_EQ(memory.take(-1), nullptr);
  EXPECT_EQ(memory.take(INT64_MAX), nullptr);
  void *all = memory.take(1024);
  ASSERT_NE(all, nullptr);
  EXPECT_EQ(memory.take(1), nullptr) << "all of it is used";
  memory.give(all);
  // What is kept makes room, and what cannot be had at all leaves it as it is.
  void *part = memory.take(256);
  ASSERT_NE(part, nullptr);
  EXPECT_EQ(memory.take(1024), nullptr);
  void *rest = memory.take(768);
  ASSERT_NE(rest, nullptr);
  EXPECT_EQ(memory.take(64), nullptr);
  memory.give(rest);
  memory.give(part);
}

TEST(Arena, FailsWithoutMemory) {
  auto arena = Arena::create(1 << 20);
  ASSERT_TRUE(arena);
  const Memory memory(*arena);
  malloc_fails = true;
  EXPECT_EQ(memory.take(1 << 20), nullptr);
  auto none = Arena::create(1);
  malloc_fails = false;
  EXPECT_EQ(none.status(), EINC_OUT_OF_MEMORY);
  void *all = memory.take(1 << 20);
  EXPECT_NE(all, nullptr) << "what there was no memory for is not counted";
  memory.give(all);
  malloc_fails = true;
  EXPECT_EQ(memory.take(1 << 20), all) << "what is kept needs none";
  malloc_fails = false;
  memory.give(all);
  arena->trim();
  malloc_fails = true;
  EXPECT_EQ(memory.take(1 << 20), nullptr) << "nothing is kept";
  malloc_fails = false;
}

TEST(Arena, RefusesWhatItCannotBe) {
  einc_arena *arena = nullptr;
  EXPECT_EQ(einc_arena_create(1, nullptr), EINC_NULL_DESCRIPTOR);
  EXPECT_EQ(einc_arena_create(-1, &arena), EINC_NEGATIVE_SIZE);
  EXPECT_EQ(arena, nullptr);
  einc_arena_trim(nullptr);
  einc_arena_destroy(nullptr);
  auto empty = Arena::create(0);
  ASSERT_TRUE(empty);
  EXPECT_EQ(Memory(*empty).take(1), nullptr);
}

// Each writes to what it has, which nobody else has.
TEST(Arena, ManyThreads) {
  constexpr int kThreads = 8, kRounds = 2000;
  auto arena = Arena::create(kThreads * 4096);
  ASSERT_TRUE(arena);
  const Memory memory(*arena);
  std::vector<int> wrong(kThreads);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRounds; ++i) {
        const int64_t bytes = 64 + (i * 977 + t * 131) % 4000;
        auto *mine = static_cast<unsigned char *>(memory.take(bytes));
        if (!mine) continue;  // all may be used
        std::memset(mine, t, static_cast<size_t>(bytes));
        for (int64_t b = 0; b < bytes; b += 63) wrong[static_cast<size_t>(t)] += mine[b] != t;
        memory.give(mine);
      }
    });
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(kThreads));
}

}  // namespace
