// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The sizes, extents and maps of a kernel of constant sizes, as numbers.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/support/result.h"

namespace einc::bench {

inline const char* const kNoLibrary = "no library here does this: ";

// The sizes, or which --dim is missing.
Result<std::vector<int64_t>> sizesOf(const ir::Tensor& tensor);

std::map<std::string, int64_t> extents(const ir::Kernel& kernel, const ir::StructuredOp& op);

// One dimension of an access: a sum of iterators with coefficients, and a constant.
struct Index {
  std::vector<std::pair<std::string, int64_t>> parts;
  int64_t constant = 0;
};

struct Access {
  unsigned tensor = 0;
  std::vector<Index> dims;
  std::vector<int64_t> sizes, strides;
  bool padded = false, zeroPadded = false;

  // Each dimension is an iterator of its own.
  bool isPlain() const {
    std::set<std::string> seen;
    return !padded && std::all_of(dims.begin(), dims.end(), [&](const Index& i) {
      return i.parts.size() == 1 && i.parts[0].second == 1 && i.constant == 0 &&
             seen.insert(i.parts[0].first).second;
    });
  }
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const Index& i : dims)
      for (const auto& part : i.parts) result.push_back(part.first);
    return result;
  }
  bool has(const std::string& name) const {
    auto all = names();
    return std::find(all.begin(), all.end(), name) != all.end();
  }
  // The distance in memory from one position of an iterator to the next.
  int64_t strideOf(const std::string& name) const {
    int64_t result = 0;
    for (size_t d = 0; d < dims.size(); ++d)
      for (const auto& part : dims[d].parts)
        if (part.first == name) result += part.second * strides[d];
    return result;
  }
};

// The access of an operand whose sizes are constants; why not, if it is not linear.
Result<Access> accessOf(const ir::Kernel& kernel, const ir::Operand& operand);

}  // namespace einc::bench
