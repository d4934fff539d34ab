// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A file name and the NumPy indexing that may follow it on the command line:
//
//   a.npy[::-1, 1:9:2]     a.npy[0]     a.npy[..., None]     a.npy.T[0].broadcast(3, 4)
//
//   text   = file { '[' [ item { ',' item } [ ',' ] ] ']' | '.T' | '.broadcast(' [ sizes ] ')' }
//   item   = integer | [ integer ] ':' [ integer ] [ ':' [ integer ] ] | '...' | 'None' | 'newaxis'
//
// The file name ends at the first `[`, `.T` or `.broadcast(` after its `.npy`, or with the text.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/interp/array.h"
#include "compiler/support/result.h"

namespace einc::interp {

enum class Access { Read, Write };

class ViewText {
 public:
  // Reasons are three lines: "column 7: MESSAGE", the text, and a caret under that column.
  static Result<ViewText> parse(std::string text);

  const std::string& file() const { return file_; }
  bool hasSuffix() const { return !steps_.empty(); }

  // The view of the file's array that the text describes; shares its memory. A broadcast that
  // repeats elements is refused for writing.
  Result<View> apply(View view, Access access = Access::Read) const;

 private:
  friend class ViewTextParser;

  struct Index {
    int64_t position;
  };
  struct Slice {
    std::optional<int64_t> start, stop, step;
  };
  struct Ellipsis {};
  struct NewAxis {};
  struct Item {
    std::variant<Index, Slice, Ellipsis, NewAxis> node;
    size_t offset;  // in the text
  };
  struct Subscript {
    std::vector<Item> items;
  };
  struct Transpose {};
  struct Broadcast {
    std::vector<int64_t> sizes;
  };
  struct Step {
    std::variant<Subscript, Transpose, Broadcast> node;
    size_t offset;
  };

  Result<View> applyStep(const Subscript& subscript, const View& view, size_t offset) const;
  Result<View> applyStep(const Transpose&, const View& view, size_t offset) const;
  Result<View> applyStep(const Broadcast& broadcast, const View& view, size_t offset) const;
  Reason problem(size_t offset, const std::string& message) const;

  std::string text_, file_;
  std::vector<Step> steps_;
};

}  // namespace einc::interp
