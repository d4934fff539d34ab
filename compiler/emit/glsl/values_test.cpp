// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/glsl/values.h"

#include <gtest/gtest.h>

#include <cmath>

#include "compiler/emit/glsl/rewrite.h"

namespace einc::emit {
namespace {

using affine::Expr;
using ir::Function;
using ir::ScalarType;

class GlslValuesTest : public ::testing::Test {
 protected:
  GlslNames names{[](const affine::Atom& atom) { return atom.name; }};
  GlslPrelude prelude;
  GlslValues values{names, prelude};

  // Of arguments a, b, c, all of that type.
  std::string call(Function function, ScalarType type, int64_t lanes = 1) {
    const ir::FunctionInfo& info = ir::info(function);
    std::vector<std::string> args = {"a", "b", "c"};
    args.resize(info.arity);
    std::vector<GlslType> types(info.arity, {type, lanes});
    if (function == Function::Select) types[0].type = ScalarType::Bool;
    ScalarType result = info.signature == ir::Signature::Compare ? ScalarType::Bool : type;
    return values.call(result, lanes, function, types, args);
  }

  bool hasText(const std::string& part) const {
    return prelude.text().find(part) != std::string::npos;
  }
};

TEST_F(GlslValuesTest, TypesOfRegistersAndStorage) {
  EXPECT_EQ(registerType({ScalarType::BF16}), "float");
  EXPECT_EQ(registerType({ScalarType::I8, 4}), "ivec4");
  EXPECT_EQ(registerType({ScalarType::U16, 2}), "uvec2");
  EXPECT_EQ(registerType({ScalarType::Bool, 4}), "bvec4");
  EXPECT_EQ(registerType({ScalarType::I64}), "int64_t");
  EXPECT_EQ(registerType({ScalarType::U64, 2}), "u64vec2");
  EXPECT_EQ(registerType({ScalarType::F64, 4}), "dvec4");
  EXPECT_EQ(storageType({ScalarType::F16}), "float16_t");
  EXPECT_EQ(storageType({ScalarType::F16, 4}), "f16vec4");
  EXPECT_EQ(storageType({ScalarType::BF16, 2}), "u16vec2");
  EXPECT_EQ(storageType({ScalarType::Bool}), "uint8_t");
  EXPECT_EQ(storageType({ScalarType::I8, 4}), "i8vec4");
  EXPECT_EQ(storageType({ScalarType::F32, 4}), "vec4");
}

TEST_F(GlslValuesTest, OperatorsStayOperators) {
  EXPECT_EQ(call(Function::Add, ScalarType::F32), "a + b");
  EXPECT_EQ(call(Function::Mul, ScalarType::I64, 4), "a * b");
  EXPECT_EQ(call(Function::Lt, ScalarType::F64), "a < b");
  EXPECT_EQ(call(Function::Lt, ScalarType::F64, 2), "lessThan(a, b)");
  EXPECT_EQ(call(Function::Select, ScalarType::I32), "(a ? b : c)");
  EXPECT_EQ(call(Function::Select, ScalarType::I32, 4), "mix(c, b, a)");
  EXPECT_EQ(call(Function::Not, ScalarType::Bool, 4), "not(a)");
  EXPECT_EQ(call(Function::Xor, ScalarType::Bool), "a != b");
  EXPECT_EQ(prelude.text(), "");
}

TEST_F(GlslValuesTest, NarrowIntegersAreWrapped) {
  EXPECT_EQ(call(Function::Add, ScalarType::I8), "bitfieldExtract(a + b, 0, 8)");
  EXPECT_EQ(call(Function::Mul, ScalarType::U16, 2), "(a * b) & 0xffffu");
  EXPECT_EQ(call(Function::Max, ScalarType::I8), "max(a, b)");
  EXPECT_EQ(call(Function::Div, ScalarType::I16), "bitfieldExtract(einc_div_i32(a, b), 0, 16)");
  EXPECT_EQ(call(Function::Div, ScalarType::U8), "einc_div_u32(a, b)");
}

TEST_F(GlslValuesTest, HalvesAreRoundedOnce) {
  EXPECT_EQ(call(Function::Add, ScalarType::F16), "einc_round_f16(a + b)");
  EXPECT_EQ(call(Function::Neg, ScalarType::BF16), "-a");
  EXPECT_EQ(call(Function::Exp, ScalarType::BF16), "einc_round_bf16(einc_exp_f32(a))");
}

TEST_F(GlslValuesTest, ScalarsAreSplat) {
  EXPECT_EQ(values.call(ScalarType::F32, 4, Function::Add,
                        {{ScalarType::F32, 4}, {ScalarType::F32, 1}}, {"a", "b"}),
            "a + vec4(b)");
  EXPECT_EQ(values.splat({ScalarType::F16, 1}, "x"), "x");
}

TEST_F(GlslValuesTest, Casts) {
  auto cast = [&](ScalarType to, ScalarType from, int64_t lanes = 1) {
    return values.cast(to, from, lanes, "x");
  };
  EXPECT_EQ(cast(ScalarType::F32, ScalarType::F16), "x");
  EXPECT_EQ(cast(ScalarType::F32, ScalarType::I8, 4), "vec4(x)");
  EXPECT_EQ(cast(ScalarType::I16, ScalarType::I8), "x");
  EXPECT_EQ(cast(ScalarType::I8, ScalarType::I16), "bitfieldExtract(x, 0, 8)");
  EXPECT_EQ(cast(ScalarType::U8, ScalarType::I64), "uint(x) & 0xffu");
  EXPECT_EQ(cast(ScalarType::Bool, ScalarType::F32, 2), "bvec2(x)");
  EXPECT_EQ(cast(ScalarType::I8, ScalarType::F32), "clamp(einc_to_i32_f32(x), -128, 127)");
  EXPECT_EQ(cast(ScalarType::U16, ScalarType::F64), "min(einc_to_u32_f64(x), 65535u)");
  EXPECT_EQ(cast(ScalarType::F16, ScalarType::F64), "einc_round_f16(einc_odd_f64(x))");
  EXPECT_EQ(cast(ScalarType::BF16, ScalarType::U8), "einc_round_bf16(float(x))");
  EXPECT_EQ(cast(ScalarType::BF16, ScalarType::Bool), "einc_round_bf16(float(x))");
}

TEST_F(GlslValuesTest, Literals) {
  auto number = [&](double value, ScalarType type) { return values.literal(type, {value, 0}); };
  EXPECT_EQ(number(1, ScalarType::F32), "1.0");
  EXPECT_EQ(number(0.1F, ScalarType::F32), "0.1");
  EXPECT_EQ(number(-0.0, ScalarType::F16), "-0.0");
  EXPECT_EQ(number(0.1, ScalarType::F64), "0.1lf");
  EXPECT_EQ(number(HUGE_VAL, ScalarType::F32), "uintBitsToFloat(0x7f800000u)");
  EXPECT_EQ(number(-HUGE_VAL, ScalarType::F64), "packDouble2x32(uvec2(0u, 0xfff00000u))");
  EXPECT_EQ(number(NAN, ScalarType::BF16), "uintBitsToFloat(0x7fc00000u)");
  EXPECT_EQ(number(-0x1p-149, ScalarType::F32), "uintBitsToFloat(0x80000001u)");
  auto integer = [&](uint64_t bits, ScalarType type) { return values.literal(type, {0, bits}); };
  EXPECT_EQ(integer(0xff, ScalarType::I8), "-1");
  EXPECT_EQ(integer(0x80, ScalarType::I8), "-128");
  EXPECT_EQ(integer(0x80000000, ScalarType::I32), "(-2147483647 - 1)");
  EXPECT_EQ(integer(uint64_t{1} << 63, ScalarType::I64), "(-9223372036854775807l - 1l)");
  EXPECT_EQ(integer(7, ScalarType::U64), "7ul");
  EXPECT_EQ(integer(7, ScalarType::U8), "7u");
  EXPECT_EQ(integer(1, ScalarType::Bool), "true");
}

TEST_F(GlslValuesTest, Storage) {
  EXPECT_EQ(values.fromStorage(ScalarType::F32, 4, "x"), "x");
  EXPECT_EQ(values.fromStorage(ScalarType::F16, 1, "x"), "float(x)");
  EXPECT_EQ(values.fromStorage(ScalarType::BF16, 4, "x"), "uintBitsToFloat(uvec4(x) << 16)");
  EXPECT_EQ(values.fromStorage(ScalarType::Bool, 1, "x"), "(uint(x) != 0u)");
  EXPECT_EQ(values.fromStorage(ScalarType::Bool, 2, "x"), "notEqual(uvec2(x), uvec2(0u))");
  EXPECT_EQ(values.toStorage(ScalarType::I16, 2, "x"), "i16vec2(x)");
  EXPECT_EQ(values.toStorage(ScalarType::BF16, 1, "x"), "uint16_t(floatBitsToUint(x) >> 16)");
  EXPECT_EQ(values.toStorage(ScalarType::Bool, 4, "x"), "u8vec4(uvec4(x))");
}

TEST_F(GlslValuesTest, Indices) {
  Expr i = Expr::iterator("i"), m = Expr::symbol("M");
  EXPECT_EQ(values.index(i * m + Expr::constant(3) - i), "i * M - i + 3");
  EXPECT_EQ(values.index(i.floorDiv(m) + i.mod(m) + i.ceilDiv(m)),
            "einc_floordiv_i32(i, M) + einc_floormod_i32(i, M) + einc_ceildiv_i32(i, M)");
  EXPECT_EQ(values.index(Expr()), "0");
  EXPECT_EQ(values.longIndex(i * Expr::constant(2)), "einc_widen_i32(i) * 2l");
  EXPECT_EQ(values.longIndex(i.floorDiv(m)),
            "einc_floordiv_i64(einc_widen_i32(i), einc_widen_i32(M))");
}

TEST_F(GlslValuesTest, ExtensionsAndFeaturesAreThoseOfTheTypes) {
  EXPECT_EQ(prelude.extensions(), "");
  prelude.needType(ScalarType::F16, false);
  prelude.needType(ScalarType::F32, true);
  EXPECT_TRUE(prelude.features().empty());
  prelude.needType(ScalarType::BF16, true);
  prelude.needType(ScalarType::Bool, true);
  EXPECT_EQ(prelude.features(), (std::set<std::string>{"storage_16", "storage_8"}));
  EXPECT_EQ(prelude.extensions(),
            "#extension GL_EXT_shader_16bit_storage : require\n"
            "#extension GL_EXT_shader_8bit_storage : require\n");
  prelude.needType(ScalarType::F64, false);
  prelude.needType(ScalarType::U64, true);
  EXPECT_EQ(prelude.features(), (std::set<std::string>{"f64", "int64", "storage_16", "storage_8"}));
}

TEST_F(GlslValuesTest, FunctionsMayNeedMoreThanTheirTypes) {
  call(Function::Add, ScalarType::F64);
  EXPECT_EQ(prelude.features(), (std::set<std::string>{"f64"}));
  call(Function::Max, ScalarType::F64);
  EXPECT_EQ(prelude.features(), (std::set<std::string>{"f64", "int64"}));
}

TEST_F(GlslValuesTest, ChunksNameTheFeaturesOfTheirTexts) {
  for (const std::string& chunk : GlslPrelude::allChunks()) {
    GlslPrelude own;
    own.need(chunk);
    const std::string text = own.text();
    std::set<std::string> features;
    if (text.find("double") != std::string::npos) features.insert("f64");
    if (text.find("nt64") != std::string::npos) features.insert("int64");
    EXPECT_EQ(own.features(), features) << chunk;
  }
}

TEST_F(GlslValuesTest, ThePreludeHasWhatIsCalledOnce) {
  call(Function::Sinh, ScalarType::F32);
  EXPECT_TRUE(hasText("precise float einc_expm1_quarter_f32(float x) {"));
  EXPECT_LT(prelude.text().find("einc_expm1_quarter_f32(float"),
            prelude.text().find("einc_sinh_f32(float"));
  EXPECT_FALSE(hasText("vec4"));
  call(Function::Sinh, ScalarType::F32, 4);
  EXPECT_TRUE(
      hasText("vec4 einc_sinh_f32(vec4 x) {\n  return vec4(einc_sinh_f32(x.x), einc_sinh_f32(x.y), "
              "einc_sinh_f32(x.z), einc_sinh_f32(x.w));\n}\n"));
  EXPECT_FALSE(hasText("_f64"));
  EXPECT_FALSE(hasText("/*@"));
}

TEST(GlslTextTest, CBecomesGlsl) {
  EXPECT_EQ(glslOfC("/* 2.0f stays. */\n"
                    "EINC_INLINE einc_f32x16 einc_f_f32x16(einc_f32x16 x) {\n"
                    "  const einc_f32x16 zero = {0}, half = x * 0x1p-1f;\n"
                    "  const einc_u32x16 n = einc_bits_f32x16(x) << 3;\n"
                    "  const einc_f32x16 y = einc_select_f32x16(x > 89.0f, zero + 89.0f, x);\n"
                    "  return half + einc_select_f32x16(\n"
                    "      y < INFINITY, einc_g_f32x16(y, half), zero);\n"
                    "}\n"),
            "/* 2.0f stays. */\n"
            "precise float einc_f_f32(float x) {\n"
            "  const float halved = x * 0.5;\n"
            "  const uint n = floatBitsToUint(x) << 3;\n"
            "  const float y = x > 89.0 ? 89.0 : x;\n"
            "  return halved + (y < uintBitsToFloat(0x7f800000u) ? einc_g_f32(y, halved) : 0.0);\n"
            "}\n");
  EXPECT_EQ(
      glslOfC("EINC_INLINE einc_f64x16 einc_f_f64x16(einc_f64x16 x) {\n"
              "  return einc_of_bits_f64x16(einc_bits_f64x16(x) & UINT64_C(0xff)) * 1.5;\n}\n"),
      "precise double einc_f_f64(double x) {\n"
      "  return uint64BitsToDouble(doubleBitsToUint64(x) & 0xfful) * 1.5lf;\n}\n");
}

TEST(GlslTextTest, Widening) {
  EXPECT_EQ(widened("int einc_f_i32(int a) { return a >> 31; }"),
            "int64_t einc_f_i64(int64_t a) { return a >> 63; }");
  EXPECT_EQ(widened("vec2 einc_f_f32(float a, int n) { return vec2(a * 1.5, 31); }"),
            "dvec2 einc_f_f64(double a, int n) { return dvec2(a * 1.5lf, 31); }");
  EXPECT_EQ(widened("exp_f32"), "exp_f64");
  EXPECT_EQ(widened("to_i32_f32"), "to_i32_f64");
}

}  // namespace
}  // namespace einc::emit
