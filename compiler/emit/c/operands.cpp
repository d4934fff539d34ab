// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What functions of libraries are called with, and when.
#include <algorithm>

#include "compiler/emit/c/places.h"
#include "compiler/ir/shape.h"
#include "llvm/ADT/STLExtras.h"

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

Expr PlacePrinter::extent(const ir::LibraryCall& call, const std::string& iterator) const {
  return ir::extentOf(kernel_, call.op, iterator)->extent;
}

// How far apart in memory positions of the iterator are that follow one another.
std::string PlacePrinter::step(const ir::Operand& operand, const std::string& iterator) const {
  std::vector<std::string> parts;
  const unsigned root = facts_.rootOf(operand.tensor);
  const Index map = facts_.rootIndex(operand.tensor, operand.map);
  const ir::Tensor& tensor = kernel_.tensors[root];
  Expr local;
  for (unsigned d = 0; d < map.size(); ++d) {
    // Loops around may stand in it in any way.
    const Expr along = *map[d].stepAlong(iterator);
    if (along.isZero()) continue;
    Expr distance = along;
    for (unsigned inner = d + 1; inner < map.size(); ++inner)
      distance = distance * tensor.shape[inner];
    local = local + distance;
    std::string stride = tensor.role == ir::Role::Local ? "" : scope_.stride(root, d);
    bool one = along.asConstant() == 1;
    parts.push_back(one ? stride : wrapped(printer_.index(along)) + " * " + stride);
  }
  if (tensor.role == ir::Role::Local) return printer_.index(local);
  return joined(parts, " + ");
}

// How far positions of a letter's iterators are apart; if there are several, where they are one dimension.
std::string PlacePrinter::strideOf(const ir::LibraryCall& call, size_t operand,
                                   const std::vector<std::string>& iterators,
                                   const std::string& flag) const {
  const ir::Operand& from = call.op.operand(operand);
  if (iterators.size() == 1) return step(from, iterators[0]);
  auto array = [&](const auto& each) {
    return "(const int64_t[]){" + joined(iterators, ", ", each) + "}";
  };
  return prelude_.need("merged_stride") + "(" + std::to_string(iterators.size()) + ", " +
         array([&](const std::string& i) { return printer_.index(extent(call, i)); }) + ", " +
         array([&](const std::string& i) { return step(from, i); }) + ", &" + flag + ")";
}

// The descriptor of an operand as the function takes it, under a name of its own.
std::string PlacePrinter::descriptor(const ir::LibraryCall& call, size_t operand, bool moves,
                                     DataOf data, const MergesFlag& merges) {
  const ir::Operand& from = call.op.operand(operand);
  const ir::Tensor& tensor = kernel_.tensors[from.tensor];
  std::string_view term = ir::info(call.function).operands[operand];
  std::string type(ir::info(tensor.type).name), sizes, strides;
  for (char letter : term) {
    const std::vector<std::string>& iterators = iteratorsOf(call, letter);
    Expr size = Expr::constant(1);
    for (const std::string& i : iterators) size = size * extent(call, i);
    const std::string flag = iterators.size() > 1 ? merges(operand, letter) : "";
    const std::string stride = strideOf(call, operand, iterators, flag);
    sizes += (sizes.empty() ? "" : ", ") + printer_.index(size);
    strides += (strides.empty() ? "" : ", ") + stride;
  }
  unsigned root = facts_.rootOf(from.tensor);
  const bool isThere = data == DataOf::All || kernel_.tensors[root].role != ir::Role::Local;
  std::string name = scope_.local(tensor.name + "_" + std::string(ir::info(call.function).name) +
                                  std::to_string(operand));
  std::string rank = std::to_string(term.size());
  prelude_.need("rank" + rank + "_" + type);
  out_.line(std::string(moves ? "" : "const ") + "einc_memref_" + type + "_" + rank + " " + name +
            " = {NULL, " +
            (data == DataOf::None
                 ? "NULL, 0"
                 : "(" + std::string(ir::info(tensor.type).cType) + " *)" +
                       (isThere ? scope_.data(root) : "NULL") + ", " + first(call, operand)) +
            (term.empty() ? "" : ", {" + sizes + "}, {" + strides + "}") + "};");
  return name;
}

// Where the operand's first element is, of one call.
std::string PlacePrinter::first(const ir::LibraryCall& call, size_t operand) const {
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
Test PlacePrinter::isPlain(const ir::ValueRef& factor) const {
  if (!factor || std::holds_alternative<ir::Literal>(factor->node)) return Test::known(true);
  std::string text = wrapped(printer_.value(factor));
  return Test::asked(text + " != 0 && " + text + " - " + text + " == 0");
}

// Of a view: where its first element is, and how far apart positions are.
std::string PlacePrinter::viewDescriptor(unsigned view) const {
  const ir::Tensor& tensor = kernel_.tensors[view];
  const std::string data =
      "(" + std::string(ir::info(tensor.type).cType) + " *)" + scope_.data(facts_.rootOf(view));
  ir::Operand whole{view, {}, nullptr};
  std::vector<std::string> names;
  for (size_t d = 0; d < tensor.shape.size(); ++d) {
    names.push_back("d" + std::to_string(d));
    whole.map.push_back(Expr::iterator(names.back()));
  }
  std::string value = "{" + data + ", " + data + ", " + address(view, Index(names.size()));
  if (names.empty()) return value + "}";
  auto size = [&](const Expr& e) { return printer_.index(e); };
  auto stride = [&](const std::string& name) { return step(whole, name); };
  return value + ", {" + joined(tensor.shape, ", ", size) + "}, {" + joined(names, ", ", stride) +
         "}}";
}

// Products of sizes may be beyond any integer.
std::string PlacePrinter::holds(const ir::LibraryCall& call, const ir::Where& where) const {
  std::string product;
  for (const std::string& i : where.iterators) {
    std::string size = wrapped(printer_.index(extent(call, i)));
    product +=
        (product.empty() ? "" : " * ") + (where.iterators.size() > 1 ? "(double)" + size : size);
  }
  return product + (where.below ? " < " : " >= ") + std::to_string(where.bound) +
         (where.iterators.size() > 1 ? ".0" : "");
}

std::vector<std::string> PlacePrinter::outerLoops(const ir::LibraryCall& call) {
  std::vector<std::string> loops;
  for (const ir::Iterator& i : call.op.iterators)
    if (isOuter(call, i.name)) loops.push_back(i.name);
  return loops;
}

std::string PlacePrinter::chunkOf(const ir::LibraryCall& call, const ir::Kernel& kernel,
                                  const std::string& what) {
  const ir::ScalarType type = kernel.tensors[call.op.outputs[0].tensor].type;
  return call.library + "_" + what + std::string(ir::info(call.function).name) + "_" +
         std::string(ir::info(type).name);
}

PlacePrinter::Asked PlacePrinter::asked(const ir::LibraryCall& call, DataOf data) {
  bool several = std::any_of(call.letters.begin(), call.letters.end(),
                             [](const auto& letter) { return letter.iterators.size() > 1; });
  std::string merges = several ? scope_.local("merges") : "";
  std::vector<Test> tests;
  if (several) {
    out_.line("int " + merges + " = 1;");
    tests.push_back(Test::asked(merges));
  }
  for (size_t i = 0; i < call.where.size(); ++i)
    if (llvm::find(call.where, call.where[i]) == call.where.begin() + static_cast<ptrdiff_t>(i))
      tests.push_back(Test::asked(holds(call, call.where[i])));
  tests.push_back(isPlain(call.alpha));
  const bool isOne = call.alpha && call.beta && ir::equal(call.alpha, call.beta);
  if (!isOne) tests.push_back(isPlain(call.beta));
  // Loops around the call begin at 0.
  const std::vector<std::string> loops = outerLoops(call);
  for (const std::string& i : loops) out_.line("int64_t " + scope_.local(i) + " = 0;");
  Asked result;
  for (size_t i = 0; i < call.op.operandCount(); ++i)
    result.operands.push_back(
        descriptor(call, i, !loops.empty(), data, [&](size_t, char) { return merges; }));
  tests.push_back(Test::asked(prelude_.need(chunkOf(call, kernel_, "refuses_")) + "(&" +
                              joined(result.operands, ", &") + ").why == NULL"));
  result.test = Test::allOf(tests).text();
  return result;
}

}  // namespace einc::emit
