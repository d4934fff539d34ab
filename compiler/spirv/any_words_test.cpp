// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What holds of all entry points: no words crash validation, nor what it lets pass the others; and equal words
// give equal results, from whatever thread.
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "compiler/spirv/compile.h"
#include "compiler/spirv/cross.h"
#include "compiler/spirv/reflect.h"
#include "compiler/spirv/test_shaders.h"
#include "compiler/spirv/tools.h"

namespace einc::spirv {
namespace {

constexpr const char* kShaders[] = {kMatmul, kHalf, kDouble, kSubgroup};

// What every entry point says of the module: results, and reasons behind a mark.
std::vector<std::string> allOf(const Module& module) {
  std::vector<std::string> said;
  auto say = [&](const auto& result, auto&& toText) {
    said.push_back(result ? toText(*result) : "\x01" + result.reason());
  };
  auto asText = [](const std::string& text) { return text; };
  auto asBytes = [](const Words& w) {
    return std::string(reinterpret_cast<const char*>(w.data()), w.size() * sizeof(uint32_t));
  };
  say(optimise(module), asBytes);
  say(specialise(module), asBytes);
  say(reflect(module), [](const Interface& facts) { return str(facts); });
  say(disassemble(module), asText);
  say(toMsl(module), asText);
  say(toHlsl(module), asText);
  say(toGlsl(module), asText);
  return said;
}

Words mutant(Words words, unsigned seed) {
  std::mt19937 random(seed);
  for (unsigned slips = 1 + random() % 2; slips != 0 && !words.empty(); --slips) {
    size_t at = random() % words.size();
    switch (random() % 5) {
      case 0:
        words[at] ^= 1U << (random() % 32);
        break;
      case 1:
        words[at] ^= 1U << (random() % 5);
        break;
      case 2:
        words[at] = words[random() % words.size()];
        break;
      case 3:
        words[at] = random() % 2 == 0 ? random() : random() % 64;
        break;
      default:
        words.resize(at);
        break;
    }
  }
  return words;
}

TEST(AnyWords, MutantsAreRefusedOrTaken) {
  unsigned refused = 0, taken = 0, seed = 0;
  for (const char* shader : kShaders) {
    auto words = compile(shader, "test.comp");
    ASSERT_TRUE(words) << words.reason();
    for (unsigned i = 0; i < 500; ++i) {
      auto module = validated(mutant(*words, ++seed));
      (module ? taken : refused)++;
      if (module)
        for (const std::string& said : allOf(*module))
          ASSERT_FALSE(said.empty()) << "seed " << seed;
      else
        ASSERT_FALSE(module.reason().empty()) << "seed " << seed;
    }
  }
  EXPECT_GT(refused, 1000U);  // both kinds were tried
  EXPECT_GT(taken, 50U);
}

TEST(AnyWords, NoiseIsRefused) {
  std::mt19937 random(1);
  for (unsigned i = 0; i < 500; ++i) {
    Words words(random() % 200);
    for (uint32_t& word : words) word = random();
    if (i % 2 == 0 && words.size() >= kHeaderWords) {
      words[0] = kMagic;
      words[1] = 0x00010300;
    }
    ASSERT_FALSE(validated(std::move(words)));
  }
}

// The whole way, with all it says in between.
std::vector<std::string> journey(const char* shader) {
  std::vector<std::string> said = allOf(moduleOf(shader));
  auto error = compile(std::string(shader) + "error", "wrong.comp");
  said.push_back(error ? "compiles" : error.reason());
  return said;
}

TEST(AnyThread, SaysTheSame) {
  std::vector<std::vector<std::string>> expected;
  for (const char* shader : kShaders) expected.push_back(journey(shader));
  EXPECT_TRUE(expected[0].back().starts_with("wrong.comp:")) << expected[0].back();
  EXPECT_NE(expected[0], expected[1]);

  constexpr unsigned kThreads = 8;
  std::vector<unsigned> equal(kThreads);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (unsigned i = 0; i < 8; ++i)
        equal[t] += journey(kShaders[(t + i) % 4]) == expected[(t + i) % 4];
    });
  for (std::thread& thread : threads) thread.join();
  for (unsigned t = 0; t < kThreads; ++t) EXPECT_EQ(equal[t], 8U) << "thread " << t;
}

// Threads that are the first to use glslang. (In a process of its own, as tests run in turn.)
void startTogether() {
  std::vector<std::thread> threads;
  std::vector<int> good(8);
  for (unsigned t = 0; t < good.size(); ++t)
    threads.emplace_back([&, t] { good[t] = bool(compile(kShaders[t % 4], "test.comp")); });
  for (std::thread& thread : threads) thread.join();
  std::exit(std::count(good.begin(), good.end(), 1) == 8 ? 0 : 1);
}

TEST(AnyThread, StartsGlslang) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(startTogether(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace einc::spirv
