// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The text of a verb, said once: its `describe` tells a Syntax the words and fields in their order. The
// printer and the parser are kinds of Syntax (text.h). So are those that look for the lists of steps in
// a step, and for names of iterators (steps.h).
//
//   tile m by 64 on threads (131072)       void describe(Syntax& text) {
//                                            text.iterator(iterator).word("by").number(by);
//                                            if (text.option("on", threads))
//                                              text.word("threads").word("(").integer(*threads).word(")");
//                                          }
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/affine/expr.h"
#include "compiler/ir/ir.h"

namespace einc::strategy {

struct Step;
using Steps = std::vector<Step>;
bool operator==(const Steps& a, const Steps& b);

// Who does a step: verbs/place.h.
class Work;
struct At;

// An operand, by the tensor that it is in the spec; of several by the number among them.
struct OperandName {
  std::string tensor;
  unsigned use = 0;
  bool operator==(const OperandName&) const = default;
  std::string str() const;  // "A", "A[1]"
};

// This one looks at nothing. Only the parser fills fields in; for all others the step stays as it is.
class Syntax {
 public:
  Syntax() = default;
  Syntax(const Syntax&) = delete;
  Syntax& operator=(const Syntax&) = delete;
  virtual ~Syntax() = default;

  virtual bool fills() const { return false; }

  // ---- What stands there always ----

  // A word, or one of ( ) , : =
  virtual Syntax& word(const char* /*word*/) { return *this; }
  // Of the op, and of what the step makes.
  virtual Syntax& iterator(std::string& /*name*/) { return *this; }
  virtual Syntax& name(std::string& /*name*/) { return *this; }
  // An index expression of IR text, with "ceildiv", too. Names are iterators (how many positions each
  // has there), names of "let", sizes and attributes.
  virtual Syntax& number(affine::Expr& /*number*/) { return *this; }
  virtual Syntax& integer(int64_t& /*number*/) { return *this; }
  // A, A[1]
  virtual Syntax& operand(OperandName& /*operand*/) { return *this; }
  virtual Syntax& type(ir::ScalarType& /*type*/) { return *this; }
  // Steps in braces, behind the line or behind a word. Such lists are the last of all. One that is
  // optional is not written if it is empty.
  virtual Syntax& steps(const std::string& /*word*/, Steps& /*list*/, bool /*isOptional*/) {
    return *this;
  }
  Syntax& steps(Steps& list) { return steps("", list, false); }
  Syntax& steps(const std::string& word, Steps& list) { return steps(word, list, false); }
  Syntax& optionalSteps(const std::string& word, Steps& list) { return steps(word, list, true); }

  // ---- What may stand there ----

  // Whether what begins with this word does. Then its fields follow.
  virtual bool option(const char* /*word*/, bool isThere) { return isThere; }
  // The same where the word could be a name, and the one behind it tells that it is none.
  virtual bool optionBefore(const char* /*word*/, const char* /*next*/, bool isThere) {
    return isThere;
  }
  // The same where nothing belongs to the word.
  virtual bool alone(const char* /*word*/, bool isThere) { return isThere; }
  // Which stands there of "==", "<" and "<=".
  virtual unsigned comparison(unsigned which) { return which; }
  // "left of NAME { ... }" for some of these, in any order.
  virtual Syntax& leftOf(const std::vector<std::pair<std::string, Steps*>>& lists);

  template <typename T>
  bool option(const char* word, std::optional<T>& value) {
    return given(option(word, value.has_value()), value);
  }
  template <typename T>
  bool optionBefore(const char* word, const char* next, std::optional<T>& value) {
    return given(optionBefore(word, next, value.has_value()), value);
  }
  // Nothing but a word, or two.
  Syntax& flag(const char* word, bool& value, const char* next = nullptr) {
    const bool isThere = option(word, value);
    if (fills()) value = isThere;
    return isThere && next ? this->word(next) : *this;
  }

  // ---- Several ----

  template <typename T, typename Item>
  Syntax& each(std::vector<T>& items, Item&& item, const char* between = ",") {
    if (items.empty() && !fills()) return *this;
    size_t i = 0;
    do {
      if (i == items.size()) items.emplace_back();
      item(items[i++]);
    } while (option(between, i < items.size()));
    return *this;
  }
  // In parentheses, where there may be none.
  template <typename T, typename Item>
  Syntax& list(std::vector<T>& items, Item&& item) {
    word("(");
    if (option(")", items.empty())) return *this;
    return each(items, item).word(")");
  }
  Syntax& iterators(std::vector<std::string>& names) {
    return each(names, [this](std::string& name) { iterator(name); });
  }

  // ---- What several verbs have ----

  Syntax& axis(ir::Axis& axis) { return iterator(axis.name).word(":").integer(axis.size); }
  Syntax& axes(std::vector<ir::Axis>& axes) {
    return list(axes, [this](ir::Axis& one) { axis(one); });
  }
  Syntax& ahead(std::optional<ir::Ahead>& ahead) {
    if (option("ahead", ahead)) {
      iterator(ahead->iterator).integer(ahead->distance);
      ahead->far = option("far", ahead->far);
    }
    return *this;
  }
  Syntax& own(std::optional<ir::Ahead>& own) {
    if (option("own", own)) iterator(own->iterator).integer(own->distance);
    return *this;
  }
  Syntax& pieces(int64_t& piece) {
    if (option("in", piece > 1)) word("pieces").word("of").integer(piece);
    return *this;
  }

 private:
  template <typename T>
  static bool given(bool isThere, std::optional<T>& value) {
    if (isThere && !value) value.emplace();
    return isThere;
  }
};

}  // namespace einc::strategy
