// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/glsl/prelude.h"

#include <map>
#include <utility>

#include "compiler/emit/glsl/rewrite.h"
#include "compiler/emit/prelude/texts.h"
#include "compiler/emit/text/chunks.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::emit {
namespace {

// What stands among the needs of chunks that compute in double, or in integers of 64 bits.
const char* const kDouble = "<f64>";
const char* const kLong = "<int64>";

// The same of what functions.h and curves.h need of the prelude for vectors, where that is GLSL's own.
std::vector<std::string> featuresOfOwn(const std::string& chunk) {
  static const std::map<std::string, std::vector<std::string>> features = {
      {"f64x16", {kDouble}},
      {"select_f64x16", {kDouble}},
      {"bits_f64x16", {kDouble, kLong}},
      {"of_bits_f64x16", {kDouble, kLong}}};
  auto found = features.find(chunk);
  return found == features.end() ? std::vector<std::string>() : found->second;
}

// All chunks, each before those that need it, 64-bit ones beside those they are made from.
const Chunks& chunks() {
  static const Chunks table = [] {
    Chunks written(kScalarsGlsl);
    Chunks shared(kFunctionsPrelude);
    shared.add(kCurvesPrelude);
    for (const Chunk& chunk : shared) {
      std::vector<std::string> needs;
      for (const std::string& need : chunk.needs)
        if (isGlslOwn(need))
          llvm::append_range(needs, featuresOfOwn(need));
        else
          needs.push_back(withoutLanes(need));
      written.add({withoutLanes(chunk.name), std::move(needs), glslOfC(chunk.text)});
    }
    written.add(kFunctionsGlsl);
    written.add(kTrigonometryGlsl);
    Chunks all;
    for (const Chunk& chunk : written) {
      all.add(chunk);
      std::string wide = widened(chunk.name);
      if (wide == chunk.name || written.find(wide)) continue;
      Chunk made{wide, chunk.needs, widened(chunk.text)};
      for (std::string& need : made.needs) need = widened(need);
      made.needs.emplace_back(isOfFloats(chunk.name) ? kDouble : kLong);
      all.add(std::move(made));
    }
    return all;
  }();
  return table;
}

}  // namespace

std::string GlslPrelude::need(const std::string& chunk, int64_t lanes) {
  chunks_[chunk].insert(lanes);
  return "einc_" + chunk;
}

void GlslPrelude::needType(ir::ScalarType type, bool inMemory) {
  (inMemory ? inMemory_ : inRegisters_).insert(type);
}

std::set<std::string> GlslPrelude::closure() const {
  std::set<std::string> wanted;
  std::vector<std::string> open;
  for (const auto& [name, lanes] : chunks_) open.push_back(name);
  while (!open.empty()) {
    std::string name = open.back();
    open.pop_back();
    if (!wanted.insert(name).second) continue;
    if (const Chunk* chunk = chunks().find(name))
      open.insert(open.end(), chunk->needs.begin(), chunk->needs.end());
  }
  return wanted;
}

std::string GlslPrelude::text() const {
  std::set<std::string> wanted = closure();
  std::string text;
  for (const Chunk& chunk : chunks()) {
    if (!wanted.contains(chunk.name)) continue;
    text += chunk.text;
    if (auto asked = chunks_.find(chunk.name); asked != chunks_.end())
      for (int64_t lanes : asked->second)
        if (lanes > 1) text += overload(chunk.text, "einc_" + chunk.name, lanes);
    text += "\n";
  }
  return text;
}

std::set<std::string> GlslPrelude::features() const {
  std::set<std::string> result;
  const std::set<std::string> wanted = closure();
  if (wanted.contains(kDouble)) result.insert("f64");
  if (wanted.contains(kLong)) result.insert("int64");
  for (const auto* types : {&inRegisters_, &inMemory_})
    for (ir::ScalarType type : *types) {
      const ir::TypeInfo& t = ir::info(type);
      if (t.bits == 64) result.insert(t.isFloat() ? "f64" : "int64");
      if (types == &inMemory_ && t.bits < 32) result.insert("storage_" + std::to_string(t.bits));
    }
  return result;
}

std::string GlslPrelude::extensions() const {
  const std::pair<const char*, const char*> extensions[] = {
      {"storage_16", "GL_EXT_shader_16bit_storage"},
      {"storage_8", "GL_EXT_shader_8bit_storage"},
      {"int64", "GL_EXT_shader_explicit_arithmetic_types_int64"}};
  std::string text;
  if (unrolls_) text += "#extension GL_EXT_control_flow_attributes : require\n";
  std::set<std::string> needed = features();
  for (const auto& [feature, extension] : extensions)
    if (needed.contains(feature)) text += "#extension " + std::string(extension) + " : require\n";
  return text;
}

std::vector<std::string> GlslPrelude::allChunks() {
  std::vector<std::string> names;
  for (const Chunk& chunk : chunks()) names.push_back(chunk.name);
  return names;
}

}  // namespace einc::emit
