// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/summary.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "compiler/driver/summary_parts.h"
#include "compiler/ir/contract.h"
#include "compiler/strategy/fusion/fusion.h"
#include "compiler/support/text_writer.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::driver {
namespace {

using strategy::OpReport;

constexpr size_t kMostStatements = 5, kMostReasons = 2, kWidth = 150;

// Cut off between words.
std::string shortened(std::string text) {
  if (text.size() <= kWidth) return text;
  text.resize(text.rfind(' ', kWidth - 4));
  return text + " ...";
}

std::string counted(size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// Ops of one statement of the spec.
struct Statement {
  SourceRange source;
  std::vector<size_t> ops;
};

// The ops of a block, and whether each stands in the second of two ways: for these the first one says enough.
void collect(const ir::Block& block, bool isOther, std::vector<ir::StructuredOp>& ops,
             std::vector<bool>& others) {
  for (const ir::Stmt& stmt : block) {
    if (auto* op = std::get_if<ir::StructuredOp>(&stmt.node)) {
      ops.push_back(*op);
      others.push_back(isOther);
    }
    auto* test = std::get_if<ir::If>(&stmt.node);
    for (const ir::Block* inner : ir::blocksOf(stmt))
      collect(*inner, isOther || (test && inner == &test->otherwise), ops, others);
  }
}

std::vector<ir::StructuredOp> opsOf(const ir::Block& block) {
  std::vector<ir::StructuredOp> ops;
  std::vector<bool> others;
  collect(block, false, ops, others);
  return ops;
}

class Summary {
 public:
  explicit Summary(const Explained& explained)
      : it_(explained), reports_(explained.decision.reports) {
    std::vector<bool> others;
    collect(it_.kernel.body, false, ops_, others);
    const bool isInRounds = areInRounds();
    for (size_t i = 0; i < reports_.size(); ++i) {
      if (i < others.size() && others[i]) continue;
      // In rounds, ops of a statement do not follow one another.
      auto known = llvm::find_if(statements_, [&](const Statement& statement) {
        return statement.source == reports_[i].source &&
               (isInRounds || &statement == &statements_.back());
      });
      if (known == statements_.end())
        statements_.push_back({reports_[i].source, {i}});
      else
        known->ops.push_back(i);
    }
    if (isInRounds)
      llvm::sort(statements_, [](const Statement& a, const Statement& b) {
        return a.source.begin < b.source.begin;
      });
  }

  std::string run() {
    head();
    for (size_t i = 0; i < std::min(statements_.size(), kMostStatements); ++i) statement(i);
    if (statements_.size() > kMostStatements)
      add("and " + counted(statements_.size() - kMostStatements, "more statement"));
    rounds();
    if (!areInRounds()) {
      together();
      apart();
    }
    changed();
    // What is done in tiles is there once for one of them.
    const auto contract = areInRounds() ? ir::contractOf(it_.kernel) : nullptr;
    add(contract ? workText(*contract, opsOf(contract->body), it_.target)
                 : workText(it_.kernel, ops_, it_.target));
    std::string text = lines_[0] + "\n";
    for (size_t i = 1; i < lines_.size(); ++i) text += "  " + shortened(lines_[i]) + "\n";
    return text;
  }

 private:
  void add(std::string line) {
    if (!line.empty()) lines_.push_back(std::move(line));
  }

  void head() {
    std::string what = counted(statements_.size(), "statement");
    const size_t parts = it_.decision.parts.size();
    if (statements_.size() == 1)
      what = kindOf(statements_[0]);
    else if (areInRounds())
      what += std::string(", done in ") + wordOf();
    else if (parts == 1)
      what += ", done together";
    else if (parts > 1)
      what += ", done in " + std::to_string(parts) + " parts, one behind the other";
    if (!it_.dispatches.empty()) what += ", in " + it_.dispatches;
    add(it_.kernel.name + ", for " + std::string(it_.target.name) + ": " + what);
  }

  // The op that a statement is about: what it starts from is another one before.
  size_t mainOf(const Statement& statement) const {
    size_t best = statement.ops.front();
    for (size_t i : statement.ops)
      if (i < ops_.size() && (ir::reduces(ops_[i]) || !ir::reduces(ops_[best]))) best = i;
    return best;
  }
  std::string kindOf(const Statement& statement) const {
    const size_t main = mainOf(statement);
    return main < ops_.size() ? kindText(it_.kernel, ops_[main]) : "nothing is computed";
  }
  std::string nameOf(const Statement& statement) const {
    const size_t main = mainOf(statement);
    return (main < ops_.size() ? resultText(it_.kernel, ops_[main]) + ", " : "") + "line " +
           std::to_string(it_.source.position(statement.source.begin).line);
  }

  void statement(size_t number) {
    const Statement& statement = statements_[number];
    const OpReport& report = reports_[mainOf(statement)];
    const std::string how =
        report.own.empty() ? formText(report.strategy) : joined(report.own, "; ");
    if (statements_.size() == 1)
      add("how: " + how);
    else
      add(nameOf(statement) + ": " + kindOf(statement) + "; " + how);
  }

  bool areInRounds() const {
    return llvm::any_of(it_.decision.rounds,
                        [](const strategy::RoundsReport& one) { return !one.tiles.empty(); });
  }
  // Rounds, if there are any; else tiles.
  const char* wordOf() const {
    return llvm::any_of(it_.decision.rounds,
                        [](const auto& one) { return !one.tiles.empty() && !one.inTiles; })
               ? strategy::kRounds
               : strategy::kTiles;
  }
  // What is done in rounds, or tiles; or why not.
  void rounds() {
    std::string why;
    for (const strategy::RoundsReport& one : it_.decision.rounds) {
      if (!one.tiles.empty()) add("in the same loops, " + one.text);
      if (one.tiles.empty() && why.empty())
        why = std::string("not in ") + one.word() + ": " + one.text;
    }
    if (!areInRounds()) add(why);
  }

  // What is done together, and what stays near.
  void together() {
    std::map<std::string, std::vector<std::string>> found;
    for (const Statement& statement : statements_) {
      const OpReport& report = reports_[mainOf(statement)];
      if (!report.together.empty()) found[report.together].push_back(nameOf(statement));
    }
    for (const auto& [how, names] : found) {
      std::string kept = joined(keptIn(it_.decision));
      add("in the same loops, " + how +
          (kept.empty() ? "" : "; of " + kept + " no more than a block is kept"));
      return;  // of several the first says enough
    }
  }

  // What is done by itself, though ops beside it use the same, and why.
  void apart() {
    std::map<std::string, size_t> reasons;
    std::vector<std::string> order;
    auto note = [&](const std::string& why, const std::string& which) {
      if (why.empty()) return;
      const std::string text = which + ": " + why;
      if (reasons[why]++ == 0) order.push_back(text);
    };
    for (size_t i = 0; i + 1 < statements_.size(); ++i) {
      const Statement &one = statements_[i], &next = statements_[i + 1];
      const auto first = partOf(one), second = partOf(next);
      if (!first || !second || first == second) continue;
      const std::string& said = reports_[mainOf(next)].apart;
      const std::string which = "not done with the one before it: " + nameOf(next);
      note(said.empty()
               ? strategy::whyNotTogether(
                     it_.kernel, range((*first)->first, (*second)->first + (*second)->count))
               : said,
           which);
    }
    for (size_t i = 0; i < std::min(order.size(), kMostReasons); ++i) add(order[i]);
  }
  std::vector<ir::StructuredOp> range(size_t begin, size_t end) const {
    end = std::min(end, ops_.size());
    return {ops_.begin() + static_cast<ptrdiff_t>(std::min(begin, end)),
            ops_.begin() + static_cast<ptrdiff_t>(end)};
  }
  // None of what a function of the user's computes.
  std::optional<const strategy::Part*> partOf(const Statement& statement) const {
    const size_t op = mainOf(statement);
    for (const strategy::Part& part : it_.decision.parts)
      if (part.first <= op && op < part.first + part.count) return &part;
    return std::nullopt;
  }

  // What makes the code another one than the spec: tiles, copies, instructions, passes.
  void changed() {
    static const std::set<std::string> others = {"library", "axis", "vectors", "nest"};
    std::vector<std::string> tiles;
    for (const OpReport& report : reports_)
      for (const auto& [name, value] : report.settings)
        if (name == "library" && value != "none") add("a library is asked first: " + value);
    for (const OpReport& report : reports_)
      for (const auto& [name, value] : report.settings)
        if (const std::string one = name + " = " + value;
            others.count(name) == 0 && !llvm::is_contained(tiles, one))
          tiles.push_back(one);
    if (!tiles.empty()) add("sizes of tiles: " + joined(tiles));
    add(stepsText(it_.decision, it_.instructions));
    std::vector<std::string> done;
    for (const std::string& pass : it_.passes)
      if (const std::string text = passText(pass); !text.empty()) done.push_back(text);
    if (!done.empty()) add("passes that changed it: " + joined(done));
  }

  const Explained& it_;
  const std::vector<OpReport>& reports_;
  std::vector<ir::StructuredOp> ops_;
  std::vector<Statement> statements_;
  std::vector<std::string> lines_;
};

}  // namespace

std::string summaryOf(const Explained& explained) { return Summary(explained).run(); }

std::string passText(const std::string& pass) {
  static const std::map<std::string, std::string> texts = {
      {"widen-sums", "sums of 16-bit floats are kept in f32"},
      {"inline", "locals are computed where they are read"},
      {"zero-points", "zero points are taken out of products"},
      {"lay-out", "operands are turned to lie as they are read"},
      {"once", "what is the same for many is computed once"},
      {"in-place", "locals are computed in the memory of others"},
      {"multiply-narrow", "zero points made up for behind the loop, products in pairs"},
      {"assume-numbers", "max and min run as if there were no NaN"},
      {"reduce-together", "lanes of several sums are added up at once"},
  };
  auto found = texts.find(pass);
  return found == texts.end() ? "" : pass + " (" + found->second + ")";
}

}  // namespace einc::driver
