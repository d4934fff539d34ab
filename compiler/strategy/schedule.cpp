// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/schedule.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "compiler/ir/print.h"
#include "compiler/strategy/contractions/contraction.h"
#include "compiler/strategy/device/schedule.h"
#include "compiler/strategy/forms.h"
#include "compiler/strategy/fusion/shared_loops.h"
#include "compiler/strategy/grain.h"
#include "compiler/strategy/libraries.h"
#include "compiler/strategy/parts_for_threads.h"
#include "compiler/strategy/plan/apply.h"
#include "compiler/strategy/plan/region.h"
#include "compiler/transforms/call_external.h"
#include "compiler/transforms/canonicalize.h"
#include "compiler/transforms/combiner.h"
#include "compiler/transforms/hoist.h"
#include "compiler/transforms/hoist_values.h"
#include "compiler/transforms/split.h"
#include "compiler/transforms/unroll.h"
#include "compiler/transforms/unused.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using transforms::append;

class Scheduler {
 public:
  Scheduler(ir::Kernel& kernel, const ScheduleOptions& options)
      : builder_(kernel),
        options_(options),
        target_(*options.target),
        given_(kernel.tensors.size()) {}

  ir::Block run(ir::Block statements) {
    ir::Block result;
    for (ir::Stmt& stmt : statements) {
      if (auto* op = std::get_if<ir::StructuredOp>(&stmt.node))
        append(result, scheduled(*op));
      else if (auto* fused = std::get_if<ir::Fused>(&stmt.node))
        append(result, region(*fused));
      else if (auto* call = std::get_if<ir::LibraryCall>(&stmt.node))
        append(result, called(*call));
      else if (auto* own = std::get_if<ir::ExternalCall>(&stmt.node))
        append(result, external(std::move(*own)));
      else
        result.push_back(std::move(stmt));
    }
    std::erase_if(result, [&](const ir::Stmt& stmt) {
      auto* alloc = std::get_if<ir::Alloc>(&stmt.node);
      return alloc && allocated_.count(alloc->tensor) != 0;
    });
    return result;
  }

  std::vector<OpReport> reports;
  std::vector<SettingError> errors;

 private:
  using Code = std::function<ir::Block(const ir::StructuredOp&, OpReport&)>;

  ir::Block scheduled(const ir::StructuredOp& op) {
    return reported(op, [&](const ir::StructuredOp& whole, OpReport& report) {
      const auto given = settings_.steps();
      if (given && given != model(whole).steps) return bySteps(whole, *given, report);
      return chosen(whole, report);
    });
  }

  // The model's form of an op, whatever is set for it.
  Form model(const ir::StructuredOp& op, bool memory = true) {
    OpSettings none({}, "", 0);
    return best(op, none, memory);
  }
  Form best(const ir::StructuredOp& op, OpSettings& settings, bool memory = true) {
    const ir::Kernel& kernel = builder_.kernel();
    return bestForm({kernel, op, operandNames(kernel, op), options_, settings, memory});
  }
  ir::Block done(const ir::StructuredOp& op, const Form& form) {
    return apply(builder_, op, form.steps, options_);
  }

  static bool needsMemory(const ir::Block& block) {
    bool needs = false;
    ir::forEachStatement(block, [&](const ir::Stmt& stmt) {
      auto* alloc = std::get_if<ir::Alloc>(&stmt.node);
      needs |= alloc && alloc->space == ir::Space::Heap;
    });
    return needs;
  }

  // As the user says it; what is not said is chosen.
  ir::Block bySteps(const ir::StructuredOp& op, const Steps& steps, OpReport& report) {
    report.strategy = "steps";
    report.steps = steps;
    report.lines.push_back("as the schedule says");
    auto complete = [&](const Place& place) {
      int64_t threads = std::exchange(options_.threads, steps.empty() ? options_.threads : 1);
      ir::Block block = done(place.op, model(place.op));
      // In a loop on threads there is no memory of the size of a tile.
      if (threads > 1 && !steps.empty() && needsMemory(block))
        block = done(place.op, model(place.op, /*memory=*/false));
      options_.threads = threads;
      return block;
    };
    std::vector<StepError> wrong;
    ir::Block block = apply(builder_, {op, operandNames(builder_.kernel(), op)}, steps, options_,
                            wrong, complete);
    for (const StepError& error : wrong) settings_.refuseStep(error.source, error.message);
    return block;
  }

  // What `code` makes of the op, with its settings, and what it says of it.
  ir::Block reported(const ir::StructuredOp& op, const Code& code) {
    OpReport report{op.source, ir::printStatement(builder_.kernel(), {op}), "loops", {}, {}};
    std::vector<std::string> work = limitsOf(builder_.kernel(), op, target_);
    settings_ = OpSettings(options_.settings, builder_.kernel().name,
                           static_cast<unsigned>(reports.size()));
    if (callOp_ == reports.size()) libraryTiles(op, settings_);
    ir::Block block = code(op, report);
    // The pass call-external has called those that could be.
    if (auto function = settings_.text(kLibraryCall)) {
      auto call = transforms::externalCall(builder_.kernel(), op, *function);
      settings_.refuse(kLibraryCall, std::string(kLibraryCall) + " = " + *function + ": " +
                                         (call ? "run call-external before" : call.reason()));
    }
    noteLibrary(op, report);
    report.lines.insert(report.lines.end(), work.begin(), work.end());
    reports.push_back(std::move(report));
    for (SettingError& error : settings_.errors()) errors.push_back(std::move(error));
    return block;
  }

  ir::Block external(ir::ExternalCall call) {
    ir::forEachOp(call.body, [&](const ir::StructuredOp& op) {
      const auto number = static_cast<unsigned>(reports.size());
      OpSettings own(options_.settings, builder_.kernel().name, number);
      reports.push_back(externalReport(builder_.kernel(), op, number, call, target_, own));
      for (SettingError& error : own.errors()) errors.push_back(std::move(error));
    });
    return transforms::only({std::move(call)});
  }

  // What is set about libraries for an op, and why none is asked for it.
  void noteLibrary(const ir::StructuredOp& op, OpReport& report) {
    auto set = settings_.text("library");
    auto rules = set ? parseRules(*set) : std::nullopt;
    if (auto why = rules ? findImpossible(builder_.kernel(), op, *rules) : std::nullopt)
      settings_.refuse("library", why->text);
    else if (rules && !rules->empty() && rules->back().where.empty() && callOp_ != reports.size())
      settings_.refuse("library", "no call: it is done together with other ops");
    if (callOp_ != reports.size())
      for (const std::string& tile : settings_.startingWith("tile_"))
        if (settings_.text(tile))
          settings_.refuse(tile,
                           tile + " is for tiles that a library is called on, and none is here");
    if (callOp_) return;  // that says it itself
    bool asked = !options_.library.empty();
    if (set || (asked && mayBeCalled(builder_.kernel(), op, options_)))
      report.settings.insert(report.settings.begin(), {"library", "none"});
    if (asked)
      report.lines.push_back(set ? "no call of a library: library = none"
                                 : notCalledText(builder_.kernel(), op, options_));
  }

  // The calls, each in the place of the one before it, and what runs where no library does.
  ir::Block called(const ir::LibraryCall& call) {
    std::vector<ir::LibraryCall> calls = inOrder(call);
    const ir::Block& code = ir::generated(call);
    callOp_ = reports.size() - 1;
    ir::forEachOp(code, [&](const ir::StructuredOp&) { ++*callOp_; });
    OpSettings own(options_.settings, builder_.kernel().name, static_cast<unsigned>(*callOp_));
    LibraryTiles tiles = libraryTiles(call.op, own);
    std::vector<ir::LibraryCall> made = calls;
    ir::Block block =
        tiles.empty() ? inTurn(calls, run(code)) : calledOnTiles(calls, code, tiles, made);
    callOp_.reset();
    OpReport& report = reports.back();
    std::vector<ir::LibraryRule> rules;
    std::vector<std::string> lines;
    for (const ir::LibraryCall& one : calls) rules.push_back({one.library, one.where});
    for (const ir::LibraryCall& one : made) lines.push_back(callText(one, lines.empty()));
    std::vector<std::pair<std::string, std::string>> settings = {{"library", ir::rulesText(rules)}};
    for (const auto& [name, size] : tiles) {
      settings.emplace_back("tile_" + name, std::to_string(size));
      lines.push_back("for tiles of " + std::to_string(size) + " along '" + name + "'");
    }
    report.settings.insert(report.settings.begin(), settings.begin(), settings.end());
    report.lines.insert(report.lines.begin(), lines.begin(), lines.end());
    return block;
  }

  // What the op starts from comes before the loops over tiles, whose calls add to it. `made` gets
  // those calls.
  ir::Block calledOnTiles(const std::vector<ir::LibraryCall>& calls, const ir::Block& code,
                          const LibraryTiles& tiles, std::vector<ir::LibraryCall>& made) {
    Ops ops;
    ir::forEachOp(code, [&](const ir::StructuredOp& op) { ops.push_back(op); });
    ir::Block block;
    for (size_t i = 0; i + 1 < ops.size(); ++i) append(block, scheduled(ops[i]));
    append(block, reported(ops.back(), [&](const ir::StructuredOp& op, OpReport& report) {
             auto inside = [&](const ir::StructuredOp& part) {
               int64_t threads = std::exchange(options_.threads, 1);
               ir::Block body = chosen(part, report);
               report.steps.clear();
               options_.threads = threads;
               made.clear();
               for (const ir::LibraryCall& call : calls) {
                 auto one = transforms::libraryCall(builder_.kernel(), part, call.library);
                 if (!one) {
                   settings_.refuse(
                       "tile_" + tiles[0].first,
                       "no call of " + call.library + " on these tiles: " + one.reason());
                   continue;
                 }
                 one->number = call.number;
                 made.push_back(std::move(*one));
               }
               return inTurn(made, std::move(body));
             };
             for (const ir::LibraryCall& call : calls)
               if (!call.where.empty())
                 settings_.refuse("library", "tiles and conditions on sizes do not go together");
             return onLibraryTiles(builder_, op, tiles, inside);
           }));
    return block;
  }

  // ---- Ops that share loops ----

  ir::Block region(const ir::Fused& fused) {
    Ops ops;
    for (const ir::Stmt& stmt : fused.ops) ops.push_back(std::get<ir::StructuredOp>(stmt.node));
    if (anySteps(ops.size())) return alone(ops);
    size_t contraction = 0;
    while (contraction < ops.size() && !hasTiles(builder_.kernel(), ops[contraction]))
      ++contraction;
    std::optional<ir::Block> block =
        contraction < ops.size() ? onTiles(ops, contraction) : sharing(ops);
    return block ? std::move(*block) : alone(ops);
  }

  // Each op by itself.
  ir::Block alone(const Ops& ops) {
    ir::Block block;
    for (const ir::StructuredOp& op : ops) append(block, scheduled(op));
    return block;
  }

  // Whether the user gives steps for one of the next ops: then all of its loops are said there.
  bool anySteps(size_t count) {
    return llvm::any_of(options_.settings, [&](const Setting& setting) {
      return setting.kernel == builder_.kernel().name && setting.name == kSteps &&
             setting.op >= reports.size() && setting.op < reports.size() + count;
    });
  }

  // A contraction, and on its tiles the others; nothing if it is not to be done as one.
  std::optional<ir::Block> onTiles(const Ops& ops, size_t contraction) {
    OpSettings own(options_.settings, builder_.kernel().name,
                   static_cast<unsigned>(reports.size() + contraction));
    auto strategy = own.word("strategy", formNames());
    if (target_.vectorBytes == 0 || (strategy && strategy != "contraction")) return std::nullopt;
    ir::Block block;
    for (size_t i = 0; i < ops.size(); ++i)
      append(block, reported(ops[i], [&](const ir::StructuredOp& op, OpReport& report) {
               if (i == contraction) {
                 settings_.word("strategy", formNames());
                 Groups groups = *contractionGroups(builder_.kernel(), op);
                 return onThreads(ops, i, contracted(ops, i, groups, report), report);
               }
               report.strategy = "fused";
               settings_.word("strategy", {"fused"});
               report.lines.push_back(i < contraction
                                          ? "the register tiles of the contraction start from it"
                                          : "done on the register tiles of the contraction");
               return ir::Block();
             }));
    return block;
  }

  std::string sharedNames(const Ops& ops) {
    std::string text;
    for (const std::vector<std::string>& names : sharedIterators(builder_.kernel(), ops))
      text += (text.empty() ? "'" : ", '") + names[0] + "'";
    return text;
  }

  // A contraction takes memory for what it packs, and other forms none but what blocks have.
  bool takesMemory(const Ops& ops) {
    for (size_t i = 0; i < ops.size(); ++i) {
      OpSettings own(options_.settings, builder_.kernel().name,
                     static_cast<unsigned>(reports.size() + i));
      auto strategy = own.word("strategy", formNames());
      if (strategy && strategy != "contraction") continue;
      if (target_.vectorBytes > 0 && contractionGroups(builder_.kernel(), ops[i])) return true;
    }
    return false;
  }

  // The ops block by block; nothing if one of them needs memory of its own, or nothing is shared.
  std::optional<ir::Block> sharing(const Ops& ops) {
    if (takesMemory(ops) || sharedIterators(builder_.kernel(), ops).empty()) return std::nullopt;
    const ScheduleOptions whole = options_;
    std::string line = "together with others, block by block along " + sharedNames(ops);
    size_t next = 0;
    auto each = [&](const ir::StructuredOp& tile) {
      return reported(ops[next++], [&](const ir::StructuredOp&, OpReport& report) {
        options_.threads = 1;
        ir::Block code = chosen(tile, report);
        report.steps.clear();  // the loops around them are others
        options_.threads = whole.threads;
        report.lines.push_back(line);
        if (whole.threads > 1)
          report.lines.push_back(
              "on threads: blocks are shared out, or, where there are fewer than " +
              std::to_string(whole.threads) + " large ones, each op by itself");
        return code;
      });
    };
    // What is set is for blocks.
    auto alone = [&] {
      ir::Block block;
      for (const ir::StructuredOp& op : ops) {
        append(block, done(op, model(op)));
      }
      return block;
    };
    ir::Block block = inBlocks(builder_, ops, whole, each, alone);
    noteAllocs(block);
    return block;
  }

  // Locals of the kernel that get their memory in the block.
  void noteAllocs(const ir::Block& block) {
    ir::forEachStatement(block, [&](const ir::Stmt& stmt) {
      auto* alloc = std::get_if<ir::Alloc>(&stmt.node);
      if (alloc && alloc->tensor < given_) allocated_.insert(alloc->tensor);
    });
  }

  // In the best form.
  ir::Block chosen(const ir::StructuredOp& op, OpReport& report) {
    Form form = best(op, settings_);
    ir::Block block = done(op, form);
    note(std::move(form), report);
    return block;
  }
  static void note(Form form, OpReport& report) {
    report.strategy = std::move(form.name);
    report.settings = std::move(form.settings);
    llvm::append_range(report.lines, form.lines);
    report.steps = std::move(form.steps);
  }

  ir::Block contracted(const Ops& ops, size_t contraction, const Groups& groups, OpReport& report) {
    const ir::StructuredOp op = transforms::asSum(ops[contraction]);
    const ir::Kernel& kernel = builder_.kernel();
    const std::vector<OperandName> names = operandNames(kernel, op);
    Form form = contractionOf({kernel, op, names, options_, settings_}, ops, groups);
    Region region(builder_, ops);
    ir::Block block = apply(builder_, Place{op, names, &region}, form.steps, options_);
    note(std::move(form), report);
    report.steps.clear();
    return block;
  }

  ir::Block partOf(const ir::StructuredOp& op) {
    OpSettings none({}, "", 0);
    const ir::Kernel& kernel = builder_.kernel();
    return done(op, bestFormOfPart({kernel, op, operandNames(kernel, op), options_, none}));
  }

  // The same of ops whose code is a contraction's.
  ir::Block onThreads(const Ops& ops, size_t reduction, ir::Block code, OpReport& report) {
    const ir::StructuredOp& op = ops[reduction];
    if (options_.threads == 1 || !transforms::mayReorder(op, options_.keepsOrder)) return code;
    auto parts = partsForThreads(builder_.kernel(), op, options_,
                                 options_.target->numbers.iterationsPerThread,
                                 /*isTile=*/true);
    if (!parts) return code;
    const std::string width = builder_.name(parts->width.name);
    auto number = [&](const affine::Expr& e) {
      return e.substitute([&](const affine::Atom& atom) -> std::optional<affine::Expr> {
        if (atom.kind != affine::Atom::Kind::Symbol) return std::nullopt;
        return atom.name == parts->width.name ? transforms::size(width)
                                              : builder_.extent(op, atom.name);
      });
    };
    ir::Block block = transforms::only({ir::Bound{width, {number(parts->width.of[0])}}});
    ir::If test{{}, {}, std::move(code)};
    for (const Test& one : parts->tests)
      test.conditions.push_back(
          {ir::Condition::Kind::LessEqual, number(one.left), number(one.right)});
    ir::StructuredOp whole = op;
    transforms::canonicalize(builder_, whole, test.then);
    ir::Block split;
    for (size_t i = 0; i < ops.size(); ++i)
      if (i == reduction)
        append(split, transforms::splitReduction(builder_, whole, parts->axis,
                                                 transforms::size(width), parts->axis + "_part"));
      else
        split.push_back({ops[i]});
    for (ir::Stmt& stmt : split) {
      if (auto* part = std::get_if<ir::StructuredOp>(&stmt.node))
        append(test.then, partOf(*part));
      else
        test.then.push_back(std::move(stmt));
    }
    report.lines.push_back(parts->line);
    report.steps.clear();
    block.push_back({std::move(test)});
    return block;
  }

  transforms::Builder builder_;
  ScheduleOptions options_;
  const target::Target& target_;
  OpSettings settings_{{}, "", 0};
  std::optional<size_t> callOp_;  // in a library call: the number of what is called for
  size_t given_;                  // tensors of the kernel
  std::set<unsigned> allocated_;  // of these, where they are used
};

}  // namespace

Decision decide(const ir::Kernel& kernel, const ScheduleOptions& options) {
  if (options.target->device) return decideForDevice(kernel, options);
  ir::Kernel result = kernel;
  result.level = ir::Level::Tiled;
  Scheduler scheduler(result, options);
  ir::Block body = scheduler.run(kernel.body);
  result.body = std::move(body);
  result = transforms::canonicalize(result);
  transforms::hoistAllocs(result);
  transforms::dropUnused(result);
  auto ops = static_cast<unsigned>(scheduler.reports.size());
  for (const Setting& setting : options.settings)
    if (setting.kernel == kernel.name && setting.op >= ops)
      scheduler.errors.push_back(
          {setting, "'" + kernel.name + "' has " + std::to_string(ops) +
                        (ops == 1 ? " op, number 0" : " ops, numbers 0 to ") +
                        (ops == 1 ? "" : std::to_string(ops - 1))});
  return {std::move(scheduler.reports), std::move(scheduler.errors), std::move(result)};
}

ir::Kernel apply(Decision decision) { return std::move(decision.tiled); }

}  // namespace einc::strategy
