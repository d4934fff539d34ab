// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/literal.h"
#include "compiler/ir/verifier.h"

namespace einc::ir {

// ---- Statements ---------------------------------------------------------------------------------

void Verifier::checkBlock(const Block& block) {
  std::vector<std::string> declared;
  for (const Stmt& stmt : block) {
    if (auto* op = std::get_if<StructuredOp>(&stmt.node)) where_ = op->source;
    checkLevel(stmt);
    if (auto* let = std::get_if<Let>(&stmt.node))
      checkLet(*let, declared);
    else
      checkStatement(stmt);
    where_ = kernel_.source;
  }
  for (const std::string& name : declared) variables_.erase(name);
}

void Verifier::checkStatement(const Stmt& stmt) {
  if (auto* op = std::get_if<StructuredOp>(&stmt.node)) checkOp(*op);
  if (auto* alloc = std::get_if<Alloc>(&stmt.node)) checkAlloc(*alloc);
  if (auto* loop = std::get_if<For>(&stmt.node)) checkFor(*loop);
  if (auto* assign = std::get_if<Assign>(&stmt.node)) checkAssign(*assign);
  if (auto* store = std::get_if<Store>(&stmt.node)) checkStore(*store);
}

void Verifier::checkLevel(const Stmt& stmt) {
  bool isOp = std::holds_alternative<StructuredOp>(stmt.node);
  bool isAlloc = std::holds_alternative<Alloc>(stmt.node);
  if (isAlloc ? kernel_.level == Level::Tensors : isOp == (kernel_.level == Level::Hardware))
    report(Rule::StatementLevel, std::string(isOp      ? "a structured op"
                                             : isAlloc ? "an alloc"
                                                       : "a loop, variable or store") +
                                     " has no place at this level");
}

void Verifier::enterIterator(const std::string& name) {
  checkIdentifier(name);
  if (sizes_.count(name) || kernel_.findAttribute(name))
    report(Rule::UniqueName, "iterator '" + name + "' is spelled like a size or attribute");
  if (!iterators_.insert(name).second)
    report(Rule::UniqueName, "iterator '" + name + "' stands twice in one nest");
}

void Verifier::checkFor(const For& loop) {
  checkIndex(loop.extent);
  std::set<std::string> outer = iterators_;
  enterIterator(loop.var);
  ++loops_;
  checkBlock(loop.body);
  --loops_;
  iterators_ = std::move(outer);
}

void Verifier::checkLet(const Let& let, std::vector<std::string>& declared) {
  checkValue(let.value, Place::Statement);
  checkIdentifier(let.name);
  if (isLiteralName(let.name))
    report(Rule::LiteralName, "variable '" + let.name + "' is spelled like a literal");
  bool isNew = variables_.emplace(let.name, let.value ? let.value->type : ScalarType::F32).second;
  if (isNew) declared.push_back(let.name);
  if (!isNew || kernel_.findAttribute(let.name))
    report(Rule::UniqueName, "variable '" + let.name + "' hides another of that name");
}

void Verifier::checkAssign(const Assign& assign) {
  checkValue(assign.value, Place::Statement);
  auto variable = variables_.find(assign.name);
  if (variable == variables_.end())
    report(Rule::Variable, "no variable '" + assign.name + "' is in scope");
  else if (assign.value && assign.value->type != variable->second)
    report(Rule::ValueType, "variable '" + assign.name + "' is " +
                                std::string(info(variable->second).name) + ", and gets a " +
                                std::string(info(assign.value->type).name));
}

void Verifier::checkStore(const Store& store) {
  checkValue(store.value, Place::Statement);
  checkElement(store.tensor, store.index);
  checkTensorType(store.value, store.tensor);
  if (store.tensor >= kernel_.tensors.size()) return;
  if (kernel_.tensors[store.tensor].role == Role::Input)
    report(Rule::OutputRole, tensorName(store.tensor) + " is an input, and is written");
  write(store.tensor);
}

// ---- Data flow: in the order of the text, each loop's body once ---------------------------------

void Verifier::checkAlloc(const Alloc& alloc) {
  if (alloc.tensor >= kernel_.tensors.size()) {
    report(Rule::TensorId, "there is no tensor " + std::to_string(alloc.tensor));
    return;
  }
  std::string name = tensorName(alloc.tensor);
  if (kernel_.tensors[alloc.tensor].role != Role::Local)
    report(Rule::Alloc, name + " is not local, and is allocated");
  if (allocated_[alloc.tensor]) report(Rule::Alloc, name + " is allocated twice");
  if (loops_ != 0) report(Rule::Alloc, name + " is allocated inside a loop");
  allocated_[alloc.tensor] = true;
}

void Verifier::use(unsigned tensor) {
  bool needed = kernel_.level != Level::Tensors && kernel_.tensors[tensor].role == Role::Local;
  if (!needed || allocated_[tensor] || missedAlloc_[tensor]) return;
  missedAlloc_[tensor] = true;
  report(Rule::Alloc, tensorName(tensor) + " is used before its alloc");
}

void Verifier::read(unsigned tensor) {
  use(tensor);
  if (kernel_.tensors[tensor].role == Role::Local && !written_[tensor])
    report(Rule::ReadBeforeWrite, tensorName(tensor) + " is read before it is written");
}

void Verifier::write(unsigned tensor) {
  use(tensor);
  written_[tensor] = true;
}

void Verifier::checkAfterwards() {
  for (unsigned i = 0; i < kernel_.tensors.size(); ++i)
    if (kernel_.tensors[i].role == Role::Output && !written_[i])
      report(Rule::OutputWritten, "output " + tensorName(i) + " is never written");
}

}  // namespace einc::ir
