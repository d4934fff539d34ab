// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The rules of the IR (verify.def), checked. Passes take kernels that keep them and give kernels
// that keep them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/ir.h"

namespace einc::ir {

enum class Rule : uint8_t {
#define EINC_RULE(rule, number, name, sentence) rule,
#include "compiler/ir/verify.def"
};

struct RuleInfo {
  Rule rule;
  std::string_view number, name, sentence;
};

const std::vector<RuleInfo>& allRules();
const RuleInfo& info(Rule rule);

struct Violation {
  Rule rule;
  SourceRange where;  // of the op, or the kernel's name
  std::string text;
  std::string str() const;  // "V16 map-rank: %A has 2 dimensions, found 3 indices"
};

// All violations, in the order of the text. Takes any kernel.
std::vector<Violation> verify(const Kernel& kernel);
// Those of the kernels, and kernels that share a name.
std::vector<Violation> verify(const Module& module);

}  // namespace einc::ir
