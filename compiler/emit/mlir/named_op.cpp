// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/mlir/named_op.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "compiler/emit/text/names.h"
#include "compiler/emit/text/stored.h"
#include "compiler/ir/shape.h"
#include "compiler/support/text_writer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

namespace einc::emit {
namespace {

using affine::Atom;
using affine::Expr;

// Words of TableGen that cannot name a record.
constexpr std::string_view kTableGenWords =
    " assert bit bits class code dag def defm defset deftype defvar dump else false field foreach "
    "if in include int let list multiclass string then true ";

// Arguments that every op has.
constexpr std::string_view kOpArguments =
    " inputs outputs result_tensors region resultTensorTypes ";

bool isOneOf(std::string_view words, const std::string& name) {
  return words.find(" " + name + " ") != std::string_view::npos;
}

// As mlir-tblgen derives it: without a dialect in front, if there is one.
std::string classNameOf(const std::string& record) {
  auto [dialect, name] = llvm::StringRef(record).split('_');
  return dialect.empty() || name.empty() ? record : name.str();
}

// Why MLIR has no such index expression; empty if it has.
std::string whyNoIndex(const Expr& expr) {
  for (const affine::Term& term : expr.terms()) {
    if (term.coefficient == INT64_MIN) return "the factor " + std::to_string(INT64_MIN);
    for (const Atom& atom : term.factors) {
      if (!atom.div) continue;
      auto divisor = atom.div->divisor.asConstant();
      if (divisor && *divisor <= 0) return "the divisor " + std::to_string(*divisor);
      for (const Expr* part : {&atom.div->dividend, &atom.div->divisor})
        if (std::string reason = whyNoIndex(*part); !reason.empty()) return reason;
    }
  }
  return "";
}

class Builder {
 public:
  Builder(const ir::Kernel& kernel, const ir::StructuredOp& op, const std::string& record)
      : kernel_(kernel), op_(op), result_{kernel, op, record, classNameOf(record), {}, 0, {}} {}

  Result<NamedOp> run() {
    checkNames();
    for (const ir::Kernel::Input& input : kernel_.inputs)
      input.isTensor ? addTensor(input.index) : addScalar(input.index);
    result_.inputCount = result_.operands.size();
    for (unsigned t = 0; t < kernel_.tensors.size(); ++t)
      if (kernel_.tensors[t].role == ir::Role::Output) addTensor(t);
    if (reason_.empty()) addResults();
    if (!reason_.empty()) return Reason{reason_};
    return std::move(result_);
  }

 private:
  void refuse(const std::string& reason) {
    if (reason_.empty()) reason_ = reason;
  }

  void checkNames() {
    if (isKeyword(result_.className) || isOneOf(kTableGenWords, result_.record))
      refuse("'" + result_.record + "' is a word of C++ or TableGen; choose another ods_def");
    for (const std::string& interface : kernel_.interfaces)
      if (isOneOf(kTableGenWords, interface))
        refuse("'" + interface + "' is a word of TableGen, not an interface");
    for (const ir::Attribute& a : kernel_.attributes)
      if (!a.parameter && (isKeyword(a.name) || isOneOf(kOpArguments, a.name)))
        refuse("attribute '" + a.name +
               "' has a name that C++ or every op needs for itself; choose another");
  }

  // Iterators by their position: d0, d1, ...
  Expr inDims(const Expr& expr) const {
    return expr.substitute([&](const Atom& atom) -> std::optional<Expr> {
      if (atom.kind != Atom::Kind::Iterator) return std::nullopt;
      auto found = std::find_if(op_.iterators.begin(), op_.iterators.end(),
                                [&](const ir::Iterator& i) { return i.name == atom.name; });
      return Expr::iterator("d" + std::to_string(found - op_.iterators.begin()));
    });
  }

  void addScalar(unsigned attribute) {
    const ir::Attribute& a = kernel_.attributes[attribute];
    parameters_[attribute] = static_cast<unsigned>(result_.operands.size());
    result_.operands.push_back(
        {a.name, a.type, /*isScalar=*/true, /*isRead=*/true, /*tensor=*/0, {}, {}});
  }

  void addTensor(unsigned t) {
    const ir::Tensor& tensor = kernel_.tensors[t];
    auto position = static_cast<unsigned>(result_.operands.size());
    const ir::Operand* operand = nullptr;
    for (unsigned o = 0; o < op_.operandCount(); ++o) {
      if (op_.operand(o).tensor != t) continue;
      if (operand)
        refuse("it reads '" + tensor.name +
               "' under two index expressions, and an op has one map for each operand");
      operand = &op_.operand(o);
      positions_[o] = position;
    }
    NamedOperand added{
        tensor.name,  tensor.type, /*isScalar=*/false, operand && !operand->shapeOnly, t,
        tensor.shape, {}};
    if (operand && operand->pad)
      refuse("it reads '" + tensor.name + "' outside its bounds (else), and an op cannot");
    for (const Expr& index : operand ? operand->map : shapeMap(tensor)) {
      checkIndex(tensor, index);
      added.map.push_back(inDims(index));
    }
    result_.operands.push_back(std::move(added));
  }

  // The map of an input that the op leaves out: an iterator that runs over the very size stands for
  // each dimension.
  std::vector<Expr> shapeMap(const ir::Tensor& tensor) {
    std::vector<Expr> map;
    for (const Expr& size : tensor.shape) {
      auto found = std::find_if(op_.iterators.begin(), op_.iterators.end(), [&](const auto& i) {
        auto extent = ir::extentOf(kernel_, op_, i.name);
        return extent && extent->extent == size;
      });
      if (found == op_.iterators.end()) {
        refuse("input '" + tensor.name + "' is never used, and no iterator runs over its size " +
               size.str());
        return map;
      }
      map.push_back(Expr::iterator(found->name));
    }
    return map;
  }

  void checkIndex(const ir::Tensor& tensor, const Expr& index) {
    if (std::string why = whyNoIndex(index); !why.empty())
      refuse("the index '" + index.str() + "' of '" + tensor.name + "' has " + why);
    for (const std::string& symbol : index.symbols()) {
      auto reference = kernel_.attributeOf(symbol);
      if (!reference) continue;
      const ir::Attribute& a = kernel_.attributes[reference->attribute];
      std::string use = "the index '" + index.str() + "' of '" + tensor.name + "' uses ";
      if (a.parameter)
        refuse(use + "'" + a.name + "', an operand of the op; declare it in attr(...)");
      else if (a.optional && !a.defaults)
        refuse(use + "'" + a.name + "', which may be absent; give it a default");
    }
  }

  void addResults() {
    std::map<unsigned, ir::ValueRef> byTensor;
    for (size_t i = 0; i < op_.outputs.size(); ++i)
      byTensor[op_.outputs[i].tensor] =
          ir::rewrite(op_.results[i], [&](const ir::ValueRef& value) { return inOperands(value); });
    for (auto& [tensor, result] : byTensor) result_.results.push_back(std::move(result));
  }

  // References by the position of operands; null for all other values.
  ir::ValueRef inOperands(const ir::ValueRef& value) {
    if (auto* operand = std::get_if<ir::OperandRef>(&value->node))
      return ir::makeValue(value->type, ir::OperandRef{positions_.at(operand->operand)});
    if (auto* reference = std::get_if<ir::AttributeRef>(&value->node)) {
      auto parameter = parameters_.find(reference->attribute);
      if (parameter != parameters_.end())
        return ir::makeValue(value->type, ir::OperandRef{parameter->second});
      refuse("its payload reads attribute '" + kernel_.attributes[reference->attribute].name +
             "', which an op's region cannot reach; make it a scalar input");
    }
    if (auto* index = std::get_if<ir::IndexRef>(&value->node)) {
      if (std::string why = whyNoIndex(index->index); !why.empty())
        refuse("index(" + index->index.str() + ") has " + why);
      for (const std::string& symbol : index->index.symbols())
        refuse("its payload uses '" + symbol +
               "', which an op's region cannot reach; fix it, or make it a scalar input");
      return ir::makeValue(value->type, ir::IndexRef{inDims(index->index)});
    }
    return nullptr;
  }

  const ir::Kernel& kernel_;
  const ir::StructuredOp& op_;
  NamedOp result_;
  std::map<unsigned, unsigned> positions_;   // operand of op_ -> operand of the result
  std::map<unsigned, unsigned> parameters_;  // attribute -> operand of the result
  std::string reason_;
};

Result<NamedOp> namedOp(const ir::Kernel& kernel, const std::string& record) {
  if (kernel.body.size() != 1)
    return Reason{"it has " + std::to_string(kernel.body.size()) +
                  " statements, and an op is one (+=! is two: it sets, then accumulates)"};
  const auto* op = std::get_if<ir::StructuredOp>(&kernel.body.front().node);
  if (!op) return Reason{"it is not structured"};
  return Builder(kernel, *op, record).run();
}

}  // namespace

Result<std::string> emitNamedOps(const ir::Module& module, const RecordName& record,
                                 const OpText& text) {
  std::string texts;
  std::vector<std::string> reasons;
  std::set<std::string> classNames;
  for (const ir::Kernel& kernel : module.kernels) {
    std::string name = kernel.odsName.empty() ? record(kernel) : kernel.odsName;
    auto refuse = [&](const std::string& reason) {
      reasons.push_back("def '" + kernel.name + "' has no op definition: " + reason);
    };
    if (!classNames.insert(classNameOf(name)).second) {
      refuse("another def has the class '" + classNameOf(name) +
             "' already; give it an ods_def of its own");
      continue;
    }
    if (auto reason = refuseStored(kernel, "op definitions have")) {
      refuse(reason->text);
      continue;
    }
    Result<NamedOp> op = namedOp(kernel, name);
    if (!op) {
      refuse(op.reason());
      continue;
    }
    Result<std::string> opText = text(*op);
    if (opText)
      texts += *opText;
    else
      refuse(opText.reason());
  }
  if (!reasons.empty()) return Reason{joined(reasons, "\n")};
  return texts;
}

std::string camelCase(const std::string& name) {
  std::string result;
  bool begins = true;
  for (char c : name) {
    if (c != '_') result += begins ? llvm::toUpper(c) : c;
    begins = !llvm::isAlpha(c);
  }
  return result;
}

DocText docText(const std::string& doc) {
  std::string text;
  for (char c : llvm::json::fixUTF8(doc)) {
    if (c == ']' && !text.empty() && text.back() == '}') text += ' ';
    if (c == '\n' || c == '\r') text.resize(llvm::StringRef(text).rtrim(" \t").size());
    if (c == '\0')
      text += "\xEF\xBF\xBD";
    else
      text += c == '\r' ? '\n' : c;
  }
  auto [summary, description] = llvm::StringRef(text).trim().split('\n');
  return {summary.trim().str(), description.trim().str()};
}

}  // namespace einc::emit
