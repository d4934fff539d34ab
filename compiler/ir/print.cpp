// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/print.h"

#include "compiler/ir/instruction.h"
#include "compiler/ir/library_rule.h"
#include "compiler/ir/literal.h"
#include "compiler/ir/unique_names.h"
#include "compiler/ir/uses.h"
#include "compiler/support/text_writer.h"

namespace einc::ir {
namespace {

std::string typeName(ScalarType type) { return std::string(info(type).name); }

std::string indexText(const affine::Expr& e) { return e.str(); }

constexpr size_t kLineWidth = 96;

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

// Kernels that break the verifier's rules are printed, too, in reports: a reference to nothing has
// a name that does not parse.
std::string tensorName(const Kernel& kernel, unsigned id) {
  return id < kernel.tensors.size() ? kernel.tensors[id].name : "?" + std::to_string(id);
}

class Printer {
 public:
  explicit Printer(const Kernel& kernel) : kernel_(kernel) {}

  std::string kernelText() {
    out_.line("kernel @" + kernel_.name + "(" + inputs() + ") -> (" + outputs() + ")")
        .indent()
        .indent();
    for (const Attribute& attribute : kernel_.attributes)
      if (!attribute.parameter) out_.line("attr " + attributeText(attribute));
    if (!kernel_.odsName.empty()) out_.line("ods " + quoted(kernel_.odsName));
    for (const std::string& name : kernel_.interfaces) out_.line("implements " + quoted(name));
    if (kernel_.libraryCall) out_.line("library_call " + quoted(*kernel_.libraryCall));
    if (!kernel_.doc.empty()) out_.line("doc " + quoted(kernel_.doc));
    if (kernel_.contiguous) out_.line("strides contiguous");
    out_.line("level " + std::string(nameOf(kernel_.level)) + " {");
    out_.dedent();
    body();
    if (kernel_.contract) {
      Printer contract(*kernel_.contract);
      contract.out_.indent();
      contract.body();
      out_.close("} contract {").raw(contract.out_.take()).line("}");
    } else {
      out_.close();
    }
    return out_.take();
  }

  void body() {
    locals(nullptr);
    for (const Stmt& stmt : kernel_.body) {
      statement(stmt);
      if (auto* bound = std::get_if<Bound>(&stmt.node)) locals(bound);
    }
  }

  // Those whose sizes are known behind a bound of the body, or before all of it.
  void locals(const Bound* bound) {
    if (kernel_.level >= Level::Tiled) return;
    for (unsigned t = 0; t < kernel_.tensors.size(); ++t)
      if (kernel_.tensors[t].role == Role::Local && lastBoundOf(kernel_, t) == bound)
        out_.line("local " + tensorText(kernel_.tensors[t]));
  }

  void statement(const Stmt& stmt) { std::visit(*this, stmt.node); }

  // On one line if it fits, else a line for each part.
  void operator()(const StructuredOp& op) {
    std::vector<std::string> parts = opParts(op);
    std::string line = joined(parts, " ");
    if (line.size() <= kLineWidth) {
      out_.line(line);
      return;
    }
    out_.line(parts[0]).indent().indent();
    for (size_t i = 1; i < parts.size(); ++i) out_.line(parts[i]);
    out_.dedent().dedent();
  }
  void operator()(const Fused& fused) { scope("fused {", fused.ops); }
  static std::string spaceText(Space space) {
    static const char* const names[] = {"", " in stack", " in workgroup", " in registers"};
    return names[static_cast<int>(space)];
  }
  void operator()(const Alloc& alloc) {
    bool declares = kernel_.level >= Level::Tiled && alloc.tensor < kernel_.tensors.size();
    out_.line("alloc " +
              (declares ? tensorText(kernel_.tensors[alloc.tensor])
                        : "%" + tensorName(kernel_, alloc.tensor)) +
              spaceText(alloc.space) +
              (alloc.over ? " over %" + tensorName(kernel_, *alloc.over) : ""));
  }
  void operator()(const Bound& bound) {
    out_.line("bound " + bound.name + " = min(" + joined(bound.of, ", ", indexText) + ")");
  }
  void operator()(const Read& read) {
    out_.line("read " + read.name + " = " + element(read.tensor, read.index) +
              (read.plus.isZero() ? "" : " plus " + indexText(read.plus)));
  }
  void operator()(const View& view) {
    std::string type = view.view < kernel_.tensors.size() ? tensorText(kernel_.tensors[view.view])
                                                          : "%" + tensorName(kernel_, view.view);
    out_.line("view " + type + " = (" + joined(view.dims) + ") -> " + element(view.base, view.map) +
              padText(view.pad));
  }
  void operator()(const Offsets& offsets) {
    out_.line(
        "offsets " + dimension(offsets.view, offsets.dim) + " in %" +
        tensorName(kernel_, offsets.table) +
        (offsets.quotients ? ", quotients in %" + tensorName(kernel_, *offsets.quotients) : ""));
  }
  void operator()(const Lead& lead) {
    out_.line("lead " + lead.name + " = " + dimension(lead.tensor, lead.dim) + " to " +
              std::to_string(lead.bytes));
  }
  void operator()(const NonTemporal& region) {
    scope("non_temporal %" + tensorName(kernel_, region.tensor) + " {", region.body);
  }
  static std::string kindText(IteratorKind kind, On on) {
    std::string text = kind == IteratorKind::Parallel ? " parallel" : " reduction";
    return on == On::Order ? text : text + " on " + std::string(nameOf(on));
  }
  void operator()(const For& loop) {
    scope("for " + loop.var + " = 0 .. " + sizeText(loop.extent) + kindText(loop.kind, loop.on) +
              (loop.unrolled ? " unrolled {" : " {"),
          loop.body);
  }
  static std::string onThreads(const TileLoop& loop) {
    if (!loop.grain) return "";
    const affine::Expr &least = loop.grain->least, &inside = loop.grain->inside;
    return " on threads" + (least.asConstant() == 1 ? "" : " from " + sizeText(least)) +
           (inside.asConstant() == 0 ? "" : " inside " + sizeText(inside));
  }
  void operator()(const TileLoop& loop) {
    scope("tile " + loop.var + " : " + loop.size + " = 0 .. " + sizeText(loop.extent) + " by " +
              sizeText(loop.step) + kindText(loop.kind, loop.on) + onThreads(loop) + " {",
          loop.body);
  }
  void operator()(const If& test) {
    out_.open("if " + conditions(test.conditions) + " {");
    block(test.then);
    if (!test.otherwise.empty()) {
      out_.dedent().line("} else {").indent();
      block(test.otherwise);
    }
    out_.close();
  }
  void operator()(const Outline& outline) { scope("outline " + outline.name + " {", outline.body); }
  void operator()(const Vector& vector) {
    std::string times = vector.times.empty() ? "" : "times (" + axesText(vector.times) + ") ";
    scope("vector (" + axesText(vector.axes) + ") " + times + (vector.variant ? "variant {" : "{"),
          vector.body);
  }
  void operator()(const Let& let) {
    std::string over = let.axes.empty() ? "" : " over (" + joined(let.axes) + ")";
    out_.line("let " + let.name + ": " + typeName(let.value->type) + over + " = " +
              value(let.value));
  }
  void operator()(const Assign& assign) { out_.line(assign.name + " = " + value(assign.value)); }
  void operator()(const Store& store) {
    out_.line(element(store.tensor, store.index) +
              (store.unit.empty() ? "" : " unit " + store.unit) + (store.clip ? " clip" : "") +
              " = " + value(store.value));
  }

  void operator()(const Transpose& transpose) {
    out_.line("transpose " + transpose.name + " along " + transpose.axis);
  }
  void operator()(const Prefetch& prefetch) {
    out_.line("prefetch " + std::string(prefetch.far ? "far " : "") + (prefetch.own ? "own " : "") +
              element(prefetch.tensor, prefetch.index));
  }
  void operator()(const AssumeNumbers& assume) {
    out_.open("assume_numbers {");
    block(assume.body);
    out_.dedent().line("} else {").indent();
    block(assume.otherwise);
    out_.close();
  }
  void operator()(const LibraryCall& call) {
    auto letter = [](const LibraryCall::Letter& l) {
      return std::string(1, l.name) + ":" +
             joined(l.iterators, "", [](const std::string& i) { return " " + i; });
    };
    out_.line("library " + call.library + " " + std::string(info(call.function).name) + " (" +
              joined(call.letters, ", ", letter) + ")" +
              (call.alpha ? " alpha " + value(call.alpha) : "") +
              (call.beta ? " beta " + value(call.beta) : "") + whereText(call.where) +
              (call.number ? " of op " + std::to_string(call.number) : ""));
    out_.indent().indent();
    (*this)(call.op);
    out_.dedent().dedent();
    scope("else {", call.body);
  }
  void operator()(const ExternalCall& call) {
    scope("external " + call.function + " (" +
              joined(call.arguments, ", ", [&](const Argument& a) { return argumentText(a); }) +
              ") {",
          call.body);
  }
  void operator()(const Dispatch& dispatch) {
    scope("dispatch " + dispatch.name + " (" +
              joined(dispatch.invocations, ", ", [](int64_t n) { return std::to_string(n); }) +
              ") {",
          dispatch.body);
  }
  void operator()(const Barrier& barrier) {
    out_.line(barrier.buffers ? "barrier buffers" : "barrier");
  }
  void operator()(const CheckNumbers& check) {
    out_.line("check_numbers (" +
              joined(check.values, ", ", [&](const ValueRef& v) { return value(v); }) + ")");
  }

  std::vector<std::string> opParts(const StructuredOp& op) {
    std::vector<std::string> parts = {"op (" + joined(op.iterators, ", ", iteratorText) + ")"};
    std::vector<std::string> inputs;
    for (const Operand& input : op.inputs) inputs.push_back(operand(input));
    if (op.copied && op.copied->input < inputs.size())
      inputs[op.copied->input] += " copied to " + operand(op.copied->to);
    if (!inputs.empty()) parts.push_back("ins(" + joined(inputs) + ")");
    parts.push_back("outs(" +
                    joined(op.outputs, ", ", [&](const Operand& o) { return operand(o); }) + ")");
    arguments_ = argumentNames(kernel_, op);
    parts.push_back("{ (" + joined(arguments_) + ") -> " +
                    joined(op.results, ", ", [&](const ValueRef& v) { return value(v); }) + " }");
    if (!op.axes.empty()) parts.back() += " vector (" + axesText(op.axes) + ")";
    if (op.ahead)
      parts.back() += " ahead " + op.ahead->iterator + " " + std::to_string(op.ahead->distance) +
                      (op.ahead->far ? " far" : "");
    if (op.early) parts.back() += " early";
    if (op.variant) parts.back() += " variant";
    if (!op.unrolled.empty()) parts.back() += " unrolled (" + joined(op.unrolled) + ")";
    if (op.own) parts.back() += " own " + op.own->iterator + " " + std::to_string(op.own->distance);
    arguments_.clear();
    if (op.combiner) parts.push_back(combinerText(*op.combiner));
    return parts;
  }

  // The names are those that a reader would give: a and what is added to it, b.
  std::string combinerText(const Combiner& combiner) {
    const size_t n = combiner.results.size();
    for (size_t i = 0; i < 2 * n; ++i)
      arguments_.push_back((i < n ? "a" : "b") + (n == 1 ? "" : std::to_string(i % n)));
    auto all = [&](const std::vector<ValueRef>& values) {
      return joined(values, ", ", [&](const ValueRef& v) { return value(v); });
    };
    std::string text = "combine { (" + joined(arguments_) + ") -> " + all(combiner.results) +
                       " } neutral (" + all(combiner.neutral) + ")";
    arguments_.clear();
    return text;
  }

  std::string value(const ValueRef& v) const {
    if (!v) return "?";
    if (auto* node = std::get_if<Literal>(&v->node)) return print(v->type, node->number);
    if (auto* node = std::get_if<OperandRef>(&v->node)) return argument(node->operand);
    if (auto* node = std::get_if<IndexRef>(&v->node)) return "index(" + node->index.str() + ")";
    if (auto* node = std::get_if<AttributeRef>(&v->node)) return attributeElement(*node);
    if (auto* node = std::get_if<Call>(&v->node))
      return std::string(info(node->function).name) + "(" +
             joined(node->args, ", ", [&](const ValueRef& a) { return value(a); }) + ")";
    if (auto* node = std::get_if<Cast>(&v->node))
      return "cast<" + typeName(v->type) + ">(" + value(node->arg) + ")";
    if (auto* node = std::get_if<Load>(&v->node))
      return element(node->tensor, node->index) + padText(node->pad) +
             (node->unit.empty() ? "" : " unit " + node->unit);
    if (auto* node = std::get_if<Reduce>(&v->node))
      return "reduce " + std::string(info(node->function).name) + " over " + node->axis + " (" +
             value(node->arg) + ")";
    if (auto* node = std::get_if<Shuffle>(&v->node))
      return "shuffle " + node->axis + " [" +
             joined(node->lanes, ", ", [](unsigned lane) { return std::to_string(lane); }) + "] (" +
             value(node->a) + ", " + value(node->b) + ")";
    if (auto* node = std::get_if<Instruct>(&v->node))
      return std::string(node->instruction->name) +
             (node->axis.empty() ? "" : "[" + node->axis + ", " + node->words + "]") + "(" +
             joined(node->args, ", ", [&](const ValueRef& a) { return value(a); }) + ")";
    return std::get<Variable>(v->node).name;
  }

  std::string conditions(const std::vector<Condition>& all) const {
    return joined(all, " and ", [&](const Condition& c) { return condition(c); });
  }
  void setArguments(std::vector<std::string> arguments) { arguments_ = std::move(arguments); }
  std::string take() { return out_.take(); }

 private:
  void block(const Block& statements) {
    for (const Stmt& stmt : statements) statement(stmt);
  }

  void scope(const std::string& head, const Block& body) {
    out_.open(head);
    block(body);
    out_.close();
  }

  std::string padText(const ValueRef& pad) const { return pad ? " pad " + value(pad) : ""; }

  static std::string axesText(const std::vector<Axis>& axes) {
    return joined(axes, ", ", [](const Axis& a) { return a.name + ": " + std::to_string(a.size); });
  }

  std::string condition(const Condition& c) const {
    static const char* const signs[] = {" == ", " < ", " <= "};
    if (c.kind == Condition::Kind::Unit) return "unit " + dimension(c.tensor, c.dim);
    if (c.kind == Condition::Kind::Even) return "even " + dimension(c.tensor, c.dim);
    if (c.kind == Condition::Kind::Aligned)
      return "aligned " + dimension(c.tensor, c.dim) + " to " + c.left.str();
    return sizeText(c.left) + signs[static_cast<int>(c.kind)] + sizeText(c.right);
  }

  std::string dimension(unsigned tensor, unsigned dim) const {
    return "%" + tensorName(kernel_, tensor) + "[" + std::to_string(dim) + "]";
  }

  std::string argument(unsigned operand) const {
    return operand < arguments_.size() ? arguments_[operand] : "?" + std::to_string(operand);
  }
  std::string argumentText(const Argument& a) const {
    if (a.isTensor) return "%" + tensorName(kernel_, a.index);
    bool known = a.index < kernel_.attributes.size();
    return known ? kernel_.attributes[a.index].name : "?" + std::to_string(a.index);
  }
  std::string attributeElement(const AttributeRef& reference) const {
    if (reference.attribute >= kernel_.attributes.size())
      return "?" + std::to_string(reference.attribute);
    return kernel_.attributes[reference.attribute].symbolName(reference.element);
  }

  static std::string iteratorText(const Iterator& i) {
    return i.name + (i.kind == IteratorKind::Parallel ? ": parallel" : ": reduction");
  }

  static std::string sizeText(const affine::Expr& size) {
    bool simple = size.asConstant().value_or(-1) >= 0 || size.asSymbol();
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
    std::string values =
        joined(*a.defaults, ", ", [&](const Number& n) { return literalText(a.type, n); });
    bool isScalar = a.shape.empty() && !a.list;
    return text + " = " + (isScalar ? values : "[" + values + "]");
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
    return "%" + tensorName(kernel_, tensor) + "[" + joined(index, ", ", indexText) + "]";
  }
  std::string operand(const Operand& o) const {
    std::string text = element(o.tensor, o.map);
    if (o.shapeOnly) text += " shape";
    return text + padText(o.pad);
  }

  const Kernel& kernel_;
  std::vector<std::string> arguments_;
  TextWriter out_;
};

}  // namespace

std::string print(ScalarType type, const Number& number) {
  std::string suffix = type == ScalarType::Bool ? "" : "_" + typeName(type);
  return literalText(type, number) + suffix;
}

std::vector<std::string> argumentNames(const Kernel& kernel, const StructuredOp& op) {
  UniqueNames names(kernel);
  for (const Iterator& iterator : op.iterators) names.take(iterator.name);
  for (const FunctionInfo& function : allFunctions()) names.take(std::string(function.name));
  for (const char* word : {"cast", "index", "pad"}) names.take(word);
  std::vector<std::string> result;
  for (size_t i = 0; i < op.operandCount(); ++i)
    result.push_back(names.make(tensorName(kernel, op.operand(i).tensor)));
  return result;
}

std::string print(const Kernel& kernel, const ValueRef& value,
                  const std::vector<std::string>& arguments) {
  Printer printer(kernel);
  printer.setArguments(arguments);
  return printer.value(value);
}

std::string printStatement(const Kernel& kernel, const Stmt& stmt) {
  Printer printer(kernel);
  if (auto* op = std::get_if<StructuredOp>(&stmt.node)) {
    StructuredOp alone = *op;  // in one line, for people
    alone.combiner = nullptr;
    return joined(printer.opParts(alone), " ");
  }
  if (auto* loop = std::get_if<For>(&stmt.node))
    printer(For{loop->var, loop->extent, loop->kind, {}, loop->on, loop->unrolled});
  else
    printer.statement(stmt);
  std::string text = printer.take();
  return text.substr(0, text.find('\n'));
}

std::string print(const Kernel& kernel) { return Printer(kernel).kernelText(); }

std::string print(const Kernel& kernel, const std::vector<Condition>& conditions) {
  return Printer(kernel).conditions(conditions);
}

std::string print(const Module& module) {
  std::string text = "eir " + std::to_string(kTextVersion) + "\n";
  for (const Kernel& kernel : module.kernels) text += "\n" + print(kernel);
  return text;
}

}  // namespace einc::ir
