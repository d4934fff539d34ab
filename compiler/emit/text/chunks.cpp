// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/text/chunks.h"

#include <sstream>
#include <utility>

namespace einc::emit {

void Chunks::add(std::string_view file) {
  constexpr std::string_view kMarker = "/*@ ", kEnd = "*/\n";
  for (size_t at = file.find(kMarker); at != std::string_view::npos;) {
    const size_t name = at + kMarker.size(), colon = file.find(':', name),
                 end = file.find(kEnd, colon), begin = end + kEnd.size(),
                 next = file.find(kMarker, begin);
    Chunk chunk{std::string(file.substr(name, colon - name)), {}, {}};
    std::istringstream needs(std::string(file.substr(colon + 1, end - colon - 1)));
    for (std::string need; needs >> need;) chunk.needs.push_back(need);
    chunk.text = file.substr(begin, next == std::string_view::npos ? next : next - begin);
    while (chunk.text.ends_with("\n\n")) chunk.text.pop_back();
    add(std::move(chunk));
    at = next;
  }
}

void Chunks::add(Chunk chunk) {
  numbers_.try_emplace(chunk.name, chunks_.size());
  chunks_.push_back(std::move(chunk));
}

const Chunk* Chunks::find(const std::string& name) const {
  auto found = numbers_.find(name);
  return found == numbers_.end() ? nullptr : &chunks_[found->second];
}

}  // namespace einc::emit
