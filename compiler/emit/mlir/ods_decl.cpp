// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The TableGen side of ods.h.
#include <algorithm>
#include <cmath>

#include "compiler/emit/mlir/named_op.h"
#include "compiler/emit/mlir/ods.h"
#include "compiler/ir/literal.h"
#include "compiler/support/text_writer.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace einc::emit {
namespace {

using ir::ScalarType;
using ir::TypeClass;

// Of one value, in OpBase.td's names: I64Attr, UI8Attr, BoolAttr, F32Attr.
std::string scalarConstraint(const ir::TypeInfo& type) {
  std::string bits = std::to_string(type.bits);
  if (type.cls == TypeClass::Bool) return "BoolAttr";
  if (type.type == ScalarType::F16) return "FloatAttrBase<F16, \"16-bit float attribute\">";
  if (type.isFloat()) return "F" + bits + "Attr";
  return (type.isSigned() ? "I" : "UI") + bits + "Attr";
}

// 32-bit and 64-bit values have short names there.
bool hasShortName(const ir::TypeInfo& type) {
  return (type.isFloat() || type.isSigned()) && type.bits >= 32;
}

std::string shortName(const ir::TypeInfo& type) {
  return (type.isFloat() ? "F" : "I") + std::to_string(type.bits);
}

// RankedI64ElementsAttr<[2]>, RankedSignlessIntElementsAttr<8, [2]>, ...
std::string rankedConstraint(const ir::TypeInfo& type, const std::vector<int64_t>& shape) {
  std::string dims =
      "[" + joined(shape, ", ", [](int64_t size) { return std::to_string(size); }) + "]";
  if (hasShortName(type)) return "Ranked" + shortName(type) + "ElementsAttr<" + dims + ">";
  bool isBool = type.cls == TypeClass::Bool;
  return std::string(type.isFloat() ? "RankedFloat" : "RankedSignlessInt") + "ElementsAttr<" +
         std::to_string(isBool ? 1 : type.bits) + ", " + dims + ">";
}

std::string listConstraint(const ir::TypeInfo& type) {
  if (type.cls == TypeClass::Bool) return "BoolArrayAttr";
  if (hasShortName(type)) return shortName(type) + "ArrayAttr";
  return "TypedArrayAttrBase<" + scalarConstraint(type) + ", \"array of " + std::string(type.name) +
         "\">";
}

// A default as C++ inside a TableGen string.
std::string defaultText(const ir::Attribute& attribute, const ir::Number& number) {
  const ir::TypeInfo& type = ir::info(attribute.type);
  std::string value = ir::literalText(attribute.type, number);
  if (type.type == ScalarType::F16)
    return "::llvm::APFloat(::llvm::APFloat::IEEEhalf(), \\\"" + value + "\\\")";
  if (type.isFloat() && !std::isfinite(number.asFloat))
    value = std::string(std::signbit(number.asFloat) ? "-" : "") + "std::numeric_limits<double>::" +
            (std::isnan(number.asFloat) ? "quiet_NaN()" : "infinity()");
  if (type.type == ScalarType::I64 && ir::signedValue(attribute.type, number) == INT64_MIN)
    value = "INT64_MIN";
  if (type.cls == TypeClass::Unsigned) value += "u";
  if (attribute.shape.empty() && !attribute.list) return value;
  std::string element = type.cls == TypeClass::Bool ? "bool" : std::string(type.cType);
  return "static_cast<" + element + ">(" + value + ")";
}

// The constraint of an attribute, or why ODS has none.
Result<std::string> attributeConstraint(const ir::Attribute& a) {
  const ir::TypeInfo& type = ir::info(a.type);
  std::string what = "attribute '" + a.name + "': ODS has no ";
  if (a.type == ScalarType::BF16) return Reason{what + "attribute of bf16; take f32"};
  if (!a.shape.empty() && type.cls == TypeClass::Unsigned)
    return Reason{what + "shaped attribute of unsigned integers; take signed ones"};
  if (a.list && a.defaults && !hasShortName(type) && type.cls != TypeClass::Bool)
    return Reason{what + "default for a list of " + std::string(type.name) + "; leave it out"};
  std::string constraint = a.list            ? listConstraint(type)
                           : a.shape.empty() ? scalarConstraint(type)
                                             : rankedConstraint(type, a.shape);
  if (!a.defaults) return a.optional ? "OptionalAttr<" + constraint + ">" : constraint;
  std::string value =
      joined(*a.defaults, ", ", [&](const ir::Number& n) { return defaultText(a, n); });
  if (a.list || !a.shape.empty()) value = value.empty() ? "{}" : "{ " + value + " }";
  return "DefaultValuedOptionalAttr<" + constraint + ", \"" + value + "\">";
}

// The attributes by name, as the historic tool sorts them: its builders take them in that order.
std::vector<const ir::Attribute*> attributesOf(const ir::Kernel& kernel) {
  std::vector<const ir::Attribute*> result;
  for (const ir::Attribute& a : kernel.attributes)
    if (!a.parameter) result.push_back(&a);
  std::sort(result.begin(), result.end(),
            [](const ir::Attribute* a, const ir::Attribute* b) { return a->name < b->name; });
  return result;
}

class DeclWriter {
 public:
  explicit DeclWriter(const NamedOp& op) : op_(op), attributes_(attributesOf(op.kernel)) {}

  Result<std::string> run() {
    header();
    doc();
    if (std::string reason = arguments(); !reason.empty()) return Reason{reason};
    out_.line("let results = (outs Variadic<AnyRankedTensor>:$result_tensors);");
    out_.line("let regions = (region AnyRegion:$region);");
    if (!attributes_.empty()) builder();
    out_.open("let extraClassDeclaration = [{");
    out_.line("std::optional<SmallVector<StringRef, 8>> referenceIterators();");
    out_.line("std::optional<SmallVector<AffineMap, 8>> referenceIndexingMaps();");
    out_.line("static void regionBuilder(ArrayRef<BlockArgument> args);");
    out_.close("}];").close().line();
    return out_.take();
  }

 private:
  void header() {
    std::vector<std::string> traits = {"NInputs<" + std::to_string(op_.inputCount) + ">",
                                       "NOutputs<" + std::to_string(op_.results.size()) + ">",
                                       "NamedStructuredOpTrait"};
    traits.insert(traits.end(), op_.kernel.interfaces.begin(), op_.kernel.interfaces.end());
    out_.line("def " + op_.record + " : LinalgNamedStructured_Op<\"" + op_.kernel.name + "\", [");
    out_.raw("  " + joined(traits, ",\n  ") + "]> {\n").indent();
  }

  void doc() {
    DocText text = docText(op_.kernel.doc);
    if (!text.summary.empty()) out_.line("let summary = [{ " + text.summary + " }];");
    if (text.description.empty()) return;
    out_.open("let description = [{");
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(text.description).split(lines, '\n');
    for (llvm::StringRef line : lines) out_.line(line.rtrim());
    out_.close("}];");
  }

  // The reason why there are none, or an empty string.
  std::string arguments() {
    bool hasScalars = std::any_of(op_.operands.begin(), op_.operands.end(),
                                  [](const NamedOperand& operand) { return operand.isScalar; });
    std::vector<std::string> all = {
        std::string("Variadic<") + (hasScalars ? "AnyType" : "AnyShaped") + ">:$inputs",
        "Variadic<AnyShaped>:$outputs"};
    for (const ir::Attribute* a : attributes_) {
      Result<std::string> constraint = attributeConstraint(*a);
      if (!constraint) return constraint.reason();
      all.push_back(*constraint + ":$" + a->name);
    }
    out_.line("let arguments = (ins").raw("    " + joined(all, ",\n    ") + ");\n");
    return "";
  }

  // Attributes as values of their own, besides the builders that every op has.
  void builder() {
    std::string parameters = joined(
        attributes_, ", ", [](const ir::Attribute* a) { return "\"Attribute\":$" + a->name; });
    out_.open("let builders = [");
    out_.line(
        "OpBuilder<(ins \"TypeRange\":$resultTensorTypes, \"ValueRange\":$inputs, "
        "\"ValueRange\":$outputs, " +
        parameters + "),");
    out_.open("[{");
    for (const char* line :
         {"$_state.addOperands(inputs);", "$_state.addOperands(outputs);",
          "$_state.addTypes(resultTensorTypes);",
          "$_state.addAttribute(\"operand_segment_sizes\", $_builder.getI32VectorAttr({",
          "    static_cast<int32_t>(inputs.size()), static_cast<int32_t>(outputs.size())}));"})
      out_.line(line);
    out_.line("buildNamedStructuredOpRegionAndAttributes<" + op_.className +
              ">($_builder, $_state, TypeRange(inputs), TypeRange(outputs));");
    for (const ir::Attribute* a : attributes_)
      out_.line("$_state.addAttribute(\"" + a->name + "\", " + a->name + ");");
    out_.close("}]>").close("];");
  }

  const NamedOp& op_;
  std::vector<const ir::Attribute*> attributes_;
  TextWriter out_;
};

}  // namespace

std::string odsRecord(const ir::Kernel& kernel) {
  bool hasUnderscore = kernel.name.find('_') != std::string::npos;
  return (hasUnderscore ? camelCase(kernel.name) : kernel.name) + "Op";
}

Result<std::string> emitOdsDecl(const ir::Module& module) {
  return emitNamedOps(module, odsRecord, [](const NamedOp& op) { return DeclWriter(op).run(); });
}

}  // namespace einc::emit
