// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The C++ side of ods.h: iterators and maps. The region is ods_region.cpp's.
#include <algorithm>
#include <optional>

#include "compiler/emit/mlir/named_op.h"
#include "compiler/emit/mlir/ods.h"
#include "compiler/emit/mlir/ods_region.h"
#include "compiler/ir/shape.h"
#include "compiler/support/text_writer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace einc::emit {
namespace {

using affine::Atom;
using affine::Expr;

// "0, 1, " + ... + N: d0, d1, ...
std::string numbered(const char* prefix, size_t count) {
  std::vector<std::string> names(count);
  for (size_t i = 0; i < count; ++i) names[i] = prefix + std::to_string(i);
  return joined(names);
}

class ImplWriter {
 public:
  explicit ImplWriter(const NamedOp& op) : op_(op), sizes_(ir::bindSymbols(op.kernel)) {}

  Result<std::string> run() {
    iterators();
    maps();
    out_.raw(odsRegionBuilder(op_)).line();
    return out_.take();
  }

 private:
  void iterators() {
    out_.open("std::optional<SmallVector<StringRef, 8>> " + op_.className +
              "::referenceIterators() {");
    std::vector<std::string> kinds;
    for (const ir::Iterator& i : op_.op.iterators)
      kinds.push_back(i.kind == ir::IteratorKind::Parallel ? "getParallelIteratorTypeName()"
                                                           : "getReductionIteratorTypeName()");
    block("return SmallVector<StringRef, 8>{", kinds);
    out_.close();
  }

  void maps() {
    for (const NamedOperand& operand : op_.operands)
      for (const Expr& index : operand.map)
        for (const std::string& symbol : index.symbols()) constantOf(symbol);
    out_.open("std::optional<SmallVector<AffineMap, 8>> " + op_.className +
              "::referenceIndexingMaps() {");
    out_.line("MLIRContext *context = getContext();");
    if (std::string dims = numbered("d", op_.op.iterators.size()); !dims.empty())
      out_.line("AffineExpr " + dims + ";").line("bindDims(context, " + dims + ");");
    constants_.empty() ? plainMaps() : mapsWithSymbols();
    out_.close();
  }

  void plainMaps() {
    std::vector<std::string> maps;
    for (const NamedOperand& operand : op_.operands)
      maps.push_back(mapText(operand) + (operand.map.empty() ? ", context)" : ")"));
    block("return SmallVector<AffineMap, 8>{", maps);
  }

  // Symbols stand for what is known of an op only: elements of its attributes, static sizes of its
  // operands. They are constants in the maps it gets.
  void mapsWithSymbols() {
    for (size_t i = 0; i < constants_.size(); ++i)
      out_.line("auto s" + std::to_string(i) + " = getAffineSymbolExpr(" + std::to_string(i) +
                ", context);");
    for (const std::string& line : constantLines_) out_.line(line);
    std::string dims = std::to_string(op_.op.iterators.size());
    for (size_t i = 0; i < op_.operands.size(); ++i) {
      std::string map = "map" + std::to_string(i);
      out_.line("auto " + map + " = " + mapText(op_.operands[i]) + ", context);");
      out_.line(map + " = " + map + ".replaceDimsAndSymbols({}, { " +
                numbered("cst", constants_.size()) + " }, " + dims + ", 0);");
      out_.line(map + " = simplifyAffineMap(" + map + ");");
    }
    out_.line("return SmallVector<AffineMap, 8>{ " + numbered("map", op_.operands.size()) + " };");
  }

  std::string mapText(const NamedOperand& operand) const {
    return "AffineMap::get(" + std::to_string(op_.op.iterators.size()) + ", " +
           std::to_string(constants_.size()) + ", {" +
           joined(operand.map, ", ", [&](const Expr& e) { return named(e, "s"); }) + "}";
  }

  // "first" and a line for each item, the last one closed by "};".
  void block(const std::string& first, const std::vector<std::string>& items) {
    if (items.empty()) {
      out_.line(first + "};");
      return;
    }
    out_.open(first);
    for (size_t i = 0; i < items.size(); ++i)
      out_.line(items[i] + (i + 1 < items.size() ? "," : " };"));
    out_.dedent();
  }

  // The expression in C++, symbol number i called prefix + i.
  std::string named(const Expr& expr, const std::string& prefix) const {
    return odsAffineText(expr.substitute([&](const Atom& atom) -> std::optional<Expr> {
      if (atom.kind != Atom::Kind::Symbol) return std::nullopt;
      auto found = std::find(constants_.begin(), constants_.end(), atom.name);
      return Expr::symbol(prefix + std::to_string(found - constants_.begin()));
    }));
  }

  // Gives the symbol its number, and the constant that replaces it, after those that it needs.
  void constantOf(const std::string& symbol) {
    if (std::find(constants_.begin(), constants_.end(), symbol) != constants_.end()) return;
    auto reference = op_.kernel.attributeOf(symbol);
    std::string value;
    if (reference) {
      value = "getAffineConstantExpr(" + attributeValue(*reference) + ", context)";
    } else {
      value = sizeValue(symbol);
    }
    constantLines_.push_back("auto cst" + std::to_string(constants_.size()) + " = " + value + ";");
    constants_.push_back(symbol);
  }

  // What a size symbol is in terms of a static dimension; there are no maps if that is dynamic.
  std::string sizeValue(const std::string& symbol) {
    auto size = std::find_if(sizes_.begin(), sizes_.end(),
                             [&](const ir::SymbolBinding& b) { return b.symbol == symbol; });
    for (const std::string& other : size->offset.symbols()) constantOf(other);
    auto operand = std::find_if(
        op_.operands.begin(), op_.operands.end(),
        [&](const NamedOperand& o) { return !o.isScalar && o.tensor == size->tensor; });
    std::string shape = "getShapedType(" + std::to_string(operand - op_.operands.begin()) + ")";
    std::string dim = "(" + std::to_string(size->dim) + ")";
    constantLines_.push_back("if (" + shape + ".isDynamicDim" + dim + ") return std::nullopt;");
    std::string value = "getAffineConstantExpr(" + shape + ".getDimSize" + dim + ", context)";
    if (!size->offset.isZero()) value = "(" + value + " - (" + named(size->offset, "cst") + "))";
    if (size->scale != 1)
      value = "getAffineBinaryOpExpr(AffineExprKind::FloorDiv, " + value +
              ", getAffineConstantExpr(" + std::to_string(size->scale) + ", context))";
    return value;
  }

  // An element of an attribute of the op.
  std::string attributeValue(const ir::AttributeRef& reference) const {
    const ir::Attribute& a = op_.kernel.attributes[reference.attribute];
    std::string accessor = (isLocal(a.name) ? "this->" : "") + a.name + "()";
    if (a.list)
      return accessor + "[" + std::to_string(reference.element) + "].cast<IntegerAttr>().getInt()";
    if (a.shape.empty()) return accessor;
    std::vector<std::string> index;
    int64_t rest = reference.element;
    for (auto size = a.shape.rbegin(); size != a.shape.rend(); ++size) {
      index.insert(index.begin(), std::to_string(rest % *size));
      rest /= *size;
    }
    // int, int64_t, int8_t, ...
    std::string element(a.type == ir::ScalarType::I32 ? "int" : ir::info(a.type).cType);
    return accessor + ".getValue<" + element + ">({ " + joined(index) + " })";
  }

  // Whether a variable of the method has this name: context, d0, s0, cst0, map0.
  static bool isLocal(llvm::StringRef name) {
    if (name == "context") return true;
    for (llvm::StringRef prefix : {"d", "s", "cst", "map"}) {
      llvm::StringRef number = name;
      if (number.consume_front(prefix) && !number.empty() && llvm::all_of(number, llvm::isDigit))
        return true;
    }
    return false;
  }

  const NamedOp& op_;
  std::vector<ir::SymbolBinding> sizes_;
  std::vector<std::string> constants_;  // the symbols, by number
  std::vector<std::string> constantLines_;
  TextWriter out_;
};

}  // namespace

Result<std::string> emitOdsImpl(const ir::Module& module) {
  return emitNamedOps(module, odsRecord, [](const NamedOp& op) { return ImplWriter(op).run(); });
}

}  // namespace einc::emit
