// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Instructions that add several products at once, and those that convert (target/instructions.def), as functions of vectors.
#include <algorithm>
#include <functional>

#include "compiler/emit/c/vectors.h"
#include "compiler/ir/conversion.h"
#include "compiler/ir/instruction.h"
#include "compiler/support/text_writer.h"

namespace einc::emit {

using ir::ScalarType;

namespace {

// How many bytes a vector of elements has, of so many bytes each.
using BytesOf = std::function<int64_t(int64_t element)>;

// The vectors that an expression casts to. Compilers have come to take bf16 one after the other.
std::string typesIn(const std::string& text, const BytesOf& bytesOf) {
  std::string types;
  auto vector = [&](int64_t element) {
    return " __attribute__((vector_size(" + std::to_string(bytesOf(element)) + ")));\n";
  };
  auto uses = [&](const std::string& name) { return text.find("(" + name + ")") != text.npos; };
  if (uses("f32")) types += "  typedef float f32" + vector(4);
  if (uses("i32")) types += "  typedef int i32" + vector(4);
  if (uses("u32")) types += "  typedef unsigned u32" + vector(4);
  if (uses("i8")) types += "  typedef char i8" + vector(1);
  if (uses("i16")) types += "  typedef short i16" + vector(2);
  if (uses("bf16"))
    types += "#if defined(__clang__) && __clang_major__ < 16\n  typedef int bf16" + vector(2) +
             "#elif !defined(__clang__) && __GNUC__ < 13\n  typedef short bf16" + vector(2) +
             "#else\n  typedef __bf16 bf16" + vector(2) + "#endif\n";
  return types;
}

// What each compiler is to see.
std::string forEachCompiler(const std::string& clang, const std::string& gcc) {
  if (clang == gcc) return clang;
  return "#if defined(__clang__)\n" + clang + "#else\n" + gcc + "#endif\n";
}

// A row's text, in a statement that begins so, behind the types that it takes. (What one compiler alone casts to,
// the other leaves unused.)
std::string statementOf(const ir::Instruction::Text& text, const std::string& begin,
                        const BytesOf& bytesOf) {
  const std::string clang(text.clang), gcc(text.gcc);
  return forEachCompiler(typesIn(clang, bytesOf), typesIn(gcc, bytesOf)) +
         forEachCompiler(begin + clang + ";\n", begin + gcc + ";\n");
}

// ", 0, 1, -1, -1": the first lanes of a shuffle, and any for the others.
std::string lanesOfShuffle(int64_t count, int64_t all) {
  std::string lanes;
  for (int64_t i = 0; i < all; ++i) lanes += ", " + std::to_string(i < count ? i : -1);
  return lanes;
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
  const int64_t bytes = lanes * ir::info(instruction.sum).bytes();
  return vectors_.add(name, needs,
                      head + statementOf(*text, "  return (" + own + sum + ")", [&](int64_t) {
                        return bytes;
                      }) + "}\n");
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

// ---- Conversions --------------------------------------------------------------------------------

// Of elements in memory, or of numbers that registers hold as they are.
std::string VectorPrinter::typeForRow(ScalarType type, int64_t lanes) {
  if (lanes == 1) return std::string(ir::info(type).cType);
  return vectors_.need(vectorName(type, lanes, /*storage=*/true));
}

// The same by the function of more lanes.
std::string VectorPrinter::ofMoreLanes(const ir::Conversion& row, int64_t lanes, int64_t more) {
  const std::string all = converter(row.from, row.to, more);
  if (lanes == 1) {
    return "  const " + typeForRow(row.from, more) + " all = {a};\n  return " + all + "(all)[0];\n";
  }
  return "  const " + typeForRow(row.to, more) + " all = " + all + "(__builtin_shufflevector(a, a" +
         lanesOfShuffle(lanes, more) + "));\n  return __builtin_shufflevector(all, all" +
         lanesOfShuffle(lanes, lanes) + ");\n";
}

// A row's own text for so many lanes.
std::string VectorPrinter::ofLanes(const ir::Conversion& row, const ir::Instruction::Text& text) {
  const std::string to = typeForRow(row.to, text.lanes), cast = "(" + to + ")";
  auto bytes = [&](int64_t element) { return std::max<int64_t>(16, text.lanes * element); };
  if (text.lanes == 1 || row.hidden.empty()) return statementOf(text, "  return " + cast, bytes);
  const std::string from(ir::info(row.from).name);
  return statementOf(text, "  " + to + " v = " + cast, bytes) + "  /* What it sees to come from " +
         from + " Clang compares as " + from + ", lane by lane: it is hidden. */\n" +
         "  __asm__(\"\" : \"+" + std::string(row.hidden) + "\"(v));\n  return v;\n";
}

std::string VectorPrinter::converter(ScalarType from, ScalarType to, int64_t lanes) {
  const ir::Conversion* row = ir::findConversion(from, to, vectors_.features());
  const ir::Instruction::Text* text = row ? row->textOfMore(lanes) : nullptr;
  if (!text) return "";
  const std::string name = std::string(row->name) + "_x" + std::to_string(lanes);
  if (vectors_.has(name)) return vectors_.need(name);
  const std::string body =
      text->lanes == lanes ? ofLanes(*row, *text) : ofMoreLanes(*row, lanes, text->lanes);
  std::vector<std::string> needs = {"inline"};
  if (text->lanes != lanes)
    needs.push_back(std::string(row->name) + "_x" + std::to_string(text->lanes));
  for (const ScalarType type : {from, to})
    for (const int64_t n : {lanes, text->lanes})
      if (n > 1) needs.push_back(vectorName(type, n, /*storage=*/true));
  return vectors_.add(name, needs,
                      "EINC_INLINE " + typeForRow(to, lanes) + " einc_" + vectors_.suffix() + name +
                          "(" + typeForRow(from, lanes) + " a) {\n" + body + "}\n");
}

}  // namespace einc::emit
