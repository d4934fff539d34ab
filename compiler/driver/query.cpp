// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The two questions one can ask of an op's maps: what do these iterations read and write, and which
// iterations touch these elements?
#include <map>

#include "compiler/driver/commands.h"
#include "compiler/driver/fixed_values.h"
#include "compiler/driver/load.h"
#include "compiler/ir/domain.h"
#include "compiler/ir/literal.h"
#include "compiler/ir/parse_value.h"
#include "compiler/ir/shape.h"
#include "compiler/support/text_writer.h"
#include "llvm/Support/raw_ostream.h"

namespace einc::driver {
namespace {

using affine::Constraint;
using affine::Expr;
using affine::Set;

// low <= ... < high; `all` for what a lone ':' says.
struct Range {
  Expr low, high;
  bool all = false;
};

// "0:8, K", "2:", ":"
class RangeParser {
 public:
  RangeParser(const SourceFile& source, const ir::Kernel& kernel, Diagnostics& errors)
      : in_(source, errors), kernel_(kernel), values_(in_, kernel, scope_) {
    for (const std::string& size : kernel.sizeSymbols()) scope_.sizes.insert(size);
  }

  // "m=0:8,k=2"
  std::map<std::string, Range> iterations(const std::vector<std::string>& known) {
    std::map<std::string, Range> ranges;
    do {
      SourceRange place = in_.token().range;
      std::string name = in_.name("an iterator");
      if (!in_.failed() && std::find(known.begin(), known.end(), name) == known.end())
        in_.fail(place, "'" + kernel_.name + "' has no iterator '" + name + "'" +
                            didYouMean(name, known) + "; it has " + joined(known));
      in_.expect("=", "and a range such as 0:8");
      Range range = one();
      if (!in_.failed() && !ranges.emplace(name, range).second)
        in_.fail(place, "iterator '" + name + "' is given twice");
    } while (!in_.failed() && in_.accept(","));
    return ranges;
  }

  // "A[0:4, 2]"
  std::optional<unsigned> data(std::vector<Range>& ranges) {
    SourceRange place = in_.token().range;
    std::string name = in_.name("a tensor");
    if (in_.failed()) return std::nullopt;
    auto tensor = kernel_.findTensor(name);
    if (!tensor) {
      std::vector<std::string> known;
      for (const ir::Tensor& t : kernel_.tensors) known.push_back(t.name);
      in_.fail(place, "'" + kernel_.name + "' has no tensor '" + name + "'" +
                          didYouMean(name, known) + "; it has " + joined(known));
      return std::nullopt;
    }
    in_.expect("[", "and a range for each dimension");
    in_.list("]", [&] { ranges.push_back(one()); });
    size_t rank = kernel_.tensors[*tensor].shape.size();
    if (!in_.failed() && ranges.size() != rank)
      in_.fail(place, "'" + name + "' has " + std::to_string(rank) +
                          " dimensions; expected as many ranges");
    return tensor;
  }

  bool finish() {
    if (!in_.failed() && in_.token().kind != ir::TokenKind::End) in_.failExpected("the end");
    return !in_.failed();
  }

 private:
  Range one() {
    if (in_.accept(":")) return {{}, {}, true};
    Range range;
    range.low = values_.size();
    if (!in_.accept(":"))
      range.high = range.low + Expr::constant(1);
    else
      range.high = values_.size();
    return range;
  }

  ir::TokenStream in_;
  const ir::Kernel& kernel_;
  ir::Scope scope_;
  ir::ValueParser values_;
};

std::vector<Constraint> inside(const Expr& value, const Range& range) {
  if (range.all) return {};
  return {{value - range.low}, {range.high - value - Expr::constant(1)}};
}

// "m = 0:8", "k = 3"
std::string rangeText(const Set::Range& range) {
  if (range.high == range.low + Expr::constant(1)) return range.low.str();
  return range.low.str() + ":" + range.high.str();
}

std::string dataText(const ir::Tensor& tensor, const Set& elements, const Set& known) {
  if (!elements.isKnown()) return tensor.name + ": not known: a map is not affine, or too complex";
  if (elements.isEmpty() == true) return tensor.name + ": nothing";
  if (auto box = elements.asBox()) return tensor.name + "[" + joined(*box, ", ", rangeText) + "]";
  std::vector<std::string> dims;
  for (size_t d = 0; d < tensor.shape.size(); ++d) dims.push_back(ir::dataDimension(d).str());
  return tensor.name + "[" + joined(dims) + "] where " + elements.given(known).str();
}

std::string iterationText(const ir::StructuredOp& op, const Set& iterations, const Set& known) {
  if (!iterations.isKnown()) return "not known: a map is not affine, or too complex";
  if (iterations.isEmpty() == true) return "none";
  auto box = iterations.asBox();
  if (!box) return "those where " + iterations.given(known).str();
  std::string text;
  for (size_t i = 0; i < box->size(); ++i)
    text += (i ? ", " : "") + op.iterators[i].name + " = " + rangeText((*box)[i]);
  return text.empty() ? "the only one" : text;
}

class Answer {
 public:
  Answer(const ir::Kernel& kernel, llvm::raw_ostream& out) : kernel_(kernel), out_(out) {}

  void iterations(const std::map<std::string, Range>& ranges) {
    forEachStatement([&](const ir::StructuredOp& op) {
      // The iterations asked for are taken to exist.
      std::vector<Constraint> constraints, assumed;
      for (const auto& [name, range] : ranges) {
        auto extent = ir::extentOf(kernel_, op, name);
        if (!extent || range.all) continue;
        for (Constraint& c : inside(Expr::iterator(name), range)) constraints.push_back(c);
        assumed.push_back({range.low});
        assumed.push_back({extent->extent - range.high});
        assumed.push_back({range.high - range.low - Expr::constant(1)});
      }
      Set known = assume(assumed);
      constraints.insert(constraints.end(), assumed.begin(), assumed.end());
      for (size_t i = 0; i < op.operandCount(); ++i) {
        const ir::Operand& operand = op.operand(i);
        if (operand.shapeOnly) continue;
        bool reads = i < op.inputs.size() || ir::readsOperand(op, i);
        out_ << (reads ? "  reads  " : "  writes ")
             << dataText(kernel_.tensors[operand.tensor],
                         ir::elementsTouched(kernel_, op, operand, constraints), known)
             << '\n';
        if (i >= op.inputs.size() && reads)
          out_ << "  writes "
               << dataText(kernel_.tensors[operand.tensor],
                           ir::elementsTouched(kernel_, op, operand, constraints), known)
               << '\n';
      }
    });
  }

  void data(unsigned tensor, const std::vector<Range>& ranges) {
    forEachStatement([&](const ir::StructuredOp& op) {
      std::vector<Constraint> constraints, assumed;
      for (size_t d = 0; d < ranges.size(); ++d) {
        if (ranges[d].all) continue;
        for (Constraint& c : inside(ir::dataDimension(d), ranges[d])) constraints.push_back(c);
        assumed.push_back({ranges[d].low});
        assumed.push_back({kernel_.tensors[tensor].shape[d] - ranges[d].high});
        assumed.push_back({ranges[d].high - ranges[d].low - Expr::constant(1)});
      }
      Set known = assume(assumed);
      constraints.insert(constraints.end(), assumed.begin(), assumed.end());
      bool touched = false;
      for (size_t i = 0; i < op.operandCount(); ++i) {
        const ir::Operand& operand = op.operand(i);
        if (operand.tensor != tensor || operand.shapeOnly) continue;
        touched = true;
        bool isOutput = i >= op.inputs.size();
        const char* verb = !isOutput                 ? "read by    "
                           : ir::readsOperand(op, i) ? "updated by "
                                                     : "written by ";
        out_ << "  " << verb
             << iterationText(op, ir::iterationsTouching(kernel_, op, operand, constraints), known)
             << '\n';
      }
      if (!touched) out_ << "  not touched\n";
    });
  }

 private:
  template <typename Visit>
  void forEachStatement(const Visit& visit) {
    size_t number = 0;
    ir::forEachOp(kernel_.body, [&](const ir::StructuredOp& op) {
      std::vector<std::string> names = ir::iteratorNames(op);
      out_ << kernel_.name << ", op " << number++ << " (" << joined(names) << "):\n";
      visit(op);
    });
  }

  // Prints "where M >= 8:", unless it always is; what is known of the sizes, then.
  Set assume(const std::vector<Constraint>& assumed) {
    Set sizes = ir::positiveSizes(kernel_), all({}, assumed);
    Set condition = all.given(sizes);
    if (condition.isKnown() && condition.isUniverse() != true)
      out_ << "  where " << condition.str() << ":\n";
    return all & sizes;
  }

  const ir::Kernel& kernel_;
  llvm::raw_ostream& out_;
};

// Attributes in maps need values: those given, else their defaults, which are said.
Result<ir::Kernel> withDefaults(const ir::Kernel& kernel, llvm::raw_ostream& out) {
  std::map<std::string, std::string> values;
  for (const ir::Attribute& attribute : kernel.attributes) {
    if (!ir::info(attribute.type).isInteger() || !attribute.defaults) continue;
    std::string text = joined(*attribute.defaults, ",", [&](const ir::Number& n) {
      return ir::literalText(attribute.type, n);
    });
    out << "with " << attribute.name << " = " << text << '\n';
    values.emplace(attribute.name, text);
  }
  return fixValues(kernel, {}, values);
}

int ask(const ir::Kernel& kernel, const QueryOptions& options) {
  std::string text;
  llvm::raw_string_ostream out(text);
  auto fixed = withDefaults(kernel, out);
  if (!fixed) return fail(kBadInput, fixed.reason());
  bool forward = !options.iterations.empty();
  SourceFile source(forward ? "--iterations" : "--data",
                    forward ? options.iterations : options.data);
  Diagnostics errors(source);
  RangeParser parser(source, *fixed, errors);
  std::vector<std::string> iterators;
  ir::forEachOp(fixed->body, [&](const ir::StructuredOp& op) {
    for (const std::string& name : ir::iteratorNames(op))
      if (std::find(iterators.begin(), iterators.end(), name) == iterators.end())
        iterators.push_back(name);
  });
  std::map<std::string, Range> iterations;
  std::vector<Range> data;
  std::optional<unsigned> tensor;
  if (forward)
    iterations = parser.iterations(iterators);
  else
    tensor = parser.data(data);
  if (!parser.finish()) {
    errors.print(llvm::errs());
    return kBadCommandLine;
  }
  Answer answer(*fixed, out);
  if (forward)
    answer.iterations(iterations);
  else
    answer.data(*tensor, data);
  llvm::outs() << text;
  llvm::outs().flush();
  return kSuccess;
}

}  // namespace

int query(const Request& request, const QueryOptions& options) {
  if (options.iterations.empty() == options.data.empty())
    return fail(kBadCommandLine,
                "expected one question: --iterations \"m=0:8,k=0:K\" or --data \"A[0:4, 2]\"");
  auto loaded = load(request, {.assumeTypes = true, .takesText = false});
  if (auto* code = std::get_if<ExitCode>(&loaded)) return *code;
  auto fixed = fixValues(std::get<Loaded>(loaded), request.attributes);
  if (auto* code = std::get_if<ExitCode>(&fixed)) return *code;
  const auto& kernels = std::get<ir::Module>(fixed).kernels;
  if (kernels.size() != 1) {
    return fail(kBadCommandLine,
                "the spec has " + std::to_string(kernels.size()) + " defs; say which with --def: " +
                    joined(kernels, ", ", [](const ir::Kernel& k) { return k.name; }));
  }
  return ask(kernels.front(), options);
}

}  // namespace einc::driver
