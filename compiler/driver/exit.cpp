// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/exit.h"

#include <unistd.h>

#include <csignal>
#include <cstring>
#include <new>

#include "compiler/driver/progress.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

namespace einc::driver {
namespace {

// Only what a signal handler may call.
[[noreturn]] void endWith(const char* message, int code) {
  llvm::sys::RunInterruptHandlers();  // removes temporary files
  [[maybe_unused]] ssize_t n = ::write(STDERR_FILENO, message, std::strlen(message));
  ::_exit(code);
}

[[noreturn]] void outOfMemory() {
  endWith("einc: error: out of memory; the input asks for more than this process may have\n",
          kBadInput);
}

void onCrash(int) {
  endWith(
      "einc: internal error: this is a bug in einc; please report the command line and its "
      "input files\n",
      kInternalError);
}

}  // namespace

int fail(ExitCode code, const std::string& message) {
  Progress::clear();
  llvm::errs() << "einc: error: " << message << '\n';
  return code;
}

int failInternally(const std::string& message, const std::string& reproducer) {
  llvm::errs() << "einc: internal error: " << message << '\n';
  int fd;
  llvm::SmallString<128> path;
  if (!llvm::sys::fs::createTemporaryFile("einc-reproducer", "eir", fd, path)) {
    llvm::raw_fd_ostream out(fd, /*shouldClose=*/true);
    out << reproducer;
    llvm::errs() << "this is a bug in einc; please report it with the command line and " << path
                 << '\n';
  } else {
    llvm::errs() << "this is a bug in einc; please report it with the command line and its input\n";
  }
  return kInternalError;
}

void installHandlers() {
  std::set_new_handler(outOfMemory);
  llvm::install_bad_alloc_error_handler([](void*, const char*, bool) { outOfMemory(); });
  // The crash handler needs a stack of its own: the usual one may be what ran out.
  static char stack[1 << 16];
  stack_t alternative{};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  ::sigaltstack(&alternative, nullptr);
  struct sigaction action{};
  action.sa_handler = onCrash;
  action.sa_flags = SA_ONSTACK | static_cast<int>(SA_RESETHAND);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    ::sigaction(signal, &action, nullptr);
}

}  // namespace einc::driver
