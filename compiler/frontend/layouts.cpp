// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/layouts.h"

#include <algorithm>
#include <map>
#include <set>

#include "llvm/ADT/STLExtras.h"

namespace einc::frontend {
namespace {

std::vector<std::string> textsOf(const std::vector<Name>& names) {
  std::vector<std::string> texts;
  for (const Name& name : names) texts.push_back(name.text);
  return texts;
}

template <typename Visit>
void forEachExpr(const Expr& expr, const Visit& visit) {
  visit(expr);
  for (const ExprPtr& arg : expr.args) forEachExpr(*arg, visit);
  if (expr.pad) forEachExpr(*expr.pad, visit);
}

void collectNames(const Expr& expr, std::set<std::string>& names) {
  forEachExpr(expr, [&](const Expr& e) {
    if (e.kind == ExprKind::Name) names.insert(e.name.text);
  });
}

bool usesAxes(const Def& def) {
  auto named = [](const auto& item) { return item.axes.has_value(); };
  bool found = !def.layouts.empty() || std::any_of(def.inputs.begin(), def.inputs.end(), named) ||
               std::any_of(def.outputs.begin(), def.outputs.end(), named) ||
               std::any_of(def.attributes.begin(), def.attributes.end(), named);
  auto look = [&](const Expr& e) { found |= e.axes.has_value(); };
  for (const Statement& s : def.statements) {
    found |= s.local && s.local->axes;
    for (const ExprPtr& e : s.comprehension.lhs) forEachExpr(*e, look);
    for (const ExprPtr& e : s.comprehension.rhs) forEachExpr(*e, look);
    for (const ExprPtr& e : s.comprehension.where) forEachExpr(*e, look);
  }
  return found;
}

// One def of one layout.
class Expansion {
 public:
  Expansion(const Def& def, const Layout* layout, Diagnostics& errors)
      : def_(def), layout_(layout), errors_(errors) {}

  // Nothing after an error.
  std::optional<Def> run() {
    size_t before = errors_.errorCount();
    declareAxes();
    orderAxes();
    if (errors_.errorCount() != before) return std::nullopt;
    findLeftOut();
    Def result = header();
    for (const Parameter& p : def_.inputs) result.inputs.push_back(parameter(p));
    for (const Parameter& p : def_.outputs) result.outputs.push_back(parameter(p));
    for (const AttributeDecl& a : def_.attributes) attribute(a, result);
    for (const Statement& s : def_.statements) result.statements.push_back(statement(s));
    if (errors_.errorCount() != before) return std::nullopt;
    return result;
  }

 private:
  using Axes = std::vector<std::string>;

  // ---- Which axes there are, and in which order ----

  void declareAxes() {
    for (const Parameter& p : def_.inputs) declare(p.name, p.axes);
    for (const Parameter& p : def_.outputs) declare(p.name, p.axes);
    for (const Statement& s : def_.statements) {
      if (s.local) declare(s.local->name, s.local->axes);
      for (const ExprPtr& e : s.comprehension.lhs) tensors_.insert(e->name.text);
    }
    for (const AttributeDecl& a : def_.attributes) {
      if (!a.axes) continue;
      checkAxes(*a.axes);
      attributes_[a.name.text] = textsOf(*a.axes);
      if (!a.shape.empty())
        errors_.error(
            Diag::AttributeShape, a.type.range,
            "the axes of '" + a.name.text + "' give its elements; expected a type without a shape");
    }
  }

  void declare(const Name& name, const std::optional<std::vector<Name>>& axes) {
    tensors_.insert(name.text);
    if (!axes) return;
    checkAxes(*axes);
    declared_[name.text] = textsOf(*axes);
  }

  void checkAxes(const std::vector<Name>& axes) {
    std::set<std::string> seen;
    for (const Name& axis : axes) {
      if (axis.text.size() != 1)
        errors_.error(Diag::BadAxis, axis.range,
                      "an axis is one letter, so that layouts such as nhwc can be "
                      "read; expected a letter, found '" +
                          axis.text + "'");
      else if (!seen.insert(axis.text).second)
        errors_.error(Diag::BadAxis, axis.range, "axis '" + axis.text + "' stands here twice");
    }
  }

  void orderAxes() {
    if (layout_)
      for (const Layout::Order& o : layout_->orders) orderOf(o);
    else
      orders_ = declared_;
    for (const auto& [tensor, axes] : orders_) present_.insert(axes.begin(), axes.end());
    for (const auto* parameters : {&def_.inputs, &def_.outputs})
      for (const Parameter& p : *parameters)
        if (p.axes && !orders_.count(p.name.text))
          errors_
              .error(Diag::BadLayout, layout_->name.range,
                     "layout '" + layout_->name.text + "' gives no order to the axes of '" +
                         p.name.text + "'; expected " + p.name.text + " = ...")
              .note(p.name.range, "declared here");
    for (const Statement& s : def_.statements)
      if (s.local && s.local->axes && !orders_.count(s.local->name.text))
        orders_[s.local->name.text] = likeAnother(present(declared_.at(s.local->name.text)));
    for (auto& [name, axes] : attributes_) kept_[name] = present(axes);
  }

  // These axes in the order of an output or input that has the very same ones, if there is one.
  Axes likeAnother(const Axes& axes) const {
    for (const auto* parameters : {&def_.outputs, &def_.inputs})
      for (const Parameter& p : *parameters) {
        auto order = orders_.find(p.name.text);
        if (order != orders_.end() &&
            std::is_permutation(axes.begin(), axes.end(), order->second.begin(),
                                order->second.end()))
          return order->second;
      }
    return axes;
  }

  void orderOf(const Layout::Order& o) {
    auto found = declared_.find(o.tensor.text);
    if (found == declared_.end()) {
      std::vector<std::string> tensors;
      for (const auto& [tensor, axes] : declared_) tensors.push_back(tensor);
      errors_.error(
          Diag::BadLayout, o.tensor.range,
          "no tensor '" + o.tensor.text + "' has axes here" + didYouMean(o.tensor.text, tensors));
      return;
    }
    Axes axes;
    for (char letter : o.axes.text) {
      std::string axis(1, letter);
      if (!llvm::is_contained(found->second, axis))
        errors_.error(
            Diag::BadLayout, o.axes.range,
            "'" + o.tensor.text + "' has no axis '" + axis + "'; it has " + listed(found->second));
      else if (llvm::is_contained(axes, axis))
        errors_.error(Diag::BadLayout, o.axes.range, "axis '" + axis + "' stands here twice");
      else
        axes.push_back(axis);
    }
    if (!orders_.emplace(o.tensor.text, axes).second)
      errors_.error(Diag::BadLayout, o.tensor.range,
                    "'" + o.tensor.text + "' is given an order twice");
  }

  static std::string listed(const Axes& axes) {
    std::string text;
    for (const std::string& axis : axes) text += (text.empty() ? "" : ", ") + axis;
    return text;
  }
  Axes present(const Axes& axes) const {
    Axes result;
    for (const std::string& axis : axes)
      if (present_.count(axis)) result.push_back(axis);
    return result;
  }

  // ---- What the axes that are left out leave without a meaning ----

  void findLeftOut() {
    std::set<std::string> keptSizes, keptIterators;
    for (const auto* parameters : {&def_.inputs, &def_.outputs})
      for (const Parameter& p : *parameters) sort(p.name, p.axes, p.shape, keptSizes, ones_);
    for (const Statement& s : def_.statements) {
      if (s.local) sort(s.local->name, s.local->axes, s.local->shape, keptSizes, ones_);
      auto look = [&](const Expr& e) {
        if (isAccess(e)) sort(e.name, e.axes, e.args, keptIterators, zeros_);
      };
      for (const ExprPtr& e : s.comprehension.lhs) forEachExpr(*e, look);
      for (const ExprPtr& e : s.comprehension.rhs) forEachExpr(*e, look);
      for (const ExprPtr& e : s.comprehension.where) forEachExpr(*e, look);
    }
    for (const std::string& size : keptSizes) ones_.erase(size);
    for (const std::string& iterator : keptIterators) zeros_.erase(iterator);
    for (const std::string& size : ones_) zeros_.erase(size);
    for (const std::string& size : keptSizes) zeros_.erase(size);
    for (const AttributeDecl& a : def_.attributes) zeros_.erase(a.name.text);
    for (const Parameter& p : def_.inputs) zeros_.erase(p.name.text);
  }

  bool isAccess(const Expr& e) const {
    return e.kind == ExprKind::Apply && tensors_.count(e.name.text);
  }

  // The names in a tensor's sizes or indices: those of axes it has, and the others.
  void sort(const Name& tensor, const std::optional<std::vector<Name>>& axes,
            const std::vector<ExprPtr>& exprs, std::set<std::string>& kept,
            std::set<std::string>& dropped) const {
    auto order = orders_.find(tensor.text);
    for (size_t i = 0; i < exprs.size(); ++i) {
      bool keeps =
          !axes || order == orders_.end() || llvm::is_contained(order->second, (*axes)[i].text);
      collectNames(*exprs[i], keeps ? kept : dropped);
    }
  }

  // ---- The def ----

  Def header() const {
    Def result;
    result.name = layout_ ? layout_->name : def_.name;
    result.range = def_.range;
    result.odsName = def_.odsName;
    result.interfaces = def_.interfaces;
    result.libraryCall = def_.libraryCall;
    result.typeParameters = def_.typeParameters;
    result.doc = def_.doc;
    result.broken = def_.broken;
    result.partial = def_.partial;
    return result;
  }

  Parameter parameter(const Parameter& p) {
    Parameter result{p.name, p.type, p.isScalar, {}, std::nullopt};
    result.shape = dimensions(p.name, p.axes, p.shape);
    return result;
  }

  void attribute(const AttributeDecl& a, Def& result) {
    AttributeDecl copy{a.name, a.type, a.shape, a.list, a.optional, std::nullopt, {}, {}};
    copy.defaultRange = a.defaultRange;
    if (a.axes) {
      const Axes& kept = kept_[a.name.text];
      if (kept.empty()) return;
      copy.shape = {static_cast<int64_t>(kept.size())};
      size_t given = a.defaults.size();
      if (given > 1 && given != a.axes->size()) {
        errors_.error(Diag::AttributeDefault, a.defaultRange,
                      "'" + a.name.text + "' has " + std::to_string(a.axes->size()) +
                          " axes; expected that many defaults, or one for all");
        return;
      }
      for (size_t i = 0; i < a.axes->size() && given; ++i)
        if (llvm::is_contained(kept, (*a.axes)[i].text))
          copy.defaults.push_back(clone(*a.defaults[given == 1 ? 0 : i]));
    } else {
      for (const ExprPtr& value : a.defaults) copy.defaults.push_back(clone(*value));
    }
    result.attributes.push_back(std::move(copy));
  }

  Statement statement(const Statement& s) {
    Statement result;
    if (s.local) result.local = parameter(*s.local);
    const Comprehension& c = s.comprehension;
    Comprehension& copy = result.comprehension;
    copy.assign = c.assign;
    copy.initialise = c.initialise;
    copy.range = c.range;
    for (const ExprPtr& e : c.lhs) copy.lhs.push_back(clone(*e));
    for (const ExprPtr& e : c.rhs) copy.rhs.push_back(clone(*e));
    for (const ExprPtr& e : c.where) copy.where.push_back(clone(*e));
    return result;
  }

  // The sizes or indices of the axes that a tensor has, in its order.
  std::vector<ExprPtr> dimensions(const Name& tensor, const std::optional<std::vector<Name>>& axes,
                                  const std::vector<ExprPtr>& exprs) {
    std::vector<ExprPtr> result;
    if (!axes) {
      for (const ExprPtr& expr : exprs) result.push_back(clone(*expr));
      return result;
    }
    for (const std::string& axis : orders_.at(tensor.text))
      for (size_t i = 0; i < axes->size(); ++i)
        if ((*axes)[i].text == axis) result.push_back(clone(*exprs[i]));
    return result;
  }

  ExprPtr number(const Expr& at, const char* value) const {
    auto result = std::make_unique<Expr>();
    result->kind = ExprKind::Number;
    result->name = {value, at.name.range};
    result->range = at.range;
    return result;
  }

  // A copy of the expression, without axes.
  ExprPtr clone(const Expr& e) {
    if (e.kind == ExprKind::Name && ones_.count(e.name.text)) return number(e, "1");
    if (e.kind == ExprKind::Name && zeros_.count(e.name.text)) return number(e, "0");
    if (e.axes && attributes_.count(e.name.text)) return element(e);
    auto result = std::make_unique<Expr>();
    result->kind = e.kind;
    result->name = e.name;
    result->range = e.range;
    result->height = e.height;
    if (e.angle) {
      result->angle.emplace();
      for (const Name& name : *e.angle)
        if (!zeros_.count(name.text)) result->angle->push_back(name);
    }
    if (e.kind == ExprKind::Apply ? checkAccess(e) : true)
      result->args = dimensions(e.name, e.axes, e.args);
    if (e.pad) result->pad = clone(*e.pad);
    return result;
  }

  // Whether an access names the axes of its tensor, each once.
  bool checkAccess(const Expr& e) {
    auto declared = declared_.find(e.name.text);
    bool named = declared != declared_.end();
    if (!e.axes) {
      if (named)
        errors_.error(Diag::AxesWanted, e.range,
                      "'" + e.name.text + "' has the axes " + listed(declared->second) +
                          "; expected " + e.name.text + "{...}");
      return !named;
    }
    if (!named) {
      errors_.error(Diag::AxesWanted, e.name.range,
                    "'" + e.name.text +
                        "' is declared without axes; expected a declaration such as " +
                        e.name.text + ": f32{n: N}, or indices in ( )");
      return false;
    }
    size_t before = errors_.errorCount();
    checkAxes(*e.axes);
    for (const Name& axis : *e.axes)
      if (!llvm::is_contained(declared->second, axis.text))
        errors_.error(Diag::BadAxis, axis.range,
                      "'" + e.name.text + "' has no axis '" + axis.text + "'; it has " +
                          listed(declared->second));
    for (const std::string& axis : declared->second)
      if (!llvm::is_contained(textsOf(*e.axes), axis))
        errors_.error(Diag::AxesWanted, e.range,
                      "axis '" + axis + "' of '" + e.name.text + "' has no index here");
    return errors_.errorCount() == before;
  }

  // strides{h}
  ExprPtr element(const Expr& e) {
    const Axes& all = attributes_[e.name.text];
    const Axes& kept = kept_[e.name.text];
    auto result = std::make_unique<Expr>();
    result->kind = ExprKind::Element;
    result->name = e.name;
    result->range = e.range;
    result->height = 2;
    std::string axis = e.axes->size() == 1 ? e.axes->front().text : "";
    auto at = std::find(kept.begin(), kept.end(), axis);
    if (!llvm::is_contained(all, axis))
      errors_.error(Diag::BadAxis, e.range,
                    "expected one axis of '" + e.name.text + "', " + listed(all));
    else if (at == kept.end())
      errors_.error(Diag::BadAxis, e.range,
                    "no tensor of '" + (layout_ ? layout_->name : def_.name).text +
                        "' has an axis '" + axis + "'");
    else
      result->args.push_back(number(e, std::to_string(at - kept.begin()).c_str()));
    return result;
  }

  const Def& def_;
  const Layout* layout_;
  Diagnostics& errors_;
  std::set<std::string> tensors_;
  std::map<std::string, Axes> declared_, orders_;  // of tensors
  std::map<std::string, Axes> attributes_, kept_;  // of attributes: declared, and those present
  std::set<std::string> present_;                  // in any order
  std::set<std::string> ones_, zeros_;             // sizes and iterators that are left out
};

void expandDef(Def def, Spec& result, Diagnostics& errors) {
  if (def.broken || !usesAxes(def)) {
    result.defs.push_back(std::move(def));
    return;
  }
  size_t length = def.range.end - def.range.begin;
  if (length * std::max<size_t>(def.layouts.size(), 1) > kMaxLayoutText) {
    errors.error(Diag::TooLarge, def.name.range,
                 "too long for " + std::to_string(def.layouts.size()) +
                     " layouts: together they may be " + std::to_string(kMaxLayoutText >> 20) +
                     " MiB of text");
    return;
  }
  if (def.odsName && def.layouts.size() > 1)
    errors.error(Diag::BadLayout, def.odsName->range,
                 "one class name for " + std::to_string(def.layouts.size()) +
                     " defs; a def with several layouts has no 'ods_def'");
  if (def.libraryCall && !def.libraryCall->text.empty() && def.layouts.size() > 1)
    errors.error(
        Diag::BadLayout, def.libraryCall->range,
        "one function for " + std::to_string(def.layouts.size()) +
            " defs; with several layouts write 'library_call<>', which names one for each");
  if (def.layouts.empty()) {
    if (auto expanded = Expansion(def, nullptr, errors).run())
      result.defs.push_back(std::move(*expanded));
    return;
  }
  for (const Layout& layout : def.layouts) {
    auto expanded = Expansion(def, &layout, errors).run();
    if (!expanded) return;  // the other layouts would repeat the error
    result.defs.push_back(std::move(*expanded));
  }
}

}  // namespace

Spec expandLayouts(Spec spec, Diagnostics& errors) {
  Spec result;
  result.combiners = std::move(spec.combiners);
  for (Def& def : spec.defs) expandDef(std::move(def), result, errors);
  return result;
}

}  // namespace einc::frontend
