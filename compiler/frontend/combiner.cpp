// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/combiner.h"

#include <algorithm>

#include "compiler/frontend/functions.h"
#include "compiler/frontend/parser.h"
#include "compiler/frontend/scope.h"
#include "compiler/ir/literal.h"

namespace einc::frontend {
namespace {

using Cost = CombinerTable::Cost;

// Far above the limit, far below overflow.
constexpr size_t kHuge = size_t{1} << 40;

void addTimes(Cost& cost, const Cost& part, size_t times) {
  cost.expands |= part.expands;
  cost.operations = std::min(cost.operations + times * part.operations, kHuge);
  for (size_t p = 0; p < part.uses.size(); ++p)
    cost.uses[p] = std::min(cost.uses[p] + times * part.uses[p], kMaxOperations + 1);
}

std::string counted(size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// Why nothing else can have this name, or "".
std::string whyTaken(const std::string& name) {
  bool isFunction = findFunction(name) || findCast(name) || isCastName(name) || name == "index";
  if (isFunction) return "is a function";
  if (isConstantName(name) || ir::isLiteralName(name)) return "is a constant";
  return ir::parseType(name) ? "is a type" : "";
}

// Checks one combiner against those above it.
class CombinerChecker {
 public:
  CombinerChecker(const Combiner& combiner, const CombinerTable& table, const Spec& spec,
                  Diagnostics& errors)
      : combiner_(combiner), table_(table), spec_(spec), errors_(errors) {}

  // Its cost, or nothing after an error.
  std::optional<Cost> check() {
    bool good = checkParameters() && checkCounts();
    for (const ExprPtr& result : combiner_.results) good &= checkExpr(*result, true);
    for (const ExprPtr& value : combiner_.neutral) good &= checkExpr(*value, false);
    if (!good) return std::nullopt;
    for (const ExprPtr& value : combiner_.neutral)
      if (!CombinerTable::checkCost(table_.costOf(*value), value->range, errors_))
        return std::nullopt;
    Cost total{0, 0, std::vector<size_t>(parameters_.size()), /*expands=*/true};
    for (const ExprPtr& result : combiner_.results) {
      Cost cost = table_.costOf(*result, parameters_);
      addTimes(total, cost, 1);
      total.height = std::max(total.height, cost.height);
    }
    if (!CombinerTable::checkCost(total, combiner_.name.range, errors_)) return std::nullopt;
    for (size_t p = 0; p < parameters_.size(); ++p)
      if (total.uses[p] == 0)
        errors_.warning(Diag::Unused, parameters_[p].range,
                        "parameter '" + parameters_[p].text + "' is never used");
    return total;
  }

 private:
  bool fail(Diag id, SourceRange range, const std::string& message) {
    errors_.error(id, range, message);
    return false;
  }

  bool checkParameters() {
    parameters_ = combiner_.accumulated;
    parameters_.insert(parameters_.end(), combiner_.added.begin(), combiner_.added.end());
    for (const Name& name : parameters_) {
      if (isConstantName(name.text) || ir::isLiteralName(name.text))
        return fail(Diag::NameTaken, name.range,
                    "'" + name.text + "' is a constant; choose another name");
      auto [first, isNew] = places_.try_emplace(name.text, name.range);
      if (isNew) continue;
      errors_.error(Diag::Redefined, name.range, "parameter '" + name.text + "' is declared twice")
          .note(first->second, "the first declaration");
      return false;
    }
    return true;
  }

  bool checkCounts() {
    size_t wanted = combiner_.accumulated.size();
    if (combiner_.added.size() != wanted)
      return fail(Diag::CombinerShape, combiner_.name.range,
                  counted(wanted, "accumulator") + ", but " +
                      counted(combiner_.added.size(), "new value") +
                      "; both have a parameter for each result, such as ((a, c), (b, d))");
    if (combiner_.results.size() != wanted)
      return fail(Diag::CombinerShape, combiner_.name.range,
                  counted(wanted, "accumulator") + ", but " +
                      counted(combiner_.results.size(), "result") +
                      "; there is one for each accumulator");
    if (combiner_.neutral.empty() || combiner_.neutral.size() == wanted) return true;
    return fail(
        Diag::CombinerShape,
        {combiner_.neutral.front()->range.begin, combiner_.neutral.back()->range.end},
        counted(wanted, "result") + ", but " + counted(combiner_.neutral.size(), "neutral value"));
  }

  bool checkExpr(const Expr& e, bool inResult) {
    if (e.kind == ExprKind::Name) return checkName(e, inResult);
    if (e.kind == ExprKind::Element)
      return fail(
          Diag::CombinerScope, e.range,
          "a combiner sees its parameters only; '" + e.name.text + "[...]' cannot be used here");
    if (e.kind == ExprKind::Apply && !checkCall(e)) return false;
    bool good = true;
    for (const ExprPtr& arg : e.args) good &= checkExpr(*arg, inResult);
    return good;
  }

  bool checkName(const Expr& e, bool inResult) {
    const std::string& name = e.name.text;
    if (isConstantName(name)) return true;
    if (places_.count(name))
      return inResult || fail(Diag::CombinerScope, e.range,
                              "a neutral value is constant; '" + name + "' is a parameter");
    std::vector<std::string> known = constantNames();
    for (const auto& [parameter, range] : places_)
      if (inResult) known.push_back(parameter);
    std::string hint = didYouMean(name, known);
    return fail(Diag::UnknownName, e.range,
                "unknown name '" + name + "'" +
                    (hint.empty() ? "; a combiner sees its parameters only" : hint));
  }

  bool checkCall(const Expr& e) {
    const std::string& name = e.name.text;
    if (e.pad)
      return fail(Diag::BadElse, e.pad->range, "only a tensor's element can have an 'else' value");
    if (places_.count(name))
      return fail(Diag::CombinerScope, e.name.range,
                  "'" + name + "' is a parameter, not a function");
    if (isCastName(name)) return checkCast(e);
    if (e.angle)
      return fail(Diag::CombinerScope, e.name.range,
                  "'<...>' has no place in a combiner; iterators are named where it is used");
    if (name == "index")
      return fail(Diag::CombinerScope, e.range,
                  "a combiner has no iterators; give it index(...) as a value");
    if (findCast(name)) return checkArity(e, 1);
    if (auto function = findFunction(name))
      return checkArity(e, ir::info(function->function).arity);
    return checkCombinerCall(e);
  }

  bool checkArity(const Expr& e, size_t wanted) {
    return e.args.size() == wanted ||
           fail(Diag::ArgumentCount, e.name.range,
                "'" + e.name.text + "' takes " + counted(wanted, "argument") + ", found " +
                    std::to_string(e.args.size()));
  }

  bool checkCast(const Expr& e) {
    if (!e.angle || e.angle->size() != 1 || e.args.size() != 1)
      return fail(Diag::BadCast, e.range, "a cast is written " + e.name.text + "<f32>(x)");
    const Name& type = e.angle->front();
    if (ir::parseType(type.text)) return true;
    std::vector<std::string> types;
    for (const ir::TypeInfo& t : ir::allTypes()) types.emplace_back(t.name);
    return fail(Diag::UnknownType, type.range,
                "unknown type '" + type.text + "'" + didYouMean(type.text, types) +
                    "; a combiner's parameters already have the outputs' types");
  }

  bool checkCombinerCall(const Expr& e) {
    const std::string& name = e.name.text;
    if (name == combiner_.name.text)
      return fail(Diag::CombinerOrder, e.name.range, "a combiner cannot use itself");
    const Combiner* used = table_.find(name);
    if (used && table_.isBroken(*used)) return false;
    if (used && used->results.size() != 1)
      return fail(Diag::CombinerShape, e.name.range,
                  "'" + name + "' gives " + counted(used->results.size(), "value") +
                      "; inside an expression there is room for one");
    if (used) return checkArity(e, 2);
    for (const Combiner& below : spec_.combiners)
      if (below.name.text == name) {
        errors_.error(Diag::CombinerOrder, e.name.range, "a combiner uses only those above it")
            .note(below.name.range, "'" + name + "' is defined here");
        return false;
      }
    std::vector<std::string> known = functionNames();
    for (std::string& combiner : table_.names()) known.push_back(std::move(combiner));
    return fail(Diag::UnknownName, e.name.range,
                "unknown function '" + name + "'" + didYouMean(name, known));
  }

  const Combiner& combiner_;
  const CombinerTable& table_;
  const Spec& spec_;
  Diagnostics& errors_;
  std::vector<Name> parameters_;  // as they are numbered
  std::map<std::string, SourceRange> places_;
};

}  // namespace

const std::vector<std::string>& constantNames() {
  static const std::vector<std::string> names = {"true", "false",  "inf",
                                                 "nan",  "lowest", "highest"};
  return names;
}

bool isConstantName(std::string_view name) {
  const auto& names = constantNames();
  return std::find(names.begin(), names.end(), name) != names.end();
}

CombinerTable::CombinerTable(const Spec& spec, Diagnostics& errors) {
  for (const Combiner& combiner : spec.combiners) {
    const Name& name = combiner.name;
    if (std::string why = whyTaken(name.text); !why.empty()) {
      errors.error(Diag::NameTaken, name.range,
                   "'" + name.text + "' " + why + "; choose another name");
      continue;
    }
    auto [first, isNew] = byName_.try_emplace(name.text, &combiner);
    if (!isNew) {
      errors.error(Diag::Redefined, name.range, "combiner '" + name.text + "' is defined twice")
          .note(first->second->name.range, "the first definition");
      continue;
    }
    for (const Def& def : spec.defs)
      if (def.name.text == name.text)
        errors
            .error(Diag::NameTaken, def.name.range,
                   "def '" + name.text + "' is called like a combiner")
            .note(name.range, "the combiner");
    if (combiner.broken) continue;
    if (auto cost = CombinerChecker(combiner, *this, spec, errors).check())
      costs_.emplace(&combiner, std::move(*cost));
  }
}

const Combiner* CombinerTable::find(std::string_view name) const {
  auto it = byName_.find(name);
  return it == byName_.end() ? nullptr : it->second;
}

std::vector<std::string> CombinerTable::names() const {
  std::vector<std::string> names;
  for (const auto& [name, combiner] : byName_) names.push_back(name);
  return names;
}

Cost CombinerTable::costOf(const Expr& expr, const std::vector<Name>& parameters) const {
  Cost cost{1, 1, std::vector<size_t>(parameters.size()), false};
  for (size_t p = 0; p < parameters.size(); ++p)
    if (expr.kind == ExprKind::Name && parameters[p].text == expr.name.text) {
      cost.operations = 0;
      cost.uses[p] = 1;
    }
  std::vector<Cost> args;
  for (const ExprPtr& arg : expr.args) args.push_back(costOf(*arg, parameters));
  if (expr.pad) args.push_back(costOf(*expr.pad, parameters));
  if (const Combiner* called = calledCombiner(*this, expr)) return costOf(*called, std::move(args));
  for (const Cost& arg : args) {
    addTimes(cost, arg, 1);
    cost.height = std::max(cost.height, arg.height + 1);
  }
  return cost;
}

Cost CombinerTable::costOf(const Combiner& combiner, std::vector<Cost> args) const {
  const Cost& own = costs_.at(&combiner);
  if (args.size() < own.uses.size())
    args.insert(args.begin(), own.uses.size() - args.size(), Cost());
  Cost cost{own.operations, own.height, {}, /*expands=*/true};
  for (size_t p = 0; p < own.uses.size(); ++p) {
    if (cost.uses.size() < args[p].uses.size()) cost.uses.resize(args[p].uses.size());
    // An argument is built even where it is not used.
    addTimes(cost, args[p], std::max<size_t>(own.uses[p], 1));
    cost.height = std::max(cost.height, own.height + args[p].height);
  }
  return cost;
}

bool CombinerTable::checkCost(const Cost& cost, SourceRange range, Diagnostics& errors) {
  if (!cost.expands) return true;
  size_t total = cost.operations;
  for (size_t uses : cost.uses) total += uses;
  if (total > kMaxOperations)
    errors.error(Diag::TooLarge, range,
                 "too large: with all combiners written out, this is more than " +
                     std::to_string(kMaxOperations) + " operations");
  else if (cost.height > kMaxHeight)
    errors.error(Diag::NestedTooDeeply, range,
                 "nested too deeply: with all combiners written out, this is more than " +
                     std::to_string(kMaxHeight) + " operations high");
  else
    return true;
  return false;
}

const Combiner* calledCombiner(const CombinerTable& table, const Expr& expr) {
  if (expr.kind != ExprKind::Apply) return nullptr;
  const Combiner* combiner = table.find(expr.name.text);
  return combiner && !table.isBroken(*combiner) ? combiner : nullptr;
}

}  // namespace einc::frontend
