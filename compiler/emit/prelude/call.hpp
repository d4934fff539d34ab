/* What the overloads below take, and how it becomes what C functions take. */
#ifndef EINC_CALL_NAMES
#define EINC_CALL_NAMES

#include <cstddef>
#include <cstdint>
#include <cstring>
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
template <class Element, std::size_t Rank>
class View {
 public:
  static constexpr std::size_t rank() noexcept { return Rank; }
  template <class... Sizes>
  explicit constexpr View(Element *data, Sizes... sizes) noexcept
      : data_(data), sizes_{static_cast<std::int64_t>(sizes)..., 1} {
    static_assert(sizeof...(Sizes) == Rank, "a size for each dimension");
  }
  constexpr Element *data_handle() const noexcept { return data_; }
  constexpr std::int64_t extent(std::size_t d) const noexcept { return sizes_[d]; }
  constexpr std::int64_t stride(std::size_t d) const noexcept {
    std::uint64_t stride = 1;
    while (++d < Rank) stride *= static_cast<std::uint64_t>(sizes_[d]);
    return static_cast<std::int64_t>(stride);
  }

 private:
  Element *data_;
  std::int64_t sizes_[Rank + 1];
};

template <class Element, class... Sizes>
constexpr View<Element, sizeof...(Sizes)> view(Element *data, Sizes... sizes) noexcept {
  return View<Element, sizeof...(Sizes)>(data, sizes...);
}

} /* namespace einc */

#endif

/* The rest is for the overloads; headers of other versions of einc may have another one beside it. */
#ifndef EINC_CALL_1
#define EINC_CALL_1

namespace einc {
namespace call_1 {

/* Elements that C has as integers; of all others, the type in C is the type. */
struct f16 {};
struct bf16 {};
struct boolean {};
struct halves {}; /* two in a byte: of these, C++ arrays do not say how many there are */

template <class Kind, class Stored, class Given>
inline constexpr bool is_element =
    std::is_same_v<Stored, Given> ||
    (std::is_void_v<Kind> && std::is_integral_v<Stored> && std::is_integral_v<Given> &&
     !std::is_same_v<Given, bool> && std::is_signed_v<Stored> == std::is_signed_v<Given> &&
     sizeof(Stored) == sizeof(Given));
template <class Stored>
inline constexpr bool is_element<boolean, Stored, bool> = sizeof(bool) == sizeof(Stored);
#if defined(__STDCPP_FLOAT16_T__) || (defined(__clang__) && defined(__FLT16_MANT_DIG__))
template <class Stored>
inline constexpr bool is_element<f16, Stored, _Float16> = true;
#endif
#if defined(__STDCPP_BFLOAT16_T__)
template <class Stored>
inline constexpr bool is_element<bf16, Stored, __bf16> = true;
#endif

/* Of a descriptor. */
template <class Memref>
using element_of = std::remove_pointer_t<decltype(Memref::aligned)>;
template <class Memref, class = void>
inline constexpr std::size_t rank_of = 0;
template <class Memref>
inline constexpr std::size_t rank_of<Memref, std::void_t<decltype(Memref::sizes)>> =
    std::extent_v<decltype(Memref::sizes)>;

/* The number of a dimension, in the type that is asked for. */
struct Dimension {
  std::size_t number;
  template <class Number, class = std::enable_if_t<std::is_integral_v<Number>>>
  constexpr operator Number() const {
    return static_cast<Number>(number);
  }
};

/* Like std::mdspan: extent(i), stride(i), data_handle(), whose elements are where they seem to be. */
template <class Given, class = void>
inline constexpr bool has_proxies = false;
template <class Given>
inline constexpr bool has_proxies<Given, std::void_t<typename Given::reference>> =
    !std::is_lvalue_reference_v<typename Given::reference>;
template <class Given, class = void>
inline constexpr bool is_strided = false;
template <class Given>
inline constexpr bool is_strided<
    Given,
    std::void_t<decltype(static_cast<std::int64_t>(std::declval<Given &>().extent(Dimension{0}))),
                decltype(static_cast<std::int64_t>(std::declval<Given &>().stride(Dimension{0}))),
                decltype(*std::declval<Given &>().data_handle())>> = !has_proxies<Given>;

/* The rank, where the type says it; -1 where it does not. */
template <class Given>
constexpr auto rank_said(int) -> std::integral_constant<long, static_cast<long>(Given::rank())>;
template <class Given>
constexpr auto rank_said(long) -> std::integral_constant<long, static_cast<long>(Given::rank)>;
template <class Given>
constexpr auto rank_said(...) -> std::integral_constant<long, -1>;
template <class Given, std::size_t Rank>
inline constexpr bool may_have_rank =
    decltype(rank_said<Given>(0))::value == static_cast<long>(Rank) ||
    decltype(rank_said<Given>(0))::value == -1;

/* A vector, an array, a span. */
template <class Given, class = void>
inline constexpr bool is_range = false;
template <class Given>
inline constexpr bool is_range<Given, std::void_t<decltype(*std::data(std::declval<Given &>())),
                                                  decltype(std::size(std::declval<Given &>()))>> =
    true;

template <class Kind, class Stored, bool IsWritten, class Element>
inline constexpr bool fits = is_element<Kind, Stored, std::remove_const_t<Element>> &&
                             !(IsWritten && std::is_const_v<Element>);

/* Whether Given, maybe const, can be passed for a tensor. */
template <class Given, class Memref, class Kind, bool IsWritten>
constexpr bool is_taken() {
  using Stored = element_of<Memref>;
  constexpr std::size_t kRank = rank_of<Memref>;
  if constexpr (std::is_same_v<std::remove_const_t<Given>, Memref>) {
    return true;
  } else if constexpr (is_strided<Given>) {
    using Element = std::remove_reference_t<decltype(*std::declval<Given &>().data_handle())>;
    return may_have_rank<std::remove_const_t<Given>, kRank> &&
           fits<Kind, Stored, IsWritten, Element>;
  } else if constexpr (std::is_array_v<Given>) {
    return std::rank_v<Given> == kRank && !std::is_same_v<Kind, halves> &&
           fits<Kind, Stored, IsWritten, std::remove_all_extents_t<Given>>;
  } else if constexpr (kRank == 1 && is_range<Given> && !std::is_same_v<Kind, halves>) {
    using Element = std::remove_reference_t<decltype(*std::data(std::declval<Given &>()))>;
    return fits<Kind, Stored, IsWritten, Element>;
  } else {
    return kRank == 0 && fits<Kind, Stored, IsWritten, Given>;
  }
}
template <class Given, class Memref, class Kind = void>
inline constexpr bool reads = is_taken<std::remove_reference_t<Given>, Memref, Kind, false>();
/* What is gone after the call can be written only if it is a view of something else. */
template <class Given, class Memref, class Kind = void>
inline constexpr bool writes =
    is_taken<std::conditional_t<std::is_lvalue_reference_v<Given>, std::remove_reference_t<Given>,
                                const std::remove_reference_t<Given>>,
             Memref, Kind, true>();

/* A descriptor; the pointers to it last as long as the expression they are in. */
template <class Memref>
struct Input {
  Memref descriptor;
  operator const Memref *() const { return &descriptor; }
};
template <class Memref>
struct Output {
  Memref descriptor;
  operator Memref *() { return &descriptor; }
};

template <class Array, std::size_t... Dimensions>
constexpr void sizes_of_array(std::int64_t *sizes, std::index_sequence<Dimensions...>) {
  ((sizes[Dimensions] = static_cast<std::int64_t>(std::extent_v<Array, Dimensions>)), ...);
}

template <class Memref, class Given>
Memref describe(Given &given) {
  constexpr std::size_t kRank = rank_of<Memref>;
  Memref result{};
  const auto set = [&result](const auto *data) {
    result.allocated = result.aligned =
        static_cast<element_of<Memref> *>(const_cast<void *>(static_cast<const void *>(data)));
  };
  if constexpr (std::is_same_v<std::remove_const_t<Given>, Memref>) {
    result = given;
  } else if constexpr (is_strided<Given>) {
    if constexpr (std::is_pointer_v<decltype(given.data_handle())>)
      set(given.data_handle());
    else
      set(&*given.data_handle());
    if constexpr (kRank > 0)
      for (std::size_t d = 0; d < kRank; ++d) {
        result.sizes[d] = static_cast<std::int64_t>(given.extent(Dimension{d}));
        result.strides[d] = static_cast<std::int64_t>(given.stride(Dimension{d}));
      }
  } else if constexpr (std::is_array_v<Given>) {
    set(&reinterpret_cast<const std::remove_all_extents_t<Given> &>(given));
    sizes_of_array<Given>(result.sizes, std::make_index_sequence<kRank>());
    result.strides[kRank - 1] = 1;
    for (std::size_t d = kRank - 1; d > 0; --d)
      result.strides[d - 1] = result.strides[d] * result.sizes[d];
  } else if constexpr (kRank == 1) {
    set(std::data(given));
    result.sizes[0] = static_cast<std::int64_t>(std::size(given));
    result.strides[0] = 1;
  } else {
    set(&given);
  }
  return result;
}
template <class Memref, class Given>
Input<Memref> in(Given &given) {
  return {describe<Memref>(given)};
}
template <class Memref, class Given>
Output<Memref> out(Given &given) {
  return {describe<Memref>(given)};
}

/* Numbers of an attribute: {2, 2}, an array, a pointer to them; or none, where that is allowed. */
template <class Stored, std::size_t>
using Repeated = Stored;
template <class Stored>
struct Never {
  Never() = delete;
  operator Stored() const;
};
template <class Stored, bool IsOptional, class Kind, class Places>
class NumbersAt;
template <class Stored, bool IsOptional, class Kind, std::size_t... Places>
class NumbersAt<Stored, IsOptional, Kind, std::index_sequence<Places...>> {
  static constexpr std::size_t kCount = sizeof...(Places);
  using Plain = std::conditional_t<std::is_void_v<Kind>, Stored, Never<Stored>>;
  template <class Given>
  using Pointed = std::remove_const_t<std::remove_pointer_t<Given>>;

 public:
  template <bool IsAllowed = IsOptional, class = std::enable_if_t<IsAllowed>>
  NumbersAt() : given_(nullptr), own_{} {}
  template <class Null,
            class = std::enable_if_t<std::is_same_v<Null, std::nullptr_t> && IsOptional>>
  NumbersAt(Null) : given_(nullptr), own_{} {}
  /* In braces a number that does not fit does not compile. */
  NumbersAt(Repeated<Plain, Places>... numbers)
      : given_(nullptr), own_{static_cast<Stored>(numbers)...}, is_own_(true) {}
  template <class... Given,
            class = std::enable_if_t<sizeof...(Given) == kCount && !std::is_void_v<Kind> &&
                                     (is_element<Kind, Stored, Given> && ...)>,
            class = void>
  NumbersAt(Given... numbers) : given_(nullptr), own_{bits(numbers)...}, is_own_(true) {}
  template <class Element, std::size_t Length,
            class = std::enable_if_t<Length == kCount && is_element<Kind, Stored, Element>>>
  NumbersAt(const Element (&array)[Length])
      : given_(reinterpret_cast<const Stored *>(array)), own_{} {}
  template <class Array,
            class = std::enable_if_t<std::tuple_size<Array>::value == kCount &&
                                     is_element<Kind, Stored, typename Array::value_type>>>
  NumbersAt(const Array &array)
      : given_(reinterpret_cast<const Stored *>(std::data(array))), own_{} {}
  template <class Pointer,
            class = std::enable_if_t<std::is_pointer_v<Pointer> &&
                                     is_element<Kind, Stored, Pointed<Pointer>>>,
            class = void, class = void>
  NumbersAt(const Pointer &numbers) : given_(reinterpret_cast<const Stored *>(numbers)), own_{} {}

  const Stored *get() const { return is_own_ ? own_ : given_; }

 private:
  template <class Given>
  static Stored bits(const Given &number) {
    Stored result;
    static_assert(sizeof result == sizeof number, "the same storage");
    std::memcpy(&result, &number, sizeof result);
    return result;
  }

  const Stored *given_;
  Stored own_[kCount];
  bool is_own_ = false;
};
template <class Stored, std::size_t Count, bool IsOptional, class Kind = void>
using Numbers = NumbersAt<Stored, IsOptional, Kind, std::make_index_sequence<Count>>;

/* Any number of numbers of an attribute: {1, 2, 3}, a vector, an array. */
template <class Stored, class Kind = void>
class List {
 public:
  List(std::initializer_list<Stored> numbers) : size_(numbers.size()) { data_ = numbers.begin(); }
  template <
      class Range,
      class Element = std::remove_reference_t<decltype(*std::data(std::declval<const Range &>()))>,
      class = std::enable_if_t<is_element<Kind, Stored, std::remove_const_t<Element>>>>
  List(const Range &numbers)
      : data_(reinterpret_cast<const Stored *>(std::data(numbers))), size_(std::size(numbers)) {}

  const Stored *data() const { return data_; }
  std::int64_t size() const { return static_cast<std::int64_t>(size_); }

 private:
  const Stored *data_ = nullptr;
  std::size_t size_;
};

#if defined(__cpp_exceptions)
inline void throw_unless_ok(einc_status status, const char *function) {
  if (status != EINC_OK)
    throw Error(status, std::string(function) + ": " + einc_status_string(status));
}
#endif

} /* namespace call_1 */
} /* namespace einc */

#endif
