// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/literal.h"

#include <charconv>
#include <cmath>

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace einc::ir {
namespace {

bool isHex(std::string_view text) {
  return text.size() > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

const llvm::fltSemantics& semanticsOf(ScalarType type) {
  switch (type) {
    case ScalarType::F8E4M3:
      return llvm::APFloat::Float8E4M3FN();
    case ScalarType::F8E5M2:
      return llvm::APFloat::Float8E5M2();
    case ScalarType::F16:
      return llvm::APFloat::IEEEhalf();
    case ScalarType::BF16:
      return llvm::APFloat::BFloat();
    case ScalarType::F32:
      return llvm::APFloat::IEEEsingle();
    default:
      return llvm::APFloat::IEEEdouble();
  }
}

Result<Number> parseInteger(std::string_view text, bool negative, const TypeInfo& type) {
  std::string spelled = (negative ? "-" : "") + std::string(text);
  std::string range = "'" + spelled + "' does not fit " + std::string(type.name);
  llvm::StringRef digits(text.data(), text.size());
  uint64_t magnitude;
  if (isHex(text) ? digits.drop_front(2).getAsInteger(16, magnitude)
                  : digits.getAsInteger(10, magnitude))
    return Reason{range};
  uint64_t most = ~uint64_t{0} >> (64 - type.bits);
  if (type.isSigned()) most = (most >> 1) + (negative ? 1 : 0);
  if (magnitude > most || (negative && !type.isSigned() && magnitude != 0)) return Reason{range};
  uint64_t bits = negative ? uint64_t{0} - magnitude : magnitude;
  return Number{0.0, bits & (~uint64_t{0} >> (64 - type.bits))};
}

Result<Number> parseFloat(std::string_view text, bool negative, const TypeInfo& type) {
  std::string spelling(text);
  if (isIntegerSpelling(text)) {
    // An integer in a float context: its digits, exact up to 2^63.
    llvm::StringRef digits(text.data(), text.size());
    int64_t value;
    if (isHex(text) ? digits.drop_front(2).getAsInteger(16, value) : digits.getAsInteger(10, value))
      return Reason{"'" + spelling + "' is past 2^63 - 1; write it as " + spelling + ".0"};
    spelling = std::to_string(value);
  }
  // APFloat reads 1e as 1e0.
  bool cut = !llvm::isAlnum(text.back()) ? text.back() != '.' : llvm::isAlpha(text.back());
  if (cut && !isIntegerSpelling(text)) return Reason{"'" + spelling + "' is not a number"};
  llvm::APFloat number(semanticsOf(type.type));
  auto status = number.convertFromString(spelling, llvm::APFloat::rmNearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    return Reason{"'" + std::string(text) + "' is not a number"};
  }
  if (*status & llvm::APFloat::opOverflow)
    return Reason{"'" + std::string(text) + "' is too large for " + std::string(type.name)};
  if (number.isZero() && (*status & llvm::APFloat::opInexact))
    return Reason{"'" + std::string(text) + "' is too small for " + std::string(type.name) +
                  ": it would be zero"};
  if (negative) number.changeSign();
  bool inexact;
  number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &inexact);
  return Number{number.convertToDouble(), 0};
}

// The reason why there is none names the element.
Result<Number> parseElement(llvm::StringRef whole, ScalarType type) {
  llvm::StringRef text = whole.trim();
  if (info(type).cls == TypeClass::Bool && (text == "true" || text == "false"))
    return Number{0.0, text == "true" ? 1u : 0u};
  bool negative = text.consume_front("-");
  if (text.empty() || !(llvm::isDigit(text[0]) || text[0] == '.'))
    return Reason{"expected a number, found '" + whole.str() + "'"};
  return parseLiteral({text.data(), text.size()}, negative, type);
}

// The first decimal, by number of digits, that is this value in the type; without a sign.
std::string shortestDecimal(ScalarType type, double magnitude) {
  constexpr int kMaxDigits = 17;
  for (int digits = 1;; ++digits) {
    char buffer[40], *limit = buffer + sizeof buffer;
    auto general = std::chars_format::general;
    char* end = std::to_chars(buffer, limit, magnitude, general, digits).ptr;
    double rounded = magnitude;
    std::from_chars(buffer, end, rounded);
    std::string text(buffer, std::to_chars(buffer, limit, rounded).ptr);
    if (isIntegerSpelling(text)) text += ".0";
    auto back = parseFloat(text, /*negative=*/false, info(type));
    if (digits == kMaxDigits || (back && back->asFloat == magnitude)) return text;
  }
}

}  // namespace

bool isIntegerSpelling(std::string_view text) {
  if (isHex(text)) {
    text.remove_prefix(2);
    return !text.empty() &&
           text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
  }
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

Result<Number> parseLiteral(std::string_view text, bool negative, ScalarType type) {
  const TypeInfo& t = info(type);
  if (text.size() > 4096) return Reason{"this number has too many digits"};
  if (t.isFloat()) return parseFloat(text, negative, t);
  if (!isIntegerSpelling(text)) {
    bool isNumber = static_cast<bool>(parseFloat(text, negative, info(ScalarType::F64)));
    return Reason{"'" + std::string(text) + "' is not " +
                  (isNumber ? "a value of " + std::string(t.name) : "a number")};
  }
  if (t.cls == TypeClass::Bool)
    return Reason{"'" + std::string(text) + "' is not a bool; write true or false"};
  return parseInteger(text, negative, t);
}

Result<std::vector<Number>> parseElements(const Attribute& attribute, std::string_view text,
                                          char separator) {
  std::vector<Number> values;
  llvm::SmallVector<llvm::StringRef, 4> parts;
  if (!text.empty()) llvm::StringRef(text.data(), text.size()).split(parts, separator);
  for (llvm::StringRef part : parts) {
    auto value = parseElement(part, attribute.type);
    if (!value) return Reason{value.reason()};
    values.push_back(*value);
  }
  if (attribute.list) return values;
  auto wanted = static_cast<size_t>(attribute.elementCount());
  if (values.size() == 1) values.resize(wanted, values[0]);
  if (values.size() != wanted)
    return Reason{"expected " + std::to_string(wanted) + (wanted == 1 ? " value" : " values") +
                  ", found " + std::to_string(parts.size())};
  return values;
}

bool isValueOf(ScalarType type, const Number& number) {
  const TypeInfo& t = info(type);
  if (t.isFloat()) {
    if (std::isnan(number.asFloat)) return number.asBits == 0;
    llvm::APFloat value(number.asFloat);
    bool loses;
    value.convert(semanticsOf(type), llvm::APFloat::rmNearestTiesToEven, &loses);
    return number.asBits == 0 && !loses;
  }
  uint64_t most = t.cls == TypeClass::Bool ? 1 : ~uint64_t{0} >> (64 - t.bits);
  return number.asFloat == 0.0 && !std::signbit(number.asFloat) && number.asBits <= most;
}

int64_t signedValue(ScalarType type, const Number& number) {
  if (!info(type).isSigned()) return static_cast<int64_t>(number.asBits);
  unsigned unused = 64 - info(type).bits;
  return static_cast<int64_t>(number.asBits << unused) >> unused;
}

std::string literalText(ScalarType type, const Number& number) {
  const TypeInfo& t = info(type);
  if (t.cls == TypeClass::Bool) return number.asBits ? "true" : "false";
  if (t.cls == TypeClass::Unsigned) return std::to_string(number.asBits);
  if (t.cls == TypeClass::Signed) return std::to_string(signedValue(type, number));
  double magnitude = std::fabs(number.asFloat);
  std::string sign = std::signbit(number.asFloat) ? "-" : "";
  if (std::isnan(magnitude)) return sign + "nan";
  if (std::isinf(magnitude)) return sign + "inf";
  return sign + shortestDecimal(type, magnitude);
}

bool isLiteralName(std::string_view name) {
  if (name == "true" || name == "false") return true;
  if (!name.starts_with("inf_") && !name.starts_with("nan_")) return false;
  auto type = parseType(name.substr(4));
  return type && info(*type).isFloat();
}

}  // namespace einc::ir
