// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   pack B (n: 48) along k as p for vpdpbusd
//
// What 'pack' does for an instruction (strategy/instructions.h): whether it can, and what is taken from sums, where an input is moved.
#pragma once

#include <optional>
#include <string>

#include "compiler/strategy/plan/verbs/place.h"

namespace einc::strategy {

// How the op is that instruction's, or why it is not.
Result<Instructed> instructedBy(const Work& work, const At& here, const std::string& instruction);

// How the op is the instruction's of the step; nothing without one. Or why an input is not packed for it.
Result<std::optional<Instructed>> wordsAskedFor(const Work& work, const At& here,
                                                const PackStep& step);

// Whether the spec reads nothing outside of the input along an iterator of its own: neighbours along it are all
// there, or, where other indices are outside, none.
bool areWordsInside(const Work& work, const At& here, size_t input, const std::string& along);

// Sums of the elements of each panel of the input, if the other input is moved: code behind that which packs
// it. Their memory goes to `packed`.
void sumMoved(const Work& work, const At& here, size_t input, Packed& packed, ir::Block& block);

// What the panel at hand takes from sums.
void readMoved(const Work& work, At& here, const Packed& packed, ir::Block& block);

// The op reads the words of `here.words` where they are, by a view that goes to `block`, and those of the
// other input's panel, which is at hand.
void readWords(const Work& work, At& here, ir::Block& block);

// A view, which goes to `block`, with `across` and `along` as its last dimension, which is called after the first.
ir::Operand lineOfWords(const Work& work, const At& here, const WordsInLine& words,
                        ir::Block& block);

// Whether words of the input along the iterator are known to follow one another, as it is here.
bool isLine(const At& here, size_t input, const std::string& along);

// The same of both inputs: of the second one by lines of them, as a test has asked, or along the words' own iterator.
void readBothWords(const Work& work, At& here, const InWords& second, ir::Block& block);

// Why an input of which sums are taken is not read so.
std::string summedText();

// The payload on words: their products are added.
void onWords(ir::StructuredOp& op, const Instructed& by);

}  // namespace einc::strategy
