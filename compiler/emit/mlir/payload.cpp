// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/mlir/payload.h"

#include "compiler/ir/print.h"
#include "compiler/ir/shape.h"

namespace einc::emit::mlir {

Payload::Payload(FunctionScope& scope, const ir::StructuredOp& op, const LinalgOp& linalg)
    : scope_(scope),
      op_(op),
      block_(scope.names(), 2, &scope.entry()),
      scalars_(block_),
      names_(ir::argumentNames(scope.kernel(), op)) {
  auto type = [&](const LinalgOperand& operand) {
    return operand.scalar ? scope.scalarType(*operand.scalar)
                          : storageType(scope.kernel().tensors[operand.tensor].type);
  };
  for (const auto* operands : {&linalg.inputs, &linalg.outputs})
    for (const LinalgOperand& operand : *operands) {
      std::string name = scope.names().make(operand.operand  ? names_[*operand.operand]
                                            : operand.scalar ? "scalar"
                                                             : "shape");
      head_ += (head_.empty() ? "" : ", ") + name + ": " + type(operand);
      if (operand.operand) args_[*operand.operand] = name;
    }
  storage_ = joined(linalg.outputs, ", ", type);
}

std::string Payload::run() {
  std::vector<std::string> results;
  for (const ir::ValueRef& result : op_.results)
    results.push_back(scalars_.toStorage(result->type, value(result)));
  block_.text().line("linalg.yield " + joined(results) + " : " + storage_);
  return "  ^bb0(" + head_ + "):\n" + block_.take();
}

std::string Payload::value(const ir::ValueRef& v) {
  if (auto* literal = std::get_if<ir::Literal>(&v->node))
    return block_.constant(v->type, literal->number);
  if (auto* reference = std::get_if<ir::OperandRef>(&v->node)) return operand(reference->operand);
  if (auto* reference = std::get_if<ir::AttributeRef>(&v->node))
    return scope_.attribute(*reference);
  if (auto* cast = std::get_if<ir::Cast>(&v->node))
    return scalars_.cast(v->type, cast->arg->type, value(cast->arg));
  if (auto* index = std::get_if<ir::IndexRef>(&v->node)) {
    std::string position =
        scope_.index(block_, index->index, [&](const std::string& name) { return iterator(name); });
    return block_.value("position", "arith.index_cast " + position + " : index to i64");
  }
  const auto& call = std::get<ir::Call>(v->node);
  std::vector<std::string> args;
  for (const ir::ValueRef& arg : call.args) args.push_back(value(arg));
  return scalars_.call(call.function, call.args.back()->type, args);
}

std::string Payload::iterator(const std::string& name) {
  size_t position = 0;
  while (op_.iterators[position].name != name) ++position;
  return block_.value(name, "linalg.index " + std::to_string(position) + " : index");
}

std::string Payload::operand(unsigned id) {
  if (auto it = elements_.find(id); it != elements_.end()) return it->second;
  const ir::Operand& operand = op_.operand(id);
  auto argument = args_.find(id);
  return elements_[id] = argument == args_.end()
                             ? read(operand, names_[id])
                             : scalars_.fromStorage(scope_.kernel().tensors[operand.tensor].type,
                                                    argument->second);
}

// The element that the map gives; where that lies outside the tensor, the pad. The tensor may be
// empty, so it is not touched then.
std::string Payload::read(const ir::Operand& operand, const std::string& name) {
  std::vector<std::string> index;
  for (const affine::Expr& e : operand.map)
    index.push_back(scope_.index(
        block_, e, [&](const std::string& iterator) { return this->iterator(iterator); }));
  std::string condition = operand.pad ? inside(operand, index) : "";
  if (condition.empty()) return element(operand, name, block_, index);
  ir::ScalarType type = scope_.kernel().tensors[operand.tensor].type;
  std::string pad = value(operand.pad);
  std::string result = block_.open(name, "scf.if " + condition + " -> (" + typeName(type) + ") {");
  Block then(scope_.names(), 3, &block_);
  std::string loaded = element(operand, name, then, index);
  block_.text().raw(then.take()).line("scf.yield " + loaded + " : " + typeName(type));
  block_.text().dedent().line("} else {").indent();
  block_.text().line("scf.yield " + pad + " : " + typeName(type)).close();
  return result;
}

std::string Payload::element(const ir::Operand& operand, const std::string& name, Block& block,
                             const std::vector<std::string>& index) {
  std::string op = scope_.onBuffers() ? "memref.load " : "tensor.extract ";
  std::string loaded = block.value(name, op + scope_.tensor(operand.tensor) + "[" + joined(index) +
                                             "] : " + scope_.type(operand.tensor));
  return Scalars(block).fromStorage(scope_.kernel().tensors[operand.tensor].type, loaded);
}

// Empty where the index cannot leave the tensor.
std::string Payload::inside(const ir::Operand& operand, const std::vector<std::string>& index) {
  std::string all;
  auto require = [&](const std::string& predicate, const std::string& x, const std::string& y) {
    std::string one =
        block_.value("inside", "arith.cmpi " + predicate + ", " + x + ", " + y + " : index");
    all = all.empty() ? one : block_.value("inside", "arith.andi " + all + ", " + one + " : i1");
  };
  for (size_t d = 0; d < index.size(); ++d) {
    const affine::Expr& size = scope_.kernel().tensors[operand.tensor].shape[d];
    auto name = operand.map[d].asIterator();
    auto extent = name ? ir::extentOf(scope_.kernel(), op_, *name) : std::nullopt;
    if (extent && extent->extent == size) continue;
    require("sge", index[d], block_.index(0));
    require("slt", index[d], scope_.index(scope_.entry(), size));
  }
  return all;
}

}  // namespace einc::emit::mlir
