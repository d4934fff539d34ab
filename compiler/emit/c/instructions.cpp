// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Instructions that add several products at once (target/instructions.def), as functions of vectors.
#include "compiler/emit/c/vectors.h"
#include "compiler/ir/instruction.h"
#include "compiler/support/text_writer.h"

namespace einc::emit {
namespace {

// The vectors that an expression casts to, as types of so many bytes. Compilers have come to take bf16
// one after the other.
std::string typesIn(const std::string& text, int64_t bytes) {
  const std::string vector = " __attribute__((vector_size(" + std::to_string(bytes) + ")));\n";
  std::string types;
  auto uses = [&](const std::string& name) { return text.find("(" + name + ")") != text.npos; };
  if (uses("i32")) types += "  typedef int i32" + vector;
  if (uses("u32")) types += "  typedef unsigned u32" + vector;
  if (uses("i8")) types += "  typedef char i8" + vector;
  if (uses("i16")) types += "  typedef short i16" + vector;
  if (uses("bf16"))
    types += "#if defined(__clang__) && __clang_major__ < 16\n  typedef int bf16" + vector +
             "#elif !defined(__clang__) && __GNUC__ < 13\n  typedef short bf16" + vector +
             "#else\n  typedef __bf16 bf16" + vector + "#endif\n";
  return types;
}

}  // namespace

// The function of so many lanes, of which the target has an instruction. What multiplies matrices is on a block of lanes.
std::string VectorPrinter::instruction(const ir::Instruction& instruction, int64_t lanes) {
  const std::string sum = vectorName(instruction.sum, lanes),
                    words = vectorName(instruction.word(), lanes / instruction.side),
                    name = std::string(instruction.name) + "_x" + std::to_string(lanes);
  if (vectors_.has(name)) return vectors_.need(name);
  const ir::Instruction::Text* text = instruction.textOf(lanes);
  const std::string own = "einc_" + vectors_.suffix();
  const std::string head = "EINC_INLINE " + own + sum + " " + own + name + "(" + own + sum +
                           " c, " + own + words + " a, " + own + words + " b) {\n";
  std::vector<std::string> needs = {"inline", sum, words};
  if (!text) {
    // Of the next number of lanes that has one, the first.
    const std::string more = this->instruction(instruction, 2 * lanes);
    needs.push_back(std::string(instruction.name) + "_x" + std::to_string(2 * lanes));
    std::string all, first;
    for (int64_t i = 0; i < 2 * lanes; ++i) all += ", " + std::to_string(i);
    for (int64_t i = 0; i < lanes; ++i) first += ", " + std::to_string(i);
    auto wide = [&](const std::string& x) {
      return "__builtin_shufflevector(" + x + ", " + x + all + ")";
    };
    return vectors_.add(name, needs,
                        head + "  const " + own + vectorName(instruction.sum, 2 * lanes) +
                            " all = " + more + "(" + wide("c") + ", " + wide("a") + ", " +
                            wide("b") + ");\n  return __builtin_shufflevector(all, all" + first +
                            ");\n}\n");
  }
  const std::string clang(text->clang), gcc(text->gcc);
  auto returned = [&](const std::string& value) {
    return "  return (" + own + sum + ")" + value + ";\n";
  };
  std::string body = clang == gcc ? returned(clang)
                                  : "#if defined(__clang__)\n" + returned(clang) + "#else\n" +
                                        returned(gcc) + "#endif\n";
  const int64_t bytes = lanes * ir::info(instruction.sum).bytes();
  // What one compiler alone casts to, the other leaves unused.
  std::string types = typesIn(clang, bytes);
  if (const std::string others = typesIn(gcc, bytes); others != types) {
    types = "#if defined(__clang__)\n" + types + "#else\n" + others + "#endif\n";
  }
  return vectors_.add(name, needs, head + types + body + "}\n");
}

// The same on the words of each lane: of blocks the diagonal.
std::string VectorPrinter::onLanes(const ir::Instruction& instruction, int64_t lanes) {
  if (instruction.side == 1) return this->instruction(instruction, lanes);
  const int64_t side = instruction.side, all = side * side;
  const std::string own = "einc_" + vectors_.suffix(), sum = vectorName(instruction.sum, lanes),
                    word = vectorName(instruction.word(), lanes),
                    name = std::string(instruction.name) + "_on_x" + std::to_string(lanes);
  if (vectors_.has(name)) return vectors_.need(name);
  const std::string block = vectorName(instruction.sum, all),
                    pair = vectorName(instruction.word(), side),
                    products = this->instruction(instruction, all);
  std::string text = "EINC_INLINE " + own + sum + " " + own + name + "(" + own + sum + " c, " +
                     own + word + " a, " + own + word + " b) {\n  int i;\n  for (i = 0; i < " +
                     std::to_string(lanes) + "; i += " + std::to_string(side) + ") {\n    " + own +
                     block + " sums = {0};\n    " + own + pair + " x = {0}, y = {0};\n";
  auto each = [&](const auto& line) {
    for (int64_t i = 0; i < side; ++i)
      text += "    " +
              line(i == 0 ? "i" : "i + " + std::to_string(i), std::to_string(i),
                   std::to_string(i * (side + 1))) +
              "\n";
  };
  each([](const std::string& lane, const std::string& at, const std::string& diagonal) {
    return "sums[" + diagonal + "] = c[" + lane + "], x[" + at + "] = a[" + lane + "], y[" + at +
           "] = b[" + lane + "];";
  });
  text += "    sums = " + products + "(sums, x, y);\n";
  each([](const std::string& lane, const std::string&, const std::string& diagonal) {
    return "c[" + lane + "] = sums[" + diagonal + "];";
  });
  return vectors_.add(name,
                      {"inline", sum, word, block, pair,
                       std::string(instruction.name) + "_x" + std::to_string(all)},
                      text + "  }\n  return c;\n}\n");
}

VectorPrinter::Text VectorPrinter::instruct(const ir::Instruct& instruct) {
  const ir::Instruction& instruction = *instruct.instruction;
  const int64_t lanes = lanesOf(instruct.args);
  const bool isBlock = !instruct.axis.empty();
  std::vector<std::string> args;
  for (const ir::ValueRef& arg : instruct.args)
    args.push_back(vector(arg, isBlock && !args.empty() ? int64_t{instruction.side} : lanes));
  return {(isBlock ? this->instruction(instruction, lanes) : onLanes(instruction, lanes)) + "(" +
              joined(args) + ")",
          {instruction.sum, lanes, false}};
}

// In scalar code: the first of a few lanes.
std::string VectorPrinter::instructOnce(const ir::Instruction& instruction,
                                        const std::vector<std::string>& args) {
  constexpr int64_t kLanes = 4;
  const VectorType sum{instruction.sum, kLanes, false}, word{instruction.word(), kLanes, false};
  return onLanes(instruction, kLanes) + "(" + splat(args[0], sum) + ", " + splat(args[1], word) +
         ", " + splat(args[2], word) + ")[0]";
}

}  // namespace einc::emit
