// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/lexer.h"

#include "llvm/ADT/StringExtras.h"

namespace einc::ir {
namespace {

bool isWordPart(char c) { return llvm::isAlnum(c) || c == '_'; }

}  // namespace

void Lexer::skipBlanks() {
  constexpr std::string_view kBlanks = " \t\r\n";
  while (at_ < text_.size()) {
    if (text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (kBlanks.find(text_[at_]) != std::string_view::npos) {
      ++at_;
    } else {
      return;
    }
  }
}

Token Lexer::make(TokenKind kind, size_t end) {
  SourceRange range{static_cast<uint32_t>(at_), static_cast<uint32_t>(end)};
  Token token{kind, range, text_.substr(at_, end - at_)};
  at_ = end;
  return token;
}

// All that could belong to a number, well-formed or not; but the ".." of a range does not.
size_t Lexer::endOfNumber() const {
  size_t end = at_;
  auto digitAt = [&](size_t i) { return i < text_.size() && llvm::isDigit(text_[i]); };
  for (; end < text_.size(); ++end) {
    char c = text_[end];
    bool exponentSign =
        (c == '+' || c == '-') && (text_[end - 1] | 0x20) == 'e' && digitAt(end + 1);
    if (!isWordPart(c) && !exponentSign && !(c == '.' && digitAt(end + 1))) break;
  }
  return end;
}

Token Lexer::string() {
  for (size_t end = at_ + 1; end < text_.size() && text_[end] != '\n'; ++end) {
    if (text_[end] == '"') return make(TokenKind::String, end + 1);
    if (text_[end] == '\\' && end + 1 < text_.size() && text_[end + 1] != '\n') ++end;
  }
  return make(TokenKind::Stray, std::min(text_.find('\n', at_), text_.size()));
}

Token Lexer::next() {
  constexpr std::string_view kSingle = "(){}[]<>,:=+-*?%@";
  skipBlanks();
  if (at_ == text_.size()) return make(TokenKind::End, at_);
  char c = text_[at_];
  if (llvm::isDigit(c)) return make(TokenKind::Number, endOfNumber());
  if (isWordPart(c)) {
    size_t end = at_;
    while (end < text_.size() && isWordPart(text_[end])) ++end;
    return make(TokenKind::Word, end);
  }
  if (c == '"') return string();
  std::string_view two = text_.substr(at_, 2);
  if (two == "->" || two == "..") return make(TokenKind::Punctuation, at_ + 2);
  if (kSingle.find(c) != std::string_view::npos) return make(TokenKind::Punctuation, at_ + 1);
  return make(TokenKind::Stray, at_ + 1);
}

}  // namespace einc::ir
