// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The first half of a comprehension's checks: which tensors it writes and reads, under which index
// expressions, and which iterators those bring along. statement.cpp builds the op from that.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/frontend/domain.h"
#include "compiler/frontend/functions.h"
#include "compiler/frontend/scope.h"
#include "compiler/support/text_writer.h"

namespace einc::frontend {

using Index = affine::Expr;

// A tensor under one indexing expression.
struct Access {
  unsigned tensor;
  std::vector<Index> map;
  const Expr* pad = nullptr;
  const Expr* expr = nullptr;  // where it first stands
};

bool sameAccess(const Access& a, const Access& b) {
  bool samePad = (!a.pad && !b.pad) || (a.pad && b.pad && exprText(*a.pad) == exprText(*b.pad));
  return a.tensor == b.tensor && a.map == b.map && samePad;
}

// What an output gets: one of the values that a right side gives.
struct RightSide {
  const Expr* expr;
  const Combiner* combiner;  // of several results, which `expr` calls; otherwise null
  size_t part;               // which result
};

class AccessCollector {
 public:
  AccessCollector(Scope& scope, const Comprehension& c)
      : scope_(scope), errors_(scope.errors), c_(c) {}

 protected:
  // All of the statement's accesses; false after an error.
  bool collect() {
    if (!matchSides()) return false;
    bool good = true;
    for (const ExprPtr& lhs : c_.lhs) good &= collectOutput(*lhs);
    for (const ExprPtr& rhs : c_.rhs) good &= collectReduction(*rhs) && collectAccesses(*rhs);
    if (good)
      for (const ExprPtr& condition : c_.where) good &= collectCondition(*condition);
    return good && checkOutputs();
  }

  // A right side that calls a combiner of several results gives as many values.
  bool matchSides() {
    std::string hint;
    for (const ExprPtr& rhs : c_.rhs) {
      const Combiner* combiner =
          c_.assign.text == "=" ? calledCombiner(scope_.combiners, *rhs) : nullptr;
      size_t parts = combiner ? combiner->results.size() : 1;
      if (parts > 1) hint = " ('" + rhs->name.text + "' gives " + std::to_string(parts) + ")";
      for (size_t part = 0; part < parts; ++part)
        sides_.push_back({rhs.get(), parts > 1 ? combiner : nullptr, part});
    }
    if (c_.lhs.size() == sides_.size()) return true;
    errors_.error(Diag::OutputCount, c_.range,
                  std::to_string(c_.lhs.size()) + " outputs on the left, " +
                      std::to_string(sides_.size()) + " values on the right" + hint);
    return false;
  }

  // ---- The left side ----

  bool collectOutput(const Expr& lhs) {
    if (lhs.angle || lhs.pad) {
      errors_.error(Diag::NotAssignable, lhs.range,
                    "an output is written at its indices alone, such as C(m, n)");
      return false;
    }
    auto tensor = scope_.kernel.findTensor(lhs.name.text);
    if (tensor && scope_.kernel.tensors[*tensor].role == ir::Role::Input) {
      errors_
          .error(Diag::NotAssignable, lhs.name.range,
                 "'" + lhs.name.text +
                     "' is an input; only outputs and local "
                     "tensors are assigned to")
          .note(scope_.tensors[*tensor].declared, "declared here");
      return false;
    }
    if (!tensor && scope_.names.count(lhs.name.text)) {
      errors_.error(Diag::NotAssignable, lhs.name.range, "'" + lhs.name.text + "' is not a tensor")
          .note(scope_.names.at(lhs.name.text), "declared here");
      return false;
    }
    std::vector<std::string> mine;
    auto map = indices(lhs, tensor, [&](const Name& name) -> std::optional<Index> {
      bool onlyName = std::any_of(lhs.args.begin(), lhs.args.end(), [&](const ExprPtr& arg) {
        return arg->kind == ExprKind::Name && arg->name.range == name.range;
      });
      if (auto it = scope_.sizes.find(name.text); it != scope_.sizes.end() && onlyName) {
        errors_
            .error(Diag::IteratorLikeSize, name.range,
                   "iterator '" + name.text + "' is spelled like a size")
            .note(it->second, "the size '" + name.text + "'");
        return std::nullopt;
      }
      if (std::find(mine.begin(), mine.end(), name.text) != mine.end() && onlyName) {
        errors_.error(Diag::IteratorTwice, name.range,
                      "iterator '" + name.text +
                          "' stands twice on the left: elements "
                          "off the diagonal would never be written");
        return std::nullopt;
      }
      return iteratorOrSymbol(name, &mine);
    });
    if (!map) return false;
    for (const std::string& iterator : mine) addOnce(parallel_, iterator);
    unsigned id = tensor ? *tensor : addLocal(lhs, *map);
    if (id == kNone) return false;
    outputs_.push_back({id, *map, nullptr, &lhs});
    return true;
  }

  // A tensor that is first seen on the left: its type and sizes follow once the right is known.
  unsigned addLocal(const Expr& lhs, const std::vector<Index>& map) {
    for (size_t d = 0; d < map.size(); ++d)
      if (!map[d].asIterator()) {
        errors_.error(Diag::LocalNeedsDeclaration, lhs.args[d]->range,
                      "the size of '" + lhs.name.text +
                          "' does not follow from "
                          "this index; declare it: local " +
                          lhs.name.text + ": f32(...);");
        return kNone;
      }
    if (!scope_.declare(lhs.name, "local tensor")) return kNone;
    std::vector<SourceRange> places;
    for (const ExprPtr& arg : lhs.args) places.push_back(arg->range);
    ir::Tensor tensor{lhs.name.text, ir::ScalarType::F32, std::vector<Index>(map.size()),
                      ir::Role::Local};
    unsigned id = scope_.addTensor(std::move(tensor), lhs.name.range, std::move(places));
    scope_.tensors[id].unknown = true;
    newLocals_.push_back(id);
    return id;
  }

  bool checkOutputs() {
    for (size_t i = 0; i < outputs_.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (outputs_[i].tensor == outputs_[j].tensor) {
          errors_
              .error(Diag::WrittenTwice, outputs_[i].expr->name.range,
                     "'" + outputs_[i].expr->name.text + "' is written twice in one statement")
              .note(outputs_[j].expr->name.range, "the first time");
          return false;
        }
    for (const Access& output : outputs_)
      for (const std::string& iterator : parallel_) {
        bool found = std::any_of(output.map.begin(), output.map.end(), [&](const Index& index) {
          auto names = index.iterators();
          return std::find(names.begin(), names.end(), iterator) != names.end();
        });
        if (found) continue;
        errors_.error(Diag::IteratorNotInOutput, output.expr->range,
                      "iterator '" + iterator + "' is on the left, but not in '" +
                          exprText(*output.expr) +
                          "': several iterations would "
                          "write one element; use two statements");
        return false;
      }
    return true;
  }

  // ---- The right side ----

  // The reduction that stands outermost: its iterators.
  bool collectReduction(const Expr& rhs) {
    bool reduces = isReduction(rhs);
    for (const RightSide& side : sides_)
      if (side.expr == &rhs) reductions_.push_back(reduces ? &rhs : nullptr);
    if (!reduces) return true;
    if (c_.assign.text != "=") {
      errors_.error(Diag::ReducedTwice, rhs.name.range,
                    "'" + c_.assign.text +
                        "' already reduces; write its right side "
                        "without '" +
                        rhs.name.text + "<...>'");
      return false;
    }
    std::set<std::string> seen;
    for (const Name& name : *rhs.angle) {
      if (!seen.insert(name.text).second) {
        errors_.error(Diag::IteratorTwice, name.range,
                      "iterator '" + name.text + "' stands twice in <...>");
        return false;
      }
      if (std::find(parallel_.begin(), parallel_.end(), name.text) != parallel_.end()) {
        errors_.error(Diag::ParallelAndReduced, name.range,
                      "iterator '" + name.text +
                          "' is on the left, it cannot be reduced "
                          "over");
        return false;
      }
      auto known = iteratorOrSymbol(name, nullptr);
      if (!known || !known->asIterator()) {
        if (known)
          errors_.error(Diag::NotAnIterator, name.range,
                        "'" + name.text + "' is not an iterator, but a size or attribute");
        return false;
      }
      addOnce(reduced_, name.text);
      listed_.insert(name.text);
    }
    return true;
  }

  bool isReduction(const Expr& e) const {
    if (e.kind != ExprKind::Apply || !e.angle || isCastName(e.name.text)) return false;
    return !scope_.kernel.findTensor(e.name.text);
  }

  bool collectAccesses(const Expr& e) {
    bool good = true;
    if (e.kind == ExprKind::Apply) {
      if (auto tensor = scope_.kernel.findTensor(e.name.text)) return collectAccess(e, *tensor);
      if (e.name.text == "index") return collectIndex(e);
      if (e.pad) {
        errors_.error(Diag::BadElse, e.pad->range,
                      "only a tensor's element can have an 'else' value");
        return false;
      }
      bool isCall = !e.angle && !isCastName(e.name.text) && !findCast(e.name.text);
      if (isCall && !checkCallee(scope_, e.name)) return false;
    }
    for (const ExprPtr& arg : e.args) good &= collectAccesses(*arg);
    return good;
  }

  bool collectIndex(const Expr& e) {
    if (e.args.size() != 1 || e.angle || e.pad) {
      errors_.error(Diag::ArgumentCount, e.range,
                    "'index' takes one index expression, such as index(m)");
      return false;
    }
    auto index = buildIndex(scope_, *e.args[0], [&](const Name& n) { return rightName(n); });
    if (!index) return false;
    indices_.emplace(&e, *index);
    return true;
  }

  bool collectAccess(const Expr& e, unsigned tensor) {
    if (e.angle) {
      errors_.error(Diag::TensorWithAngle, e.range,
                    "'" + e.name.text + "' is a tensor; it takes no <...>");
      return false;
    }
    auto map = indices(e, tensor, [&](const Name& n) { return rightName(n); });
    if (!map) return false;
    Access access{tensor, *map, e.pad.get(), &e};
    auto output = std::find_if(outputs_.begin(), outputs_.end(),
                               [&](const Access& o) { return o.tensor == tensor; });
    if (output != outputs_.end()) {
      if (output->map != access.map || access.pad) {
        errors_
            .error(Diag::OutputReadElsewhere, e.range,
                   "'" + e.name.text +
                       "' is written by this statement; it can be read "
                       "only at the element that is written, " +
                       exprText(*output->expr))
            .note(output->expr->range, "written here");
        return false;
      }
      readsOutput_.insert(tensor);
      outputReads_.emplace_back(&e, static_cast<size_t>(output - outputs_.begin()));
      return true;
    }
    if (scope_.tensors[tensor].unknown) return false;  // its own statement has the error
    if (scope_.kernel.tensors[tensor].role != ir::Role::Input && !scope_.tensors[tensor].written) {
      errors_
          .error(Diag::ReadBeforeWritten, e.range,
                 "'" + e.name.text + "' is read before it is written")
          .note(scope_.tensors[tensor].declared, "declared here");
      return false;
    }
    scope_.tensors[tensor].read = true;
    accesses_.push_back(access);
    return !access.pad || checkPad(*access.pad);
  }

  // ---- The domain ----

  // A comparison that restricts the iterators that the sides have brought.
  bool collectCondition(const Expr& e) {
    static const std::set<std::string> comparisons = {"<", "<=", ">", ">=", "=="};
    if (e.kind != ExprKind::Binary || comparisons.count(e.name.text) == 0) {
      errors_.error(Diag::NotADomain, e.range,
                    "expected a comparison by <, <=, >, >= or ==, such as n <= m; several are "
                    "joined by 'and'");
      return false;
    }
    const size_t known = reduced_.size();
    auto left = collectCompared(*e.args[0]), right = collectCompared(*e.args[1]);
    if (reduced_.size() > known) {
      std::vector<std::string> all(parallel_);
      all.insert(all.end(), reduced_.begin(), reduced_.begin() + static_cast<ptrdiff_t>(known));
      const std::string name = reduced_[known];
      errors_.error(Diag::UnknownName, places_.at(name),
                    "'" + name + "' is no iterator of this statement" + didYouMean(name, all) +
                        "; 'where' restricts those that stand before it: " + joined(all));
      return false;
    }
    if (!left || !right) return false;
    if (left->element && right->element) {
      errors_.error(Diag::NotADomain, e.range,
                    "one side of a condition is an element of a tensor at most; the other one is "
                    "made of iterators, sizes and integer attributes");
      return false;
    }
    conditions_.push_back({e.name.text, *left, *right});
    return true;
  }

  std::optional<Compared> collectCompared(const Expr& e) {
    auto tensor = e.kind == ExprKind::Apply ? scope_.kernel.findTensor(e.name.text) : std::nullopt;
    if (!tensor) {
      auto index = buildIndex(scope_, e, [&](const Name& n) { return rightName(n); });
      return index ? std::optional(Compared{*index, nullptr}) : std::nullopt;
    }
    const ir::Tensor& of = scope_.kernel.tensors[*tensor];
    if (of.role != ir::Role::Input || !ir::info(of.type).isInteger()) {
      errors_
          .error(Diag::NotADomain, e.range,
                 "a domain is bounded by elements of an input of integers, but '" + of.name +
                     "' is " +
                     (of.role == ir::Role::Input    ? "of " + std::string(ir::info(of.type).name)
                      : of.role == ir::Role::Output ? "an output"
                                                    : "a local"))
          .note(scope_.tensors[*tensor].declared, "declared here");
      return std::nullopt;
    }
    if (!collectAccess(e, *tensor)) return std::nullopt;
    return Compared{{}, &e};
  }

  bool checkPad(const Expr& pad) {
    if (pad.kind == ExprKind::Apply &&
        (scope_.kernel.findTensor(pad.name.text) || pad.name.text == "index")) {
      errors_.error(Diag::BadElse, pad.range,
                    "an 'else' value is a number or a scalar, the same for all elements");
      return false;
    }
    return std::all_of(pad.args.begin(), pad.args.end(),
                       [&](const ExprPtr& arg) { return checkPad(*arg); });
  }

  // ---- Names in indices ----

  std::optional<std::vector<Index>> indices(const Expr& access, std::optional<unsigned> tensor,
                                            const NameMeaning& meaning) {
    if (tensor) {
      size_t rank = scope_.kernel.tensors[*tensor].shape.size();
      if (access.args.size() != rank) {
        errors_
            .error(Diag::RankMismatch, access.range,
                   "'" + access.name.text + "' has " + std::to_string(rank) +
                       " dimensions, found " + std::to_string(access.args.size()) + " indices")
            .note(scope_.tensors[*tensor].declared, "declared here");
        return std::nullopt;
      }
    }
    std::vector<Index> map;
    bool good = true;
    for (const ExprPtr& arg : access.args) {
      auto index = buildIndex(scope_, *arg, meaning);
      good &= index.has_value();
      if (index) map.push_back(*index);
    }
    return good ? std::optional(map) : std::nullopt;
  }

  std::optional<Index> iteratorOrSymbol(const Name& name, std::vector<std::string>* found) {
    bool isAttribute = false;
    if (auto symbol = attributeSymbol(scope_, name, isAttribute)) return symbol;
    if (isAttribute) return std::nullopt;
    if (scope_.sizes.count(name.text)) return Index::symbol(name.text);
    if (found) addOnce(*found, name.text);
    places_.try_emplace(name.text, name.range);
    return Index::iterator(name.text);
  }

  std::optional<Index> rightName(const Name& name) {
    std::vector<std::string> found;
    auto index = iteratorOrSymbol(name, &found);
    for (const std::string& iterator : found)
      if (std::find(parallel_.begin(), parallel_.end(), iterator) == parallel_.end())
        addOnce(reduced_, iterator);
    return index;
  }

  static void addOnce(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }

 private:
  static constexpr unsigned kNone = ~0u;

 protected:
  Scope& scope_;
  Diagnostics& errors_;
  const Comprehension& c_;
  std::vector<std::string> parallel_, reduced_;  // iterators in order
  std::set<std::string> listed_;                 // those in <...>
  std::map<std::string, SourceRange> places_;    // of iterators, where first seen
  std::vector<RightSide> sides_;                 // for each output
  std::vector<const Expr*> reductions_;          // for each output, or null
  std::vector<Access> outputs_, accesses_;
  std::vector<std::pair<const Expr*, size_t>> outputReads_;  // accesses to outputs_[i]
  std::set<unsigned> readsOutput_;
  std::vector<unsigned> newLocals_;
  std::map<const Expr*, Index> indices_;  // of index(...)
  std::vector<DomainCondition> conditions_;
};

}  // namespace einc::frontend
