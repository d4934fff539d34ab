// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/library.h"

#include <algorithm>

#include "compiler/ir/ir.h"

namespace einc::ir {
namespace {

// "mk,kn->mn" as its operands. There is always a result; before it "" means none.
std::vector<std::string_view> split(std::string_view einsum) {
  std::vector<std::string_view> result;
  size_t arrow = einsum.find("->");
  for (size_t at = 0; at < arrow;) {
    size_t end = std::min(einsum.find(',', at), arrow);
    result.push_back(einsum.substr(at, end - at));
    at = end + 1;
  }
  result.push_back(einsum.substr(arrow + 2));
  return result;
}

}  // namespace

const std::vector<LibraryFunctionInfo>& libraryFunctions() {
  static const std::vector<LibraryFunctionInfo> table = {
#define EINC_LIBRARY_CALL(enumerator, name, einsum, adds, alpha, beta, cblas, blis) \
  {LibraryFunction::enumerator, name, split(einsum), adds, alpha, beta, cblas, blis},
#include "libcalls/calls.def"
  };
  return table;
}

const LibraryFunctionInfo& info(LibraryFunction function) {
  return libraryFunctions()[static_cast<size_t>(function)];
}

const Block& generated(const LibraryCall& call) {
  auto* next = call.body.size() == 1 ? std::get_if<LibraryCall>(&call.body[0].node) : nullptr;
  return next ? generated(*next) : call.body;
}

ValueRef payloadOf(LibraryFunction function, ScalarType type, const ValueRef& alpha) {
  auto times = [](const ValueRef& a, const ValueRef& b) {
    return a && b ? makeCall(Function::Mul, {a, b}) : a ? a : b;
  };
  auto inputs = static_cast<unsigned>(info(function).operands.size() - 1);
  ValueRef product, old = makeValue(type, OperandRef{inputs});
  for (unsigned i = 0; i < inputs; ++i) product = times(product, makeValue(type, OperandRef{i}));
  if (inputs == 0) product = old;
  product = times(alpha, product);
  return info(function).adds ? makeCall(Function::Add, {old, product}) : product;
}

}  // namespace einc::ir
