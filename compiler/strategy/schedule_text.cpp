// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/schedule_text.h"

#include <algorithm>

#include "compiler/ir/library_rule.h"
#include "compiler/ir/token_stream.h"
#include "compiler/strategy/plan/text.h"
#include "compiler/support/text_writer.h"

namespace einc::strategy {
namespace {

constexpr int64_t kVersion = 1;

class ScheduleParser {
 public:
  ScheduleParser(const SourceFile& source, Diagnostics& errors) : in_(source, errors) {}

  std::optional<std::vector<ScheduleEntry>> run() {
    SourceRange start = in_.token().range;
    in_.expectWord("einc_schedule");
    int64_t version = in_.integer();
    if (!in_.failed() && version != kVersion)
      in_.fail(start, "this is version " + std::to_string(version) +
                          " of the schedule text; this einc reads version " +
                          std::to_string(kVersion));
    while (!in_.failed() && in_.token().kind != ir::TokenKind::End) kernel();
    if (in_.failed()) return std::nullopt;
    return std::move(entries_);
  }

 private:
  void kernel() {
    ScheduleEntry entry;
    in_.expectWord("schedule");
    in_.expect("@", " before the kernel's name");
    entry.kernel = in_.token().range;
    entry.setting.kernel = in_.name("a name");
    in_.expectWord("for");
    entry.of = in_.token().range;
    if (in_.token().kind != ir::TokenKind::String) in_.failExpected("a target, \"x86-64-v4\"");
    std::string_view quoted = in_.token().text;
    if (!in_.failed()) entry.target = std::string(quoted.substr(1, quoted.size() - 2));
    in_.advance();
    in_.expect("{");
    while (!in_.failed() && !in_.accept("}")) op(entry);
  }

  unsigned number(SourceRange& range) {
    range = in_.token().range;
    int64_t number = in_.integer();
    if (!in_.failed() && (number < 0 || number > 9999))
      in_.fail(range, "expected the number of an op, from 0 on");
    return static_cast<unsigned>(number);
  }

  void op(ScheduleEntry entry) {
    if (in_.acceptWord("ops")) return ops(entry, kRegion);
    if (in_.acceptWord("rounds")) return ops(entry, kRounds);
    if (in_.acceptWord("tiles")) return ops(entry, kTiles);
    in_.expectWord("op");
    entry.setting.op = number(entry.range);
    if (in_.token().is("{")) return steps(entry);
    entry.range = in_.token().range;
    entry.setting.name = "strategy";
    entry.setting.value = in_.name("a strategy");
    add(entry);
    in_.expect("{");
    while (!in_.failed() && !in_.accept("}")) {
      entry.range = in_.token().range;
      entry.setting.name = in_.name("a setting, or '}'");
      in_.expect("=");
      entry.range.end = in_.token().range.end;
      entry.setting.value = in_.accept("-") ? "-" : "";
      entry.range.end = in_.token().range.end;
      if (entry.setting.name == "library") {
        entry.setting.value = ir::rulesText(ir::parseLibraryRules(in_));
      } else if (in_.token().kind == ir::TokenKind::Number || entry.setting.value == "-") {
        entry.setting.value += in_.token().text;
        in_.advance();
      } else {
        entry.setting.value = in_.name("a number or a name");
      }
      add(entry);
    }
  }

  void ops(ScheduleEntry entry, const char* name) {
    entry.setting.op = number(entry.range);
    in_.expectWord("to");
    SourceRange end;
    entry.setting.last = number(end);
    if (!in_.failed() && entry.setting.last <= entry.setting.op)
      in_.fail(end, "expected the number of a later op");
    steps(entry, name);
  }

  void steps(ScheduleEntry entry, const char* name = kSteps) {
    entry.setting.name = name;
    in_.expect("{");
    entry.setting.steps = parseSteps(in_);
    in_.expect("}");
    add(entry);
  }

  void add(const ScheduleEntry& entry) {
    if (in_.failed()) return;
    auto same = [&](const ScheduleEntry& e) {
      return e.target == entry.target && e.setting.kernel == entry.setting.kernel &&
             e.setting.op == entry.setting.op && e.setting.name == entry.setting.name;
    };
    if (std::any_of(entries_.begin(), entries_.end(), same))
      in_.fail(entry.range, "'" + entry.setting.name + "' of op " +
                                std::to_string(entry.setting.op) + " is set twice");
    entries_.push_back(entry);
  }

  ir::TokenStream in_;
  std::vector<ScheduleEntry> entries_;
};

}  // namespace

std::optional<std::vector<ScheduleEntry>> parseSchedule(const SourceFile& source,
                                                        Diagnostics& errors) {
  return ScheduleParser(source, errors).run();
}

std::string scheduleHeader() { return "einc_schedule " + std::to_string(kVersion) + "\n"; }

namespace {

// By steps no library is called.
bool isCalled(const OpReport& report) {
  return std::any_of(report.settings.begin(), report.settings.end(), [](const auto& set) {
    return set.first == "library" && set.second != "none";
  });
}

}  // namespace

std::string printSchedule(const std::string& kernel, const target::Target& target,
                          const Decision& decision) {
  const std::vector<OpReport>& reports = decision.reports;
  TextWriter out;
  out.line().open("schedule @" + kernel + " for \"" + std::string(target.name) + "\" {");
  for (const RoundsReport& rounds : decision.rounds) {
    if (rounds.tiles.empty()) continue;
    out.open(std::string(rounds.word()) + " " + std::to_string(rounds.first) + " to " +
             std::to_string(rounds.last) + " {");
    print(rounds.tiles, out);
    out.close();
  }
  for (size_t next = 0; next < reports.size();) {
    const size_t i = next;
    const OpReport& report = reports[i];
    const Part* part = decision.partAt(i);
    // Calls of libraries are settings, and stand in no steps.
    const bool inSteps =
        part && !part->steps.empty() && std::none_of(&report, &report + part->count, isCalled);
    const size_t count = inSteps ? part->count : 1;
    for (; next < i + count; ++next)
      for (std::string_view rest = reports[next].op; !rest.empty();) {
        std::string_view line = rest.substr(0, rest.find('\n'));
        out.line("// " + std::string(line));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      }
    out.open((count > 1 ? "ops " + std::to_string(i) + " to " + std::to_string(next - 1)
                        : "op " + std::to_string(i)) +
             (inSteps ? "" : " " + report.strategy) + " {");
    if (inSteps) {
      print(part->steps, out);
    } else {
      for (const auto& [name, value] : report.settings) out.line(name + " = " + value);
    }
    out.close();
  }
  out.close();
  return out.take();
}

}  // namespace einc::strategy
