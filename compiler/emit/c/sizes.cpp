// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/c/sizes.h"

#include "compiler/emit/c/places.h"
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
    return out_.take();
  }

  template <typename Other>
  void operator()(const Other&) {}  // no others are there
  void operator()(const ir::View& view) { facts_.enter(view); }
  void operator()(const ir::Bound& bound) { declareNumber(bound); }

  void operator()(const ir::Alloc& alloc) {
    const ir::Tensor& tensor = kernel_.tensors[alloc.tensor];
    const std::string elements = elementsOf(tensor);
    out_.line(workspace_ + " += " + bytesOf(tensor, elements) + ";");
  }

  void operator()(const ir::If& test) {
    const Test all = allOf(test.conditions);
    if (all.never()) return block(test.otherwise);
    auto write = [&](const ir::Block& statements) { block(statements); };
    if (all.always()) return assuming(test.conditions, [&] { block(test.then); });
    branches(test, all, write, write);
  }

  // Only where the library does not take the call is there memory for what is done instead.
  void operator()(const ir::LibraryCall& call) {
    out_.open("{");
    out_.open("if (!(" + asked(call, DataOf::Arguments).test + ")) {");
    block(call.body);
    out_.close().close();
  }

  // Each round has the memory from here on; what comes later, that behind the largest.
  void operator()(const ir::TileLoop& loop) {
    const std::string end = printer_.index(loop.extent);
    const std::string before = scope_.local("before_" + loop.var),
                      most = scope_.local("most_" + loop.var);
    out_.line("const int64_t " + before + " = " + workspace_ + ";");
    out_.line("int64_t " + most + " = " + workspace_ + ";");
    const std::string var = scope_.local(loop.var), size = scope_.local(loop.size),
                      step = printer_.index(loop.step);
    out_.open("for (int64_t " + var + " = 0; " + var + " < " + end + "; " + var + " += " + step +
              ") {");
    facts_.enter(loop);
    const std::string around = out_.take();
    block(loop.body);
    const std::string body = out_.take();
    out_.raw(around);
    out_.line(workspace_ + " = " + before + ";");
    if (referencesIn(body).count(size) != 0)
      out_.line("const int64_t " + size + " = " + prelude_.need("least") + "(" + step + ", " +
                wrapped(end) + " - " + var + ");");
    out_.raw(body);
    out_.line("if (" + most + " < " + workspace_ + ") " + most + " = " + workspace_ + ";");
    out_.close();
    out_.line(workspace_ + " = " + most + ";");
  }

 private:
  void block(const ir::Block& statements) {
    for (const ir::Stmt& stmt : statements) std::visit(*this, stmt.node);
  }

  const std::string& workspace_;
};

}  // namespace

std::string bytesOf(const ir::Tensor& tensor, const std::string& elements) {
  return "(" + (elements.empty() ? "" : elements + " * ") +
         std::to_string(ir::info(tensor.type).bytes()) + " + 63) / 64 * 64";
}

std::string sizeStatements(const ir::Kernel& code, KernelScope& scope, Prelude& prelude,
                           const COptions& options, const std::string& workspace) {
  return SizeCounter(code, scope, prelude, options, workspace).run();
}

}  // namespace einc::emit
