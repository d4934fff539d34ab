// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/c/prelude.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <sstream>
#include <string_view>
#include <vector>

#include "compiler/emit/c/cpu.h"
#include "compiler/emit/prelude/texts.h"
#include "compiler/emit/text/chunks.h"
#include "compiler/emit/text/replace.h"
#include "libcalls/texts.h"

namespace einc::emit {
namespace {

// Before a function that the files of a library can share.
const char* const kSharedMark = "EINC_SHARED ";

size_t sharedAt(const Chunk& chunk) { return chunk.text.find(kSharedMark); }
bool isShared(const Chunk& chunk) { return sharedAt(chunk) != std::string::npos; }

// Without the mark, to the end of the parameters.
std::string prototypeOf(const Chunk& chunk) {
  size_t begin = sharedAt(chunk) + std::strlen(kSharedMark);
  return chunk.text.substr(begin, chunk.text.find(" {", begin) - begin);
}

// A text for vectors of 16 numbers as one for a number.
std::string forOne(std::string_view text) {
  std::string result(text);
  replaceAll(result, "EINC_INLINE", "static inline");
  replaceAll(result, "einc_f32x16 ", "float ");
  replaceAll(result, "einc_f64x16 ", "double ");
  replaceAll(result, "einc_u32x16 ", "uint32_t ");
  replaceAll(result, "einc_u64x16 ", "uint64_t ");
  replaceAll(result, "einc_mask_f32x16 ", "int ");
  replaceAll(result, "einc_mask_f64x16 ", "int ");
  // A loop over lanes is what it does for one.
  replaceAll(result, "for (int i = 0; i < 16; ++i)\n", "\n");
  replaceAll(result, "[i]", "");
  replaceAll(result, "x16", "");
  return result;
}

// Functions of mathematics, each before those that need it.
std::vector<std::string_view> functionFiles() {
  return {kFunctionsPrelude, kCurvesPrelude, kPowersPrelude, kTrigonometryPrelude};
}

// The chunks of the prelude's files, in their order.
const Chunks& chunks() {
  static const Chunks table = [] {
    Chunks result;
    result.add(withFeatures(std::string(kScalarsPrelude)));
    for (std::string_view file : {kSmallPrelude, kTurnsPrelude}) result.add(file);
    for (std::string_view file : functionFiles()) result.add(forOne(file));
    for (std::string_view file :
         {kChecksPrelude, kThreadsPrelude, kExplainPrelude, kDevicePrelude, libcalls::kCalls,
          libcalls::kCblasCalls, libcalls::kCblasExports, libcalls::kBlisCalls})
      result.add(file);
    return result;
  }();
  return table;
}

// "add_i8" is "add_i32" for another type: the text with i32 -> i8, int32_t -> int8_t, ...
struct Width {
  std::string base, type;
};
Width widthOf(const std::string& chunk) {
  size_t underscore = chunk.rfind('_');
  std::string type = underscore == std::string::npos ? "" : chunk.substr(underscore + 1);
  static const std::map<std::string, std::string> bases = {
      {"i8", "i32"},  {"i16", "i32"}, {"i64", "i32"}, {"u8", "u32"},
      {"u16", "u32"}, {"u64", "u32"}, {"f64", "f32"}};
  auto base = bases.find(type);
  if (base == bases.end() || chunks().find(chunk)) return {chunk, ""};
  return {chunk.substr(0, underscore + 1) + base->second, type};
}

void retype(std::string& text, const std::string& type) {
  std::string bits = type.substr(1);
  if (type[0] == 'f') {
    replaceAll(text, "_f32", "_f64");
    replaceAll(text, "_F32", "_F64");
    replaceAll(text, "float ", "double ");
    replaceAll(text, "(float)", "");
    replaceAll(text, "0.5f", "0.5");
    return;
  }
  replaceAll(text, type[0] == 'i' ? "_i32" : "_u32", "_" + type);
  replaceAll(text, "int32_t", "int" + bits + "_t");  // uint32_t, too
  replaceAll(text, "INT32_", "INT" + bits + "_");
}

// Of what macros stand for, and what they say, the lines of those that are wanted.
std::string macros(const std::string& text, const std::set<std::string>& wanted) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    size_t begin = line.find("einc_");
    size_t end = line.find_first_of(" :", begin);
    if (begin == std::string::npos || wanted.count(line.substr(begin + 5, end - begin - 5)) > 0)
      result += line + "\n";
  }
  return result;
}

// A chunk's text as it stands in a file.
std::string standing(const Chunk& chunk, Prelude::Shared shared, const std::string& library) {
  if (!isShared(chunk)) return chunk.text;
  std::string text = chunk.text;
  if (shared == Prelude::Shared::Here)
    return text.replace(sharedAt(chunk), std::strlen(kSharedMark), "static einc_cold ");
  std::string function = "einc_" + chunk.name;
  std::string declared = "#define " + function + " " + library + "_" + function +
                         "\n__attribute__((cold, visibility(\"hidden\"))) " + prototypeOf(chunk) +
                         ";\n";
  if (shared == Prelude::Shared::Declared) return declared;
  return declared + "\n" + text.erase(sharedAt(chunk), std::strlen(kSharedMark));
}

}  // namespace

size_t longestRefusal() {
  size_t longest = 0;
  for (const Chunk& chunk : chunks()) {
    if (chunk.name.find("_refuses_") == std::string::npos) continue;
    for (size_t at = chunk.text.find('"'); at != std::string::npos;) {
      size_t end = chunk.text.find('"', at + 1);
      longest = std::max(longest, end - at - 1);
      at = chunk.text.find('"', end + 1);
    }
  }
  return longest;
}

const Chunks& functionsOfLanes() {
  static const Chunks table = [] {
    Chunks result;
    for (std::string_view file : functionFiles()) result.add(file);
    return result;
  }();
  return table;
}

bool isInFunctions(const std::string& name) {
  return functionsOfLanes().find(name + "x16") != nullptr;
}

bool isForOne(const std::string& name) { return chunks().find(name) != nullptr; }

std::string Prelude::need(const std::string& chunk) {
  chunks_.insert(chunk);
  return "einc_" + chunk;
}

std::string Prelude::define(const std::string& function, const std::string& def) {
  defined_[function].insert(def);
  return function;
}

// Those of a retyped chunk are retyped as well.
std::set<std::string> Prelude::closure() const {
  std::set<std::string> wanted;
  std::vector<std::string> open(chunks_.begin(), chunks_.end());
  while (!open.empty()) {
    std::string name = open.back();
    open.pop_back();
    if (!wanted.insert(name).second) continue;
    const Width width = widthOf(name);
    const Chunk* chunk = chunks().find(width.base);
    // What is declared alone needs nothing but types, which whoever calls it has.
    if (!chunk || (isShared(*chunk) && shared_ == Shared::Declared)) continue;
    if (isShared(*chunk)) open.emplace_back("cold");
    for (std::string need : chunk->needs) {
      if (!width.type.empty()) retype(need, width.type);
      open.push_back(need);
    }
  }
  return wanted;
}

std::vector<std::string> Prelude::headers() const {
  std::vector<std::string> result;
  for (const std::string& name : closure())
    if (name.starts_with('<')) result.push_back(name);
  return result;
}

std::string Prelude::text() const {
  const std::set<std::string> wanted = closure();
  std::map<std::string, std::vector<Width>> widths;  // of each chunk those that are wanted
  for (const std::string& name : wanted) {
    const Width width = widthOf(name);
    widths[width.base].push_back(width);
  }
  std::string text;
  for (const Chunk& chunk : chunks())
    for (const Width& width : widths[chunk.name]) {
      std::string piece = chunk.name == "compilers" ? macros(chunk.text, wanted)
                                                    : standing(chunk, shared_, library_);
      if (piece.empty()) continue;
      if (!width.type.empty()) retype(piece, width.type);
      text += piece + "\n";
    }
  return text;
}

std::vector<std::string> Prelude::sharedChunks() {
  std::vector<std::string> names;
  for (const Chunk& chunk : chunks())
    if (isShared(chunk)) names.push_back(chunk.name);
  return names;
}

}  // namespace einc::emit
