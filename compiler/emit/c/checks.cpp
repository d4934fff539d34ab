// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/c/checks.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/affine/interval.h"
#include "compiler/facts/aliasing.h"
#include "compiler/ir/shape.h"
#include "compiler/support/text_writer.h"

namespace einc::emit {
namespace {

// A product of more bytes takes longer than any check.
constexpr int64_t kMostDense = 1 << 16;

// How often positions, which are 64-bit integers, can be halved.
constexpr int kMostHalves = 64;

// The initializer of an argument's einc_view that counts half bytes.
std::string halvesText(Prelude& prelude, const std::string& argument, const ir::Tensor& tensor) {
  const std::string element = std::to_string(ir::info(tensor.type).bits / 4),
                    rank = std::to_string(tensor.shape.size());
  const bool isOne = tensor.shape.empty();
  prelude.need(isOne ? "view_of_one_in_halves" : "view_in_halves");
  return isOne ? "EINC_VIEW_OF_ONE_IN_HALVES(" + argument + ", " + element + ")"
               : "EINC_VIEW_IN_HALVES(" + argument + ", " + rank + ", " + element + ")";
}

class CheckWriter {
 public:
  CheckWriter(const ir::Kernel& contract, KernelScope& scope, Prelude& prelude, bool narrow = false)
      : kernel_(contract), scope_(scope), prelude_(prelude), narrow_(narrow) {}

  CheckStatements run() {
    CheckStatements result;
    out_.indent();
    nullDescriptors("EINC_NULL_DESCRIPTOR");
    result.null = out_.take();
    views();
    require(prelude_.need("check_views") + "(" + scope_.views() + ", " +
            std::to_string(arguments().size()) + ")");
    attributes();
    result.attributes = out_.take();
    sizes();
    accesses();
    data();
    overlaps();
    result.others = out_.take();
    result.asks = asks_;
    return result;
  }

  std::string usual() {
    if (!begin()) return "";
    views();
    std::vector<std::string> tests;
    for (const ir::SizeCondition& c : ir::sizeConditions(kernel_, ir::bindSymbols(kernel_)))
      tests.push_back(scope_.argumentSize(c.tensor, c.dim) +
                      " == " + sizeText(kernel_.tensors[c.tensor].shape[c.dim]));
    for (unsigned t : arguments())
      tests.push_back(prelude_.need("is_usual") + "(" + scope_.view(t) + ")");
    for (unsigned output : arguments()) {
      if (kernel_.tensors[output].role != ir::Role::Output) continue;
      tests.push_back(prelude_.need("nests") + "(" + scope_.view(output) + ", 1)");
      for (unsigned other : arguments())
        if (other != output)
          tests.push_back(prelude_.need("apart") + "(" + scope_.view(output) + ", " +
                          scope_.view(other) + ")");
    }
    out_.line("return " + filled(tests, " &&", 9) + ";");
    return out_.take();
  }

  // Sizes that are known, row by row without gaps: then little is left to look at.
  std::string dense() {
    if (isPacked() || !begin()) return "";
    std::vector<std::string> shapes, tests;
    for (unsigned t : arguments()) {
      if (denseBytes(t) == 0) return "";
      const std::vector<affine::Expr>& shape = kernel_.tensors[t].shape;
      int64_t stride = 1;
      std::vector<std::string> strides;
      for (size_t d = shape.size(); d-- > 0; stride *= *shape[d].asConstant())
        strides.push_back(scope_.tensor(t) + "->strides[" + std::to_string(d) +
                          "] == " + std::to_string(stride));
      for (unsigned d = 0; d < shape.size(); ++d)
        shapes.push_back(scope_.argumentSize(t, d) + " == " + sizeText(shape[d]));
      shapes.insert(shapes.end(), strides.rbegin(), strides.rend());
    }
    if (shapes.empty()) return "";  // numbers, about which there is little to look at
    for (unsigned t : arguments()) tests.push_back(scope_.tensor(t) + "->aligned != NULL");
    // All offsets at once, and all addresses: one branch each.
    std::string high = joined(arguments(), " | ", [&](unsigned t) {
      return "(uint64_t)" + scope_.tensor(t) + "->offset";
    });
    tests.push_back("(" + high + ") >> 48 == 0");
    for (unsigned output : arguments()) {
      if (kernel_.tensors[output].role != ir::Role::Output) continue;
      for (unsigned other : arguments())
        if (other != output)
          tests.push_back(prelude_.need("beside") + "(" + scope_.view(output) + ", " +
                          std::to_string(denseBytes(output)) + ", " + scope_.view(other) + ", " +
                          std::to_string(denseBytes(other)) + ")");
    }
    std::string low = joined(arguments(), " | ", [&](unsigned t) {
      return prelude_.need("start") + "(" + scope_.view(t) + ") % sizeof *" + scope_.tensor(t) +
             "->aligned";
    });
    tests.push_back("(" + low + ") == 0");
    views();
    shapes.insert(shapes.end(), tests.begin(), tests.end());
    out_.line("return " + filled(shapes, " &&", 9) + ";");
    return out_.take();
  }

  // Whether sizes, strides and addresses say all there is to say.
  bool isPlain() const {
    for (const ir::Tensor& tensor : kernel_.tensors)
      if (tensor.role == ir::Role::Local) return false;
    auto bindings = ir::bindSymbols(kernel_);
    auto conditions = ir::sizeConditions(kernel_, bindings);
    return std::all_of(
               bindings.begin(), bindings.end(),
               [](const ir::SymbolBinding& b) { return b.scale == 1 && b.offset.isZero(); }) &&
           std::all_of(conditions.begin(), conditions.end(), [&](const ir::SizeCondition& c) {
             return !sizeText(kernel_.tensors[c.tensor].shape[c.dim]).empty();
           });
  }

 private:
  // A size that is a symbol or a constant; empty for others.
  std::string sizeText(const affine::Expr& declared) const {
    if (auto symbol = declared.asSymbol(); symbol && !kernel_.attributeOf(*symbol))
      return scope_.symbol(*symbol);
    if (auto constant = declared.asConstant()) return std::to_string(*constant);
    return "";
  }

  std::vector<unsigned> arguments() const {
    std::vector<unsigned> ids;
    for (unsigned t = 0; t < kernel_.tensors.size(); ++t)
      if (kernel_.tensors[t].role != ir::Role::Local) ids.push_back(t);
    return ids;
  }

  // Returns from the function with what `call` gives, unless that is EINC_OK.
  void require(const std::string& call) {
    asks_ = true;
    out_.line("if ((status = " + call + ") != EINC_OK) return status;");
  }

  void returnIf(const std::vector<std::string>& any, const std::string& status) {
    std::string condition = "if (" + filled(any, " ||", 6) + ")", end = "return " + status + ";";
    bool fits =
        condition.find('\n') == std::string::npos && plainSize(condition) + end.size() + 3 <= 100;
    out_.line(condition + (fits ? " " : "\n    ") + end);
  }

  void nullDescriptors(const std::string& status) {
    std::string condition =
        joined(arguments(), " || ", [&](unsigned t) { return scope_.tensor(t) + " == NULL"; });
    out_.line("if (" + condition + ") return " + status + ";");
  }

  // One einc_view for each argument.
  void views() {
    prelude_.need("view");
    std::vector<std::string> views;
    for (unsigned t : arguments()) {
      const ir::Tensor& tensor = kernel_.tensors[t];
      views.push_back(isPacked() ? halvesText(prelude_, scope_.tensor(t), tensor)
                                 : viewText(prelude_, scope_.tensor(t), tensor.shape.size()));
    }
    std::string head = "const einc_view " + scope_.views() + "[] = {";
    out_.line(head + filled(views, ",", 2 + plainSize(head)) + "};");
  }

  // Whether an argument's elements are parts of bytes.
  bool isPacked() const {
    return std::any_of(kernel_.tensors.begin(), kernel_.tensors.end(), ir::isPacked);
  }

  // The bytes of an argument of constant sizes without gaps; 0 if they are not known, or many.
  int64_t denseBytes(unsigned tensor) const {
    int64_t bytes = ir::info(kernel_.tensors[tensor].type).bytes();
    for (const affine::Expr& size : kernel_.tensors[tensor].shape) {
      int64_t count = size.asConstant().value_or(0);
      if (count < 1 || count > kMostDense) return 0;
      bytes *= count;
      if (bytes > kMostDense) return 0;
    }
    return bytes;
  }

  // Starts a function that gives 0 or 1; not where there is more to look at than sizes, strides and
  // addresses.
  bool begin() {
    attributes();
    accesses();
    if (!out_.text().empty()) return false;
    out_.indent();
    nullDescriptors("0");
    return true;
  }

  // Attributes that are passed by address, have no default and are used.
  void attributes() {
    std::map<unsigned, int64_t> used;  // attribute -> largest element
    auto use = [&](const ir::AttributeRef& r) {
      used[r.attribute] = std::max(used[r.attribute], r.element);
    };
    auto useIndex = [&](const affine::Expr& e) {
      for (const std::string& symbol : e.symbols())
        if (auto reference = kernel_.attributeOf(symbol)) use(*reference);
    };
    auto useValue = [&](const ir::ValueRef& v) {
      ir::forEach(v, [&](const ir::Value& node) {
        if (auto* reference = std::get_if<ir::AttributeRef>(&node.node)) use(*reference);
        if (auto* index = std::get_if<ir::IndexRef>(&node.node)) useIndex(index->index);
      });
    };
    for (const ir::Tensor& tensor : kernel_.tensors)
      for (const affine::Expr& size : tensor.shape) useIndex(size);
    ir::forEachOp(kernel_.body, [&](const ir::StructuredOp& op) {
      for (size_t i = 0; i < op.operandCount(); ++i) {
        for (const affine::Expr& e : op.operand(i).map) useIndex(e);
        if (op.operand(i).pad) useValue(op.operand(i).pad);
      }
      for (const ir::ValueRef& result : op.results) useValue(result);
    });
    for (const auto& [id, element] : used) {
      const ir::Attribute& a = kernel_.attributes[id];
      if (!Signature::byAddress(a) || (a.defaults && !a.list)) continue;
      std::string condition = scope_.attribute(id) + " == NULL";
      if (a.list && a.defaults)
        condition = scope_.attribute(id) + " != NULL && " + scope_.length(id) +
                    " <= " + std::to_string(element);
      else if (a.list)
        condition += " || " + scope_.length(id) + " <= " + std::to_string(element);
      out_.line("if (" + condition + ") return EINC_BAD_ATTRIBUTE;");
    }
  }

  std::string range(const affine::Expr& e, const ExtentOf& extent = nullptr) {
    return rangeText(e, scope_, prelude_, extent);
  }

  // Sizes that give symbols their values come out even; all others are what the def declares.
  void sizes() {
    localSizes_ = std::any_of(kernel_.tensors.begin(), kernel_.tensors.end(),
                              [](const ir::Tensor& t) { return t.role == ir::Role::Local; });
    auto bindings = ir::bindSymbols(kernel_);
    auto conditions = ir::sizeConditions(kernel_, bindings);
    for (const ir::SymbolBinding& b : bindings) {
      if (b.scale == 1 && b.offset.isZero()) continue;
      affine::Expr declared = kernel_.tensors[b.tensor].shape[b.dim];
      require(prelude_.need("check_size") + "(" + scope_.argumentSize(b.tensor, b.dim) + ", " +
              range(declared) + ")");
      out_.line("if (" + scope_.symbol(b.symbol) + " < 0) return EINC_NEGATIVE_SIZE;");
    }
    std::vector<std::string> differ;  // of the conditions since the last call
    auto compare = [&] {
      if (!differ.empty()) returnIf(differ, "EINC_SIZE_MISMATCH");
      differ.clear();
    };
    for (const ir::SizeCondition& c : conditions) {
      const affine::Expr& declared = kernel_.tensors[c.tensor].shape[c.dim];
      std::string size = scope_.argumentSize(c.tensor, c.dim), wanted = sizeText(declared);
      if (!wanted.empty()) {
        differ.push_back(size + " != " + wanted);
        continue;
      }
      compare();
      require(prelude_.need("check_size") + "(" + size + ", " + range(declared) + ")");
    }
    compare();
    if (localSizes_) require(workspaceRange(kernel_, scope_, prelude_) + ".status");
  }

  // ---- Indices ----

  void accesses() {
    TextWriter checks;
    checks.indent();
    ir::forEachOp(kernel_.body, [&](const ir::StructuredOp& op) { opAccesses(op, checks); });
    out_.raw(checks.take());
  }

  std::string extentText(const ir::StructuredOp& op, const std::string& iterator) {
    affine::Expr extent = ir::extentOf(kernel_, op, iterator)->extent;
    if (auto constant = extent.asConstant()) return std::to_string(*constant);
    if (auto symbol = extent.asSymbol(); symbol && !kernel_.attributeOf(*symbol))
      return scope_.symbol(*symbol);
    return range(extent) + ".low";
  }

  // What is divided, and by what; innermost first.
  static void forEachQuotient(const affine::Expr& expr,
                              const std::function<void(const affine::Expr&)>& visit) {
    for (const affine::Term& term : expr.terms())
      for (const affine::Atom& atom : term.factors) {
        if (!atom.div) continue;
        for (const affine::Expr& part : {atom.div->dividend, atom.div->divisor}) {
          forEachQuotient(part, visit);
          visit(part);
        }
      }
  }

  void opAccesses(const ir::StructuredOp& op, TextWriter& checks) {
    auto extent = [&](const std::string& iterator) { return extentText(op, iterator); };
    // Results are written where nothing is added to them, too.
    std::vector<std::string> calls, ofResults;
    std::map<std::string, std::string> searches;  // what else is done where a call says no
    auto addTo = [](std::vector<std::string>& all, const std::string& call) {
      if (std::find(all.begin(), all.end(), call) == all.end()) all.push_back(call);
    };
    auto add = [&](const std::string& call) { addTo(calls, call); };
    for (const ir::AccessCondition& c : ir::accessConditions(kernel_, op)) {
      const ir::Operand& operand = op.operand(c.operand);
      affine::Expr size = kernel_.tensors[operand.tensor].shape[c.dim];
      std::string limit = kernel_.tensors[operand.tensor].role == ir::Role::Local
                              ? range(size) + ".low"
                              : scope_.argumentSize(operand.tensor, c.dim);
      const affine::Expr& index = operand.map[c.dim];
      std::string check =
          prelude_.need("check_index") + "(" + range(index, extent) + ", " + limit + ")";
      addTo(c.operand >= op.inputs.size() && ir::reduces(op) ? ofResults : calls, check);
      if (!affine::hasExactInterval(index)) searches[check] = search(index, extent, limit);
    }
    // Where nothing has to be inside, values still have to be numbers.
    auto isNumber = [&](const affine::Expr& e) {
      if (!e.asIterator() && !e.asSymbol() && !e.asConstant()) add(range(e, extent) + ".status");
    };
    auto fits = [&](const affine::Expr& e) {
      if (!e.asIterator()) add(prelude_.need("check_narrow") + "(" + range(e, extent) + ")");
    };
    for (size_t i = 0; i < op.operandCount(); ++i)
      for (const affine::Expr& e : op.operand(i).map) {
        if (op.operand(i).pad) narrow_ ? fits(e) : isNumber(e);
        if (narrow_) forEachQuotient(e, fits);
      }
    for (const ir::ValueRef& result : op.results)
      ir::forEach(result, [&](const ir::Value& node) {
        if (auto* index = std::get_if<ir::IndexRef>(&node.node)) isNumber(index->index);
      });
    std::set<std::string, PlainLess> parallel, every;
    for (const ir::Iterator& iterator : op.iterators) {
      const std::string some = extent(iterator.name) + " > 0";
      every.insert(some);
      if (iterator.kind == ir::IteratorKind::Parallel) parallel.insert(some);
    }
    guarded(ofResults, parallel, searches, checks);
    guarded(calls, every, searches, checks);
  }

  // The calls, where all conditions hold, with the search for what a call may only seem to refuse.
  void guarded(const std::vector<std::string>& calls,
               const std::set<std::string, PlainLess>& conditions,
               const std::map<std::string, std::string>& searches, TextWriter& checks) {
    if (calls.empty()) return;
    asks_ = true;
    if (!conditions.empty()) checks.open("if (" + joined(conditions, " && ") + ") {");
    for (const std::string& call : calls) {
      auto search = searches.find(call);
      if (search == searches.end()) {
        checks.line("if ((status = " + call + ") != EINC_OK) return status;");
        continue;
      }
      checks.open("if ((status = " + call + ") == EINC_OUT_OF_RANGE) {");
      checks.raw(search->second).close();
      checks.line("if (status != EINC_OK) return status;");
    }
    if (!conditions.empty()) checks.close();
  }

  // Statements that give `status` what is so, where the interval of an index may be too wide.
  std::string search(const affine::Expr& index, const ExtentOf& extent, const std::string& limit) {
    std::vector<std::string> names = index.iterators(), ranges, periods;
    for (const std::string& name : names) {
      ranges.push_back(prelude_.need("range_to") + "(" + extent(name) + ")");
      std::string period = "1";
      for (const affine::Expr& divisor : affine::periodOf(index, name))
        period = prelude_.need("period") + "(" + period + ", " + range(divisor) + ".low)";
      periods.push_back(period);
    }
    std::string count = std::to_string(names.size());
    auto positions = [&](const std::string& name) {
      auto at = std::find(names.begin(), names.end(), name) - names.begin();
      return "at[" + std::to_string(at) + "]";
    };
    TextWriter out;
    out.indent().indent().indent();
    out.line("/* In smaller and smaller boxes of positions, intervals tell. */");
    out.line("einc_range at[] = {" + joined(ranges) + "};");
    out.line("const int64_t periods[] = {" + joined(periods) + "};");
    out.line("einc_half halves[" + std::to_string(kMostHalves) + " * " + count + "];");
    out.line(prelude_.need("boxes") + " boxes = {at, periods, " + count + ", halves, 0, EINC_OK};");
    out.line("while (einc_next_box(&boxes, " + groupedText(index, positions) + ", " + limit +
             ")) continue;");
    out.line("status = boxes.status;");
    return out.take();
  }

  // The range of an index over the positions in a box, what belongs to an iterator put together.
  std::string groupedText(const affine::Expr& expr,
                          const std::function<std::string(const std::string&)>& positions) {
    auto sum = affine::grouped(expr);
    std::string text = sum->rest.isZero() ? "" : range(sum->rest);
    for (const affine::Grouped::Part& part : sum->parts) {
      std::string value;
      if (const affine::Division* div = part.atom.div.get()) {
        bool floorDiv = part.atom.kind == affine::Atom::Kind::FloorDiv;
        value = prelude_.need(floorDiv ? "range_floordiv" : "range_floormod") + "(" +
                groupedText(div->dividend, positions) + ", " + range(div->divisor) + ")";
      } else {
        value = positions(part.atom.name);
      }
      if (part.coefficient.asConstant() != 1)
        value = prelude_.need("range_mul") + "(" + value + ", " + range(part.coefficient) + ")";
      text = text.empty() ? value : prelude_.need("range_add") + "(" + text + ", " + value + ")";
    }
    return text.empty() ? range(expr) : text;
  }

  // ---- Memory ----

  // Tensors that only lend their shape have no data to check.
  bool isTouched(unsigned tensor) const {
    bool touched = false;
    ir::forEachOp(kernel_.body, [&](const ir::StructuredOp& op) {
      for (size_t i = 0; i < op.operandCount(); ++i)
        touched |= op.operand(i).tensor == tensor && !op.operand(i).shapeOnly;
    });
    return touched;
  }

  void data() {
    const std::vector<unsigned> all = arguments();
    for (size_t i = 0, end; i < all.size(); i = end + 1) {
      for (end = i; end < all.size() && isTouched(all[end]);) ++end;
      if (end > i)
        require(prelude_.need("check_data") + "(" +
                (i == 0 ? scope_.views() : scope_.view(all[i])) + ", " + std::to_string(end - i) +
                ")");
    }
  }

  void overlaps() {
    std::vector<std::string> within, others;
    for (unsigned output : arguments()) {
      if (kernel_.tensors[output].role != ir::Role::Output) continue;
      if (!kernel_.tensors[output].shape.empty())
        within.push_back(prelude_.need("overlaps_itself") + "(" + scope_.view(output) + ")");
      for (unsigned other : arguments()) {
        bool isOutput = kernel_.tensors[other].role == ir::Role::Output;
        if (!isTouched(other) || other == output || (isOutput && other < output)) continue;
        bool mayBeSame = !isOutput && facts::mayShareMemory(kernel_, output, other);
        others.push_back(prelude_.need(mayBeSame ? "overlap_partly" : "overlap") + "(" +
                         scope_.view(output) + ", " + scope_.view(other) + ")");
      }
    }
    if (!within.empty()) returnIf(within, "EINC_SELF_OVERLAP");
    if (!others.empty()) returnIf(others, "EINC_ALIASED");
  }

  const ir::Kernel& kernel_;
  KernelScope& scope_;
  Prelude& prelude_;
  bool narrow_;
  bool localSizes_ = false;
  bool asks_ = false;  // what calls say goes through `status`
  TextWriter out_;
};

}  // namespace

std::string viewText(Prelude& prelude, const std::string& argument, size_t rank) {
  prelude.need(rank == 0 ? "view_of_one" : "view_of");
  return rank == 0 ? "EINC_VIEW_OF_ONE(" + argument + ")"
                   : "EINC_VIEW(" + argument + ", " + std::to_string(rank) + ")";
}

CheckStatements checkStatements(const ir::Kernel& contract, KernelScope& scope, Prelude& prelude,
                                bool narrow) {
  return CheckWriter(contract, scope, prelude, narrow).run();
}

std::string usualStatements(const ir::Kernel& contract, KernelScope& scope, Prelude& prelude) {
  CheckWriter writer(contract, scope, prelude);
  return writer.isPlain() ? writer.usual() : "";
}

std::string denseStatements(const ir::Kernel& contract, KernelScope& scope, Prelude& prelude) {
  CheckWriter writer(contract, scope, prelude);
  return writer.isPlain() ? writer.dense() : "";
}

}  // namespace einc::emit
