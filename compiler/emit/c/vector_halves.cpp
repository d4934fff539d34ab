// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// VectorPrinter: integers of 4 bits, two of which are in a byte of an argument (prelude/vectors_small.h).
#include "compiler/emit/c/vectors.h"

namespace einc::emit {

using ir::ScalarType;

// The function that reads words of the bytes that parts of bytes become.
std::string VectorPrinter::wordsOfHalves(ScalarType type, int64_t lanes,
                                         const std::string& packed) {
  const int64_t all = lanes * ir::info(type).bytes();
  const std::string vector = vectorName(type, lanes), from = "einc_" + vectors_.suffix(),
                    load = "load_halves_" + packed + "x" + std::to_string(all),
                    name = "load_words_" + vector + "_of_halves_" + packed;
  return vectors_.add(name, {"inline", vector, load},
                      "EINC_INLINE " + from + vector + " " + from + name +
                          "(const uint8_t *from, int64_t at) {\n  return (" + from + vector + ")" +
                          from + load + "(from, at);\n}\n");
}

// Neighbours that are parts of bytes, in lanes of 32 bits at once.
std::optional<VectorPrinter::Text> VectorPrinter::widened(ScalarType type, const ir::Cast& cast) {
  const auto* load = std::get_if<ir::Load>(&cast.arg->node);
  const bool isWide = type == ScalarType::F32 || type == ScalarType::I32;
  if (!load || !isWide || !ir::info(cast.arg->type).isPacked()) return std::nullopt;
  const VectorAccess access = names_.access(*load);
  const int64_t lanes = names_.width(axisOf(cast.arg));
  const bool isWhole = access.conditions.empty() && access.count.empty() && access.lane.empty();
  if (access.packed.empty() || !access.unit || !isWhole || (lanes != 8 && lanes != 16) ||
      !vectors_.has("shifted_halves_of_" + std::to_string(lanes)))
    return std::nullopt;
  return Text{vectors_.need("wide_" + access.packed + "_" + std::string(ir::info(type).name) +
                            "_of_" + std::to_string(lanes)) +
                  "(" + access.first + ")",
              {type, lanes, false}};
}

// Of neighbours, at the place of the first.
std::vector<std::string> VectorPrinter::storeHalves(int64_t lanes, const VectorAccess& to,
                                                    const std::string& stored) {
  const std::string function = std::string(to.count.empty() ? "store_" : "store_some_") +
                               "halves_" + to.packed + "x" + std::to_string(lanes);
  return {vectors_.need(function) + "(" + to.first + ", " +
          (to.count.empty() ? "" : to.count + ", ") + stored + ");"};
}

}  // namespace einc::emit
