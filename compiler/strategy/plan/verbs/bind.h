// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   bind m by 8 to workgroups
//   bind n to invocations
#pragma once

#include <cstdint>
#include <string>

#include "compiler/affine/expr.h"
#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// On a device: blocks of `by` positions, each for a workgroup; or for an invocation, of the workgroup
// that it is in, or, where none is bound, of the device. With 1 the iterator is gone from the op.
struct BindStep {
  static constexpr const char* kVerb = "bind";
  enum class To : uint8_t { Workgroups, Invocations };
  std::string iterator;
  affine::Expr by = affine::Expr::constant(1);
  To to = To::Workgroups;

  bool operator==(const BindStep&) const = default;
  void describe(Syntax& text) {
    text.iterator(iterator);
    if (text.option("by", by != affine::Expr::constant(1))) text.number(by);
    text.word("to");
    const bool isInvocations = text.option("invocations", to == To::Invocations);
    if (text.fills()) to = isInvocations ? To::Invocations : To::Workgroups;
    if (!isInvocations) text.word("workgroups");
  }
};

ir::Block apply(const Work& work, At here, const BindStep& step);

}  // namespace einc::strategy
