// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/library_rule.h"

#include <algorithm>

#include "compiler/support/text_writer.h"

namespace einc::ir {

std::vector<Where> parseWhere(TokenStream& in) {
  std::vector<Where> result;
  do {
    Where bound{};
    do bound.iterators.push_back(in.name("an iterator"));
    while (in.accept("*"));
    bound.below = in.accept("<");
    if (!bound.below) {
      in.expect(">", ", or '<'");
      in.expect("=", " after '>': there are < and >=");
    }
    bound.bound = in.integer();
    result.push_back(std::move(bound));
  } while (!in.failed() && in.acceptWord("and"));
  return result;
}

const std::vector<std::string>& libraryNames() {
  static const std::vector<std::string> names = {"cblas", "blis"};
  return names;
}

std::vector<LibraryRule> parseLibraryRules(TokenStream& in) {
  if (in.acceptWord("none")) return {};
  std::vector<std::string> known = libraryNames();
  known.emplace_back("none");
  std::vector<LibraryRule> result;
  do {
    SourceRange place = in.token().range;
    LibraryRule rule{in.name("the name of a library"), {}};
    if (!in.failed() && (rule.library == "none" ||
                         std::find(known.begin(), known.end(), rule.library) == known.end()))
      in.fail(place, "no library '" + rule.library + "' here; there are " + joined(known) +
                         didYouMean(rule.library, known));
    if (in.acceptWord("where")) rule.where = parseWhere(in);
    result.push_back(std::move(rule));
  } while (!in.failed() && in.acceptWord("else"));
  return result;
}

std::string whereText(const std::vector<Where>& where) {
  if (where.empty()) return "";
  return " where " + joined(where, " and ", [](const Where& bound) {
           return joined(bound.iterators, " * ") + (bound.below ? " < " : " >= ") +
                  std::to_string(bound.bound);
         });
}

std::string rulesText(const std::vector<LibraryRule>& rules) {
  if (rules.empty()) return "none";
  return joined(rules, " else ",
                [](const LibraryRule& rule) { return rule.library + whereText(rule.where); });
}

}  // namespace einc::ir
