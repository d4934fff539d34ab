// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Runs, and what they compute.
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <thread>

#include "runtime/memref.h"
#include "runtime/vulkan/test_util.hpp"

EINC_MEMREF(float, f32, 2);

namespace einc_vk_test {
namespace {

class RunTest : public VkTest {
 protected:
  void expectCounts(uint64_t x, uint64_t y, uint64_t z) {
    const Kernel count = kernel(countDescription());
    const Buffer counts = upload(std::vector<uint32_t>(x * y * z));
    Dispatch all(count, {&counts}, {static_cast<uint32_t>(x), static_cast<uint32_t>(y), 9, 9, 9}, x,
                 y, z);
    runAndWait({all.get()});
    const std::vector<uint32_t> result = download<uint32_t>(counts);
    size_t wrong = 0;
    for (size_t i = 0; i < result.size(); ++i) wrong += result[i] != i + 1;
    EXPECT_EQ(wrong, 0U) << "of " << result.size();
  }
};

TEST_F(RunTest, SaxpyOverStridedArrays) {
  // x is transposed and reversed, y has gaps.
  constexpr int64_t kRows = 37, kColumns = 29;
  std::vector<float> x(kRows * kColumns), y(2 * kRows * kColumns + 5);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  for (size_t i = 0; i < y.size(); ++i) y[i] = static_cast<float>(i % 7);
  const einc_memref_f32_2 dx = {
      nullptr, nullptr, kRows * kColumns - 1, {kRows, kColumns}, {-1, -kRows}};
  const einc_memref_f32_2 dy = {nullptr, nullptr, 5, {kRows, kColumns}, {2 * kColumns, 2}};
  std::vector<float> expected = y;
  for (int64_t i = 0; i < kRows; ++i) {
    for (int64_t j = 0; j < kColumns; ++j) {
      expected[dy.offset + i * dy.strides[0] + j * dy.strides[1]] +=
          3 * x[dx.offset + i * dx.strides[0] + j * dx.strides[1]];
    }
  }

  for (const int alwaysStage : {0, 1}) {
    einc_vk_options o = options();
    o.always_stage = alwaysStage;
    open(o);
    const einc_vk_constant size = {0, 32};
    einc_vk_kernel_description d = describe(k_saxpy, 2, 2, 56, 32);
    d.splits = 1;
    d.constants = &size;
    d.constant_count = 1;
    const Kernel saxpy = kernel(d);
    const Buffer bx = upload(x), by = upload(y);

    std::array<uint32_t, 14> push = {};
    const float alpha = 3;
    std::memcpy(&push[3], &alpha, sizeof(alpha));
    size_t used = 16;
    ASSERT_STATUS(OK, einc_vk_push_memref(&dx, 2, 4, einc_vk_buffer_bytes(bx.get()), 4, push.data(),
                                          sizeof(push), &used));
    ASSERT_STATUS(OK, einc_vk_push_memref(&dy, 2, 4, einc_vk_buffer_bytes(by.get()), 4, push.data(),
                                          sizeof(push), &used));
    ASSERT_EQ(used, sizeof(push));
    Dispatch all(saxpy, {&bx, &by}, {push.begin(), push.end()}, (kRows * kColumns + 31) / 32);
    runAndWait({all.get()});
    EXPECT_EQ(download<float>(by), expected);
  }
}

TEST_F(RunTest, DispatchesSeeWhatEarlierOnesWrote) {
  constexpr uint32_t kSize = 10000;
  std::vector<uint32_t> data(kSize);
  for (uint32_t i = 0; i < kSize; ++i) data[i] = i;
  const Kernel reverse = kernel(reverseDescription());
  const Buffer a = upload(data), b = buffer(uint64_t{kSize} * 4);
  Dispatch there(reverse, {&a, &b}, {kSize}, (kSize + 63) / 64);
  Dispatch back(reverse, {&b, &a}, {kSize}, (kSize + 63) / 64);
  runAndWait({there.get(), back.get(), there.get(), back.get()});
  for (uint32_t i = 0; i < kSize; ++i) data[i] += 4;
  EXPECT_EQ(download<uint32_t>(a), data);

  // In runs of their own, and nobody waits in between.
  std::vector<Event> events;
  for (int i = 0; i < 6; ++i) {
    einc_vk_event *event = nullptr;
    ASSERT_STATUS(OK,
                  einc_vk_run(context.get(), i % 2 == 0 ? &there.get() : &back.get(), 1, &event));
    events.emplace_back(event);
  }
  EXPECT_STATUS(OK, einc_vk_event_wait(events.back().get(), EINC_VK_FOREVER));
  for (uint32_t i = 0; i < kSize; ++i) data[i] += 6;
  EXPECT_EQ(download<uint32_t>(a), data);
}

TEST_F(RunTest, PartsOfOneBuffer) {
  const uint64_t unit = std::max<uint64_t>(device().offset_alignment, 256);
  const uint32_t size = static_cast<uint32_t>(unit / 4);
  std::vector<uint32_t> data(size_t{size} * 3, 5);
  const Kernel reverse = kernel(reverseDescription());
  const Buffer all = upload(data);
  Dispatch first(reverse, {&all, &all}, {size}, (size + 63) / 64);
  first.ranges = {{all.get(), 0, unit}, {all.get(), unit, unit}};
  Dispatch second(reverse, {&all, &all}, {size}, (size + 63) / 64);
  second.ranges = {{all.get(), unit, unit}, {all.get(), 2 * unit, EINC_VK_TO_END}};
  runAndWait({first.get(), second.get()});
  for (uint32_t i = 0; i < 2 * size; ++i) data[size + i] = i < size ? 6 : 7;
  EXPECT_EQ(download<uint32_t>(all), data);
}

TEST_F(RunTest, ThreeDimensions) { expectCounts(7, 5, 3); }

TEST_F(RunTest, MoreWorkgroupsThanADispatchTakes) {
  expectCounts(200000, 1, 1);
  expectCounts(1, 70000, 1);
  expectCounts(1, 1, 65536);
}

TEST_F(RunTest, PartsInThreeDimensions) {
  einc_vk_options o = options();
  o.max_workgroup_count = 3;
  open(o);
  EXPECT_EQ(device().max_workgroup_count[2], 3U);
  expectCounts(7, 5, 4);
  expectCounts(3, 3, 3);
  expectCounts(4, 1, 9);
}

TEST_F(RunTest, NothingToDo) {
  runAndWait({});
  const Kernel count = kernel(countDescription());
  const Buffer one = upload(std::vector<uint32_t>{41}), none = buffer(0);
  for (int empty = 0; empty < 3; ++empty) {
    Dispatch nothing(count, {&one}, {1, 1, 0, 0, 0}, 1);
    nothing.dispatch.workgroups[empty] = 0;
    runAndWait({nothing.get()});
  }
  EXPECT_EQ(download<uint32_t>(one)[0], 41U);
  // An empty buffer may be bound, and an empty range at the end.
  const Kernel reverse = kernel(reverseDescription());
  Dispatch bound(reverse, {&none, &none}, {0}, 1);
  bound.ranges[1] = {one.get(), 0, 0};
  runAndWait({bound.get()});
  EXPECT_EQ(einc_vk_buffer_bytes(none.get()), 0U);
  EXPECT_STATUS(OK, einc_vk_buffer_write(none.get(), 0, nullptr, 0));
}

// No two buffers have a number in common, whoever asks first.
TEST_F(RunTest, NumbersOfBuffers) {
  std::vector<Buffer> buffers;
  std::vector<std::array<uint64_t, 2>> ranges;
  for (const uint64_t bytes : {0, 1, 4096, 4097, 100000, 0, 3}) buffers.push_back(buffer(bytes));
  for (size_t i : {3, 0, 6, 1, 5, 2, 4}) {
    const uint64_t first = einc_vk_buffer_address(buffers[i].get());
    EXPECT_NE(first, 0U);
    EXPECT_EQ(first % 4096, 0U);
    EXPECT_EQ(first, einc_vk_buffer_address(buffers[i].get()));
    const uint64_t end = first + std::max<uint64_t>(einc_vk_buffer_bytes(buffers[i].get()), 1);
    for (const auto &[begin, other] : ranges) EXPECT_TRUE(end <= begin || other <= first);
    ranges.push_back({first, end});
  }
}

TEST_F(RunTest, LongSequence) {
  const Kernel count = kernel(countDescription());
  std::vector<Buffer> buffers;
  std::vector<Dispatch> dispatches;
  std::vector<einc_vk_dispatch> all;
  for (int i = 0; i < 20; ++i) buffers.push_back(upload(std::vector<uint32_t>{0}));
  dispatches.reserve(600);
  for (int i = 0; i < 600; ++i) {
    dispatches.emplace_back(count, std::vector<const Buffer *>{&buffers[i % 20]},
                            std::vector<uint32_t>{1, 1, 0, 0, 0}, 1);
    all.push_back(dispatches.back().get());
  }
  runAndWait(all);
  for (const Buffer &b : buffers) EXPECT_EQ(download<uint32_t>(b)[0], 30U);
}

uint32_t spun(uint32_t value, uint32_t steps) {
  for (uint32_t i = 0; i < steps; ++i) value = (value ^ (value >> 15)) * 747796405U + i;
  return value;
}

TEST_F(RunTest, ReturnsAtOnce) {
  constexpr uint32_t kGroups = 4000, kSteps = 60000;
  const Kernel spin = kernel(spinDescription());
  const Buffer values = upload(std::vector<uint32_t>(kGroups, 1));
  Dispatch steps(spin, {&values}, {kSteps}, kGroups);
  einc_vk_event *event = nullptr;
  ASSERT_STATUS(OK, einc_vk_run(context.get(), &steps.get(), 1, &event));
  EXPECT_STATUS(TIMEOUT, einc_vk_event_wait(event, 0));
  EXPECT_STATUS(TIMEOUT, einc_vk_event_times(event, nullptr, nullptr));
  EXPECT_STATUS(OK, einc_vk_event_wait(event, EINC_VK_FOREVER));
  EXPECT_STATUS(OK, einc_vk_event_wait(event, 0));
  einc_vk_event_free(event);
  EXPECT_EQ(download<uint32_t>(values), std::vector<uint32_t>(kGroups, spun(1, kSteps)));
}

TEST_F(RunTest, TimesGrow) {
  if (device().timestamp_ns == 0) GTEST_SKIP() << "no timestamps";
  const Kernel spin = kernel(spinDescription());
  const Buffer values = upload(std::vector<uint32_t>(1000, 1));
  double last = 0, taken[2];
  for (int i = 0; i < 2; ++i) {
    Dispatch steps(spin, {&values}, {50000}, i == 0 ? 1 : 1000);
    einc_vk_event *event = nullptr;
    if (i == 0) runAndWait({steps.get()});  // what is compiled late is compiled now
    ASSERT_STATUS(OK, einc_vk_run(context.get(), &steps.get(), 1, &event));
    EXPECT_STATUS(OK, einc_vk_event_wait(event, EINC_VK_FOREVER));
    double begin = -1, end = -1;
    EXPECT_STATUS(OK, einc_vk_event_times(event, &begin, &end));
    EXPECT_GE(begin, last);
    EXPECT_GT(end, begin);
    taken[i] = end - begin;
    last = end;
    einc_vk_event_free(event);
  }
  EXPECT_GT(taken[1], taken[0]);
}

TEST_F(RunTest, ObjectsLiveUntilTheirRunsEnd) {
  Kernel spin = kernel(spinDescription());
  Buffer value = upload(std::vector<uint32_t>(1000, 1));
  Dispatch steps(spin, {&value}, {30000}, 1000);
  einc_vk_event *event = nullptr;
  ASSERT_STATUS(OK, einc_vk_run(context.get(), &steps.get(), 1, &event));
  value.reset();
  spin.reset();
  context.reset();
  EXPECT_STATUS(OK, einc_vk_event_wait(event, EINC_VK_FOREVER));
  einc_vk_event_free(event);
}

TEST_F(RunTest, ManyThreads) {
  constexpr int kThreads = 8, kRounds = 20;
  constexpr uint32_t kSize = 1000;
  einc_vk_options o = options();
  o.always_stage = 1;  // so that copies are submitted too
  open(o);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const Kernel reverse = kernel(reverseDescription());
      std::vector<uint32_t> data(kSize, static_cast<uint32_t>(t));
      const Buffer a = upload(data), b = buffer(uint64_t{kSize} * 4);
      Dispatch there(reverse, {&a, &b}, {kSize}, (kSize + 63) / 64);
      Dispatch back(reverse, {&b, &a}, {kSize}, (kSize + 63) / 64);
      for (int i = 0; i < kRounds; ++i) runAndWait({there.get(), back.get()});
      for (const uint32_t v : download<uint32_t>(a))
        wrong += v != static_cast<uint32_t>(t) + 2 * kRounds;
    });
  }
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(RunTest, LargeCopiesGoThroughStagingInTurns) {
  einc_vk_options o = options();
  o.always_stage = 1;
  open(o);
  std::vector<uint32_t> data((UINT64_C(40) << 20) / 4 + 3);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<uint32_t>(i * 2654435761U);
  const Buffer all = upload(data);
  EXPECT_EQ(download<uint32_t>(all), data);
  const char bytes[3] = {1, 2, 3};
  EXPECT_STATUS(OK, einc_vk_buffer_write(all.get(), 1001, bytes, 3));
  std::memcpy(reinterpret_cast<char *>(data.data()) + 1001, bytes, 3);
  EXPECT_EQ(download<uint32_t>(all), data);
}

TEST_F(RunTest, ExistingDeviceAndImportedBuffers) {
  // The first context stands for a program that has a device of its own.
  einc_vk_handles handles = {};
  ASSERT_STATUS(OK, einc_vk_context_handles(context.get(), &handles));
  einc_vk_options o = {};
  o.existing = &handles;
  einc_vk_context *second = nullptr;
  ASSERT_STATUS(OK, einc_vk_context_create(&o, &second));
  const Context owner(second);
  EXPECT_EQ(einc_vk_context_device(second)->features, device().features);

  const uint32_t size = 300;
  const Buffer a = upload(std::vector<uint32_t>(size, 3)), b = buffer(uint64_t{size} * 4);
  einc_vk_buffer *ia = nullptr, *ib = nullptr;
  ASSERT_STATUS(OK, einc_vk_buffer_import(second, (uint64_t)a->buffer, uint64_t{size} * 4, &ia));
  ASSERT_STATUS(OK, einc_vk_buffer_import(second, (uint64_t)b->buffer, uint64_t{size} * 4, &ib));
  const Buffer importedA(ia), importedB(ib);
  const einc_vk_kernel_description d = reverseDescription();
  einc_vk_kernel *made = nullptr;
  ASSERT_STATUS(OK, einc_vk_kernel_create(second, &d, &made));
  const Kernel reverse(made);
  Dispatch there(reverse, {&importedA, &importedB}, {size}, 5);
  Dispatch back(reverse, {&importedB, &importedA}, {size}, 5);
  const einc_vk_dispatch both[] = {there.get(), back.get()};
  einc_vk_event *event = nullptr;
  EXPECT_STATUS(OTHER_CONTEXT, einc_vk_run(context.get(), both, 2, &event));
  ASSERT_STATUS(OK, einc_vk_run(second, both, 2, &event));
  EXPECT_STATUS(OK, einc_vk_event_wait(event, EINC_VK_FOREVER));
  einc_vk_event_free(event);
  EXPECT_EQ(download<uint32_t>(importedA), std::vector<uint32_t>(size, 5));
  EXPECT_EQ(download<uint32_t>(a), std::vector<uint32_t>(size, 5));
}

// Numbers that a device may spoil, unless its kernels say otherwise.
TEST_F(RunTest, ArithmeticKeepsWhatTheDeviceCan) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), least = 0x1p-126F, inf = HUGE_VALF;
  const std::vector<float> x = {inf, nan, inf, -0.0F, least, 0x1p-140F, 3.0F};
  const std::vector<float> third = {nan, nan, nan, -inf, -inf, -inf, -inf};
  const Kernel floats = kernel(describe(k_floats, 2, 2, 0, 1));
  const Buffer in = upload(x), out = buffer(x.size() * 12);
  Dispatch all(floats, {&in, &out}, {}, static_cast<uint32_t>(x.size()), 1, 1);
  runAndWait({all.get()});
  const std::vector<float> y = download<float>(out);
  auto expectSame = [&](float got, float expected, size_t i) {
    const bool isFlushed = std::fpclassify(expected) == FP_SUBNORMAL &&
                           !(device().features & EINC_VK_SUBNORMAL_32) && got == 0;
    EXPECT_TRUE(isFlushed ||
                (std::isnan(got) ? std::isnan(expected)
                                 : got == expected && std::signbit(got) == std::signbit(expected)))
        << got << ", not " << expected << ", of " << x[i];
  };
  if (!(device().features & EINC_VK_NAN_32)) GTEST_SKIP() << "the device does not say";
  for (size_t i = 0; i < x.size(); ++i) {
    expectSame(y[3 * i], x[i] > 1 ? 1 : x[i], i);
    expectSame(y[3 * i + 1], x[i] / 4, i);
    expectSame(y[3 * i + 2], third[i], i);
  }
}

// The module of a kernel, so that it keeps all there is: what was there, and three kinds of words.
TEST(FloatsTest, AModuleSaysWhatItKeeps) {
  const einc_vk_kernel_description d = describe(k_floats, 2, 2, 0, 1);
  uint32_t *made = nullptr;
  size_t bytes = 0;
  ASSERT_STATUS(OK, einc_vk_keep_floats(&d, 0, &made, &bytes));
  EXPECT_EQ(std::vector<uint32_t>(made, made + bytes / 4),
            std::vector<uint32_t>(std::begin(k_floats), std::end(k_floats)));
  free(made);
  ASSERT_STATUS(OK, einc_vk_keep_floats(&d, ~0U, &made, &bytes));
  // In their order: instructions of their first words, and what the new ones say. It computes with 32 bits alone.
  const std::vector<uint32_t> words(made, made + bytes / 4);
  free(made);
  EXPECT_EQ(bytes, sizeof(k_floats) + (2 * 2 + 7 + 2 * 4) * 4);
  std::vector<uint32_t> capabilities, modes, order;
  for (size_t at = EINC_VK_SPIRV_HEADER; at < words.size(); at += words[at] >> 16) {
    const uint32_t code = words[at] & 0xffff;
    if (code == EINC_VK_OP_CAPABILITY) capabilities.push_back(words[at + 1]);
    if (code == EINC_VK_OP_EXTENSION)
      EXPECT_STREQ(reinterpret_cast<const char *>(&words[at + 1]), "SPV_KHR_float_controls");
    if (code == EINC_VK_OP_EXECUTION_MODE)
      modes.insert(modes.end(), {words[at + 2], words[at + 3]});
    if (order.empty() || order.back() != code) order.push_back(code);
  }
  EXPECT_EQ(capabilities, (std::vector<uint32_t>{1, 4466, 4464}));
  EXPECT_EQ(std::vector<uint32_t>(order.begin(), order.begin() + 6),
            (std::vector<uint32_t>{17, 10, 11, 14, 15, 16}));
  EXPECT_EQ(std::vector<uint32_t>(modes.begin(), modes.begin() + 5),
            (std::vector<uint32_t>{4461, 32, 4459, 32, 17}));
}

// Without this, no test here would mean much.
TEST_F(RunTest, TheLayerSeesAMissingBarrier) {
  einc_vk_kernel_description d = reverseDescription();
  d.written = 0;
  const Kernel reverse = kernel(d);
  const Buffer a = upload(std::vector<uint32_t>(64, 1)), b = buffer(256);
  Dispatch there(reverse, {&a, &b}, {64}, 1), back(reverse, {&b, &a}, {64}, 1);
  runAndWait({there.get(), back.get()});
  EXPECT_GT(einc_vk_context_messages(context.get()), 0U);
  EXPECT_EQ(einc_vk_context_messages(context.get()), messages.texts.size());
  ASSERT_FALSE(messages.texts.empty());
  EXPECT_NE(messages.texts[0].find("SYNC-HAZARD"), std::string::npos) << messages.texts[0];
  messages.texts.clear();
}

}  // namespace
}  // namespace einc_vk_test
