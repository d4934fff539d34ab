// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/schedule.h"

#include <algorithm>
#include <span>
#include <utility>

#include "compiler/strategy/device/decide.h"
#include "compiler/strategy/device/in_group.h"
#include "compiler/strategy/device/work.h"
#include "compiler/transforms/builder.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

class Regions {
 public:
  Regions(ir::Kernel& aside, const ScheduleOptions& options) : builder_(aside), options_(options) {}

  Decision run(const ir::Block& statements) {
    find(statements);
    return std::move(result_);
  }

 private:
  void find(const ir::Block& statements) {
    Ops together;
    auto flush = [&] {
      if (!together.empty()) region(std::exchange(together, {}));
    };
    for (size_t at = 0; at < statements.size(); ++at) {
      const ir::Stmt& stmt = statements[at];
      if (isName(stmt)) continue;  // they may stand between
      if (auto* op = std::get_if<ir::StructuredOp>(&stmt.node)) {
        if (isApart(together, *op) || !joins(together, std::span(statements).subspan(at))) flush();
        together.push_back(*op);
        continue;
      }
      flush();
      if (auto* joint = std::get_if<ir::Fused>(&stmt.node)) {
        Ops ops;
        for (const ir::Stmt& s : joint->ops) ops.push_back(std::get<ir::StructuredOp>(s.node));
        fused(ops);
      } else if (auto* call = std::get_if<ir::LibraryCall>(&stmt.node)) {
        find(ir::generated(*call));
      } else if (auto* own = std::get_if<ir::ExternalCall>(&stmt.node)) {
        find(own->body);
      } else {
        inside(stmt);
      }
    }
    flush();
  }

  // Loops, and choices between them.
  void inside(const ir::Stmt& stmt) {
    if (auto group = groupIn(builder_.kernel(), stmt, std::nullopt))
      return ir::forEachOp(transforms::only(stmt), [&](const ir::StructuredOp& op) {
        add(decideInGroup(builder_, op, result_.reports.size(), *group, options_));
      });
    for (const ir::Block* inner : ir::blocksOf(stmt)) find(*inner);
  }

  static bool isName(const ir::Stmt& stmt) {
    return std::holds_alternative<ir::Alloc>(stmt.node) ||
           std::holds_alternative<ir::View>(stmt.node);
  }

  // Whether steps are said for one of both neighbours, and not for both together. Ops of one
  // position are done one by one anyway.
  bool isApart(const Ops& before, const ir::StructuredOp& op) {
    const size_t number = result_.reports.size() + before.size();
    return parallelCount(op) > 0 && !before.empty() && beginsApart(number);
  }
  // Whether the user says the steps of an op, or of ops of which it is the first, or of those
  // before it.
  bool beginsApart(size_t op) {
    return std::any_of(options_.settings.begin(), options_.settings.end(), [&](const Setting& set) {
      if (set.kernel != builder_.kernel().name) return false;
      if (set.name == kSteps) return set.op == op || set.op + 1 == op;
      return set.name == kRegion && (set.op == op || set.last + 1 == op);
    });
  }
  void fused(const Ops& ops) {
    Ops together;
    const size_t first = result_.reports.size();
    for (size_t i = 0; i < ops.size(); ++i) {
      const bool moves = readsElsewhere(together, ops[i]) && !isSaidTogether(first + i);
      if (i > 0 && (beginsApart(first + i) || moves)) region(std::exchange(together, {}));
      together.push_back(ops[i]);
    }
    region(together);
  }

  // Whether the user says the steps of ops that this one and the one before it are among.
  bool isSaidTogether(size_t op) {
    return std::any_of(options_.settings.begin(), options_.settings.end(), [&](const Setting& set) {
      return set.kernel == builder_.kernel().name && set.name == kRegion && set.op < op &&
             op <= set.last;
    });
  }

  // Whether the op moves along what one of these writes: then positions that all have in common are few, and
  // each has much of both.
  static bool readsElsewhere(const Ops& ops, const ir::StructuredOp& op) {
    auto isWritten = [&](unsigned tensor) {
      return std::any_of(ops.begin(), ops.end(), [&](const ir::StructuredOp& before) {
        return std::any_of(before.outputs.begin(), before.outputs.end(),
                           [&](const ir::Operand& output) { return output.tensor == tensor; });
      });
    };
    return std::any_of(op.inputs.begin(), op.inputs.end(), [&](const ir::Operand& input) {
      return isWritten(input.tensor) && movesAlong(input);
    });
  }

  // Whether the first of the ops in `next` has all parallel iterators in common with these, or will
  // by one of the following: what several outputs begin with is, by the op that writes them all.
  bool joins(const Ops& ops, std::span<const ir::Stmt> next) {
    constexpr size_t kMostAhead = 8;
    if (ops.empty()) return true;
    Ops all = ops;
    for (const ir::Stmt& stmt : next) {
      if (isName(stmt)) continue;
      auto* op = std::get_if<ir::StructuredOp>(&stmt.node);
      if (!op || all.size() >= ops.size() + kMostAhead ||
          parallelCount(*op) != parallelCount(ops[0]))
        return false;
      all.push_back(*op);
      if (sharedPositions(builder_.kernel(), all).size() == parallelCount(*op)) return true;
    }
    return false;
  }

  void region(const Ops& ops) {
    add(decideRegion(builder_, ops, result_.reports.size(), options_));
  }
  void add(const Decision& decided) {
    llvm::append_range(result_.parts, decided.parts);
    llvm::append_range(result_.reports, decided.reports);
    llvm::append_range(result_.errors, decided.errors);
  }

  transforms::Builder builder_;
  const ScheduleOptions& options_;
  Decision result_;
};

}  // namespace

Decision decideForDevice(const ir::Kernel& kernel, const ScheduleOptions& options) {
  ir::Kernel aside = kernel;
  return Regions(aside, options).run(kernel.body);
}

}  // namespace einc::strategy
