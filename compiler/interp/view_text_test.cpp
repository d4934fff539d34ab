// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/interp/view_text.h"

#include <gtest/gtest.h>

#include <random>

#include "compiler/interp/test_kernels.h"

namespace einc::interp {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

View numbers() {
  std::vector<double> values;
  for (int i = 0; i < 24; ++i) values.push_back(i);
  return floats({2, 3, 4}, values);
}

Result<View> viewOf(const std::string& suffix, Access access = Access::Read) {
  auto text = ViewText::parse("a.npy" + suffix);
  if (!text) return Reason{text.reason()};
  return text->apply(numbers(), access);
}

struct Case {
  const char* suffix;
  std::vector<int64_t> sizes;
  std::vector<double> values;
};

// Shapes and values as NumPy 1.24 gives them for np.arange(24).reshape(2, 3, 4).
const Case kCases[] = {
    {"", {2, 3, 4}, {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                     12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}},
    {"[0]", {3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
    {"[-1]", {3, 4}, {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}},
    {"[1, 2, 3]", {}, {23}},
    {"[::-1]", {2, 3, 4}, {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
                           0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11}},
    {"[:, ::-1, 1:3]", {2, 3, 2}, {9, 10, 5, 6, 1, 2, 21, 22, 17, 18, 13, 14}},
    {"[..., 0]", {2, 3}, {0, 4, 8, 12, 16, 20}},
    {"[0, ..., -1]", {3}, {3, 7, 11}},
    {"[None]", {1, 2, 3, 4}, {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                              12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}},
    {"[..., None]", {2, 3, 4, 1}, {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                                   12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}},
    {"[:, newaxis, 0]", {2, 1, 4}, {0, 1, 2, 3, 12, 13, 14, 15}},
    {"[5:]", {0, 3, 4}, {}},
    {"[:, 10:0:-2]", {2, 1, 4}, {8, 9, 10, 11, 20, 21, 22, 23}},
    {"[:, :, -3:-1]", {2, 3, 2}, {1, 2, 5, 6, 9, 10, 13, 14, 17, 18, 21, 22}},
    {"[:, :, ::3]", {2, 3, 2}, {0, 3, 4, 7, 8, 11, 12, 15, 16, 19, 20, 23}},
    {"[:, :, 3::-3]", {2, 3, 2}, {3, 0, 7, 4, 11, 8, 15, 12, 19, 16, 23, 20}},
    {"[:, 1:1]", {2, 0, 4}, {}},
    {"[:, :, 99999999999999999999:-99999999999999999999:-1]",
     {2, 3, 4},
     {3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12, 19, 18, 17, 16, 23, 22, 21, 20}},
    {"[:, :, ::99999999999999999999]", {2, 3, 1}, {0, 4, 8, 12, 16, 20}},
    {"[1,]", {3, 4}, {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}},
    {"[ 1 , 0:2 ]", {2, 4}, {12, 13, 14, 15, 16, 17, 18, 19}},
    {"[:,:,-99:2]", {2, 3, 2}, {0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21}},
    {"[...]", {2, 3, 4}, {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                          12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}},
    {".T", {4, 3, 2}, {0, 12, 4, 16, 8,  20, 1, 13, 5, 17, 9,  21,
                       2, 14, 6, 18, 10, 22, 3, 15, 7, 19, 11, 23}},
    {".T[0]", {3, 2}, {0, 12, 4, 16, 8, 20}},
    {".T[0].T", {2, 3}, {0, 4, 8, 12, 16, 20}},
    {".T[0].broadcast(2, 3, 2)", {2, 3, 2}, {0, 12, 4, 16, 8, 20, 0, 12, 4, 16, 8, 20}},
    {"[0, 0].broadcast(2, 4)", {2, 4}, {0, 1, 2, 3, 0, 1, 2, 3}},
    {"[:, :1].broadcast(2,3,4)[1]", {3, 4}, {12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15}},
    {"[0,0,0].broadcast(2)", {2}, {0, 0}},
    {"[1, 1, 1].broadcast()", {}, {17}},
    {"[0:0].broadcast(0,3,4)", {0, 3, 4}, {}},
    {"[:, None].broadcast(2, 2, 3, 4)[..., 1]",
     {2, 2, 3},
     {1, 5, 9, 1, 5, 9, 13, 17, 21, 13, 17, 21}},
    {".T.T", {2, 3, 4}, {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                         12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}},
    {"[:,::2][:,::-1][0]", {2, 4}, {8, 9, 10, 11, 0, 1, 2, 3}},
    {"[0:0, ::2]", {0, 2, 4}, {}},
};

TEST(ViewText, AgreesWithNumPy) {
  for (const Case& test : kCases) {
    auto view = viewOf(test.suffix);
    ASSERT_TRUE(view) << test.suffix << ": " << view.reason();
    EXPECT_EQ(view->sizes, test.sizes) << test.suffix;
    EXPECT_EQ(valuesOf(*view), test.values) << test.suffix;
    EXPECT_TRUE(staysInside(*view));
  }
}

TEST(ViewText, SharesMemory) {
  View base = numbers();
  View view = *ViewText::parse("x.npy[1, ::-1].T")->apply(base, Access::Write);
  view.store(std::vector<int64_t>{3, 0}, {99, 0});
  EXPECT_EQ(base.load(std::vector<int64_t>{1, 2, 3}).asFloat, 99);
}

TEST(ViewText, FileNamesEndAtTheSuffix) {
  auto fileOf = [](const char* text) { return ViewText::parse(text)->file(); };
  EXPECT_EQ(fileOf("a.npy"), "a.npy");
  EXPECT_EQ(fileOf("-"), "-");
  EXPECT_EQ(fileOf("my.data/v1.2[old].npy[0]"), "my.data/v1.2[old].npy");
  EXPECT_EQ(fileOf("a.npy/b.T.npy.T"), "a.npy/b.T.npy");
  EXPECT_EQ(fileOf("a.npy.broadcast(3)"), "a.npy");
  EXPECT_EQ(fileOf("a.npy.old"), "a.npy.old");
  EXPECT_FALSE(ViewText::parse("a.npy")->hasSuffix());
  EXPECT_TRUE(ViewText::parse("a.npy.T")->hasSuffix());
}

TEST(ViewText, ErrorsShowTheirPlace) {
  EXPECT_EQ(viewOf("[0, 9]").reason(),
            "column 10: index 9 is out of range for a dimension of 3\n"
            "a.npy[0, 9]\n"
            "         ^");
  auto firstLine = [](const char* suffix) {
    std::string reason = viewOf(suffix).reason();
    return reason.substr(0, reason.find('\n'));
  };
  EXPECT_EQ(firstLine("[-3]"), "column 7: index -3 is out of range for a dimension of 2");
  EXPECT_EQ(firstLine("[0:0][0]"), "column 12: index 0 is out of range for a dimension of 0");
  EXPECT_EQ(firstLine("[99999999999999999999]"),
            "column 7: index 9223372036854775807 is out of range for a dimension of 2");
  EXPECT_EQ(firstLine("[0,0,0,0]"), "column 6: 4 indices for an array of 3 dimensions");
  EXPECT_EQ(firstLine("[..., 0, ...]"), "column 15: only one ... is allowed");
  EXPECT_EQ(firstLine("[::0]"), "column 7: a slice's step cannot be 0");
  EXPECT_EQ(firstLine("[]"), "column 6: expected an index between [ and ]");
  EXPECT_EQ(firstLine("[0"), "column 8: expected , or ]");
  EXPECT_EQ(firstLine("[0;1]"), "column 8: expected , or ]");
  EXPECT_EQ(firstLine("[x]"), "column 7: expected an integer, a slice, ... or None");
  EXPECT_EQ(firstLine("[-]"), "column 7: expected an integer, a slice, ... or None");
  EXPECT_EQ(firstLine("[0]x"), "column 9: expected [...], .T or .broadcast(...)");
  EXPECT_EQ(firstLine(".broadcast(x)"), "column 17: expected a size");
  EXPECT_EQ(firstLine(".broadcast(-1)"), "column 17: a size cannot be negative");
  EXPECT_EQ(firstLine(".broadcast(3)"),
            "column 6: an array of shape (2, 3, 4) cannot be broadcast to (3)");
  EXPECT_EQ(firstLine("[0].broadcast(3, 5)"),
            "column 9: an array of shape (3, 4) cannot be broadcast to (3, 5)");
  EXPECT_EQ(firstLine("[0,0,0].broadcast(4294967296, 4294967296)"),
            "column 13: (4294967296, 4294967296) is too large");
}

TEST(ViewText, OutputsAreNotRepeated) {
  EXPECT_EQ(viewOf("[0].broadcast(5, 3, 4)", Access::Write).reason(),
            "column 9: an output cannot be written through a broadcast view\n"
            "a.npy[0].broadcast(5, 3, 4)\n"
            "        ^");
  EXPECT_TRUE(viewOf(".broadcast(2, 3, 4)", Access::Write));
  EXPECT_TRUE(viewOf("[0, None]", Access::Write));
}

TEST(ViewText, SurvivesAnyText) {
  const std::string pieces[] = {"[",    "]",  ":",
                                ",",    "-",  "1",
                                "3",    "0",  "...",
                                "None", ".T", ".broadcast(",
                                ")",    " ",  "9223372036854775807",
                                "2",    "x"};
  std::mt19937 random(13);
  for (int i = 0; i < 100000; ++i) {
    std::string suffix = i % 2 ? "[" : "";
    for (unsigned length = random() % 8; length > 0; --length) suffix += pieces[random() % 17];
    auto view = viewOf(suffix);
    if (view) EXPECT_TRUE(staysInside(*view)) << suffix;
    EXPECT_TRUE(view || !view.reason().empty());
  }
}

}  // namespace
}  // namespace einc::interp
