// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/functions.h"

#include <algorithm>
#include <utility>

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace einc::frontend {
namespace {

using ir::Function;

// Historic stems, behind one of the prefixes std_, math_, arith_ or none, or in camel case with
// "Op" at the end: addf, AddFOp.
struct Stem {
  std::string_view name;
  Function function;
  OperandClass operands;
};
constexpr Stem kStems[] = {
    {"addf", Function::Add, OperandClass::Float},
    {"addi", Function::Add, OperandClass::Integer},
    {"subf", Function::Sub, OperandClass::Float},
    {"subi", Function::Sub, OperandClass::Integer},
    {"mulf", Function::Mul, OperandClass::Float},
    {"muli", Function::Mul, OperandClass::Integer},
    {"divf", Function::Div, OperandClass::Float},
    {"divi", Function::Div, OperandClass::Integer},
    {"divsi", Function::Div, OperandClass::Signed},
    {"divi_signed", Function::Div, OperandClass::Signed},
    {"signeddivi", Function::Div, OperandClass::Signed},
    {"div_signed", Function::Div, OperandClass::Signed},
    {"divui", Function::Div, OperandClass::Unsigned},
    {"divi_unsigned", Function::Div, OperandClass::Unsigned},
    {"unsigneddivi", Function::Div, OperandClass::Unsigned},
    {"div_unsigned", Function::Div, OperandClass::Unsigned},
    {"remf", Function::Rem, OperandClass::Float},
    {"remi", Function::Rem, OperandClass::Integer},
    {"remsi", Function::Rem, OperandClass::Signed},
    {"remi_signed", Function::Rem, OperandClass::Signed},
    {"remui", Function::Rem, OperandClass::Unsigned},
    {"remi_unsigned", Function::Rem, OperandClass::Unsigned},
    {"mod", Function::Rem, OperandClass::Any},
    {"maxf", Function::Max, OperandClass::Float},
    {"maximumf", Function::Max, OperandClass::Float},
    {"maxi", Function::Max, OperandClass::Integer},
    {"maxsi", Function::Max, OperandClass::Signed},
    {"max_signed", Function::Max, OperandClass::Signed},
    {"maxui", Function::Max, OperandClass::Unsigned},
    {"max_unsigned", Function::Max, OperandClass::Unsigned},
    {"minf", Function::Min, OperandClass::Float},
    {"minimumf", Function::Min, OperandClass::Float},
    {"mini", Function::Min, OperandClass::Integer},
    {"minsi", Function::Min, OperandClass::Signed},
    {"min_signed", Function::Min, OperandClass::Signed},
    {"minui", Function::Min, OperandClass::Unsigned},
    {"min_unsigned", Function::Min, OperandClass::Unsigned},
    {"powf", Function::Pow, OperandClass::Float},
    {"fmaf", Function::Fma, OperandClass::Float},
    {"negf", Function::Neg, OperandClass::Float},
    {"absf", Function::Abs, OperandClass::Float},
    {"absi", Function::Abs, OperandClass::Integer},
    {"ceilf", Function::Ceil, OperandClass::Float},
    {"floorf", Function::Floor, OperandClass::Float},
    {"andi", Function::And, OperandClass::Any},
    {"ori", Function::Or, OperandClass::Any},
    {"xori", Function::Xor, OperandClass::Any},
    {"shiftleft", Function::Shl, OperandClass::Integer},
    {"shli", Function::Shl, OperandClass::Integer},
    {"shrsi", Function::Shr, OperandClass::Signed},
    {"signedshiftright", Function::Shr, OperandClass::Signed},
    {"shrui", Function::Shr, OperandClass::Unsigned},
    {"unsignedshiftright", Function::Shr, OperandClass::Unsigned},
    {"cmpf_oeq", Function::Eq, OperandClass::Float},
    {"cmpf_une", Function::Ne, OperandClass::Float},
    {"cmpf_olt", Function::Lt, OperandClass::Float},
    {"cmpf_ole", Function::Le, OperandClass::Float},
    {"cmpf_ogt", Function::Gt, OperandClass::Float},
    {"cmpf_oge", Function::Ge, OperandClass::Float},
    {"cmpi_eq", Function::Eq, OperandClass::Integer},
    {"cmpi_ne", Function::Ne, OperandClass::Integer},
    {"cmpi_slt", Function::Lt, OperandClass::Signed},
    {"slt", Function::Lt, OperandClass::Signed},
    {"cmpi_sle", Function::Le, OperandClass::Signed},
    {"sle", Function::Le, OperandClass::Signed},
    {"cmpi_sgt", Function::Gt, OperandClass::Signed},
    {"sgt", Function::Gt, OperandClass::Signed},
    {"cmpi_sge", Function::Ge, OperandClass::Signed},
    {"sge", Function::Ge, OperandClass::Signed},
    {"cmpi_ult", Function::Lt, OperandClass::Unsigned},
    {"ult", Function::Lt, OperandClass::Unsigned},
    {"cmpi_ule", Function::Le, OperandClass::Unsigned},
    {"ule", Function::Le, OperandClass::Unsigned},
    {"cmpi_ugt", Function::Gt, OperandClass::Unsigned},
    {"ugt", Function::Gt, OperandClass::Unsigned},
    {"cmpi_uge", Function::Ge, OperandClass::Unsigned},
    {"uge", Function::Ge, OperandClass::Unsigned},
};

std::optional<FunctionName> findStem(std::string_view stem) {
  if (auto function = ir::parseFunction(stem)) return FunctionName{*function};
  for (const Stem& s : kStems)
    if (s.name == stem) return FunctionName{s.function, s.operands};
  return std::nullopt;
}

// The name without a dialect prefix; in lower case without "Op" if it is in camel case.
std::string stemOf(std::string_view name) {
  llvm::StringRef ref(name.data(), name.size());
  if (!ref.empty() && llvm::isUpper(ref[0]) && ref.consume_back("Op")) return ref.lower();
  for (llvm::StringRef prefix : {"std_", "math_", "arith_"})
    if (ref.consume_front(prefix)) break;
  return ref.str();
}

}  // namespace

std::optional<FunctionName> findFunction(std::string_view name) { return findStem(stemOf(name)); }

std::optional<CastName> findCast(std::string_view name) {
  constexpr struct {
    std::string_view stem;
    std::string_view prefix;
    OperandClass operand;
  } kCasts[] = {{"sexti", "i", OperandClass::Signed},    {"zexti", "i", OperandClass::Unsigned},
                {"trunci", "i", OperandClass::Integer},  {"extf", "f", OperandClass::Float},
                {"fpext", "f", OperandClass::Float},     {"truncf", "f", OperandClass::Float},
                {"fptrunc", "f", OperandClass::Float},   {"sitofp", "f", OperandClass::Signed},
                {"uitofp", "f", OperandClass::Unsigned}, {"fptosi", "i", OperandClass::Float},
                {"fptoui", "u", OperandClass::Float}};
  std::string stem = stemOf(name);
  size_t digits = stem.find_last_not_of("0123456789") + 1;
  for (const auto& cast : kCasts) {
    if (std::string_view(stem).substr(0, digits) != cast.stem) continue;
    if (auto type = ir::parseType(std::string(cast.prefix) + stem.substr(digits)))
      return CastName{*type, cast.operand};
  }
  return std::nullopt;
}

std::vector<std::string> functionNames() {
  std::vector<std::string> names = {"cast", "cast_signed", "cast_unsigned", "index"};
  for (const ir::FunctionInfo& f : ir::allFunctions()) names.emplace_back(f.name);
  for (const Stem& s : kStems) names.push_back("std_" + std::string(s.name));
  return names;
}

}  // namespace einc::frontend
