// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/interp/npy.h"

#include <gtest/gtest.h>

#include <random>

#include "compiler/interp/test_kernels.h"

namespace einc::interp {
namespace {

using namespace test;                  // NOLINT(google-build-using-namespace)
using namespace std::string_literals;  // NOLINT(google-build-using-namespace)

// What NumPy 1.24 writes: the magic and version, the dict padded with blanks, the elements.
std::string numpyFile(const std::string& dict, const std::string& data, int major = 1) {
  std::string file = "\x93NUMPY"s + static_cast<char>(major) + '\0';
  size_t prefix = major == 1 ? 10 : 12, length = 128 - prefix;
  file += static_cast<char>(length);
  file.append(prefix - 9, '\0');
  return file + dict + std::string(length - 1 - dict.size(), ' ') + "\n" + data;
}

std::string header(const std::string& descr, const std::string& shape,
                   const char* fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

std::vector<double> valuesIn(const std::string& file) {
  auto view = parseNpy(file);
  EXPECT_TRUE(view) << view.reason();
  return view ? valuesOf(*view) : std::vector<double>{};
}

std::string reasonFor(const std::string& file) {
  auto view = parseNpy(file);
  EXPECT_FALSE(view);
  return view.reason();
}

const std::string kFloats =
    numpyFile(header("<f4", "(2, 3)"),
              "\x00\x00\x80?\x00\x00 @\x00\x00@\xc0\x00\x00\x80@\x00\x00\xa0@\x00\x00\xc0@"s);

TEST(Npy, ReadsWhatNumPyWrites) {
  EXPECT_EQ(valuesIn(kFloats), (std::vector<double>{1, 2.5, -3, 4, 5, 6}));
  EXPECT_EQ(valuesIn(numpyFile(header("|b1", "()"), "\x01")), std::vector<double>{1});
  EXPECT_EQ(valuesIn(numpyFile(header("<f2", "(2,)"), "\x00>\x00\xc0"s, 2)),
            (std::vector<double>{1.5, -2}));
  auto large = parseNpy(numpyFile(header("<u8", "(1, 1, 1)"), std::string(8, '\xff'), 3));
  EXPECT_EQ(large->sizes, (std::vector<int64_t>{1, 1, 1}));
  EXPECT_EQ(large->load(std::vector<int64_t>{0, 0, 0}).asBits, ~uint64_t{0});
  auto empty = parseNpy(numpyFile(header("<f8", "(0, 5)"), ""));
  EXPECT_EQ(empty->sizes, (std::vector<int64_t>{0, 5}));
}

TEST(Npy, FortranOrderIsStrides) {
  // np.asfortranarray(np.arange(6, dtype='>i2').reshape(2, 3))
  auto view = parseNpy(numpyFile(header(">i2", "(2, 3)", "True"),
                                 "\x00\x00\x00\x03\x00\x01\x00\x04\x00\x02\x00\x05"s));
  ASSERT_TRUE(view);
  EXPECT_EQ(view->strides, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(valuesOf(*view), (std::vector<double>{0, 1, 2, 3, 4, 5}));
}

TEST(Npy, ReadsEitherByteOrder) {
  EXPECT_EQ(valuesIn(numpyFile(header(">f4", "(1,)"), "\xc0\x49\x0f\xdb"s)),
            std::vector<double>{-0x1.921fb6p+1});
  EXPECT_EQ(valuesIn(numpyFile(header(">i8", "(1,)"), "\xff\xff\xff\xff\xff\xff\xff\xfe"s)),
            std::vector<double>{-2});
  EXPECT_EQ(valuesIn(numpyFile(header("=u2", "(1,)"), "\x01\x02"s)), std::vector<double>{0x201});
  EXPECT_EQ(valuesIn(numpyFile(header("|i1", "(2,)"), "\xff\x7f"s)),
            (std::vector<double>{-1, 127}));
}

TEST(Npy, WritesTheSameBytesAsNumPy) {
  EXPECT_EQ(writeNpy(*parseNpy(kFloats)), kFloats);
  std::string one = numpyFile(header("|b1", "()"), "\x01");
  EXPECT_EQ(writeNpy(*parseNpy(one)), one);
  std::string row = numpyFile(header("<u2", "(2,)"), "ab34");
  EXPECT_EQ(writeNpy(*parseNpy(row)), row);
}

TEST(Npy, EveryTypeRoundTripsThroughAStridedView) {
  for (const ir::TypeInfo& type : ir::allTypes()) {
    View view = array(type.type, {2, 6}, {0, 1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1});
    std::swap(view.sizes[0], view.sizes[1]);
    std::swap(view.strides[0], view.strides[1]);
    view.offset = 6;
    view.strides[1] = -6;
    std::string file = writeNpy(view);
    EXPECT_EQ((file.size() - 12 * type.bits / 8) % 64, 0U);
    auto back = parseNpy(file);
    ASSERT_TRUE(back) << back.reason();
    if (type.numpyKind == 'V') back = seenAs(*back, type.type);
    EXPECT_EQ(back->type, type.type);
    EXPECT_EQ(valuesOf(*back), valuesOf(view));
  }
  EXPECT_EQ(seenAs(floats({1}), ScalarType::BF16).reason(), "bf16 data comes as uint16, not f32");
  EXPECT_EQ(seenAs(floats({1}), ScalarType::F8E4M3).reason(),
            "f8e4m3 data comes as uint8, not f32");
  EXPECT_EQ(seenAs(floats({1}), ScalarType::I4).reason(),
            "i4 data comes as uint8, two elements a byte, not f32");
}

TEST(Npy, BoolsBecomeZeroOrOne) {
  auto view = parseNpy(numpyFile(header("|b1", "(3,)"), "\x00\x02\xff"s));
  EXPECT_EQ(view->storage[1], std::byte{1});
  EXPECT_EQ(valuesOf(*view), (std::vector<double>{0, 1, 1}));
}

TEST(Npy, HeadersMayBeWrittenOtherwise) {
  EXPECT_EQ(valuesIn(numpyFile(R"( {"shape":(1 , 2 ,), "fortran_order" :False,"descr":"u1"} )",
                               "\x07\x08")),
            (std::vector<double>{7, 8}));
  EXPECT_EQ(valuesIn(numpyFile(header("|u1", "(2L,)"), "\x07\x08")), (std::vector<double>{7, 8}));
}

TEST(Npy, EveryTruncationIsRefused) {
  for (size_t length = 0; length < kFloats.size(); ++length)
    EXPECT_FALSE(parseNpy(kFloats.substr(0, length))) << length;
  EXPECT_EQ(reasonFor(""), "not a .npy file (it does not begin with \\x93NUMPY)");
  EXPECT_EQ(reasonFor(kFloats.substr(0, 20)), "the file is cut off in its header");
  EXPECT_EQ(reasonFor(kFloats.substr(0, 150)),
            "the shape takes 24 bytes of elements, but the file has 22");
  EXPECT_EQ(reasonFor(kFloats + "x"), "the shape takes 24 bytes of elements, but the file has 25");
}

TEST(Npy, MalformedFilesHaveReasons) {
  auto reason = [](const std::string& descr, const std::string& shape) {
    return reasonFor(numpyFile(header(descr, shape), "1234"));
  };
  EXPECT_EQ(reason("<f4", "(-1,)"), "a size is negative");
  EXPECT_EQ(reason("<f4", "(9223372036854775808,)"), "a size does not fit in 64 bits");
  EXPECT_EQ(reason("<f4", "(9223372036854775807,)"),
            "the shape has more elements than 64 bits can count");
  EXPECT_EQ(reason("<f4", "(4294967296, 4294967296)"),
            "the shape has more elements than 64 bits can count");
  EXPECT_EQ(reason("<f4", "(1099511627776,)"),
            "the shape takes 4398046511104 bytes of elements, but the file has 4");
  EXPECT_EQ(reason("<f4", "(1)"), "the shape is not a tuple");
  EXPECT_EQ(reason("<f4", "1"), "the shape is not a tuple");
  EXPECT_EQ(reason("<f4", "(1, x)"), "the header is malformed");
  EXPECT_EQ(reason("|O", "(1,)"), "object arrays hold Python objects, not numbers");
  EXPECT_EQ(reason("<c8", "(1,)"), "dtype '<c8' is not supported");
  EXPECT_EQ(reason("<f16", "(1,)"), "dtype '<f16' is not supported");
  EXPECT_EQ(reason("|V2", "(1,)"), "dtype '|V2' is not supported (bf16 travels as uint16, '<u2')");
  auto whole = [](const std::string& dict) { return reasonFor(numpyFile(dict, "1234")); };
  EXPECT_EQ(whole("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,), }"),
            "structured dtypes are not supported");
  EXPECT_EQ(whole("{'descr': '<f4', 'fortran_order': 0, 'shape': (1,), }"),
            "the header is malformed");
  EXPECT_EQ(whole("{'descr': '<f4', 'descr': '<f4', }"), "the header has a key twice");
  EXPECT_EQ(whole("{'descr': '<f4', 'shape': (1,)}"),
            "the header lacks descr, fortran_order or shape");
  EXPECT_EQ(whole("{'colour': '<f4'}"), "the header has an unknown key");
  EXPECT_EQ(whole(header("<f4", "(1,)") + " 1"), "text follows the header's dict");
  EXPECT_EQ(whole("12"), "the header is not a dict");
  std::string old = kFloats;
  old[6] = 4;
  EXPECT_EQ(reasonFor(old), ".npy version 4.0 is not supported (1.0 to 3.0 are)");
  EXPECT_EQ(reasonFor("\x93NUMPY\x02\x00\xff\xff\xff\xff{"s),
            "the header is longer than 65535 bytes");
}

// Any change of a byte or two gives an array or a reason.
TEST(Npy, SurvivesMutations) {
  std::mt19937 random(12);
  for (int i = 0; i < 50000; ++i) {
    std::string file = kFloats;
    for (int j = 0; j <= i % 3; ++j) file[random() % 70] = static_cast<char>(random() % 128);
    auto view = parseNpy(file);
    if (view) EXPECT_TRUE(staysInside(*view));
    EXPECT_TRUE(view || !view.reason().empty());
  }
}

}  // namespace
}  // namespace einc::interp
