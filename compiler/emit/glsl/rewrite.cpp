// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/glsl/rewrite.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <sstream>
#include <vector>

#include "compiler/emit/text/replace.h"

namespace einc::emit {
namespace {

bool isWordChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// One past the word or number at `begin`: "einc_exp_f32", "0x1.8p+23f", "1.5e-8".
size_t endOfWord(const std::string& text, size_t begin) {
  bool isNumber = std::isdigit(static_cast<unsigned char>(text[begin])) != 0;
  size_t at = begin;
  while (at < text.size()) {
    bool isSign = text[at] == '+' || text[at] == '-';
    char last = at > begin ? text[at - 1] : ' ';
    bool isExponent = text.compare(begin, 2, "0x") == 0 ? last == 'p' : last == 'e';
    bool isPart = isWordChar(text[at]) || (isNumber && (text[at] == '.' || (isSign && isExponent)));
    if (!isPart) break;
    ++at;
  }
  return at;
}

// The text with each word and number outside comments replaced.
std::string mapWords(const std::string& text,
                     const std::function<std::string(const std::string&)>& replace) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    if (text.compare(at, 2, "/*") == 0) {
      size_t close = text.find("*/", at);
      end = close == std::string::npos ? text.size() : close + 2;
    } else if (isWordChar(text[at])) {
      end = endOfWord(text, at);
      result += replace(text.substr(at, end - at));
      at = end;
      continue;
    }
    result += text.substr(at, end - at);
    at = end;
  }
  return result;
}

bool isNumber(const std::string& word) {
  return std::isdigit(static_cast<unsigned char>(word[0])) != 0;
}

// The arguments of the call whose parenthesis opens at `open`; `end` is one past its closing one.
std::vector<std::string> argumentsAt(const std::string& text, size_t open, size_t& end) {
  std::vector<std::string> arguments(1);
  int depth = 0;
  for (end = open + 1; end < text.size(); ++end) {
    char c = text[end];
    if (c == ')' && depth-- == 0) break;
    if (c == '(') ++depth;
    if (c == ',' && depth == 0)
      arguments.emplace_back();
    else if (c != '\n' &&
             !(c == ' ' && (arguments.back().empty() || arguments.back().back() == ' ')))
      arguments.back() += c;
  }
  ++end;
  return arguments;
}

// einc_select_f32x16(x < y, a, b) as (x < y ? a : b), without parentheses of its own where it is
// all that is assigned or returned.
void replaceSelects(std::string& text) {
  for (size_t at = 0; (at = text.find("einc_select_", at)) != std::string::npos;) {
    size_t open = text.find('(', at), end = 0;
    std::vector<std::string> a = argumentsAt(text, open, end);
    bool isAssigned = text.compare(at - 2, 2, "= ") == 0 || text.compare(at - 7, 7, "return ") == 0;
    bool isAll = (text[end] == ';' || text[end] == ',') && isAssigned;
    std::string choice = a[0] + " ? " + a[1] + " : " + a[2];
    text.replace(at, end - at, isAll ? choice : "(" + choice + ")");
  }
}

// A constant in all lanes is written `zero + c` in C.
void removeZeros(std::string& text, const std::string& vector) {
  replaceAll(text, "  const " + vector + " zero = {0};\n", "");
  const std::string first = "zero = {0},";  // of several, the next perhaps on a line of its own
  for (size_t at = 0; (at = text.find(first, at)) != std::string::npos;)
    text.erase(at, text.find_first_not_of(" \n", at + first.size()) - at);
  replaceAll(text, "zero + ", "");
  replaceAll(text, "zero - ", "-");
}

std::string hexDigits(uint64_t bits) {
  std::ostringstream text;
  text << "0x" << std::hex << bits;
  return text.str();
}

}  // namespace

std::string floatText(double value, bool isDouble) {
  if (!std::isfinite(value)) {
    uint32_t bits = std::isnan(value) ? 0x7fc00000U : 0x7f800000U;
    if (isDouble) bits = std::isnan(value) ? 0x7ff80000U : 0x7ff00000U;
    if (std::signbit(value) && !std::isnan(value)) bits |= 0x80000000U;
    return isDouble ? "packDouble2x32(uvec2(0u, " + hexDigits(bits) + "u))"
                    : "uintBitsToFloat(" + hexDigits(bits) + "u)";
  }
  if (!isDouble && value != 0 && std::fabs(value) < 0x1p-126) {
    auto digits = static_cast<uint32_t>(std::ldexp(std::fabs(value), 149));
    return "uintBitsToFloat(" + hexDigits(digits | (value < 0 ? 0x80000000U : 0U)) + "u)";
  }
  char buffer[40];
  auto end = isDouble
                 ? std::to_chars(buffer, buffer + sizeof buffer, value).ptr
                 : std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(value)).ptr;
  std::string text(buffer, end);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return isDouble ? text + "lf" : text;
}

bool isGlslOwn(const std::string& chunk) {
  return chunk.starts_with("f32x") || chunk.starts_with("f64x") || chunk.starts_with("select_") ||
         chunk.starts_with("bits_") || chunk.starts_with("of_bits_");
}

std::string withoutLanes(const std::string& chunk) { return chunk.substr(0, chunk.rfind('x')); }

std::string glslOfC(const std::string& text) {
  static const std::map<std::string, std::string> words = {
      {"EINC_INLINE", "precise"},
      {"half", "halved"},  // reserved in GLSL
      {"einc_f32x16", "float"},
      {"einc_f64x16", "double"},
      {"einc_u32x16", "uint"},
      {"einc_u64x16", "uint64_t"},
      {"einc_bits_f32x16", "floatBitsToUint"},
      {"einc_bits_f64x16", "doubleBitsToUint64"},
      {"einc_of_bits_f32x16", "uintBitsToFloat"},
      {"einc_of_bits_f64x16", "uint64BitsToDouble"}};
  bool isDouble = text.find("EINC_INLINE einc_f64x16") != std::string::npos;
  std::string result = text;
  removeZeros(result, isDouble ? "einc_f64x16" : "einc_f32x16");
  replaceSelects(result);
  result = mapWords(result, [&](const std::string& word) -> std::string {
    if (auto found = words.find(word); found != words.end()) return found->second;
    if (word == "zero") return floatText(0, isDouble);
    if (word == "INFINITY") return floatText(HUGE_VAL, isDouble);
    if (word == "NAN") return floatText(NAN, isDouble);
    if (word.ends_with("x16")) return withoutLanes(word);
    bool isFloat = word.find_first_of(".p") != std::string::npos;
    return isNumber(word) && isFloat ? floatText(std::strtod(word.c_str(), nullptr), isDouble)
                                     : word;
  });
  // UINT64_C(0x4338) is 0x4338ul.
  for (size_t at = 0; (at = result.find("UINT64_C(", at)) != std::string::npos;) {
    size_t end = 0;
    std::string number = argumentsAt(result, result.find('(', at), end)[0];
    result.replace(at, end - at, number + "ul");
  }
  return result;
}

bool isOfFloats(const std::string& text) { return text.find("_f32") != std::string::npos; }

std::string widened(const std::string& text) {
  static const std::map<std::string, std::string> integers = {
      {"int", "int64_t"}, {"uint", "uint64_t"}, {"31", "63"}, {"32", "64"}};
  static const std::map<std::string, std::string> floats = {
      {"float", "double"}, {"vec2", "dvec2"}, {"vec3", "dvec3"}};
  const bool isFloat = isOfFloats(text);
  const auto& words = isFloat ? floats : integers;
  return mapWords(text, [&](const std::string& word) -> std::string {
    if (auto found = words.find(word); found != words.end()) return found->second;
    if (isFloat && isNumber(word) && word.find('.') != std::string::npos) return word + "lf";
    for (const char* type : {"_i32", "_u32", "_f32"})
      if (word.ends_with(type) && isFloat == (type[1] == 'f'))
        return word.substr(0, word.size() - 2) + "64";
    return word;
  });
}

namespace {

// "vec4" for "float".
std::string vectorOf(const std::string& scalar, int64_t lanes) {
  static const std::map<std::string, std::string> vectors = {
      {"float", "vec"}, {"double", "dvec"},    {"bool", "bvec"},      {"int", "ivec"},
      {"uint", "uvec"}, {"int64_t", "i64vec"}, {"uint64_t", "u64vec"}};
  return vectors.at(scalar) + std::to_string(lanes);
}

}  // namespace

std::string overload(const std::string& text, const std::string& name, int64_t lanes) {
  size_t at = text.find(" " + name + "("), line = text.rfind('\n', at), end = 0;
  std::string result = text.substr(line + 1, at - line - 1);  // "precise float"
  result = result.substr(result.rfind(' ') + 1);
  std::string vector = vectorOf(result, lanes), parameters, components;
  std::vector<std::string> names;
  for (const std::string& parameter : argumentsAt(text, text.find('(', at), end)) {
    size_t space = parameter.find(' ');
    names.push_back(parameter.substr(space + 1));
    parameters += (parameters.empty() ? "" : ", ") + vectorOf(parameter.substr(0, space), lanes) +
                  " " + names.back();
  }
  // Long calls stand one a line, below each other.
  bool isLong = lanes * (name.size() + 6 * names.size()) > 80;
  std::string separator = isLong ? ",\n" + std::string(vector.size() + 10, ' ') : ", ";
  for (int64_t lane = 0; lane < lanes; ++lane) {
    std::string arguments;
    for (const std::string& each : names)
      arguments += (arguments.empty() ? "" : ", ") + each + "." + "xyzw"[lane];
    components += (lane == 0 ? "" : separator) + name + "(" + arguments + ")";
  }
  return vector + " " + name + "(" + parameters + ") {\n  return " + vector + "(" + components +
         ");\n}\n";
}

}  // namespace einc::emit
