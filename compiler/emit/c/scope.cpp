// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/c/scope.h"

#include <algorithm>

#include "compiler/emit/c/checks.h"
#include "compiler/ir/shape.h"

namespace einc::emit {

KernelScope::KernelScope(const ir::Kernel& kernel, Signature& signature, Prelude& prelude)
    : kernel_(kernel), signature_(signature), prelude_(prelude) {
  for (const std::string& size : kernel.sizeSymbols())
    symbols_.emplace(size, reference(signature.names.make(size)));
  for (unsigned t = 0; t < kernel.tensors.size(); ++t) {
    const std::string& name = kernel.tensors[t].name;
    data_.push_back(reference(signature.names.make(name + "_data")));
    offsets_.push_back(reference(signature.names.make(name + "_offset")));
    strides_.emplace_back();
    for (size_t d = 0; d < kernel.tensors[t].shape.size(); ++d)
      strides_[t].push_back(reference(signature.names.make(name + "_stride" + std::to_string(d))));
  }
  views_ = reference(signature.names.make("views"));
}

std::string KernelScope::arguments() const {
  return joined(signature_.parameters(), ", ",
                [](const Parameter& parameter) { return reference(parameter.name); });
}

std::string KernelScope::view(unsigned tensor) const {
  auto before = std::count_if(kernel_.tensors.begin(), kernel_.tensors.begin() + tensor,
                              [](const ir::Tensor& t) { return t.role != ir::Role::Local; });
  return "&" + views_ + "[" + std::to_string(before) + "]";
}

std::string KernelScope::argumentSize(unsigned tensor, unsigned dim) const {
  return this->tensor(tensor) + "->sizes[" + std::to_string(dim) + "]";
}

std::string KernelScope::local(const std::string& name) {
  auto it = locals_.find(name);
  if (it == locals_.end())
    it = locals_
             .emplace(name,
                      reference(signature_.names.make(name.substr(name.find_first_not_of('.')))))
             .first;
  return it->second;
}

std::string KernelScope::indexName(const affine::Atom& atom) {
  if (atom.kind == affine::Atom::Kind::Iterator) return local(atom.name);
  if (auto reference = kernel_.attributeOf(atom.name)) {
    const ir::TypeInfo& type = ir::info(kernel_.attributes[reference->attribute].type);
    std::string name = attributeElement(*reference);
    return type.type == ir::ScalarType::I64 ? name : "(int64_t)" + name;
  }
  auto size = symbols_.find(atom.name);
  return size == symbols_.end() ? local(atom.name) : size->second;
}

std::vector<std::pair<std::string, std::string>> KernelScope::argumentTypes(
    const References& used) const {
  std::vector<std::pair<std::string, std::string>> result;
  for (const Parameter& p : signature_.parameters())
    if (used.count(reference(p.name)) != 0) result.emplace_back(reference(p.name), p.type);
  return result;
}

std::vector<std::pair<std::string, std::string>> KernelScope::parameterTypes(
    const References& used) const {
  std::vector<std::pair<std::string, std::string>> result = argumentTypes(used);
  auto add = [&](const std::string& name, const std::string& type) {
    if (used.count(name) != 0) result.emplace_back(name, type);
  };
  for (unsigned t = 0; t < kernel_.tensors.size(); ++t) {
    const ir::Tensor& tensor = kernel_.tensors[t];
    if (!ir::isArgument(tensor.role)) continue;
    std::string constant = tensor.role == ir::Role::Input ? "const " : "";
    add(data_[t], constant + std::string(ir::info(tensor.type).cElement()) + " *");
    add(offsets_[t], "int64_t ");
    for (const std::string& stride : strides_[t]) add(stride, "int64_t ");
  }
  for (const auto& [size, name] : symbols_) add(name, "int64_t ");
  for (const auto& [of, name] : elements_)
    add(name, valueType(kernel_.attributes[of.attribute].type) + " ");
  return result;
}

std::string KernelScope::attributeElement(const ir::AttributeRef& of) {
  const ir::Attribute& a = kernel_.attributes[of.attribute];
  bool isPlain = !Signature::byAddress(a) && !ir::info(a.type).isShortFloat() &&
                 a.type != ir::ScalarType::Bool;
  if (isPlain) return attribute(of.attribute);
  for (const auto& [known, name] : elements_)
    if (known.attribute == of.attribute && known.element == of.element) return name;
  std::string name = reference(signature_.names.make(a.name + "_" + std::to_string(of.element)));
  elements_.emplace_back(of, name);
  return name;
}

std::string KernelScope::elementValue(const ir::AttributeRef& of) const {
  const ir::Attribute& a = kernel_.attributes[of.attribute];
  const std::string name = attribute(of.attribute);
  ValueNames none;
  ValuePrinter printer(none, prelude_);
  if (!Signature::byAddress(a)) return printer.fromStorage(a.type, name);
  std::string given = printer.fromStorage(a.type, name + "[" + std::to_string(of.element) + "]");
  if (!a.defaults) return given;
  ir::Number number = (*a.defaults)[static_cast<size_t>(of.element)];
  return name + " != NULL ? " + given + " : " + printer.value(ir::makeLiteral(a.type, number));
}

std::vector<std::string> KernelScope::attributeDeclarations(References& used) {
  std::vector<std::string> lines;
  for (const auto& [of, name] : elements_)
    if (used.count(name) != 0)
      lines.push_back("const " + valueType(kernel_.attributes[of.attribute].type) + " " + name +
                      " = " + elementValue(of) + ";");
  used.merge(referencesIn(joined(lines)));
  return lines;
}

// From the last to the first: a solved size uses those before it.
std::vector<std::string> KernelScope::sizeDeclarations(References& used) {
  std::vector<std::string> declarators, lines;
  auto bindings = ir::bindSymbols(kernel_);
  for (auto it = bindings.rbegin(); it != bindings.rend(); ++it) {
    if (used.count(symbol(it->symbol)) == 0) continue;
    std::string value = argumentSize(it->tensor, it->dim);
    // Sizes may be anything yet: ranges do not overflow, and the check of this size sees if they
    // did.
    if (!it->offset.isZero())
      value = prelude_.need("range_add") + "(" + prelude_.need("range_at") + "(" + value + "), " +
              rangeText(-it->offset, *this, prelude_, nullptr) + ").low";
    if (it->scale != 1) value += " / " + wrapped(std::to_string(it->scale));
    declarators.push_back(symbol(it->symbol) + " = " + value);
    used.merge(referencesIn(declarators.back()));
  }
  std::reverse(declarators.begin(), declarators.end());
  if (!declarators.empty()) lines.push_back("const int64_t " + filled(declarators, ",", 16) + ";");
  return lines;
}

std::vector<std::string> KernelScope::layoutDeclarations(References& used) const {
  std::vector<std::string> lines;
  for (unsigned t = 0; t < kernel_.tensors.size(); ++t) {
    const ir::Tensor& tensor = kernel_.tensors[t];
    if (!ir::isArgument(tensor.role)) continue;
    const std::string argument = this->tensor(t);
    std::string constant = tensor.role == ir::Role::Input ? "const " : "";
    const bool fromStart = align_ > 1 && !ir::info(tensor.type).isPacked();
    const std::string start = argument + "->aligned";
    if (used.count(data_[t]) != 0)
      lines.push_back(constant + std::string(ir::info(tensor.type).cElement()) + " *const " +
                      data_[t] + " = " +
                      (fromStart ? prelude_.need("aligned") + "(" + start + " + " + argument +
                                       "->offset, " + std::to_string(align_) + ")"
                                 : start) +
                      ";");
    std::string integers;
    auto add = [&](const std::string& name, const std::string& value) {
      if (used.count(name) != 0) integers += (integers.empty() ? "" : ", ") + name + " = " + value;
    };
    add(offsets_[t], fromStart ? "0" : argument + "->offset");
    for (size_t d = 0; d < strides_[t].size(); ++d)
      add(strides_[t][d], argument + "->strides[" + std::to_string(d) + "]");
    if (!integers.empty()) lines.push_back("const int64_t " + integers + ";");
  }
  used.merge(referencesIn(joined(lines)));
  return lines;
}

std::vector<std::string> KernelScope::declarations(References& used) {
  std::vector<std::string> layout = layoutDeclarations(used), sizes = sizeDeclarations(used),
                           lines = attributeDeclarations(used);
  for (auto* more : {&sizes, &layout}) lines.insert(lines.end(), more->begin(), more->end());
  return lines;
}

std::string filled(const std::vector<std::string>& parts, const std::string& separator,
                   size_t column) {
  constexpr size_t kColumns = 98;  // what ends the statement comes behind them
  std::string text;
  size_t at = column;
  for (const std::string& part : parts) {
    bool first = text.empty(), fits = at + separator.size() + plainSize(part) + 1 <= kColumns;
    if (!first) text += separator + (fits ? " " : "\n" + std::string(column, ' '));
    at = first || !fits ? column : at + separator.size() + 1;
    text += part;
    at += plainSize(part);
  }
  return text;
}

std::vector<std::string> KernelScope::unusedParameters(const References& used) const {
  std::vector<std::string> lines;
  for (const Parameter& p : signature_.parameters())
    if (used.count(reference(p.name)) == 0) lines.push_back("(void)" + p.name + ";");
  return lines;
}

void KernelScope::function(TextWriter& out, const std::string& head, const std::string& first,
                           const std::string& body, const std::string& last) {
  References used = referencesIn(body + last);
  const std::vector<std::string> declared = declarations(used);
  out.open(head + " {");
  for (const std::string& line : unusedParameters(used)) out.line(line);
  if (!first.empty()) out.line(first);
  for (const std::string& line : declared) out.line(line);
  out.raw(body);
  if (!last.empty()) out.line(last);
  out.close().line();
}

}  // namespace einc::emit
