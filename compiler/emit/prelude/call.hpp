/* What the overloads below take, and how it becomes what C functions take. */
#ifndef EINC_CALL_HPP
#define EINC_CALL_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace einc {

/* The first argument of a call that throws an einc::Error where others return a status. */
struct Throwing {};
inline constexpr Throwing throwing{};

class Error : public std::runtime_error {
 public:
  Error(einc_status status, const std::string &text) : std::runtime_error(text), status_(status) {}
  einc_status status() const noexcept { return status_; }

 private:
  einc_status status_;
};

/* Elements behind a pointer, row by row without gaps: einc::view(data, 2, 3). It owns nothing. */
template <class T, std::size_t N>
class View {
 public:
  static constexpr std::size_t rank() noexcept { return N; }
  template <class... Sizes>
  explicit constexpr View(T *data, Sizes... sizes) noexcept
      : data_(data), sizes_{static_cast<std::int64_t>(sizes)..., 1} {}
  constexpr T *data_handle() const noexcept { return data_; }
  constexpr std::int64_t extent(std::size_t d) const noexcept { return sizes_[d]; }
  constexpr std::int64_t stride(std::size_t d) const noexcept {
    std::uint64_t stride = 1;
    while (++d < N) stride *= static_cast<std::uint64_t>(sizes_[d]);
    return static_cast<std::int64_t>(stride);
  }

 private:
  T *data_;
  std::int64_t sizes_[N + 1];
};

template <class T, class... Sizes>
constexpr View<T, sizeof...(Sizes)> view(T *data, Sizes... sizes) noexcept {
  return View<T, sizeof...(Sizes)>(data, sizes...);
}

namespace call {

/* Elements that C has as integers; of all others, the type in C is the type. */
struct f16 {};
struct bf16 {};
struct boolean {};
struct halves {}; /* two in a byte: of these, C++ arrays do not say how many there are */

template <class Kind, class C, class U>
inline constexpr bool is_element =
    std::is_same_v<C, U> || (std::is_void_v<Kind> && std::is_integral_v<C> &&
                             std::is_integral_v<U> && !std::is_same_v<U, bool> &&
                             std::is_signed_v<C> == std::is_signed_v<U> && sizeof(C) == sizeof(U));
template <class C>
inline constexpr bool is_element<boolean, C, bool> = sizeof(bool) == sizeof(C);
#if defined(__STDCPP_FLOAT16_T__) || (defined(__clang__) && defined(__FLT16_MANT_DIG__))
template <class C>
inline constexpr bool is_element<f16, C, _Float16> = true;
#endif
#if defined(__STDCPP_BFLOAT16_T__)
template <class C>
inline constexpr bool is_element<bf16, C, __bf16> = true;
#endif

/* Of a descriptor. */
template <class D>
using element_of = std::remove_pointer_t<decltype(D::aligned)>;
template <class D, class = void>
inline constexpr std::size_t rank_of = 0;
template <class D>
inline constexpr std::size_t rank_of<D, std::void_t<decltype(D::sizes)>> =
    std::extent_v<decltype(D::sizes)>;

/* Like std::mdspan: extent(i), stride(i), data_handle(); the rank, where the type says it. */
template <class X, class = void>
inline constexpr bool is_strided = false;
template <class X>
inline constexpr bool is_strided<
    X, std::void_t<decltype(std::declval<X &>().extent(0)), decltype(std::declval<X &>().stride(0)),
                   decltype(*std::declval<X &>().data_handle())>> = true;
template <class X>
constexpr auto rank_said(int) -> std::integral_constant<long, static_cast<long>(X::rank())>;
template <class X>
constexpr auto rank_said(long) -> std::integral_constant<long, static_cast<long>(X::rank)>;
template <class X>
constexpr auto rank_said(...) -> std::integral_constant<long, -1>;
template <class X, std::size_t N>
inline constexpr bool may_have_rank = decltype(rank_said<X>(0))::value == static_cast<long>(N) ||
                                      decltype(rank_said<X>(0))::value == -1;

/* A vector, an array, a span. */
template <class X, class = void>
inline constexpr bool is_range = false;
template <class X>
inline constexpr bool is_range<X, std::void_t<decltype(*std::data(std::declval<X &>())),
                                              decltype(std::size(std::declval<X &>()))>> = true;

template <class Kind, class C, bool IsWritten, class U>
inline constexpr bool fits =
    is_element<Kind, C, std::remove_const_t<U>> && !(IsWritten && std::is_const_v<U>);

/* Whether X, maybe const, can be passed for a tensor whose descriptor is D. */
template <class X, class D, class Kind, bool IsWritten>
constexpr bool is_taken() {
  using C = element_of<D>;
  constexpr std::size_t N = rank_of<D>;
  if constexpr (std::is_same_v<std::remove_const_t<X>, D>) {
    return true;
  } else if constexpr (is_strided<X>) {
    using U = std::remove_reference_t<decltype(*std::declval<X &>().data_handle())>;
    return may_have_rank<std::remove_const_t<X>, N> && fits<Kind, C, IsWritten, U>;
  } else if constexpr (std::is_array_v<X>) {
    return std::rank_v<X> == N && !std::is_same_v<Kind, halves> &&
           fits<Kind, C, IsWritten, std::remove_all_extents_t<X>>;
  } else if constexpr (N == 1 && is_range<X> && !std::is_same_v<Kind, halves>) {
    using U = std::remove_reference_t<decltype(*std::data(std::declval<X &>()))>;
    return fits<Kind, C, IsWritten, U>;
  } else {
    return N == 0 && fits<Kind, C, IsWritten, X>;
  }
}
template <class X, class D, class Kind = void>
inline constexpr bool reads = is_taken<std::remove_reference_t<X>, D, Kind, false>();
template <class X, class D, class Kind = void>
inline constexpr bool writes = is_taken<std::remove_reference_t<X>, D, Kind, true>();

/* A descriptor; the pointers to it last as long as the expression they are in. */
template <class D>
struct Input {
  D descriptor;
  operator const D *() const { return &descriptor; }
};
template <class D>
struct Output {
  D descriptor;
  operator D *() { return &descriptor; }
};

/* The number of a dimension, in the type that is asked for. */
struct Dimension {
  std::size_t number;
  template <class I, class = std::enable_if_t<std::is_integral_v<I>>>
  constexpr operator I() const {
    return static_cast<I>(number);
  }
};

template <class X, std::size_t... D>
constexpr void sizes_of_array(std::int64_t *sizes, std::index_sequence<D...>) {
  ((sizes[D] = static_cast<std::int64_t>(std::extent_v<X, D>)), ...);
}

template <class D, class X>
D describe(X &x) {
  constexpr std::size_t N = rank_of<D>;
  D d{};
  const auto set = [&d](const auto *data) {
    d.allocated = d.aligned =
        static_cast<element_of<D> *>(const_cast<void *>(static_cast<const void *>(data)));
  };
  if constexpr (std::is_same_v<std::remove_const_t<X>, D>) {
    d = x;
  } else if constexpr (is_strided<X>) {
    if constexpr (std::is_pointer_v<decltype(x.data_handle())>)
      set(x.data_handle());
    else
      set(&*x.data_handle());
    for (std::size_t i = 0; i < N; ++i) {
      d.sizes[i] = static_cast<std::int64_t>(x.extent(Dimension{i}));
      d.strides[i] = static_cast<std::int64_t>(x.stride(Dimension{i}));
    }
  } else if constexpr (std::is_array_v<X>) {
    set(&reinterpret_cast<const std::remove_all_extents_t<X> &>(x));
    sizes_of_array<X>(d.sizes, std::make_index_sequence<N>());
    d.strides[N - 1] = 1;
    for (std::size_t i = N - 1; i > 0; --i) d.strides[i - 1] = d.strides[i] * d.sizes[i];
  } else if constexpr (N == 1) {
    set(std::data(x));
    d.sizes[0] = static_cast<std::int64_t>(std::size(x));
    d.strides[0] = 1;
  } else {
    set(&x);
  }
  return d;
}
template <class D, class X>
Input<D> in(X &x) {
  return {describe<D>(x)};
}
template <class D, class X>
Output<D> out(X &x) {
  return {describe<D>(x)};
}

/* N numbers of an attribute: {2, 2}, an array, a pointer to them; or none, where that is allowed. */
template <class T, std::size_t N, bool IsOptional, class Kind = void>
class Numbers {
  template <class U>
  static constexpr bool is_number =
      std::is_void_v<Kind> ? std::is_arithmetic_v<U> : is_element<Kind, T, U>;

 public:
  template <bool B = IsOptional, class = std::enable_if_t<B>>
  Numbers(std::nullptr_t = nullptr) : given_(nullptr), own_{} {}
  template <class... U, class = std::enable_if_t<sizeof...(U) == N && (is_number<U> && ...)>>
  Numbers(U... numbers) : given_(nullptr), own_{bits(numbers)...}, is_own_(true) {}
  template <class R, class = std::enable_if_t<std::tuple_size<R>::value == N &&
                                              is_element<Kind, T, typename R::value_type>>>
  Numbers(const R &array) : given_(reinterpret_cast<const T *>(std::data(array))), own_{} {}
  template <class U, class = std::enable_if_t<is_element<Kind, T, U>>>
  Numbers(const U *numbers) : given_(reinterpret_cast<const T *>(numbers)), own_{} {}

  const T *get() const { return is_own_ ? own_ : given_; }

 private:
  template <class U>
  static T bits(const U &number) {
    if constexpr (std::is_void_v<Kind> || std::is_same_v<Kind, boolean>)
      return static_cast<T>(number);
    else
      return reinterpret_cast<const T &>(number);
  }

  const T *given_;
  T own_[N];
  bool is_own_ = false;
};

/* Any number of numbers of an attribute: {1, 2, 3}, a vector, an array. */
template <class T, class Kind = void>
class List {
 public:
  List(std::initializer_list<T> numbers) : size_(numbers.size()) { data_ = numbers.begin(); }
  template <class R,
            class U = std::remove_reference_t<decltype(*std::data(std::declval<const R &>()))>,
            class = std::enable_if_t<is_element<Kind, T, std::remove_const_t<U>>>>
  List(const R &numbers)
      : data_(reinterpret_cast<const T *>(std::data(numbers))), size_(std::size(numbers)) {}

  const T *data() const { return data_; }
  std::int64_t size() const { return static_cast<std::int64_t>(size_); }

 private:
  const T *data_ = nullptr;
  std::size_t size_;
};

#if defined(__cpp_exceptions)
inline void throw_unless_ok(einc_status status, const char *function) {
  if (status != EINC_OK)
    throw Error(status, std::string(function) + ": " + einc_status_string(status));
}
#endif

} /* namespace call */
} /* namespace einc */

#endif
