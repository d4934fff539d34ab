// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What the parser of IR text stands on: the present token, and the first error. After an error the
// stream is at its end, so that every loop that waits for a token ends.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "compiler/ir/lexer.h"
#include "compiler/ir/types.h"
#include "compiler/support/diagnostics.h"

namespace einc::ir {

class TokenStream {
 public:
  TokenStream(const SourceFile& source, Diagnostics& errors);

  const Token& token() const { return token_; }
  Token peek() const;  // the token after this one
  void advance();
  bool failed() const { return failed_; }

  void fail(SourceRange range, const std::string& message);
  // "expected WHAT, found ..." at the present token.
  void failExpected(const std::string& what);

  bool accept(std::string_view punctuation);
  bool acceptWord(std::string_view word);
  // The token, or an error; `purpose` ends the message, as in "expected ')' after the inputs".
  void expect(std::string_view punctuation, const std::string& purpose = "");
  void expectWord(std::string_view word);
  std::string name(const std::string& what);
  int64_t integer();
  ScalarType type();
  // One of `words`; its position among them.
  size_t oneOf(std::initializer_list<const char*> words);

  // item {"," item} close, or just close.
  template <typename Item>
  void list(std::string_view close, Item&& item) {
    if (accept(close)) return;
    do item();
    while (accept(","));
    expect(close);
  }

  // Guards one level of nesting, counted in `depth`: false, and an error, at the 257th.
  class Nesting {
   public:
    Nesting(TokenStream& stream, unsigned& depth);
    ~Nesting() { --depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    explicit operator bool() const { return !stream_.failed_; }

   private:
    TokenStream& stream_;
    unsigned& depth_;
  };

 private:
  Diagnostics& errors_;
  Lexer lexer_;
  Token token_;
  bool failed_ = false;
};

// "'name'", the end of the file, or what else a token is; shortened.
std::string describe(const Token& token);

}  // namespace einc::ir
