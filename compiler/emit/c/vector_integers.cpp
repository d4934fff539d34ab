// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// VectorPrinter: functions of integers that are made for a type, as what is exact differs from type to type.
#include <algorithm>

#include "compiler/emit/c/vectors.h"

namespace einc::emit {

using ir::Function;
using ir::ScalarType;

namespace {

// An integer's ends, in C: as floats, where `end` is above the largest, which is `last`, and as its own type.
struct Ends {
  Ends(const ir::TypeInfo& type, bool isSingle) {
    const std::string suffix = isSingle ? "f" : "", bits = std::to_string(type.bits);
    const bool isSigned = type.isSigned();
    end = "0x1p" + std::to_string(type.bits - (isSigned ? 1 : 0)) + suffix;
    begin = isSigned ? "-" + end : "0.0" + suffix;
    const std::string constant = (isSigned ? "INT" : "UINT") + bits;
    least = type.isPacked() ? "-8" : constant + "_MIN";
    most = type.isPacked() ? (isSigned ? "7" : "15") : constant + "_MAX";
    last = std::to_string((int64_t{1} << std::min(type.bits - (isSigned ? 1 : 0), 62U)) - 1) +
           ".0" + suffix;
  }
  std::string end, begin, last, least, most;
};

}  // namespace

// To integers toward zero; NaN is 0, and what is too large the largest. Where floats have the ends, they are cut off there:
//
//   EINC_INLINE einc_i8x16 einc_saturate_i8_f32x16(einc_f32x16 a) {
//     const einc_f32x16 zero = {0}, least = zero + -0x1p7f, most = zero + 127.0f;
//     const einc_f32x16 number = einc_select_f32x16((einc_mask_f32x16)(a == a), a, zero);
//     const einc_f32x16 low = einc_select_f32x16((einc_mask_f32x16)(number > least), number, least);
//     return __builtin_convertvector(einc_select_f32x16((einc_mask_f32x16)(low < most), low, most), einc_i8x16);
//   }
std::string VectorPrinter::saturated(ScalarType type, ScalarType from, int64_t lanes) {
  const ir::TypeInfo& t = ir::info(type);
  const std::string source = vectorName(from, lanes), target = vectorName(type, lanes);
  const std::string name = "saturate_" + std::string(t.name) + "_" + source;
  if (vectors_.has(name)) return vectors_.need(name);
  const bool isSingle = registerType(from) == ScalarType::F32;
  if (t.bits > (isSingle ? 16U : 32U)) return saturatedWide(type, from, lanes);
  const Ends ends(t, isSingle);
  const std::string floats = vectors_.need(source), ints = vectors_.need(target),
                    mask = vectors_.need("mask_" + source),
                    select = vectors_.need("select_" + source);
  auto selected = [&](const std::string& test, const std::string& one, const std::string& other) {
    return select + "((" + mask + ")(" + test + "), " + one + ", " + other + ")";
  };
  std::string text = "/* NaN is 0, and what is beyond either end that end. */\nEINC_INLINE " +
                     ints + " einc_" + vectors_.suffix() + name + "(" + floats + " a) {\n";
  text += "  const " + floats + " zero = {0}, least = zero + " + ends.begin + ", most = zero + " +
          ends.last + ";\n";
  // NaN is not above 0.
  if (t.isSigned())
    text += "  const " + floats + " number = " + selected("a == a", "a", "zero") + ";\n";
  const std::string number = t.isSigned() ? "number" : "a";
  text += "  const " + floats + " low = " + selected(number + " > least", number, "least") +
          ";\n  return __builtin_convertvector(" + selected("low < most", "low", "most") + ", " +
          ints + ");\n}\n";
  return vectors_.add(name, {"inline", "mask_" + source, "select_" + source, target}, text);
}

// Where floats do not have all ends:
//
//   EINC_INLINE einc_i32x16 einc_saturate_i32_f32x16(einc_f32x16 a) {
//     const einc_mask_f32x16 low = (einc_mask_f32x16)(a < -0x1p31f), high = (einc_mask_f32x16)(a >= 0x1p31f);
//     const einc_f32x16 inside = (einc_f32x16)((einc_mask_f32x16)a & ~(low | high | (einc_mask_f32x16)(a != a)));
//     return (__builtin_convertvector(low, einc_i32x16) & INT32_MIN) | (__builtin_convertvector(high, einc_i32x16) &
//            INT32_MAX) | __builtin_convertvector(inside, einc_i32x16);
//   }
std::string VectorPrinter::saturatedWide(ScalarType type, ScalarType from, int64_t lanes) {
  const ir::TypeInfo& t = ir::info(type);
  const std::string source = vectorName(from, lanes), target = vectorName(type, lanes);
  const std::string name = "saturate_" + std::string(t.name) + "_" + source;
  const Ends ends(t, registerType(from) == ScalarType::F32);
  const std::string floats = vectors_.need(source), ints = vectors_.need(target);
  const std::string mask = vectors_.need("mask_" + source);
  auto converted = [&](const std::string& what) {
    return "__builtin_convertvector(" + what + ", " + ints + ")";
  };
  std::string text = "/* NaN is 0, and what is beyond either end that end. */\nEINC_INLINE " +
                     ints + " einc_" + vectors_.suffix() + name + "(" + floats + " a) {\n";
  text += "  const " + mask + " low = (" + mask + ")(a < " + ends.begin + "), high = (" + mask +
          ")(a >= " + ends.end + ");\n";
  text += "  const " + floats + " inside = (" + floats + ")((" + mask + ")a & ~(low | high | (" +
          mask + ")(a != a)));\n  return ";
  if (t.isSigned()) text += "(" + converted("low") + " & " + ends.least + ") | ";
  text += "(" + converted("high") + " & " + ends.most + ") |\n         " + converted("inside") +
          ";\n}\n";
  return vectors_.add(name, {"inline", "mask_" + source, target}, text);
}

// Integers of up to 32 bits are divided as floats that hold more than twice their digits: the quotient is not rounded to
// the next integer, as it is at least one part in the divisor below it.
//
//   EINC_INLINE einc_i32x8 einc_div_i32x8(einc_i32x8 a, einc_i32x8 b) {
//     const einc_i32x8 zero = {0};
//     const einc_mask_i32x8 none = (einc_mask_i32x8)(b == zero), minus = (einc_mask_i32x8)(b == zero - 1);
//     const einc_f64x8 by = __builtin_convertvector(einc_select_i32x8(none | minus, zero + 1, b), einc_f64x8);
//     const einc_i32x8 q = __builtin_convertvector(__builtin_convertvector(a, einc_f64x8) / by, einc_i32x8);
//     return einc_select_i32x8(none, zero, einc_select_i32x8(minus, einc_neg_i32x8(a), q));
//   }
std::optional<std::string> VectorPrinter::quotient(Function f, ScalarType type, int64_t lanes) {
  const ir::TypeInfo& t = ir::info(type);
  if (t.bits > 32 || !t.isInteger()) return std::nullopt;
  const std::string of = vectorName(type, lanes);
  std::string name = std::string(ir::info(f).name) + "_" + of;
  if (vectors_.has(name)) return name;
  const std::string wide = vectorName(t.bits > 16 ? ScalarType::F64 : ScalarType::F32, lanes);
  const std::string v = vectors_.need(of), floats = vectors_.need(wide);
  const std::string mask = vectors_.need("mask_" + of), select = vectors_.need("select_" + of);
  std::vector<std::string> needs = {"inline", "mask_" + of, "select_" + of, wide};
  std::string text =
      "EINC_INLINE " + v + " einc_" + vectors_.suffix() + name + "(" + v + " a, " + v + " b) {\n";
  if (f == Function::Rem) {
    const std::string divide = *quotient(Function::Div, type, lanes);
    needs.push_back("div_" + of);
    for (const char* function : {"mul_", "sub_"})
      if (t.isSigned()) needs.push_back(function + of);
    const std::string q = vectors_.need(divide) + "(a, b)";
    text += "  return " +
            (t.isSigned() ? vectors_.need("sub_" + of) + "(a, " + vectors_.need("mul_" + of) + "(" +
                                q + ", b))"
                          : "a - " + q + " * b") +
            ";\n}\n";
    vectors_.add(name, needs, text);
    return name;
  }
  auto converted = [](const std::string& what, const std::string& to) {
    return "__builtin_convertvector(" + what + ", " + to + ")";
  };
  text += "  const " + v + " zero = {0};\n  const " + mask + " none = (" + mask + ")(b == zero)";
  if (t.isSigned()) text += ", minus = (" + mask + ")(b == zero - 1)";
  text +=
      ";\n  const " + floats + " by = " +
      converted(select + "(none" + (t.isSigned() ? " | minus" : "") + ", zero + 1, b)", floats) +
      ";\n";
  text +=
      "  const " + v + " q = " + converted(converted("a", floats) + " / by", v) + ";\n  return ";
  std::string result = "q";
  if (t.isSigned()) {
    needs.push_back("neg_" + of);
    result = select + "(minus, " + vectors_.need("neg_" + of) + "(a), q)";
  }
  text += select + "(none, zero, " + result + ");\n}\n";
  vectors_.add(name, needs, text);
  return name;
}

}  // namespace einc::emit
