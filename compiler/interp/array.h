// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Strided views of typed memory: what a kernel's arguments are. Sizes, strides and offsets count
// elements; strides may be zero or negative. Views of one storage share its elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "compiler/ir/scalar.h"
#include "compiler/support/result.h"

namespace einc::interp {

struct View {
  ir::ScalarType type = ir::ScalarType::F32;
  std::shared_ptr<std::byte[]> storage;  // aligned for every element type; to 64 by allocate()
  int64_t storageBytes = 0;
  int64_t offset = 0;
  std::vector<int64_t> sizes, strides;

  size_t rank() const { return sizes.size(); }
  bool isEmpty() const;
  // Indices must be inside.
  std::byte* address(std::span<const int64_t> index) const;
  ir::Number load(std::span<const int64_t> index) const {
    return readElement(type, address(index));
  }
  void store(std::span<const int64_t> index, const ir::Number& value) const {
    writeElement(type, value, address(index));
  }
};

// Nothing for a negative size or a count past int64_t.
std::optional<int64_t> elementCount(std::span<const int64_t> sizes);

// Row-major (the last dimension is contiguous). Strides of empty arrays mean nothing and are 0
// where they would overflow.
std::vector<int64_t> rowMajorStrides(std::span<const int64_t> sizes);

// A row-major array of zeros in memory of its own.
Result<View> allocate(ir::ScalarType type, std::vector<int64_t> sizes);

// Whether it has more bytes than a tensor may have (ir/size_limit.h), a size of 0 counted as 1. Sizes
// are not negative.
bool isTooLarge(const View& view);

// The first and last element that a view with elements can touch, as positions in its storage.
// Nothing when a size is negative, or when the count of elements or the bytes they span do not fit
// in int64_t.
struct Reach {
  int64_t low, high;  // inclusive; low > high for an empty view
};
std::optional<Reach> reachOf(const View& view);

// Every element lies in the storage.
bool staysInside(const View& view);

// Whether two indices name the same element, and whether two views have a byte in common. Exact;
// but views that are neither nested nor apart and have more than kMaxCompared elements count as
// overlapping.
constexpr int64_t kMaxCompared = int64_t{1} << 22;
bool overlapsItself(const View& view);
bool overlap(const View& a, const View& b);
// Same type, and each index names the same element.
bool sameView(const View& a, const View& b);

// The next index in row-major order; false after the last one, with the index back at zero.
bool nextIndex(std::span<int64_t> index, std::span<const int64_t> sizes);

// Calls visit(index) for each index, in row-major order.
template <typename Visit>
void forEachIndex(std::span<const int64_t> sizes, Visit&& visit) {
  for (int64_t size : sizes)
    if (size <= 0) return;
  std::vector<int64_t> index(sizes.size(), 0);
  do {
    visit(std::span<const int64_t>(index));
  } while (nextIndex(index, sizes));
}

}  // namespace einc::interp
