// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/interp/view_text.h"

#include <algorithm>
#include <limits>

#include "compiler/support/text_writer.h"

namespace einc::interp {
namespace {

constexpr size_t kMaxRank = 64;

std::string shapeText(const std::vector<int64_t>& sizes) {
  return "(" + joined(sizes, ", ", [](int64_t size) { return std::to_string(size); }) + ")";
}

bool startsSuffix(std::string_view text) {
  return text.starts_with("[") || text.starts_with(".T") || text.starts_with(".broadcast(");
}

// Where the file name ends.
size_t suffixOffset(std::string_view text) {
  constexpr std::string_view extension = ".npy";
  for (size_t i = text.find(extension); i != text.npos; i = text.find(extension, i + 1))
    if (startsSuffix(text.substr(i + extension.size()))) return i + extension.size();
  return text.size();
}

}  // namespace

class ViewTextParser {
 public:
  explicit ViewTextParser(std::string text) { result_.text_ = std::move(text); }

  Result<ViewText> parse() {
    offset_ = suffixOffset(result_.text_);
    result_.file_ = result_.text_.substr(0, offset_);
    while (offset_ < result_.text_.size())
      if (!step()) return result_.problem(problemOffset_, problem_);
    return result_;
  }

 private:
  bool step() {
    size_t begin = offset_;
    if (takeText(".T")) {
      result_.steps_.push_back({ViewText::Transpose{}, begin});
    } else if (takeText(".broadcast(")) {
      ViewText::Broadcast broadcast;
      if (!list(')', [&] { return size(broadcast.sizes); })) return false;
      result_.steps_.push_back({std::move(broadcast), begin});
    } else if (takeText("[")) {
      ViewText::Subscript subscript;
      if (!list(']', [&] { return item(subscript.items); })) return false;
      if (subscript.items.empty()) return fail(begin, "expected an index between [ and ]");
      result_.steps_.push_back({std::move(subscript), begin});
    } else {
      return fail(begin, "expected [...], .T or .broadcast(...)");
    }
    return true;
  }

  // Elements between commas up to `close`; the last comma may be followed by nothing.
  template <typename Element>
  bool list(char close, Element&& element) {
    for (bool comma = true; !take(close); comma = take(',')) {
      skipBlanks();
      if (!comma) return fail(offset_, std::string("expected , or ") + close);
      if (!element()) return false;
    }
    return true;
  }

  bool item(std::vector<ViewText::Item>& items) {
    skipBlanks();
    size_t begin = offset_;
    if (takeText("...")) {
      items.push_back({ViewText::Ellipsis{}, begin});
      return true;
    }
    if (takeText("None") || takeText("newaxis")) {
      items.push_back({ViewText::NewAxis{}, begin});
      return true;
    }
    auto first = integer();
    if (take(':')) {
      ViewText::Slice slice{first, integer(), {}};
      if (take(':')) slice.step = integer();
      if (slice.step == 0) return fail(begin, "a slice's step cannot be 0");
      items.push_back({slice, begin});
      return true;
    }
    if (!first) return fail(begin, "expected an integer, a slice, ... or None");
    items.push_back({ViewText::Index{*first}, begin});
    return true;
  }

  bool size(std::vector<int64_t>& sizes) {
    skipBlanks();
    size_t begin = offset_;
    auto value = integer();
    if (!value) return fail(begin, "expected a size");
    if (*value < 0) return fail(begin, "a size cannot be negative");
    sizes.push_back(*value);
    return true;
  }

  // Clipped to what int64_t and its negation hold, as Python clips slices.
  std::optional<int64_t> integer() {
    skipBlanks();
    size_t begin = offset_;
    bool negative = takeText("-");
    if (!isDigit(peek())) {
      offset_ = begin;
      return std::nullopt;
    }
    int64_t value = 0;
    for (; isDigit(peek()); ++offset_)
      if (__builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, peek() - '0', &value))
        value = std::numeric_limits<int64_t>::max();
    return negative ? -value : value;
  }

  static bool isDigit(char c) { return c >= '0' && c <= '9'; }
  char peek() const { return offset_ < result_.text_.size() ? result_.text_[offset_] : '\0'; }
  void skipBlanks() {
    while (peek() == ' ' || peek() == '\t') ++offset_;
  }
  bool take(char c) {
    skipBlanks();
    return takeText(std::string_view(&c, 1));
  }
  bool takeText(std::string_view text) {
    if (!std::string_view(result_.text_).substr(offset_).starts_with(text)) return false;
    offset_ += text.size();
    return true;
  }
  bool fail(size_t offset, std::string message) {
    problemOffset_ = offset;
    problem_ = std::move(message);
    return false;
  }

  ViewText result_;
  size_t offset_ = 0;
  size_t problemOffset_ = 0;
  std::string problem_;
};

Result<ViewText> ViewText::parse(std::string text) {
  return ViewTextParser(std::move(text)).parse();
}

Reason ViewText::problem(size_t offset, const std::string& message) const {
  return Reason{"column " + std::to_string(offset + 1) + ": " + message + "\n" + text_ + "\n" +
                std::string(offset, ' ') + "^"};
}

Result<View> ViewText::apply(View view, Access access) const {
  for (const Step& step : steps_) {
    auto next =
        std::visit([&](const auto& node) { return applyStep(node, view, step.offset); }, step.node);
    if (!next) return next;
    for (size_t d = 0; d < next->rank() && access == Access::Write; ++d)
      if (std::holds_alternative<Broadcast>(step.node) && next->sizes[d] > 1 &&
          next->strides[d] == 0)
        return problem(step.offset, "an output cannot be written through a broadcast view");
    view = std::move(*next);
  }
  return view;
}

namespace {

// Appends Python's slice of dimension `d` of `from` to `view`. Empty arrays and single elements
// keep their strides, which mean nothing and might overflow.
void cut(View& view, const View& from, size_t d, std::optional<int64_t> start,
         std::optional<int64_t> stop, int64_t step) {
  int64_t size = from.sizes[d], low = step > 0 ? 0 : -1, high = size + low;
  auto clipped = [&](int64_t bound) {
    return std::clamp(bound < 0 ? bound + size : bound, low, high);
  };
  int64_t first = start ? clipped(*start) : step > 0 ? low : high;
  int64_t last = stop ? clipped(*stop) : step > 0 ? high : low;
  int64_t distance = step > 0 ? last - first : first - last;
  int64_t count = distance > 0 ? (distance - 1) / std::abs(step) + 1 : 0;
  bool moves = count > 0 && !from.isEmpty();
  if (moves) view.offset += first * from.strides[d];
  view.sizes.push_back(count);
  view.strides.push_back(moves && count > 1 ? from.strides[d] * step : from.strides[d]);
}

}  // namespace

Result<View> ViewText::applyStep(const Subscript& subscript, const View& view,
                                 size_t offset) const {
  size_t indexed = 0, ellipses = 0;
  for (const Item& item : subscript.items) {
    indexed += std::holds_alternative<Index>(item.node) || std::holds_alternative<Slice>(item.node);
    ellipses += std::holds_alternative<Ellipsis>(item.node);
    if (ellipses > 1) return problem(item.offset, "only one ... is allowed");
  }
  if (indexed > view.rank())
    return problem(offset, std::to_string(indexed) + " indices for an array of " +
                               std::to_string(view.rank()) + " dimensions");

  View result = view;
  result.sizes.clear();
  result.strides.clear();
  size_t d = 0;
  auto keep = [&](size_t count) {
    for (; count > 0; --count, ++d) {
      result.sizes.push_back(view.sizes[d]);
      result.strides.push_back(view.strides[d]);
    }
  };
  for (const Item& item : subscript.items) {
    if (std::holds_alternative<Ellipsis>(item.node)) {
      keep(view.rank() - indexed);
    } else if (std::holds_alternative<NewAxis>(item.node)) {
      result.sizes.push_back(1);
      result.strides.push_back(0);
    } else if (auto* slice = std::get_if<Slice>(&item.node)) {
      cut(result, view, d++, slice->start, slice->stop, slice->step.value_or(1));
    } else {
      int64_t position = std::get<Index>(item.node).position, size = view.sizes[d];
      if (position < -size || position >= size)
        return problem(item.offset, "index " + std::to_string(position) +
                                        " is out of range for a dimension of " +
                                        std::to_string(size));
      if (!view.isEmpty())
        result.offset += (position + (position < 0 ? size : 0)) * view.strides[d];
      ++d;
    }
  }
  keep(view.rank() - d);
  if (result.rank() > kMaxRank) return problem(offset, "an array has at most 64 dimensions");
  return result;
}

Result<View> ViewText::applyStep(const Transpose&, const View& view, size_t) const {
  View result = view;
  std::reverse(result.sizes.begin(), result.sizes.end());
  std::reverse(result.strides.begin(), result.strides.end());
  return result;
}

Result<View> ViewText::applyStep(const Broadcast& broadcast, const View& view,
                                 size_t offset) const {
  auto impossible = [&] {
    return problem(offset, "an array of shape " + shapeText(view.sizes) +
                               " cannot be broadcast to " + shapeText(broadcast.sizes));
  };
  if (broadcast.sizes.size() < view.rank()) return impossible();
  if (broadcast.sizes.size() > kMaxRank)
    return problem(offset, "an array has at most 64 dimensions");
  View result = view;
  result.sizes = broadcast.sizes;
  result.strides.assign(result.rank(), 0);
  size_t added = result.rank() - view.rank();
  for (size_t d = 0; d < view.rank(); ++d) {
    if (view.sizes[d] != 1 && view.sizes[d] != result.sizes[added + d]) return impossible();
    if (view.sizes[d] != 1) result.strides[added + d] = view.strides[d];
  }
  if (!reachOf(result)) return problem(offset, shapeText(broadcast.sizes) + " is too large");
  return result;
}

}  // namespace einc::interp
