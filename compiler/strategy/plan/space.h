// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The iterators of an op where steps have led it, and how many positions they have, as far as that is
// known: what a strategy looks at while it writes steps.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"

namespace einc::strategy {

class Space {
 public:
  Space(const ir::Kernel& kernel, const ir::StructuredOp& op);

  // Nothing where it is not known.
  std::optional<int64_t> known(const std::string& iterator) const;
  std::vector<std::string> parallel() const;  // in the op's order
  std::vector<std::string> reductions() const;

  // What `tile` and `order` do (steps.h).
  void tile(const std::string& iterator, int64_t by);
  void order(const std::vector<std::string>& iterators);

 private:
  std::vector<std::string> ofKind(ir::IteratorKind kind) const;

  std::vector<ir::Iterator> iterators_;
  std::map<std::string, int64_t> known_;
};

}  // namespace einc::strategy
