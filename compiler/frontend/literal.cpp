// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/literal.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace einc::frontend {
namespace {

bool isHex(std::string_view text) {
  return text.size() > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

const llvm::fltSemantics& semanticsOf(ir::ScalarType type) {
  switch (type) {
    case ir::ScalarType::F16:
      return llvm::APFloat::IEEEhalf();
    case ir::ScalarType::BF16:
      return llvm::APFloat::BFloat();
    case ir::ScalarType::F32:
      return llvm::APFloat::IEEEsingle();
    default:
      return llvm::APFloat::IEEEdouble();
  }
}

Result<ir::Number> parseInteger(std::string_view text, bool negative, const ir::TypeInfo& type) {
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
  return ir::Number{0.0, bits & (~uint64_t{0} >> (64 - type.bits))};
}

Result<ir::Number> parseFloat(std::string_view text, bool negative, const ir::TypeInfo& type) {
  std::string spelling(text);
  if (isIntegerSpelling(text)) {
    // An integer in a float context: its digits, exact up to 2^63.
    llvm::StringRef digits(text.data(), text.size());
    int64_t value;
    if (isHex(text) ? digits.drop_front(2).getAsInteger(16, value) : digits.getAsInteger(10, value))
      return Reason{"'" + spelling + "' is past 2^63 - 1; write it as " + spelling + ".0"};
    spelling = std::to_string(value);
  }
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
  return ir::Number{number.convertToDouble(), 0};
}

}  // namespace

bool isIntegerSpelling(std::string_view text) {
  if (isHex(text)) {
    text.remove_prefix(2);
    return !text.empty() && text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
  }
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

Result<ir::Number> parseLiteral(std::string_view text, bool negative, ir::ScalarType type) {
  const ir::TypeInfo& t = ir::info(type);
  if (text.size() > 4096) return Reason{"this number has too many digits"};
  if (t.isFloat()) return parseFloat(text, negative, t);
  if (!isIntegerSpelling(text)) {
    bool isNumber = static_cast<bool>(parseFloat(text, negative, ir::info(ir::ScalarType::F64)));
    return Reason{"'" + std::string(text) + "' is not " +
                  (isNumber ? "a value of " + std::string(t.name) : "a number")};
  }
  if (t.cls == ir::TypeClass::Bool)
    return Reason{"'" + std::string(text) + "' is not a bool; write true or false"};
  return parseInteger(text, negative, t);
}

}  // namespace einc::frontend
