// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What the library's user has promised of all arguments (--strides=contiguous, --align): kernels ask
// for it before they run, and where it says all about a tensor's memory, there is a function on
// pointers.
#pragma once

#include <optional>
#include <string>

#include "compiler/emit/c/c.h"
#include "compiler/emit/text/signature.h"

namespace einc::emit {

// The value of a descriptor of a row-major tensor, whose sizes are known: "{A, A, 0, {2, 3}, {3, 1}}"
// where it starts with "A, A, 0".
std::string denseDescriptor(const ir::Tensor& tensor, const std::string& start);

class Promises {
 public:
  Promises(const ir::Kernel& contract, const COptions& options)
      : kernel_(contract), options_(options), signature_(contract) {}

  // Statements that return the status of the first promise that is not kept.
  std::string statements() const;
  // " && A->strides[1] == 1 && ...": that all are kept; those of strides, if `strides`.
  std::string tests(bool strides) const;
  // What both call where there is an alignment: the static function NAME_is_aligned.
  std::string functionText(const std::string& function) const;

  // einc_status NAME_pointers(const float *A, ..., float *Y, attributes); its declaration and the
  // function. Nothing where a size is open, or strides are.
  std::optional<Prototype> pointers() const;
  std::string pointersText() const;

 private:
  std::string isAligned() const;

  const ir::Kernel& kernel_;
  const COptions& options_;
  Signature signature_;
};

}  // namespace einc::emit
