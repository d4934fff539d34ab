// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "llvm/Support/raw_ostream.h"

namespace einc::driver {
namespace {

const char* const kClearLine = "\r\x1b[K";

}  // namespace

Progress::Progress()
    : isTerminal_(::isatty(STDERR_FILENO) == 1), start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (isTerminal_) llvm::errs() << kClearLine;
}

void Progress::begin(const std::string& what) {
  if (!isTerminal_ && what != what_) llvm::errs() << what << '\n';
  what_ = what;
  show();
}

void Progress::done(double work) {
  done_ += work;
  show();
}

void Progress::show() const {
  if (!isTerminal_) return;
  llvm::errs() << kClearLine << what_;
  if (done_ > 0 && planned_ > 0) {
    double part = std::min(done_ / planned_, 1.0);
    std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    llvm::errs() << "  " << static_cast<int>(100 * part) << "%, "
                 << durationText(elapsed.count() * (1 - part) / part) << " left";
  }
}

CountedProgress::CountedProgress()
    : isTerminal_(::isatty(STDERR_FILENO) == 1), shown_(std::chrono::steady_clock::now()) {}

CountedProgress::~CountedProgress() {
  if (isTerminal_) llvm::errs() << kClearLine;
}

void CountedProgress::done(const std::string& what) {
  std::lock_guard lock(mutex_);
  ++done_;
  auto now = std::chrono::steady_clock::now();
  if (!isTerminal_ && now - shown_ < std::chrono::seconds(10)) return;
  shown_ = now;
  llvm::errs() << (isTerminal_ ? kClearLine : "") << "[" << done_ << "/" << count_ << "] " << what
               << (isTerminal_ ? "" : "\n");
}

std::string durationText(double seconds) {
  auto whole = static_cast<long>(std::ceil(seconds));
  return whole < 120 ? std::to_string(whole) + " s" : std::to_string((whole + 59) / 60) + " min";
}

}  // namespace einc::driver
