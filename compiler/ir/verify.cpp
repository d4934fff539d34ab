// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/verify.h"

#include <algorithm>

#include "compiler/ir/literal.h"
#include "compiler/ir/shape.h"
#include "compiler/ir/uses.h"
#include "compiler/ir/verifier.h"
#include "compiler/support/identifier.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace einc::ir {
namespace {

constexpr int64_t kMaxAttributeElements = 4096;

}  // namespace

const std::vector<RuleInfo>& allRules() {
  static const std::vector<RuleInfo> table = {
#define EINC_RULE(rule, number, name, sentence) {Rule::rule, number, name, sentence},
#include "compiler/ir/verify.def"
  };
  return table;
}

const RuleInfo& info(Rule rule) { return allRules()[static_cast<size_t>(rule)]; }

std::string Violation::str() const {
  const RuleInfo& r = info(rule);
  return std::string(r.number) + " " + std::string(r.name) + ": " + text;
}

std::vector<Violation> verify(const Kernel& kernel) { return Verifier(kernel).run(); }

std::vector<Violation> verify(const Module& module) {
  std::vector<Violation> result;
  std::set<std::string> names;
  for (const Kernel& kernel : module.kernels) {
    if (!names.insert(kernel.name).second)
      result.push_back({Rule::UniqueName, kernel.source, "two kernels are called @" + kernel.name});
    std::vector<Violation> found = verify(kernel);
    std::move(found.begin(), found.end(), std::back_inserter(result));
  }
  return result;
}

// ---- The kernel ---------------------------------------------------------------------------------

Verifier::Verifier(const Kernel& kernel)
    : kernel_(kernel),
      where_(kernel.source),
      allocated_(kernel.tensors.size()),
      written_(kernel.tensors.size()),
      missedAlloc_(kernel.tensors.size()) {
  for (const std::string& symbol : kernel.sizeSymbols()) sizes_.insert(symbol);
}

std::vector<Violation> Verifier::run() {
  checkNames();
  checkSignature();
  for (const Attribute& attribute : kernel_.attributes) checkAttribute(attribute);
  for (const Tensor& tensor : kernel_.tensors) checkTensor(tensor);
  checkBlock(kernel_.body);
  checkAfterwards();
  checkContract();
  return std::move(found_);
}

void Verifier::report(Rule rule, std::string text) {
  found_.push_back({rule, where_, std::move(text)});
}

std::string Verifier::tensorName(unsigned tensor) const {
  return "%" + kernel_.tensors[tensor].name;
}

void Verifier::checkIdentifier(const std::string& name) {
  if (!isIdentifier(name)) report(Rule::Identifier, "'" + name + "' is not a name");
}

void Verifier::checkNames() {
  checkIdentifier(kernel_.name);
  if (kernel_.libraryCall.value_or("") != "") checkIdentifier(*kernel_.libraryCall);
  std::set<std::string> names;
  auto add = [&](const std::string& name) {
    checkIdentifier(name);
    if (!names.insert(name).second) report(Rule::UniqueName, "'" + name + "' is declared twice");
  };
  for (const Tensor& tensor : kernel_.tensors) add(tensor.name);
  for (const Attribute& attribute : kernel_.attributes) {
    add(attribute.name);
    if (isLiteralName(attribute.name))
      report(Rule::LiteralName, "attribute '" + attribute.name + "' is spelled like a literal");
  }
  std::set<std::string> bound;
  for (const SymbolBinding& binding : bindSymbols(kernel_)) bound.insert(binding.symbol);
  for (const std::string& symbol : sizes_.all()) {
    checkIdentifier(symbol);
    if (kernel_.findAttribute(symbol))
      report(Rule::IndexName, "attribute '" + symbol + "' has several elements; a size is one");
    else if (!bound.count(symbol))
      report(Rule::SymbolBound, "size '" + symbol + "' does not follow from any argument");
  }
}

void Verifier::checkSignature() {
  Role last = Role::Input;
  std::vector<unsigned> tensors, parameters, namedTensors, namedParameters;
  for (unsigned i = 0; i < kernel_.tensors.size(); ++i) {
    Role role = std::min(kernel_.tensors[i].role, Role::Local);
    if (role < last)
      report(Rule::Signature, tensorName(i) + " stands behind tensors of a later role");
    last = std::max(last, role);
    if (role == Role::Input) tensors.push_back(i);
  }
  for (unsigned i = 0; i < kernel_.attributes.size(); ++i)
    if (kernel_.attributes[i].parameter) parameters.push_back(i);
  for (const Kernel::Input& input : kernel_.inputs)
    (input.isTensor ? namedTensors : namedParameters).push_back(input.index);
  if (tensors != namedTensors || parameters != namedParameters)
    report(Rule::Signature,
           "the inputs are not the input tensors and parameters, each once, in order");
}

namespace {

// Arguments are the same to those who call: where they stand, what they are called, types and
// sizes.
bool sameArguments(const Kernel& a, const Kernel& b) {
  auto tensors = [](const Kernel& kernel) {
    std::vector<const Tensor*> result;
    for (const Tensor& tensor : kernel.tensors)
      if (isArgument(tensor.role)) result.push_back(&tensor);
    return result;
  };
  auto sameTensor = [](const Tensor* s, const Tensor* t) {
    return s->name == t->name && s->type == t->type && s->shape == t->shape && s->role == t->role;
  };
  auto sameAttribute = [](const Attribute& s, const Attribute& t) {
    return s.name == t.name && s.type == t.type && s.shape == t.shape && s.list == t.list &&
           s.optional == t.optional && s.parameter == t.parameter;
  };
  return a.name == b.name && a.inputs == b.inputs &&
         llvm::equal(tensors(a), tensors(b), sameTensor) &&
         llvm::equal(a.attributes, b.attributes, sameAttribute);
}

}  // namespace

void Verifier::checkContract() {
  const Kernel* contract = kernel_.contract.get();
  if (!contract) return;
  if (contract->level != Level::Tensors || contract->contract)
    report(Rule::Contract, "the contract is no kernel at level tensors");
  else if (!sameArguments(kernel_, *contract))
    report(Rule::Contract, "the contract has other arguments");
  else
    for (Violation& violation : Verifier(*contract).run()) {
      violation.text = "in the contract, " + violation.text;
      found_.push_back(std::move(violation));
    }
}

std::optional<int64_t> Verifier::boundedCount(const Attribute& attribute) {
  int64_t count = 1;
  for (int64_t size : attribute.shape)
    if (size < 0 || __builtin_mul_overflow(count, size, &count) || count > kMaxAttributeElements)
      return std::nullopt;
  return count;
}

void Verifier::checkAttribute(const Attribute& attribute) {
  std::string name = "attribute '" + attribute.name + "'";
  auto count = boundedCount(attribute);
  if (!count)
    report(Rule::AttributeShape,
           name + " has more than " + std::to_string(kMaxAttributeElements) + " elements");
  if (attribute.list && !attribute.shape.empty())
    report(Rule::AttributeShape, name + " is a list and has a shape");
  if (!attribute.defaults) return;
  if (count && !attribute.list && attribute.defaults->size() != static_cast<size_t>(*count))
    report(Rule::AttributeDefault, name + " has " + std::to_string(*count) + " elements, but " +
                                       std::to_string(attribute.defaults->size()) + " defaults");
  for (const Number& number : *attribute.defaults)
    if (!isValueOf(attribute.type, number))
      report(Rule::AttributeDefault, "a default of " + name + " is no value of its type");
}

// Sizes of views, and, below the structured levels, of locals are checked where these begin.
void Verifier::checkTensor(const Tensor& tensor) {
  const bool isStructured = kernel_.level < Level::Tiled && tensor.role != Role::View;
  if (!isStructured && !isArgument(tensor.role)) return;
  const size_t sizes = sizes_.mark();
  if (tensor.role == Role::Local)
    for (const std::string& name : boundsOf(kernel_.body)) sizes_.insert(name);
  checkShape(tensor);
  sizes_.forget(sizes);
}

void Verifier::checkShape(const Tensor& tensor) {
  for (const affine::Expr& size : tensor.shape) {
    checkIndex(size);
    if (size.asConstant().value_or(0) < 0)
      report(Rule::TensorSize, "%" + tensor.name + " has the size " + size.str());
  }
}

}  // namespace einc::ir
