// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "compiler/driver/attributes.h"
#include "compiler/driver/code_options.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/outputs.h"
#include "compiler/driver/tracing.h"
#include "compiler/support/files.h"

namespace einc::driver {
namespace {

TEST(RequestTest, AssignmentsHaveANameAndStandOnce) {
  EXPECT_EQ((*parseAssignments("attr", {"a=1,2", "b=x=y"}))[1].second, "x=y");
  EXPECT_EQ(parseAssignments("attr", {"a"}).reason(), "--attr takes NAME=VALUE, not 'a'");
  EXPECT_EQ(parseAssignments("attr", {"a=1", "a=2"}).reason(), "--attr gives 'a' twice");
  EXPECT_EQ(parseDims({"M=3"})->at("M"), 3);
  for (const char* bad : {"M=-1", "M=x", "M=", "M=9223372036854775808"})
    EXPECT_FALSE(parseDims({bad})) << bad;
}

TEST(AttributesTest, ValuesFitTheirAttribute) {
  ir::Attribute strides;
  strides.name = "strides";
  strides.type = ir::ScalarType::I64;
  strides.shape = {2};
  EXPECT_EQ(parseAttributeValue(strides, "2,-3")->at(1).asBits, static_cast<uint64_t>(-3));
  EXPECT_EQ(parseAttributeValue(strides, "4")->size(), 2u);
  for (const char* bad : {"", "1,2,3", "1.5,2", "x,1", "9223372036854775808,1", "1,,2"})
    EXPECT_FALSE(parseAttributeValue(strides, bad)) << bad;
}

TEST(OutputsTest, LibraryNamesDoAsFileNames) {
  Request request;
  request.specs = {"folder/my-ops.v2.tc"};
  EXPECT_EQ(*libraryName(request, {}), "my_ops_v2");
  EXPECT_EQ(*libraryName(request, {"my-lib.2", "", ""}), "my-lib.2");
  for (const char* bad : {"a b", "../a", "-a", ".a"})
    EXPECT_FALSE(libraryName(request, {bad, "", ""})) << bad;
  EXPECT_FALSE(libraryName(request, {"a", "1x", ""}));
}

// A module that breaks a rule is a bug in Einc: exit code 70, a line of advice, and the IR in a
// file.
TEST(PipelineTest, ABrokenModuleIsAnInternalErrorWithAReproducer) {
  ir::Module module;
  module.kernels.emplace_back();
  module.kernels[0].name = "broken";
  module.kernels[0].tensors = {{"C", ir::ScalarType::F32, {}, ir::Role::Output}};
  testing::internal::CaptureStderr();
  auto result = compile(module, {hostTargets()}, {});
  std::string said = testing::internal::GetCapturedStderr();
  ASSERT_TRUE(std::holds_alternative<ExitCode>(result));
  EXPECT_EQ(std::get<ExitCode>(result), kInternalError);
  EXPECT_NE(said.find("internal error"), std::string::npos) << said;
  size_t at = said.find("and /");
  ASSERT_NE(at, std::string::npos) << said;
  std::string path = said.substr(at + 4, said.find('\n', at) - at - 4);
  auto text = readInput(path);
  ASSERT_TRUE(text) << text.reason();
  EXPECT_NE(text->find("kernel @broken"), std::string::npos);
  ::unlink(path.c_str());
}

TEST(PipelineTest, UnknownPassesAreExplained) {
  EXPECT_EQ(findUnknownPass({{"lowerr"}, false})->text.substr(0, 62),
            "--print-ir-after=lowerr: unknown pass (did you mean 'lower'?);");
  EXPECT_FALSE(findUnknownPass({{"lower"}, true}));
}

TEST(ExitTest, CrashesEndWithAdvice) {
  EXPECT_EXIT(
      {
        installHandlers();
        ::raise(SIGSEGV);
      },
      testing::ExitedWithCode(kInternalError), "this is a bug in einc");
}

}  // namespace
}  // namespace einc::driver
