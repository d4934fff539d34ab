// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/sizes.h"

#include <algorithm>
#include <set>

#include "compiler/support/text_writer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace einc::driver {
namespace {

// More takes hours.
constexpr size_t kMostSizes = 4096;

}  // namespace

Result<std::vector<SizeRange>> parseSizes(const std::vector<std::string>& texts) {
  std::vector<SizeRange> ranges;
  std::set<std::string> seen;
  for (const std::string& text : texts) {
    auto [names, values] = llvm::StringRef(text).split('=');
    SizeRange range;
    llvm::SmallVector<llvm::StringRef, 8> parts;
    names.split(parts, ',');
    for (llvm::StringRef name : parts) {
      if (name.empty() || values.empty())
        return Reason{"--size takes NAMES=VALUES, as in M,N=16,64,256, not '" + text + "'"};
      if (!seen.insert(name.str()).second)
        return Reason{"--size " + text + ": '" + name.str() + "' stands twice"};
      range.names.push_back(name.str());
    }
    parts.clear();
    values.split(parts, ',');
    for (llvm::StringRef value : parts) {
      int64_t size = 0;
      if (value.getAsInteger(10, size) || size < 1)
        return Reason{"--size " + text + ": '" + value.str() + "' is no size from 1 on"};
      range.values.push_back(size);
    }
    ranges.push_back(std::move(range));
  }
  return ranges;
}

Result<std::vector<Sizes>> combine(const std::vector<SizeRange>& ranges,
                                   const std::vector<std::string>& symbols) {
  std::vector<Sizes> result = {{}};
  std::vector<std::string> missing = symbols;
  for (const SizeRange& range : ranges) {
    std::vector<std::string> names;
    for (const std::string& name : range.names)
      if (llvm::is_contained(symbols, name)) names.push_back(name);
    if (names.empty()) continue;
    for (const std::string& name : names) std::erase(missing, name);
    std::vector<Sizes> longer;
    for (const Sizes& sizes : result)
      for (int64_t value : range.values) {
        longer.push_back(sizes);
        for (const std::string& name : names) longer.back()[name] = value;
      }
    if (longer.size() > kMostSizes)
      return Reason{"these are more than " + std::to_string(kMostSizes) +
                    " combinations of sizes; give fewer, or several that change together: "
                    "--size M,N=16,64"};
    result = std::move(longer);
  }
  if (!missing.empty())
    return Reason{"no sizes of " + joined(missing) + ": give --size " + joined(missing, ",") +
                  "=16,64,256, or --dim " + missing[0] + "=64 to fix one"};
  return result;
}

}  // namespace einc::driver
