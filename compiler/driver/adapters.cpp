// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/adapters.h"

#include <dlfcn.h>
#include <unistd.h>

#include <utility>

#include "compiler/driver/progress.h"
#include "compiler/support/files.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MD5.h"

namespace einc::driver {

const char* const kNotOffered = "it does not do this";
const char* const kNotInstalled = "it is not installed";

Result<Adapters> Adapters::create(const std::string& folder, const std::string& compiler,
                                  const std::string& march) {
  if (!folder.empty())
    if (auto error = llvm::sys::fs::create_directories(folder))
      return Reason{"--adapters=" + folder + ": " + error.message()};
  auto own = TemporaryFolder::create();
  if (!own) return Reason{own.reason()};
  std::vector<OutputFile> files;
  for (const auto& [name, text] : bench::adapterSources()) files.push_back({own->file(name), text});
  if (std::string reason = writeOutputs(files); !reason.empty()) return Reason{reason};
  return Adapters(std::move(*own), folder, compiler, march);
}

Result<std::string> Adapters::compile(const bench::Library& library) const {
  bool isCpp = library.adapter.ends_with(".cpp");
  std::vector<std::string> args = {"-O3",
                                   "-fPIC",
                                   "-shared",
                                   "-DNDEBUG",
                                   "-mprefer-vector-width=512",
                                   isCpp ? "-std=c++17" : "-std=gnu11"};
  if (!march_.empty()) args.push_back("-march=" + march_);
  if (isCpp) args.insert(args.end(), {"-isystem", "/usr/include/eigen3"});
  args.push_back(own_.file(library.adapter));
  args.insert(args.end(), library.flags.begin(), library.flags.end());
  // A file that is kept is named after all that it was made from.
  llvm::MD5 hash;
  for (const auto& [name, text] : bench::adapterSources()) hash.update(text);
  for (const std::string& arg : args)
    if (!arg.starts_with(own_.file(""))) hash.update(arg + '\n');
  hash.update(compiler_);
  std::string name = library.name + "-" + hash.final().digest().str().str() + ".so";
  std::string path = kept_.empty() ? own_.file(name) : kept_ + "/" + name;
  if (llvm::sys::fs::exists(path)) return path;
  Progress::say("compiling '" + name + "'");
  std::string partial = path + "." + std::to_string(::getpid());
  args.insert(args.end(), {"-o", partial});
  if (std::string reason = runProgram(compiler_, args); !reason.empty())
    return Reason{"its adapter does not compile: " + reason};
  if (llvm::sys::fs::rename(partial, path)) return Reason{"cannot write " + path};
  return path;
}

std::function<Result<bench::Load>()> loadAdapter(const std::string& path,
                                                 const einc_bench_problem& problem, const void* a,
                                                 const void* b, void* c) {
  return [=]() -> Result<bench::Load> {
    void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) return Reason{::dlerror()};
    auto prepare =
        reinterpret_cast<decltype(&einc_bench_prepare)>(::dlsym(library, "einc_bench_prepare"));
    auto run = reinterpret_cast<void (*)()>(::dlsym(library, "einc_bench_run"));
    auto describe = reinterpret_cast<const char* (*)()>(::dlsym(library, "einc_bench_describe"));
    if (!prepare || !run || !describe) return Reason{"the adapter is not whole"};
    if (int status = prepare(&problem, a, b, c))
      return Reason{status == 2 ? kNotInstalled : kNotOffered};
    return bench::Load{run, [=] { return std::string(describe()); }};
  };
}

}  // namespace einc::driver
