// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/exports.h"

#include <algorithm>
#include <string>

#include "compiler/ir/library.h"
#include "compiler/strategy/fusion/fusion.h"
#include "compiler/transforms/bufferize.h"
#include "compiler/transforms/map_to_library.h"

namespace einc::driver {
namespace {

bool isParameter(const ir::Kernel& kernel, const ir::ValueRef& value) {
  auto* reference = value ? std::get_if<ir::AttributeRef>(&value->node) : nullptr;
  return reference && kernel.attributes[reference->attribute].parameter;
}

// "C(m, n) = beta C + alpha A(m, k) B(k, n)", as far as the function goes.
std::string formOf(const ir::LibraryFunctionInfo& function, bool alpha, bool beta) {
  std::string text = "result(" + std::string(function.operands.back()) + ") = ";
  if (beta) text += "beta * result + ";
  if (function.adds && !function.beta) text += "result + ";
  if (alpha) text += "alpha * ";
  for (size_t i = 0; i + 1 < function.operands.size(); ++i)
    text += (i ? " * " : "") + std::string(1, static_cast<char>('a' + i)) + "(" +
            std::string(function.operands[i]) + ")";
  return text;
}

// Each operand has the letters of its term as dimensions, in their order.
bool isPlain(const ir::LibraryCall& call) {
  for (size_t i = 0; i < call.op.operandCount(); ++i) {
    std::string_view term = ir::info(call.function).operands[i];
    const std::vector<affine::Expr>& map = call.op.operand(i).map;
    if (map.size() != term.size()) return false;
    for (size_t d = 0; d < term.size(); ++d)
      for (const ir::LibraryCall::Letter& letter : call.letters)
        if (letter.name == term[d] &&
            (letter.iterators.size() != 1 || map[d] != affine::Expr::iterator(letter.iterators[0])))
          return false;
  }
  return true;
}

}  // namespace

Result<ir::LibraryCall> exportedCall(const ir::Kernel& contract) {
  using ir::LibraryFunction;
  ir::Kernel mapped =
      transforms::mapToLibrary(transforms::bufferize(strategy::fuse(contract)),
                               [](unsigned) { return std::vector{ir::LibraryRule{"cblas", {}}}; });
  auto* call =
      mapped.body.size() == 1 ? std::get_if<ir::LibraryCall>(&mapped.body[0].node) : nullptr;
  std::string start = "--export=cblas: '" + contract.name + "' ";
  if (!call) return Reason{start + "is no function of a CBLAS; see libcalls/calls.def"};
  const ir::LibraryFunctionInfo& function = ir::info(call->function);
  if (call->function == LibraryFunction::Sum)
    return Reason{start + "is a sum, for which a CBLAS has no name"};
  // The product of a CBLAS has no factors.
  bool isDot = call->function == LibraryFunction::Dot;
  bool alpha = function.alpha && !isDot, beta = function.beta && !isDot;
  size_t factors = (alpha ? 1 : 0) + (beta ? 1 : 0);
  bool fits = isPlain(*call) && alpha == isParameter(contract, call->alpha) &&
              (alpha || !call->alpha) && contract.attributes.size() == factors &&
              contract.inputs.size() == factors + call->op.inputs.size();
  if (beta) fits = fits && isParameter(contract, call->beta);
  if (isDot) fits = fits && call->beta;
  if (!fits)
    return Reason{start + "is almost " + std::string(function.name) + ", which is " +
                  formOf(function, alpha, beta) + ", with " +
                  (factors ? "parameters for its factors, and " : "") + "no other inputs"};
  return *call;
}

}  // namespace einc::driver
