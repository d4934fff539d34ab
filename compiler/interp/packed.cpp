// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/interp/packed.h"

#include <string>

namespace einc::interp {
namespace {

// The byte's part with an even, or an odd number.
std::byte halfOf(std::byte both, int64_t number) {
  return (number % 2 == 0 ? both : both >> 4) & std::byte{15};
}

}  // namespace

std::vector<std::byte> packStorage(const View& view) {
  std::vector<std::byte> packed(static_cast<size_t>(view.storageBytes + 1) / 2);
  for (int64_t i = 0; i < view.storageBytes; ++i)
    packed[static_cast<size_t>(i / 2)] |= (view.storage[i] & std::byte{15}) << (i % 2 * 4);
  return packed;
}

void unpackStorage(const std::vector<std::byte>& packed, const View& view) {
  for (int64_t i = 0; i < view.storageBytes; ++i)
    view.storage[i] = halfOf(packed[static_cast<size_t>(i / 2)], i);
}

Result<View> packedRows(const View& view) {
  std::vector<int64_t> sizes = view.sizes;
  if (!sizes.empty()) sizes.back() = sizes.back() / 2 + sizes.back() % 2;
  auto packed = allocate(ir::ScalarType::U8, std::move(sizes));
  if (!packed) return packed;
  forEachIndex(view.sizes, [&](std::span<const int64_t> index) {
    std::vector<int64_t> at(index.begin(), index.end());
    const int64_t last = at.empty() ? 0 : at.back();
    if (!at.empty()) at.back() /= 2;
    *packed->address(at) |= (*view.address(index) & std::byte{15}) << (last % 2 * 4);
  });
  return packed;
}

Result<View> unpackedRows(const View& bytes, ir::ScalarType type) {
  if (bytes.type != ir::ScalarType::U8)
    return Reason{std::string(ir::info(type).name) +
                  " data comes as uint8, two elements a byte, not " +
                  std::string(ir::info(bytes.type).name)};
  std::vector<int64_t> sizes = bytes.sizes;
  if (!sizes.empty() && __builtin_mul_overflow(sizes.back(), int64_t{2}, &sizes.back()))
    return Reason{"the number of elements does not fit in 64 bits"};
  auto view = allocate(type, std::move(sizes));
  if (!view) return view;
  forEachIndex(view->sizes, [&](std::span<const int64_t> index) {
    std::vector<int64_t> at(index.begin(), index.end());
    const int64_t last = at.empty() ? 0 : at.back();
    if (!at.empty()) at.back() /= 2;
    *view->address(index) = halfOf(*bytes.address(at), last);
  });
  return view;
}

}  // namespace einc::interp
