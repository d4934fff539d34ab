// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// einc::Result<T>: a value, or the einc_status that says why there is none. No exceptions.
//
//   einc::Result<einc::MemRef<float, 2>> row = a.slice(0, 1, 2, 1);
//   if (!row) return row.status();
//   use(*row);
//
// value(), * and -> on a result without a value are a mistake in the calling program: they print
// the status to stderr and abort.
#ifndef EINC_RUNTIME_RESULT_HPP_
#define EINC_RUNTIME_RESULT_HPP_

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>

#include "runtime/status.h"

namespace einc {

template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : value_(std::move(value)) {}
  // A status other than EINC_OK; EINC_OK has to come with a value.
  Result(einc_status status) : status_(status) {
    if (status == EINC_OK) die("Result needs a value, not only the status");
  }

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  einc_status status() const { return status_; }

  T &value() & {
    require();
    return *value_;
  }
  const T &value() const & {
    require();
    return *value_;
  }
  T &&value() && {
    require();
    return std::move(*value_);
  }
  T &operator*() & { return value(); }
  const T &operator*() const & { return value(); }
  T &&operator*() && { return std::move(*this).value(); }
  T *operator->() { return &value(); }
  const T *operator->() const { return &value(); }

  // f(value), itself a Result, or this status: a.transpose({1, 0}).and_then([](auto t) { ... }).
  template <class F>
  auto and_then(F &&f) const -> decltype(std::forward<F>(f)(std::declval<const T &>())) {
    if (!ok()) return status_;
    return std::forward<F>(f)(*value_);
  }

 private:
  void require() const {
    if (!ok()) die("value() without a value");
  }
  [[noreturn]] void die(const char *misuse) const {
    std::fprintf(stderr, "einc: %s: %s\n", misuse, einc_status_string(status_));
    std::abort();
  }

  std::optional<T> value_;
  einc_status status_ = EINC_OK;
};

}  // namespace einc

#endif  // EINC_RUNTIME_RESULT_HPP_
