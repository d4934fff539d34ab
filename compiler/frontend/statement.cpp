// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <set>

#include "compiler/frontend/accesses.h"
#include "compiler/frontend/functions.h"
#include "compiler/frontend/neutral.h"
#include "compiler/frontend/scope.h"
#include "compiler/ir/injective.h"
#include "compiler/ir/shape.h"
#include "compiler/support/text_writer.h"

namespace einc::frontend {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return text;
}

// Builds the StructuredOps of one comprehension: its accesses, then iterators, the reduction's
// form, the payload. Each step returns false after an error that makes the next ones meaningless.
class ComprehensionBuilder : AccessCollector {
 public:
  using AccessCollector::AccessCollector;

  void build() {
    if (!buildSteps()) {
      // Later statements may use what this one was to write: no error of theirs.
      for (const Access& output : outputs_) scope_.tensors[output.tensor].written = true;
      return;
    }
    finish();
  }

 private:
  bool buildSteps() {
    if (!collect() || !resolveCombiner() || !orderIterators()) return false;
    buildOperands();
    return bindIterators() && inferLocals() && checkInjective() && buildPayload();
  }

  // What stands before `=`: a scalar function, or a combiner of the spec.
  bool resolveCombiner() {
    if (c_.assign.text == "=") return true;
    Name name = combiner();
    combiner_ = scope_.combiners.find(name.text);
    if (combiner_ && scope_.combiners.isBroken(*combiner_)) return false;
    if (combiner_) {
      size_t wanted = combiner_->results.size();
      if (wanted == 1 || wanted == outputs_.size()) return true;
      errors_.error(Diag::OutputCount, name.range,
                    "combiner '" + name.text + "' updates " + std::to_string(wanted) +
                        " outputs at once, found " + std::to_string(outputs_.size()));
      return false;
    }
    auto function = findFunction(name.text);
    if (function && ir::info(function->function).arity == 2) return true;
    if (function) {
      errors_.error(Diag::NotACombiner, name.range,
                    "'" + name.text + "' combines nothing: a combiner takes two arguments");
      return false;
    }
    std::vector<std::string> known = scope_.combiners.names();
    for (const ir::FunctionInfo& f : ir::allFunctions())
      if (f.arity == 2) known.emplace_back(f.name);
    errors_.error(Diag::UnknownName, name.range,
                  "unknown combiner '" + name.text + "'" + didYouMean(name.text, known));
    return false;
  }

  // ---- Iterators ----

  // Decides what each iterator is; a reduction that `<...>` does not name is a slip that is mended.
  bool orderIterators() {
    for (const std::string& name : parallel_)
      op_.iterators.push_back({name, ir::IteratorKind::Parallel});
    std::vector<std::string> unlisted;
    for (const std::string& name : reduced_) {
      op_.iterators.push_back({name, ir::IteratorKind::Reduction});
      if (!listed_.count(name)) unlisted.push_back(name);
    }
    if (c_.assign.text != "=" || unlisted.empty()) return true;
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (reductions_[i] || readsOutput_.count(outputs_[i].tensor)) continue;
      errors_.error(Diag::IteratorNotCombined, places_.at(unlisted[0]),
                    "iterator '" + unlisted[0] +
                        "' is on no left side, and nothing combines its "
                        "values; write " +
                        exprText(*outputs_[i].expr) +
                        " += ..., or a reduction such as "
                        "add<" +
                        unlisted[0] + ">(...)");
      return false;
    }
    errors_.warning(Diag::UnlistedReduction, places_.at(unlisted[0]),
                    "iterator '" + unlisted[0] +
                        "' is on no left side, so it is reduced over; write " + mended());
    return true;
  }

  // The statement with all its reduction iterators in <...>.
  std::string mended() const {
    std::string left = joined(c_.lhs, ", ", [](const ExprPtr& e) { return exprText(*e); });
    std::string right = joined(c_.rhs, ", ", [&](const ExprPtr& e) {
      std::string text = exprText(*e);
      size_t open = text.find('(');
      if (e->kind != ExprKind::Apply || open == std::string::npos) return text;
      return e->name.text + "<" + joined(reduced_) + ">" + text.substr(open);
    });
    std::string where = joined(c_.where, " and ", [](const ExprPtr& e) { return exprText(*e); });
    return left + " = " + right + (where.empty() ? "" : " where " + where) + ";";
  }

  // ---- Operands ----

  // Inputs in the order of their tensors, then of the text; an access that recurs is one operand.
  void buildOperands() {
    std::vector<Access> distinct;
    for (const Access& access : accesses_) {
      bool isNew = std::none_of(distinct.begin(), distinct.end(),
                                [&](const Access& other) { return sameAccess(access, other); });
      if (isNew) distinct.push_back(access);
    }
    auto before = [&](const Access& a, const Access& b) {
      return std::pair(a.tensor, a.expr->range.begin) < std::pair(b.tensor, b.expr->range.begin);
    };
    std::sort(distinct.begin(), distinct.end(), before);
    for (const Access& access : distinct) {
      op_.inputs.push_back({access.tensor, access.map, nullptr});
      operandPlaces_.push_back(access.expr->range);
    }
    inputs_ = std::move(distinct);
    for (const Access& output : outputs_)
      op_.outputs.push_back({output.tensor, output.map, nullptr});
  }

  // The first operand with a pad has no value for it yet; extentOf only asks whether there is one.
  bool hasExtent(const std::string& iterator) const {
    for (size_t i = 0; i < op_.operandCount(); ++i) {
      bool isNewLocal = std::find(newLocals_.begin(), newLocals_.end(), op_.operand(i).tensor) !=
                        newLocals_.end();
      if (isNewLocal) continue;
      for (const Index& index : op_.operand(i).map)
        if (index.asIterator() == iterator) return true;
    }
    return false;
  }

  bool bindIterators() {
    std::vector<std::string> unbound;
    for (const ir::Iterator& iterator : op_.iterators)
      if (!hasExtent(iterator.name)) unbound.push_back(iterator.name);
    if (!unbound.empty()) bindFromShapes(unbound);
    bool good = true;
    for (const ir::Iterator& iterator : op_.iterators) {
      if (hasExtent(iterator.name)) continue;
      errors_.error(Diag::NoExtent, places_.at(iterator.name),
                    "iterator '" + iterator.name +
                        "' has no extent: no dimension of an operand is "
                        "indexed by it alone" +
                        spellingHint());
      good = false;
    }
    for (const Access& output : outputs_) operandPlaces_.push_back(output.expr->range);
    return good;
  }

  // An input that no statement reads gives extents by its shape, to iterators that are spelled like
  // one of its sizes (kh like KH) and have no other. It is no guess: nothing else names a
  // dimension.
  void bindFromShapes(std::vector<std::string> unbound) {
    for (unsigned t : unreadInputs()) {
      const ir::Tensor& tensor = scope_.kernel.tensors[t];
      std::vector<Index> map(tensor.shape.size());
      size_t before = unbound.size();
      matchSpelling(tensor, map, unbound);
      if (unbound.size() != before) addShapeOperand(t, map);
    }
  }

  std::vector<unsigned> unreadInputs() const {
    std::vector<unsigned> ids;
    for (unsigned t = 0; t < scope_.kernel.tensors.size(); ++t)
      if (scope_.kernel.tensors[t].role == ir::Role::Input && !isMentioned(t)) ids.push_back(t);
    return ids;
  }

  // "; spelled 'kh' or 'kw', it would run over a dimension of 'K', which no statement reads"
  std::string spellingHint() const {
    for (unsigned t : unreadInputs()) {
      std::vector<std::string> names;
      for (const Index& size : scope_.kernel.tensors[t].shape)
        if (auto symbol = size.asSymbol(); symbol && !scope_.kernel.attributeOf(*symbol))
          if (!scope_.sizes.count(lower(*symbol))) names.push_back("'" + lower(*symbol) + "'");
      if (names.empty()) continue;
      return "; spelled " + joined(names, " or ") + ", it would run over a dimension of '" +
             scope_.kernel.tensors[t].name + "', which no statement reads";
    }
    return "";
  }

  // Dimensions whose size is spelled like one of the names are indexed by it; it is taken away.
  static void matchSpelling(const ir::Tensor& tensor, std::vector<Index>& map,
                            std::vector<std::string>& names) {
    for (size_t d = 0; d < map.size(); ++d) {
      auto size = tensor.shape[d].asSymbol();
      auto it = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
        return size && lower(*size) == lower(name);
      });
      if (it == names.end()) continue;
      map[d] = Index::iterator(*it);
      names.erase(it);
    }
  }

  void addShapeOperand(unsigned t, const std::vector<Index>& map) {
    scope_.tensors[t].read = true;
    auto place = std::find_if(op_.inputs.begin(), op_.inputs.end(),
                              [&](const ir::Operand& o) { return o.tensor > t; });
    auto at = place - op_.inputs.begin();
    op_.inputs.insert(place, {t, map, nullptr, /*shapeOnly=*/true});
    operandPlaces_.insert(operandPlaces_.begin() + at, c_.range);
    inputs_.insert(inputs_.begin() + at, Access{t, map});
  }

  bool isMentioned(unsigned tensor) const {
    const std::string& name = scope_.kernel.tensors[tensor].name;
    std::function<bool(const Expr&)> mentions = [&](const Expr& e) {
      return (e.kind == ExprKind::Apply && e.name.text == name) ||
             std::any_of(e.args.begin(), e.args.end(),
                         [&](const ExprPtr& a) { return mentions(*a); });
    };
    for (const Statement& s : scope_.def.statements)
      for (const ExprPtr& rhs : s.comprehension.rhs)
        if (mentions(*rhs)) return true;
    return false;
  }

  // ---- Payload ----

  void numberOperands() {
    for (const Access& access : accesses_)
      for (unsigned i = 0; i < inputs_.size(); ++i)
        if (inputs_[i].expr && sameAccess(access, inputs_[i])) operandOf_.emplace(access.expr, i);
    for (const auto& [expr, output] : outputReads_)
      operandOf_.emplace(expr, static_cast<unsigned>(inputs_.size() + output));
    for (size_t i = 0; i < op_.operandCount(); ++i)
      operandTypes_.push_back(scope_.kernel.tensors[op_.operand(i).tensor].type);
  }

  // Sizes and types of the tensors that this statement introduces.
  bool inferLocals() {
    numberOperands();
    bool good = true;
    for (size_t i = 0; i < outputs_.size(); ++i) {
      unsigned id = outputs_[i].tensor;
      bool isLocal = scope_.kernel.tensors[id].role == ir::Role::Local;
      if (!isLocal || scope_.tensors[id].written) continue;
      const Expr& lhs = *outputs_[i].expr;
      bool starts = c_.initialise || (c_.assign.text == "=" && !reductions_[i]);
      if (!starts || readsOutput_.count(id)) {
        errors_.error(
            Diag::ReadBeforeWritten, lhs.name.range,
            "'" + lhs.name.text +
                "' is accumulated into before it has a "
                "value; begin with '+=!' (or 'max=!', ...), which sets it to the neutral element");
        good = false;
      }
      bool isNew = std::find(newLocals_.begin(), newLocals_.end(), id) != newLocals_.end();
      if (isNew && !inferLocal(i)) return false;
    }
    return good;
  }

  bool inferLocal(size_t i) {
    unsigned id = outputs_[i].tensor;
    const Expr& lhs = *outputs_[i].expr;
    ir::Tensor& tensor = scope_.kernel.tensors[id];
    for (size_t d = 0; d < tensor.shape.size(); ++d) {
      ir::StructuredOp others = op_;
      std::erase_if(others.outputs, [&](const ir::Operand& o) { return o.tensor == id; });
      auto extent = ir::extentOf(scope_.kernel, others, *outputs_[i].map[d].asIterator());
      if (!extent) return false;
      tensor.shape[d] = extent->extent;
    }
    PayloadContext context{scope_, operandOf_, indices_, operandTypes_};
    NaturalType type = sides_[i].combiner ? NaturalType{NaturalType::Kind::IntegerLiteral}
                                          : naturalType(context, *sides_[i].expr);
    if (type.kind == NaturalType::Kind::Error) return false;
    if (type.kind != NaturalType::Kind::Known) {
      errors_.error(Diag::LocalNeedsDeclaration, lhs.name.range,
                    "the type of '" + lhs.name.text +
                        "' does not follow from its "
                        "value; declare it: local " +
                        lhs.name.text + ": f32(...);");
      return false;
    }
    tensor.type = type.type;
    scope_.tensors[id].unknown = false;
    operandTypes_[inputs_.size() + i] = type.type;
    return true;
  }

  bool checkInjective() {
    for (size_t i = 0; i < outputs_.size(); ++i) {
      auto operand = static_cast<unsigned>(inputs_.size() + i);
      if (ir::isInjective(scope_.kernel, op_, operand)) continue;
      std::string pair = ir::meetingIterations(scope_.kernel, op_, operand);
      errors_.error(Diag::Race, outputs_[i].expr->range,
                    "two iterations may write the same element of '" + outputs_[i].expr->name.text +
                        "'" + (pair.empty() ? "" : ", where " + pair) +
                        "; on the left, indices must tell all iterations apart");
      return false;
    }
    return true;
  }

  bool buildPayload() {
    PayloadContext context{scope_, operandOf_, indices_, operandTypes_};
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (!inputs_[i].pad) continue;
      op_.inputs[i].pad = buildValue(context, *inputs_[i].pad, operandTypes_[i]);
      if (!op_.inputs[i].pad) return false;
    }
    if (!checkCost()) return false;
    bool good = true;
    for (size_t i = 0; i < outputs_.size(); i += groupAt(i)) {
      for (ir::ValueRef& value : results(context, i)) {
        good &= value != nullptr;
        op_.results.push_back(std::move(value));
      }
    }
    return good && op_.results.size() == outputs_.size();
  }

  // The number of outputs, from output i on, that one combiner updates at once.
  size_t groupAt(size_t i) const {
    const Combiner* combiner = combiner_ ? combiner_ : sides_[i].combiner;
    return combiner ? combiner->results.size() : 1;
  }

  // Combiners that are nested in others may write out exponentially long.
  bool checkCost() {
    std::vector<CombinerTable::Cost> sides;
    for (const ExprPtr& rhs : c_.rhs) sides.push_back(scope_.combiners.costOf(*rhs));
    if (combiner_ && combiner_->results.size() > 1)
      sides = {scope_.combiners.costOf(*combiner_, sides)};
    else if (combiner_)
      for (auto& side : sides) side = scope_.combiners.costOf(*combiner_, {side});
    return std::all_of(sides.begin(), sides.end(), [&](const CombinerTable::Cost& cost) {
      return CombinerTable::checkCost(cost, c_.range, errors_);
    });
  }

  // The new values of the group of outputs at i: none, or null among them, after an error.
  std::vector<ir::ValueRef> results(PayloadContext& context, size_t i) {
    size_t n = groupAt(i);
    const Combiner* combiner = combiner_ ? combiner_ : sides_[i].combiner;
    std::vector<ir::ScalarType> types = groupTypes(i);
    std::vector<ir::ValueRef> accumulated;
    std::vector<const Expr*> args;
    for (size_t j = i; j < i + n; ++j) {
      auto operand = static_cast<unsigned>(inputs_.size() + j);
      accumulated.push_back(ir::makeValue(types[j - i], ir::OperandRef{operand}));
      args.push_back(sides_[j].expr);
    }
    Name name = this->combiner();
    if (c_.assign.text == "=") {
      const Expr& rhs = *sides_[i].expr;
      if (!reductions_[i] && !combiner) return {buildValue(context, rhs, types[0])};
      args.clear();
      for (const ExprPtr& arg : rhs.args) args.push_back(arg.get());
      name = rhs.name;
      if (!reductions_[i] || readsGroup(i)) accumulated.clear();
    }
    if (n > 1) return buildCombined(context, *combiner, name, std::move(accumulated), args, types);
    return {
        buildCall(context, name, accumulated.empty() ? nullptr : accumulated[0], args, types[0])};
  }

  // Whether the right side at output i reads an output that it gives a value to: the accumulator is
  // written by hand.
  bool readsGroup(size_t i) const {
    const SourceRange& range = sides_[i].expr->range;
    return std::any_of(outputReads_.begin(), outputReads_.end(), [&](const auto& read) {
      bool mine = read.second >= i && read.second < i + groupAt(i);
      return mine && read.first->range.begin >= range.begin && read.first->range.end <= range.end;
    });
  }

  // The combiner of an update, by its name; with "=", none.
  Name combiner() const {
    static const std::map<std::string, std::string> symbols = {
        {"+=", "add"}, {"-=", "sub"}, {"*=", "mul"}, {"=", ""}};
    const std::string& text = c_.assign.text;
    auto symbol = symbols.find(text);
    return {symbol != symbols.end() ? symbol->second : text.substr(0, text.size() - 1),
            c_.assign.range};
  }

  // ---- Into the kernel ----

  void finish() {
    op_.source = c_.range;
    for (size_t i = 0; i < op_.operandCount(); ++i) op_.operand(i).source = operandPlaces_[i];
    std::vector<ir::Stmt> fills;
    if (c_.initialise) {
      auto neutral = neutralValues();
      if (!neutral) return;
      for (size_t i = 0; i < outputs_.size(); ++i)
        fills.push_back({fillOf(op_, i, std::move((*neutral)[i]))});
    }
    checkReductions();
    checkBounds(scope_, op_, operandPlaces_);
    limitToDomain();
    ir::Block& body = scope_.kernel.body;
    for (size_t i = 0; i < fills.size(); ++i) {
      scope_.fills.emplace_back(body.size(), body.size() + fills.size() - i);
      body.push_back(std::move(fills[i]));
    }
    body.push_back({std::move(op_)});
    for (const Access& output : outputs_) scope_.tensors[output.tensor].written = true;
    for (unsigned tensor : readsOutput_) scope_.tensors[tensor].read = true;
  }

  // What has no value yet is 0 outside the domain.
  void limitToDomain() {
    std::vector<bool> begins;
    for (const Access& output : outputs_)
      begins.push_back(scope_.kernel.tensors[output.tensor].role == ir::Role::Local &&
                       !scope_.tensors[output.tensor].written && !c_.initialise);
    if (!conditions_.empty())
      limitTo(domainValue(conditions_, operandOf_, operandTypes_), begins, op_);
  }

  std::vector<ir::ScalarType> groupTypes(size_t i) const {
    auto begin = operandTypes_.begin() + static_cast<std::ptrdiff_t>(inputs_.size() + i);
    return {begin, begin + static_cast<std::ptrdiff_t>(groupAt(i))};
  }

  // Iterations of this op update its outputs in unspecified order.
  void checkReductions() {
    bool good = ir::reduces(op_);
    for (size_t i = 0; ir::reduces(op_) && i < outputs_.size(); i += groupAt(i)) {
      const Combiner* used = combiner_;
      if (reductions_[i]) used = calledCombiner(scope_.combiners, *sides_[i].expr);
      if (used) good &= checkLaws(scope_, *used, groupTypes(i), c_.range);
    }
    if (good) checkOrder(scope_, op_);
    // Of a term that reads an output nothing is known.
    const bool isWhole = ir::reduces(op_) && groupAt(0) == outputs_.size() && outputReads_.empty();
    const Combiner* used =
        reductions_[0] ? calledCombiner(scope_.combiners, *sides_[0].expr) : combiner_;
    if (good && isWhole && used)
      op_.combiner = partsCombiner(scope_, *used, groupTypes(0), c_.range);
    for (size_t i = 0; scope_.options.notes && i < outputs_.size(); ++i)
      if (reductions_[i] && !readsGroup(i)) noteAccumulation(i);
  }

  // `=` overwrites, but not before a reduction that leaves the accumulator out.
  void noteAccumulation(size_t i) {
    std::string output = exprText(*outputs_[i].expr);
    errors_.noteOnce(Diag::Accumulates, reductions_[i]->name.range,
                     "'= " + reductions_[i]->name.text + "<...>' accumulates into what '" + output +
                         "' holds, as '+=' does; '+=!' begins anew");
  }

  // The neutral elements of all outputs; nothing after an error.
  std::optional<std::vector<ir::ValueRef>> neutralValues() {
    std::vector<ir::ValueRef> values;
    for (size_t i = 0; i < outputs_.size(); i += groupAt(i)) {
      auto group = combiner_ ? neutralOf(scope_, *combiner_, groupTypes(i), c_.assign.range)
                             : std::vector{neutralOfFunction(groupTypes(i)[0])};
      if (group.empty() || !group[0]) return std::nullopt;
      values.insert(values.end(), group.begin(), group.end());
    }
    return values;
  }

  ir::ValueRef neutralOfFunction(ir::ScalarType type) {
    auto neutral = ir::neutralElement(findFunction(combiner().text)->function, type);
    if (neutral) return ir::makeLiteral(type, *neutral);
    errors_.error(Diag::NoNeutral, c_.assign.range,
                  "'" + c_.assign.text + "!' has no neutral element to begin with");
    return nullptr;
  }

  ir::StructuredOp op_;
  std::vector<Access> inputs_;                 // beside op_.inputs; no expr: shape only
  std::vector<SourceRange> operandPlaces_;     // beside the op's operands
  std::map<const Expr*, unsigned> operandOf_;  // accesses to operands
  std::vector<ir::ScalarType> operandTypes_;
  const Combiner* combiner_ = nullptr;  // what updates, if the spec defines it
};

}  // namespace

void buildComprehension(Scope& scope, const Comprehension& comprehension) {
  ComprehensionBuilder(scope, comprehension).build();
}

}  // namespace einc::frontend
