// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Tokens of the spec language. The lexer works on demand and is cheap to copy, so that the parser
// can look ahead by running a copy.
#pragma once

#include <string_view>

#include "compiler/support/diagnostics.h"

namespace einc::frontend {

enum class TokenKind : uint8_t {
  End,
  Identifier,  // [A-Za-z_][A-Za-z0-9_]*
  Number,      // starts with a digit; `2xi64` is one token, too
  DocString,   // with its """
  Punctuation  // the longest of the operators in lexer.cpp
};

struct Token {
  TokenKind kind = TokenKind::End;
  SourceRange range;
  std::string_view text;

  bool is(std::string_view punctuation) const {
    return kind == TokenKind::Punctuation && text == punctuation;
  }
  bool isWord(std::string_view word) const { return kind == TokenKind::Identifier && text == word; }
};

class Lexer {
 public:
  explicit Lexer(const SourceFile& source);
  // Errors (stray bytes, an unterminated doc string) go to `errors` unless it is null.
  Token next(Diagnostics* errors);

 private:
  void skipBlanks();
  Token make(TokenKind kind, size_t length);
  Token number();
  Token docString(Diagnostics* errors);

  std::string_view text_;
  size_t at_ = 0;
};

// Reports text that cannot be a spec at all: UTF-16, NUL bytes, invalid UTF-8. False after an
// error.
bool checkEncoding(Diagnostics& errors);

}  // namespace einc::frontend
