// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/conversion.h"

namespace einc::ir {
namespace {

struct Row {
  std::string_view name;
  target::Features features;
  std::string_view hidden, meaning;
};

using enum target::Feature;

constexpr Row kRows[] = {
#define EINC_CONVERSION(name, features, hidden, meaning) {name, features, hidden, meaning},
#include "compiler/target/instructions.def"
};

struct TextRow {
  std::string_view name;
  Instruction::Text text;
};

constexpr TextRow kTexts[] = {
#define EINC_CONVERSION_C(name, lanes, clang, gcc) {name, {lanes, clang, gcc}},
#include "compiler/target/instructions.def"
};

Conversion conversionOf(const Row& row) {
  const Kernel kernel = kernelOfRow(row.meaning);
  Conversion result;
  result.name = row.name;
  result.features = row.features;
  result.hidden = row.hidden;
  result.from = kernel.tensors.at(0).type;
  result.to = kernel.tensors.at(1).type;
  result.meaning = std::get<StructuredOp>(kernel.body.at(0).node).results.at(0);
  for (const TextRow& text : kTexts)
    if (text.name == row.name) result.texts.push_back(text.text);
  return result;
}

}  // namespace

const Instruction::Text* Conversion::textOf(int64_t lanes) const {
  const Instruction::Text* more = textOfMore(lanes);
  return more && more->lanes == lanes ? more : nullptr;
}

const Instruction::Text* Conversion::textOfMore(int64_t lanes) const {
  const Instruction::Text* least = nullptr;
  for (const Instruction::Text& text : texts)
    if (text.lanes >= lanes && (!least || text.lanes < least->lanes)) least = &text;
  return least;
}

const std::vector<Conversion>& allConversions() {
  static const std::vector<Conversion> table = [] {
    std::vector<Conversion> rows;
    for (const Row& row : kRows) rows.push_back(conversionOf(row));
    return rows;
  }();
  return table;
}

const Conversion* findConversion(ScalarType from, ScalarType to, target::Features features) {
  const ValueRef cast = makeCast(to, makeValue(from, OperandRef{0}));
  for (const Conversion& row : allConversions())
    if (features.hasAny(row.features) && equal(row.meaning, cast)) return &row;
  return nullptr;
}

}  // namespace einc::ir
