// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// einc::MemRef<T, N>: a view of N-dimensional strided data for C++17.
//
//   std::vector<float> buffer(6 * 8);
//   einc::MemRef<float, 2> a(buffer.data(), {6, 8});            // row-major
//   auto odd = a.slice(1, 1, 8, 2);                             // Result: columns 1, 3, 5, 7
//   if (!odd) return odd.status();
//   einc_status status = kernel(a, *odd);                       // C++ overloads take views
//   auto descriptor = odd->as<einc_memref_f32_2>();             // what C functions take
//
// A MemRef is, byte for byte, the C descriptor of memref.h. It owns nothing: the data must outlive
// it. Copying it copies the view, not the elements. Offset, sizes and strides count elements. As
// with pointers, MemRef<const T, N> reads only; MemRef<T, N> converts to it, and a const MemRef<T,
// N> still writes elements.
//
// Every view holds: sizes are not negative; the elements can be addressed without overflow and are
// aligned; data is not null if there are elements; and, unless T is const, no two indices name
// one element. Operations check their arguments and return a Result; they allocate nothing.
// Only the caller knows how large the memory is: use make_within to have that checked too.
#ifndef EINC_RUNTIME_MEMREF_HPP_
#define EINC_RUNTIME_MEMREF_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "runtime/layout.h"
#include "runtime/memref.h"
#include "runtime/result.hpp"
#include "runtime/status.h"

namespace einc {

template <int N>
using Sizes = std::array<std::int64_t, static_cast<std::size_t>(N)>;

namespace detail {

template <class T, int N>
struct Descriptor {
  T *allocated, *aligned;
  std::int64_t offset, sizes[N], strides[N];

  std::int64_t size(int d) const { return sizes[d]; }
  std::int64_t stride(int d) const { return strides[d]; }
};

template <class T>
struct Descriptor<T, 0> {
  T *allocated, *aligned;
  std::int64_t offset;

  std::int64_t size(int) const { return 1; }
  std::int64_t stride(int) const { return 0; }
};

// Whether D::aligned, if there is such a member, points to T.
template <class D, class T, class = void>
struct PointsTo : std::true_type {};
template <class D, class T>
struct PointsTo<D, T, std::void_t<decltype(D::aligned)>>
    : std::is_same<std::remove_cv_t<std::remove_pointer_t<decltype(D::aligned)>>, T> {};

}  // namespace detail

template <class T, int N>
class MemRef {
  static_assert(N >= 0 && N <= EINC_MAX_RANK, "the rank must be in 0..EINC_MAX_RANK");
  static_assert(std::is_trivially_copyable<T>::value, "elements are plain data");

 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  static constexpr int rank = N;
  static constexpr bool writable = !std::is_const<T>::value;

  // --- Making a view. Failures: NEGATIVE_SIZE, OVERFLOW, NULL_DATA, MISALIGNED, WOULD_ALIAS.

  // Null data; all sizes 0. At rank 0, which always has one element, data() stays null.
  MemRef() : d_() {}

  // The constructors are the factories below followed by value(): bad arguments abort.
  MemRef(T *data, const Sizes<N> &sizes) : MemRef(make(data, sizes).value()) {}
  MemRef(T *data, const Sizes<N> &sizes, const Sizes<N> &strides, std::int64_t offset = 0)
      : MemRef(make(data, sizes, strides, offset).value()) {}

  // The same elements, read only.
  template <class U, class = std::enable_if_t<std::is_same<const U, T>::value>>
  MemRef(const MemRef<U, N> &other) : d_() {
    std::memcpy(&d_, &other, sizeof(d_));
  }

  // Row-major.
  static Result<MemRef> make(T *data, const Sizes<N> &sizes) {
    einc_layout layout;
    const einc_status status = einc_layout_row_major(N, sizes.data(), &layout);
    if (status != EINC_OK) return status;
    return checked(data, data, layout);
  }

  // Element (i0, i1, ...) is data[offset + i0 * strides[0] + ...].
  static Result<MemRef> make(T *data, const Sizes<N> &sizes, const Sizes<N> &strides,
                             std::int64_t offset = 0) {
    einc_layout layout;
    const einc_status status = einc_layout_make(N, sizes.data(), strides.data(), offset, &layout);
    if (status != EINC_OK) return status;
    return checked(data, data, layout);
  }

  // The same, and OUT_OF_RANGE if an element would lie outside data[0] ... data[count - 1].
  static Result<MemRef> make_within(T *data, std::int64_t count, const Sizes<N> &sizes,
                                    const Sizes<N> &strides, std::int64_t offset = 0) {
    const Result<MemRef> result = make(data, sizes, strides, offset);
    std::int64_t low = 0, high = 0;
    if (!result) return result;
    const einc_layout layout = result->layout();
    const einc_status status = einc_layout_range(&layout, &low, &high);
    if (status != EINC_OK) return status;
    if (low != high && (low < 0 || high > count)) return EINC_OUT_OF_RANGE;
    return result;
  }

  // From a descriptor of the same element type and rank, the C struct or MLIR's.
  template <class D>
  static Result<MemRef> from(const D &descriptor) {
    check_descriptor<D>();
    detail::Descriptor<T, N> d;
    std::memcpy(&d, &descriptor, sizeof(d));
    einc_layout layout;
    const einc_status status = einc_memref_layout(&d, N, &layout);
    if (status != EINC_OK) return status;
    return checked(d.allocated, d.aligned, layout);
  }

  // --- Handing it to C.

  // The descriptor, for any kernel parameter. einc_memref_f32_2 d = view.as<einc_memref_f32_2>();
  template <class D>
  D as() const {
    static_assert(writable, "a read-only view can only be an input: use as_input");
    return as_input<D>();
  }

  // The descriptor, for parameters that the kernel only reads (const D *).
  template <class D>
  D as_input() const {
    check_descriptor<D>();
    D descriptor;
    std::memcpy(&descriptor, &d_, sizeof(d_));
    return descriptor;
  }

  // --- Asking.

  std::int64_t size(int d) const { return require_dim(d), d_.size(d); }
  std::int64_t extent(int d) const { return size(d); }  // as std::mdspan calls it
  std::int64_t stride(int d) const { return require_dim(d), d_.stride(d); }
  std::int64_t offset() const { return d_.offset; }
  T *allocated() const { return d_.allocated; }
  T *aligned() const { return d_.aligned; }

  // Element (0, 0, ...); of an empty view, `aligned` (not to be read).
  T *data() const { return empty() ? d_.aligned : d_.aligned + d_.offset; }
  T *data_handle() const { return data(); }  // as std::mdspan calls it

  bool empty() const {
    for (int d = 0; d < N; ++d) {
      if (d_.size(d) == 0) return true;
    }
    return N == 0 && d_.aligned == nullptr;
  }

  // The number of elements.
  std::int64_t count() const {
    std::int64_t product = empty() ? 0 : 1;
    for (int d = 0; d < N && product != 0; ++d) product *= d_.size(d);
    return product;
  }

  Sizes<N> sizes() const {
    Sizes<N> result{};
    for (int d = 0; d < N; ++d) result[static_cast<std::size_t>(d)] = d_.size(d);
    return result;
  }

  Sizes<N> strides() const {
    Sizes<N> result{};
    for (int d = 0; d < N; ++d) result[static_cast<std::size_t>(d)] = d_.stride(d);
    return result;
  }

  einc_layout layout() const {
    einc_layout layout = {};
    einc_memref_layout(&d_, N, &layout);
    return layout;
  }

  // --- Elements.

  // Element (i0, i1, ...). An index outside aborts with a message.
  template <class... Index>
  T &operator()(Index... index) const {
    static_assert(sizeof...(Index) == static_cast<std::size_t>(N), "one index a dimension");
    static_assert((std::is_integral<Index>::value && ...), "indices are integers");
    return *at({static_cast<std::int64_t>(index)...}).value();
  }

  // The address of an element, or OUT_OF_RANGE.
  Result<T *> at(const Sizes<N> &index) const {
    if (N == 0 && empty()) return EINC_NULL_DATA;
    std::int64_t position = d_.offset;
    for (int d = 0; d < N; ++d) {
      const std::int64_t i = index[static_cast<std::size_t>(d)];
      if (i < 0 || i >= d_.size(d)) return EINC_OUT_OF_RANGE;
    }
    for (int d = 0; d < N; ++d) position += index[static_cast<std::size_t>(d)] * d_.stride(d);
    return d_.aligned + position;
  }

  // --- Views of the same data. layout.h has each one's exact rule and failures.

  // Elements start, start + step, ... before stop: stop = -1 with a negative step ends at element
  // 0.
  Result<MemRef> slice(int dim, std::int64_t start, std::int64_t stop,
                       std::int64_t step = 1) const {
    return view<T, N>(einc_layout_slice, dim, start, stop, step);
  }

  // sizes[d] elements from offsets[d] on, steps[d] apart. WOULD_ALIAS for a writable step 0.
  Result<MemRef> subview(const Sizes<N> &offsets, const Sizes<N> &sizes,
                         const Sizes<N> &steps) const {
    return view<T, N>(einc_layout_subview, offsets.data(), sizes.data(), steps.data());
  }
  Result<MemRef> subview(const Sizes<N> &offsets, const Sizes<N> &sizes) const {
    Sizes<N> ones{};
    ones.fill(1);
    return subview(offsets, sizes, ones);
  }

  // Dimension d of the result is dimension permutation[d] of this view.
  Result<MemRef> transpose(const std::array<int, static_cast<std::size_t>(N)> &permutation) const {
    return view<T, N>(einc_layout_transpose, permutation.data());
  }

  Result<MemRef> reverse(int dim) const { return view<T, N>(einc_layout_reverse, dim); }

  // NumPy's broadcasting, to rank M >= N. Read only, since elements repeat: a.broadcast<3>({2, 3,
  // 4}).
  template <int M>
  Result<MemRef<const T, M>> broadcast(const Sizes<M> &sizes) const {
    return view<const T, M>(einc_layout_broadcast, M, sizes.data());
  }

  // The same elements, in row-major order, under other sizes: a.reshape<1>({12}). NOT_CONTIGUOUS
  // only if no strides can express it; a view need not be contiguous as a whole.
  template <int M>
  Result<MemRef<T, M>> reshape(const Sizes<M> &sizes) const {
    return view<T, M>(einc_layout_reshape, M, sizes.data());
  }

  // Dimensions First..Last become one; NOT_CONTIGUOUS as in reshape.
  template <int First, int Last>
  Result<MemRef<T, N - (Last - First)>> collapse() const {
    static_assert(0 <= First && First <= Last && Last < N, "a range of dimensions");
    constexpr int M = N - (Last - First);
    einc_layout merged = layout();
    einc_layout rest;
    const einc_status status =
        einc_layout_make(Last - First + 1, merged.sizes + First, merged.strides + First, 0, &rest);
    if (status != EINC_OK) return status;
    Sizes<M> sizes{};
    for (int d = 0; d < M; ++d) {
      sizes[static_cast<std::size_t>(d)] = merged.sizes[d < First ? d : d + (Last - First)];
    }
    const einc_status counted = einc_layout_count(&rest, &sizes[static_cast<std::size_t>(First)]);
    if (counted != EINC_OK) return counted;
    return reshape<M>(sizes);
  }

  // Element `index` of dimension Dim, which disappears. OUT_OF_RANGE.
  template <int Dim>
  Result<MemRef<T, N - 1>> select(std::int64_t index) const {
    static_assert(0 <= Dim && Dim < N, "a dimension of this view");
    if (index < 0 || index >= size(Dim)) return EINC_OUT_OF_RANGE;
    return slice(Dim, index, index + 1).and_then([](const MemRef &one) {
      return one.template squeeze<Dim>();
    });
  }

  // Leaves out dimension Dim, which must have size 1, else SIZE_MISMATCH.
  template <int Dim>
  Result<MemRef<T, N - 1>> squeeze() const {
    static_assert(0 <= Dim && Dim < N, "a dimension of this view");
    if (size(Dim) != 1) return EINC_SIZE_MISMATCH;
    einc_layout result = layout();
    result.rank = N - 1;
    for (int d = Dim; d < N - 1; ++d) {
      result.sizes[d] = result.sizes[d + 1];
      result.strides[d] = result.strides[d + 1];
    }
    return MemRef<T, N - 1>::wrap(d_.allocated, d_.aligned, result);
  }

  // Adds a dimension of size 1 before dimension Dim; after all if Dim is N.
  template <int Dim>
  Result<MemRef<T, N + 1>> expand() const {
    static_assert(0 <= Dim && Dim <= N, "a place for a new dimension");
    if (N == 0 && empty()) return EINC_NULL_DATA;
    einc_layout result = layout();
    result.rank = N + 1;
    for (int d = N; d > Dim; --d) {
      result.sizes[d] = result.sizes[d - 1];
      result.strides[d] = result.strides[d - 1];
    }
    result.sizes[Dim] = result.strides[Dim] = 1;
    return MemRef<T, N + 1>::wrap(d_.allocated, d_.aligned, result);
  }

 private:
  template <class U, int M>
  friend class MemRef;

  template <class D>
  static void check_descriptor() {
    static_assert(std::is_standard_layout<D>::value && std::is_trivially_copyable<D>::value &&
                      sizeof(D) == sizeof(MemRef) && alignof(D) == alignof(MemRef),
                  "D must be a strided memref descriptor of this rank");
    static_assert(detail::PointsTo<D, value_type>::value,
                  "D must be a descriptor of this element type");
  }

  // Without checks, for layouts that hold what every view holds.
  static MemRef wrap(T *allocated, T *aligned, const einc_layout &layout) {
    MemRef result;
    const auto plain = [](T *p) {
      return const_cast<void *>(static_cast<const volatile void *>(p));
    };
    einc_memref_set(&result.d_, plain(allocated), plain(aligned), &layout);
    return result;
  }

  static Result<MemRef> checked(T *allocated, T *aligned, const einc_layout &layout) {
    const MemRef result = wrap(allocated, aligned, layout);
    const einc_status status =
        einc_memref_check(&result.d_, N, sizeof(T), alignof(T), writable ? 1 : 0);
    if (status != EINC_OK) return status;
    return result;
  }

  // The view that a function of layout.h gives. Parts of a view hold what the view holds, but
  // for a step 0, so a changed layout is only checked again where it might repeat elements.
  template <class U, int M, class F, class... Args>
  Result<MemRef<U, M>> view(F *function, Args... args) const {
    einc_layout result = layout();
    if (N == 0 && empty()) return EINC_NULL_DATA;
    const einc_status status = function(&result, args..., &result);
    if (status != EINC_OK) return status;
    if (MemRef<U, M>::writable && repeats(result)) return EINC_WOULD_ALIAS;
    return MemRef<U, M>::wrap(d_.allocated, d_.aligned, result);
  }

  static bool repeats(const einc_layout &layout) {
    bool repeats = false;
    for (int d = 0; d < layout.rank; ++d) {
      if (layout.sizes[d] == 0) return false;
      repeats = repeats || (layout.sizes[d] > 1 && layout.strides[d] == 0);
    }
    return repeats;
  }

  static void require_dim(int d) {
    if (d >= 0 && d < N) return;
    std::fprintf(stderr, "einc: dimension %d of a view of rank %d\n", d, N);
    std::abort();
  }

  detail::Descriptor<T, N> d_;
};

}  // namespace einc

#endif  // EINC_RUNTIME_MEMREF_HPP_
