// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Errors, warnings and notes with a place in a source file. Collected first, printed once: sorted
// by place, each with file:line:column, the line, and a caret. A long line is shown as the part
// around the caret.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/support/source.h"

namespace llvm {
class raw_ostream;  // NOLINT(readability-identifier-naming): LLVM's
}

namespace einc {

enum class Severity { Error, Warning, Note };

enum class Diag : uint8_t {
#define EINC_DIAGNOSTIC(id, name, explanation, slip, mended) id,
#include "compiler/support/diagnostics.def"
};

// The page of a diagnostic; `slip` and `mended` are specs, empty where none shows it.
struct DiagPage {
  Diag id;
  std::string_view name, explanation, slip, mended;
};
const std::vector<DiagPage>& diagPages();
std::string_view nameOf(Diag id);

struct Diagnostic {
  Severity severity;
  Diag id;  // a note has that of what it belongs to
  SourceRange range;
  std::string message;
  std::vector<Diagnostic> notes;
};

// The diagnostics of one source file. The same one (id, place, message) is kept once. At most
// kMaxErrors errors, and as many warnings, are kept, so that a broken file of a million tokens
// costs bounded memory; the rest are counted.
class Diagnostics {
 public:
  static constexpr size_t kMaxErrors = 50;

  explicit Diagnostics(const SourceFile& source) : source_(&source) {}

  // Both return the diagnostic, to which notes can be added: errors.error(...).note(...).
  class Handle {
   public:
    Handle& note(SourceRange range, std::string message);

   private:
    friend class Diagnostics;
    Handle(Diagnostics& owner, size_t index) : owner_(owner), index_(index) {}
    Diagnostics& owner_;
    size_t index_;
  };
  Handle error(Diag id, SourceRange range, std::string message);
  Handle warning(Diag id, SourceRange range, std::string message);
  // Something to know, which is no mistake: the first of its kind in a file.
  void noteOnce(Diag id, SourceRange range, std::string message);

  bool hasErrors() const { return errors_ != 0; }
  size_t errorCount() const { return errors_; }
  size_t warningCount() const { return warnings_; }
  const std::vector<Diagnostic>& all() const { return list_; }
  const SourceFile& source() const { return *source_; }

  // Forgets warnings and notes, but those at the places that `keep` wants.
  void dropWarnings(const std::function<bool(SourceRange)>& keep);

  // With `warningsAreErrors`, warnings are shown as errors.
  void print(llvm::raw_ostream& out, bool warningsAreErrors = false) const;

 private:
  static constexpr size_t kDropped = static_cast<size_t>(-1);
  Handle add(Severity severity, Diag id, SourceRange range, std::string message);

  const SourceFile* source_;
  std::vector<Diagnostic> list_;
  size_t errors_ = 0;
  size_t warnings_ = 0;
};

// " (did you mean 'x'?)" for the nearest of `candidates`, at most a third of the word's letters
// (rounded up) away, or "".
std::string didYouMean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace einc
