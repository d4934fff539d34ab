// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "compiler/emit/c/prelude.h"
#include "compiler/emit/c/vectors.h"
#include "compiler/emit/prelude/texts.h"
#include "compiler/emit/text/replace.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace einc::emit {
namespace {

// "load_f64x8": what, element type, lanes.
struct ChunkName {
  std::string stem, type;
  int lanes = 0;
};
ChunkName split(const std::string& name) {
  size_t x = name.rfind('x'), underscore = name.rfind('_');
  size_t begin = underscore == std::string::npos ? 0 : underscore + 1;
  ChunkName result;
  if (x == std::string::npos || x < begin ||
      llvm::StringRef(name).substr(x + 1).getAsInteger(10, result.lanes))
    return {name, "", 0};
  result.stem = name.substr(0, begin);
  result.type = name.substr(begin, x - begin);
  return result;
}

std::string cElement(const std::string& type) {
  if (type == "f32") return "float";
  if (type == "f64") return "double";
  return (type[0] == 'u' ? "uint" : "int") + type.substr(1) + "_t";
}

// A text for `fromLanes` lanes of `from` (f32, i32, u32 or the type itself), for another number of lanes, and type.
std::string retyped(std::string text, const ChunkName& to, const std::string& from,
                    const std::string& fromLanes = "16") {
  std::string lanes = std::to_string(to.lanes), bits = to.type.substr(1);
  if (to.type != from) {
    replaceAll(text, from + "x" + fromLanes, to.type + "x" + fromLanes);
    replaceAll(text, "u32x" + fromLanes, "u" + bits + "x" + fromLanes);
    // The mask's integers are as wide as the elements.
    replaceAll(text, "typedef int32_t einc_mask", "typedef int" + bits + "_t einc_mask");
    replaceAll(text, cElement(from), cElement(to.type));
    if (to.type == "f64")
      for (const std::string function : {"fma", "sqrt", "floor", "ceil", "trunc"})
        replaceAll(text, function + "f(", function + "(");
  }
  replaceAll(text, "x" + fromLanes, "x" + lanes);
  replaceAll(text, fromLanes + " * sizeof", lanes + " * sizeof");
  replaceAll(text, "i < " + fromLanes, "i < " + lanes);
  return text;
}

int bitsOf(const ChunkName& name) {
  int element = 0;
  llvm::StringRef(name.type).drop_front().getAsInteger(10, element);
  return element;
}
bool isRegister(int bits) { return bits == 128 || bits == 256 || bits == 512; }

// The text of AVX-512 for 16 lanes of i32, for what another register holds.
std::optional<std::string> inRegister(const std::string& text, const ChunkName& to) {
  const int element = bitsOf(to), bits = to.lanes * element;
  if (!isRegister(bits)) return std::nullopt;
  // Builtins are named by element and register: "loaddqusi512".
  const std::string letters = element == 8    ? "qi"
                              : element == 16 ? "hi"
                              : element == 32 ? "si"
                                              : "di";
  const std::string own = element == 8    ? "char"
                          : element == 16 ? "short"
                          : element == 32 ? "int"
                                          : "long long";
  std::string result = retyped(text, to, "i32");
  replaceAll(result, "typedef int einc_raw", "typedef " + own + " einc_raw");
  replaceAll(result, "dqusi512", "dqu" + letters + std::to_string(bits));
  replaceAll(result, "(uint16_t)einc_first",
             "(uint" + std::to_string(std::max(to.lanes, 8)) + "_t)einc_first");
  if (to.lanes > 16) replaceAll(result, "einc_first(", "einc_first_many(");
  return result;
}

// The text of AVX2 for 8 lanes of i32, for what another register holds; it has masks for 32 and 64 bits.
std::optional<std::string> inSmallRegister(const std::string& text, const ChunkName& to) {
  const int element = bitsOf(to), bits = to.lanes * element;
  if (!isRegister(bits) || bits > 256 || element < 32) return std::nullopt;
  std::string result = retyped(text, to, "i32", "8");
  if (element == 64) replaceAll(result, "typedef int einc_raw", "typedef long long einc_raw");
  replaceAll(result, "maskloadd256",
             std::string("maskload") + (element == 32 ? "d" : "q") + (bits == 256 ? "256" : ""));
  return result;
}

std::vector<std::string> retyped(std::vector<std::string> needs, const ChunkName& to,
                                 const std::string& from, const std::string& fromLanes = "16") {
  for (std::string& need : needs) need = retyped(std::move(need), to, from, fromLanes);
  return needs;
}

}  // namespace

std::string VectorPrelude::need(const std::string& chunk) {
  if (std::find(wanted_.begin(), wanted_.end(), chunk) == wanted_.end()) wanted_.push_back(chunk);
  return "einc_" + suffix_ + chunk;
}

std::string VectorPrelude::add(const std::string& name, const std::vector<std::string>& needs,
                               const std::string& text) {
  made_[name] = {name, needs, text};
  return need(name);
}

const Chunk* VectorPrelude::find(const std::string& name) const {
  if (auto made = made_.find(name); made != made_.end()) return &made->second;
  auto found = found_.find(name);
  if (found == found_.end()) found = found_.emplace(name, inFiles(name)).first;
  return found->second ? &*found->second : nullptr;
}

std::optional<Chunk> VectorPrelude::inFiles(const std::string& name) const {
  static const Chunks vectors = [] {
    Chunks result(kVectorsPrelude);
    result.add(kVectorsSmallPrelude);
    return result;
  }();
  for (const Chunks& file : files_)
    if (const Chunk* chunk = file.find(name)) return *chunk;
  ChunkName parts = split(name);
  for (const Chunks& file : files_) {
    if (parts.lanes == 0) break;
    if (const Chunk* small = file.find(parts.stem + "i32x8"))
      if (auto found = inSmallRegister(small->text, parts))
        return Chunk{name, retyped(small->needs, parts, "i32", "8"), *found};
    const Chunk* full = file.find(parts.stem + "i32x16");
    auto found = full ? inRegister(full->text, parts) : std::nullopt;
    if (!found) continue;
    Chunk chunk{name, retyped(full->needs, parts, "i32"), *found};
    if (parts.lanes > 16)
      std::replace(chunk.needs.begin(), chunk.needs.end(), std::string("first"),
                   std::string("first_many"));
    return chunk;
  }
  if (const Chunk* chunk = vectors.find(name)) return *chunk;
  if (parts.lanes > 0) {
    // A text of the type's own, else what serves several types.
    std::string base = parts.type[0] == 'f' ? "f32" : "i32";
    std::string sign = parts.type[0] == 'u' ? "u32" : base;
    for (const std::string& from : {parts.type, sign, base, std::string("f32")})
      if (const Chunk* chunk = vectors.find(parts.stem + from + "x16"))
        return Chunk{name, retyped(chunk->needs, parts, from), retyped(chunk->text, parts, from)};
    if (const Chunk* chunk = functionsOfLanes().find(parts.stem + parts.type + "x16"))
      return Chunk{name, fused(retyped(chunk->needs, parts, parts.type)),
                   fused(retyped(chunk->text, parts, parts.type))};
  }
  return std::nullopt;
}

std::string VectorPrelude::fused(std::string text) const {
  if (fuses_) replaceAll(text, "mad_", "fma_");
  return text;
}

std::vector<std::string> VectorPrelude::fused(std::vector<std::string> needs) const {
  for (std::string& need : needs) need = fused(std::move(need));
  return needs;
}

std::string VectorPrelude::needForOne(const std::string& function, const std::string& type,
                                      size_t arguments) {
  const std::string vector = type + (type == "f32" ? "x4" : "x2"), of = function + "_" + vector;
  const std::string own = "one_" + function + "_" + type;
  if (made_.count(own) > 0) return need(own);
  const std::string name = "einc_" + suffix_, element = cElement(type);
  std::string parameters, vectors, passed;
  for (size_t i = 0; i < arguments; ++i) {
    const std::string x(1, static_cast<char>('x' + i)), lanes = x + "_lanes";
    parameters += (i > 0 ? ", " : "") + element + " " + x;
    vectors += (i > 0 ? ", " : "") + lanes + " = {" + x + "}";
    passed += (i > 0 ? ", " : "") + lanes;
  }
  return add(own, {of},
             "EINC_INLINE " + element + " " + name + own + "(" + parameters + ") {\n  const " +
                 name + vector + " " + vectors + ";\n  return " + name + of + "(" + passed +
                 ")[0];\n}\n");
}

void VectorPrelude::emit(const std::string& name, Prelude& prelude, std::vector<std::string>& done,
                         std::string& text) const {
  if (std::find(done.begin(), done.end(), name) != done.end()) return;
  done.push_back(name);
  const Chunk* chunk = find(name);
  if (!chunk) {
    text += "#error \"einc has no text for " + name + "\"\n\n";
    return;
  }
  std::string piece = chunk->text;
  // What was made here has its names already.
  if (!suffix_.empty() && made_.count(name) == 0) replaceAll(piece, "einc_", "einc_" + suffix_);
  for (const std::string& need : chunk->needs)
    if (isOfPrelude(need))
      replaceAll(piece, "einc_" + suffix_ + need, prelude.need(need));
    else
      emit(need, prelude, done, text);
  text += piece + "\n";
}

bool VectorPrelude::isOfPrelude(const std::string& name) const {
  return !find(name) && isForOne(name);
}

std::string VectorPrelude::text(Prelude& prelude) const {
  std::vector<std::string> done;
  std::string text;
  for (const std::string& name : wanted_) emit(name, prelude, done, text);
  return text;
}

}  // namespace einc::emit
