// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/compile_c.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include "compiler/driver/progress.h"
#include "compiler/driver/toolchain.h"
#include "compiler/support/files.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace einc::driver {
namespace {

// Files from which on it pays to read the system's headers once for all.
constexpr size_t kManyFiles = 8;

// "runtime_vulkan_run.o" of "runtime/vulkan/run.c".
std::string objectName(std::string path) {
  std::replace(path.begin(), path.end(), '/', '_');
  return path.substr(0, path.size() - 2) + ".o";
}

// #include lines of the system's headers, each once.
std::string systemIncludes(const std::vector<const CSource*>& files) {
  std::set<std::string> seen;
  std::string text;
  for (const CSource* file : files)
    for (auto [line, rest] = llvm::StringRef(file->text).split('\n'); !rest.empty();
         std::tie(line, rest) = rest.split('\n'))
      if (line.starts_with("#include <") && seen.insert(line.str()).second)
        text += line.str() + "\n";
  return text;
}

class Compilation {
 public:
  Compilation(const std::vector<CSource>& sources, TemporaryFolder& folder, std::string compiler,
              const CodeOptions& wanted)
      : folder_(folder),
        compiler_(std::move(compiler)),
        flags_(compileFlags(wanted.threads)),
        isThreaded_(wanted.threads > 1) {
    if (std::string triple = crossTriple(*wanted.targets.front()); !triple.empty())
      linkFlags_.push_back("--target=" + triple);
    if (isThreaded_) linkFlags_.emplace_back("-fopenmp");
    flags_.insert(flags_.end(), linkFlags_.begin(), linkFlags_.end());
    for (const std::string& flag :
         {"-I" + folder.file(""), "-ffile-prefix-map=" + folder.file("") + "="})
      flags_.push_back(flag);
    for (const CSource& source : sources) {
      generated_ &= !source.isHeader;
      if (!source.isHeader) files_.push_back(&source);
    }
  }

  // "" or the reason.
  std::string run(unsigned jobs) {
    reasons_.resize(files_.size());
    if (jobs == 0) jobs = std::max(1u, std::thread::hardware_concurrency());
    jobs = std::min<unsigned>(jobs, static_cast<unsigned>(files_.size()));
    if (generated_ && files_.size() >= kManyFiles) readHeadersOnce();
    std::vector<std::thread> others;
    for (unsigned i = 1; i < jobs; ++i) others.emplace_back([this] { work(); });
    work();
    for (std::thread& other : others) other.join();
    for (const std::string& reason : reasons_)
      if (!reason.empty()) return reason;
    return "";
  }

  // "" or the reason.
  std::string link(const std::string& library, const Linking& linking) {
    std::string script = folder_.file("exported.map"), name = "lib" + library + ".so";
    std::string reason = writeOutputs({{script, versionScript(linking.exported)}});
    if (!reason.empty()) return reason;
    std::vector<std::string> args = linkFlags_;
    // What is called inside is called itself, not what a program has under that name; but for threads.
    if (!isThreaded_) args.emplace_back("-Wl,-Bsymbolic");
    // The script's path not by -Wl, which ends at a comma.
    for (const std::string& arg :
         {std::string("-shared"), "-Wl,-soname," + name, std::string("-Wl,--build-id=none"),
          std::string("-Xlinker"), "--version-script=" + script, std::string("-o"),
          folder_.file(name)})
      args.push_back(arg);
    for (std::string& object : objects()) args.push_back(std::move(object));
    args.insert(args.end(), linking.flags.begin(), linking.flags.end());
    args.emplace_back("-lm");
    return runProgram(compiler_, args);
  }

  std::vector<std::string> objects() const {
    std::vector<std::string> result;
    for (const CSource* file : files_) result.push_back(folder_.file(objectName(file->path)));
    return result;
  }

 private:
  // The next file, until there is none or one has failed.
  void work() {
    for (size_t i = next_++; i < files_.size() && !failed_; i = next_++) {
      Progress::say("compiling " + std::to_string(i + 1) + " of " + std::to_string(files_.size()) +
                    ": " + files_[i]->path);
      std::vector<std::string> args = flags_;
      for (const std::string& arg : {std::string("-c"), folder_.file(files_[i]->path),
                                     std::string("-o"), folder_.file(objectName(files_[i]->path))})
        args.push_back(arg);
      reasons_[i] = runProgram(compiler_, args);
      if (!reasons_[i].empty()) failed_ = true;
    }
  }

  // Headers of vectors take longer to read than most kernels to compile. It is no error if the
  // compiler can't: it is not Clang.
  void readHeadersOnce() {
    std::string header = folder_.file("einc-system.h"), compiled = folder_.file("einc-system.pch");
    if (versionText(compiler_).find("clang version") == std::string::npos) return;
    if (!writeOutputs({{header, systemIncludes(files_)}}).empty()) return;
    std::vector<std::string> args = flags_;
    for (const std::string& arg :
         {std::string("-x"), std::string("c-header"), header, std::string("-o"), compiled})
      args.push_back(arg);
    if (!runProgram(compiler_, args).empty()) return;
    flags_.emplace_back("-include-pch");
    flags_.push_back(compiled);
  }

  TemporaryFolder& folder_;
  std::string compiler_;
  std::vector<std::string> flags_, linkFlags_;
  bool isThreaded_;
  std::vector<const CSource*> files_;
  bool generated_ = true;  // all of them; others may define what headers look at
  std::vector<std::string> reasons_;
  std::atomic<size_t> next_ = 0;
  std::atomic<bool> failed_ = false;
};

}  // namespace

std::string versionScript(const std::vector<std::string>& exported) {
  std::string text = "{\n  global:\n";
  for (const std::string& name : exported) text += "    " + name + ";\n";
  return text + "  local:\n    *;\n};\n";
}

Result<std::string> compileLibrary(const std::vector<CSource>& sources, const std::string& library,
                                   const Linking& linking, const std::string& compiler,
                                   unsigned jobs, const CodeOptions& wanted) {
  auto program = findCompiler(compiler);
  if (!program) return Reason{program.reason()};
  auto folder = TemporaryFolder::create();
  if (!folder) return Reason{folder.reason()};
  std::vector<OutputFile> files;
  for (const CSource& source : sources) {
    files.push_back({folder->file(source.path), source.text});
    if (auto error =
            llvm::sys::fs::create_directories(llvm::sys::path::parent_path(files.back().path)))
      return Reason{"cannot make a temporary folder: " + error.message()};
  }
  std::string reason = writeOutputs(files);
  if (!reason.empty()) return Reason{reason};
  Compilation compilation(sources, *folder, *program, wanted);
  reason = compilation.run(jobs);
  if (!reason.empty()) return Reason{reason};
  if (linking.isShared) {
    reason = compilation.link(library, linking);
    if (!reason.empty()) return Reason{reason};
    return readInput(folder->file("lib" + library + ".so"));
  }
  auto archiver = findArchiver();
  if (!archiver) return Reason{archiver.reason()};
  std::string archive = folder->file("lib" + library + ".a");
  std::vector<std::string> archived = {"rcsD", archive};
  for (std::string& object : compilation.objects()) archived.push_back(std::move(object));
  reason = runProgram(*archiver, archived);
  if (!reason.empty()) return Reason{reason};
  return readInput(archive);
}

}  // namespace einc::driver
