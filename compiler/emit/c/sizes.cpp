// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/c/sizes.h"

#include "compiler/emit/c/places.h"
#include "compiler/emit/c/workspace.h"
#include "compiler/emit/text/references.h"

namespace einc::emit {
namespace {

class SizeCounter : public PlacePrinter {
 public:
  SizeCounter(const ir::Kernel& code, KernelScope& scope, Prelude& prelude, const COptions& options,
              const std::string& workspace)
      : PlacePrinter(code, scope, prelude, options.plant), workspace_(workspace) {
    names_.quotient = nullptr;
    expect(options);
  }

  std::string run() {
    out_.indent();
    block(kernel_.body);
    std::string body = out_.take();
    if (most_.empty()) return body;
    out_.line("int64_t " + most_ + " = 0;");
    out_.raw(body);
    out_.line(workspace_ + " = " + prelude_.need("greatest") + "(" + most_ + ", " + workspace_ +
              ");");
    return out_.take();
  }

  template <typename Other>
  void operator()(const Other&) {}  // no others are there
  void operator()(const ir::View& view) { facts_.enter(view); }
  void operator()(const ir::Bound& bound) { declareNumber(bound); }

  void operator()(const ir::Alloc& alloc) {
    if (!alloc.over) out_.line(workspace_ + " += " + bytesOf(alloc) + ";");
  }

  void operator()(const ir::If& test) {
    if (test.conditions.empty()) {  // one of both, or each of them (sizesOnly)
      scope(test.then);
      return scope(test.otherwise);
    }
    const Test all = allOf(test.conditions);
    if (all.never()) return scope(test.otherwise);
    auto write = [&](const ir::Block& statements) { scope(statements); };
    if (all.always()) return assuming(test.conditions, [&] { scope(test.then); });
    branches(test, all, write, write);
  }

  // Only where the library does not take the call is there memory for what is done instead.
  void operator()(const ir::LibraryCall& call) {
    out_.open("{");
    out_.open("if (!(" + asked(call, DataOf::Arguments).test + ")) {");
    scope(call.body);
    out_.close().close();
  }

  // Rounds that need the same memory are one; of those that differ by their tile's size there are the first and the last.
  void operator()(const ir::TileLoop& loop) {
    const std::string end = printer_.index(loop.extent);
    const std::string var = scope_.local(loop.var), size = scope_.local(loop.size),
                      step = printer_.index(loop.step), by = wrapped(step);
    const std::string around = out_.take();
    facts_.enter(loop);
    out_.indent();
    scope(loop.body);
    out_.dedent();
    const std::string body = out_.take();
    const References used = referencesIn(body);
    const bool isOfSize = used.count(size) != 0, isOfPlace = used.count(var) != 0;
    out_.raw(around);
    if (isOfSize || isOfPlace) {
      const std::string next = isOfPlace ? step
                                         : prelude_.need("greatest") + "(" + step + ", (" + end +
                                               " - 1) / " + by + " * " + by + ")";
      out_.open("for (int64_t " + var + " = 0; " + var + " < " + end + "; " + var + " += " + next +
                ") {");
    } else {
      out_.open(loop.extent.asConstant() > 0 ? "{" : "if (0 < " + end + ") {");
    }
    if (isOfSize)
      out_.line("const int64_t " + size + " = " + prelude_.need("least") + "(" + step + ", " +
                wrapped(end) + " - " + var + ");");
    out_.raw(body);
    out_.close();
  }

 private:
  void block(const ir::Block& statements) {
    for (const ir::Stmt& stmt : statements) std::visit(*this, stmt.node);
  }

  void scope(const ir::Block& statements) {
    if (!usesHeapAgain_ || !takesHeap(statements)) return block(statements);
    if (most_.empty()) most_ = scope_.local(".most");
    const std::string before = scope_.local(".before" + std::to_string(++scopes_));
    out_.line("const int64_t " + before + " = " + workspace_ + ";");
    block(statements);
    out_.line(most_ + " = " + prelude_.need("greatest") + "(" + most_ + ", " + workspace_ + ");");
    out_.line(workspace_ + " = " + before + ";");
  }

  const std::string& workspace_;
  std::string most_;  // "" if no block inside takes anything
  size_t scopes_ = 0;
  const bool usesHeapAgain_ = usesHeapAgain(kernel_.body);
};

}  // namespace

std::string sizeStatements(const ir::Kernel& code, KernelScope& scope, Prelude& prelude,
                           const COptions& options, const std::string& workspace) {
  return SizeCounter(code, scope, prelude, options, workspace).run();
}

}  // namespace einc::emit
