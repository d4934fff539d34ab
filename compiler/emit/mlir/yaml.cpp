// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/mlir/yaml.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "compiler/emit/mlir/named_op.h"
#include "compiler/emit/mlir/yaml_value.h"
#include "compiler/ir/literal.h"
#include "compiler/support/text_writer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/YAMLParser.h"

namespace einc::emit {
namespace {

using affine::Atom;
using affine::Expr;

class YamlWriter {
 public:
  explicit YamlWriter(const NamedOp& op) : op_(op) {}

  Result<std::string> run() {
    out_.line("--- !LinalgOpConfig");
    for (const ir::Attribute& a : op_.kernel.attributes) {
      if (a.parameter) continue;
      std::string why = whyNoIndexAttribute(a);
      if (!why.empty() && isUsed(a)) return Reason{"attribute '" + a.name + "' " + why};
      if (why.empty())
        attributes_.push_back(&a);
      else
        out_.line("# '" + a.name + "' " + why + "; as nothing uses it, it is left out");
    }
    numberSymbols();
    metadata();
    out_.open("structured_op: !LinalgStructuredOpConfig");
    arguments();
    maps();
    iterators();
    assignments();
    if (!reason_.empty()) return Reason{reason_};
    return out_.take();
  }

 private:
  void refuse(const std::string& reason) {
    if (reason_.empty()) reason_ = reason;
  }

  static std::string whyNoIndexAttribute(const ir::Attribute& a) {
    std::string only = "; an op config has index attributes only, ";
    if (!ir::info(a.type).isInteger())
      return "is of " + std::string(ir::info(a.type).name) + only + "which are integers";
    if (a.list) return "is a list" + only + "of a fixed length";
    if (a.shape.size() > 1)
      return "has " + std::to_string(a.shape.size()) + " dimensions" + only + "which have one";
    return "";
  }

  bool isUsed(const ir::Attribute& a) const {
    bool used = false;
    auto look = [&](const Expr& e) {
      for (int64_t i = 0; i < a.elementCount(); ++i) {
        auto symbols = e.symbols();
        used |= std::find(symbols.begin(), symbols.end(), a.symbolName(i)) != symbols.end();
      }
    };
    for (const NamedOperand& operand : op_.operands) {
      for (const Expr& size : operand.shape) look(size);
      for (const Expr& index : operand.map) look(index);
    }
    for (const ir::ValueRef& result : op_.results)
      ir::forEach(result, [&](const ir::Value& value) {
        if (auto* index = std::get_if<ir::IndexRef>(&value.node)) look(index->index);
        auto* reference = std::get_if<ir::AttributeRef>(&value.node);
        used |= reference && &op_.kernel.attributes[reference->attribute] == &a;
      });
    return used;
  }

  // Sizes first, then the elements of the attributes.
  void numberSymbols() {
    symbols_ = op_.kernel.sizeSymbols();
    sizes_ = symbols_.size();
    for (const ir::Attribute* a : attributes_)
      for (int64_t i = 0; i < a->elementCount(); ++i) symbols_.push_back(a->symbolName(i));
  }

  void metadata() {
    out_.open("metadata: !LinalgOpMetadata");
    out_.line("name: " + op_.kernel.name).line("cpp_class_name: " + op_.className);
    DocText doc = docText(op_.kernel.doc);
    std::string text = closed(doc.summary);
    if (!doc.description.empty()) text += "\n\n" + closed(doc.description);
    if (!text.empty()) out_.line("doc: \"" + llvm::yaml::escape(text) + "\"");
    if (!op_.kernel.interfaces.empty()) out_.line("implements:");
    for (const std::string& interface : op_.kernel.interfaces) out_.line("- " + interface);
    out_.dedent();
  }

  // The tool puts "}]" right behind the text, which does not end a code literal after another "}";
  // a blank that it does not trim does no harm.
  static std::string closed(const std::string& text) {
    return text.ends_with("}") ? text + "\u00A0" : text;
  }

  void arguments() {
    out_.line("args:");
    for (size_t i = 0; i < op_.operands.size(); ++i) {
      const NamedOperand& operand = op_.operands[i];
      argument(operand.name, operand.isScalar     ? "scalar"
                             : i < op_.inputCount ? "input_tensor"
                                                  : "output_tensor");
      out_.line("type_var: " + yamlTypeVariable(operand.type));
      if (!operand.isScalar) out_.line("shape_map: " + affineMap("", operand.shape));
      out_.dedent();
    }
    for (const ir::Attribute* a : attributes_) {
      argument(a->name, "index_attr");
      std::vector<Expr> elements;
      for (int64_t i = 0; i < a->elementCount(); ++i)
        elements.push_back(Expr::symbol(a->symbolName(i)));
      out_.line("index_attr_map: " + affineMap("", elements));
      // An op config cannot leave this out; 1 is what a missing stride means.
      out_.line(a->defaults ? "default_indices:" : "default_indices:  # none in the spec");
      for (int64_t i = 0; i < a->elementCount(); ++i)
        out_.line("- " + std::to_string(
                             a->defaults
                                 ? ir::signedValue(a->type, (*a->defaults)[static_cast<size_t>(i)])
                                 : 1));
      out_.dedent();
    }
  }

  void argument(const std::string& name, const std::string& kind) {
    out_.line("- !LinalgOperandDefConfig").indent();
    out_.line("name: " + name).line("kind: " + kind);
  }

  void maps() {
    out_.open("indexing_maps: !LinalgIndexingMapsConfig").line("static_indexing_maps:");
    std::string dims;
    for (size_t i = 0; i < op_.op.iterators.size(); ++i)
      dims += (i == 0 ? "d" : ", d") + std::to_string(i);
    for (const NamedOperand& operand : op_.operands) {
      for (const Expr& index : operand.map)
        for (const std::string& symbol : index.symbols())
          if (isSize(symbol))
            refuse("an index of '" + operand.name + "' uses the size '" + symbol +
                   "', which an op config cannot bind; fix it with --dim");
      out_.line("- " + affineMap(dims, operand.map));
    }
    out_.dedent();
  }

  bool isSize(const std::string& symbol) const { return numberOf(symbol) < sizes_; }

  size_t numberOf(const std::string& symbol) const {
    return static_cast<size_t>(std::find(symbols_.begin(), symbols_.end(), symbol) -
                               symbols_.begin());
  }

  std::string affineMap(const std::string& dims, const std::vector<Expr>& results) {
    std::string symbols;
    for (size_t i = 0; i < symbols_.size(); ++i)
      symbols += (i == 0 ? "[s" : ", s") + std::to_string(i);
    if (!symbols.empty()) symbols += "]";
    return "affine_map<(" + dims + ")" + symbols + " -> (" +
           joined(results, ", ", [&](const Expr& e) { return numbered(e).str(); }) + ")>";
  }

  Expr numbered(const Expr& expr) {
    return expr.substitute([&](const Atom& atom) -> std::optional<Expr> {
      if (atom.kind != Atom::Kind::Symbol) return std::nullopt;
      size_t number = numberOf(atom.name);
      if (number == symbols_.size())
        refuse("a size uses '" + atom.name + "', an operand of the op; declare it in attr(...)");
      return Expr::symbol("s" + std::to_string(number));
    });
  }

  void iterators() {
    if (op_.op.iterators.empty()) {
      out_.line("iterator_types: []");
      return;
    }
    out_.line("iterator_types:");
    for (const ir::Iterator& i : op_.op.iterators)
      out_.line(i.kind == ir::IteratorKind::Parallel ? "- parallel" : "- reduction");
  }

  void assignments() {
    out_.line("assignments:");
    for (size_t i = 0; i < op_.results.size(); ++i) {
      out_.line("- !ScalarAssign").indent();
      out_.line("arg: " + op_.operands[op_.inputCount + i].name);
      if (std::string why = writeYamlValue(op_, op_.results[i], out_); !why.empty()) refuse(why);
      out_.dedent();
    }
  }

  const NamedOp& op_;
  std::vector<const ir::Attribute*> attributes_;  // the op's
  std::vector<std::string> symbols_;              // by number
  size_t sizes_ = 0;                              // how many of them are sizes
  std::string reason_;
  TextWriter out_;
};

}  // namespace

Result<std::string> emitYaml(const ir::Module& module) {
  return emitNamedOps(
      module, [](const ir::Kernel& kernel) { return camelCase(kernel.name) + "Op"; },
      [](const NamedOp& op) { return YamlWriter(op).run(); });
}

}  // namespace einc::emit
