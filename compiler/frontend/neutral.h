// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The neutral element e of a combiner, combine(e, x) = x for every x: found by proof, or refuted by
// trial; and trials of the laws that a reduction relies on.
//
// What counts as equal. A float may differ in the sign of a zero: a sum begins at +0 although only
// -0 + x is x for x = -0. A proof covers NaN: a combiner whose comparisons drop NaN has no
// neutral element that can be proved, as NaN comes out of combine(e, NaN) as something else.
// A trial leaves NaN out (dropping it may be meant), and takes infinities and the ends of the type
// only where there is one output, as of several outputs not all values go together.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"

namespace einc::frontend {

// A combiner on given types: its results over operands 0 .. n-1, what was accumulated, and
// n .. 2n-1, what is added. n is the number of types.
struct Combination {
  std::vector<ir::ScalarType> types;
  std::vector<ir::ValueRef> results;
};

using Numbers = std::vector<ir::Number>;  // one of each type

// By proof, among 0, 1, the ends of the types (infinities for floats) and -1. At most three
// outputs; nothing also where the proof would be long.
std::optional<Numbers> deriveNeutral(const Combination& combination);

// "combine(0, 5) = 10", where that should be 5; nothing if no trial fails.
std::optional<std::string> refuteNeutral(const Combination& combination, const Numbers& neutral);

// "not commutative: combine(5, 2) = 3, combine(2, 5) = -3"; nothing if no trial fails.
std::optional<std::string> refuteLaws(const Combination& combination);

// Whether the laws hold for all that is tried for a neutral element, too: a sum that saturates is
// associative for small numbers only. Of several outputs as refuteLaws.
bool keepsLawsAtEnds(const Combination& combination);

// The value of an expression without operands; nothing if it has some.
std::optional<ir::Number> constantValue(const ir::ValueRef& value);

// The value with its constant parts computed where that is exact, so on every machine the same.
ir::ValueRef foldConstants(const ir::ValueRef& value);

// ---- Trials ----

// The value of an expression whose operands, indices and attributes have the values that `leaf`
// gives; nothing if one has none.
using LeafValue = std::function<std::optional<ir::Number>(const ir::Value&)>;
std::optional<ir::Number> evaluate(const ir::Value& value, const LeafValue& leaf);
// An integer in any type; bools are its last bit.
ir::Number numberOf(ir::ScalarType type, int value);
// Small numbers to try, all different.
Numbers ordinary(ir::ScalarType type);
// Equal up to the sign of zero and roundings: roughly, in half of the digits.
bool areClose(const std::vector<ir::ScalarType>& types, const Numbers& a, const Numbers& b,
              bool roughly);
// "5", "(5, 2)"
std::string numbersText(const std::vector<ir::ScalarType>& types, const Numbers& numbers);

}  // namespace einc::frontend
