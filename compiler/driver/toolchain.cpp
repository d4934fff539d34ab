// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/toolchain.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <utility>

#include "compiler/support/files.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

namespace einc::driver {
namespace {

constexpr unsigned kOldestClang = 19, kOldestGcc = 11;
const char* const kClang = "clang-19";
const char* const kArchiver = "llvm-ar-19";

// The major version that follows `what` in what the program reports of itself; 0: that is not there.
unsigned versionAfter(llvm::StringRef what, const std::string& program) {
  std::string text = versionText(program);
  llvm::StringRef rest(text);
  size_t at = rest.find(what);
  if (at == llvm::StringRef::npos) return 0;
  unsigned version = 0;
  return rest.drop_front(at + what.size()).consumeInteger(10, version) ? 0 : version;
}

// gcc, or one with its version in its name; empty if there is none that is new enough.
std::string findGcc() {
  for (const char* name : {"gcc", "gcc-15", "gcc-14", "gcc-13", "gcc-12", "gcc-11"})
    if (auto found = llvm::sys::findProgramByName(name))
      // "gcc (Debian 12.2.0-14+deb12u1) 12.2.0"
      if (versionAfter(") ", *found) >= kOldestGcc) return *found;
  return "";
}

// ---- What is left to do when a signal ends the process ----

char folderAtSignal[4096];  // the folder to remove; empty: none
std::atomic<bool> folderIsKnown{false};

// Removes a folder with all in it, with nothing but system calls.
void removeFolder(int parent, const char* name) {
  int folder = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  alignas(8) char entries[4096];
  for (long size; (size = ::syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0;)
    for (long at = 0; at < size;) {
      auto* entry = reinterpret_cast<dirent64*>(entries + at);
      const char* inside = entry->d_name;
      bool isDot = inside[0] == '.' && (!inside[1] || (inside[1] == '.' && !inside[2]));
      if (!isDot && ::unlinkat(folder, inside, 0) != 0) removeFolder(folder, inside);
      at += entry->d_reclen;
    }
  ::close(folder);
  ::unlinkat(parent, name, AT_REMOVEDIR);
}

void onSignal(int signal) {
  if (folderIsKnown) removeFolder(AT_FDCWD, folderAtSignal);
  ::raise(signal);  // the handler is gone by now
}

void removeOnSignal(const std::string& path) {
  if (path.size() >= sizeof folderAtSignal) return;
  std::snprintf(folderAtSignal, sizeof folderAtSignal, "%s", path.c_str());
  folderIsKnown = true;
  struct sigaction action{};
  action.sa_handler = onSignal;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  for (int signal : {SIGTERM, SIGINT, SIGHUP}) {
    struct sigaction present{};
    // What the caller has us ignore (nohup) stays ignored.
    if (::sigaction(signal, nullptr, &present) == 0 && present.sa_handler != SIG_IGN)
      ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace

std::string versionText(const std::string& program) {
  auto folder = TemporaryFolder::create();
  if (!folder) return "";
  std::string out = folder->file("version");
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), llvm::StringRef(out),
                                                llvm::StringRef("")};
  llvm::StringRef args[] = {program, "--version"};
  if (llvm::sys::ExecuteAndWait(program, args, std::nullopt, redirects) != 0) return "";
  auto text = readInput(out);
  return text ? *text : "";
}

Result<std::string> findCompiler(const std::string& asked) {
  if (!asked.empty()) {
    if (auto found = llvm::sys::findProgramByName(asked)) return *found;
    return Reason{"--cc=" + asked + ": no such program"};
  }
  if (auto found = llvm::sys::findProgramByName(kClang)) return *found;
  auto found = llvm::sys::findProgramByName("clang");
  unsigned version = found ? versionAfter("clang version ", *found) : 0;
  if (version >= kOldestClang) return *found;
  if (std::string gcc = findGcc(); !gcc.empty()) return gcc;
  std::string seen = version
                         ? "clang " + std::to_string(version) + " is too old, and there is no gcc"
                         : "there is no clang or gcc";
  return Reason{seen + " of version " + std::to_string(kOldestGcc) +
                " or later; install clang-19 (apt-get install clang-19), or name a C compiler with "
                "--cc"};
}

Result<std::string> findArchiver() {
  for (const char* name : {kArchiver, "llvm-ar", "ar"})
    if (auto found = llvm::sys::findProgramByName(name)) return *found;
  return Reason{"there is no llvm-ar-19; install llvm-19 (apt-get install llvm-19)"};
}

std::vector<std::string> compileFlags(int64_t threads) {
  std::vector<std::string> flags = {"-std=c99",       "-O2",        "-fPIC", "-ffp-contract=off",
                                    "-fno-fast-math", "-fno-ident", "-g0",   "-Wall",
                                    "-Wextra",        "-Werror"};
  if (threads > 1) flags.emplace_back("-fopenmp");
  return flags;
}

std::string crossTriple(const target::Target& target) {
  if (target.architecture == target::Architecture::Generic || target.device ||
      target.architecture == target::host().architecture)
    return "";
  return target.architecture == target::Architecture::AArch64 ? "aarch64-linux-gnu"
                                                              : "x86_64-linux-gnu";
}

std::string runProgram(const std::string& program, const std::vector<std::string>& args) {
  llvm::SmallVector<llvm::StringRef, 24> all = {program};
  all.append(args.begin(), args.end());
  // What it leaves behind when a signal ends us, we remove.
  std::string folder = TemporaryFolder::ofProcess(), temporary = "TMPDIR=" + folder, error;
  llvm::SmallVector<llvm::StringRef, 64> environment;
  for (char** variable = environ; *variable; ++variable)
    if (folder.empty() || !llvm::StringRef(*variable).starts_with("TMPDIR="))
      environment.push_back(*variable);
  if (!folder.empty()) environment.push_back(temporary);
  int code = llvm::sys::ExecuteAndWait(program, all, environment, {}, 0, 0, &error);
  if (code == 0) return "";
  return program + " failed" +
         (error.empty() ? " (exit code " + std::to_string(code) + ")" : ": " + error);
}

// ---- Folders ----

// The process's own, in which all others are.
class TemporaryFolder::Root {
 public:
  explicit Root(std::string path) : path_(std::move(path)) { removeOnSignal(path_); }
  Root(const Root&) = delete;
  ~Root() {
    llvm::sys::fs::remove_directories(path_);
    folderIsKnown = false;
  }
  const std::string& path() const { return path_; }
  std::string next() { return path_ + "/" + std::to_string(count_++); }

 private:
  std::string path_;
  size_t count_ = 0;
};

std::weak_ptr<TemporaryFolder::Root>& TemporaryFolder::present() {
  static std::weak_ptr<Root> root;
  return root;
}

Result<TemporaryFolder> TemporaryFolder::create() {
  std::shared_ptr<Root> root = present().lock();
  if (!root) {
    llvm::SmallString<128> path;
    if (auto error = llvm::sys::fs::createUniqueDirectory("einc", path))
      return Reason{"cannot make a temporary folder: " + error.message()};
    root = std::make_shared<Root>(path.str().str());
    present() = root;
  }
  std::string path = root->next();
  if (auto error = llvm::sys::fs::create_directory(path, /*IgnoreExisting=*/false))
    return Reason{"cannot make a temporary folder: " + error.message()};
  return TemporaryFolder(std::move(root), std::move(path));
}

std::string TemporaryFolder::ofProcess() {
  std::shared_ptr<Root> root = present().lock();
  return root ? root->path() : "";
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : root_(std::move(other.root_)), path_(std::exchange(other.path_, "")) {}

TemporaryFolder::~TemporaryFolder() {
  if (!path_.empty()) llvm::sys::fs::remove_directories(path_);
}

}  // namespace einc::driver
