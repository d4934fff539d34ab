// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// DLPack tensors as einc::MemRef, and the other way round. dlpack.h has the rules and the failures.
//
//   einc::DlpackOwner owner(managed);                        // from now on the deleter runs once
//   auto a = owner.view<const float, 2>();                   // valid while the owner lives
//   if (!a) return a.status();
//
//   auto out = einc::to_dlpack(view, std::move(shared_buffer));  // keeps the buffer alive
//   if (!out) return out.status();
//   return *out;                                             // the consumer calls its deleter
#ifndef EINC_RUNTIME_DLPACK_HPP_
#define EINC_RUNTIME_DLPACK_HPP_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "runtime/dlpack.h"
#include "runtime/memref.hpp"
#include "runtime/result.hpp"
#include "runtime/status.h"

namespace einc {

// Element types that a C++ type alone does not tell, since it is only their storage.
inline constexpr einc_dl_dtype kDlpackF16 = {EINC_DL_FLOAT, 16, 1};    // in uint16_t
inline constexpr einc_dl_dtype kDlpackBF16 = {EINC_DL_BFLOAT, 16, 1};  // in uint16_t
inline constexpr einc_dl_dtype kDlpackBool = {EINC_DL_BOOL, 8, 1};     // in uint8_t or bool

// The DLPack type of an arithmetic type: uint16_t is u16 here, and bool is bool.
template <class T>
constexpr einc_dl_dtype dlpack_dtype() {
  using U = std::remove_cv_t<T>;
  static_assert(std::is_arithmetic<U>::value && sizeof(U) <= 8, "a type that DLPack names");
  const std::uint8_t bits = 8 * sizeof(U);
  if (std::is_same<U, bool>::value) return {EINC_DL_BOOL, bits, 1};
  if (std::is_floating_point<U>::value) return {EINC_DL_FLOAT, bits, 1};
  if (std::is_signed<U>::value) return {EINC_DL_INT, bits, 1};
  return {EINC_DL_UINT, bits, 1};
}

// Owns a managed tensor of either form and calls its deleter exactly once: on destruction, reset
// or assignment. Takes ownership before anything can fail. Movable, not copyable.
class DlpackOwner {
 public:
  DlpackOwner() = default;
  explicit DlpackOwner(einc_dl_managed_versioned *managed) : versioned_(managed) {}
  explicit DlpackOwner(einc_dl_managed *managed) : unversioned_(managed) {}
  DlpackOwner(DlpackOwner &&other) noexcept
      : versioned_(std::exchange(other.versioned_, nullptr)),
        unversioned_(std::exchange(other.unversioned_, nullptr)) {}
  DlpackOwner &operator=(DlpackOwner &&other) noexcept {
    DlpackOwner(std::move(other)).swap(*this);
    return *this;
  }
  ~DlpackOwner() { reset(); }

  // Views of the tensor end here.
  void reset() {
    einc_dl_release(std::exchange(versioned_, nullptr));
    einc_dl_release_unversioned(std::exchange(unversioned_, nullptr));
  }

  void swap(DlpackOwner &other) noexcept {
    std::swap(versioned_, other.versioned_);
    std::swap(unversioned_, other.unversioned_);
  }

  explicit operator bool() const { return versioned_ != nullptr || unversioned_ != nullptr; }

  // The data, as a view of T (const T: only to be read) that is valid while this owner holds the
  // tensor. `dtype` is needed where T does not tell: view<uint16_t, 2>(einc::kDlpackBF16).
  // Failures: those of einc_dl_import; NULL_DESCRIPTOR if nothing is held.
  template <class T, int N>
  Result<MemRef<T, N>> view(einc_dl_dtype dtype = dlpack_dtype<T>()) const {
    using Element = std::remove_cv_t<T>;
    if (dtype.bits != 8 * sizeof(Element)) return EINC_DLPACK_DTYPE;
    detail::Descriptor<Element, N> descriptor;
    const int writable = MemRef<T, N>::writable ? 1 : 0;
    const einc_status status =
        unversioned_ != nullptr
            ? einc_dl_import_unversioned(unversioned_, dtype, N, writable, &descriptor)
            : einc_dl_import(versioned_, dtype, N, writable, &descriptor);
    if (status != EINC_OK) return status;
    return MemRef<T, N>::from(descriptor);
  }

 private:
  einc_dl_managed_versioned *versioned_ = nullptr;
  einc_dl_managed *unversioned_ = nullptr;
};

namespace detail {

// Calls export_with(release, context) so that `keep_alive` lives until the tensor is deleted.
template <class F>
einc_status export_keeping(std::shared_ptr<const void> keep_alive, F &&export_with) {
  using Holder = std::shared_ptr<const void>;
  if (keep_alive == nullptr) return export_with(nullptr, nullptr);
  Holder *holder = new (std::nothrow) Holder(std::move(keep_alive));
  if (holder == nullptr) return EINC_OUT_OF_MEMORY;
  const auto release = [](void *context) { delete static_cast<Holder *>(context); };
  const einc_status status = export_with(release, holder);
  if (status != EINC_OK) delete holder;  // else the tensor owns it
  return status;
}

}  // namespace detail

// A managed tensor that shows the view's elements and keeps `keep_alive`, if it is given, until its
// deleter is called. A view of const T is flagged as read-only.
// Failures: OUT_OF_MEMORY; DLPACK_DTYPE if T has not the size of `dtype`; those of einc_dl_export.
template <class T, int N>
Result<einc_dl_managed_versioned *> to_dlpack(const MemRef<T, N> &view,
                                              std::shared_ptr<const void> keep_alive = nullptr,
                                              einc_dl_dtype dtype = dlpack_dtype<T>()) {
  if (dtype.bits != 8 * sizeof(T)) return EINC_DLPACK_DTYPE;
  einc_dl_managed_versioned *managed = nullptr;
  const int read_only = MemRef<T, N>::writable ? 0 : 1;
  const einc_status status =
      detail::export_keeping(std::move(keep_alive), [&](void (*release)(void *), void *context) {
        return einc_dl_export(&view, N, dtype, read_only, release, context, &managed);
      });
  if (status != EINC_OK) return status;
  return managed;
}

// The same in the older form, which cannot say read-only.
template <class T, int N>
Result<einc_dl_managed *> to_dlpack_unversioned(const MemRef<T, N> &view,
                                                std::shared_ptr<const void> keep_alive = nullptr,
                                                einc_dl_dtype dtype = dlpack_dtype<T>()) {
  static_assert(MemRef<T, N>::writable, "the older DLPack form cannot say read-only");
  if (dtype.bits != 8 * sizeof(T)) return EINC_DLPACK_DTYPE;
  einc_dl_managed *managed = nullptr;
  const einc_status status =
      detail::export_keeping(std::move(keep_alive), [&](void (*release)(void *), void *context) {
        return einc_dl_export_unversioned(&view, N, dtype, release, context, &managed);
      });
  if (status != EINC_OK) return status;
  return managed;
}

}  // namespace einc

#endif  // EINC_RUNTIME_DLPACK_HPP_
