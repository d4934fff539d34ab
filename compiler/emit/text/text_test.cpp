// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "compiler/emit/text/chunks.h"
#include "compiler/emit/text/comment.h"
#include "compiler/emit/text/expressions.h"
#include "compiler/emit/text/names.h"
#include "compiler/emit/text/questions.h"
#include "compiler/emit/text/references.h"
#include "compiler/emit/text/replace.h"
#include "compiler/emit/text/signature.h"
#include "compiler/emit/text/test.h"

namespace einc::emit {
namespace {

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(ChunksTest, GoFromMarkerToMarker) {
  const Chunks chunks(
      "/* About the file. */\n"
      "/*@ least: */\nint least;\n\n\n"
      "/*@ macro: <math.h> least */\n"
      "/*@ larger: macro\n    least */\n/* A comment. */\nint larger;\n");
  std::vector<std::string> names;
  for (const Chunk& chunk : chunks) names.push_back(chunk.name);
  EXPECT_EQ(names, (std::vector<std::string>{"least", "macro", "larger"}));
  EXPECT_EQ(chunks.find("least")->text, "int least;\n");
  EXPECT_TRUE(chunks.find("least")->needs.empty());
  EXPECT_EQ(chunks.find("macro")->text, "");
  EXPECT_EQ(chunks.find("macro")->needs, (std::vector<std::string>{"<math.h>", "least"}));
  EXPECT_EQ(chunks.find("larger")->text, "/* A comment. */\nint larger;\n");
  EXPECT_EQ(chunks.find("larger")->needs, (std::vector<std::string>{"macro", "least"}));
  EXPECT_EQ(chunks.find("About"), nullptr);
}

TEST(ChunksTest, TheFirstOfANameIsFound) {
  Chunks chunks("/*@ f: */\nfirst\n");
  chunks.add("/*@ f: */\nsecond\n");
  chunks.add(Chunk{"g", {"f"}, "third\n"});
  EXPECT_EQ(chunks.find("f")->text, "first\n");
  EXPECT_EQ(chunks.find("g")->text, "third\n");
  EXPECT_EQ(Chunks("no marker").find("no"), nullptr);
}

TEST(NamesTest, KeepsOrdinaryNamesAndMendsReservedOnes) {
  EXPECT_EQ(mangled("A"), "A");
  EXPECT_EQ(mangled("int"), "int_");
  EXPECT_EQ(mangled("I"), "I_");
  for (const char* name :
       {"__x", "_", "_a", "a__b", "einc_view", "EINC_OK", "class", "exp", "NAN"}) {
    EXPECT_TRUE(isReserved(name)) << name;
    EXPECT_FALSE(isReserved(mangled(name))) << name << " " << mangled(name);
  }
}

TEST(NamesTest, DefsGetFunctionsThatDoNotClash) {
  EXPECT_EQ(functionName("matmul", ""), "matmul");
  EXPECT_EQ(functionName("matmul", "my_"), "my_matmul");
  EXPECT_EQ(functionName("exp", ""), "exp_op");
  EXPECT_EQ(functionName("exp", "my_"), "my_exp");
  EXPECT_EQ(functionName("main", ""), "main_op");
  EXPECT_EQ(functionName("pthread_create", ""), "pthread_create_op");
  EXPECT_EQ(functionName("cblas_sgemm", ""), "cblas_sgemm_op");
  for (const char* name : {"accept", "err", "malloc", "qsort_r", "environ", "tgamma"})
    EXPECT_EQ(functionName(name, ""), std::string(name) + "_op");
  for (const char* name :
       {"isless",      "isgreater",  "isgreaterequal", "islessequal", "islessgreater",
        "isunordered", "fpclassify", "isnormal",       "signbit",     "offsetof",
        "va_start",    "va_arg",     "va_end",         "va_copy",     "assert",
        "alloca",      "setjmp",     "NULL",           "FD_SET",      "CHAR_BIT"})  // macros
    EXPECT_EQ(functionName(name, ""), std::string(name) + "_op");
  EXPECT_EQ(functionName("einc", ""), "x_einc_op");  // a namespace in C++
  EXPECT_EQ(functionName("accept", "my_"), "my_accept");
}

TEST(NamesTest, SaysWhyAFunctionIsCalledOtherwise) {
  EXPECT_EQ(whyRenamed("matmul", ""), std::nullopt);
  EXPECT_EQ(whyRenamed("malloc", "my_"), std::nullopt);
  EXPECT_EQ(whyRenamed("malloc", ""), "the C library has a 'malloc'");
  EXPECT_EQ(whyRenamed("class", ""), "'class' is a word of C or C++");
  EXPECT_EQ(whyRenamed("cblas_sgemm", ""), "a BLAS has a 'cblas_sgemm'");
  EXPECT_EQ(whyRenamed("size_t", ""), "'size_t' is kept for C, its library and Einc");
  EXPECT_EQ(whyRenamed("sum_", ""), "'sum_' ends in an underscore");
}

TEST(NamesTest, AScopeGivesEachNameOnce) {
  Names names;
  EXPECT_EQ(names.make("M"), "M");
  EXPECT_EQ(names.make("M"), "M1");
  EXPECT_EQ(names.make("x1"), "x1");
  EXPECT_EQ(names.make("x1"), "x1_1");
  EXPECT_EQ(names.make("for"), "for_");
}

TEST(ReplaceTest, WhatWasPutThereIsNotReplacedAgain) {
  auto replaced = [](std::string text, const char* from, const char* to) {
    replaceAll(text, from, to);
    return text;
  };
  EXPECT_EQ(replaced("aab", "a", "aa"), "aaaab");
  EXPECT_EQ(replaced("x16 x16", "x16", ""), " ");
  EXPECT_EQ(replaced("", "a", "b"), "");
  EXPECT_EQ(replaced("aaa", "aa", "b"), "ba");
}

TEST(ReferencesTest, ATextSaysWhatItUses) {
  const std::string m = reference("M"), size = reference("M_size");
  const std::string text = "say(\"M is\", " + size + " + x.M); f(" + size + ")";
  EXPECT_EQ(referencesIn(text), (References{size}));
  EXPECT_TRUE(refersTo(text + m, m));
  // What stands between two is none.
  EXPECT_FALSE(refersTo(size + "M" + size, m));
  EXPECT_EQ(referencesIn(text + m).count(m), 1u);
  EXPECT_EQ(plain(text), "say(\"M is\", M_size + x.M); f(M_size)");
  EXPECT_EQ(plainSize(text), plain(text).size());
  EXPECT_TRUE(isReference(m));
  EXPECT_FALSE(isReference(m + size));
  EXPECT_FALSE(isReference("M"));
  EXPECT_FALSE(isReference(""));
  EXPECT_TRUE(PlainLess()("3 > 0", m + " > 0"));
}

TEST(CommentTest, NothingEndsTheCommentOrJoinsLines) {
  std::string text = commentLines("a */ b /* c ?\?/\nend\\\n\x01%s #include <x>", " * ");
  EXPECT_EQ(count(text, "*/"), 0u);
  EXPECT_EQ(count(text, "/*"), 0u);
  EXPECT_EQ(count(text, "?\?"), 0u);
  EXPECT_EQ(count(text, "\\\n"), 0u);
  EXPECT_EQ(count(text, "\x01"), 0u);
  EXPECT_EQ(count(text, "\n"), 3u);
}

using Asked = Test;  // in a test, Test is its base class

TEST(AskedTest, AsksForWhatIsNotKnown) {
  const Asked yes = Asked::known(true), no = Asked::known(false), asked = Asked::asked("i < M");
  EXPECT_TRUE(Asked::allOf(std::vector<Asked>()).always());
  EXPECT_TRUE(Asked::allOf(std::vector<std::string>()).always());
  EXPECT_TRUE(Asked::allOf({yes, yes}).always());
  EXPECT_TRUE(Asked::allOf({yes, asked, no}).never());
  EXPECT_EQ(Asked::allOf({yes, asked, yes}).text(), asked.text());
  const Asked all = Asked::allOf({asked, yes, Asked::asked("j >= 0")});
  EXPECT_TRUE(all.isAsked());
  EXPECT_EQ(all.text(), "i < M && j >= 0");
}

TEST(QuestionsTest, AreExpressions) {
  using affine::Expr;
  QuestionPrinter printer;
  printer.index = [](const Expr& e) { return wrapped(e.str()); };
  printer.address = [](unsigned tensor, const facts::Index& index) {
    return "t" + std::to_string(tensor) + " + " + index[0].str();
  };
  printer.stride = [](unsigned tensor, unsigned dim) {
    return "t" + std::to_string(tensor) + "_stride" + std::to_string(dim);
  };
  printer.start = [](const facts::Start& start) { return "start " + std::to_string(start.bytes); };
  printer.run = [](const facts::Run& run) { return "run " + run.size.str(); };
  const Expr m = Expr::iterator("m"), size = Expr::symbol("M"), one = Expr::constant(1);
  using Sign = facts::Comparison::Sign;
  EXPECT_EQ(printer.texts({{m - one, Sign::AtLeast, Expr()},
                           {m, Sign::Less, size},
                           {m, Sign::LessEqual, size},
                           {m, Sign::Equal, size}}),
            (std::vector<std::string>{"(m - 1) >= 0", "m < M", "m <= M", "m == M"}));
  EXPECT_EQ(printer.text(facts::Stride{2, 1, {}}), "t2_stride1 == 1");
  EXPECT_EQ(printer.text(facts::Stride{2, 1, {8}}), "t2_stride1 % 8 == 0");
  EXPECT_EQ(printer.text(facts::Distance{3, {m}, {size}, {}}), "(t3 + M) - (t3 + m) == 1");
  EXPECT_EQ(printer.text(facts::Distance{3, {m}, {size}, {4}}), "((t3 + M) - (t3 + m)) % 4 == 0");
  EXPECT_TRUE(printer.test(facts::Asked::yes()).always());
  EXPECT_TRUE(printer.test(facts::Asked::no()).never());
  EXPECT_EQ(
      printer.test(facts::Asked::of({facts::Start{0, 64}, facts::Run{1, Expr(), size}})).text(),
      "start 64 && run M");
}

TEST(SignatureTest, PassesScalarsByValueAndWhatHasADefaultByAddress) {
  ir::Kernel kernel;
  kernel.tensors = {{"A", ir::ScalarType::F32, {affine::Expr::symbol("M")}, ir::Role::Input},
                    {"C", ir::ScalarType::BF16, {}, ir::Role::Output}};
  ir::Attribute alpha;
  alpha.name = "alpha";
  alpha.type = ir::ScalarType::F64;
  alpha.parameter = true;
  ir::Attribute list;
  list.name = "list";
  list.type = ir::ScalarType::I32;
  list.list = true;
  ir::Attribute mode;
  mode.name = "mode";
  mode.type = ir::ScalarType::U8;
  mode.optional = true;
  kernel.attributes = {alpha, list, mode};
  kernel.inputs = {{false, 0}, {true, 0}};
  Signature signature(kernel);
  EXPECT_EQ(signature.declarations(),
            "double alpha, const einc_memref_f32_1 *A, einc_memref_bf16_0 *C, const int32_t *list, "
            "int64_t list_length, const uint8_t *mode");
  EXPECT_EQ(signature.arguments(), "alpha, A, C, list, list_length, mode");
  EXPECT_EQ(count(signature.mlirDeclarations(), "const einc_memref"), 0u);
}

}  // namespace
}  // namespace einc::emit
