// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Files of functions of which generated code takes those that it needs. A chunk goes from its marker
// to the next one, and is named there with what it needs:
//
//   /*@ larger: compare least */
//   static int larger(int a, int b) { return ... }
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace einc::emit {

struct Chunk {
  std::string name;
  std::vector<std::string> needs;
  std::string text;  // without blank lines at its end
};

// Those of some files, in their order.
class Chunks {
 public:
  Chunks() = default;
  explicit Chunks(std::string_view file) { add(file); }

  void add(std::string_view file);
  void add(Chunk chunk);

  // The first of this name; null: there is none.
  const Chunk* find(const std::string& name) const;
  std::vector<Chunk>::const_iterator begin() const { return chunks_.begin(); }
  std::vector<Chunk>::const_iterator end() const { return chunks_.end(); }

 private:
  std::vector<Chunk> chunks_;
  std::map<std::string, size_t> numbers_;
};

}  // namespace einc::emit
