// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Windows of few terms that move by one position, as most do: 3 x 3, with strides and dilations of 1. What the terms
// read of a few windows beside and above one another is nearly the same (windows.h).
//
//   when strides[0] == 1 and strides[1] == 1 and dilations[0] == 1 and dilations[1] == 1 and kh == 3 and kw == 3 {
//     what is best where I(n, oh + kh, ow + kw, c) is read, for 3 x 3 terms
//   } otherwise { the best form }
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/strategy/form.h"
#include "compiler/support/result.h"

namespace einc::strategy {

// A reduction that moves a window along a parallel iterator: position + term, where the attributes are 1.
struct WindowTerm {
  std::string name;
  std::vector<std::string> attributes;
};

// Those of the two innermost dimensions along which windows move.
std::vector<WindowTerm> windowTerms(const ir::Kernel& kernel, const ir::StructuredOp& op);

// Their names, if all move by one position, and there are so many in all, or fewer: `known` says how many positions an
// iterator has, if that is known.
std::vector<std::string> unrolledTerms(
    const ir::Kernel& kernel, const ir::StructuredOp& op,
    const std::function<std::optional<int64_t>(const std::string&)>& known, int64_t most);

// The parallel iterator that stands beside one of these terms in an index, but for some; or "".
std::string windowBeside(const ir::StructuredOp& op, const std::vector<std::string>& terms,
                         const std::vector<std::string>& but);

Result<Form> shortWindows(const Task& task, const Form& whole);

}  // namespace einc::strategy
