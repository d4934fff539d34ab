// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What a call must satisfy before any data is touched. The same statuses as the generated kernels',
// found independently, with a sentence that names the tensor and the dimension.
//
// Checked in this order, the first failure counts:
//   1. each argument: sizes (NEGATIVE_SIZE), the bytes it spans (OVERFLOW)
//   2. attributes: the number of elements (BAD_ATTRIBUTE)
//   3. size symbols, in ir::bindSymbols order, then ir::sizeConditions (SIZE_MISMATCH,
//      NEGATIVE_SIZE), then the sizes of local tensors (NEGATIVE_SIZE, OVERFLOW)
//   4. each StructuredOp all of whose extents are positive, operand by operand, then its payload:
//      DIVISION_BY_ZERO, OVERFLOW, OUT_OF_RANGE. An index has the exact interval of its expression
//      if no iterator stands in a division, else one that holds it.
//   5. outputs: SELF_OVERLAP, then ALIASED (an input may be the very same view where
//      facts::mayShareMemory says so, and anything if only its shape is used)
// Where a kernel has a contract (ir/contract.h), 4 and 5 are of that. Where it is for contiguous
// tensors, a stride that is not 1 is BAD_STRIDE.
// An argument of another type or rank than declared, or reaching out of its storage, cannot be
// expressed in C; it is SIZE_MISMATCH, or OUT_OF_RANGE.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/affine/expr.h"
#include "compiler/interp/array.h"
#include "compiler/ir/ir.h"

namespace einc::interp {

enum class Status : int {
#define EINC_STATUS(name, value, sentence) EINC_##name = (value),
#include "runtime/status.def"
#undef EINC_STATUS
};

std::string_view statusName(Status status);  // "EINC_SIZE_MISMATCH"

struct Outcome {
  Status status = Status::EINC_OK;
  std::string message;  // empty if OK

  bool ok() const { return status == Status::EINC_OK; }
};

struct Arguments {
  std::vector<View> tensors;  // the inputs and outputs, in the order of Kernel::tensors
  // The elements of each attribute, of its type; empty to take its default.
  std::vector<std::vector<ir::Number>> attributes;
};

// The names that index expressions use: size symbols and attributes, then loop variables, the
// innermost last.
class Scope {
 public:
  Scope() = default;
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  void push(std::string name, int64_t value) { names_.emplace_back(std::move(name), value); }
  void pop(size_t count) { names_.resize(names_.size() - count); }
  // The value of the name that was pushed `depth` names ago; 1 is the last one.
  int64_t& recent(size_t depth) { return names_[names_.size() - depth].second; }
  std::optional<int64_t> find(const std::string& name) const;
  void assign(const std::string& name, int64_t value);  // one that was pushed
  // Nothing when a divisor is zero, or a value does not fit in int64_t.
  std::optional<int64_t> evaluate(const affine::Expr& expr) const { return expr.evaluate(lookup_); }

 private:
  std::vector<std::pair<std::string, int64_t>> names_;
  affine::Expr::Lookup lookup_ = [this](const affine::Atom& atom) { return find(atom.name); };
};

// A call that may run.
struct CheckedCall {
  Scope scope;
  std::vector<std::vector<int64_t>> sizes;          // of every tensor, locals too
  std::vector<std::vector<ir::Number>> attributes;  // defaults filled in
};

// Fills `call`, or says what is wrong with the arguments. The kernel has to be a verified one.
Outcome checkCall(const ir::Kernel& kernel, const Arguments& arguments, CheckedCall& call);

// The extent of each iterator.
std::vector<int64_t> extentsOf(const ir::Kernel& kernel, const ir::StructuredOp& op,
                               const std::vector<std::vector<int64_t>>& sizes);

}  // namespace einc::interp
