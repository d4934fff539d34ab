// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/token_stream.h"

#include "compiler/support/text_writer.h"
#include "llvm/ADT/StringRef.h"

namespace einc::ir {
namespace {

constexpr unsigned kMaxDepth = 256;

}  // namespace

std::string describe(const Token& token) {
  constexpr size_t kShown = 40;
  if (token.kind == TokenKind::End) return "the end of the file";
  if (token.kind == TokenKind::Stray)
    return token.text[0] == '"' ? "a string that does not end" : "a character that has no meaning";
  return "'" + std::string(token.text.substr(0, kShown)) +
         (token.text.size() > kShown ? "...'" : "'");
}

TokenStream::TokenStream(const SourceFile& source, Diagnostics& errors)
    : errors_(errors), lexer_(source.text()) {
  token_ = lexer_.next();
}

Token TokenStream::peek() const { return Lexer(lexer_).next(); }

void TokenStream::advance() {
  if (!failed_) token_ = lexer_.next();
}

void TokenStream::fail(SourceRange range, const std::string& message) {
  if (!failed_) errors_.error(Diag::Notation, range, message);
  failed_ = true;
  token_ = {TokenKind::End, token_.range, {}};
}

void TokenStream::failExpected(const std::string& what) {
  fail(token_.range, "expected " + what + ", found " + describe(token_));
}

bool TokenStream::accept(std::string_view punctuation) {
  if (!token_.is(punctuation)) return false;
  advance();
  return true;
}

bool TokenStream::acceptWord(std::string_view word) {
  if (!token_.isWord(word)) return false;
  advance();
  return true;
}

void TokenStream::expect(std::string_view punctuation, const std::string& purpose) {
  if (!accept(punctuation)) failExpected("'" + std::string(punctuation) + "'" + purpose);
}

void TokenStream::expectWord(std::string_view word) {
  if (!acceptWord(word)) failExpected("'" + std::string(word) + "'");
}

std::string TokenStream::name(const std::string& what) {
  std::string text(token_.text);
  if (token_.kind == TokenKind::Word)
    advance();
  else
    failExpected(what);
  return text;
}

int64_t TokenStream::integer() {
  int64_t value = 0;
  llvm::StringRef digits(token_.text.data(), token_.text.size());
  if (token_.kind != TokenKind::Number || digits.find_first_not_of("0123456789") != digits.npos)
    failExpected("an integer");
  else if (digits.getAsInteger(10, value))
    fail(token_.range, describe(token_) + " is past 2^63 - 1");
  else
    advance();
  return value;
}

ScalarType TokenStream::type() {
  auto type = token_.kind == TokenKind::Word ? parseType(token_.text) : std::nullopt;
  if (type) {
    advance();
    return *type;
  }
  std::vector<std::string> names;
  for (const TypeInfo& t : allTypes()) names.emplace_back(t.name);
  fail(token_.range, "expected a type (" + joined(names) + "), found " + describe(token_) +
                         didYouMean(token_.text, names));
  return ScalarType::F32;
}

size_t TokenStream::oneOf(std::initializer_list<const char*> words) {
  size_t i = 0;
  for (const char* word : words) {
    if (acceptWord(word)) return i;
    ++i;
  }
  std::vector<std::string> names(words.begin(), words.end());
  fail(token_.range, "expected " + joined(names, " or ") + ", found " + describe(token_) +
                         didYouMean(token_.text, names));
  return 0;
}

TokenStream::Nesting::Nesting(TokenStream& stream, unsigned& depth)
    : stream_(stream), depth_(depth) {
  if (++depth_ > kMaxDepth)
    stream.fail(stream.token_.range,
                "nested too deeply: at most " + std::to_string(kMaxDepth) + " levels");
}

}  // namespace einc::ir
