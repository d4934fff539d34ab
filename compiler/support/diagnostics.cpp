// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/support/diagnostics.h"

#include <algorithm>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace einc {
namespace {

constexpr size_t kContext = 100;  // bytes shown on either side of the caret in a long line

const char* severityName(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return "error";
    case Severity::Warning:
      return "warning";
    case Severity::Note:
      return "note";
  }
  return "";
}

// Bytes that a terminal would act on, or that are not UTF-8 text, are shown as '?', one for one,
// so that the caret stays in its column.
std::string printable(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f) c = '?';
  return result;
}

// A message quotes names of any length: the middle of a very long one is left out.
std::string shortened(const std::string& message) {
  constexpr size_t kMost = 1000;
  auto isInside = [&](size_t at) { return (message[at] & 0xC0) == 0x80; };  // a UTF-8 character
  if (message.size() <= kMost) return message;
  size_t head = kMost / 2, tail = message.size() - kMost / 2;
  while (isInside(head)) --head;
  while (isInside(tail)) ++tail;
  return message.substr(0, head) + " ... " + message.substr(tail);
}

// "[size-contradicts-access]", with -Werror where that made it an error.
std::string tagOf(const Diagnostic& d, bool warningsAreErrors) {
  std::string tag = " [" + std::string(nameOf(d.id));
  if (d.severity == Severity::Warning && warningsAreErrors) tag += ", --Werror";
  return tag + "]";
}

void printOne(const Diagnostic& diagnostic, const SourceFile& source, const std::string& tag,
              bool warningsAreErrors, llvm::raw_ostream& out) {
  auto size = static_cast<uint32_t>(source.text().size());
  uint32_t begin = std::min(diagnostic.range.begin, size);
  auto position = source.position(begin);
  std::string_view line = source.lineAt(begin);
  size_t column = std::min<size_t>(position.column - 1, line.size());

  size_t from = column > kContext ? column - kContext : 0;
  std::string shown = printable(line.substr(from, 2 * kContext));
  column -= from;
  size_t length = std::max<uint32_t>(diagnostic.range.end, begin + 1) - begin;
  size_t last = std::min(column + length, std::max(shown.size(), column + 1));

  Severity severity = diagnostic.severity;
  if (severity == Severity::Warning && warningsAreErrors) severity = Severity::Error;
  out << source.name() << ':' << position.line << ':' << position.column << ": "
      << severityName(severity) << ": " << shortened(diagnostic.message) << tag << '\n';
  std::string marks;
  for (size_t i = 0; i < column; ++i) marks += i < shown.size() && shown[i] == '\t' ? '\t' : ' ';
  marks += '^';
  for (size_t i = column + 1; i < last; ++i) marks += '~';
  out << "  " << shown << "\n  " << marks << '\n';
}

}  // namespace

const std::vector<DiagPage>& diagPages() {
  static const std::vector<DiagPage> pages = {
#define EINC_DIAGNOSTIC(id, name, explanation, slip, mended) \
  {Diag::id, name, explanation, slip, mended},
#include "compiler/support/diagnostics.def"
  };
  return pages;
}

std::string_view nameOf(Diag id) { return diagPages()[static_cast<size_t>(id)].name; }

Diagnostics::Handle& Diagnostics::Handle::note(SourceRange range, std::string message) {
  if (index_ != kDropped)
    owner_.list_[index_].notes.push_back(
        {Severity::Note, owner_.list_[index_].id, range, std::move(message), {}});
  return *this;
}

Diagnostics::Handle Diagnostics::add(Severity severity, Diag id, SourceRange range,
                                     std::string message) {
  for (const Diagnostic& d : list_)
    if (d.id == id && d.range == range && d.message == message) return {*this, kDropped};
  size_t& count = severity == Severity::Error ? errors_ : warnings_;
  if (++count > kMaxErrors) return {*this, kDropped};
  list_.push_back({severity, id, range, std::move(message), {}});
  return {*this, list_.size() - 1};
}

Diagnostics::Handle Diagnostics::error(Diag id, SourceRange range, std::string message) {
  return add(Severity::Error, id, range, std::move(message));
}

Diagnostics::Handle Diagnostics::warning(Diag id, SourceRange range, std::string message) {
  return add(Severity::Warning, id, range, std::move(message));
}

void Diagnostics::noteOnce(Diag id, SourceRange range, std::string message) {
  bool isNew =
      std::none_of(list_.begin(), list_.end(), [&](const Diagnostic& d) { return d.id == id; });
  if (isNew) list_.push_back({Severity::Note, id, range, std::move(message), {}});
}

void Diagnostics::dropWarnings(const std::function<bool(SourceRange)>& keep) {
  std::erase_if(
      list_, [&](const Diagnostic& d) { return d.severity == Severity::Note && !keep(d.range); });
  warnings_ -= std::erase_if(list_, [&](const Diagnostic& d) {
    return d.severity == Severity::Warning && !keep(d.range);
  });
}

void Diagnostics::print(llvm::raw_ostream& out, bool warningsAreErrors) const {
  std::vector<const Diagnostic*> sorted;
  for (const Diagnostic& d : list_) sorted.push_back(&d);
  std::sort(sorted.begin(), sorted.end(), [](const Diagnostic* a, const Diagnostic* b) {
    return std::pair(a->range.begin, a) < std::pair(b->range.begin, b);
  });
  size_t shown = 0;
  for (const Diagnostic* d : sorted) {
    printOne(*d, *source_, tagOf(*d, warningsAreErrors), warningsAreErrors, out);
    for (const Diagnostic& n : d->notes) printOne(n, *source_, "", false, out);
    shown += d->severity == Severity::Error;
  }
  if (errors_ > shown) out << source_->name() << ": " << errors_ - shown << " more errors\n";
}

std::string didYouMean(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.empty() || word.size() > 64) return "";
  llvm::StringRef target(word.data(), word.size());
  // Nothing is near a single letter but the same one in the other case.
  unsigned best = word.size() == 1 ? 1 : static_cast<unsigned>((word.size() + 2) / 3) + 1;
  const std::string* nearest = nullptr;
  for (const std::string& candidate : candidates) {
    if (candidate == word) continue;
    bool otherCase = target.equals_insensitive(candidate);
    unsigned distance = otherCase ? 0 : target.edit_distance(candidate, true, best);
    if (distance < best) {
      best = distance;
      nearest = &candidate;
    }
  }
  return nearest ? " (did you mean '" + *nearest + "'?)" : "";
}

}  // namespace einc
