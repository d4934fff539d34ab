// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/lexer.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

namespace einc::frontend {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Longer ones first.
constexpr std::string_view kPunctuation[] = {"->", "+=", "-=", "*=", "<=", ">=", "==", "!=", "<<",
                                             ">>", "&&", "||", "(",  ")",  "{",  "}",  "[",  "]",
                                             "<",  ">",  ",",  ":",  ";",  "=",  "+",  "-",  "*",
                                             "/",  "%",  "?",  "!",  "&",  "|",  "^",  "~"};

bool isWordStart(char c) { return llvm::isAlpha(c) || c == '_'; }
bool isWordPart(char c) { return llvm::isAlnum(c) || c == '_'; }

}  // namespace

Lexer::Lexer(const SourceFile& source) : text_(source.text()) {
  if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
}

void Lexer::skipBlanks() {
  while (at_ < text_.size()) {
    if (text_.substr(at_).starts_with("//")) {
      size_t end = text_.find('\n', at_);
      at_ = end == std::string_view::npos ? text_.size() : end;
    } else if (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r' ||
               text_[at_] == '\n') {
      ++at_;
    } else {
      return;
    }
  }
}

Token Lexer::make(TokenKind kind, size_t length) {
  SourceRange range{static_cast<uint32_t>(at_), static_cast<uint32_t>(at_ + length)};
  Token token{kind, range, text_.substr(at_, length)};
  at_ += length;
  return token;
}

// A digit and all that could belong to a number after it, well-formed or not: what it means is
// decided where it stands, and the error can show the whole of it.
Token Lexer::number() {
  bool hex = text_.substr(at_).starts_with("0x") || text_.substr(at_).starts_with("0X");
  size_t end = at_;
  for (; end < text_.size(); ++end) {
    char c = text_[end];
    if (isWordPart(c) || c == '.') continue;
    char before = static_cast<char>(text_[end - 1] | 0x20);
    bool exponentSign = (c == '+' || c == '-') && before == (hex ? 'p' : 'e') &&
                        end + 1 < text_.size() && llvm::isDigit(text_[end + 1]);
    if (!exponentSign) break;
  }
  return make(TokenKind::Number, end - at_);
}

Token Lexer::docString(Diagnostics* errors) {
  size_t close = text_.find("\"\"\"", at_ + 3);
  if (close != std::string_view::npos) return make(TokenKind::DocString, close + 3 - at_);
  auto size = static_cast<uint32_t>(text_.size());
  auto begin = static_cast<uint32_t>(at_);
  if (errors)
    errors
        ->error(Diag::UnfinishedDoc, {size, size},
                "expected \"\"\" to end the doc string, found the end of the file")
        .note({begin, begin + 3}, "the doc string begins here");
  at_ = text_.size();
  return make(TokenKind::End, 0);
}

Token Lexer::next(Diagnostics* errors) {
  for (;;) {
    skipBlanks();
    if (at_ == text_.size()) return make(TokenKind::End, 0);
    char c = text_[at_];
    if (isWordStart(c)) {
      size_t end = at_;
      while (end < text_.size() && isWordPart(text_[end])) ++end;
      return make(TokenKind::Identifier, end - at_);
    }
    bool dotDigit = c == '.' && at_ + 1 < text_.size() && llvm::isDigit(text_[at_ + 1]);
    if (llvm::isDigit(c) || dotDigit) return number();
    if (text_.substr(at_).starts_with("\"\"\"")) return docString(errors);
    for (std::string_view p : kPunctuation)
      if (text_.substr(at_).starts_with(p)) return make(TokenKind::Punctuation, p.size());
    size_t length = 1;
    while (at_ + length < text_.size() && (text_[at_ + length] & 0xC0) == 0x80) ++length;
    Token stray = make(TokenKind::Punctuation, length);
    if (errors)
      errors->error(Diag::StrayCharacter, stray.range,
                    "unexpected character '" + std::string(stray.text) + "'");
  }
}

bool checkEncoding(Diagnostics& errors) {
  std::string_view text = errors.source().text();
  if (text.starts_with("\xFE\xFF") || text.starts_with("\xFF\xFE")) {
    errors.error(Diag::NotUtf8, {0, 2}, "this is UTF-16; a spec is UTF-8 text");
    return false;
  }
  size_t nul = text.find('\0');
  if (nul != std::string_view::npos) {
    auto at = static_cast<uint32_t>(nul);
    errors.error(Diag::NotUtf8, {at, at + 1}, "a NUL byte; a spec is UTF-8 text");
    return false;
  }
  auto* begin = reinterpret_cast<const llvm::UTF8*>(text.data());
  const llvm::UTF8* at = begin;
  if (!llvm::isLegalUTF8String(&at, begin + text.size())) {
    auto offset = static_cast<uint32_t>(at - begin);
    errors.error(Diag::NotUtf8, {offset, offset + 1},
                 "this byte is not valid UTF-8; a spec is UTF-8 text");
    return false;
  }
  return true;
}

}  // namespace einc::frontend
