// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/interp/npy.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/interp/packed.h"
#include "compiler/support/text_writer.h"

namespace einc::interp {
namespace {

using ir::ScalarType;

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxHeader = 65535;  // enough for every array of plain elements
constexpr size_t kMaxRank = 64;
constexpr size_t kAlignment = 64;  // of the first element, in files we write

struct Header {
  ScalarType type = ScalarType::F32;
  bool bigEndian = false;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

// The header's subset of Python: a dict of a string, a bool and a tuple of integers.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  Result<Header> parse() {
    Header header;
    bool seen[3] = {};
    if (!take('{')) return fail("the header is not a dict");
    while (!take('}')) {
      auto key = string();
      if (!key || !take(':')) return fail("the header is malformed");
      const std::string_view keys[] = {"descr", "fortran_order", "shape"};
      auto which = static_cast<size_t>(std::find(keys, keys + 3, *key) - keys);
      if (which == 3) return fail("the header has an unknown key");
      if (std::exchange(seen[which], true)) return fail("the header has a key twice");
      bool read = which == 0   ? dtype(header)
                  : which == 1 ? boolean(header.fortranOrder)
                               : tuple(header.shape);
      if (!read) return fail("the header is malformed");
      if (!take(',') && !peek('}')) return fail("the header is malformed");
    }
    skipBlanks();
    if (!rest_.empty()) return fail("text follows the header's dict");
    if (!seen[0] || !seen[1] || !seen[2])
      return fail("the header lacks descr, fortran_order or shape");
    return header;
  }

 private:
  // The first reason counts: that of a failed part is the more precise one.
  Reason fail(std::string reason) {
    if (reason_.empty()) reason_ = std::move(reason);
    return Reason{reason_};
  }
  bool refuse(std::string reason) {
    fail(std::move(reason));
    return false;
  }

  void skipBlanks() {
    size_t text = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(std::min(text, rest_.size()));
  }
  bool peek(char c) {
    skipBlanks();
    return !rest_.empty() && rest_.front() == c;
  }
  bool take(char c) {
    if (!peek(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool takeWord(std::string_view word) {
    skipBlanks();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::optional<std::string_view> string() {
    if (!peek('\'') && !peek('"')) return std::nullopt;
    size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string_view result = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return result;
  }

  bool boolean(bool& value) {
    value = takeWord("True");
    return value || takeWord("False");
  }

  bool tuple(std::vector<int64_t>& values) {
    if (!take('(')) return refuse("the shape is not a tuple");
    for (bool comma = true; !take(')'); comma = take(',')) {
      if (!comma) return false;
      if (values.size() == kMaxRank) return refuse("the array has more than 64 dimensions");
      values.push_back(0);
      if (!size(values.back())) return false;
      if (values.size() == 1 && !peek(',')) return refuse("the shape is not a tuple");
    }
    return true;
  }

  bool size(int64_t& value) {
    if (peek('-')) return refuse("a size is negative");
    if (rest_.empty() || !isDigit(rest_.front())) return false;
    for (; !rest_.empty() && isDigit(rest_.front()); rest_.remove_prefix(1))
      if (__builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, rest_.front() - '0', &value))
        return refuse("a size does not fit in 64 bits");
    if (!rest_.empty() && rest_.front() == 'L') rest_.remove_prefix(1);  // written by Python 2
    return true;
  }
  static bool isDigit(char c) { return c >= '0' && c <= '9'; }

  bool dtype(Header& header) {
    if (peek('[')) return refuse("structured dtypes are not supported");
    auto text = string();
    if (!text) return refuse("the dtype is not a string");
    std::string_view name = *text;
    if (!name.empty() && std::string_view("<>=|").find(name.front()) != std::string_view::npos) {
      header.bigEndian = name.front() == '>';
      name.remove_prefix(1);
    }
    if (name.starts_with('O')) return refuse("object arrays hold Python objects, not numbers");
    for (const ir::TypeInfo& type : ir::allTypes())
      if (type.numpyKind != 'V' && name == type.numpyKind + std::to_string(type.bytes())) {
        header.type = type.type;
        return true;
      }
    return refuse("dtype '" + std::string(text->substr(0, 16)) + "' is not supported" +
                  (name == "V2" ? " (bf16 travels as uint16, '<u2')" : ""));
  }

  std::string_view rest_;
  std::string reason_;
};

struct Parts {
  std::string_view header, data;
};

Result<Parts> split(std::string_view bytes) {
  if (!bytes.starts_with(kMagic))
    return Reason{"not a .npy file (it does not begin with \\x93NUMPY)"};
  bytes.remove_prefix(kMagic.size());
  if (bytes.size() < 2) return Reason{"the file is cut off in its header"};
  auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(bytes[i])); };
  size_t major = byte(0), minor = byte(1);
  if (major < 1 || major > 3 || minor != 0)
    return Reason{".npy version " + std::to_string(major) + "." + std::to_string(minor) +
                  " is not supported (1.0 to 3.0 are)"};
  size_t lengthBytes = major == 1 ? 2 : 4, length = 0;
  if (bytes.size() < 2 + lengthBytes) return Reason{"the file is cut off in its header"};
  for (size_t i = 0; i < lengthBytes; ++i) length |= byte(2 + i) << (8 * i);
  bytes.remove_prefix(2 + lengthBytes);
  if (length > kMaxHeader) return Reason{"the header is longer than 65535 bytes"};
  if (length > bytes.size()) return Reason{"the file is cut off in its header"};
  return Parts{bytes.substr(0, length), bytes.substr(length)};
}

// The type as which NumPy knows it.
ScalarType travelsAs(ScalarType type) {
  if (info(type).numpyKind != 'V') return type;
  return info(type).bits == 16 ? ScalarType::U16 : ScalarType::U8;
}

// The elements into memory of their own: the host's byte order, bools 0 or 1.
void copyElements(std::string_view data, const Header& header, std::byte* to) {
  if (data.empty()) return;
  std::memcpy(to, data.data(), data.size());
  size_t width = info(header.type).bytes();
  if (header.bigEndian)
    for (size_t i = 0; i < data.size(); i += width) std::reverse(to + i, to + i + width);
  if (header.type == ScalarType::Bool)
    for (size_t i = 0; i < data.size(); ++i) to[i] = std::byte{to[i] != std::byte{0}};
}

}  // namespace

Result<View> parseNpy(std::string_view bytes) {
  auto parts = split(bytes);
  if (!parts) return Reason{parts.reason()};
  auto header = HeaderParser(parts->header).parse();
  if (!header) return Reason{header.reason()};
  auto count = elementCount(header->shape);
  int64_t width = info(header->type).bytes(), needed;
  if (!count || __builtin_mul_overflow(*count, width, &needed))
    return Reason{"the shape has more elements than 64 bits can count"};
  auto present = static_cast<int64_t>(parts->data.size());
  if (present != needed)
    return Reason{"the shape takes " + std::to_string(needed) +
                  " bytes of elements, but the file has " + std::to_string(present)};
  std::vector<int64_t> shape = header->shape;
  if (header->fortranOrder) std::reverse(shape.begin(), shape.end());
  auto view = allocate(header->type, shape);
  if (!view) return view;
  copyElements(parts->data, *header, view->storage.get());
  if (header->fortranOrder) {
    std::reverse(view->sizes.begin(), view->sizes.end());
    std::reverse(view->strides.begin(), view->strides.end());
  }
  return view;
}

std::string writeNpy(const View& view) {
  if (info(view.type).isPacked()) {
    // Not larger than what there is already.
    auto rows = packedRows(view);
    return rows ? writeNpy(*rows) : std::string();
  }
  const ir::TypeInfo& type = info(travelsAs(view.type));
  std::string header = "{'descr': '" + std::string(type.bytes() == 1 ? "|" : "<") + type.numpyKind +
                       std::to_string(type.bytes()) + "', 'fortran_order': False, 'shape': (";
  header += joined(view.sizes, ", ", [](int64_t size) { return std::to_string(size); });
  header += view.rank() == 1 ? ",), }" : "), }";
  size_t before = kMagic.size() + 4;  // the version and the length
  size_t padding = kAlignment - (before + header.size() + 1) % kAlignment;
  header += std::string(padding % kAlignment, ' ') + "\n";

  std::string file(kMagic);
  file += {'\x01', '\x00', static_cast<char>(header.size() & 0xFF),
           static_cast<char>(header.size() >> 8)};
  file += header;
  // Line by line along the last dimension.
  std::vector<int64_t> lines = view.sizes;
  int64_t length = lines.empty() ? 1 : lines.back(), step = lines.empty() ? 1 : view.strides.back();
  if (!lines.empty()) lines.back() = std::min<int64_t>(length, 1);
  file.reserve(file.size() +
               static_cast<size_t>(elementCount(view.sizes).value_or(0)) * type.bytes());
  forEachIndex(lines, [&](std::span<const int64_t> index) {
    auto* line = reinterpret_cast<const char*>(view.address(index));
    const auto bytes = static_cast<int64_t>(type.bytes());
    if (step == 1)
      file.append(line, static_cast<size_t>(length * bytes));
    else
      for (int64_t i = 0; i < length; ++i) file.append(line + i * step * bytes, type.bytes());
  });
  return file;
}

Result<View> seenAs(View view, ScalarType type) {
  if (info(type).isPacked()) return unpackedRows(view, type);
  if (view.type != travelsAs(type))
    return Reason{std::string(info(type).name) + " data comes as uint" +
                  std::to_string(info(type).bits) + ", not " + std::string(info(view.type).name)};
  view.type = type;
  return view;
}

}  // namespace einc::interp
