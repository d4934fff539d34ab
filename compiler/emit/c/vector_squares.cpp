// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Squares of elements that are read along one iterator and written along another: transposed in registers, or, of small
// elements, while they are loaded.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "compiler/emit/c/vectors.h"
#include "compiler/support/text_writer.h"

namespace einc::emit {

using ir::ScalarType;

std::string VectorPrinter::transposer(const VectorType& type) {
  const std::string vector = cType(type), name = "transpose_" + vectorName(type.type, type.lanes);
  const std::string half = std::to_string(type.lanes / 2);
  auto shuffled = [&](int64_t d, bool isLower) {
    std::string text = "__builtin_shufflevector(x, y";
    for (unsigned lane :
         ir::exchangedLanes(static_cast<unsigned>(type.lanes), static_cast<unsigned>(d), isLower))
      text += ", " + std::to_string(lane);
    return text + ")";
  };
  std::string rounds;
  for (int64_t d = 1; d < type.lanes; d *= 2) {
    const std::string at = std::to_string(d), twice = std::to_string(2 * d);
    const bool isLast = 2 * d == type.lanes;  // then they are the first ones
    const std::string i = isLast ? "j" : "i";
    rounds += "  einc_unrolled for (int " + i + " = 0; " + i + " < " + half + "; ++" + i + ") {\n";
    if (!isLast)
      rounds +=
          "    const int j = " + (d == 1 ? "2 * i" : "i / " + at + " * " + twice + " + i % " + at) +
          ";\n";
    rounds += "    const " + vector + " x = a[j], y = a[j + " + at +
              "];\n    a[j] = " + shuffled(d, /*isLower=*/false) + ";\n    a[j + " + at +
              "] = " + shuffled(d, /*isLower=*/true) + ";\n  }\n";
  }
  return vectors_.add(name, {"inline", vectorName(type.type, type.lanes)},
                      "/* Lane j of a[i] becomes lane i of a[j]. */\nEINC_INLINE void einc_" +
                          vectors_.suffix() + name + "(" + vector + " *a) {\n" + rounds + "}\n");
}

// (Elements are in registers as they are in memory.) Vectors of which each part of 16 bytes is another line; then halves of parts are mixed, until a part is one element of
// all of its lines.
std::string VectorPrinter::turner(ScalarType type, int64_t lanes, ScalarType memory,
                                  const std::string& packed) {
  // Words of that memory, where it is of another type.
  const bool isOfWords = ir::info(memory).bits != ir::info(type).bits, isPacked = !packed.empty();
  const std::string storage = vectorName(type, lanes, /*storage=*/true),
                    name = (isOfWords ? "load_turned_" + std::string(ir::info(memory).name) + "_"
                                      : "load_turned_") +
                           vectorName(type, lanes) + (isPacked ? "_of_" + packed : "");
  const int64_t side = ir::turnedTogether(type);
  const std::string part = vectorName(type, side, /*storage=*/true),
                    load = isPacked && !isOfWords
                               ? "load_halves_" + packed + "x" + std::to_string(side)
                               : (isOfWords ? "load_words_" : "load_") + part;
  const std::string loads =
      isPacked && isOfWords ? wordsOfHalves(type, side, packed) : vectors_.need(load);
  const std::string each =
      "  einc_unrolled for (int i = 0; i < " + std::to_string(side) + "; ++i) ";
  auto shuffled = [](const std::string& x, const std::string& y, int64_t count, const auto& lane) {
    std::string text = "__builtin_shufflevector(" + x + ", " + y;
    for (int64_t i = 0; i < count; ++i) text += ", " + std::to_string(lane(i));
    return text + ")";
  };
  std::vector<std::string> lines;  // of one vector
  for (int64_t first = 0; first < lanes; first += side)
    lines.push_back(loads + (isPacked ? "(from, at + " : "(from + ") +
                    (first > 0 ? "(i + " + std::to_string(first) + ")" : "i") + " * stride)");
  for (int64_t both = 2 * side; lines.size() > 1; both *= 2) {
    for (size_t i = 0; 2 * i < lines.size(); ++i)
      lines[i] = shuffled(lines[2 * i], lines[2 * i + 1], both, [](int64_t lane) { return lane; });
    lines.resize(lines.size() / 2);
  }
  auto mixed = [&](const std::string& from, int64_t half) {
    return shuffled(from + "[i]", from + "[i + " + std::to_string(side / 2) + "]", lanes,
                    [&](int64_t lane) {
                      const int64_t within = lane % side, place = lane - within + half + within / 2;
                      return within % 2 == 0 ? place : place + lanes;
                    });
  };
  std::string from = "a", to = "b";
  std::string body = "  " + vectors_.need(storage) + " a[" + std::to_string(side) + "], b[" +
                     std::to_string(side) + "];\n" + each + "a[i] = " + lines[0] + ";\n";
  for (int64_t round = 1; round < side; round *= 2, std::swap(from, to))
    body += "  einc_unrolled for (int i = 0; i < " + std::to_string(side / 2) + "; ++i) {\n    " +
            to + "[2 * i] = " + mixed(from, 0) + ";\n    " + to +
            "[2 * i + 1] = " + mixed(from, side / 2) + ";\n  }\n";
  body += each + "columns[i] = " + from + "[i];\n";
  std::vector<std::string> needs = {"inline", vectorName(type, lanes), storage};
  needs.push_back(isPacked && isOfWords ? loads.substr(loads.find("load_")) : load);
  const std::string head = cType({registerType(type), lanes}) + " *columns, const " +
                           std::string(isPacked    ? "uint8_t"
                                       : isOfWords ? ir::info(memory).cType
                                                   : ir::info(type).cType) +
                           (isPacked ? " *from, int64_t at" : " *from") + ", int64_t stride";
  return vectors_.add(name, needs,
                      "/* Of as many lines as lanes: columns[i] has element i of each. */\n"
                      "EINC_INLINE void einc_" +
                          vectors_.suffix() + name + "(" + head + ") {\n" + body + "}\n");
}

}  // namespace einc::emit
