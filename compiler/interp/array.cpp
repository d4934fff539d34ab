// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/interp/array.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "compiler/ir/size_limit.h"

namespace einc::interp {
namespace {

// Where arrays begin: at a cache line, as those of most libraries do.
constexpr size_t kAlignment = 64;
constexpr int64_t kMaxBytes = int64_t{1} << 40;

// The dimensions along which the address changes, by ascending distance.
struct Dimension {
  int64_t size, stride;  // size > 1, stride > 0
};

std::vector<Dimension> movingDimensions(const View& view) {
  std::vector<Dimension> dims;
  for (size_t d = 0; d < view.rank(); ++d)
    if (view.sizes[d] > 1 && view.strides[d] != 0)
      dims.push_back({view.sizes[d], std::abs(view.strides[d])});
  std::sort(dims.begin(), dims.end(),
            [](const Dimension& a, const Dimension& b) { return a.stride < b.stride; });
  return dims;
}

// Each dimension steps over all that the smaller ones can reach.
bool isNested(const std::vector<Dimension>& dims) {
  int64_t reach = 0;
  for (const Dimension& dim : dims) {
    if (dim.stride <= reach) return false;
    reach += dim.stride * (dim.size - 1);
  }
  return true;
}

// Element positions above the lowest one, sorted; nothing if there are too many.
std::optional<std::vector<int64_t>> positions(const std::vector<Dimension>& dims) {
  std::vector<int64_t> result = {0};
  for (const Dimension& dim : dims) {
    if (dim.size > kMaxCompared / static_cast<int64_t>(result.size())) return std::nullopt;
    size_t before = result.size();
    for (int64_t i = 1; i < dim.size; ++i)
      for (size_t j = 0; j < before; ++j) result.push_back(result[j] + i * dim.stride);
  }
  std::sort(result.begin(), result.end());
  return result;
}

uintptr_t lowestAddress(const View& view) {
  return reinterpret_cast<uintptr_t>(view.storage.get()) +
         static_cast<uintptr_t>(reachOf(view)->low * info(view.type).bytes());
}

uintptr_t endAddress(const View& view) {
  return reinterpret_cast<uintptr_t>(view.storage.get()) +
         static_cast<uintptr_t>((reachOf(view)->high + 1) * info(view.type).bytes());
}

}  // namespace

bool View::isEmpty() const { return std::find(sizes.begin(), sizes.end(), 0) != sizes.end(); }

std::byte* View::address(std::span<const int64_t> index) const {
  int64_t position = offset;
  for (size_t d = 0; d < index.size(); ++d) position += index[d] * strides[d];
  return storage.get() + position * info(type).bytes();
}

std::optional<int64_t> elementCount(std::span<const int64_t> sizes) {
  int64_t count = 1;
  bool empty = false, overflow = false;
  for (int64_t size : sizes) {
    if (size < 0) return std::nullopt;
    empty |= size == 0;
    overflow |= __builtin_mul_overflow(count, size, &count);
  }
  if (empty) return 0;
  return overflow ? std::nullopt : std::optional(count);
}

std::vector<int64_t> rowMajorStrides(std::span<const int64_t> sizes) {
  std::vector<int64_t> strides(sizes.size());
  int64_t stride = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    strides[d] = stride;
    if (__builtin_mul_overflow(stride, sizes[d], &stride)) stride = 0;
  }
  return strides;
}

Result<View> allocate(ir::ScalarType type, std::vector<int64_t> sizes) {
  for (int64_t size : sizes)
    if (size < 0) return Reason{"size " + std::to_string(size) + " is negative"};
  auto count = elementCount(sizes);
  if (!count) return Reason{"the number of elements does not fit in 64 bits"};
  if (*count > kMaxBytes / info(type).bytes())
    return Reason{"an array of " + std::to_string(*count) + " elements is larger than 1 TiB"};
  View view{type, nullptr, *count * info(type).bytes(), 0, std::move(sizes), {}};
  // Not aligned_alloc: large memory of calloc is zeros that take no place before they are written.
  auto* memory =
      static_cast<std::byte*>(std::calloc(static_cast<size_t>(view.storageBytes) + kAlignment, 1));
  if (!memory)
    return Reason{"no memory for an array of " + std::to_string(view.storageBytes) + " bytes"};
  size_t beyond = reinterpret_cast<uintptr_t>(memory) % kAlignment;
  view.storage = std::shared_ptr<std::byte[]>(memory + (beyond ? kAlignment - beyond : 0),
                                              [memory](std::byte*) { std::free(memory); });
  view.strides = rowMajorStrides(view.sizes);
  return view;
}

bool isTooLarge(const View& view) {
  __int128 bytes = info(view.type).bytes();
  for (int64_t size : view.sizes) {
    bytes *= std::max<int64_t>(size, 1);
    if (bytes > static_cast<__int128>(1) << ir::kMostBytes) return true;
  }
  return false;
}

std::optional<Reach> reachOf(const View& view) {
  auto count = elementCount(view.sizes);
  if (!count) return std::nullopt;
  if (*count == 0) return Reach{0, -1};
  __int128 low = view.offset, high = view.offset;
  for (size_t d = 0; d < view.rank(); ++d) {
    auto distance = static_cast<__int128>(view.sizes[d] - 1) * view.strides[d];
    (distance < 0 ? low : high) += distance;
    // Stays far from the ends of 128 bits for any number of dimensions.
    if (low < INT64_MIN || high > INT64_MAX) return std::nullopt;
  }
  __int128 most = INT64_MAX / info(view.type).bytes();
  if (low < -most || high >= most || high - low >= most) return std::nullopt;
  return Reach{static_cast<int64_t>(low), static_cast<int64_t>(high)};
}

bool staysInside(const View& view) {
  auto reach = reachOf(view);
  if (!reach) return false;
  return reach->low > reach->high ||
         (reach->low >= 0 && reach->high < view.storageBytes / info(view.type).bytes());
}

bool overlapsItself(const View& view) {
  if (view.isEmpty()) return false;
  for (size_t d = 0; d < view.rank(); ++d)
    if (view.sizes[d] > 1 && view.strides[d] == 0) return true;
  std::vector<Dimension> dims = movingDimensions(view);
  if (isNested(dims)) return false;
  auto sorted = positions(dims);
  return !sorted || std::adjacent_find(sorted->begin(), sorted->end()) != sorted->end();
}

bool overlap(const View& a, const View& b) {
  if (a.isEmpty() || b.isEmpty()) return false;
  if (endAddress(a) <= lowestAddress(b) || endAddress(b) <= lowestAddress(a)) return false;
  auto inA = positions(movingDimensions(a)), inB = positions(movingDimensions(b));
  if (!inA || !inB) return true;
  int64_t bytesA = info(a.type).bytes(), bytesB = info(b.type).bytes();
  auto distance = static_cast<int64_t>(lowestAddress(b) - lowestAddress(a));
  for (auto i = inA->begin(), j = inB->begin(); i != inA->end() && j != inB->end();) {
    int64_t startA = *i * bytesA, startB = distance + *j * bytesB;
    if (startA + bytesA <= startB)
      ++i;
    else if (startB + bytesB <= startA)
      ++j;
    else
      return true;
  }
  return false;
}

bool sameView(const View& a, const View& b) {
  if (a.type != b.type || a.sizes != b.sizes || a.storage.get() != b.storage.get()) return false;
  if (a.offset != b.offset) return false;
  for (size_t d = 0; d < a.rank(); ++d)
    if (a.sizes[d] > 1 && a.strides[d] != b.strides[d]) return false;
  return true;
}

bool nextIndex(std::span<int64_t> index, std::span<const int64_t> sizes) {
  for (size_t d = index.size(); d-- > 0;) {
    if (++index[d] < sizes[d]) return true;
    index[d] = 0;
  }
  return false;
}

}  // namespace einc::interp
