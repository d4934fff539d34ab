// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Each verb has an example, verbs/examples/VERB.txt: a kernel before, steps, all of the kernel after, and steps
// that are refused, with a part of the reason. What comes after computes what came before.
//
//   EINC_EXAMPLES=compiler/strategy/plan/verbs/examples bazel-bin/compiler/strategy/plan/plan_test
//
// writes what comes after to these files.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/interp/instances.h"
#include "compiler/ir/test_text.h"
#include "compiler/strategy/plan/apply.h"
#include "compiler/strategy/plan/test_steps.h"
#include "compiler/target/target.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace einc::strategy {
namespace {

struct Refused {
  std::string steps, reason;
};

struct Example {
  std::string target = "x86-64-v4", before, steps, after;
  std::vector<Refused> refused;
};

// Sections begin with a word and ':' in the first column.
Example parseExample(const std::string& text) {
  Example example;
  std::string* into = nullptr;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const llvm::StringRef start(line);
    if (start.starts_with("#")) continue;
    if (start.starts_with("target: ")) {
      example.target = start.drop_front(8).str();
    } else if (line == "before:") {
      into = &example.before;
    } else if (line == "steps:") {
      into = &example.steps;
    } else if (line == "after:") {
      into = &example.after;
    } else if (line == "refused:") {
      into = &example.refused.emplace_back().steps;
    } else if (line == "because:" && !example.refused.empty()) {
      into = &example.refused.back().reason;
    } else if (into) {
      *into += line + "\n";
    } else {
      ADD_FAILURE() << "no section begins before: " << line;
    }
  }
  return example;
}

// The kernel with its ops done so; what is refused goes to `errors`.
std::string done(const Example& example, const std::string& steps, std::string& errors) {
  ir::Kernel kernel = ir::test::goodKernel(example.before);
  std::vector<ir::StructuredOp> ops;
  ir::Block block;
  for (const ir::Stmt& stmt : kernel.body)
    if (auto* op = std::get_if<ir::StructuredOp>(&stmt.node))
      ops.push_back(*op);
    else
      block.push_back(stmt);
  transforms::Builder builder(kernel);
  ScheduleOptions options{target::find(example.target)};
  std::vector<StepError> wrong;
  const Steps list = test::parsed(steps);
  transforms::append(
      block, ops.size() == 1
                 ? apply(builder, Place{ops[0], operandNames(kernel, ops[0])}, list, options, wrong)
                 : apply(builder, ops, 0, list, options, wrong));
  kernel.body = std::move(block);
  for (const StepError& error : wrong) errors += error.message + "\n";
  if (wrong.empty())
    for (const ir::Violation& violation : ir::verify(kernel)) ADD_FAILURE() << violation.str();
  return ir::print(kernel);
}

// Where the ops stand alone, on small sizes and around those of tiles and vectors.
void expectSame(const Example& example, const std::string& after) {
  std::string spec = example.before;
  for (auto [from, to] : {std::pair("level tiled", "level tensors"), {"alloc %", "local %"}})
    if (size_t at = spec.find(from); at != std::string::npos)
      spec.replace(at, std::strlen(from), to);
  interp::Instances instances(ir::test::goodKernel(spec));
  instances.around({4, 8, 16, 64});
  EXPECT_EQ(instances.findDifference(ir::test::goodKernel(after)).value_or("none"), "none");
}

void renew(const std::string& path, std::string text, const std::string& after) {
  size_t end = text.find("\nrefused:\n");
  if (text.find("\nafter:\n") == std::string::npos)
    text.insert(end == std::string::npos ? text.size() : end + 1, "after:\n");
  const size_t begin = text.find("\nafter:\n") + 8;
  end = text.find("\nrefused:\n");
  std::ofstream(path) << text.replace(begin, end == std::string::npos ? end : end + 1 - begin,
                                      after);
}

TEST(Verbs, EachDoesWhatItsExampleShows) {
  const char* renewed = std::getenv("EINC_EXAMPLES");
  const std::string folder = renewed ? renewed : "compiler/strategy/plan/verbs/examples";
  for (const std::string& verb : verbs()) {
    SCOPED_TRACE(verb);
    const std::string path = folder + "/" + verb + ".txt";
    std::ifstream file(path);
    ASSERT_TRUE(file) << "'" << verb << "' has no example: " << path;
    std::stringstream text;
    text << file.rdbuf();
    const Example example = parseExample(text.str());
    std::string errors;
    const std::string after = done(example, example.steps, errors);
    EXPECT_EQ(errors, "");
    if (renewed && errors.empty()) renew(path, text.str(), after);
    if (!renewed) EXPECT_EQ(after, example.after);
    if (errors.empty()) expectSame(example, after);
    EXPECT_TRUE(anyStep(test::parsed(example.steps),
                        [&](const Step& step) { return verbOf(step) == verb; }));
    EXPECT_FALSE(example.refused.empty());
    for (const Refused& wrong : example.refused) {
      std::string reasons;
      done(example, wrong.steps, reasons);
      const std::string reason = llvm::StringRef(wrong.reason).trim().str();
      EXPECT_FALSE(reason.empty()) << wrong.steps << reasons;
      EXPECT_TRUE(!reasons.empty() && test::has(reasons, reason)) << wrong.steps << reasons;
    }
  }
  size_t files = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    (void)file;
    ++files;
  }
  EXPECT_EQ(files, verbs().size()) << "an example of no verb";
}

}  // namespace
}  // namespace einc::strategy
