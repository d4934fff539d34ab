// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/c/scope.h"

#include <algorithm>

#include "compiler/emit/c/checks.h"
#include "compiler/emit/text/words.h"
#include "compiler/ir/shape.h"

namespace einc::emit {

KernelScope::KernelScope(const ir::Kernel& kernel, Signature& signature, Prelude& prelude)
    : kernel_(kernel), signature_(signature), prelude_(prelude) {
  for (const std::string& size : kernel.sizeSymbols())
    symbols_.emplace(size, signature.names.make(size));
  for (unsigned t = 0; t < kernel.tensors.size(); ++t) {
    const std::string& name = kernel.tensors[t].name;
    data_.push_back(signature.names.make(name + "_data"));
    offsets_.push_back(signature.names.make(name + "_offset"));
    strides_.emplace_back();
    for (size_t d = 0; d < kernel.tensors[t].shape.size(); ++d)
      strides_[t].push_back(signature.names.make(name + "_stride" + std::to_string(d)));
  }
  views_ = signature.names.make("views");
}

std::string KernelScope::view(unsigned tensor) const {
  auto before = std::count_if(kernel_.tensors.begin(), kernel_.tensors.begin() + tensor,
                              [](const ir::Tensor& t) { return t.role != ir::Role::Local; });
  return "&" + views_ + "[" + std::to_string(before) + "]";
}

std::string KernelScope::argumentSize(unsigned tensor, unsigned dim) const {
  return signature_.tensor(tensor) + "->sizes[" + std::to_string(dim) + "]";
}

std::string KernelScope::local(const std::string& name) {
  auto it = locals_.find(name);
  if (it == locals_.end())
    it = locals_.emplace(name, signature_.names.make(name.substr(name.find_first_not_of('.'))))
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

std::vector<std::pair<std::string, std::string>> KernelScope::parameterTypes(
    const std::string& text) const {
  std::vector<std::pair<std::string, std::string>> result;
  auto add = [&](const std::string& name, const std::string& type) {
    if (usesWord(text, name)) result.emplace_back(name, type);
  };
  for (unsigned t = 0; t < kernel_.tensors.size(); ++t) {
    const ir::Tensor& tensor = kernel_.tensors[t];
    if (!ir::isArgument(tensor.role)) continue;
    std::string constant = tensor.role == ir::Role::Input ? "const " : "";
    add(data_[t], constant + std::string(ir::info(tensor.type).cType) + " *");
    add(offsets_[t], "int64_t ");
    for (const std::string& stride : strides_[t]) add(stride, "int64_t ");
  }
  for (const auto& [size, name] : symbols_) add(name, "int64_t ");
  for (unsigned a = 0; a < kernel_.attributes.size(); ++a)
    if (!Signature::byAddress(kernel_.attributes[a]))
      add(signature_.attribute(a), std::string(ir::info(kernel_.attributes[a].type).cType) + " ");
  for (const auto& [reference, name] : elements_)
    add(name, valueType(kernel_.attributes[reference.attribute].type) + " ");
  return result;
}

std::string KernelScope::attributeElement(const ir::AttributeRef& reference) {
  const ir::Attribute& a = kernel_.attributes[reference.attribute];
  bool half = a.type == ir::ScalarType::F16 || a.type == ir::ScalarType::BF16;
  bool plain = !Signature::byAddress(a) && !half && a.type != ir::ScalarType::Bool;
  if (plain) return signature_.attribute(reference.attribute);
  for (const auto& [known, name] : elements_)
    if (known.attribute == reference.attribute && known.element == reference.element) return name;
  std::string name = signature_.names.make(a.name + "_" + std::to_string(reference.element));
  elements_.emplace_back(reference, name);
  return name;
}

std::string KernelScope::elementValue(const ir::AttributeRef& reference) const {
  const ir::Attribute& a = kernel_.attributes[reference.attribute];
  const std::string& name = signature_.attribute(reference.attribute);
  ValueNames none;
  ValuePrinter printer(none, prelude_);
  if (!Signature::byAddress(a)) return printer.fromStorage(a.type, name);
  std::string given =
      printer.fromStorage(a.type, name + "[" + std::to_string(reference.element) + "]");
  if (!a.defaults) return given;
  ir::Number number = (*a.defaults)[static_cast<size_t>(reference.element)];
  return name + " != NULL ? " + given + " : " + printer.value(ir::makeLiteral(a.type, number));
}

std::vector<std::string> KernelScope::attributeDeclarations(const std::string& text) {
  std::vector<std::string> lines;
  for (const auto& [reference, name] : elements_)
    if (usesWord(text, name))
      lines.push_back("const " + valueType(kernel_.attributes[reference.attribute].type) + " " +
                      name + " = " + elementValue(reference) + ";");
  return lines;
}

// From the last to the first: a solved size uses those before it.
std::vector<std::string> KernelScope::sizeDeclarations(const std::string& text) {
  std::vector<std::string> declarators, lines;
  std::string all = text;
  auto bindings = ir::bindSymbols(kernel_);
  for (auto it = bindings.rbegin(); it != bindings.rend(); ++it) {
    if (!usesWord(all, symbol(it->symbol))) continue;
    std::string value = argumentSize(it->tensor, it->dim);
    // Sizes may be anything yet: ranges do not overflow, and the check of this size sees if they
    // did.
    if (!it->offset.isZero())
      value = prelude_.need("range_add") + "(" + prelude_.need("range_at") + "(" + value + "), " +
              rangeText(-it->offset, *this, prelude_, nullptr) + ").low";
    if (it->scale != 1) value += " / " + wrapped(std::to_string(it->scale));
    declarators.push_back(symbol(it->symbol) + " = " + value);
    all += declarators.back() + ";";
  }
  std::reverse(declarators.begin(), declarators.end());
  if (!declarators.empty()) lines.push_back("const int64_t " + filled(declarators, ",", 16) + ";");
  return lines;
}

std::vector<std::string> KernelScope::layoutDeclarations(const std::string& text) const {
  std::vector<std::string> lines;
  for (unsigned t = 0; t < kernel_.tensors.size(); ++t) {
    const ir::Tensor& tensor = kernel_.tensors[t];
    if (!ir::isArgument(tensor.role)) continue;
    const std::string& argument = signature_.tensor(t);
    std::string constant = tensor.role == ir::Role::Input ? "const " : "";
    if (usesWord(text, data_[t]))
      lines.push_back(constant + std::string(ir::info(tensor.type).cType) + " *const " + data_[t] +
                      " = " + argument + "->aligned;");
    std::string integers;
    auto add = [&](const std::string& name, const std::string& value) {
      if (usesWord(text, name)) integers += (integers.empty() ? "" : ", ") + name + " = " + value;
    };
    add(offsets_[t], argument + "->offset");
    for (size_t d = 0; d < strides_[t].size(); ++d)
      add(strides_[t][d], argument + "->strides[" + std::to_string(d) + "]");
    if (!integers.empty()) lines.push_back("const int64_t " + integers + ";");
  }
  return lines;
}

std::string filled(const std::vector<std::string>& parts, const std::string& separator,
                   size_t column) {
  constexpr size_t kColumns = 98;  // what ends the statement comes behind them
  std::string text;
  size_t at = column;
  for (const std::string& part : parts) {
    bool first = text.empty(), fits = at + separator.size() + part.size() + 1 <= kColumns;
    if (!first) text += separator + (fits ? " " : "\n" + std::string(column, ' '));
    at = first || !fits ? column : at + separator.size() + 1;
    text += part;
    at += part.size();
  }
  return text;
}

std::string withoutStrings(const std::string& text) {
  std::string result;
  bool inside = false;
  for (char c : text)
    if (c == '"')
      inside = !inside;
    else if (!inside)
      result += c;
  return result;
}

void KernelScope::function(TextWriter& out, const std::string& head, const std::string& first,
                           const std::string& body, const std::string& last) {
  std::string code = withoutStrings(body);
  std::vector<std::string> layout = layoutDeclarations(code);
  std::vector<std::string> sizes = sizeDeclarations(code);
  std::string all = code + joined(layout, "\n") + joined(sizes, "\n");
  std::vector<std::string> attributes = attributeDeclarations(all);
  all += joined(attributes, "\n") + last;
  out.open(head + " {");
  for (const Parameter& p : signature_.parameters())
    if (!usesWord(all, p.name)) out.line("(void)" + p.name + ";");
  if (!first.empty()) out.line(first);
  for (const auto* lines : {&attributes, &sizes, &layout})
    for (const std::string& line : *lines) out.line(line);
  out.raw(body);
  if (!last.empty()) out.line(last);
  out.close().line();
}

}  // namespace einc::emit
