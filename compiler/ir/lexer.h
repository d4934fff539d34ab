// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Tokens of IR text. Blanks and // comments separate them and mean nothing else.
#pragma once

#include <string_view>

#include "compiler/support/diagnostics.h"

namespace einc::ir {

enum class TokenKind : uint8_t {
  End,
  Word,         // [A-Za-z_][A-Za-z0-9_]*
  Number,       // starts with a digit and takes its suffix along: 0.1_f32, 2xi64
  String,       // with its quotes
  Punctuation,  // "->", "..", or one character
  Stray         // a byte that has no meaning, or a string that does not end
};

struct Token {
  TokenKind kind = TokenKind::End;
  SourceRange range;
  std::string_view text;

  bool is(std::string_view punctuation) const {
    return kind == TokenKind::Punctuation && text == punctuation;
  }
  bool isWord(std::string_view word) const { return kind == TokenKind::Word && text == word; }
};

// Cheap to copy: the parser looks ahead by running a copy.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  Token next();

 private:
  void skipBlanks();
  Token make(TokenKind kind, size_t end);
  size_t endOfNumber() const;
  Token string();

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace einc::ir
