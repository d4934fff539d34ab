// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "compiler/ir/literal.h"
#include "compiler/ir/size_limit.h"
#include "compiler/ir/verifier.h"

namespace einc::ir {

// ---- Statements ---------------------------------------------------------------------------------

void Verifier::checkBlock(const Block& block) {
  std::vector<std::string> declared;
  size_t sizes = sizes_.mark(), inScope = inScope_.mark();
  const Block* around = std::exchange(block_, &block);
  if (dispatch_) checkBeside(block);
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
  sizes_.forget(sizes);
  inScope_.forget(inScope);
  block_ = around;
}

void Verifier::checkStatement(const Stmt& stmt) {
  if (auto* op = std::get_if<StructuredOp>(&stmt.node)) checkOp(*op);
  if (auto* alloc = std::get_if<Alloc>(&stmt.node)) checkAlloc(*alloc);
  if (auto* loop = std::get_if<For>(&stmt.node)) checkFor(*loop);
  if (auto* assign = std::get_if<Assign>(&stmt.node)) checkAssign(*assign);
  if (auto* store = std::get_if<Store>(&stmt.node)) checkStore(*store);
  if (auto* transpose = std::get_if<Transpose>(&stmt.node)) checkTranspose(*transpose);
  if (auto* prefetch = std::get_if<Prefetch>(&stmt.node))
    if (checkElement(prefetch->tensor, prefetch->index)) use(prefetch->tensor);
  checkTiled(stmt);
}

namespace {

struct Levels {
  const char* what;
  Level first, last;
};

bool isLoopOrView(const Stmt& stmt) {
  return std::holds_alternative<TileLoop>(stmt.node) || std::holds_alternative<View>(stmt.node) ||
         std::holds_alternative<If>(stmt.node) || std::holds_alternative<Bound>(stmt.node) ||
         std::holds_alternative<Read>(stmt.node);
}

Levels levelsOf(const Stmt& stmt) {
  if (std::holds_alternative<StructuredOp>(stmt.node))
    return {"a structured op", Level::Tensors, Level::Tiled};
  if (std::holds_alternative<Fused>(stmt.node))
    return {"a fused region", Level::Tensors, Level::Buffers};
  if (std::holds_alternative<LibraryCall>(stmt.node))
    return {"a library call", Level::Buffers, Level::Hardware};
  if (std::holds_alternative<ExternalCall>(stmt.node))
    return {"an external call", Level::Buffers, Level::Hardware};
  if (std::holds_alternative<Alloc>(stmt.node))
    return {"an alloc", Level::Buffers, Level::Hardware};
  if (std::holds_alternative<Transpose>(stmt.node))
    return {"a transpose", Level::Hardware, Level::Hardware};
  bool lowest = std::holds_alternative<For>(stmt.node) || std::holds_alternative<Let>(stmt.node) ||
                std::holds_alternative<Assign>(stmt.node) ||
                std::holds_alternative<Store>(stmt.node);
  if (lowest) return {"a loop, variable or store", Level::Vector, Level::Hardware};
  if (std::holds_alternative<AssumeNumbers>(stmt.node) ||
      std::holds_alternative<CheckNumbers>(stmt.node))
    return {"assuming or checking numbers", Level::Hardware, Level::Hardware};
  if (std::holds_alternative<Vector>(stmt.node))
    return {"a vector region", Level::Vector, Level::Hardware};
  if (std::holds_alternative<Dispatch>(stmt.node) || std::holds_alternative<Barrier>(stmt.node))
    return {"a dispatch or barrier", Level::Tiled, Level::Hardware};
  if (isLoopOrView(stmt))
    return {"a tile, view, bound, element that is read, or condition", Level::Tensors,
            Level::Hardware};
  return {"a non-temporal region, prefetch or function", Level::Tiled, Level::Hardware};
}

}  // namespace

void Verifier::checkLevel(const Stmt& stmt) {
  Levels levels = levelsOf(stmt);
  const bool isInCall = external_ && isLoopOrView(stmt);
  if (level() < levels.first || level() > levels.last || isInCall)
    report(Rule::StatementLevel, std::string(levels.what) + " has no place at this level");
}

void Verifier::enterSize(const std::string& name) {
  checkIdentifier(name);
  if (iterators_.contains(name) || kernel_.findAttribute(name) || !sizes_.insert(name))
    report(Rule::UniqueName, "size '" + name + "' hides another name");
}

bool Verifier::isOfElements(const affine::Expr& e) const {
  for (const std::string& symbol : e.symbols())
    if (ofElements_.count(symbol) != 0) return true;
  return false;
}

void Verifier::enterIterator(const std::string& name) {
  checkIdentifier(name);
  if (sizes_.contains(name) || kernel_.findAttribute(name))
    report(Rule::UniqueName, "iterator '" + name + "' is spelled like a size or attribute");
  if (!iterators_.insert(name))
    report(Rule::UniqueName, "iterator '" + name + "' stands twice in one nest");
}

void Verifier::checkFor(const For& loop) {
  checkIndex(loop.extent);
  checkFree(loop.extent);
  if (loop.unrolled && !loop.extent.asConstant())
    report(Rule::Tile,
           "no rounds of '" + loop.var + "' are code of their own: their number is not known");
  size_t outer = iterators_.mark();
  enterIterator(loop.var);
  ++loops_;
  enterPlace(loop.on, loop.kind, loop.var, loop.extent);
  checkBlock(loop.body);
  leavePlace(loop.on);
  --loops_;
  iterators_.forget(outer);
}

void Verifier::checkLet(const Let& let, std::vector<std::string>& declared) {
  checkComputes("variable '" + let.name + "'");
  checkValue(let.value, Place::Statement);
  checkIdentifier(let.name);
  if (isLiteralName(let.name))
    report(Rule::LiteralName, "variable '" + let.name + "' is spelled like a literal");
  checkCovered(let.value, let.axes, "variable '" + let.name + "'");
  for (const std::string& axis : let.axes)
    if (sizeOfAxis(axis) == 0) report(Rule::AxisUse, "no axis '" + axis + "' is around");
  variableAxes_[let.name] = let.axes;
  bool isNew = variables_.emplace(let.name, let.value ? let.value->type : ScalarType::F32).second;
  if (isNew) declared.push_back(let.name);
  if (!isNew || kernel_.findAttribute(let.name))
    report(Rule::UniqueName, "variable '" + let.name + "' hides another of that name");
}

void Verifier::checkAssign(const Assign& assign) {
  checkValue(assign.value, Place::Statement);
  if (outerVariables_.count(assign.name))
    report(Rule::Outline, "variable '" + assign.name + "' is from outside the function");
  checkCovered(assign.value, variableAxes_[assign.name], "variable '" + assign.name + "'");
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
  checkComputes("a store");
  if (store.tensor >= kernel_.tensors.size()) return;
  std::vector<std::string> axes;
  for (const affine::Expr& index : store.index)
    for (std::string& name : index.iterators()) axes.push_back(std::move(name));
  checkCovered(store.value, axes, "the index of " + tensorName(store.tensor));
  checkUnit(store.unit, store.index);
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
  bool tiled = kernel_.level >= Level::Tiled;
  if (tiled) checkShape(kernel_.tensors[alloc.tensor]);
  for (const affine::Expr& size : kernel_.tensors[alloc.tensor].shape)
    if (alloc.space != Space::Heap && !size.asConstant())
      report(Rule::Alloc, name + " is on the stack, and has the size " + size.str());
  for (const affine::Expr& size : kernel_.tensors[alloc.tensor].shape)
    if (tiled && isOfElements(size))
      report(Rule::Read, name + " is as large as an element says: " + size.str());
  // Each thread gets its own, before the loops begin.
  if (alloc.space == Space::Heap && threads_ > 0)
    for (const affine::Expr& size : kernel_.tensors[alloc.tensor].shape)
      for (const std::string& symbol : size.symbols())
        if (sizes_.contains(symbol) && !sizesOutsideLoops_.contains(symbol))
          report(Rule::Alloc,
                 name + " is for one thread, and has the size '" + symbol + "' of a tile");
  checkDeviceAlloc(alloc);
  checkOver(alloc);
  inScope_.insert(alloc.tensor);
  allocated_[alloc.tensor] = true;
}

void Verifier::checkOver(const Alloc& alloc) {
  const std::string name = tensorName(alloc.tensor);
  if (alloc.space == Space::Heap) pieces_[alloc.tensor] = {block_, sizes_.mark()};
  if (!alloc.over) return;
  auto before = pieces_.find(*alloc.over);
  const bool isThere = alloc.space == Space::Heap && *alloc.over != alloc.tensor &&
                       before != pieces_.end() && before->second.block == block_;
  if (!isThere) {
    report(Rule::Alloc, name + " is over what has no memory in the heap from the same block");
    return;
  }
  const std::string other = tensorName(*alloc.over);
  if (!gone_.insert(*alloc.over).second)
    report(Rule::Alloc, name + " is over " + other + ", and so is another");
  pieces_[alloc.tensor] = before->second;
  for (const affine::Expr& size : kernel_.tensors[alloc.tensor].shape)
    for (const std::string& symbol : size.symbols())
      if (sizes_.contains(symbol) && sizes_.positionOf(symbol) >= before->second.sizes)
        report(Rule::Alloc, name + " has the size '" + symbol + "', which is not known yet where " +
                                other + " gets its memory");
}

void Verifier::use(unsigned tensor) {
  if (kernel_.tensors[tensor].role == Role::View && !inScope_.contains(tensor))
    report(Rule::View, tensorName(tensor) + " is used outside its block");
  if (kernel_.level >= Level::Tiled && allocated_[tensor] && !inScope_.contains(tensor))
    report(Rule::Alloc, tensorName(tensor) + " is used outside the block of its alloc");
  if (gone_.count(rootOf(tensor)) != 0)
    report(Rule::Alloc, tensorName(tensor) + " is used, and its memory is another's");
  if (external_) checkArgument({true, tensor});
  bool needed = kernel_.level != Level::Tensors && kernel_.tensors[tensor].role == Role::Local;
  if (!needed || allocated_[tensor] || missedAlloc_[tensor]) return;
  missedAlloc_[tensor] = true;
  report(Rule::Alloc, tensorName(tensor) + " is used before its alloc");
}

void Verifier::read(unsigned tensor) {
  use(tensor);
  tensor = rootOf(tensor);
  const Tensor& root = kernel_.tensors[tensor];
  if (root.role != Role::Local || written_[tensor] || hasNoElements(root)) return;
  if (!fromBefore_.empty())
    fromBefore_.back().insert(tensor);
  else
    report(Rule::ReadBeforeWrite, tensorName(tensor) + " is read before it is written");
}

void Verifier::write(unsigned tensor) {
  use(tensor);
  if (paddedViews_.count(tensor))
    report(Rule::View, tensorName(tensor) + " has a pad, and is written");
  tensor = rootOf(tensor);
  written_[tensor] = true;
}

void Verifier::checkAfterwards() {
  for (unsigned i = 0; i < kernel_.tensors.size(); ++i)
    if (kernel_.tensors[i].role == Role::Output && !written_[i] &&
        !hasNoElements(kernel_.tensors[i]))
      report(Rule::OutputWritten, "output " + tensorName(i) + " is never written");
}

}  // namespace einc::ir
