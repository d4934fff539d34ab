// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/glsl/glsl.h"

#include "compiler/emit/glsl/body.h"
#include "compiler/emit/text/comment.h"
#include "compiler/ir/print.h"

namespace einc::emit {
namespace {

// What stands around the dispatches is the host's; here it only says what is known.
class Dispatches {
 public:
  Dispatches(const ir::Kernel& kernel, const std::string& schedule, const GlslOptions& options)
      : kernel_(kernel), schedule_(schedule), options_(options), facts_(kernel) {}

  std::vector<Shader> shaders() {
    block(kernel_.body);
    return std::move(shaders_);
  }

 private:
  void block(const ir::Block& statements) {
    facts::Facts outer = facts_;
    for (const ir::Stmt& stmt : statements) {
      if (auto* dispatch = std::get_if<ir::Dispatch>(&stmt.node)) shader(*dispatch);
      facts_.enter(stmt);
      if (auto* test = std::get_if<ir::If>(&stmt.node)) {
        facts::Facts around = facts_;
        facts_.assume(test->conditions);
        std::string conditions = joined(test->conditions, " and ",
                                        [&](const ir::Condition& c) { return conditionText(c); });
        where_.push_back(conditions);
        block(test->then);
        facts_ = std::move(around);
        where_.back() = "not (" + conditions + ")";
        block(test->otherwise);
        where_.pop_back();
      } else if (!std::holds_alternative<ir::Dispatch>(stmt.node)) {
        for (const ir::Block* inner : ir::blocksOf(stmt)) block(*inner);
      }
    }
    facts_ = outer;
  }

  // Which arrays are of vectors is known when all that is done with them has been seen.
  void shader(const ir::Dispatch& dispatch) {
    VectorArrays arrays;
    {
      ShaderScope scope(kernel_);
      GlslPrelude prelude;
      GlslBody body(kernel_, dispatch, facts_, scope, prelude, options_, arrays);
      body.run();
      arrays = body.vectorAccesses();
    }
    ShaderScope scope(kernel_);
    GlslPrelude prelude;
    GlslBody body(kernel_, dispatch, facts_, scope, prelude, options_, arrays);
    std::string main = body.run();

    Shader shader;
    shader.name = kernel_.name + "_" + dispatch.name;
    shader.dispatch = dispatch.name;
    shader.invocations = dispatch.invocations;
    shader.workgroups = body.workgroups();
    shader.choosesSize = body.choosesSize();
    shader.sharedBytes = body.sharedBytes();
    const References used = referencesIn(main);
    scope.describe(used, body.reads(), body.writes(), shader);
    TextWriter declarations;
    scope.declareBuffers(used, body.seesBuffers(), shader, prelude, declarations);
    scope.declareConstants(shader, declarations);
    for (const std::string& line : body.shared()) declarations.line(line);
    shader.features = prelude.features();
    shader.text = plain(text(dispatch, shader.choosesSize, declarations.take(), prelude, main));
    shaders_.push_back(std::move(shader));
  }

  std::string text(const ir::Dispatch& dispatch, bool choosesSize, const std::string& declarations,
                   const GlslPrelude& prelude, const std::string& main) const {
    TextWriter out;
    out.line("#version 450");
    out.raw(commentLines(kernel_.name + ", " + dispatch.name, "// "));
    std::string schedule = schedule_;
    while (schedule.ends_with('\n')) schedule.pop_back();
    if (!schedule.empty()) out.line("//").raw(commentLines(schedule, "// "));
    if (!where_.empty()) out.line("//").line("// Of this, what is done where").raw(where());
    out.raw(prelude.extensions());
    out.line();
    std::vector<std::string> sizes;
    for (size_t d = 0; d < 3; ++d)
      if (d == 0 || dispatch.invocations[d] > 1)
        sizes.push_back(std::string("local_size_") + static_cast<char>('x' + d) + " = " +
                        std::to_string(dispatch.invocations[d]));
    if (choosesSize) sizes.push_back("local_size_x_id = " + std::to_string(kSizeConstant));
    out.line("layout(" + joined(sizes) + ") in;");
    out.raw(declarations).line();
    if (std::string functions = prelude.text(); !functions.empty()) out.raw(functions);
    out.line("void main() {").raw(main).line("}");
    return out.take();
  }

  // In terms of arguments: views have names that no shader shows.
  std::string conditionText(const ir::Condition& c) const {
    const ir::View* view = facts_.viewOf(c.tensor);
    if (!c.isOfMemory() || !view) return ir::print(kernel_, {c});
    std::vector<affine::Expr> index;
    for (const std::string& dim : view->dims) index.push_back(affine::Expr::iterator(dim));
    std::string text = "%" + kernel_.tensors[facts_.rootOf(c.tensor)].name + "[" +
                       joined(facts_.rootIndex(c.tensor, index), ", ",
                              [](const affine::Expr& e) { return e.str(); }) +
                       "] along " + view->dims[c.dim];
    if (c.kind == ir::Condition::Kind::Aligned) return "aligned " + text + " to " + c.left.str();
    return (c.kind == ir::Condition::Kind::Unit ? "unit " : "even ") + text;
  }

  // The conditions around a dispatch, outermost first.
  std::string where() const {
    return commentLines(joined(where_, "\nand ", [](const std::string& text) { return text; }),
                        "//   ");
  }

  const ir::Kernel& kernel_;
  const std::string& schedule_;
  const GlslOptions& options_;
  facts::Facts facts_;
  std::vector<Shader> shaders_;
  std::vector<std::string> where_;  // the conditions around
};

}  // namespace

std::vector<Shader> emitGlsl(const ir::Kernel& kernel, const std::string& schedule,
                             const GlslOptions& options) {
  return Dispatches(kernel, schedule, options).shaders();
}

}  // namespace einc::emit
