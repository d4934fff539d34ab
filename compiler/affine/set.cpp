// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/affine/set.h"

#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/ctx.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

#include <algorithm>
#include <cstdlib>

namespace einc::affine {
namespace {

// isl counts its steps; a question that takes more stays without an answer (0.1 to 2 s, by the
// set).
constexpr unsigned long kMaxOperations = 30'000;

// isl's memory, and the names: isl sees n0, n1, ..., so that any name will do.
class Context {
 public:
  Context() : ctx_(isl_ctx_alloc()) {
    isl_options_set_on_error(ctx_, ISL_ON_ERROR_CONTINUE);
    isl_ctx_set_max_operations(ctx_, kMaxOperations);
  }
  static Context& get() {
    // Never freed: sets that live in static storage may outlast it.
    thread_local auto* context = new Context;
    return *context;
  }
  // Each question has the whole allowance.
  isl_ctx* begin() {
    isl_ctx_reset_operations(ctx_);
    isl_ctx_reset_error(ctx_);
    return ctx_;
  }
  std::string encode(const std::string& name) {
    auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) found = names_.insert(found, name);
    return "n" + std::to_string(found - names_.begin());
  }
  const std::string& decode(const char* encoded) const {
    return names_[static_cast<size_t>(std::atoll(encoded + 1))];
  }

 private:
  isl_ctx* ctx_;
  std::vector<std::string> names_;
};

// ---- Expressions to isl's notation ----

bool appendExpr(const Expr& expr, std::string& text);

bool appendDivision(const Atom& atom, std::string& text) {
  auto divisor = atom.div->divisor.asConstant();
  if (!divisor || *divisor <= 0) return false;
  bool isMod = atom.kind == Atom::Kind::Mod;
  text += isMod ? "((" : "floor((";
  if (!appendExpr(atom.div->dividend, text)) return false;
  text += (isMod ? ") mod " : ")/") + std::to_string(*divisor) + ")";
  return true;
}

// False if the expression is not affine, divisors being constants.
bool appendExpr(const Expr& expr, std::string& text) {
  if (expr.overflowed()) return false;
  text += "0";
  for (const Term& term : expr.terms()) {
    if (term.factors.size() > 1) return false;
    std::string coefficient = std::to_string(term.coefficient);
    text += term.coefficient < 0 ? " - " + coefficient.substr(1) : " + " + coefficient;
    if (term.factors.empty()) continue;
    text += " * ";
    const Atom& atom = term.factors.front();
    if (atom.div) {
      if (!appendDivision(atom, text)) return false;
    } else {
      text += Context::get().encode(atom.name);
    }
  }
  return true;
}

void collectNames(const Expr& expr, std::vector<std::string>& names) {
  for (const auto& list : {expr.iterators(), expr.symbols()})
    for (const std::string& name : list)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? "" : ", ") + Context::get().encode(name);
  return text;
}

// isl's own notation with our names.
std::string withNames(const std::string& text) {
  std::string result;
  for (size_t i = 0; i < text.size();) {
    bool isName = text[i] == 'n' && i + 1 < text.size() && isdigit(text[i + 1]) &&
                  (i == 0 || !isalpha(text[i - 1]));
    if (isName && i > 0 && isdigit(text[i - 1])) result += " * ";
    result += isName ? Context::get().decode(&text[i]) : std::string(1, text[i]);
    ++i;
    while (isName && i < text.size() && isdigit(text[i])) ++i;
  }
  return result;
}

// The conditions in "[N] -> { [i = 0, j] : A; [i, j] : B }": "i = 0 and A, or B".
std::string conditionsOf(const std::string& text) {
  std::string result;
  size_t begin = text.find("{ "), end = text.rfind(" }");
  while (begin != std::string::npos && begin < end) {
    size_t tuple = text.find('[', begin), colon = text.find("] : ", begin);
    size_t next = std::min(text.find("; [", begin), end);
    size_t close = text.find(']', tuple);
    std::string part;
    for (size_t at = tuple + 1; at < close;) {  // "i = 0" among the dimensions
      size_t comma = std::min(text.find(", ", at), close);
      std::string dim = text.substr(at, comma - at);
      if (dim.find(" = ") != std::string::npos) part += (part.empty() ? "" : " and ") + dim;
      at = comma + 2;
    }
    if (colon != std::string::npos && colon < next)
      part += (part.empty() ? "" : " and ") + text.substr(colon + 4, next - colon - 4);
    result += (result.empty() ? "" : ", or ") + (part.empty() ? "always" : part);
    begin = next == end ? std::string::npos : next + 1;
  }
  return result;
}

// ---- isl's constraints to expressions ----

struct Reader {
  std::vector<std::string> parts;  // of a union
  bool good = true;
};

std::optional<int64_t> take(isl_val* value) {
  std::optional<int64_t> result;
  if (value && isl_val_is_int(value) && isl_val_cmp_si(value, INT64_MAX / 2) < 0 &&
      isl_val_cmp_si(value, INT64_MIN / 2) > 0)
    result = isl_val_get_num_si(value);
  isl_val_free(value);
  return result;
}

// The left side of `expr >= 0` or `expr == 0`; nothing if it has divisions.
std::optional<Expr> readConstraint(isl_constraint* constraint) {
  if (isl_constraint_dim(constraint, isl_dim_div) != 0) return std::nullopt;
  auto constant = take(isl_constraint_get_constant_val(constraint));
  if (!constant) return std::nullopt;
  Expr expr = Expr::constant(*constant);
  for (isl_dim_type type : {isl_dim_set, isl_dim_param})
    for (int i = 0; i < isl_constraint_dim(constraint, type); ++i) {
      auto coefficient = take(isl_constraint_get_coefficient_val(constraint, type, i));
      if (!coefficient) return std::nullopt;
      const char* name = isl_constraint_get_dim_name(constraint, type, static_cast<unsigned>(i));
      if (*coefficient == 0) continue;
      if (!name) return std::nullopt;
      expr = expr + Expr::constant(*coefficient) * Expr::symbol(Context::get().decode(name));
    }
  return expr;
}

// "W >= OW + KW - 1": what is added stands left, what is subtracted right, with the constant.
std::string comparison(const Expr& expr, bool isEquality) {
  Expr left, right;
  for (const Term& term : expr.terms()) {
    Expr value = Expr::constant(term.coefficient);
    for (const Atom& atom : term.factors) value = value * Expr::symbol(atom.name);
    if (term.factors.empty() || term.coefficient < 0)
      right = right - value;
    else
      left = left + value;
  }
  if (!left.isZero()) return left.str() + (isEquality ? " = " : " >= ") + right.str();
  Expr constant;
  for (const Term& term : right.terms())
    if (term.factors.empty()) constant = Expr::constant(term.coefficient);
  return (right - constant).str() + (isEquality ? " = " : " <= ") + (-constant).str();
}

isl_stat readPart(isl_basic_set* part, void* user) {
  auto& reader = *static_cast<Reader*>(user);
  struct Conjunction {
    std::string text;
    bool good = true;
  } conjunction;
  isl_basic_set_foreach_constraint(
      part,
      [](isl_constraint* constraint, void* inner) {
        auto& c = *static_cast<Conjunction*>(inner);
        auto expr = readConstraint(constraint);
        c.good &= expr.has_value();
        if (expr)
          c.text += (c.text.empty() ? "" : " and ") +
                    comparison(*expr, isl_constraint_is_equality(constraint));
        isl_constraint_free(constraint);
        return isl_stat_ok;
      },
      &conjunction);
  isl_basic_set_free(part);
  reader.good &= conjunction.good;
  reader.parts.push_back(conjunction.text.empty() ? "always" : conjunction.text);
  return isl_stat_ok;
}

}  // namespace

bool isPresburger(const Expr& expr) {
  std::string text;
  return appendExpr(expr, text);
}

Set::Set(isl_set* set) {
  if (set) set_ = std::shared_ptr<isl_set>(set, isl_set_free);
}

Set::Set(const std::vector<std::string>& dims, const std::vector<Constraint>& constraints) {
  std::vector<std::string> names;
  std::string conditions;
  for (const Constraint& constraint : constraints) {
    collectNames(constraint.expr, names);
    conditions += conditions.empty() ? " : " : " and ";
    if (!appendExpr(constraint.expr, conditions)) return;
    conditions += constraint.isEquality ? " = 0" : " >= 0";
  }
  std::erase_if(names, [&](const std::string& name) {
    return std::find(dims.begin(), dims.end(), name) != dims.end();
  });
  std::string text = "[" + listed(names) + "] -> { [" + listed(dims) + "]" + conditions + " }";
  *this = Set(isl_set_read_from_str(Context::get().begin(), text.c_str()));
}

Set Set::operator&(const Set& other) const {
  if (!set_ || !other.set_) return Set(nullptr);
  Context::get().begin();
  return Set(isl_set_intersect(isl_set_copy(set_.get()), isl_set_copy(other.set_.get())));
}

Set Set::operator|(const Set& other) const {
  if (!set_ || !other.set_) return Set(nullptr);
  Context::get().begin();
  return Set(isl_set_union(isl_set_copy(set_.get()), isl_set_copy(other.set_.get())));
}

Set Set::operator-(const Set& other) const {
  if (!set_ || !other.set_) return Set(nullptr);
  Context::get().begin();
  return Set(isl_set_subtract(isl_set_copy(set_.get()), isl_set_copy(other.set_.get())));
}

Set Set::project(size_t count) const {
  if (!set_) return Set(nullptr);
  Context::get().begin();
  auto dims = isl_set_dim(set_.get(), isl_dim_set);
  if (dims < 0) return Set(nullptr);
  return Set(isl_set_coalesce(
      isl_set_project_out(isl_set_copy(set_.get()), isl_dim_set, static_cast<unsigned>(count),
                          static_cast<unsigned>(dims) - static_cast<unsigned>(count))));
}

Set Set::parametersWithout() const {
  Set with = project(0);
  if (!with.set_) return with;
  return Set(isl_set_coalesce(isl_set_complement(isl_set_copy(with.set_.get()))));
}

Set Set::given(const Set& context) const {
  if (!set_ || !context.set_) return Set(nullptr);
  Context::get().begin();
  isl_set *mine = isl_set_copy(set_.get()), *theirs = isl_set_copy(context.set_.get());
  isl_set* gist = isl_set_dim(theirs, isl_dim_set) == 0
                      ? isl_set_gist_params(mine, isl_set_params(theirs))
                      : isl_set_gist(mine, theirs);
  return Set(isl_set_coalesce(gist));
}

std::optional<bool> Set::isEmpty() const {
  if (!set_) return std::nullopt;
  Context::get().begin();
  isl_bool empty = isl_set_is_empty(set_.get());
  if (empty == isl_bool_error) return std::nullopt;
  return empty == isl_bool_true;
}

std::optional<bool> Set::isUniverse() const {
  if (!set_) return std::nullopt;
  Context::get().begin();
  isl_bool plain = isl_set_plain_is_universe(set_.get());
  if (plain == isl_bool_true) return true;
  isl_set* rest = isl_set_complement(isl_set_copy(set_.get()));
  isl_bool empty = isl_set_is_empty(rest);
  isl_set_free(rest);
  if (empty == isl_bool_error) return std::nullopt;
  return empty == isl_bool_true;
}

namespace {

// The one affine expression that bounds a dimension, from the text-free form that isl has for it.
std::optional<Expr> readBound(isl_pw_aff* bound) {
  std::optional<Expr> result;
  isl_pw_aff* simple = isl_pw_aff_coalesce(bound);
  if (simple && isl_pw_aff_n_piece(simple) == 1) {
    struct Found {
      std::optional<Expr> expr;
    } found;
    isl_pw_aff_foreach_piece(
        simple,
        [](isl_set* domain, isl_aff* aff, void* user) {
          isl_set_free(domain);
          auto constant = take(isl_aff_get_constant_val(aff));
          bool plain = constant && isl_aff_dim(aff, isl_dim_div) == 0;
          Expr expr = Expr::constant(constant.value_or(0));
          for (int i = 0; plain && i < isl_aff_dim(aff, isl_dim_param); ++i) {
            auto coefficient = take(isl_aff_get_coefficient_val(aff, isl_dim_param, i));
            const char* name = isl_aff_get_dim_name(aff, isl_dim_param, static_cast<unsigned>(i));
            plain = coefficient && name;
            if (plain)
              expr =
                  expr + Expr::constant(*coefficient) * Expr::symbol(Context::get().decode(name));
          }
          isl_aff_free(aff);
          if (plain) static_cast<Found*>(user)->expr = expr;
          return isl_stat_ok;
        },
        &found);
    result = found.expr;
  }
  isl_pw_aff_free(simple);
  return result;
}

}  // namespace

std::optional<std::vector<Set::Range>> Set::asBox() const {
  if (!set_ || isEmpty().value_or(true)) return std::nullopt;
  Context::get().begin();
  std::vector<Range> ranges;
  std::vector<std::string> names;
  std::vector<Constraint> constraints;
  for (int i = 0; i < isl_set_dim(set_.get(), isl_dim_set); ++i) {
    auto low = readBound(isl_set_dim_min(isl_set_copy(set_.get()), i));
    auto high = readBound(isl_set_dim_max(isl_set_copy(set_.get()), i));
    if (!low || !high) return std::nullopt;
    ranges.push_back({*low, *high + Expr::constant(1)});
    names.push_back("dimension " + std::to_string(i));
    Expr at = Expr::symbol(names.back());
    constraints.push_back({at - *low});
    constraints.push_back({*high - at});
  }
  // The bounds hold for the set's parameters only, so the box is compared for those.
  Set box = Set(names, constraints);
  isl_set* cut = isl_set_intersect_params(isl_set_copy(box.set_.get()),
                                          isl_set_params(isl_set_copy(set_.get())));
  isl_bool same = isl_set_is_equal(cut, set_.get());
  isl_set_free(cut);
  if (same != isl_bool_true) return std::nullopt;
  return ranges;
}

Set::Point Set::sample() const {
  Point result;
  if (!set_ || isEmpty().value_or(true)) return result;
  Context::get().begin();
  isl_point* point = isl_set_sample_point(isl_set_copy(set_.get()));
  auto read = [&](isl_dim_type type, auto& values) {
    auto dims = isl_set_dim(set_.get(), type);
    for (int i = 0; point && i < dims; ++i) {
      auto value = take(isl_point_get_coordinate_val(point, type, i));
      const char* name = isl_set_get_dim_name(set_.get(), type, static_cast<unsigned>(i));
      if (value && name) values.emplace_back(Context::get().decode(name), *value);
    }
  };
  read(isl_dim_param, result.parameters);
  read(isl_dim_set, result.dims);
  isl_point_free(point);
  return result;
}

std::string str(const std::vector<std::pair<std::string, int64_t>>& values) {
  std::string text;
  for (const auto& [name, value] : values)
    text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(value);
  return text;
}

std::string Set::str() const {
  if (!set_) return "unknown";
  Context::get().begin();
  Reader reader;
  isl_set_foreach_basic_set(set_.get(), readPart, &reader);
  if (reader.parts.empty()) return "never";
  if (reader.good) {
    std::string text;
    for (const std::string& part : reader.parts) text += (text.empty() ? "" : ", or ") + part;
    return text;
  }
  char* raw = isl_set_to_str(set_.get());
  std::string text = raw ? raw : "";
  std::free(raw);
  return withNames(conditionsOf(text));
}

}  // namespace einc::affine
