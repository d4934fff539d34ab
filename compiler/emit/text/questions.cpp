// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/text/questions.h"

#include "compiler/emit/text/expressions.h"

namespace einc::emit {
namespace {

std::string lengthText(const std::string& distance, const facts::Length& length) {
  return length.multipleOf
             ? wrapped(distance) + " % " + std::to_string(*length.multipleOf) + " == 0"
             : distance + " == 1";
}

struct Text {
  const QuestionPrinter& printer;

  std::string operator()(const facts::Comparison& c) const {
    static const char* const signs[] = {" == ", " < ", " <= ", " >= "};
    const std::string left = printer.index(c.left);
    return left + signs[static_cast<int>(c.sign)] + printer.index(c.right);
  }
  std::string operator()(const facts::Stride& s) const {
    return lengthText(printer.stride(s.tensor, s.dim), s.length);
  }
  std::string operator()(const facts::Distance& d) const {
    const std::string to = wrapped(printer.address(d.tensor, d.to));
    return lengthText(to + " - " + wrapped(printer.address(d.tensor, d.from)), d.length);
  }
  // Where there is one element alone, strides may be any.
  std::string operator()(const facts::Apart& a) const {
    return "(uint64_t)" + wrapped(printer.stride(a.tensor, a.outer)) + " == (uint64_t)" +
           wrapped(printer.index(a.count)) + " * (uint64_t)" +
           wrapped(printer.stride(a.tensor, a.inner));
  }
  std::string operator()(const facts::Start& start) const { return printer.start(start); }
  std::string operator()(const facts::Run& run) const { return printer.run(run); }
};

}  // namespace

std::string QuestionPrinter::text(const facts::Question& question) const {
  return std::visit(Text{*this}, question);
}

std::vector<std::string> QuestionPrinter::texts(const facts::Comparisons& comparisons) const {
  std::vector<std::string> result;
  for (const facts::Comparison& c : comparisons) result.push_back(Text{*this}(c));
  return result;
}

Test QuestionPrinter::test(const facts::Asked& asked) const {
  if (asked.known) return Test::known(*asked.known);
  std::vector<std::string> all;
  for (const facts::Question& question : asked.questions) all.push_back(text(question));
  return Test::allOf(all);
}

Test QuestionPrinter::test(const facts::Comparisons& comparisons) const {
  return Test::allOf(texts(comparisons));
}

}  // namespace einc::emit
