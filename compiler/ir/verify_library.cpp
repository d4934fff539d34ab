// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "compiler/ir/verifier.h"

namespace einc::ir {

// The body first: with a beta, what was there may be what it writes.
void Verifier::checkLibrary(const LibraryCall& call) {
  checkBlock(call.body);
  checkOp(call.op);
  if (call.op.outputs.size() != 1 || call.op.outputs[0].tensor >= kernel_.tensors.size()) return;
  const LibraryFunctionInfo& function = info(call.function);
  std::string what = call.library + "'s " + std::string(function.name);
  if ((call.library != "cblas" && call.library != "blis") ||
      !function.whyNotIn(call.library).empty())
    report(Rule::Library, "there is no " + what);
  ScalarType type = kernel_.tensors[call.op.outputs[0].tensor].type;
  bool floats = type == ScalarType::F32 || type == ScalarType::F64;
  for (const Operand& input : call.op.inputs) {
    floats &= input.tensor < kernel_.tensors.size() && kernel_.tensors[input.tensor].type == type;
    if (input.pad || input.shapeOnly) report(Rule::Library, "an operand is padded, or not read");
  }
  for (const ValueRef& factor : {call.alpha, call.beta}) {
    if (!factor) continue;
    checkValue(factor, Place::Pad);
    floats &= factor->type == type;
  }
  if (!floats) report(Rule::Library, "not all operands and factors are f32, or all f64");
  if ((call.alpha && !function.alpha) || (call.beta && !function.beta))
    report(Rule::Library, what + " has no such factor");
  for (const Where& where : call.where)
    for (const std::string& name : where.iterators)
      if (std::none_of(call.op.iterators.begin(), call.op.iterators.end(),
                       [&](const Iterator& i) { return i.name == name; }))
        report(Rule::Library, "'" + name + "' is no iterator of the op");
  if (call.op.operandCount() != function.operands.size())
    report(Rule::Library, what + " has " + std::to_string(function.operands.size()) + " operands");
  else
    checkLetters(call);
  if (call.op.results.size() != 1 ||
      !equal(call.op.results[0], payloadOf(call.function, type, call.alpha)))
    report(Rule::Library, "the payload is not that of " + what);
}

void Verifier::checkLetters(const LibraryCall& call) {
  const std::vector<std::string_view>& terms = info(call.function).operands;
  std::set<std::string> seen;
  for (const LibraryCall::Letter& letter : call.letters)
    for (const std::string& name : letter.iterators) {
      auto iterator = std::find_if(call.op.iterators.begin(), call.op.iterators.end(),
                                   [&](const Iterator& i) { return i.name == name; });
      if (iterator == call.op.iterators.end() || !seen.insert(name).second) {
        report(Rule::Library, "'" + name + "' is no iterator, or stands for two letters");
        continue;
      }
      bool reduces = terms.back().find(letter.name) == std::string_view::npos;
      if (reduces != (iterator->kind == IteratorKind::Reduction))
        report(Rule::Library, "iterator '" + name + "' is of the wrong kind for its letter");
      for (size_t i = 0; i < terms.size(); ++i) {
        bool wanted = terms[i].find(letter.name) != std::string_view::npos;
        if (iteratorsOf(call.op.operand(i)).count(name) != (wanted ? 1 : 0))
          report(Rule::Library, "iterator '" + name + "' is where its letter is not, or not there");
      }
    }
  for (std::string_view term : terms)
    for (char c : term)
      if (std::none_of(call.letters.begin(), call.letters.end(),
                       [&](const LibraryCall::Letter& letter) { return letter.name == c; }))
        report(Rule::Library, std::string("letter '") + c + "' stands for nothing");
}

void Verifier::checkExternal(const ExternalCall& call) {
  checkIdentifier(call.function);
  std::string what = "the call of '" + call.function + "' ";
  if (region_ || external_) report(Rule::External, what + "stands in a region or another call");
  std::set<std::pair<bool, unsigned>> seen;
  for (const Argument& a : call.arguments) {
    size_t count = a.isTensor ? kernel_.tensors.size() : kernel_.attributes.size();
    if (a.index >= count)
      report(a.isTensor ? Rule::TensorId : Rule::AttributeId, what + "is with what there is not");
    else if (!seen.insert({a.isTensor, a.index}).second)
      report(Rule::External, what + "has an argument twice");
    else if (a.isTensor && paddedViews_.count(a.index))
      report(Rule::External, what + "has a view with a pad as an argument");
  }
  const ExternalCall* outer = std::exchange(external_, &call);
  allocatedOutside_ = allocated_;
  checkBlock(call.body);
  external_ = outer;
}

// What is used in the body of an external call.
void Verifier::checkArgument(const Argument& argument) {
  bool own = argument.isTensor && allocated_[argument.index] && !allocatedOutside_[argument.index];
  const std::vector<Argument>& all = external_->arguments;
  if (own || std::find(all.begin(), all.end(), argument) != all.end()) return;
  report(Rule::External, (argument.isTensor ? tensorName(argument.index)
                                            : "'" + kernel_.attributes[argument.index].name + "'") +
                             " is used in the call of '" + external_->function +
                             "', and is no argument of it");
}

}  // namespace einc::ir
