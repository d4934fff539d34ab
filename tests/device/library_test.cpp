// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A library of kernels for devices as its users have it: called from C++, on strided parts of
// buffers, from many threads, with all that can be wrong.
#include <array>
#include <thread>

#include "runtime/vulkan/test_util.hpp"
#include "tests/device/hand.h"

namespace einc_vk_test {
namespace {

// A statement's value, in the words of whichever table has it.
#define EXPECT_CALL(name, expression) \
  EXPECT_EQ(static_cast<int>(name), static_cast<int>(expression))

constexpr float kGap = -77;

// Floats in a buffer, and a descriptor of some of them.
struct Matrix {
  Buffer buffer;
  std::vector<float> data;
  einc_memref_f32_2 view = {};

  float& at(int64_t i, int64_t j) {
    return data[static_cast<size_t>(view.offset + i * view.strides[0] + j * view.strides[1])];
  }
};

template <typename Memref>
void hold(Memref& view, const Buffer& buffer) {
  view.allocated = reinterpret_cast<decltype(view.allocated)>(buffer.get());
  view.aligned = nullptr;
}

class LibraryTest : public VkTest {
 protected:
  hand_vulkan_kernels* kernels = nullptr;

  void SetUp() override {
    VkTest::SetUp();
    createKernels();
  }
  void createKernels() { ASSERT_EQ(hand_vulkan_create(context.get(), &kernels), EINC_OK); }

  void TearDown() override {
    hand_vulkan_free(kernels);
    VkTest::TearDown();
  }

  // `count` floats, with a view of some.
  Matrix matrix(size_t count, int64_t offset, std::array<int64_t, 2> sizes,
                std::array<int64_t, 2> strides) {
    Matrix m;
    m.data.assign(count, kGap);
    m.view.offset = offset;
    for (int d = 0; d < 2; ++d) {
      m.view.sizes[d] = sizes[d];
      m.view.strides[d] = strides[d];
    }
    for (int64_t i = 0; i < sizes[0]; ++i)
      for (int64_t j = 0; j < sizes[1]; ++j) m.at(i, j) = static_cast<float>(i * 31 % 17 + j);
    m.buffer = upload(m.data);
    hold(m.view, m.buffer);
    return m;
  }

  // Runs scale by 3 and compares all of the output's buffer.
  void expectScaled(Matrix a, Matrix c) {
    std::vector<float> expected = c.data;
    Matrix wanted;
    wanted.data = c.data;
    wanted.view = c.view;
    for (int64_t i = 0; i < a.view.sizes[0]; ++i)
      for (int64_t j = 0; j < a.view.sizes[1]; ++j) wanted.at(i, j) = 3 * a.at(i, j);
    EXPECT_CALL(EINC_OK, scale_vulkan_supported(kernels, &a.view, 3, &c.view));
    EXPECT_EQ(download<float>(c.buffer), c.data) << "asked, not run";
    run([&](einc_vk_event** event) { return scale_vulkan(kernels, &a.view, 3, &c.view, event); });
    EXPECT_EQ(download<float>(c.buffer), wanted.data);
    EXPECT_EQ(download<float>(a.buffer), a.data);
  }

  template <typename Call>
  void run(Call call) {
    einc_vk_event* event = nullptr;
    ASSERT_EQ(call(&event), EINC_OK) << einc_vk_last_message();
    EXPECT_STATUS(OK, einc_vk_event_wait(event, EINC_VK_FOREVER));
    einc_vk_event_free(event);
  }
};

TEST_F(LibraryTest, AllSizes) {
  for (int64_t m : {0, 1, 3, 64, 65})
    for (int64_t n : {0, 1, 5, 64, 127}) {
      auto count = static_cast<size_t>(m * n);
      expectScaled(matrix(count, 0, {m, n}, {n, 1}), matrix(count, 0, {m, n}, {n, 1}));
    }
}

TEST_F(LibraryTest, StridesAndOffsets) {
  auto output = [&] { return matrix(2000, 700, {9, 11}, {60, 1}); };
  expectScaled(matrix(100, 0, {9, 11}, {11, 1}), output());
  expectScaled(matrix(100, 98, {9, 11}, {-11, -1}), output());    // reversed
  expectScaled(matrix(100, 0, {9, 11}, {1, 9}), output());        // transposed
  expectScaled(matrix(100, 3, {9, 11}, {0, 1}), output());        // one row
  expectScaled(matrix(100, 99, {9, 11}, {0, 0}), output());       // one element
  expectScaled(matrix(3000, 1201, {9, 11}, {160, 3}), output());  // gaps
  expectScaled(matrix(100, 0, {9, 11}, {11, 1}), matrix(1000, 700, {9, 11}, {-60, 5}));
}

// Sizes, strides and offsets beyond 32 bits that mean nothing.
TEST_F(LibraryTest, StridesThatMeanNothing) {
  constexpr int64_t kHuge = int64_t{1} << 40;
  expectScaled(matrix(100, 7, {1, 11}, {kHuge, 1}), matrix(100, 7, {1, 11}, {-kHuge, 2}));
  expectScaled(matrix(100, 7, {1, 1}, {kHuge, kHuge}), matrix(100, 7, {1, 1}, {kHuge, kHuge}));
  expectScaled(matrix(8, 0, {0, 5}, {kHuge, kHuge}), matrix(8, 0, {0, 5}, {kHuge, kHuge}));
}

TEST_F(LibraryTest, InPlace) {
  Matrix a = matrix(300, 150, {9, 11}, {11, 1});
  Matrix wanted;
  wanted.data = a.data;
  wanted.view = a.view;
  for (int64_t i = 0; i < 9; ++i)
    for (int64_t j = 0; j < 11; ++j) wanted.at(i, j) = 2 * a.at(i, j);
  run([&](einc_vk_event** event) { return scale_vulkan(kernels, &a.view, 2, &a.view, event); });
  EXPECT_EQ(download<float>(a.buffer), wanted.data);
}

einc_memref_f32_1 row(const Buffer& buffer, int64_t offset, int64_t size, int64_t stride) {
  einc_memref_f32_1 view = {};
  hold(view, buffer);
  view.offset = offset;
  view.sizes[0] = size;
  view.strides[0] = stride;
  return view;
}

// The temporary tensor is written by one dispatch and read by the next.
TEST_F(LibraryTest, Temporaries) {
  for (int64_t m : {0, 1, 63, 64, 65, 5000}) {
    std::vector<float> data(static_cast<size_t>(m) + 1, 4);
    const Buffer a = upload(data), c = upload(data);
    const einc_memref_f32_1 viewA = row(a, m - (m > 0), m, -1);
    einc_memref_f32_1 viewC = row(c, 0, m, 1);
    run([&](einc_vk_event** event) { return square_vulkan(kernels, &viewA, &viewC, event); });
    for (int64_t i = 0; i < m; ++i) data[static_cast<size_t>(i)] = 25;
    EXPECT_EQ(download<float>(c), data) << m;
  }
}

// Memory of temporary tensors is used again while earlier runs that have it are under way.
TEST_F(LibraryTest, TemporariesAreUsedAgain) {
  constexpr int kRuns = 30;
  std::vector<Buffer> outputs;
  std::vector<Event> events;
  for (int i = 0; i < kRuns; ++i) {
    const int64_t m = i % 3 == 2 ? 100 : 40000;
    const Buffer a = upload(std::vector<float>(static_cast<size_t>(m), static_cast<float>(i)));
    outputs.push_back(buffer(static_cast<uint64_t>(m) * sizeof(float)));
    const einc_memref_f32_1 viewA = row(a, 0, m, 1);
    einc_memref_f32_1 viewC = row(outputs.back(), 0, m, 1);
    einc_vk_event* event = nullptr;
    ASSERT_EQ(square_vulkan(kernels, &viewA, &viewC, &event), EINC_OK);
    events.emplace_back(event);
  }
  for (int i = 0; i < kRuns; ++i) {
    EXPECT_STATUS(OK, einc_vk_event_wait(events[i].get(), EINC_VK_FOREVER));
    const std::vector<float> data = download<float>(outputs[i]);
    EXPECT_EQ(data, std::vector<float>(data.size(), static_cast<float>((i + 1) * (i + 1))));
  }
  EXPECT_LE(context->allocations, static_cast<uint32_t>(kRuns * 2 + 10)) << "few for temporaries";
}

TEST_F(LibraryTest, ADispatchForEachPiece) {
  for (int64_t m : {0, 1, 99, 100, 101, 950}) {
    std::vector<int32_t> data(1000);
    for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<int32_t>(i);
    const Buffer a = upload(data), c = upload(data);
    einc_memref_i32_1 viewA = {}, viewC = {};
    hold(viewA, a);
    hold(viewC, c);
    viewA.offset = viewC.offset = 17;
    viewA.sizes[0] = viewC.sizes[0] = m;
    viewA.strides[0] = viewC.strides[0] = 1;
    run([&](einc_vk_event** event) { return pieces_vulkan(kernels, &viewA, &viewC, event); });
    for (size_t i = 17; i < 17 + static_cast<size_t>(m); ++i) data[i] *= 2;
    EXPECT_EQ(download<int32_t>(c), data) << m;
  }
}

TEST_F(LibraryTest, Constants) {
  constexpr uint16_t kHalf = 0x3800;  // 0.5
  const std::vector<float> data = {1, 2, 3, 4, 5, 6, 7};
  const int64_t steps[2] = {9, 3};
  const double d = 2;
  for (auto* call : {options_vulkan, buffered_vulkan}) {
    const Buffer a = upload(data), c = upload(std::vector<double>(3));
    const einc_memref_f32_1 viewA = row(a, 0, 7, 1);
    einc_memref_f64_1 viewC = {};
    hold(viewC, c);
    viewC.sizes[0] = 3;
    viewC.strides[0] = 1;
    run([&](einc_vk_event** event) {
      return call(kernels, &viewA, 200, kHalf, &viewC, steps, &d, 2, event);
    });
    EXPECT_EQ(download<double>(c), (std::vector<double>{202.5, 208.5, 214.5}));
    run([&](einc_vk_event** event) {
      return call(kernels, &viewA, 200, kHalf, &viewC, nullptr, nullptr, 1, event);
    });
    EXPECT_EQ(download<double>(c), (std::vector<double>{201, 202, 203}));
    run([&](einc_vk_event** event) {
      return call(kernels, &viewA, 200, kHalf, &viewC, nullptr, nullptr, 0, event);
    });
    EXPECT_EQ(download<double>(c), (std::vector<double>{0, 0, 0}));
  }
}

// ---- Faults: each has its status, and nothing is run --------------------------------------------

class FaultsTest : public LibraryTest {
 protected:
  Matrix a, c;

  void SetUp() override {
    LibraryTest::SetUp();
    a = matrix(64, 0, {4, 8}, {8, 1});
    c = matrix(64, 0, {4, 8}, {8, 1});
  }
  void TearDown() override {
    EXPECT_EQ(download<float>(c.buffer), c.data);
    a = {};
    c = {};
    LibraryTest::TearDown();
  }

  void expect(int status, const einc_memref_f32_2& viewA, einc_memref_f32_2 viewC) {
    einc_vk_event* event = nullptr;
    EXPECT_CALL(status, scale_vulkan(kernels, &viewA, 3, &viewC, &event));
    EXPECT_CALL(status, scale_vulkan_supported(kernels, &viewA, 3, &viewC));
    EXPECT_EQ(event, nullptr);
  }
};

TEST_F(FaultsTest, Null) {
  einc_vk_event* event = nullptr;
  EXPECT_CALL(EINC_VK_BAD_ARGUMENT, scale_vulkan(nullptr, &a.view, 3, &c.view, &event));
  EXPECT_CALL(EINC_VK_BAD_ARGUMENT, scale_vulkan(kernels, &a.view, 3, &c.view, nullptr));
  EXPECT_CALL(EINC_NULL_DESCRIPTOR, scale_vulkan(kernels, nullptr, 3, &c.view, &event));
  EXPECT_CALL(EINC_NULL_DESCRIPTOR, scale_vulkan(kernels, &a.view, 3, nullptr, &event));
  EXPECT_CALL(EINC_VK_BAD_ARGUMENT, scale_vulkan_supported(nullptr, &a.view, 3, &c.view));
  EXPECT_CALL(EINC_NULL_DESCRIPTOR, scale_vulkan_supported(kernels, nullptr, 3, &c.view));
  hand_vulkan_kernels* made = nullptr;
  EXPECT_CALL(EINC_VK_BAD_ARGUMENT, hand_vulkan_create(nullptr, &made));
  EXPECT_CALL(EINC_VK_BAD_ARGUMENT, hand_vulkan_create(context.get(), nullptr));
  hand_vulkan_free(nullptr);

  einc_memref_f32_2 none = a.view;
  none.allocated = nullptr;
  expect(EINC_NULL_DATA, none, c.view);
  expect(EINC_NULL_DATA, a.view, none);
  none.sizes[0] = 0;
  einc_memref_f32_2 empty = c.view;
  empty.sizes[0] = 0;
  run([&](einc_vk_event** e) { return scale_vulkan(kernels, &none, 3, &empty, e); });
}

TEST_F(FaultsTest, Sizes) {
  einc_memref_f32_2 wrong = a.view;
  wrong.sizes[0] = 3;
  expect(EINC_SIZE_MISMATCH, wrong, c.view);
  wrong.sizes[0] = -1;
  expect(EINC_NEGATIVE_SIZE, wrong, c.view);
  wrong = a.view;
  wrong.strides[0] = INT64_MAX / 2;
  expect(EINC_OVERFLOW, wrong, c.view);
}

TEST_F(FaultsTest, OutsideTheBuffer) {
  for (int64_t offset : {int64_t{33}, int64_t{-1}, int64_t{1} << 40}) {
    einc_memref_f32_2 wrong = a.view;
    wrong.offset = offset;
    expect(EINC_VK_OUT_OF_BUFFER, wrong, c.view);
    wrong = c.view;
    wrong.offset = offset;
    expect(EINC_VK_OUT_OF_BUFFER, a.view, wrong);
  }
  einc_memref_f32_2 wrong = a.view;
  wrong.strides[0] = -8;
  expect(EINC_VK_OUT_OF_BUFFER, wrong, c.view);
  wrong.offset = 24;
  EXPECT_CALL(EINC_OK, scale_vulkan_supported(kernels, &wrong, 3, &c.view));
}

TEST_F(FaultsTest, Overlaps) {
  einc_memref_f32_2 self = c.view;
  self.strides[0] = 4;
  expect(EINC_SELF_OVERLAP, a.view, self);
  einc_memref_f32_2 shifted = c.view;
  shifted.offset = 1;
  expect(EINC_ALIASED, shifted, c.view);
  shifted.offset = 32;
  EXPECT_CALL(EINC_OK, scale_vulkan_supported(kernels, &shifted, 3, &c.view));
}

// Shaders count in 32 bits.
TEST_F(FaultsTest, BeyondTheShadersIntegers) {
  einc_memref_f32_2 viewA = a.view, viewC = c.view;
  viewA.sizes[0] = viewC.sizes[0] = int64_t{1} << 31;
  viewA.sizes[1] = viewC.sizes[1] = 0;
  EXPECT_CALL(EINC_OK, scale_vulkan_supported(kernels, &viewA, 3, &viewC)) << "nothing to do";
  // One element, read 2^31 times, would need as many in the output: here it is the step.
  const int64_t steps[2] = {1, int64_t{1} << 31};
  const einc_memref_f32_1 one = row(a.buffer, 0, 1, 1);
  einc_memref_f64_1 out = {};
  const Buffer doubles = buffer(8);
  hold(out, doubles);
  out.sizes[0] = out.strides[0] = 1;
  EXPECT_CALL(EINC_VK_INDEX_TOO_LARGE,
              options_vulkan_supported(kernels, &one, 0, 0, &out, steps, nullptr, 1));
}

TEST_F(FaultsTest, AnotherContext) {
  einc_vk_options o = options();
  einc_vk_context* made = nullptr;
  ASSERT_STATUS(OK, einc_vk_context_create(&o, &made));
  const Context other(made);
  einc_vk_buffer* foreign = nullptr;
  ASSERT_STATUS(OK, einc_vk_buffer_create(made, 256, &foreign));
  const Buffer owned(foreign);
  einc_vk_buffer_address(foreign);
  einc_memref_f32_2 viewA = a.view;
  hold(viewA, owned);
  einc_vk_event* event = nullptr;
  int status = scale_vulkan(kernels, &viewA, 3, &c.view, &event);
  // Numbers of buffers are a context's own: they may be equal.
  EXPECT_TRUE(status == EINC_VK_OTHER_CONTEXT || status == EINC_ALIASED) << status;
}

TEST_F(FaultsTest, MoreWorkgroupsThanADispatchTakes) {
  einc_vk_options o = options();
  o.max_workgroup_count = 3;
  hand_vulkan_free(kernels);
  a = {};
  c = {};
  open(o);
  createKernels();
  expectScaled(matrix(5000, 0, {50, 100}, {100, 1}), matrix(5000, 0, {50, 100}, {100, 1}));
  c = matrix(64, 0, {4, 8}, {8, 1});
}

// ---- Life and threads ---------------------------------------------------------------------------

TEST_F(LibraryTest, FreedInAnyOrder) {
  for (int order = 0; order < 6; ++order) {
    SCOPED_TRACE(order);
    einc_vk_options o = options();
    einc_vk_context* own = nullptr;
    ASSERT_STATUS(OK, einc_vk_context_create(&o, &own));
    hand_vulkan_kernels* made = nullptr;
    ASSERT_EQ(hand_vulkan_create(own, &made), EINC_OK);
    einc_vk_buffer* b = nullptr;
    ASSERT_STATUS(OK, einc_vk_buffer_create(own, 4096, &b));
    const Buffer unowned(b);
    einc_memref_f32_1 viewA = row(unowned, 0, 500, 1), viewC = row(unowned, 512, 500, 1);
    if (order >= 3) einc_vk_context_free(own);
    einc_vk_event* event = nullptr;
    ASSERT_EQ(square_vulkan(made, &viewA, &viewC, &event), EINC_OK);
    if (order % 3 == 0) hand_vulkan_free(made);
    if (order % 3 == 1) einc_vk_event_free(event);
    if (order < 3) einc_vk_context_free(own);
    if (order % 3 != 0) hand_vulkan_free(made);
    if (order % 3 != 1) einc_vk_event_free(event);
  }
}

TEST_F(LibraryTest, ManyThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 16; ++t)
    threads.emplace_back([&, t] {
      std::vector<float> data(300, static_cast<float>(t));
      const Buffer a = upload(data), c = upload(data);
      const einc_memref_f32_1 viewA = row(a, 0, 300, 1);
      einc_memref_f32_1 viewC = row(c, 299, 300, -1);
      for (int i = 0; i < 20; ++i) {
        einc_vk_event* event = nullptr;
        if (square_vulkan(kernels, &viewA, &viewC, &event) != EINC_OK) {
          ++wrong;
          continue;
        }
        if (i % 2 == 0) einc_vk_event_wait(event, EINC_VK_FOREVER);
        einc_vk_event_free(event);
      }
      auto expected = static_cast<float>((t + 1) * (t + 1));
      for (float value : download<float>(c)) wrong += value != expected;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace einc_vk_test
