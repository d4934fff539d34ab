// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/support/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"

namespace einc {
namespace {

std::string systemReason(const std::string& path) {
  return "'" + path + "': " + std::strerror(errno);
}

// Writes all of `bytes`; false with errno set otherwise.
bool writeAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

Result<std::string> readAll(int fd, const std::string& path, size_t maxBytes) {
  std::string text;
  char buffer[1 << 16];
  for (;;) {
    ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Reason{systemReason(path)};
    if (n == 0) return text;
    text.append(buffer, static_cast<size_t>(n));
    if (text.size() > maxBytes)
      return Reason{"'" + path + "' is larger than " + std::to_string(maxBytes) + " bytes"};
  }
}

// The destination of a rename; symbolic links keep pointing where they did.
std::string resolved(const std::string& path) {
  llvm::SmallString<256> real;
  if (!llvm::sys::fs::real_path(path, real)) return std::string(real.str());
  return path;
}

// A destination that cannot be renamed over (/dev/full, a pipe) is written in place.
bool isSpecial(const std::string& path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
}

// "" on success.
std::string writeInPlace(const OutputFile& file) {
  bool isStandardOutput = file.path == "-";
  int fd = isStandardOutput ? STDOUT_FILENO : ::open(file.path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return "cannot write " + systemReason(file.path);
  bool good = writeAll(fd, file.bytes);
  if (!isStandardOutput && ::close(fd) != 0) good = false;
  return good ? ""
              : "cannot write " + systemReason(isStandardOutput ? "standard output" : file.path);
}

class Temporary {
 public:
  static Result<Temporary> write(const OutputFile& file) {
    std::string target = resolved(file.path);
    auto created = llvm::sys::fs::TempFile::create(target + ".tmp%%%%%%%%", 0666);
    if (!created)
      return Reason{"cannot write '" + file.path + "': " + llvm::toString(created.takeError())};
    Temporary result(std::move(*created), std::move(target));
    if (!writeAll(result.temp_->FD, file.bytes)) {
      std::string reason = "cannot write " + systemReason(file.path);
      result.discard();
      return Reason{reason};
    }
    return result;
  }

  // The mode a plain open would have given: the process's mask applies.
  std::string commit() {
    mode_t mask = ::umask(0);
    ::umask(mask);
    ::fchmod(temp_->FD, 0666 & ~mask);
    if (auto error = temp_->keep(target_)) return llvm::toString(std::move(error));
    return "";
  }
  void discard() { llvm::consumeError(temp_->discard()); }

 private:
  Temporary(llvm::sys::fs::TempFile temp, std::string target)
      : temp_(std::move(temp)), target_(std::move(target)) {}
  std::optional<llvm::sys::fs::TempFile> temp_;
  std::string target_;
};

}  // namespace

Result<std::string> readInput(const std::string& path, size_t maxBytes) {
  if (path == "-") return readAll(STDIN_FILENO, "standard input", maxBytes);
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return Reason{"cannot read " + systemReason(path)};
  struct stat info;
  Result<std::string> result = Reason{""};
  if (::fstat(fd, &info) != 0)
    result = Reason{"cannot read " + systemReason(path)};
  else if (S_ISDIR(info.st_mode))
    result = Reason{"cannot read '" + path + "': it is a directory"};
  else if (!S_ISREG(info.st_mode))
    result = Reason{"cannot read '" + path + "': it is not a regular file"};
  else
    result = readAll(fd, path, maxBytes);
  ::close(fd);
  return result;
}

std::string writeOutputs(const std::vector<OutputFile>& files) {
  std::vector<Temporary> temporaries;
  std::string failure;
  for (const OutputFile& file : files) {
    if (file.path == "-" || isSpecial(file.path)) continue;
    auto temporary = Temporary::write(file);
    if (!temporary) {
      failure = temporary.reason();
      break;
    }
    temporaries.push_back(std::move(*temporary));
  }
  for (const OutputFile& file : files)
    if (failure.empty() && (file.path == "-" || isSpecial(file.path))) failure = writeInPlace(file);
  for (Temporary& temporary : temporaries)
    if (!failure.empty())
      temporary.discard();
    else
      failure = temporary.commit();
  return failure;
}

bool isWritten(const OutputFile& file) {
  struct stat info;
  if (::stat(file.path.c_str(), &info) != 0 || !S_ISREG(info.st_mode) ||
      static_cast<size_t>(info.st_size) != file.bytes.size())
    return false;
  auto present = readInput(file.path);
  return present && *present == file.bytes;
}

}  // namespace einc
