// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// BodyWriter: calls of libraries.
#include <algorithm>

#include "compiler/emit/c/body.h"
#include "compiler/ir/shape.h"

namespace einc::emit {

using affine::Expr;

namespace {

bool isOuter(const ir::LibraryCall& call, const std::string& iterator) {
  return std::none_of(
      call.letters.begin(), call.letters.end(), [&](const ir::LibraryCall::Letter& letter) {
        return std::count(letter.iterators.begin(), letter.iterators.end(), iterator) != 0;
      });
}

const std::vector<std::string>& iteratorsOf(const ir::LibraryCall& call, char name) {
  auto letter = std::find_if(call.letters.begin(), call.letters.end(),
                             [&](const ir::LibraryCall::Letter& l) { return l.name == name; });
  return letter->iterators;
}

}  // namespace

Expr BodyWriter::extent(const ir::LibraryCall& call, const std::string& iterator) const {
  return ir::extentOf(kernel_, call.op, iterator)->extent;
}

// How far apart in memory positions of the iterator are that follow one another.
std::string BodyWriter::step(const ir::Operand& operand, const std::string& iterator) const {
  std::vector<std::string> parts;
  const unsigned root = facts_.rootOf(operand.tensor);
  const Index map = facts_.rootIndex(operand.tensor, operand.map);
  const ir::Tensor& tensor = kernel_.tensors[root];
  Expr local;
  for (unsigned d = 0; d < map.size(); ++d) {
    auto linear = map[d].asLinear();
    for (const auto& part : linear->parts) {
      if (part.iterator != iterator) continue;
      Expr distance = part.coefficient;
      for (unsigned inner = d + 1; inner < map.size(); ++inner)
        distance = distance * tensor.shape[inner];
      local = local + distance;
      std::string stride = tensor.role == ir::Role::Local ? "" : scope_.stride(root, d);
      bool one = part.coefficient.asConstant() == 1;
      parts.push_back(one ? stride : wrapped(printer_.index(part.coefficient)) + " * " + stride);
    }
  }
  if (tensor.role == ir::Role::Local) return printer_.index(local);
  return joined(parts, " + ");
}

// The descriptor of an operand as the function takes it, under a name of its own.
std::string BodyWriter::descriptor(const ir::LibraryCall& call, size_t operand, bool moves) {
  const ir::Operand& from = call.op.operand(operand);
  const ir::Tensor& tensor = kernel_.tensors[from.tensor];
  std::string_view term = ir::info(call.function).operands[operand];
  std::string type(ir::info(tensor.type).name), sizes, strides;
  for (char letter : term) {
    const std::vector<std::string>& iterators = iteratorsOf(call, letter);
    Expr size = Expr::constant(1);
    for (const std::string& i : iterators) size = size * extent(call, i);
    std::string stride;
    if (iterators.size() == 1) {
      stride = step(from, iterators[0]);
    } else {
      auto array = [&](const auto& each) {
        return "(const int64_t[]){" + joined(iterators, ", ", each) + "}";
      };
      stride = prelude_.need("merged_stride") + "(" + std::to_string(iterators.size()) + ", " +
               array([&](const std::string& i) { return printer_.index(extent(call, i)); }) + ", " +
               array([&](const std::string& i) { return step(from, i); }) + ", &" +
               mergesFlag(call, operand, letter) + ")";
    }
    sizes += (sizes.empty() ? "" : ", ") + printer_.index(size);
    strides += (strides.empty() ? "" : ", ") + stride;
  }
  // Before there is memory, sizes and strides are asked for alone.
  unsigned root = facts_.rootOf(from.tensor);
  bool isLocal = kernel_.tensors[root].role == ir::Role::Local, noData = !end_.empty();
  std::string name = scope_.local(tensor.name + "_" + std::string(ir::info(call.function).name) +
                                  std::to_string(operand));
  std::string rank = std::to_string(term.size());
  prelude_.need("rank" + rank + "_" + type);
  out_.line(std::string(moves ? "" : "const ") + "einc_memref_" + type + "_" + rank + " " + name +
            " = {NULL, " +
            (noData ? "NULL, 0"
                    : "(" + std::string(ir::info(tensor.type).cType) + " *)" +
                          (onlySizes_ && isLocal ? "NULL" : scope_.data(root)) + ", " +
                          first(call, operand)) +
            (term.empty() ? "" : ", {" + sizes + "}, {" + strides + "}") + "};");
  return name;
}

// Where the operand's first element is, of one call.
std::string BodyWriter::first(const ir::LibraryCall& call, size_t operand) const {
  Index index;
  for (const Expr& e : call.op.operand(operand).map)
    index.push_back(e.substitute([&](const affine::Atom& a) -> std::optional<Expr> {
      bool inside = a.kind == affine::Atom::Kind::Iterator && !isOuter(call, a.name);
      return inside ? std::optional(Expr()) : std::nullopt;
    }));
  return address(call.op.operand(operand).tensor, index);
}

// What is asked for beyond sizes and strides: the library leaves out what is multiplied by 0, and
// multiplies sums, not terms.
Test BodyWriter::isPlain(const ir::ValueRef& factor) const {
  if (!factor || std::holds_alternative<ir::Literal>(factor->node)) return Test::known(true);
  std::string text = wrapped(printer_.value(factor));
  return Test::asked(text + " != 0 && " + text + " - " + text + " == 0");
}

// Products of sizes may be beyond any integer.
std::string BodyWriter::holds(const ir::LibraryCall& call, const ir::Where& where) const {
  std::string product;
  for (const std::string& i : where.iterators) {
    std::string size = wrapped(printer_.index(extent(call, i)));
    product +=
        (product.empty() ? "" : " * ") + (where.iterators.size() > 1 ? "(double)" + size : size);
  }
  return product + (where.below ? " < " : " >= ") + std::to_string(where.bound) +
         (where.iterators.size() > 1 ? ".0" : "");
}

// The iterators of which each position is a call.
std::vector<std::string> BodyWriter::outerLoops(const ir::LibraryCall& call) const {
  std::vector<std::string> loops;
  for (const ir::Iterator& i : call.op.iterators)
    if (isOuter(call, i.name)) loops.push_back(i.name);
  return loops;
}

// Of one letter of an operand where it is told, else of all.
std::string BodyWriter::mergesFlag(const ir::LibraryCall& call, size_t operand, char letter) {
  if (end_.empty()) return scope_.local("merges");
  std::string name = kernel_.tensors[call.op.operand(operand).tensor].name;
  return scope_.local("merges_" + name + "_" + std::string(1, letter) + std::to_string(operand));
}

void BodyWriter::operator()(const ir::LibraryCall& call) {
  if (!end_.empty()) return explain(call);
  const ir::LibraryFunctionInfo& function = ir::info(call.function);
  ir::ScalarType type = kernel_.tensors[call.op.outputs[0].tensor].type;
  std::string typeName(ir::info(type).name), name = call.library + "_";
  auto chunk = [&](const std::string& what) {
    return prelude_.need(name + what + std::string(function.name) + "_" + typeName);
  };
  std::vector<std::string> loops = outerLoops(call);
  bool several = std::any_of(call.letters.begin(), call.letters.end(),
                             [](const auto& letter) { return letter.iterators.size() > 1; });
  out_.open("{");
  std::vector<Test> tests;
  if (several) {
    out_.line("int " + scope_.local("merges") + " = 1;");
    tests.push_back(Test::asked(scope_.local("merges")));
  }
  for (const ir::Where& where : call.where) tests.push_back(Test::asked(holds(call, where)));
  for (const ir::ValueRef& factor : {call.alpha, call.beta}) tests.push_back(isPlain(factor));
  // Loops around the call begin at 0.
  for (const std::string& i : loops) out_.line("int64_t " + scope_.local(i) + " = 0;");
  std::vector<std::string> operands;
  for (size_t i = 0; i < call.op.operandCount(); ++i)
    operands.push_back(descriptor(call, i, !loops.empty()));
  tests.push_back(
      Test::asked(chunk("refuses_") + "(&" + joined(operands, ", &") + ").why == NULL"));
  const std::string test = Test::allOf(tests).text();
  if (onlySizes_) {
    out_.open("if (!(" + test + ")) {");
  } else {
    out_.open("if (" + test + ") {");
    invoke(call, loops, operands, chunk(""));
    out_.dedent().line("} else {").indent();
  }
  block(call.body);
  out_.close().close();
}

void BodyWriter::invoke(const ir::LibraryCall& call, const std::vector<std::string>& loops,
                        const std::vector<std::string>& operands, const std::string& function) {
  for (const std::string& loop : loops) {
    std::string i = scope_.local(loop), extent = printer_.index(this->extent(call, loop));
    out_.open("for (" + i + " = 0; " + i + " < " + extent + "; ++" + i + ") {");
  }
  for (size_t i = 0; i < operands.size() && !loops.empty(); ++i)
    out_.line(operands[i] + ".offset = " + first(call, i) + ";");
  ir::ScalarType type = kernel_.tensors[call.op.outputs[0].tensor].type;
  ir::ValueRef one = ir::makeLiteral(type, ir::Number{1.0, 0});
  auto factor = [&](const ir::ValueRef& value) { return printer_.value(value ? value : one); };
  const ir::LibraryFunctionInfo& info = ir::info(call.function);
  std::string arguments;
  if (info.alpha) arguments = factor(call.alpha) + ", ";
  for (size_t i = 0; i < operands.size(); ++i) {
    if (i + 1 == operands.size() && info.beta) arguments += factor(call.beta) + ", ";
    arguments += "&" + operands[i] + (i + 1 < operands.size() ? ", " : "");
  }
  out_.line(function + "(" + arguments + ");");
  for (size_t i = 0; i < loops.size(); ++i) out_.close();
}

}  // namespace einc::emit
