// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/mlir/scope.h"

#include "compiler/emit/mlir/scalars.h"
#include "compiler/emit/text/signature.h"

namespace einc::emit::mlir {

FunctionScope::FunctionScope(const ir::Kernel& kernel, Data data)
    : kernel_(kernel),
      data_(data),
      entry_(names_, 1),
      tensors_(kernel.tensors.size()),
      arguments_(kernel.tensors.size()),
      attributes_(kernel.attributes.size()),
      bindings_(ir::bindSymbols(kernel)) {
  for (const ir::Kernel::Input& input : kernel.inputs)
    input.isTensor ? addTensor(input.index) : addAttribute(input.index);
  for (unsigned t = 0; t < kernel.tensors.size(); ++t)
    if (kernel.tensors[t].role == ir::Role::Output) addTensor(t);
  for (unsigned a = 0; a < kernel.attributes.size(); ++a)
    if (!kernel.attributes[a].parameter) addAttribute(a);
}

namespace {

// The size as a type shows it.
std::string sizeText(const affine::Expr& size) {
  auto constant = size.asConstant();
  return constant.value_or(0) == 0 ? "?" : std::to_string(*constant);
}

// The strides of a dense tensor, "?" where they are not known.
std::string denseStrides(const std::vector<affine::Expr>& shape) {
  std::string text;
  affine::Expr stride = affine::Expr::constant(1);
  for (auto size = shape.rbegin(); size != shape.rend(); ++size) {
    text = sizeText(stride) + (text.empty() ? "" : ", ") + text;
    stride = sizeText(*size) == "?" ? affine::Expr() : stride * *size;
  }
  return text;
}

}  // namespace

std::string FunctionScope::type(unsigned id) const {
  return partType(id, kernel_.tensors[id].shape);
}

std::string FunctionScope::partType(unsigned id, const std::vector<affine::Expr>& sizes) const {
  const ir::Tensor& tensor = kernel_.tensors[id];
  std::string text = (onBuffers() ? "memref<" : "tensor<") +
                     joined(sizes, "", [](const affine::Expr& e) { return sizeText(e) + "x"; }) +
                     storageType(tensor.type);
  // A local is dense; arguments have the strides of their descriptors.
  bool isLocal = tensor.role == ir::Role::Local;
  if (onBuffers() && !isLocal)
    text += ", strided<[" + joined(sizes, ", ", [](const affine::Expr&) { return "?"; }) +
            "], offset: ?>";
  if (onBuffers() && isLocal && sizes != tensor.shape)
    text += ", strided<[" + denseStrides(tensor.shape) + "]>";
  return text + ">";
}

void FunctionScope::addTensor(unsigned id) {
  tensors_[id] = arguments_[id] = names_.make(kernel_.tensors[id].name);
  parameters_.push_back(tensors_[id] + ": " + type(id));
}

// In C, half precision is passed as the integer that encodes it.
std::string FunctionScope::scalarType(unsigned attribute) const {
  ir::ScalarType type = kernel_.attributes[attribute].type;
  return ir::info(type).isFloat() && ir::info(type).bits == 16 ? "i16" : storageType(type);
}

void FunctionScope::addAttribute(unsigned id) {
  const ir::Attribute& a = kernel_.attributes[id];
  attributes_[id] = names_.make(a.name);
  parameters_.push_back(attributes_[id] + ": " +
                        (Signature::byAddress(a) ? "!llvm.ptr" : scalarType(id)));
  if (a.list) parameters_.push_back(names_.make(a.name + "_length") + ": i64");
}

const std::string& FunctionScope::tensor(unsigned id) {
  if (!isUsed(id)) makeLocal(id);
  return tensors_[id];
}

void FunctionScope::makeLocal(unsigned id) {
  const ir::Tensor& tensor = kernel_.tensors[id];
  std::vector<std::string> sizes;
  for (size_t d = 0; d < tensor.shape.size(); ++d)
    if (sizeText(tensor.shape[d]) == "?") sizes.push_back(index(entry_, tensor.shape[d]));
  // Two locals of one shape are two: this is no value to be shared.
  tensors_[id] = names_.make(tensor.name);
  entry_.text().line(tensors_[id] + " = " + (onBuffers() ? "memref.alloc" : "tensor.empty") + "(" +
                     joined(sizes) + ") : " + type(id));
}

std::string FunctionScope::attribute(const ir::AttributeRef& reference) {
  auto key = std::make_pair(reference.attribute, reference.element);
  if (auto it = elements_.find(key); it != elements_.end()) return it->second;
  const ir::Attribute& a = kernel_.attributes[reference.attribute];
  const std::string& parameter = attributes_[reference.attribute];
  std::string value =
      Signature::byAddress(a) ? byAddress(a, parameter, reference.element) : byValue(a, parameter);
  return elements_[key] = value;
}

std::string FunctionScope::byValue(const ir::Attribute& a, const std::string& parameter) {
  if (a.type == ir::ScalarType::F16 || a.type == ir::ScalarType::BF16)
    return entry_.value(a.name, "arith.bitcast " + parameter + " : i16 to " + storageType(a.type));
  return Scalars(entry_).fromStorage(a.type, parameter);
}

// The element in memory; the default where the caller gave no address.
std::string FunctionScope::byAddress(const ir::Attribute& a, const std::string& parameter,
                                     int64_t element) {
  std::string type = storageType(a.type), pointer = "!llvm.ptr";
  std::string name = a.name;
  if (a.list || !a.shape.empty()) name += "_" + std::to_string(element);
  auto load = [&](Block& block) {
    std::string address =
        block.value("address", "llvm.getelementptr " + parameter + "[" + std::to_string(element) +
                                   "] : (!llvm.ptr) -> !llvm.ptr, " + type);
    return block.value("loaded", "llvm.load " + address + " : !llvm.ptr -> " + type);
  };
  if (!a.defaults) return Scalars(entry_).fromStorage(a.type, load(entry_));
  std::string null = entry_.value("null", "llvm.mlir.zero : " + pointer);
  std::string given =
      entry_.value("given", "llvm.icmp \"ne\" " + parameter + ", " + null + " : " + pointer);
  ir::Number number = (*a.defaults)[static_cast<size_t>(element)];
  std::string fallback = Scalars(entry_).toStorage(a.type, entry_.constant(a.type, number));
  std::string result = entry_.open(name, "scf.if " + given + " -> (" + type + ") {");
  Block inside(names_, 2, &entry_);
  std::string loaded = load(inside);
  entry_.text().raw(inside.take()).line("scf.yield " + loaded + " : " + type);
  entry_.text().dedent().line("} else {").indent();
  entry_.text().line("scf.yield " + fallback + " : " + type).close();
  return Scalars(entry_).fromStorage(a.type, result);
}

std::string FunctionScope::symbol(const std::string& name) {
  if (auto it = symbols_.find(name); it != symbols_.end()) return it->second;
  std::string value;
  if (auto reference = kernel_.attributeOf(name)) {
    const ir::TypeInfo& type = ir::info(kernel_.attributes[reference->attribute].type);
    value = entry_.value("index_of_" + kernel_.attributes[reference->attribute].name,
                         std::string("arith.index_cast") + (type.isSigned() ? " " : "ui ") +
                             attribute(*reference) + " : " + typeName(type.type) + " to index");
  } else {
    for (const ir::SymbolBinding& binding : bindings_)
      if (binding.symbol == name) value = size(binding);
  }
  return symbols_[name] = value;
}

std::string FunctionScope::size(const ir::SymbolBinding& binding) {
  std::string dim = entry_.index(binding.dim), op = onBuffers() ? "memref.dim " : "tensor.dim ";
  // An output's name may stand for a later value; its shape is the argument's.
  std::string value = entry_.value(
      binding.symbol, op + arguments_[binding.tensor] + ", " + dim + " : " + type(binding.tensor));
  if (!binding.offset.isZero()) {
    std::string offset = index(entry_, binding.offset);
    value = entry_.value(binding.symbol, "arith.subi " + value + ", " + offset + " : index");
  }
  if (binding.scale != 1) {
    std::string scale = entry_.index(binding.scale);
    value = entry_.value(binding.symbol, "arith.divsi " + value + ", " + scale + " : index");
  }
  return value;
}

std::string FunctionScope::index(Block& block, const affine::Expr& expr,
                                 const IteratorValue& iterator) {
  auto op = [&](const std::string& name, const std::string& a, const std::string& b) {
    return block.value("index", "arith." + name + " " + a + ", " + b + " : index");
  };
  std::string sum;
  for (bool constants : {false, true})
    for (const affine::Term& term : expr.terms()) {
      if (term.factors.empty() != constants) continue;
      if (constants && sum.empty()) return block.index(term.coefficient);
      bool negative = term.coefficient < 0 && term.coefficient != INT64_MIN;
      int64_t magnitude = negative ? -term.coefficient : term.coefficient;
      std::string product;
      auto multiply = [&](const std::string& by) {
        product = product.empty() ? by : op("muli", product, by);
      };
      for (const affine::Atom& atom : term.factors) multiply(factor(block, atom, iterator));
      if (magnitude != 1 || constants) multiply(block.index(magnitude));
      if (sum.empty())
        sum = negative ? op("subi", block.index(0), product) : product;
      else
        sum = op(negative ? "subi" : "addi", sum, product);
    }
  return sum.empty() ? block.index(0) : sum;
}

std::string FunctionScope::factor(Block& block, const affine::Atom& atom,
                                  const IteratorValue& iterator) {
  if (atom.kind == affine::Atom::Kind::Iterator) return iterator(atom.name);
  if (!atom.div) return symbol(atom.name);
  std::string x = index(block, atom.div->dividend, iterator);
  std::string y = index(block, atom.div->divisor, iterator);
  std::string quotient = block.value("floor", "arith.floordivsi " + x + ", " + y + " : index");
  if (atom.kind == affine::Atom::Kind::FloorDiv) return quotient;
  std::string whole = block.value("whole", "arith.muli " + quotient + ", " + y + " : index");
  return block.value("mod", "arith.subi " + x + ", " + whole + " : index");
}

}  // namespace einc::emit::mlir
