// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The pieces of prelude/*.h that one generated file needs.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/emit/text/chunks.h"

namespace einc::emit {

// Collects names of chunks; text() gives them with all they depend on, each once, in order. It notes
// the file's own static functions, too.
class Prelude {
 public:
  // Chunks that the kernels of a library can share (EINC_SHARED): in the file itself; declared, as
  // they are in another file of the library; or that file, whose functions other files declare.
  enum class Shared { Here, Declared, Defined };

  // `library` is what names of functions begin with that files share: they belong to one library.
  explicit Prelude(Shared shared = Shared::Here, std::string library = "")
      : shared_(shared), library_(std::move(library)) {}

  // Returns the C name of the chunk's function: need("add_i8") is "einc_add_i8". Chunks for another
  // width are made from those of i32, u32 and f32.
  std::string need(const std::string& chunk);
  std::string text() const;
  // The headers that this text has to be able to see, but for those of every generated file: "<cpuid.h>".
  std::vector<std::string> headers() const;
  // Whether the text has this chunk.
  bool brings(const std::string& chunk) const { return closure().count(chunk) != 0; }
  // A static function of a def, which stands behind the chunks: returns its name.
  std::string define(const std::string& function, const std::string& def);
  // All that were defined, each with its defs.
  const std::map<std::string, std::set<std::string>>& defined() const { return defined_; }
  bool empty() const { return chunks_.empty(); }

  // The names of all chunks that can be shared, in order.
  static std::vector<std::string> sharedChunks();

 private:
  // All chunks that the needed ones need, themselves and headers included.
  std::set<std::string> closure() const;

  Shared shared_;
  std::string library_;
  std::set<std::string> chunks_;
  std::map<std::string, std::set<std::string>> defined_;
};

// The length of the longest reason for which a library does not take an operand.
size_t longestRefusal();

// Functions of mathematics (prelude/functions.h and those after it), for 16 lanes.
const Chunks& functionsOfLanes();
// Whether there is this one: "exp_f32".
bool isInFunctions(const std::string& name);
// Whether Prelude has this chunk, as it is named.
bool isForOne(const std::string& name);

}  // namespace einc::emit
