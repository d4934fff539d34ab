// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// VectorPrinter: what vectors are read from. Lanes are neighbours, all or some of them; or equally far apart; or several have one
// element; or each is read by itself.
#include <algorithm>

#include "compiler/emit/c/vectors.h"
#include "compiler/support/text_writer.h"

namespace einc::emit {

using ir::ScalarType;

namespace {

// Neighbours, the same number of lanes each.
bool areRepeated(const VectorAccess& access, int64_t lanes) {
  const bool isWhole = access.count.empty() && access.conditions.empty() && access.rest == "0";
  return access.times > 1 && access.stride == "1" && isWhole &&
         (lanes % access.times == 0 || access.times % lanes == 0);
}

}  // namespace

VectorPrinter::Text VectorPrinter::load(ScalarType type, const ir::Load& load) {
  VectorAccess access = names_.access(load);
  int64_t lanes = 1;
  for (const affine::Expr& e : load.index)
    for (const std::string& name : e.iterators()) lanes = std::max(lanes, names_.width(name));
  VectorType result{registerType(type), lanes, false};
  std::string storage = vectorName(type, lanes, /*storage=*/true);
  std::string padElement;
  const bool oneByOne = !access.lane.empty();
  if (!access.conditions.empty() || !access.count.empty() || !access.inside.empty()) {
    // Where both a view and the load have one they are equal: the vectoriser sees to that.
    ir::ValueRef value = access.pad ? access.pad : load.pad;
    padElement = access.padElement.empty() ? scalars_.toStorage(value) : access.padElement;
  }
  std::string text;
  if (oneByOne) {
    text = gathered(type, lanes, access, padElement);
  } else {
    const bool isPacked = !access.packed.empty();
    const std::string pointer = isPacked ? access.first : "&" + access.first;
    const std::string loaded =
        isPacked ? "halves_" + access.packed + "x" + std::to_string(lanes) : storage;
    if (!access.part.empty())
      text = partOfWords(ir::inBytes(type), lanes, access);
    else if (access.isOfWords && isPacked)
      text = wordsOfHalves(type, lanes, access.packed) + "(" + pointer + ")";
    else if (access.isOfWords)
      text = access.count.empty() ? vectors_.need("load_words_" + storage) + "(" + pointer + ")"
                                  : vectors_.need("load_some_words_" + storage) + "(" + pointer +
                                        ", " + access.count + ", " + padElement + ")";
    else if (areRepeated(access, lanes))
      text = repeated(type, lanes, access.times) + "(" + pointer + ")";
    else if (access.times > 1)
      text = spread(type, lanes, access.times) + "(" + pointer + ", " + access.stride + ", " +
             access.rest + ", " + (access.count.empty() ? std::to_string(lanes) : access.count) +
             ", " + (padElement.empty() ? "0" : padElement) + ")";
    else if (!access.low.empty() && access.unit)
      text = vectors_.need("load_between_" + storage) + "(" + pointer + ", " + access.low + ", " +
             access.count + ", " + padElement + ")";
    else if (!access.count.empty() && access.unit)
      text = (access.whole.empty() ? ""
                                   : "(" + access.whole + " ? " + vectors_.need("load_" + loaded) +
                                         "(" + pointer + ") : ") +
             vectors_.need("load_some_" + loaded) + "(" + pointer + ", " + access.count + ", " +
             padElement + ")" + (access.whole.empty() ? "" : ")");
    else if (access.unit)
      text = vectors_.need("load_" + loaded) + "(" + pointer + ")";
    else if (!access.count.empty())
      text = vectors_.need("gather_some_" + storage) + "(" + pointer + ", " + access.stride + ", " +
             access.count + ", " + padElement + ")";
    else
      text = vectors_.need("gather_" + storage) + "(" + pointer + ", " + access.stride + ")";
  }
  if (!oneByOne && !access.conditions.empty())
    text = "(" + joined(access.conditions, " && ") + " ? " + text + " : " +
           vectors_.need("splat_" + storage) + "(" + padElement + "))";
  // What the kernel has written itself is 0 or 1.
  bool isOurs = type == ScalarType::Bool && access.isLocal;
  return {isOurs ? text : fromStorage(type, lanes, text), result};
}

// The function that reads neighbours, each for so many lanes.
std::string VectorPrinter::repeated(ScalarType type, int64_t lanes, int64_t times) {
  const std::string storage = vectorName(type, lanes, /*storage=*/true),
                    name = "repeated_" + std::to_string(times) + "_times_" + storage,
                    own = "einc_" + vectors_.suffix(), element(ir::info(type).cType);
  if (vectors_.has(name)) return vectors_.need(name);
  const int64_t count = std::max<int64_t>(lanes / times, 1);
  const std::string head =
      "EINC_INLINE " + own + storage + " " + own + name + "(const " + element + " *from) {\n";
  if (count == 1)
    return vectors_.add(name, {"inline", "splat_" + storage},
                        head + "  return " + own + "splat_" + storage + "(*from);\n}\n");
  std::string places;
  for (int64_t i = 0; i < lanes; ++i) places += ", " + std::to_string(i / times);
  return vectors_.add(name, {"inline", storage},
                      head + "  typedef " + element + " few_of __attribute__((vector_size(" +
                          std::to_string(count) + " * sizeof *from)));\n" +
                          "  few_of few = {0};\n  __builtin_memcpy(&few, from, sizeof few);\n" +
                          "  return __builtin_shufflevector(few, few" + places + ");\n}\n");
}

// The function that reads a vector in which each element is so many lanes. Which element a lane is stands in a table: it begins
// anywhere in the lanes of one.
std::string VectorPrinter::spread(ScalarType type, int64_t lanes, int64_t times) {
  const std::string storage = vectorName(type, lanes, /*storage=*/true), by = std::to_string(times),
                    name = "spread_" + by + "_times_" + storage;
  if (vectors_.has(name)) return vectors_.need(name);
  const std::string own = "einc_" + vectors_.suffix(), element(ir::info(type).cType),
                    all = std::to_string(lanes), vector = own + storage;
  // Of many lanes an element each, at most one begins inside of a vector.
  const bool isLong = times >= lanes;
  const unsigned bits = ir::info(ir::inBytes(type)).bits;
  const bool inHalves = bits == 64;
  std::string table;
  for (int64_t i = 0; i < (isLong ? 2 * lanes : lanes + times - 1); ++i) {
    const int64_t place = isLong ? i / lanes : i / times;
    table += (i == 0 ? "" : ", ") +
             (inHalves ? std::to_string(2 * place) + ", " + std::to_string(2 * place + 1)
                       : std::to_string(place));
  }
  const std::string last = std::to_string(times - lanes),
                    first = std::string(inHalves ? "2 * " : "") +
                            (isLong ? "(rest > " + last + " ? rest - " + last + " : 0)" : "rest");
  return vectors_.add(
      name, {"inline", "spread_" + storage},
      "/* Each element is " + by + " lanes, of which the first has begun `rest` before. */\n" +
          "EINC_INLINE " + vector + " " + own + name + "(const " + element +
          " *from, int64_t stride, int64_t rest, int64_t count, " + element +
          " pad) {\n  static const int" + std::to_string(inHalves ? 32 : bits) + "_t places[] = {" +
          table + "};\n  const int64_t lanes = count < " + all + " ? count : " + all +
          ";\n  return " + own + "spread_" + storage + "(from, stride, (rest + lanes + " +
          std::to_string(times - 1) + ") / " + by + ", places + " + first + ", lanes, pad);\n}\n");
}

// The name of a vector that is read lane by lane, before the statement.
std::string VectorPrinter::gathered(ScalarType type, int64_t lanes, const VectorAccess& access,
                                    const std::string& pad) {
  const std::string storage = vectorName(type, lanes, /*storage=*/true);
  std::string name = names_.variableName();
  std::string none =
      access.conditions.empty() ? "{0}" : vectors_.need("splat_" + storage) + "(" + pad + ")";
  std::string value = access.packed.empty() || access.isOfWords
                          ? access.element
                          : scalars_.function("get_" + access.packed) + "(" + access.element + ")";
  if (!access.inside.empty()) value = access.inside + " ? " + value + " : " + pad;
  names_.before(vectors_.need(storage) + " " + name + " = " + none + ";");
  names_.before(
      (access.conditions.empty() ? "" : "if (" + joined(access.conditions, " && ") + ") ") +
      eachLane(access, lanes) + name + "[" + access.lane + "] = " + value + ";");
  return name;
}

}  // namespace einc::emit
