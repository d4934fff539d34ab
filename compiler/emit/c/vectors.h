// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Values that have an axis as C expressions on vectors. A vector of f16, bf16 or f8 values is one of
// floats, one of i4 values is one of i8, one of bools is a mask: integers as wide as what was compared, all bits or none. What no
// vector instruction computes as the spec defines it is computed lane by lane.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/emit/c/prelude.h"
#include "compiler/emit/c/values.h"
#include "compiler/emit/text/chunks.h"
#include "compiler/ir/conversion.h"
#include "compiler/target/features.h"

namespace einc::emit {

// The functions and types on vectors that one target's code needs; their names begin with "einc_",
// or "einc_v4_" if there are several targets in the file.
class VectorPrelude {
 public:
  // fuses: in functions.h products that are added are rounded once. features: of the target.
  VectorPrelude(std::string suffix, const std::vector<std::string_view>& files, bool fuses,
                target::Features features)
      : suffix_(std::move(suffix)),
        files_(files.begin(), files.end()),
        fuses_(fuses),
        features_(features) {}

  std::string need(const std::string& chunk);
  bool has(const std::string& chunk) const { return find(chunk) != nullptr; }
  // A function that is made here: `text` has its whole definition.
  std::string add(const std::string& name, const std::vector<std::string>& needs,
                  const std::string& text);
  // A function of mathematics for one number, or for several, with the bits that lanes have.
  std::string needForOne(const std::string& function, const std::string& type, size_t arguments);
  // Asks `prelude` for what it calls there.
  std::string text(Prelude& prelude) const;
  bool fuses() const { return fuses_; }
  target::Features features() const { return features_; }
  bool empty() const { return wanted_.empty(); }
  const std::string& suffix() const { return suffix_; }

 private:
  // Null, and none: no file has a text from which it can be made.
  const Chunk* find(const std::string& name) const;
  std::optional<Chunk> inFiles(const std::string& name) const;
  void emit(const std::string& name, Prelude& prelude, std::vector<std::string>& done,
            std::string& text) const;
  bool isOfPrelude(const std::string& name) const;
  std::string fused(std::string text) const;
  std::vector<std::string> fused(std::vector<std::string> needs) const;

  std::string suffix_;
  std::vector<Chunks> files_;  // the first that has a chunk gives it
  bool fuses_;
  target::Features features_;
  std::vector<std::string> wanted_;
  std::map<std::string, Chunk> made_;
  mutable std::map<std::string, std::optional<Chunk>> found_;  // what was looked up in the files
};

// A vector's type: what is in its lanes, in registers. Bools are bytes of 0 or 1, or, where they
// come from a comparison, masks as wide as what was compared.
struct VectorType {
  ir::ScalarType type;
  int64_t lanes;  // 1: a scalar
  bool mask = false;
};

// How the positions of a vector lie in memory.
struct VectorAccess {
  std::string first;   // the lvalue of lane 0
  bool unit = false;   // lanes are neighbours
  std::string stride;  // elements between lanes, where they are not; empty: no one stride
  // Each element is so many lanes, of which those of `first` began so many lanes before; `stride` is between elements.
  int64_t times = 1;
  std::string rest;
  std::vector<std::string> conditions;  // of the lanes all together
  std::string count;                    // lanes from this one on are outside; empty: none
  std::string low;                      // lanes before this one, too; empty: none
  std::string whole;                    // where none is, none the less; empty: it is not known
  // Where there is no one stride, or no one count: the number of a lane, the lvalue of that lane,
  // and whether it is inside (empty: it is).
  std::string lane, element, inside;
  ir::ValueRef pad;        // what a view on the way reads as, where its base ends
  bool isLocal = false;    // in memory that the kernel alone writes
  std::string padElement;  // the same as an element, where that is a word
  bool isOfWords = false;  // each is several elements of that memory
  // Elements are parts of bytes: `first` and `element` are no lvalues, but the argument's beginning, and
  // a position from there.
  std::string packed;  // the type of those; empty: none
  std::string
      part;  // which of each word, where lanes are words and `first` is the first one; empty: they are not
  bool mayBeWhole = false;  // the code is for any number of vectors, of which one ends early
};

// The loop over lanes that are read or written one by one, before its body.
std::string eachLane(const VectorAccess& access, int64_t lanes);
// What values of the type are in a vector: those of short floats are f32, those of i4 are i8.
ir::ScalarType registerType(ir::ScalarType type);

class VectorPrinter {
 public:
  struct Names {
    std::function<int64_t(const std::string&)> width;  // of an axis
    std::function<VectorType(const std::string&)> variable;
    std::function<std::string(const std::string&)> name;  // of a variable
    std::function<VectorAccess(const ir::Load&)> access;
    std::function<std::string(const affine::Expr&, const std::string& axis, int64_t lane)> index;
    // Writes a line before the statement whose values are being written; a name for a variable.
    std::function<void(const std::string&)> before;
    std::function<std::string()> variableName;
  };

  VectorPrinter(const Names& names, const ValuePrinter& scalars, VectorPrelude& vectors)
      : names_(names), scalars_(scalars), vectors_(vectors) {}

  struct Text {
    std::string text;
    VectorType type;
  };
  Text value(const ir::ValueRef& value);
  // A value as a vector of `lanes`.
  std::string vector(const ir::ValueRef& value, int64_t lanes, VectorType* type = nullptr);
  // The same, of exactly this type.
  std::string vectorOf(const ir::ValueRef& value, const VectorType& type);
  // The axis on which a value depends, or nothing.
  std::string axisOf(const ir::ValueRef& value) const;
  // Statements that store a vector where the access's conditions hold; around the caches, if it is
  // whole and `nonTemporal`.
  std::string instructOnce(const ir::Instruction& instruction,
                           const std::vector<std::string>& args);
  std::vector<std::string> store(ir::ScalarType type, const VectorAccess& to, const Text& value,
                                 bool nonTemporal);
  std::string cType(const VectorType& type);
  // The function of the target's that converts so many lanes, or one number, of elements in memory or of what registers hold
  // as it is; empty: it has no instruction for that (ir/conversion.h).
  std::string converter(ir::ScalarType from, ir::ScalarType to, int64_t lanes);
  // The function that makes columns of as many vectors as each has lanes.
  std::string transposer(const VectorType& type);
  // The function that reads lines which are apart, and makes vectors of as many of them as one has lanes: one for each of
  // the elements that 16 bytes hold.
  std::string turner(ir::ScalarType type, int64_t lanes, ir::ScalarType memory,
                     const std::string& packed);
  int64_t lanesOf(const std::vector<ir::ValueRef>& values);  // the most of a value
  // From here on max and min need to be right for numbers alone, or for all floats again.
  void expectNumbers(bool numbersAlone) { numbersAlone_ = numbersAlone; }

 private:
  Text load(ir::ScalarType type, const ir::Load& load);
  Text instruct(const ir::Instruct& instruct);
  std::string instruction(const ir::Instruction& instruction, int64_t lanes);
  std::string onLanes(const ir::Instruction& instruction, int64_t lanes);
  std::string typeForRow(ir::ScalarType type, int64_t lanes);
  std::string ofMoreLanes(const ir::Conversion& row, int64_t lanes, int64_t more);
  std::string ofLanes(const ir::Conversion& row, const ir::Instruction::Text& text);
  std::string gathered(ir::ScalarType type, int64_t lanes, const VectorAccess& access,
                       const std::string& pad);
  std::string repeated(ir::ScalarType type, int64_t lanes, int64_t times);
  std::string spread(ir::ScalarType type, int64_t lanes, int64_t times);
  // Of elements that are parts of bytes (vector_halves.cpp).
  std::string wordsOfHalves(ir::ScalarType type, int64_t lanes, const std::string& packed);
  std::string partOfWords(ir::ScalarType type, int64_t lanes, const VectorAccess& access);
  std::string shifted(const VectorAccess& access);
  const ir::Value* elementIn(const ir::ValueRef& value) const;
  Text ofNumbers(const ir::ValueRef& value, const ir::Value* element);
  std::optional<Text> lookedUp(const ir::ValueRef& value);
  std::vector<std::string> storeHalves(int64_t lanes, const VectorAccess& to,
                                       const std::string& stored);
  std::string positions(const affine::Expr& index, const std::string& axis, const VectorType& type);
  std::optional<Text> firstLanes(const ir::Value& test);
  Text call(ir::ScalarType type, const ir::Call& call);
  Text applied(ir::ScalarType type, const ir::Call& call, std::vector<Text> args, int64_t lanes);
  Text cast(ir::ScalarType type, const ir::Cast& cast);
  std::optional<Text> widened(ir::ScalarType type, const ir::Cast& cast);
  Text reduce(ir::ScalarType type, const ir::Reduce& reduce);
  std::string floatText(ir::Function f, ir::ScalarType type, int64_t lanes,
                        const std::vector<Text>& args);
  Text lanewise(ir::ScalarType type, const ir::Call& call, const std::vector<Text>& args,
                int64_t lanes);
  // Functions that are made for a type (vector_integers.cpp): of integers from floats, and the chunk
  // of a division, if vectors can do it.
  std::string saturated(ir::ScalarType type, ir::ScalarType from, int64_t lanes);
  std::string saturatedWide(ir::ScalarType type, ir::ScalarType from, int64_t lanes);
  std::optional<std::string> quotient(ir::Function f, ir::ScalarType type, int64_t lanes);
  std::string splat(const std::string& text, const VectorType& type);
  std::string asMask(const Text& value, const VectorType& like);
  std::string asBits(const Text& value);
  void unite(std::vector<Text>& bools);
  // Floats rounded to a shorter type.
  std::string rounded(ir::ScalarType type, int64_t lanes, const std::string& text);
  std::string fromStorage(ir::ScalarType type, int64_t lanes, const std::string& text);
  std::string toStorage(ir::ScalarType type, int64_t lanes, const Text& value);
  void makeLanewise(const std::string& name, const VectorType& result, const std::string& from,
                    int64_t lanes, const std::string& body);

  const Names& names_;
  const ValuePrinter& scalars_;
  VectorPrelude& vectors_;
  bool numbersAlone_ = false;
};

// "f32x16": of the values in registers, or of the elements in memory.
std::string vectorName(ir::ScalarType type, int64_t lanes, bool storage = false);

}  // namespace einc::emit
