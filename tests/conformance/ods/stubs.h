// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What the C++ of `einc emit --stage=ods-impl` includes: names and signatures of MLIR at the time
// of mlir-linalg-ods-gen. Enough is behind them to run it: an expression, a map or a value is its
// text, in a form that Python evaluates. Sizes and attributes of the op have known values (the size
// of a dimension is 10 * operand + dim + 2, element i of an attribute is i + 3).
#pragma once

#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

template <typename T, unsigned N = 0>
struct SmallVector : std::vector<T> {
  using std::vector<T>::vector;
};
template <typename T>
using ArrayRef = const std::vector<T> &;
using StringRef = std::string_view;

struct MLIRContext {};

// ---- Affine ----

struct AffineExpr {
  std::string text;
  AffineExpr operator-() const { return {"(-" + text + ")"}; }
  AffineExpr floorDiv(const AffineExpr &other) const { return op("//", other.text); }
  AffineExpr floorDiv(uint64_t other) const { return op("//", std::to_string(other)); }
  AffineExpr op(const char *name, const std::string &other) const {
    return {"(" + text + " " + name + " " + other + ")"};
  }
};
#define EINC_AFFINE(OP)                                                     \
  inline AffineExpr operator OP(const AffineExpr &a, const AffineExpr &b) { \
    return a.op(#OP, b.text);                                               \
  }                                                                         \
  inline AffineExpr operator OP(const AffineExpr &a, int64_t b) {           \
    return a.op(#OP, std::to_string(b));                                    \
  }
EINC_AFFINE(+)
EINC_AFFINE(-)
EINC_AFFINE(*)
EINC_AFFINE(%)

inline AffineExpr getAffineDimExpr(unsigned i, MLIRContext *) { return {"d" + std::to_string(i)}; }
inline AffineExpr getAffineSymbolExpr(unsigned i, MLIRContext *) {
  return {"s" + std::to_string(i)};
}
inline AffineExpr getAffineConstantExpr(int64_t value, MLIRContext *) {
  return {"(" + std::to_string(value) + ")"};
}
enum class AffineExprKind { FloorDiv };
inline AffineExpr getAffineBinaryOpExpr(AffineExprKind, const AffineExpr &a, const AffineExpr &b) {
  return a.floorDiv(b);
}
template <typename... Dims>
void bindDims(MLIRContext *context, Dims &...dims) {
  unsigned i = 0;
  ((dims = getAffineDimExpr(i++, context)), ...);
}

struct AffineMap {
  unsigned dims, symbols;
  std::vector<AffineExpr> results;
  static AffineMap get(unsigned dims, unsigned symbols, std::initializer_list<AffineExpr> results) {
    return {dims, symbols, results};
  }
  static AffineMap get(unsigned dims, unsigned symbols, std::initializer_list<AffineExpr> results,
                       MLIRContext *) {
    return {dims, symbols, results};
  }
  // Only what the emitted code asks for: all symbols by constants.
  AffineMap replaceDimsAndSymbols(std::initializer_list<AffineExpr> newDims,
                                  std::vector<AffineExpr> newSymbols, unsigned newDimCount,
                                  unsigned newSymbolCount) const {
    if (newDims.size() != 0 || newSymbols.size() != symbols || newDimCount != dims)
      std::puts("replaceDimsAndSymbols does not fit the map");
    AffineMap map{newDimCount, newSymbolCount, results};
    for (AffineExpr &e : map.results) {
      std::string text;
      for (size_t i = 0; i < e.text.size(); ++i) {
        if (e.text[i] != 's') {
          text += e.text[i];
          continue;
        }
        size_t length;
        text += newSymbols.at(std::stoul(e.text.substr(i + 1), &length)).text;
        i += length;
      }
      e.text = text;
    }
    return map;
  }
};
inline AffineMap simplifyAffineMap(AffineMap map) { return map; }

// ---- What is known of an op ----

struct IntegerAttr {
  int64_t value;
  int64_t getInt() const { return value; }
};
struct Attribute {
  int64_t value;
  template <typename T>
  T cast() const {
    return T{value};
  }
};
struct ArrayAttr {
  Attribute operator[](size_t i) const { return {static_cast<int64_t>(i) + 3}; }
};
struct ElementsAttr {
  std::vector<uint64_t> shape;
  template <typename T>
  T getValue(std::initializer_list<uint64_t> index) const {
    if (index.size() != shape.size()) std::puts("the index has another rank than the attribute");
    uint64_t flat = 0;
    auto size = shape.begin();
    for (uint64_t i : index) flat = flat * *size++ + i;
    return static_cast<T>(flat + 3);
  }
};
struct ShapedType {
  unsigned operand;
  static inline bool dynamic = false;
  bool isDynamicDim(unsigned) const { return dynamic; }
  int64_t getDimSize(unsigned dim) const { return 10 * operand + dim + 2; }
};
struct NamedOp {
  MLIRContext *getContext() { return nullptr; }
  ShapedType getShapedType(unsigned operand) { return {operand}; }
  static StringRef getParallelIteratorTypeName() { return "parallel"; }
  static StringRef getReductionIteratorTypeName() { return "reduction"; }
};

// ---- Regions ----

struct BlockArgument {
  std::string text;
  MLIRContext *getContext() const { return nullptr; }
};
struct Value {
  std::string text;
  Value(const BlockArgument &argument) : text(argument.text) {}
  explicit Value(std::string value) : text(std::move(value)) {}
};
using ValueRange = std::vector<Value>;
struct FloatType {
  std::string text;
#define EINC_FLOAT(NAME) \
  static FloatType get##NAME(MLIRContext *) { return {#NAME}; }
  EINC_FLOAT(F16) EINC_FLOAT(BF16) EINC_FLOAT(F32) EINC_FLOAT(F64)
};
struct IntegerType {
  unsigned width;
  static IntegerType get(MLIRContext *, unsigned width) { return {width}; }
};
struct APFloat {
  std::string text;
#define EINC_SEMANTICS(NAME) \
  static const char *NAME() { return #NAME; }
  // clang-format off
  EINC_SEMANTICS(IEEEhalf)
  EINC_SEMANTICS(BFloat)
  EINC_SEMANTICS(IEEEsingle)
  EINC_SEMANTICS(IEEEdouble)
  // clang-format on
  APFloat(const char *semantics, const char *digits)
      : text(std::string(semantics) + " " + digits) {}
};
enum class CmpFPredicate { OEQ, UNE, OLT, OLE, OGT, OGE };
enum class CmpIPredicate { eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge };

inline std::vector<std::string> yielded;
inline void linalg_yield(const ValueRange &values) {
  for (const Value &v : values) yielded.push_back(v.text);
}

template <typename... Args>
Value called(const char *name, const Args &...args) {
  std::string text;
  ((text += (text.empty() ? "" : ", ") + args.text), ...);
  return Value(std::string(name) + "(" + text + ")");
}
namespace edsc {
namespace intrinsics {
#define EINC_UNARY(NAME) \
  inline Value std_##NAME(const Value &a) { return called(#NAME, a); }
#define EINC_BINARY(NAME) \
  inline Value std_##NAME(const Value &a, const Value &b) { return called(#NAME, a, b); }
EINC_UNARY(negf);
EINC_UNARY(absf);
EINC_UNARY(absi);
EINC_UNARY(signf);
EINC_UNARY(signi);
EINC_UNARY(reciprocal);
EINC_UNARY(sqrt);
EINC_UNARY(rsqrt);
EINC_UNARY(cbrt);
EINC_UNARY(exp);
EINC_UNARY(exp2);
EINC_UNARY(expm1);
EINC_UNARY(log);
EINC_UNARY(log2);
EINC_UNARY(log10);
EINC_UNARY(log1p);
EINC_UNARY(sin);
EINC_UNARY(cos);
EINC_UNARY(tan);
EINC_UNARY(sinh);
EINC_UNARY(cosh);
EINC_UNARY(tanh);
EINC_UNARY(atan);
EINC_UNARY(erf);
EINC_UNARY(ceilf);
EINC_UNARY(floorf);
EINC_UNARY(trunc);
EINC_UNARY(round);
EINC_UNARY(roundeven);
EINC_UNARY(sexti16);
EINC_UNARY(sexti32);
EINC_UNARY(sexti64);
EINC_UNARY(zexti8);
EINC_UNARY(zexti16);
EINC_UNARY(zexti32);
EINC_UNARY(zexti64);
EINC_UNARY(trunci8);
EINC_UNARY(trunci16);
EINC_UNARY(trunci32);
EINC_UNARY(fpext32);
EINC_UNARY(fpext64);
EINC_UNARY(fptrunc16);
EINC_UNARY(fptruncbf16);
EINC_UNARY(fptrunc32);
EINC_UNARY(sitofp16);
EINC_UNARY(sitofpbf16);
EINC_UNARY(sitofp32);
EINC_UNARY(sitofp64);
EINC_UNARY(uitofp16);
EINC_UNARY(uitofpbf16);
EINC_UNARY(uitofp32);
EINC_UNARY(uitofp64);
EINC_UNARY(fptosi8);
EINC_UNARY(fptosi16);
EINC_UNARY(fptosi32);
EINC_UNARY(fptosi64);
EINC_UNARY(fptoui8);
EINC_UNARY(fptoui16);
EINC_UNARY(fptoui32);
EINC_UNARY(fptoui64);
EINC_BINARY(addf);
EINC_BINARY(addi);
EINC_BINARY(subf);
EINC_BINARY(subi);
EINC_BINARY(mulf);
EINC_BINARY(muli);
EINC_BINARY(divf);
EINC_BINARY(divi_signed);
EINC_BINARY(divi_unsigned);
EINC_BINARY(remf);
EINC_BINARY(remi_signed);
EINC_BINARY(remi_unsigned);
EINC_BINARY(maxf);
EINC_BINARY(maxsi);
EINC_BINARY(maxui);
EINC_BINARY(minf);
EINC_BINARY(minsi);
EINC_BINARY(minui);
EINC_BINARY(powf);
EINC_BINARY(powi);
EINC_BINARY(atan2);
EINC_BINARY(and);
EINC_BINARY(or);
EINC_BINARY(xor);
EINC_BINARY(shl);
EINC_BINARY(shrsi);
EINC_BINARY(shrui);
inline Value std_select(const Value &c, const Value &a, const Value &b) {
  return called("select", c, a, b);
}
inline Value std_cmpf(CmpFPredicate p, const Value &a, const Value &b) {
  const char *names[] = {"oeq", "une", "olt", "ole", "ogt", "oge"};
  return called(names[static_cast<int>(p)], a, b);
}
inline Value std_cmpi(CmpIPredicate p, const Value &a, const Value &b) {
  const char *names[] = {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};
  return called(names[static_cast<int>(p)], a, b);
}
inline Value std_constant_int(int64_t value, unsigned width) {
  return Value(std::to_string(value) + " : i" + std::to_string(width));
}
inline Value std_constant_float(const APFloat &value, const FloatType &type) {
  return Value(value.text + " : " + type.text);
}
inline Value std_index_cast(const Value &a, const IntegerType &type) {
  return Value("i" + std::to_string(type.width) + "(" + a.text + ")");
}
inline Value linalg_index(int64_t dim) { return Value("index" + std::to_string(dim)); }
inline Value affine_apply(const AffineMap &map, const ValueRange &values) {
  if (map.dims != values.size() || map.results.size() != 1) std::puts("affine_apply does not fit");
  std::string text = map.results[0].text + " at";
  for (const Value &v : values) text += " " + v.text;
  return Value("(" + text + ")");
}
}  // namespace intrinsics
}  // namespace edsc

// ---- What the test reads ----

template <typename Op>
void show(const char *name, unsigned operands, bool dynamic) {
  ShapedType::dynamic = dynamic;
  Op op;
  std::printf("op %s\n", name);
  auto kinds = op.referenceIterators();
  for (StringRef kind : *kinds)
    std::printf("iterator %.*s\n", static_cast<int>(kind.size()), kind.data());
  auto maps = op.referenceIndexingMaps();
  if (!maps) std::printf("no maps\n");
  for (const AffineMap &map : maps ? *maps : SmallVector<AffineMap, 8>{}) {
    std::printf("map %u", map.dims);
    for (const AffineExpr &e : map.results) std::printf("; %s", e.text.c_str());
    std::printf("\n");
  }
  std::vector<BlockArgument> args;
  for (unsigned i = 0; i < operands; ++i) args.push_back({"_" + std::to_string(i)});
  yielded.clear();
  Op::regionBuilder(args);
  for (const std::string &value : yielded) std::printf("yield %s\n", value.c_str());
}
