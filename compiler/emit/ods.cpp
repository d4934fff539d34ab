// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/ods.h"

#include <map>

#include "compiler/ir/print.h"
#include "compiler/support/text_writer.h"
#include "llvm/ADT/StringExtras.h"

namespace einc::emit {
namespace {

using ir::Function;

std::string typeName(ir::ScalarType type) { return std::string(ir::info(type).name); }

// The class name: the spec's ods_def, or the def's name with "Op".
std::string className(const ir::Kernel& kernel) {
  return kernel.odsName.empty() ? kernel.name + "Op" : kernel.odsName;
}

// TableGen code literals end at "}]".
std::string codeText(std::string text) {
  for (size_t at = text.find("}]"); at != std::string::npos; at = text.find("}]", at + 2))
    text.insert(at + 1, " ");
  return text;
}

// The constraint of an attribute, as ODS names them: F32, I64ArrayAttr, RankedI64ElementsAttr<[2]>.
std::string attributeConstraint(const ir::Attribute& attribute) {
  const ir::TypeInfo& type = ir::info(attribute.type);
  std::string base = (type.isFloat()    ? "F"
                      : type.isSigned() ? "I"
                                        : "UI") +
                     std::to_string(type.bits);
  if (type.cls == ir::TypeClass::Bool) base = "Bool";
  if (attribute.type == ir::ScalarType::BF16) base = "BF16";
  std::string constraint = base + "Attr";
  if (attribute.list) constraint = base + "ArrayAttr";
  if (!attribute.shape.empty())
    constraint = "Ranked" + base + "ElementsAttr<[" +
                 joined(attribute.shape, ", ", [](int64_t size) { return std::to_string(size); }) +
                 "]>";
  return attribute.optional ? "OptionalAttr<" + constraint + ">" : constraint;
}

// Why the kernel has no op definition; empty if it has one.
std::string whyNot(const ir::Kernel& kernel) {
  std::string def = "def '" + kernel.name + "' has no op definition: ";
  if (kernel.body.size() != 1)
    return def + "it has " + std::to_string(kernel.body.size()) + " statements";
  const auto* op = std::get_if<ir::StructuredOp>(&kernel.body.front().node);
  if (!op) return def + "it is not structured";
  for (const ir::Operand& operand : op->inputs)
    if (operand.pad) return def + "it reads outside a tensor";
  for (const ir::Attribute& attribute : kernel.attributes)
    if (attribute.parameter)
      return def + "scalar parameter '" + attribute.name + "' is no operand of it";
  return "";
}

std::string declaration(const ir::Kernel& kernel) {
  const auto& op = std::get<ir::StructuredOp>(kernel.body.front().node);
  TextWriter out;
  std::string traits = "NInputs<" + std::to_string(op.inputs.size()) + ">, NOutputs<" +
                       std::to_string(op.outputs.size()) + ">, NamedStructuredOpTrait";
  for (const std::string& interface : kernel.interfaces) traits += ", " + interface;
  out.open("def " + className(kernel) + " : LinalgNamedStructured_Op<\"" + kernel.name + "\", [" +
           traits + "]> {");
  if (!kernel.doc.empty()) {
    std::string summary = kernel.doc.substr(0, kernel.doc.find('\n'));
    out.line("let summary = [{ " + codeText(summary) + " }];");
    out.line("let description = [{").raw(codeText(kernel.doc)).raw("\n").line("}];");
  }
  std::string arguments = "Variadic<AnyShaped>:$inputs, Variadic<AnyShaped>:$outputs";
  for (const ir::Attribute& a : kernel.attributes)
    arguments += ", " + attributeConstraint(a) + ":$" + a.name;
  out.line("let arguments = (ins " + arguments + ");");
  out.line("let results = (outs Variadic<AnyRankedTensor>:$result_tensors);");
  out.open("let extraClassDeclaration = [{");
  out.line("llvm::Optional<SmallVector<StringRef, 8>> referenceIterators();");
  out.line("llvm::Optional<SmallVector<AffineMap, 8>> referenceIndexingMaps();");
  out.line("static void regionBuilder(ArrayRef<BlockArgument> args);");
  out.close("}];").close();
  return out.take();
}

// ---- C++ ----

class ImplWriter {
 public:
  explicit ImplWriter(const ir::Kernel& kernel)
      : kernel_(kernel), op_(std::get<ir::StructuredOp>(kernel.body.front().node)) {}

  std::string run() {
    iterators();
    maps();
    region();
    return out_.take();
  }

 private:
  void iterators() {
    out_.open("llvm::Optional<SmallVector<StringRef, 8>> " + className(kernel_) +
              "::referenceIterators() {");
    out_.line("return SmallVector<StringRef, 8>{" +
              joined(op_.iterators, ", ",
                     [](const ir::Iterator& i) {
                       return i.kind == ir::IteratorKind::Parallel
                                  ? std::string("getParallelIteratorTypeName()")
                                  : std::string("getReductionIteratorTypeName()");
                     }) +
              "};");
    out_.close().line();
  }

  // Iterators are d0, d1, ...; attributes are constants read from the op.
  std::string atomText(const affine::Atom& atom) {
    if (atom.kind == affine::Atom::Kind::Iterator) {
      for (size_t i = 0; i < op_.iterators.size(); ++i)
        if (op_.iterators[i].name == atom.name) return "d" + std::to_string(i);
    }
    if (atom.div) {
      std::string dividend = "(" + exprText(atom.div->dividend) + ")";
      std::string divisor = "(" + exprText(atom.div->divisor) + ")";
      return dividend + (atom.kind == affine::Atom::Kind::FloorDiv ? ".floorDiv" : " % ") + divisor;
    }
    auto [it, isNew] = symbols_.try_emplace(atom.name, "s" + std::to_string(symbols_.size()));
    return it->second;
  }

  std::string exprText(const affine::Expr& expr) {
    std::string text;
    for (const affine::Term& term : expr.terms()) {
      std::string product =
          joined(term.factors, " * ", [&](const affine::Atom& a) { return atomText(a); });
      if (product.empty())
        product = "getAffineConstantExpr(" + std::to_string(term.coefficient) + ", context)";
      else if (term.coefficient != 1)
        product += " * " + std::to_string(term.coefficient);
      text += (text.empty() ? "" : " + ") + product;
    }
    return text.empty() ? "getAffineConstantExpr(0, context)" : text;
  }

  void maps() {
    std::vector<std::string> maps;
    std::string counts = std::to_string(op_.iterators.size()) + ", 0, ";
    for (size_t i = 0; i < op_.operandCount(); ++i)
      maps.push_back(
          "AffineMap::get(" + counts + "{" +
          joined(op_.operand(i).map, ", ", [&](const affine::Expr& e) { return exprText(e); }) +
          "}, context)");
    out_.open("llvm::Optional<SmallVector<AffineMap, 8>> " + className(kernel_) +
              "::referenceIndexingMaps() {");
    out_.line("MLIRContext *context = getContext();");
    std::string dims;
    for (size_t i = 0; i < op_.iterators.size(); ++i) dims += (i ? ", d" : "d") + std::to_string(i);
    if (!dims.empty())
      out_.line("AffineExpr " + dims + ";").line("bindDims(context, " + dims + ");");
    for (const auto& [symbol, name] : symbols_)
      out_.line("AffineExpr " + name + " = getAffineConstantExpr(" + attributeValue(symbol) +
                ", context);");
    out_.open("return SmallVector<AffineMap, 8>{");
    for (size_t i = 0; i < maps.size(); ++i) out_.line(maps[i] + (i + 1 < maps.size() ? "," : ""));
    out_.close("};").close().line();
  }

  // An element of an attribute of the op, or the size of a shape symbol's dimension.
  std::string attributeValue(const std::string& symbol) const {
    auto reference = kernel_.attributeOf(symbol);
    if (!reference) return "getShapeSymbol(\"" + symbol + "\")";
    const ir::Attribute& a = kernel_.attributes[reference->attribute];
    if (a.shape.empty() && !a.list) return a.name + "()";
    std::vector<std::string> index;
    int64_t rest = reference->element;
    for (auto size = a.shape.rbegin(); size != a.shape.rend(); ++size) {
      index.insert(index.begin(), std::to_string(rest % *size));
      rest /= *size;
    }
    if (a.list) return a.name + "()[" + std::to_string(rest) + "].cast<IntegerAttr>().getInt()";
    return a.name + "().getValue<int64_t>({ " + joined(index) + " })";
  }

  void region() {
    out_.open("void " + className(kernel_) + "::regionBuilder(ArrayRef<BlockArgument> args) {");
    out_.line("using namespace edsc;").line("using namespace intrinsics;");
    next_ = op_.operandCount();
    std::string names;
    for (size_t i = 0; i < next_; ++i)
      names += (i ? ", _" : "_") + std::to_string(i) + "(args[" + std::to_string(i) + "])";
    out_.line("Value " + names + ";");
    std::vector<std::string> results;
    for (const ir::ValueRef& result : op_.results) results.push_back(value(result));
    out_.line("(linalg_yield(ValueRange{ " + joined(results) + " }));");
    out_.close();
  }

  // Emits the statements of a value; returns its name.
  std::string value(const ir::ValueRef& v) {
    if (auto* operand = std::get_if<ir::OperandRef>(&v->node))
      return "_" + std::to_string(operand->operand);
    std::string text;
    if (auto* literal = std::get_if<ir::Literal>(&v->node)) {
      std::string spelled = ir::print(v->type, literal->number);
      text = "std_constant(/*" + typeName(v->type) + "*/ " + spelled.substr(0, spelled.rfind('_')) +
             ")";
    } else if (auto* call = std::get_if<ir::Call>(&v->node)) {
      std::vector<std::string> args;
      for (const ir::ValueRef& arg : call->args) args.push_back(value(arg));
      text = functionName(call->function, call->args.back()->type) + "(" + joined(args) + ")";
    } else if (auto* cast = std::get_if<ir::Cast>(&v->node)) {
      text = castName(cast->arg->type, v->type) + "(" + value(cast->arg) + ")";
    } else if (auto* index = std::get_if<ir::IndexRef>(&v->node)) {
      text = "linalg_index(/*" + index->index.str() + "*/)";
    } else {
      const auto& reference = std::get<ir::AttributeRef>(v->node);
      text = "attribute(\"" +
             kernel_.attributes[reference.attribute].symbolName(reference.element) + "\")";
    }
    std::string name = "_" + std::to_string(next_++);
    out_.line("Value " + name + " = " + text + ";");
    return name;
  }

  // std_addf, std_addi, std_divi_signed, std_exp, std_select, ...
  static std::string functionName(Function function, ir::ScalarType type) {
    const ir::TypeInfo& t = ir::info(type);
    std::string name = "std_" + std::string(ir::info(function).name);
    switch (function) {
      case Function::Add:
      case Function::Sub:
      case Function::Mul:
        return name + (t.isFloat() ? "f" : "i");
      case Function::Div:
      case Function::Rem:
        return name + (t.isFloat() ? "f" : t.isSigned() ? "i_signed" : "i_unsigned");
      case Function::Max:
      case Function::Min:
        return name + (t.isFloat() ? "f" : t.isSigned() ? "si" : "ui");
      case Function::Neg:
      case Function::Abs:
      case Function::Ceil:
      case Function::Floor:
        return name + (t.isFloat() ? "f" : "i");
      default:
        return name;
    }
  }

  static std::string castName(ir::ScalarType from, ir::ScalarType to) {
    const ir::TypeInfo &f = ir::info(from), &t = ir::info(to);
    std::string verb;
    if (f.isFloat())
      verb = t.isFloat()    ? (t.bits > f.bits ? "fpext" : "fptrunc")
             : t.isSigned() ? "fptosi"
                            : "fptoui";
    else if (t.isFloat())
      verb = f.isSigned() ? "sitofp" : "uitofp";
    else
      verb = t.bits < f.bits ? "trunci" : f.isSigned() ? "sexti" : "zexti";
    return "std_" + verb + std::to_string(t.bits);
  }

  const ir::Kernel& kernel_;
  const ir::StructuredOp& op_;
  std::map<std::string, std::string> symbols_;  // symbol -> its C++ variable
  size_t next_ = 0;                             // number of the next value
  TextWriter out_;
};

template <typename Emit>
Result<std::string> forEachKernel(const ir::Module& module, Emit emit) {
  std::string text;
  for (const ir::Kernel& kernel : module.kernels) {
    if (std::string reason = whyNot(kernel); !reason.empty()) return Reason{reason};
    text += (text.empty() ? "" : "\n") + emit(kernel);
  }
  return text;
}

}  // namespace

Result<std::string> emitOdsDecl(const ir::Module& module) {
  return forEachKernel(module, declaration);
}

Result<std::string> emitOdsImpl(const ir::Module& module) {
  return forEachKernel(module, [](const ir::Kernel& kernel) { return ImplWriter(kernel).run(); });
}

}  // namespace einc::emit
