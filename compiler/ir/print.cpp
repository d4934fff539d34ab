// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/print.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <set>

#include "compiler/support/text_writer.h"

namespace einc::ir {
namespace {

std::string typeName(ScalarType type) { return std::string(info(type).name); }

std::string indexText(const affine::Expr& e) { return e.str(); }

// The shortest decimal that reads back as the same double.
std::string shortest(double value) {
  char buffer[40];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text(buffer, end);
  bool plain = text.find_first_not_of("-0123456789") == std::string::npos;
  return plain ? text + ".0" : text;
}

std::string quoted(const std::string& bytes) {
  static const char* const hex = "0123456789abcdef";
  std::string text = "\"";
  for (unsigned char c : bytes) {
    if (c == '"' || c == '\\') {
      text += '\\';
      text += static_cast<char>(c);
    } else if (c == '\n') {
      text += "\\n";
    } else if (c < 0x20 || c == 0x7f) {
      text += std::string("\\x") + hex[c >> 4] + hex[c & 15];
    } else {
      text += static_cast<char>(c);
    }
  }
  return text + "\"";
}

class Printer {
 public:
  explicit Printer(const Kernel& kernel) : kernel_(kernel) {}

  std::string kernelText() {
    out_.line("kernel @" + kernel_.name + "(" + inputs() + ") -> (" + outputs() + ")").indent().indent();
    for (const Attribute& attribute : kernel_.attributes)
      if (!attribute.parameter) out_.line("attr " + attributeText(attribute));
    if (!kernel_.odsName.empty()) out_.line("ods " + quoted(kernel_.odsName));
    for (const std::string& name : kernel_.interfaces) out_.line("implements " + quoted(name));
    if (!kernel_.doc.empty()) out_.line("doc " + quoted(kernel_.doc));
    static const char* const levels[] = {"tensors", "buffers", "hardware"};
    out_.line(std::string("level ") + levels[static_cast<int>(kernel_.level)] + " {");
    out_.dedent();
    for (const Tensor& tensor : kernel_.tensors)
      if (tensor.role == Role::Local) out_.line("local " + tensorText(tensor));
    block(kernel_.body);
    out_.close();
    return out_.take();
  }

  void statement(const Stmt& stmt) { std::visit(*this, stmt.node); }

  void operator()(const StructuredOp& op) {
    arguments_ = argumentNames(kernel_, op);
    std::string line = "op (" + joined(op.iterators, ", ", [](const Iterator& i) {
                         return i.name + (i.kind == IteratorKind::Parallel ? ": parallel" : ": reduction");
                       }) + ")";
    if (!op.inputs.empty())
      line += " ins(" + joined(op.inputs, ", ", [&](const Operand& o) { return operand(o); }) + ")";
    line += " outs(" + joined(op.outputs, ", ", [&](const Operand& o) { return operand(o); }) + ")";
    line += " { (" + joined(arguments_) + ") -> " +
            joined(op.results, ", ", [&](const ValueRef& v) { return value(v); }) + " }";
    out_.line(line);
    arguments_.clear();
  }
  void operator()(const Alloc& alloc) { out_.line("alloc %" + kernel_.tensors[alloc.tensor].name); }
  void operator()(const For& loop) {
    out_.open("for " + loop.var + " = 0 .. " + sizeText(loop.extent) +
              (loop.kind == IteratorKind::Parallel ? " parallel {" : " reduction {"));
    block(loop.body);
    out_.close();
  }
  void operator()(const Let& let) {
    out_.line("let " + let.name + ": " + typeName(let.value->type) + " = " + value(let.value));
  }
  void operator()(const Assign& assign) { out_.line(assign.name + " = " + value(assign.value)); }
  void operator()(const Store& store) {
    out_.line(element(store.tensor, store.index) + " = " + value(store.value));
  }

  std::string value(const ValueRef& v) const {
    if (auto* node = std::get_if<Literal>(&v->node)) return print(v->type, node->number);
    if (auto* node = std::get_if<OperandRef>(&v->node)) return arguments_[node->operand];
    if (auto* node = std::get_if<IndexRef>(&v->node)) return "index(" + node->index.str() + ")";
    if (auto* node = std::get_if<AttributeRef>(&v->node))
      return kernel_.attributes[node->attribute].symbolName(node->element);
    if (auto* node = std::get_if<Call>(&v->node))
      return std::string(info(node->function).name) + "(" +
             joined(node->args, ", ", [&](const ValueRef& a) { return value(a); }) + ")";
    if (auto* node = std::get_if<Cast>(&v->node))
      return "cast<" + typeName(v->type) + ">(" + value(node->arg) + ")";
    if (auto* node = std::get_if<Load>(&v->node))
      return element(node->tensor, node->index) + (node->pad ? " pad " + value(node->pad) : "");
    return std::get<Variable>(v->node).name;
  }

  void setArguments(std::vector<std::string> arguments) { arguments_ = std::move(arguments); }
  std::string take() { return out_.take(); }

 private:
  void block(const Block& statements) {
    for (const Stmt& stmt : statements) statement(stmt);
  }

  static std::string sizeText(const affine::Expr& size) {
    bool simple = size.asConstant() || size.asSymbol();
    return simple ? size.str() : "(" + size.str() + ")";
  }

  static std::string tensorText(const Tensor& tensor) {
    std::string shape;
    for (const affine::Expr& size : tensor.shape) shape += sizeText(size) + " x ";
    return "%" + tensor.name + ": tensor<" + shape + typeName(tensor.type) + ">";
  }

  std::string attributeText(const Attribute& a) const {
    std::string text = a.name + (a.optional ? "?: " : ": ");
    for (int64_t size : a.shape) text += std::to_string(size) + "x";
    text += typeName(a.type) + (a.list ? "[]" : "");
    if (!a.defaults) return text;
    return text + " = [" +
           joined(*a.defaults, ", ", [&](const Number& n) { return print(a.type, n); }) + "]";
  }

  std::string inputs() const {
    return joined(kernel_.inputs, ", ", [&](const Kernel::Input& input) {
      return input.isTensor ? tensorText(kernel_.tensors[input.index])
                            : attributeText(kernel_.attributes[input.index]);
    });
  }
  std::string outputs() const {
    std::vector<std::string> texts;
    for (const Tensor& tensor : kernel_.tensors)
      if (tensor.role == Role::Output) texts.push_back(tensorText(tensor));
    return joined(texts);
  }

  std::string element(unsigned tensor, const std::vector<affine::Expr>& index) const {
    return "%" + kernel_.tensors[tensor].name + "[" + joined(index, ", ", indexText) + "]";
  }
  std::string operand(const Operand& o) const {
    std::string text = element(o.tensor, o.map);
    if (o.shapeOnly) text += " shape";
    return o.pad ? text + " pad " + value(o.pad) : text;
  }

  const Kernel& kernel_;
  std::vector<std::string> arguments_;
  TextWriter out_;
};

}  // namespace

std::string print(ScalarType type, const Number& number) {
  const TypeInfo& t = info(type);
  std::string suffix = "_" + typeName(type);
  if (t.cls == TypeClass::Bool) return number.asBits ? "true" : "false";
  if (t.cls == TypeClass::Unsigned) return std::to_string(number.asBits) + suffix;
  if (t.cls == TypeClass::Signed)
    return std::to_string(static_cast<int64_t>(number.asBits << (64 - t.bits)) >> (64 - t.bits)) + suffix;
  if (std::isnan(number.asFloat)) return "nan" + suffix;
  if (std::isinf(number.asFloat)) return (number.asFloat < 0 ? "-inf" : "inf") + suffix;
  return shortest(number.asFloat) + suffix;
}

std::vector<std::string> argumentNames(const Kernel& kernel, const StructuredOp& op) {
  std::set<std::string> taken;
  for (const Iterator& iterator : op.iterators) taken.insert(iterator.name);
  for (const std::string& symbol : kernel.sizeSymbols()) taken.insert(symbol);
  for (const Attribute& attribute : kernel.attributes) taken.insert(attribute.name);
  for (const FunctionInfo& function : allFunctions()) taken.emplace(function.name);
  for (const char* word : {"cast", "index", "true", "false", "pad"}) taken.insert(word);
  std::vector<std::string> names;
  for (size_t i = 0; i < op.operandCount(); ++i) {
    std::string name = kernel.tensors[op.operand(i).tensor].name;
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    std::string candidate = name;
    for (int n = 1; !taken.insert(candidate).second; ++n) candidate = name + std::to_string(n);
    names.push_back(candidate);
  }
  return names;
}

std::string print(const Kernel& kernel, const ValueRef& value,
                  const std::vector<std::string>& arguments) {
  Printer printer(kernel);
  printer.setArguments(arguments);
  return printer.value(value);
}

std::string printStatement(const Kernel& kernel, const Stmt& stmt) {
  Printer printer(kernel);
  if (auto* loop = std::get_if<For>(&stmt.node))
    printer(For{loop->var, loop->extent, loop->kind, {}});
  else
    printer.statement(stmt);
  std::string text = printer.take();
  return text.substr(0, text.find('\n'));
}

std::string print(const Kernel& kernel) { return Printer(kernel).kernelText(); }

std::string print(const Module& module) {
  std::string text = "eir " + std::to_string(kTextVersion) + "\n";
  for (const Kernel& kernel : module.kernels) text += "\n" + print(kernel);
  return text;
}

}  // namespace einc::ir
