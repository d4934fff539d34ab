// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "compiler/bench/access.h"
#include "compiler/bench/problem.h"

namespace einc::bench {
namespace {

using ir::Function;

int count(const ir::ValueRef& value, bool fused, bool ternary, bool insideFusion = false) {
  auto* cast = std::get_if<ir::Cast>(&value->node);
  if (cast) return count(cast->arg, fused, ternary);
  auto* call = std::get_if<ir::Call>(&value->node);
  if (!call) return 0;
  auto isOneOf = [](Function f, std::initializer_list<Function> all) {
    return std::find(all.begin(), all.end(), f) != all.end();
  };
  bool sum =
      isOneOf(call->function, {Function::Add, Function::Sub}) && ir::info(value->type).isFloat();
  bool logic = isOneOf(call->function, {Function::And, Function::Or, Function::Xor});
  int total = insideFusion ? 0 : !fused && call->function == Function::Fma ? 2 : 1;
  bool taken = insideFusion;  // an instruction takes in one other
  for (const ir::ValueRef& arg : call->args) {
    auto* inner = std::get_if<ir::Call>(&arg->node);
    bool product = inner && isOneOf(inner->function, {Function::Mul, Function::Square});
    bool bits = inner && isOneOf(inner->function, {Function::And, Function::Or, Function::Xor});
    bool takes = fused && !taken && ((sum && product) || (ternary && logic && bits));
    taken |= takes;
    total += count(arg, fused, ternary, takes);
  }
  return total;
}

}  // namespace

Result<Work> measureWork(const ir::Kernel& kernel, bool ternaryLogic) {
  for (const ir::Attribute& attribute : kernel.attributes)
    return Reason{"'" + attribute.name + "' has no value: give --attr " + attribute.name + "=..."};
  Work work;
  std::set<unsigned> read, written;
  for (const ir::Tensor& tensor : kernel.tensors)
    if (auto sizes = sizesOf(tensor); !sizes) return Reason{sizes.reason()};
  ir::forEachOp(kernel.body, [&](const ir::StructuredOp& op) {
    double iterations = 1;
    int64_t length = 1;
    for (const auto& [name, extent] : extents(kernel, op))
      iterations *= static_cast<double>(extent);
    auto all = extents(kernel, op);
    for (const ir::Iterator& i : op.iterators)
      if (i.kind == ir::IteratorKind::Reduction) length *= std::max<int64_t>(all[i.name], 1);
    work.iterations += iterations;
    work.sumLength = std::max(work.sumLength, length);
    for (const ir::ValueRef& result : op.results) {
      work.operations += iterations * count(result, false, false);
      work.instructions += iterations * count(result, true, ternaryLogic);
      ir::forEach(result, [&](const ir::Value& value) {
        auto* reference = std::get_if<ir::OperandRef>(&value.node);
        if (!reference) return;
        unsigned tensor = op.operand(reference->operand).tensor;
        if (!written.count(tensor)) read.insert(tensor);
      });
    }
    for (const ir::Operand& output : op.outputs) written.insert(output.tensor);
    work.elementBytes = ir::info(kernel.tensors[op.outputs[0].tensor].type).bytes();
  });
  for (unsigned t = 0; t < kernel.tensors.size(); ++t) {
    const ir::Tensor& tensor = kernel.tensors[t];
    if (!ir::isArgument(tensor.role)) continue;
    double bytes = ir::info(tensor.type).bits / 8.0;
    const std::vector<int64_t> sizes = *sizesOf(tensor);
    for (int64_t size : sizes) bytes *= static_cast<double>(size);
    work.readBytes += bytes * static_cast<double>(read.count(t));
    work.bytes +=
        bytes * (static_cast<double>(read.count(t)) + static_cast<double>(written.count(t)));
  }
  return work;
}

}  // namespace einc::bench
