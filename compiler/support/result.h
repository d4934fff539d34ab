// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A value, or the reason there is none.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace einc {

// Why something could not be done, as a sentence for people (no place in a file: see Diagnostics).
struct Reason {
  std::string text;
};

template <typename T>
class Result {
 public:
  Result(T value) : value_(std::move(value)) {}               // NOLINT: implicit by design
  Result(Reason reason) : reason_(std::move(reason.text)) {}  // NOLINT

  explicit operator bool() const { return value_.has_value(); }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  const std::string& reason() const { return reason_; }

 private:
  std::optional<T> value_;
  std::string reason_;
};

}  // namespace einc
