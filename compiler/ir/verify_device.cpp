// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Code for devices: where loops run, and what memory there is.
#include <algorithm>

#include "compiler/ir/verifier.h"

namespace einc::ir {

void Verifier::checkDispatch(const Dispatch& dispatch) {
  checkIdentifier(dispatch.name);
  if (!dispatches_.insert(dispatch.name).second)
    report(Rule::Dispatch, "there are two dispatches '" + dispatch.name + "'");
  if (dispatch_ || region_ || threads_ > 0)
    report(Rule::Dispatch,
           "dispatch '" + dispatch.name + "' stands in another, in a vector region or on threads");
  for (int64_t n : dispatch.invocations)
    if (n < 1) report(Rule::Dispatch, "dispatch '" + dispatch.name + "' has no invocations");
  if (dispatch_) return;
  dispatch_ = &dispatch;
  checkBlock(dispatch.body);
  dispatch_ = nullptr;
}

bool Verifier::isOn(bool (*places)(On)) const {
  return std::any_of(places_.begin(), places_.end(),
                     [&](const auto& place) { return places(place.first); });
}

void Verifier::checkBarrier() {
  if (!dispatch_ || region_ || isOn(isOnInvocations))
    report(Rule::Barrier, "a barrier is not where all invocations of a workgroup meet");
}

// Beside loops on workgroups, or on a grid.
void Verifier::checkBeside(const Block& block) {
  auto outermost = [](const Stmt& stmt) {
    auto* loop = std::get_if<For>(&stmt.node);
    auto* tile = std::get_if<TileLoop>(&stmt.node);
    On on = loop ? loop->on : tile ? tile->on : On::Order;
    return isOnWorkgroups(on) || on == On::Grid;
  };
  if (std::none_of(block.begin(), block.end(), outermost)) return;
  size_t others = 0;
  for (const Stmt& stmt : block)
    others += !std::holds_alternative<Bound>(stmt.node) && !std::holds_alternative<View>(stmt.node);
  if (others > 1) report(Rule::On, "a loop on workgroups or a grid has statements beside it");
}

void Verifier::enterPlace(On on, IteratorKind kind, const std::string& var,
                          const affine::Expr& count) {
  std::string what = "loop '" + var + "' on " + std::string(nameOf(on));
  if (on != On::Order && !dispatch_ && level() > Level::Tiled)  // where it may still get one
    report(Rule::On, what + " is in no dispatch");
  if (dispatch_) places_.emplace_back(on, var);
  if (on == On::Order || !dispatch_) return;
  if (kind != IteratorKind::Parallel) report(Rule::On, what + " is a reduction");
  bool inOrder = false, sameDim = false, onInvocations = false, anyDim = false;
  for (size_t i = 0; i + 1 < places_.size(); ++i) {
    On outer = places_[i].first;
    inOrder |= outer == On::Order;
    sameDim |= outer == on;
    onInvocations |= isOnInvocations(outer);
    anyDim |= outer == On::Invocations || outer == On::Grid;
  }
  if (isOnWorkgroups(on) && (inOrder || onInvocations || sameDim))
    report(Rule::On, what + " is not outermost, or not alone along its dimension");
  if (on == On::Grid && places_.size() > 1) report(Rule::On, what + " is not outermost");
  if (on == On::Invocations && onInvocations) report(Rule::On, what + " is in another");
  bool alongDim = on >= On::InvocationsX && on <= On::InvocationsZ;
  if (alongDim && (anyDim || sameDim)) report(Rule::On, what + " is in another");
  if (!alongDim) return;
  auto dim = static_cast<size_t>(on) - static_cast<size_t>(On::InvocationsX);
  if (count.asConstant().value_or(INT64_MAX) > dispatch_->invocations[dim])
    report(Rule::On, what + " has " + count.str() + " iterations, and there are " +
                         std::to_string(dispatch_->invocations[dim]) + " invocations");
}

void Verifier::leavePlace(On) {
  if (dispatch_) places_.pop_back();
}

void Verifier::checkComputes(const std::string& what) {
  if (dispatch_ && !isOn(isOnInvocations))
    report(Rule::On, what + " is in a dispatch, but on no invocation");
}

void Verifier::checkDeviceAlloc(const Alloc& alloc) {
  bool shared = alloc.space == Space::Workgroup || alloc.space == Space::Registers;
  std::string name = tensorName(alloc.tensor);
  if (!dispatch_) {
    if (shared && level() > Level::Tiled)  // where it may have to be distributed yet
      report(Rule::DeviceMemory, name + " is in no dispatch");
    return;
  }
  if (alloc.space == Space::Heap) report(Rule::DeviceMemory, name + " is in a dispatch's heap");
  if (shared && isOn(isOnInvocations))
    report(Rule::DeviceMemory, name + " is for the workgroup, and allocated by an invocation");
  if (alloc.space == Space::Stack && !isOn(isOnInvocations))
    report(Rule::DeviceMemory, name + " is on the stack of no invocation");
  spaces_[alloc.tensor] = alloc.space;
  if (alloc.space != Space::Registers) return;
  const std::vector<affine::Expr>& shape = kernel_.tensors[alloc.tensor].shape;
  size_t next = 0;
  for (size_t d = 3; d-- > 0;) {
    if (dispatch_->invocations[d] == 1) continue;
    bool own = next < shape.size() && shape[next].asConstant() == dispatch_->invocations[d];
    if (!own) report(Rule::DeviceMemory, name + " has no part for each invocation");
    ++next;
  }
}

void Verifier::checkRegisters(unsigned tensor, const std::vector<affine::Expr>& index) {
  auto space = spaces_.find(tensor);
  if (!dispatch_ || space == spaces_.end() || space->second != Space::Registers) return;
  size_t next = 0;
  for (size_t d = 3; d-- > 0;) {
    if (dispatch_->invocations[d] == 1) continue;
    On on = static_cast<On>(static_cast<size_t>(On::InvocationsX) + d);
    bool own = std::any_of(places_.begin(), places_.end(), [&](const auto& place) {
      return place.first == on && next < index.size() && index[next].asIterator() == place.second;
    });
    if (!own)
      report(Rule::DeviceMemory, tensorName(tensor) + " is read beyond an invocation's own");
    ++next;
  }
}

}  // namespace einc::ir
