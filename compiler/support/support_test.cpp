// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "compiler/support/diagnostics.h"
#include "compiler/support/files.h"
#include "compiler/support/text_writer.h"
#include "llvm/Support/raw_ostream.h"

namespace einc {
namespace {

std::string rendered(const Diagnostics& errors) {
  std::string text;
  llvm::raw_string_ostream out(text);
  errors.print(out);
  return out.str();
}

TEST(SourceTest, PositionsCountFromOneAndLinesEndAnyWay) {
  SourceFile source("s", "ab\r\ncd\n\nx");
  EXPECT_EQ(source.position(4).line, 2u);
  EXPECT_EQ(source.position(5).column, 2u);
  EXPECT_EQ(source.lineAt(0), "ab");
  EXPECT_EQ(source.lineAt(7), "");
  EXPECT_EQ(source.position(9).line, 4u);
  EXPECT_EQ(source.lineAt(9), "x");
}

TEST(DiagnosticsTest, ShowsPlaceLineAndCaretSortedWithNotes) {
  SourceFile source("f.tc", "one two\n\tthree\n");
  Diagnostics errors(source);
  errors.error(Diag::Race, {9, 14}, "second").note({0, 3}, "see here");
  errors.warning(Diag::Unused, {4, 7}, "first");
  EXPECT_EQ(rendered(errors),
            "f.tc:1:5: warning: first [unused]\n  one two\n      ^~~\n"
            "f.tc:2:2: error: second [race]\n  \tthree\n  \t^~~~~\n"
            "f.tc:1:1: note: see here\n  one two\n  ^~~\n");
  EXPECT_TRUE(errors.hasErrors());
  EXPECT_EQ(errors.warningCount(), 1u);
}

TEST(DiagnosticsTest, LongLinesAreShownAroundTheCaret) {
  SourceFile source("f", std::string(100000, 'a') + "!" + std::string(100000, 'b'));
  Diagnostics errors(source);
  errors.error(Diag::Race, {100000, 100001}, "here");
  std::string text = rendered(errors);
  EXPECT_LT(text.size(), 500u);
  EXPECT_NE(text.find("f:1:100001: error: here"), std::string::npos);
}

TEST(DiagnosticsTest, ErrorsPastTheLimitAreCounted) {
  SourceFile source("f", "x");
  Diagnostics errors(source);
  for (int i = 0; i < 60; ++i) errors.error(Diag::Race, {0, 1}, "e" + std::to_string(i));
  EXPECT_EQ(errors.errorCount(), 60u);
  EXPECT_NE(rendered(errors).find("f: 10 more errors"), std::string::npos);
}

TEST(DidYouMeanTest, FindsTheNearestWithinAThird) {
  EXPECT_EQ(didYouMean("matmull", {"matmul", "matvec"}), " (did you mean 'matmul'?)");
  EXPECT_EQ(didYouMean("xyz", {"matmul"}), "");
  EXPECT_EQ(didYouMean("A", {"A"}), "");
}

class FilesTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/einc_files_XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    for (const char* file : {"/a", "/b", "/pipe"}) ::unlink((folder_ + file).c_str());
    EXPECT_EQ(::rmdir(folder_.c_str()), 0) << "something is left in the folder";
  }
  std::string folder_;
};

TEST_F(FilesTest, RefusesWhatIsNoRegularFile) {
  EXPECT_NE(readInput(folder_).reason().find("directory"), std::string::npos);
  EXPECT_NE(readInput(folder_ + "/none").reason().find("No such file"), std::string::npos);
  ASSERT_EQ(::mkfifo((folder_ + "/pipe").c_str(), 0600), 0);
  EXPECT_NE(readInput(folder_ + "/pipe").reason().find("not a regular file"), std::string::npos);
  EXPECT_NE(readInput("/dev/zero").reason().find("not a regular file"), std::string::npos);
}

TEST_F(FilesTest, WritesAllOrNothing) {
  std::string a = folder_ + "/a", b = folder_ + "/b";
  ASSERT_EQ(writeOutputs({{a, "old"}}), "");
  EXPECT_NE(writeOutputs({{a, "new"}, {folder_ + "/none/b", "x"}}), "");
  EXPECT_EQ(*readInput(a), "old");
  EXPECT_EQ(writeOutputs({{a, "new"}, {b, "more"}}), "");
  EXPECT_EQ(*readInput(a), "new");
  EXPECT_EQ(*readInput(b), "more");
}

TEST_F(FilesTest, KnowsWhatIsWritten) {
  std::string a = folder_ + "/a";
  EXPECT_FALSE(isWritten({a, ""}));
  ASSERT_EQ(writeOutputs({{a, "text"}}), "");
  EXPECT_TRUE(isWritten({a, "text"}));
  EXPECT_FALSE(isWritten({a, "next"}));
  EXPECT_FALSE(isWritten({a, "texts"}));
  EXPECT_FALSE(isWritten({folder_, ""}));
}

TEST_F(FilesTest, ReportsAFullDevice) {
  EXPECT_NE(writeOutputs({{"/dev/full", "x"}}).find("No space"), std::string::npos);
}

TEST_F(FilesTest, RefusesInputsPastTheLimit) {
  ASSERT_EQ(writeOutputs({{folder_ + "/a", "12345"}}), "");
  EXPECT_NE(readInput(folder_ + "/a", 4).reason().find("larger than"), std::string::npos);
  EXPECT_EQ(*readInput(folder_ + "/a", 5), "12345");
}

TEST(TextWriterTest, Indents) {
  TextWriter out;
  out.open("a {").line("b").line().close();
  EXPECT_EQ(out.text(), "a {\n  b\n\n}\n");
  EXPECT_EQ(joined(std::vector<std::string>{"x", "y"}), "x, y");
}

}  // namespace
}  // namespace einc
