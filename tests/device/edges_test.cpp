// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Calls of generated kernels that are at the edge of what may be asked of them: an output in the
// place of an input, and indices that grow beyond 32 bits.
#include "tests/device/edges.h"

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/vulkan/test_util.hpp"

namespace einc_vk_test {
namespace {

using Memref = einc_memref_f32_2;
using Kernels = edges_vulkan_kernels;
using Call = einc_status (*)(Kernels*, const Memref*, Memref*, einc_vk_event**);

class EdgesTest : public VkTest {
 protected:
  Kernels* kernels = nullptr;

  void SetUp() override {
    VkTest::SetUp();
    ASSERT_EQ(edges_vulkan_create(context.get(), &kernels), EINC_OK);
  }
  void TearDown() override {
    edges_vulkan_free(kernels);
    VkTest::TearDown();
  }

  static Memref view(const Buffer& buffer, int64_t rows, int64_t columns) {
    Memref result = {};
    result.allocated = reinterpret_cast<float*>(buffer.get());
    result.sizes[0] = rows;
    result.sizes[1] = columns;
    result.strides[0] = columns;
    result.strides[1] = 1;
    return result;
  }

  // Small whole numbers, so that sums are exact in any order.
  static std::vector<float> numbers(int64_t count) {
    std::vector<float> data(static_cast<size_t>(count));
    for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i * 31 % 7) - 3;
    return data;
  }

  void wait(einc_status status, einc_vk_event* event) const {
    ASSERT_EQ(status, EINC_OK) << einc_vk_last_message();
    EXPECT_STATUS(OK, einc_vk_event_wait(event, EINC_VK_FOREVER));
    einc_vk_event_free(event);
  }

  // What comes out beside the input has to come out in its place, too.
  void expectInPlace(const char* name, Call call, int64_t rows, int64_t columns) {
    const Buffer in = upload(numbers(rows * columns)), out = upload(numbers(rows * columns));
    Memref x = view(in, rows, columns), y = view(out, rows, columns);
    einc_vk_event* event = nullptr;
    einc_status status = call(kernels, &x, &y, &event);
    wait(status, event);
    status = call(kernels, &x, &x, &event);
    wait(status, event);
    EXPECT_EQ(download<float>(in), download<float>(out))
        << name << ", " << rows << " x " << columns;
  }
};

TEST_F(EdgesTest, OutputsInThePlaceOfInputs) {
  const std::array<std::pair<const char*, Call>, 5> calls = {{{"from_largest", from_largest_vulkan},
                                                              {"from_mean", from_mean_vulkan},
                                                              {"from_columns", from_columns_vulkan},
                                                              {"from_all", from_all_vulkan},
                                                              {"doubled", doubled_vulkan}}};
  const std::array<std::array<int64_t, 2>, 7> sizes = {
      {{3, 5}, {70, 65}, {3, 300}, {300, 9}, {1, 20000}, {20000, 2}, {64, 1024}}};
  for (const auto& [name, call] : calls)
    for (const auto& [rows, columns] : sizes) expectInPlace(name, call, rows, columns);
}

TEST_F(EdgesTest, IndicesBeyond32Bits) {
  const Buffer in = upload(numbers(24)), out = upload(numbers(24));
  Memref x = view(in, 6, 4), y = view(out, 6, 4);
  einc_vk_event* event = nullptr;
  const auto beyond = static_cast<einc_status>(EINC_VK_INDEX_TOO_LARGE);
  for (int64_t step : {int64_t{1} << 29, int64_t{-1} << 32, int64_t{1} << 40}) {
    EXPECT_EQ(far_vulkan(kernels, &x, &y, &step, &event), beyond) << step;
    EXPECT_EQ(there_and_back_vulkan(kernels, &x, &y, &step, &event), beyond) << step;
  }
  EXPECT_EQ(wide_vulkan(kernels, &x, &y, &event), beyond);
  EXPECT_EQ(download<float>(out), numbers(24)) << "refused, and written";

  const int64_t step = (int64_t{1} << 31) / 5;  // 5 of them still fit
  einc_status status = there_and_back_vulkan(kernels, &x, &y, &step, &event);
  wait(status, event);
  EXPECT_EQ(download<float>(out), numbers(24));
  status = far_vulkan(kernels, &x, &y, &step, &event);
  wait(status, event);
  std::vector<float> expected = numbers(24);
  std::fill(expected.begin() + 4, expected.end(), 7.0F);
  EXPECT_EQ(download<float>(out), expected);
}

}  // namespace
}  // namespace einc_vk_test
