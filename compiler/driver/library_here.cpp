// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/library_here.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

namespace einc::driver {
namespace {

template <typename Function>
Function* find(void* library, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(library, name));
}

// "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..." up to the second blank.
std::string firstWords(const std::string& text) {
  size_t blank = text.find(' ');
  return blank == std::string::npos ? text : text.substr(0, text.find(' ', blank + 1));
}

std::string openblas(void* library) {
  auto* config = find<char*()>(library, "openblas_get_config");
  auto* core = find<char*()>(library, "openblas_get_corename");
  if (!config || !core) return "a CBLAS that does not say which";
  return firstWords(config()) + ", kernels for " + core();
}

std::string blis(void* library) {
  auto* version = find<const char*()>(library, "bli_info_get_version_str");
  auto* name = find<const char*(int)>(library, "bli_arch_string");
  auto* id = find<int()>(library, "bli_arch_query_id");
  if (!version || !name || !id) return "a BLIS that does not say which";
  return "BLIS " + std::string(version()) + ", kernels for " + name(id());
}

// In the child.
std::string said(const std::string& library) {
  bool isBlis = library == "blis";
  void* handle = ::dlopen(isBlis ? "libblis.so.4" : "libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return "none that can be loaded";
  return isBlis ? blis(handle) : openblas(handle);
}

}  // namespace

std::string libraryHere(const std::string& library) {
  std::string none = "one that could not be asked";
  std::array<int, 2> pipe{};
  if (::pipe(pipe.data()) != 0) return none;
  pid_t child = ::fork();
  if (child == 0) {
    ::close(STDERR_FILENO);
    std::string text = said(library);
    bool written = ::write(pipe[1], text.data(), text.size()) >= 0;
    ::_exit(written ? 0 : 1);
  }
  ::close(pipe[1]);
  std::string text;
  std::array<char, 256> buffer{};
  for (ssize_t count; child > 0 && (count = ::read(pipe[0], buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<size_t>(count));
  ::close(pipe[0]);
  int status = 1;
  if (child > 0) ::waitpid(child, &status, 0);
  return status == 0 && !text.empty() ? text : none;
}

std::string linkFlag(const std::string& library) {
  return library == "blis" ? "-lblis" : "-lopenblas";
}

}  // namespace einc::driver
