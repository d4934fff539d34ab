// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/c/explain.h"

#include <algorithm>
#include <set>
#include <utility>

#include "compiler/emit/c/choices.h"
#include "compiler/emit/c/cpu.h"
#include "compiler/emit/c/workspace.h"
#include "compiler/support/text_writer.h"

namespace einc::emit {
namespace {

class ExplainWriter {
 public:
  ExplainWriter(const KernelCode& kernel, const COptions& options, Prelude& prelude)
      : kernel_(kernel),
        options_(options),
        prelude_(prelude),
        name_(functionName(kernel.contract->name, options.prefix)),
        signature_(*kernel.contract),
        text_(signature_.names.make("text")),
        end_(signature_.names.make("end")),
        bytes_(signature_.names.make("bytes")) {}

  std::string run(const Asked& asked) {
    std::string functions = eachTarget(), arguments = signature_.arguments();
    bool heap = std::any_of(kernel_.codes.begin(), kernel_.codes.end(),
                            [](const TargetCode& code) { return usesHeap(code.code->body); });
    prelude_.need("cold");
    const std::string head =
        "einc_cold const char *" + name_ + "_explain(" + signature_.declarations() + ") {";
    const std::string status = "const einc_status status = " + asked.status + ";";
    if (!heap && asked.dense.empty() && choices_.empty() && kernel_.codes.size() == 1 &&
        !isExternal(kernel_)) {
      out_.open(head).line(status);
      out_.line("return status == EINC_OK ? " + quoted(onlyTarget()) +
                " : einc_status_string(status);");
      out_.close().line();
      return out_.take();
    }
    out_.indent();
    if (!isExternal(kernel_)) target();
    if (heap) out_.line("const int64_t " + bytes_ + " = " + name_ + "_bytes(" + arguments + ");");
    if (!asked.dense.empty())
      add(words(asked.dense + (heap ? " && " + bytes_ + " == 0" : ""),
                "no gaps in the arguments: code that knows their strides\n",
                heap ? "gaps in the arguments, or memory to allocate: code for any strides\n"
                     : "gaps in the arguments: code for any strides\n"));
    if (!choices_.empty()) set(choices_);
    if (heap) workspace();
    std::string body = out_.take();
    out_.dedent().raw(functions);
    out_.open(head);
    out_.line("static __thread char " + text_ + "[" + std::to_string(room_ + 1) + "];");
    out_.line(status);
    out_.line("char *" + end_ + " = " + text_ + ";");
    out_.line("if (status != EINC_OK) return einc_status_string(status);");
    out_.raw(body).line("return " + text_ + ";").close().line();
    return out_.take();
  }

 private:
  void set(const std::string& end) { out_.line(end_ + " = " + end + ";"); }
  void add(const std::string& words) {
    set(prelude_.need("say") + "(" + end_ + ", " + words + ")");
  }
  std::string words(const std::string& text) {
    room_ += text.size();
    return quoted(text);
  }
  std::string words(const std::string& test, const std::string& yes, const std::string& no) {
    room_ += std::max(yes.size(), no.size());
    return test + " ? " + quoted(yes) + " : " + quoted(no);
  }

  // One of the targets' values, as the CPU says. Where the target before has the same, and runs there as well, nothing is
  // asked.
  std::string byCpu(const std::vector<std::string>& values) const {
    std::string text;
    for (size_t i = values.size(); i-- > 1;) {
      const target::Target &own = *kernel_.codes[i].target, &next = *kernel_.codes[i - 1].target;
      if (values[i] != values[i - 1] || !own.features.hasAll(next.features))
        text += cpuHas(own) + " ? " + values[i] + " : ";
    }
    return text + values[0];
  }

  std::string onlyTarget() const {
    return "code for " + std::string(kernel_.codes[0].target->name) + "\n";
  }

  void target() {
    std::vector<std::string> names, quotedNames;
    for (const TargetCode& code : kernel_.codes) names.emplace_back(code.target->name);
    if (names.size() == 1) return add(words(onlyTarget()));
    for (const std::string& name : names) quotedNames.push_back(quoted(name));
    add(words("code for "));
    room_ += std::max_element(names.begin(), names.end(), [](const auto& a, const auto& b) {
               return a.size() < b.size();
             })->size();
    add(byCpu(quotedNames));
    add(words(", the best of " + joined(names) + " that this CPU runs\n"));
  }

  void workspace() {
    const std::string before = "workspace: ", after = " bytes\n";
    room_ += before.size() + kLongestNumber + after.size();
    out_.line("if (" + bytes_ + " > 0) " + end_ + " = " + prelude_.need("say_number") + "(" + end_ +
              ", " + quoted(before) + ", " + bytes_ + ", " + quoted(after) + ");");
  }

  // What is chosen in each target's code, as functions; one where several say the same.
  std::string eachTarget() {
    std::vector<std::string> texts, calls;
    size_t longest = 0;
    for (const TargetCode& code : kernel_.codes) texts.push_back(choices(code, longest));
    room_ += longest;
    if (longest == 0) return "";
    std::string functions;
    bool same = std::count(texts.begin(), texts.end(), texts[0]) == std::ssize(texts);
    for (size_t i = 0; i < texts.size(); ++i) {
      size_t first = std::find(texts.begin(), texts.end(), texts[i]) - texts.begin();
      std::string name =
          name_ + "_say" + (same ? "" : targetSuffix(*kernel_.codes[first].target, options_));
      if (first == i) {
        prelude_.need("cold");
        functions +=
            "static einc_cold char *" + prelude_.define(name, kernel_.contract->name) + texts[i];
      }
      calls.push_back(name + "(" + signature_.arguments() + ", " + end_ + ")");
    }
    choices_ = byCpu(calls);
    return functions;
  }

  // Parameters and body of such a function.
  std::string choices(const TargetCode& target, size_t& longest) {
    std::set<std::string> elements;
    const ir::Kernel only =
        ir::withBody(*target.code, choicesOnly(withoutElements(target.code->body, elements)));
    Signature signature(*kernel_.contract);
    std::string end = signature.names.make("end");
    KernelScope scope(only, signature, prelude_);
    const ChoiceStatements said = choiceStatements(only, scope, prelude_, options_, end);
    if (!said.text.empty()) longest = std::max(longest, said.room);
    TextWriter out;
    scope.function(out, "(" + signature.declarations() + ", char *" + end + ")", "", said.text,
                   "return " + end + ";");
    return out.take();
  }

  const KernelCode& kernel_;
  const COptions& options_;
  Prelude& prelude_;
  std::string name_;
  Signature signature_;
  std::string text_, end_, bytes_, choices_;
  size_t room_ = 0;
  TextWriter out_;
};

}  // namespace

std::string explainText(const KernelCode& kernel, const COptions& options, Prelude& prelude,
                        const Asked& asked) {
  return ExplainWriter(kernel, options, prelude).run(asked);
}

}  // namespace einc::emit
