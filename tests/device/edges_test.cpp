// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Calls of generated kernels that are at the edge of what may be asked of them: an output in the
// place of an input, indices that grow beyond 32 bits, and scalars that move them below 0.
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

// A scalar moves what is read to both sides of the tensor, also in shapes of locals, products and
// sums.
TEST_F(EdgesTest, NegativeScalars) {
  constexpr int64_t kRows = 5, kColumns = 6;
  const std::vector<float> data = numbers(kRows * kColumns);
  const Buffer in = upload(data);
  auto at = [&](int64_t m, int64_t n) {
    bool inside = m >= 0 && m < kRows && n >= 0 && n < kColumns;
    return inside ? data[static_cast<size_t>(m * kColumns + n)] : 7.0F;
  };
  auto local = [&](int64_t m, int64_t n, int64_t rows) {
    return m < 0 || m >= rows ? 7.0F : m < kRows ? at(m, n) : 3.0F;
  };
  for (int64_t s : {-7, -6, -5, -2, -1, 0, 1, 2, 5, 7}) {
    std::vector<float> rows, columns, sums;
    for (int64_t m = 0; m < kRows; ++m)
      for (int64_t n = 0; n < kColumns; ++n) {
        rows.push_back(at(m + s, n));
        columns.push_back(at(m, n + s));
        sums.push_back(0);
        for (int64_t k = 0; k < kRows; ++k)
          sums.back() += local(m + k * s + s, n, kRows + s) * at(k, n);
      }
    auto run = [&](auto call) {
      const Buffer out = upload(numbers(kRows * kColumns));
      Memref x = view(in, kRows, kColumns), y = view(out, kRows, kColumns);
      einc_vk_event* event = nullptr;
      einc_status status = call(kernels, &x, s, &y, &event);
      if (status == EINC_OK) wait(status, event);
      return std::pair(status, download<float>(out));
    };
    const auto ok = static_cast<einc_status>(EINC_OK);
    EXPECT_EQ(run(moved_vulkan), std::pair(ok, rows)) << s;
    EXPECT_EQ(run(moved_along_vulkan), std::pair(ok, columns)) << s;
    auto [status, got] = run(moved_sum_vulkan);
    EXPECT_EQ(status, s < -kRows ? static_cast<einc_status>(EINC_NEGATIVE_SIZE) : ok) << s;
    EXPECT_EQ(got, status == ok ? sums : numbers(kRows * kColumns)) << s;
  }
}

}  // namespace
}  // namespace einc_vk_test
