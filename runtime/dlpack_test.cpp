// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Linked with -Wl,--wrap=malloc, so that the tests can make an allocation of the library fail.
#include "runtime/dlpack.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
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

using einc::DlpackOwner;
using einc::MemRef;
using einc::to_dlpack;
using einc::to_dlpack_unversioned;

// The layout that the DLPack specification fixes, on 64-bit machines.
static_assert(sizeof(void *) != 8 ||
                  (offsetof(einc_dl_tensor, device) == 8 && offsetof(einc_dl_tensor, ndim) == 16 &&
                   offsetof(einc_dl_tensor, dtype) == 20 && offsetof(einc_dl_tensor, shape) == 24 &&
                   offsetof(einc_dl_tensor, strides) == 32 &&
                   offsetof(einc_dl_tensor, byte_offset) == 40 && sizeof(einc_dl_tensor) == 48),
              "");
static_assert(sizeof(void *) != 8 || (offsetof(einc_dl_managed, manager_ctx) == 48 &&
                                      offsetof(einc_dl_managed, deleter) == 56),
              "");
static_assert(sizeof(void *) != 8 || (offsetof(einc_dl_managed_versioned, manager_ctx) == 8 &&
                                      offsetof(einc_dl_managed_versioned, deleter) == 16 &&
                                      offsetof(einc_dl_managed_versioned, flags) == 24 &&
                                      offsetof(einc_dl_managed_versioned, tensor) == 32),
              "");

// A producer: 3 x 4 floats in an 8-byte aligned block of 16, with 4 in front.
struct Producer {
  alignas(8) float data[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  int64_t shape[3] = {3, 4, 1};
  int64_t strides[3] = {4, 1, 1};
  int deleted = 0;

  einc_dl_tensor tensor() {
    return {data, {EINC_DL_CPU, 0}, 2, {EINC_DL_FLOAT, 32, 1}, shape, strides, 16};
  }
  einc_dl_managed_versioned versioned(uint32_t minor = 1, uint64_t flags = 0) {
    return {{1, minor},
            this,
            [](einc_dl_managed_versioned *self) {
              ++static_cast<Producer *>(self->manager_ctx)->deleted;
            },
            flags,
            tensor()};
  }
  einc_dl_managed unversioned() {
    return {tensor(), this,
            [](einc_dl_managed *self) { ++static_cast<Producer *>(self->manager_ctx)->deleted; }};
  }
};

template <class T, int N>
einc_status import(einc_dl_managed_versioned managed,
                   einc_dl_dtype dtype = einc::dlpack_dtype<T>()) {
  return DlpackOwner(&managed).view<T, N>(dtype).status();
}

template <class T, int N>
einc_status import(einc_dl_managed managed, einc_dl_dtype dtype = einc::dlpack_dtype<T>()) {
  return DlpackOwner(&managed).view<T, N>(dtype).status();
}

TEST(DlpackImport, ShowsTheElements) {
  Producer p;
  einc_dl_managed_versioned versioned = p.versioned();
  einc_dl_managed unversioned = p.unversioned();
  {
    const DlpackOwner one(&versioned), two(&unversioned);
    for (const auto &view : {one.view<float, 2>(), two.view<float, 2>()}) {
      ASSERT_TRUE(view);
      EXPECT_EQ(view->sizes(), (einc::Sizes<2>{3, 4}));
      EXPECT_EQ(&(*view)(2, 1), &p.data[4 + 9]);
      EXPECT_EQ(view->aligned(), p.data);
      EXPECT_EQ(view->offset(), 4);
    }
    EXPECT_EQ(p.deleted, 0);
  }
  EXPECT_EQ(p.deleted, 2);
}

// Both forms go through the same checks; the owner releases the tensor in each case.
TEST(DlpackImport, RefusesWhatItDoesNotTake) {
  const auto check = [](auto change, einc_status expected) {
    Producer p;
    einc_dl_managed_versioned v = p.versioned();
    einc_dl_managed u = p.unversioned();
    change(v.tensor);
    change(u.tensor);
    EXPECT_EQ((import <float, 2>(v)), expected) << einc_status_string(expected);
    EXPECT_EQ((import <float, 2>(u)), expected) << einc_status_string(expected);
    EXPECT_EQ(p.deleted, 2);
  };
  const auto max64 = std::numeric_limits<int64_t>::max();
  using Tensor = einc_dl_tensor;
  check([](Tensor &) {}, EINC_OK);
  for (int device : {0, 2, 3, 11, 12}) {
    check([&](Tensor &t) { t.device.type = device; }, EINC_DLPACK_DEVICE);
  }
  check([](Tensor &t) { t.dtype.lanes = 4; }, EINC_DLPACK_LANES);
  check([](Tensor &t) { t.dtype.lanes = 0; }, EINC_DLPACK_LANES);
  check([](Tensor &t) { t.dtype.code = EINC_DL_INT; }, EINC_DLPACK_DTYPE);
  check([](Tensor &t) { t.dtype.bits = 64; }, EINC_DLPACK_DTYPE);
  check([](Tensor &t) { t.ndim = 3; }, EINC_DLPACK_RANK);
  check([](Tensor &t) { t.ndim = -1; }, EINC_DLPACK_RANK);
  check([](Tensor &t) { t.shape = nullptr; }, EINC_DLPACK_SHAPE);
  check([](Tensor &t) { t.byte_offset = 6; }, EINC_DLPACK_BYTE_OFFSET);
  check([](Tensor &t) { t.byte_offset = UINT64_MAX - 3; }, EINC_OVERFLOW);
  check([](Tensor &t) { t.data = nullptr; }, EINC_NULL_DATA);
  check([](Tensor &t) { t.data = static_cast<char *>(t.data) + 1; }, EINC_MISALIGNED);
  check([](Tensor &t) { t.shape[0] = -1; }, EINC_NEGATIVE_SIZE);
  check([&](Tensor &t) { t.shape[0] = max64; }, EINC_OVERFLOW);
  check([&](Tensor &t) { t.strides[0] = max64; }, EINC_OVERFLOW);
  check([](Tensor &t) { t.strides[0] = 2; }, EINC_WOULD_ALIAS);
  check([](Tensor &t) { t.data = nullptr, t.shape[1] = 0; }, EINC_OK);
}

TEST(DlpackImport, VersionsFlagsAndNullStrides) {
  Producer p;
  einc_dl_managed_versioned v = p.versioned();
  v.version.major = 2;
  EXPECT_EQ((import <float, 2>(v)), EINC_DLPACK_VERSION);
  v.version.major = 0;
  EXPECT_EQ((import <float, 2>(v)), EINC_DLPACK_VERSION);
  EXPECT_EQ((import <float, 2>(p.versioned(77))), EINC_OK);
  EXPECT_EQ((import <float, 2>(p.versioned(1, EINC_DL_FLAG_READ_ONLY))), EINC_DLPACK_READ_ONLY);
  EXPECT_EQ((import <const float, 2>(p.versioned(1, EINC_DL_FLAG_READ_ONLY))), EINC_OK);
  EXPECT_EQ((import <float, 2>(p.versioned(1, EINC_DL_FLAG_IS_COPIED))), EINC_OK);

  for (uint32_t minor : {0u, 1u, 2u, 3u}) {
    v = p.versioned(minor);
    v.tensor.strides = nullptr;
    EXPECT_EQ((import <float, 2>(v)), minor < 2 ? EINC_OK : EINC_DLPACK_STRIDES);
    v.tensor.ndim = 0;
    v.tensor.shape = nullptr;
    EXPECT_EQ((import <float, 0>(v)), EINC_OK);
  }
  einc_dl_managed u = p.unversioned();
  u.tensor.strides = nullptr;
  DlpackOwner owner(&u);
  EXPECT_EQ((owner.view<float, 2>()->strides()), (einc::Sizes<2>{4, 1}));
}

TEST(DlpackImport, ByteOffsetsPastInt64) {
  Producer p;
  einc_dl_managed_versioned v = p.versioned();
  v.tensor.dtype = {EINC_DL_INT, 8, 1};
  v.tensor.byte_offset = UINT64_MAX;
  EXPECT_EQ((import <int8_t, 2>(v)), EINC_OVERFLOW);
}

TEST(DlpackImport, OverlapsAreOnlyForReading) {
  Producer p;
  p.strides[0] = 0;
  EXPECT_EQ((import <float, 2>(p.versioned())), EINC_WOULD_ALIAS);
  EXPECT_EQ((import <const float, 2>(p.versioned())), EINC_OK);
}

TEST(DlpackImport, ElementTypes) {
  Producer p;
  const auto with = [&](uint8_t code, uint8_t bits) {
    einc_dl_managed_versioned v = p.versioned();
    v.tensor.dtype = {code, bits, 1};
    return v;
  };
  EXPECT_EQ((import <double, 2>(with(EINC_DL_FLOAT, 64))), EINC_OK);
  EXPECT_EQ((import <int8_t, 2>(with(EINC_DL_INT, 8))), EINC_OK);
  EXPECT_EQ((import <uint8_t, 2>(with(EINC_DL_UINT, 8))), EINC_OK);
  EXPECT_EQ((import <int64_t, 2>(with(EINC_DL_INT, 64))), EINC_OK);
  EXPECT_EQ((import <bool, 2>(with(EINC_DL_BOOL, 8))), EINC_OK);
  EXPECT_EQ((import <uint8_t, 2>(with(EINC_DL_BOOL, 8))), EINC_DLPACK_DTYPE);
  EXPECT_EQ((import <uint8_t, 2>(with(EINC_DL_BOOL, 8), einc::kDlpackBool)), EINC_OK);
  EXPECT_EQ((import <uint16_t, 2>(with(EINC_DL_UINT, 16))), EINC_OK);
  EXPECT_EQ((import <uint16_t, 2>(with(EINC_DL_FLOAT, 16), einc::kDlpackF16)), EINC_OK);
  EXPECT_EQ((import <uint16_t, 2>(with(EINC_DL_BFLOAT, 16), einc::kDlpackF16)), EINC_DLPACK_DTYPE);
  EXPECT_EQ((import <uint16_t, 2>(with(EINC_DL_BFLOAT, 16), einc::kDlpackBF16)), EINC_OK);
  EXPECT_EQ((import <uint8_t, 2>(with(EINC_DL_BFLOAT, 16), einc::kDlpackBF16)), EINC_DLPACK_DTYPE);
  const auto f32 = einc::dlpack_dtype<float>();
  einc_dl_managed_versioned v = with(17, 4);
  char descriptor[256];
  EXPECT_EQ(einc_dl_import(&v, {17, 4, 1}, 2, 0, descriptor), EINC_BAD_VIEW);
  EXPECT_EQ(einc_dl_import(&v, {EINC_DL_FLOAT, 32, 2}, 2, 0, descriptor), EINC_BAD_VIEW);
  EXPECT_EQ(einc_dl_import(&v, f32, -1, 0, descriptor), EINC_BAD_VIEW);
  EXPECT_EQ(einc_dl_import(&v, f32, EINC_MAX_RANK + 1, 0, descriptor), EINC_BAD_VIEW);
}

TEST(DlpackImport, FailureLeavesTheDescriptorAlone) {
  Producer p;
  p.strides[0] = 0;
  einc_dl_managed_versioned v = p.versioned();
  MemRef<float, 2> view(p.data, {2, 2});
  EXPECT_EQ(einc_dl_import(&v, einc::dlpack_dtype<float>(), 2, 1, &view), EINC_WOULD_ALIAS);
  EXPECT_EQ(view.sizes(), (einc::Sizes<2>{2, 2}));
  EXPECT_EQ(p.deleted, 0);  // importing borrows
}

TEST(DlpackOwner, CallsTheDeleterOnce) {
  Producer p, q;
  einc_dl_managed_versioned v = p.versioned(), no_deleter = p.versioned();
  einc_dl_managed u = q.unversioned();
  no_deleter.deleter = nullptr;
  {
    DlpackOwner a(&v);
    DlpackOwner b(std::move(a));
    EXPECT_FALSE(a);  // NOLINT(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
    EXPECT_TRUE(b);
    EXPECT_EQ((DlpackOwner().view<float, 2>().status()), EINC_NULL_DESCRIPTOR);
    DlpackOwner c(&u);
    c = std::move(b);
    EXPECT_EQ(q.deleted, 1);
    EXPECT_EQ(p.deleted, 0);
    EXPECT_TRUE((c.view<float, 2>().ok()));
    c.reset();
    EXPECT_EQ(p.deleted, 1);
    c.reset();
    DlpackOwner d(&no_deleter);
  }
  EXPECT_EQ(p.deleted, 1);
  EXPECT_EQ(q.deleted, 1);
}

TEST(DlpackExport, RoundTripsAndKeepsTheBufferAlive) {
  auto buffer = std::make_shared<std::vector<float>>(24, 1.0f);
  const std::weak_ptr<std::vector<float>> watch = buffer;
  const MemRef<float, 2> whole(buffer->data(), {4, 6});
  const MemRef<float, 2> a = *whole.transpose({1, 0})->reverse(0);
  const auto versioned = to_dlpack(a, buffer);
  const auto unversioned = to_dlpack_unversioned(a, buffer);
  ASSERT_TRUE(versioned && unversioned);
  buffer.reset();
  EXPECT_EQ((*versioned)->version.major, 1u);
  EXPECT_EQ((*versioned)->flags, 0u);
  EXPECT_EQ((*versioned)->tensor.data, a.data());
  EXPECT_EQ((*versioned)->tensor.byte_offset, 0u);
  {
    const DlpackOwner one(*versioned), two(*unversioned);
    for (const auto &view : {one.view<float, 2>(), two.view<float, 2>()}) {
      ASSERT_TRUE(view);
      EXPECT_EQ(view->sizes(), a.sizes());
      EXPECT_EQ(view->strides(), a.strides());
      EXPECT_EQ(view->data(), a.data());
      EXPECT_EQ((*view)(5, 3), 1.0f);
    }
    EXPECT_FALSE(watch.expired());
  }
  EXPECT_TRUE(watch.expired());
}

TEST(DlpackExport, ReadOnlyViews) {
  float x[3] = {};
  const MemRef<const float, 2> wide = *MemRef<float, 1>(x, {3}).broadcast<2>({2, 3});
  const auto out = to_dlpack(wide);
  ASSERT_TRUE(out);
  const DlpackOwner owner(*out);
  EXPECT_EQ((*out)->flags, EINC_DL_FLAG_READ_ONLY);
  EXPECT_EQ((owner.view<float, 2>().status()), EINC_DLPACK_READ_ONLY);
  EXPECT_EQ((owner.view<const float, 2>()->strides()), (einc::Sizes<2>{0, 1}));
}

TEST(DlpackExport, ElementTypesRankZeroAndEmpty) {
  uint16_t half[4] = {};
  const auto bf16 = to_dlpack(MemRef<uint16_t, 1>(half, {4}), nullptr, einc::kDlpackBF16);
  ASSERT_TRUE(bf16);
  EXPECT_EQ((*bf16)->tensor.dtype.code, EINC_DL_BFLOAT);
  EXPECT_TRUE((DlpackOwner(*bf16).view<uint16_t, 1>(einc::kDlpackBF16).ok()));
  EXPECT_EQ(to_dlpack(MemRef<uint16_t, 1>(half, {4}), nullptr, einc::kDlpackBool).status(),
            EINC_DLPACK_DTYPE);

  const auto scalar = to_dlpack(MemRef<uint16_t, 0>(half, {}));
  ASSERT_TRUE(scalar);
  EXPECT_TRUE((DlpackOwner(*scalar).view<uint16_t, 0>().ok()));

  const auto empty = to_dlpack(MemRef<uint16_t, 2>(half, {0, 4}));
  ASSERT_TRUE(empty);
  EXPECT_EQ((*empty)->tensor.data, nullptr);
  EXPECT_TRUE((DlpackOwner(*empty).view<uint16_t, 2>().ok()));
}

TEST(DlpackExport, Failures) {
  int released = 0;
  const auto release = [](void *context) { ++*static_cast<int *>(context); };
  float x[4] = {};
  const MemRef<const float, 2> overlapping(x, {2, 2}, {0, 1});
  const auto f32 = einc::dlpack_dtype<float>();
  einc_dl_managed_versioned *v = nullptr;
  einc_dl_managed *u = nullptr;
  EXPECT_EQ(einc_dl_export(&overlapping, 2, f32, 0, release, &released, &v), EINC_WOULD_ALIAS);
  EXPECT_EQ(einc_dl_export_unversioned(&overlapping, 2, f32, release, &released, &u),
            EINC_WOULD_ALIAS);
  EXPECT_EQ(einc_dl_export(nullptr, 2, f32, 0, release, &released, &v), EINC_NULL_DESCRIPTOR);
  EXPECT_EQ(einc_dl_export(&overlapping, 2, f32, 1, release, &released, nullptr),
            EINC_NULL_DESCRIPTOR);
  EXPECT_EQ(einc_dl_export(&overlapping, 2, {17, 4, 1}, 1, release, &released, &v), EINC_BAD_VIEW);
  EXPECT_EQ(einc_dl_export(&overlapping, 33, f32, 1, release, &released, &v), EINC_BAD_VIEW);
  EXPECT_EQ(v, nullptr);
  EXPECT_EQ(u, nullptr);
  EXPECT_EQ(released, 0);
}

TEST(DlpackExport, OutOfMemory) {
  auto buffer = std::make_shared<std::vector<float>>(4);
  const MemRef<float, 1> a(buffer->data(), {4});
  malloc_fails = true;
  const auto versioned = to_dlpack(a, buffer);
  const auto unversioned = to_dlpack_unversioned(a, buffer);
  malloc_fails = false;
  EXPECT_EQ(versioned.status(), EINC_OUT_OF_MEMORY);
  EXPECT_EQ(unversioned.status(), EINC_OUT_OF_MEMORY);
  EXPECT_EQ(buffer.use_count(), 1);
}

}  // namespace
