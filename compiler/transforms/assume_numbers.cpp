// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/assume_numbers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "compiler/transforms/builder.h"
#include "compiler/transforms/simplify.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {
namespace {

using ir::Function;

const ir::Call* limitOf(const ir::ValueRef& value) {
  auto* call = std::get_if<ir::Call>(&value->node);
  bool is = call && (call->function == Function::Max || call->function == Function::Min);
  return is && ir::info(value->type).isFloat() ? call : nullptr;
}

// x == x, or x != x.
const ir::Call* questionOf(const ir::ValueRef& value) {
  auto* call = std::get_if<ir::Call>(&value->node);
  const bool is = call && (call->function == Function::Eq || call->function == Function::Ne);
  return is && ir::info(call->args[0]->type).isFloat() && ir::equal(call->args[0], call->args[1])
             ? call
             : nullptr;
}

// One vector region.
class Region {
 public:
  Region(Builder& builder, const ir::Vector& region) : builder_(builder), region_(region) {}

  ir::Block run() {
    ir::Block result;
    for (const ir::Stmt& stmt : region_.body) {
      if (auto* let = std::get_if<ir::Let>(&stmt.node)) first_[let->name] = *let;
      if (auto* assign = std::get_if<ir::Assign>(&stmt.node)) forget(assign->name);
      if (auto* transpose = std::get_if<ir::Transpose>(&stmt.node)) forget(transpose->name);
      if (std::holds_alternative<ir::Store>(stmt.node)) first_.clear();
      auto* loop = std::get_if<ir::For>(&stmt.node);
      auto assumption = loop && isSuitable(*loop) ? assumed(stmt) : std::nullopt;
      if (assumption)
        result.push_back({std::move(*assumption)});
      else
        result.push_back(stmt);
      if (loop) forget(*loop);
    }
    return result;
  }

 private:
  // ---- Whether ----

  bool isSuitable(const ir::For& loop) {
    if (loop.kind != ir::IteratorKind::Reduction) return false;
    axes_.clear();
    for (const auto& [name, let] : first_) axes_[name] = let.axes;
    assigned_.clear();
    std::set<std::string> inside;
    bool isAsked = false, fits = true;
    hasLimits_ = false;
    ir::forEachStatement(loop.body, [&](const ir::Stmt& stmt) {
      const ir::ValueRef* value = nullptr;
      if (auto* let = std::get_if<ir::Let>(&stmt.node)) {
        axes_[let->name] = let->axes;
        inside.insert(let->name);
        value = &let->value;
      } else if (auto* assign = std::get_if<ir::Assign>(&stmt.node)) {
        if (inside.count(assign->name) == 0) assigned_.insert(assign->name);
        fits &= inside.count(assign->name) != 0 || first_.count(assign->name) != 0;
        value = &assign->value;
      } else {
        fits &= std::holds_alternative<ir::For>(stmt.node) ||
                std::holds_alternative<ir::Prefetch>(stmt.node);
      }
      if (value) isAsked |= asks(*value);
    });
    // What they begin with is computed once more, when they have other values.
    for (const std::string& name : assigned_)
      for (const std::string& other : assigned_)
        fits = fits && !mentions(first_.at(name).value, other);
    return isAsked && fits;
  }

  // Whether there is a max or min, or a question, of several lanes.
  bool asks(const ir::ValueRef& value) {
    bool found = false;
    ir::rewrite(value, [&](const ir::ValueRef& v) -> ir::ValueRef {
      hasLimits_ |= isLimit(v);
      found |= isLimit(v) || (questionOf(v) && !axisOf(v).empty());
      return nullptr;
    });
    return found;
  }

  void forget(const ir::For& loop) {
    ir::forEachStatement(loop.body, [&](const ir::Stmt& stmt) {
      if (auto* assign = std::get_if<ir::Assign>(&stmt.node)) forget(assign->name);
    });
  }

  // The variable has another value, and so would those that were computed of its first one.
  void forget(const std::string& name) {
    first_.erase(name);
    std::erase_if(first_, [&](const auto& entry) { return mentions(entry.second.value, name); });
  }

  static bool mentions(const ir::ValueRef& value, const std::string& name) {
    bool found = false;
    ir::forEach(value, [&](const ir::Value& v) {
      auto* variable = std::get_if<ir::Variable>(&v.node);
      found |= variable && variable->name == name;
    });
    return found;
  }

  // Of the one axis that a value has at this level; empty if it has none.
  std::string axisOf(const ir::ValueRef& value) const {
    if (std::holds_alternative<ir::Reduce>(value->node)) return "";
    std::string found;
    auto note = [&](const std::string& name) {
      for (const ir::Axis& axis : region_.axes)
        if (axis.name == name) found = name;
    };
    ir::forEach(value, [&](const ir::Value& v) {
      if (auto* variable = std::get_if<ir::Variable>(&v.node))
        if (auto axes = axes_.find(variable->name); axes != axes_.end())
          for (const std::string& axis : axes->second) note(axis);
      if (auto* load = std::get_if<ir::Load>(&v.node))
        for (const affine::Expr& e : load->index)
          for (const std::string& name : e.iterators()) note(name);
      if (auto* index = std::get_if<ir::IndexRef>(&v.node))
        for (const std::string& name : index->index.iterators()) note(name);
    });
    return found;
  }

  // ---- How ----

  // Nothing, where NaN is only left out, or counted: it may well be there.
  std::optional<ir::AssumeNumbers> assumed(const ir::Stmt& stmt) {
    const auto& loop = std::get<ir::For>(stmt.node);
    ir::AssumeNumbers result;
    findNumbers(loop, result.body);
    if (!hasLimits_ && kept_.empty()) return std::nullopt;
    flush(result.body);
    ir::For quick = loop;
    quick.body = quickened(loop.body);
    while (dropUnread(quick.body)) {
    }
    result.body.push_back({std::move(quick)});
    for (const std::string& name : assigned_)
      result.otherwise.push_back({ir::Assign{name, first_.at(name).value}});
    result.otherwise.push_back(stmt);
    return result;
  }

  // Variables that are numbers as long as nothing that is checked is none: those that begin as
  // numbers, and become what max or min gives, or one of what is checked and of such variables.
  void findNumbers(const ir::For& loop, ir::Block& out) {
    findChoices(loop);
    numbers_.clear();
    for (const std::string& name : assigned_)
      if (choices_.count(name) != 0 && !first_.at(name).axes.empty()) numbers_.insert(name);
    while (std::erase_if(numbers_, [&](const std::string& name) {
             return llvm::any_of(choices_.at(name), [&](const std::string& other) {
               return assigned_.count(other) != 0 && numbers_.count(other) == 0;
             });
           }) != 0) {
    }
    chosen_.clear();
    for (const std::string& name : numbers_) {
      for (const std::string& other : choices_.at(name))
        if (assigned_.count(other) == 0) chosen_.insert(other);
      const ir::Let& let = first_.at(name);
      auto* literal = std::get_if<ir::Literal>(&let.value->node);
      if (!literal || std::isnan(literal->number.asFloat))
        check(ir::makeValue(let.value->type, ir::Variable{name}), out);
    }
    kept_ = numbers_;
  }

  // Of each variable that only becomes what max or min gives, or one of other variables: these.
  void findChoices(const ir::For& loop) {
    choices_.clear();
    changing_.clear();
    std::set<std::string> others;
    std::map<std::string, ir::ValueRef> values;
    ir::forEachStatement(loop.body, [&](const ir::Stmt& stmt) {
      if (auto* let = std::get_if<ir::Let>(&stmt.node)) values[let->name] = let->value;
      if (auto* assign = std::get_if<ir::Assign>(&stmt.node)) changing_.insert(assign->name);
    });
    ir::forEachStatement(loop.body, [&](const ir::Stmt& stmt) {
      auto* assign = std::get_if<ir::Assign>(&stmt.node);
      if (!assign) return;
      std::set<std::string>& chosen = choices_[assign->name];
      if (!isLimit(assign->value) && !choosesAmong(assign->value, values, chosen))
        others.insert(assign->name);
    });
    for (const std::string& name : others) choices_.erase(name);
  }

  // Whose operands are checked.
  bool isLimit(const ir::ValueRef& value) const { return limitOf(value) && !axisOf(value).empty(); }

  // Whether a value of floats is one of some variables, as they are: of the loop around, or of values that stay what they are.
  bool choosesAmong(const ir::ValueRef& value, const std::map<std::string, ir::ValueRef>& values,
                    std::set<std::string>& chosen) const {
    auto* call = std::get_if<ir::Call>(&value->node);
    if (call && call->function == Function::Select)
      return choosesAmong(call->args[1], values, chosen) &&
             choosesAmong(call->args[2], values, chosen);
    auto* variable = std::get_if<ir::Variable>(&value->node);
    if (!variable || !ir::info(value->type).isFloat()) return false;
    auto found = values.find(variable->name);
    const bool isChanging = changing_.count(variable->name) != 0;
    if (!isChanging && found != values.end() && choosesAmong(found->second, values, chosen))
      return true;
    chosen.insert(variable->name);
    return assigned_.count(variable->name) != 0 ||
           (!isChanging && found != values.end() && !axisOf(value).empty());
  }

  ir::Block quickened(const ir::Block& block) {
    ir::Block result;
    auto outer = numbers_;
    for (const ir::Stmt& stmt : block) {
      ir::Stmt copy = stmt;
      if (auto* loop = std::get_if<ir::For>(&copy.node)) {
        flush(result);
        forgetChanging(*loop);
        loop->body = quickened(loop->body);
      }
      if (auto* let = std::get_if<ir::Let>(&copy.node)) {
        const bool isNumber = isLimit(let->value);
        let->value = quick(let->value, result);
        if (isNumber) numbers_.insert(let->name);
      }
      if (auto* assign = std::get_if<ir::Assign>(&copy.node)) {
        assign->value = quick(assign->value, result);
        // It is another value from here on.
        if (outer.count(assign->name) == 0 && numbers_.erase(assign->name) != 0) flush(result);
        auto* same = std::get_if<ir::Variable>(&assign->value->node);
        if (same && same->name == assign->name) continue;  // it stays what it is
      }
      auto* let = std::get_if<ir::Let>(&copy.node);
      const bool isChosen = let && chosen_.count(let->name) != 0;
      const ir::ValueRef chosen =
          isChosen ? ir::makeValue(let->value->type, ir::Variable{let->name}) : nullptr;
      result.push_back(std::move(copy));
      if (chosen) number(chosen, axisOf(chosen), result);
    }
    flush(result);
    numbers_ = std::move(outer);
    return result;
  }

  // Answers that are known leave values unread; whether there were any.
  static bool dropUnread(ir::Block& block) {
    std::set<std::string> read;
    auto note = [&](const ir::ValueRef& value) {
      ir::forEach(value, [&](const ir::Value& v) {
        if (auto* variable = std::get_if<ir::Variable>(&v.node)) read.insert(variable->name);
      });
    };
    ir::forEachStatement(block, [&](const ir::Stmt& stmt) {
      if (auto* check = std::get_if<ir::CheckNumbers>(&stmt.node))
        for (const ir::ValueRef& value : check->values) note(value);
      if (auto* assign = std::get_if<ir::Assign>(&stmt.node)) read.insert(assign->name);
      if (ir::ValueRef value = ir::valueOf(stmt)) note(value);
    });
    return eraseLets(block, read);
  }
  static bool eraseLets(ir::Block& block, const std::set<std::string>& but) {
    bool any = std::erase_if(block, [&](const ir::Stmt& stmt) {
                 auto* let = std::get_if<ir::Let>(&stmt.node);
                 return let && but.count(let->name) == 0;
               }) != 0;
    for (ir::Stmt& stmt : block)
      for (ir::Block* inner : ir::blocksOf(stmt)) any |= eraseLets(*inner, but);
    return any;
  }

  // What a loop gives other values is no number in it, and behind it.
  void forgetChanging(const ir::For& loop) {
    ir::forEachStatement(loop.body, [&](const ir::Stmt& stmt) {
      auto* assign = std::get_if<ir::Assign>(&stmt.node);
      if (assign && kept_.count(assign->name) == 0) numbers_.erase(assign->name);
    });
  }

  // The value, with what max and min in it are computed of checked.
  ir::ValueRef quick(const ir::ValueRef& value, ir::Block& out) {
    if (isLimit(value)) {
      ir::Call copy = *limitOf(value);
      for (ir::ValueRef& arg : copy.args) arg = number(arg, axisOf(value), out);
      return ir::makeValue(value->type, std::move(copy));
    }
    if (const ir::Call* question = questionOf(value); question && !axisOf(value).empty()) {
      number(question->args[0], axisOf(value), out);
      const bool isNumber = question->function == Function::Eq;
      return ir::makeLiteral(ir::ScalarType::Bool, {0.0, isNumber ? 1U : 0U});
    }
    auto inside = [&](ir::ValueRef& arg) { arg = quick(arg, out); };
    ir::Value copy = *value;
    if (auto* call = std::get_if<ir::Call>(&copy.node))
      for (ir::ValueRef& arg : call->args) inside(arg);
    if (auto* cast = std::get_if<ir::Cast>(&copy.node)) inside(cast->arg);
    if (auto* reduce = std::get_if<ir::Reduce>(&copy.node)) inside(reduce->arg);
    if (auto* shuffle = std::get_if<ir::Shuffle>(&copy.node)) {
      inside(shuffle->a);
      inside(shuffle->b);
    }
    return simplified(std::make_shared<const ir::Value>(std::move(copy)), /*mayLeaveOut=*/true);
  }

  ir::ValueRef number(const ir::ValueRef& value, const std::string& axis, ir::Block& out) {
    if (auto* literal = std::get_if<ir::Literal>(&value->node);
        literal && !std::isnan(literal->number.asFloat))
      return value;
    if (isLimit(value)) return quick(value, out);
    if (auto* call = std::get_if<ir::Call>(&value->node);
        call && (call->function == Function::Neg || call->function == Function::Abs))
      return ir::makeCall(call->function, {number(call->args[0], axis, out)});
    auto* variable = std::get_if<ir::Variable>(&value->node);
    if (variable && numbers_.count(variable->name) != 0) return value;
    if (variable && axes_[variable->name] == std::vector<std::string>{axis}) {
      numbers_.insert(variable->name);
      check(value, out);
      return value;
    }
    std::string name = builder_.name("term");
    out.push_back({ir::Let{name, quick(value, out), {axis}}});
    axes_[name] = {axis};
    ir::ValueRef term = ir::makeValue(value->type, ir::Variable{name});
    check(term, out);
    return term;
  }

  // ---- Two at a time ----

  void check(ir::ValueRef value, ir::Block& out) {
    auto key = std::pair(axisOf(value), value->type);
    auto waiting = waiting_.find(key);
    if (waiting == waiting_.end()) {
      waiting_.emplace(key, std::move(value));
      return;
    }
    out.push_back({ir::CheckNumbers{{waiting->second, std::move(value)}}});
    waiting_.erase(waiting);
  }

  void flush(ir::Block& out) {
    for (auto& [key, value] : waiting_) out.push_back({ir::CheckNumbers{{value}}});
    waiting_.clear();
  }

  Builder& builder_;
  const ir::Vector& region_;
  std::map<std::string, ir::Let> first_;  // variables that have their first values yet
  std::map<std::string, std::vector<std::string>> axes_;
  bool hasLimits_ = false;                     // in the loop
  std::set<std::string> assigned_, changing_;  // in the loop: of variables from outside, of all
  std::map<std::string, std::set<std::string>> choices_;
  std::set<std::string> numbers_, kept_, chosen_;  // kept: in all rounds; chosen: to be checked
  std::map<std::pair<std::string, ir::ScalarType>, ir::ValueRef> waiting_;
};

void assumeIn(Builder& builder, ir::Block& block) {
  for (ir::Stmt& stmt : block) {
    if (auto* region = std::get_if<ir::Vector>(&stmt.node))
      region->body = Region(builder, *region).run();
    else
      for (ir::Block* inner : ir::blocksOf(stmt)) assumeIn(builder, *inner);
  }
}

}  // namespace

bool asksForNumbers(const ir::ValueRef& value) {
  bool found = false;
  ir::rewrite(value, [&](const ir::ValueRef& v) -> ir::ValueRef {
    found |= limitOf(v) || questionOf(v);
    return nullptr;
  });
  return found;
}

ir::Kernel assumeNumbers(ir::Kernel kernel) {
  Builder builder(kernel);
  assumeIn(builder, kernel.body);
  return kernel;
}

}  // namespace einc::transforms
