// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "gtest/gtest.h"
#include "tools/command_line/examine.h"
#include "tools/command_line/table.h"

namespace einc::command_line {
namespace {

Flag flag(std::string name, std::string value, std::string help) {
  Flag one;
  one.name = std::move(name);
  one.value = std::move(value);
  one.help = std::move(help);
  one.group = "Options";
  return one;
}

Program tool() {
  Program program{"tool", "1.0", "does this and that", {{"Some words."}, {}}};
  Command make{"make", "make things", {}, "FILE...", false, true};
  make.flags = {flag("def", "NAME", "only this"),   flag("j", "N", "at a time"),
                flag("o", "PATH", "where to"),      flag("schedule", "FILE", "how"),
                flag("strict", "", "no liberties"), flag("target", "T,...", "for whom"),
                flag("secret", "", "for tests")};
  make.flags[0].mayRepeat = true;
  make.flags[1].isJoined = true;
  make.flags[5].isList = true;
  make.flags[5].values = {"here", "there"};
  make.flags[6].isHidden = true;
  Command look{"look", "look at one thing", {}, "FILE", true, false};
  look.flags = {flag("stage", "S", "what to show"), flag("loud", "", "say more")};
  look.flags[0].isRequired = true;
  look.flags[0].values = {"first", "last"};
  program.commands = {make, look};
  program.otherNames = {{"output", "o"}, {"jobs", "j"}};
  return program;
}

// The message for what is wrong; "" if nothing is.
std::string mistake(const std::vector<std::string>& arguments) {
  const Program program = tool();
  Asked asked = examine(program, arguments);
  auto* mistake = std::get_if<Mistake>(&asked);
  return mistake ? mistake->text : "";
}

TEST(ExamineTest, TakesWhatIsRight) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"make", "a", "b", "-o", "out", "--def", "x", "--def=y", "-j4", "--strict"},
           {"make", "-o=out", "--j", "4", "--strict=false", "-"},
           {"make", "-o=out", "--strict=1"},
           {"make", "-o=out", "--strict=0"},
           {"make", "--secret", "--", "--unknown"},
           {"look", "a", "--stage", "first"}})
    EXPECT_EQ(mistake(arguments), "") << arguments.back();
}

TEST(ExamineTest, NamesAFlagAsTypedAndTheNearest) {
  const std::string see = "; see tool make --help";
  EXPECT_EQ(mistake({"make", "--dfe=x"}), "there is no flag '--dfe' (did you mean '--def'?)" + see);
  EXPECT_EQ(mistake({"make", "-sched"}),
            "there is no flag '-sched' (did you mean '--schedule'?)" + see);
  EXPECT_EQ(mistake({"make", "--output", "x"}),
            "there is no flag '--output' (did you mean '-o'?)" + see);
  EXPECT_EQ(mistake({"make", "-out"}), "there is no flag '-out' (did you mean '-o ut'?)" + see);
  EXPECT_EQ(mistake({"make", "--optimise"}), "there is no flag '--optimise'" + see);
  EXPECT_EQ(mistake({"make", "-jobs=4"}), "there is no flag '-jobs' (did you mean '-j'?)" + see);
  EXPECT_EQ(mistake({"make", "---strict"}),
            "there is no flag '---strict' (did you mean '--strict'?)" + see);
  EXPECT_EQ(mistake({"make", "--x"}), "there is no flag '--x'" + see);
  EXPECT_EQ(mistake({"make", "--secre"}), "there is no flag '--secre'" + see);
}

TEST(ExamineTest, KnowsFlagsOfOtherCommands) {
  EXPECT_EQ(mistake({"make", "--loud"}),
            "'--loud' is a flag of 'tool look', not of 'tool make'; see tool make --help");
}

TEST(ExamineTest, WantsValuesAndWhatIsRequired) {
  EXPECT_EQ(mistake({"make", "-o"}), "flag '-o' takes a value: -o PATH; see tool make --help");
  EXPECT_EQ(
      mistake({"make", "-o", "--def", "x"}),
      "flag '-o' takes a value (-o PATH), but the flag '--def' follows; see tool make --help");
  EXPECT_EQ(mistake({"make", "-o", "a", "-o", "b"}),
            "flag '-o' is given more than once; see tool make --help");
  EXPECT_EQ(mistake({"make", "--strict=perhaps"}),
            "flag '--strict' is true or false, not 'perhaps'; see tool make --help");
  EXPECT_EQ(mistake({"look", "a"}),
            "flag '--stage' is missing: --stage S, which is one of first, last; "
            "see tool look --help");
  EXPECT_EQ(mistake({"look", "--stage=first"}), "expected a file: FILE; see tool look --help");
  EXPECT_EQ(mistake({"look", "--stage=first", "a", "b"}),
            "expected one FILE, not 2; see tool look --help");
}

TEST(ExamineTest, WantsACommandFirst) {
  const std::string list = "; 'tool help' lists the commands";
  EXPECT_EQ(mistake({}), "expected a command" + list);
  EXPECT_EQ(mistake({"mkae"}), "there is no command 'mkae' (did you mean 'make'?)" + list);
  EXPECT_EQ(mistake({"help", "lok"}), "there is no command 'lok' (did you mean 'look'?)" + list);
  EXPECT_EQ(mistake({"a.tc"}), "a command comes first, such as tool make a.tc" + list);
  EXPECT_EQ(mistake({"-o", "x", "make"}), "the command comes first: tool make -o" + list);
}

TEST(ExamineTest, GivesHelpInSeveralForms) {
  const Program program = tool();
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"help", "make"}, {"make", "--help"}, {"make", "x", "-h"}}) {
    Asked asked = examine(program, arguments);
    ASSERT_TRUE(std::holds_alternative<Help>(asked));
    EXPECT_EQ(std::get<Help>(asked).command, &program.commands[0]);
    EXPECT_EQ(std::get<Help>(asked).format, "text");
  }
  EXPECT_EQ(std::get<Help>(examine(program, {"--help=man"})).format, "man");
  EXPECT_TRUE(std::holds_alternative<Version>(examine(program, {"--version"})));
  EXPECT_NE(mistake({"make", "--help=mann"}).find("(did you mean 'man'?)"), std::string::npos);
}

TEST(FormsTest, HoldAllThatIsNotHidden) {
  const Program program = tool();
  for (const char* format : {"text", "man", "markdown", "bash", "zsh"}) {
    std::string text = helpIn(program, {nullptr, format});
    for (const Command& command : program.commands) text += helpIn(program, {&command, format});
    for (const char* word : {"make", "look", "def", "schedule", "strict", "first"})
      EXPECT_NE(text.find(word), std::string::npos) << format << " " << word;
    EXPECT_EQ(text.find("secret"), std::string::npos) << format;
  }
}

TEST(FormsTest, ManPagesEscapeHyphensAndQuotes) {
  Program program = tool();
  program.commands[0].flags[0].help = "'a-b' \\ ";
  const std::string page = manPage(program, &program.commands[0]);
  EXPECT_NE(page.find("\\fB\\-\\-def\\fR \\fINAME\\fR\n\\(aqa\\-b\\(aq \\e "), std::string::npos)
      << page;
}

}  // namespace
}  // namespace einc::command_line
