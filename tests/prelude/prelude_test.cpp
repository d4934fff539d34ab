// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The prelude of generated C, function by function, against the reference interpreter, which was
// written without it; the overlap search against a list of all addresses.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>
#include <set>

#include "compiler/emit/prelude/checks.h"
#include "compiler/emit/prelude/scalars.h"
#include "compiler/emit/prelude/threads.h"
#include "compiler/ir/scalar.h"

// Each task takes a piece when its turn comes, so that several threads take about as many.
extern "C" int64_t einc_thread_count() { return 4; }
extern "C" void einc_run_on_threads(int64_t threads, void (*task)(void* context, int64_t thread),
                                    void* context) {
  for (int64_t thread = 0; thread < threads; ++thread) task(context, thread);
}

namespace {

using einc::ir::convert;
using einc::ir::Function;
using einc::ir::Number;
using einc::ir::ScalarType;

bool same(double a, double b) {
  return (a != a && b != b) || (a == b && std::signbit(a) == std::signbit(b));
}

// Special values, every power of two with its neighbours, halfway cases, and random bits.
std::vector<double> doubles() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> list = {0.0,          -0.0,      infinity, -infinity,
                              std::nan(""), 65519.999, 65520.0,  5e-324};
  for (int e = -1074; e < 1024; ++e)
    for (double base :
         {1.0, 1.0 + 0x1p-11, 1.0 + 3 * 0x1p-11, 1.0 + 0x1p-8, 1.0 + 3 * 0x1p-8, 1.5}) {
      double value = std::ldexp(base, e);
      for (double near : {value, std::nextafter(value, 0.0), std::nextafter(value, infinity)}) {
        list.push_back(near);
        list.push_back(-near);
      }
    }
  std::mt19937_64 random(7);
  for (int i = 0; i < 200000; ++i) {
    uint64_t bits = random();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    list.push_back(value);
    list.push_back(std::ldexp(static_cast<double>(bits), static_cast<int>(bits % 60) - 90));
  }
  return list;
}

std::vector<int64_t> integers() {
  std::vector<int64_t> list = {INT64_MIN, INT64_MAX, 0, -1, 1};
  for (int e = 0; e < 63; ++e)
    for (int64_t d = -2; d <= 2; ++d) {
      list.push_back((int64_t{1} << e) + d);
      list.push_back(-(int64_t{1} << e) + d);
      // Halfway between neighbours in bf16 and f16, and a little beside that.
      if (e > 10) list.push_back((int64_t{1} << e) + (int64_t{1} << (e - 8)) + d);
      if (e > 12) list.push_back((int64_t{1} << e) + (int64_t{3} << (e - 11)) + d);
    }
  return list;
}

double halfOf(ScalarType type, uint16_t bits) {
  std::byte storage[2];
  std::memcpy(storage, &bits, 2);
  return einc::ir::readElement(type, storage).asFloat;
}

TEST(Allocate, GivesMemoryOrNone) {
  for (uint64_t bytes : {uint64_t{1}, uint64_t{4097}, (uint64_t{1} << 23) - 1, uint64_t{1} << 23,
                         (uint64_t{1} << 24) + 65}) {
    char* memory = einc_allocate(bytes);
    ASSERT_NE(memory, nullptr) << bytes;
    memory[0] = memory[bytes - 1] = 'x';
    std::free(memory);
  }
  EXPECT_EQ(einc_allocate(uint64_t{1} << 62), nullptr);
}

TEST(PreludeTest, LoadsEveryHalf) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    auto half = static_cast<uint16_t>(bits);
    ASSERT_TRUE(same(einc_load_f16(half), halfOf(ScalarType::F16, half))) << bits;
    ASSERT_TRUE(same(einc_load_bf16(half), halfOf(ScalarType::BF16, half))) << bits;
  }
}

TEST(PreludeTest, StoresHalvesWithOneRounding) {
  for (double value : doubles()) {
    ASSERT_TRUE(
        same(einc_round_f16(value), convert({value}, ScalarType::F64, ScalarType::F16).asFloat))
        << value;
    ASSERT_TRUE(
        same(einc_round_bf16(value), convert({value}, ScalarType::F64, ScalarType::BF16).asFloat))
        << value;
  }
}

TEST(PreludeTest, IntegersBecomeHalvesWithOneRounding) {
  for (int64_t value : integers()) {
    Number number{0.0, static_cast<uint64_t>(value)};
    for (ScalarType to : {ScalarType::F16, ScalarType::BF16}) {
      auto round = to == ScalarType::F16 ? einc_round_f16 : einc_round_bf16;
      ASSERT_TRUE(same(round(einc_odd_i64(value)), convert(number, ScalarType::I64, to).asFloat))
          << value;
      ASSERT_TRUE(
          same(round(einc_odd_u64(number.asBits)), convert(number, ScalarType::U64, to).asFloat))
          << number.asBits;
    }
  }
}

TEST(PreludeTest, FloatsBecomeIntegersSaturated) {
  for (double value : doubles()) {
    ASSERT_EQ(static_cast<uint32_t>(einc_to_i32(value)),
              convert({value}, ScalarType::F64, ScalarType::I32).asBits);
    ASSERT_EQ(einc_to_u32(value), convert({value}, ScalarType::F64, ScalarType::U32).asBits);
  }
}

TEST(PreludeTest, IntegerFunctionsOnEdges) {
  const struct {
    Function function;
    int32_t (*asSigned)(int32_t, int32_t);
    uint32_t (*asUnsigned)(uint32_t, uint32_t);
  } functions[] = {
      {Function::Add, einc_add_i32, einc_add_u32}, {Function::Sub, einc_sub_i32, einc_sub_u32},
      {Function::Mul, einc_mul_i32, einc_mul_u32}, {Function::Div, einc_div_i32, einc_div_u32},
      {Function::Rem, einc_rem_i32, einc_rem_u32}, {Function::Max, einc_max_i32, einc_max_u32},
      {Function::Min, einc_min_i32, einc_min_u32}, {Function::Pow, einc_pow_i32, einc_pow_u32},
      {Function::Shl, einc_shl_i32, einc_shl_u32}, {Function::Shr, einc_shr_i32, einc_shr_u32}};
  const int32_t values[] = {
      INT32_MIN, INT32_MIN + 1, -65537, -33,      -32, -31, -3, -2, -1, 0, 1, 2, 3, 7, 31, 32,
      33,        255,           65536,  INT32_MAX};
  for (const auto& f : functions)
    for (int32_t a : values)
      for (int32_t b : values) {
        auto ua = static_cast<uint32_t>(a), ub = static_cast<uint32_t>(b);
        Number args[] = {{0.0, ua}, {0.0, ub}};
        EXPECT_EQ(static_cast<uint32_t>(f.asSigned(a, b)),
                  einc::ir::apply(f.function, ScalarType::I32, args).asBits)
            << einc::ir::info(f.function).name << " " << a << " " << b;
        EXPECT_EQ(f.asUnsigned(ua, ub), einc::ir::apply(f.function, ScalarType::U32, args).asBits)
            << einc::ir::info(f.function).name << " " << ua << " " << ub;
      }
}

TEST(PreludeTest, FloatFunctionsOnEdges) {
  std::vector<float> values = {0.0f,     -0.0f,     1.0f, -1.0f,  0.5f,
                               -0.5f,    1.5f,      2.5f, -2.5f,  8388609.0f,
                               INFINITY, -INFINITY, NAN,  1e-45f, 0.49999997f};
  for (float a : values) {
    Number one[] = {{a}};
    EXPECT_TRUE(same(einc_roundeven_f32(a),
                     einc::ir::apply(Function::RoundEven, ScalarType::F32, one).asFloat))
        << a;
    EXPECT_TRUE(
        same(einc_sign_f32(a), einc::ir::apply(Function::Sign, ScalarType::F32, one).asFloat))
        << a;
    for (float b : values) {
      Number two[] = {{a}, {b}};
      EXPECT_TRUE(
          same(einc_max_f32(a, b), einc::ir::apply(Function::Max, ScalarType::F32, two).asFloat))
          << a << " " << b;
      EXPECT_TRUE(
          same(einc_min_f32(a, b), einc::ir::apply(Function::Min, ScalarType::F32, two).asFloat))
          << a << " " << b;
    }
  }
}

// ---- Overlap ----

struct RandomView {
  int64_t sizes[3], strides[3], offset;
  int rank;
  std::vector<int64_t> elements() const {
    std::vector<int64_t> list = {offset};
    for (int d = 0; d < rank; ++d) {
      std::vector<int64_t> next;
      for (int64_t at : list)
        for (int64_t i = 0; i < sizes[d]; ++i) next.push_back(at + i * strides[d]);
      list = next;
    }
    return list;
  }
  einc_view view(const char* base, size_t element) const {
    return {base, rank, offset, sizes, strides, static_cast<int64_t>(element)};
  }
};

RandomView randomView(std::mt19937& random) {
  RandomView v{};
  v.rank = static_cast<int>(random() % 4);
  v.offset = static_cast<int64_t>(random() % 40) - 20;
  for (int d = 0; d < v.rank; ++d) {
    v.sizes[d] = static_cast<int64_t>(random() % 5);
    v.strides[d] = static_cast<int64_t>(random() % 15) - 7;
  }
  return v;
}

TEST(OverlapTest, SelfOverlapIsExact) {
  std::mt19937 random(3);
  int overlapping = 0;
  for (int round = 0; round < 20000; ++round) {
    RandomView v = randomView(random);
    auto elements = v.elements();
    bool expected = std::set<int64_t>(elements.begin(), elements.end()).size() != elements.size();
    einc_view view = v.view(nullptr, 4);
    ASSERT_EQ(einc_overlaps_itself(&view) != 0, expected) << round;
    overlapping += expected;
  }
  EXPECT_GT(overlapping, 1000);
  EXPECT_LT(overlapping, 19000);
}

TEST(OverlapTest, OverlapOfTwoViewsIsExactToTheByte) {
  std::mt19937 random(4);
  int overlapping = 0;
  const char* base = reinterpret_cast<const char*>(uintptr_t{1} << 20);
  for (int round = 0; round < 20000; ++round) {
    RandomView a = randomView(random), b = randomView(random);
    size_t sizeA = size_t{1} << (random() % 4), sizeB = size_t{1} << (random() % 4);
    const char* baseB = base + random() % 16;
    std::set<int64_t> bytes;
    for (int64_t e : a.elements())
      for (size_t i = 0; i < sizeA; ++i)
        bytes.insert(e * static_cast<int64_t>(sizeA) + static_cast<int64_t>(i));
    bool expected = false;
    for (int64_t e : b.elements())
      for (size_t i = 0; i < sizeB; ++i)
        expected |= bytes.count(e * static_cast<int64_t>(sizeB) + static_cast<int64_t>(i) +
                                (baseB - base)) != 0;
    einc_view viewA = a.view(base, sizeA), viewB = b.view(baseB, sizeB);
    ASSERT_EQ(einc_overlap(&viewA, &viewB) != 0, expected) << round;
    overlapping += expected;
  }
  EXPECT_GT(overlapping, 1000);
  EXPECT_LT(overlapping, 19000);
}

TEST(OverlapTest, InterleavedColumnsOfALargeMatrixAreApart) {
  int64_t sizes[] = {100000, 4}, strides[] = {8, 1};
  const char* base = reinterpret_cast<const char*>(uintptr_t{1} << 20);
  einc_view left = {base, 2, 0, sizes, strides, 4};
  einc_view right = {base, 2, 4, sizes, strides, 4};
  einc_view middle = {base, 2, 3, sizes, strides, 4};
  EXPECT_FALSE(einc_overlap(&left, &right));
  EXPECT_TRUE(einc_overlap(&left, &middle));
}

TEST(RangeTest, OverflowAndDivisionByZeroAreStatuses) {
  einc_range huge = einc_range_mul(einc_range_to(INT64_MAX), einc_range_at(3));
  EXPECT_EQ(huge.status, EINC_OVERFLOW);
  EXPECT_EQ(einc_range_add(huge, einc_range_at(0)).status, EINC_OVERFLOW);
  EXPECT_EQ(einc_range_floordiv(einc_range_to(4), einc_range_at(0)).status, EINC_DIVISION_BY_ZERO);
  EXPECT_EQ(einc_range_floormod(einc_range_to(4), einc_range_at(0)).status, EINC_DIVISION_BY_ZERO);
  EXPECT_EQ(einc_range_floordiv(einc_range_at(INT64_MIN), einc_range_at(-1)).status, EINC_OVERFLOW);
}

// Every value lies in the range.
TEST(RangeTest, DivisionsHoldEveryValue) {
  for (int64_t low = -9; low <= 9; ++low)
    for (int64_t high = low; high <= 9; ++high)
      for (int64_t b : {-4, -1, 1, 3}) {
        einc_range range = {low, high, EINC_OK};
        einc_range quotient = einc_range_floordiv(range, einc_range_at(b));
        einc_range rest = einc_range_floormod(range, einc_range_at(b));
        for (int64_t a = low; a <= high; ++a) {
          EXPECT_GE(einc_floordiv(a, b), quotient.low);
          EXPECT_LE(einc_floordiv(a, b), quotient.high);
          EXPECT_GE(einc_floormod(a, b), rest.low);
          EXPECT_LE(einc_floormod(a, b), rest.high);
        }
      }
}

using Pieces = std::vector<std::pair<int64_t, int64_t>>;

Pieces shared(int64_t count, int64_t grain, int64_t threads) {
  static Pieces pieces;
  pieces.clear();
  auto take = [](const void*, int64_t, char*, int64_t from, int64_t to) {
    pieces.emplace_back(from, to);
  };
  einc_share(take, nullptr, count, grain, 0, threads, nullptr, 0);
  return pieces;
}

// All tiles once, in order; pieces as long as each other but for the last, no shorter than the grain, and for each
// thread as many.
TEST(Threads, PiecesAreEqual) {
  EXPECT_TRUE(shared(0, 1, 4).empty());
  EXPECT_EQ(shared(7, 4, 4), (Pieces{{0, 7}}));  // not enough for two
  EXPECT_EQ(shared(176, 62, 2), (Pieces{{0, 88}, {88, 176}}));
  EXPECT_EQ(shared(1600, 1, 2).size(), 16U);
  for (int64_t count : {1, 2, 3, 8, 9, 63, 64, 65, 1000, 1001})
    for (int64_t grain : {1, 2, 5, 64})
      for (int64_t threads : {1, 2, 3, 16}) {
        const Pieces pieces = shared(count, grain, threads);
        int64_t at = 0;
        for (const auto& [from, to] : pieces) {
          EXPECT_EQ(from, at);
          at = to;
          if (pieces.size() > 1 && to != count) {
            EXPECT_GE(to - from, grain);
            EXPECT_EQ(to - from, pieces[0].second);
          }
        }
        EXPECT_EQ(at, count) << count << " by " << grain << " on " << threads;
      }
}

// Tiles of two loops that are one: in each round those of the piece, together all.
TEST(Threads, TilesOfRounds) {
  for (int64_t from = 0; from <= 15; ++from)
    for (int64_t to = from; to <= 15; ++to) {
      int64_t met = from;
      for (int64_t round = from / 5; round < einc_tile_count(to, 5); ++round)
        for (int64_t i = einc_tiles_inside(from, round, 5); i < einc_tiles_inside(to, round, 5);
             ++i)
          EXPECT_EQ(round * 5 + i, met++);
      EXPECT_EQ(met, to);
    }
  EXPECT_EQ(einc_tiles_of(3, 5), 15);
  EXPECT_EQ(einc_tiles_of(INT64_MAX, 0), 0);
  EXPECT_EQ(einc_tiles_of(INT64_MAX, 2), INT64_MAX);
}

}  // namespace
