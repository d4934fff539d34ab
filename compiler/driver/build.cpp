// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/driver/commands.h"
#include "compiler/driver/device.h"
#include "compiler/driver/device_library.h"
#include "compiler/driver/outputs.h"
#include "compiler/driver/pipeline.h"
#include "compiler/driver/toolchain.h"
#include "compiler/support/files.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace einc::driver {
namespace {

// A C file by its path in the folder that it is compiled in.
struct Source {
  std::string path, text;
  bool isHeader = false;
};

std::vector<Source> sourcesOf(const LibraryTexts& texts, const std::string& library,
                              bool onDevice) {
  std::vector<Source> sources = {{library + ".c", texts.code}};
  if (!onDevice) return sources;
  for (const RuntimeFile& file : runtimeFiles())
    sources.push_back({std::string(file.path), std::string(file.text), !file.path.ends_with(".c")});
  return sources;
}

// "runtime_vulkan_run.o" of "runtime/vulkan/run.c".
std::string objectName(std::string path) {
  std::replace(path.begin(), path.end(), '/', '_');
  return path.substr(0, path.size() - 2) + ".o";
}

// The archive's bytes. Compiled in a folder of its own under fixed names, so that neither the
// place nor the time shows in them.
Result<std::string> compileLibrary(const std::vector<Source>& sources, const std::string& library,
                                   const std::string& compiler, const CodeOptions& wanted) {
  auto program = findCompiler(compiler);
  if (!program) return Reason{program.reason()};
  auto archiver = findArchiver();
  if (!archiver) return Reason{archiver.reason()};
  auto folder = TemporaryFolder::create();
  if (!folder) return Reason{folder.reason()};
  std::vector<OutputFile> files;
  for (const Source& source : sources) {
    files.push_back({folder->file(source.path), source.text});
    if (auto error =
            llvm::sys::fs::create_directories(llvm::sys::path::parent_path(files.back().path)))
      return Reason{"cannot make a temporary folder: " + error.message()};
  }
  std::string reason = writeOutputs(files);
  if (!reason.empty()) return Reason{reason};
  std::string archive = folder->file("lib" + library + ".a");
  std::vector<std::string> archived = {"rcsD", archive};
  for (const Source& source : sources) {
    if (source.isHeader) continue;
    std::string object = folder->file(objectName(source.path));
    std::vector<std::string> args = compileFlags(wanted.threads);
    if (std::string triple = crossTriple(*wanted.targets.front()); !triple.empty())
      args.push_back("--target=" + triple);
    args.insert(args.end(), {"-I" + folder->file(""), "-ffile-prefix-map=" + folder->file("") + "=",
                             "-c", folder->file(source.path), "-o", object});
    reason = runProgram(*program, args);
    if (!reason.empty()) return Reason{reason};
    archived.push_back(object);
  }
  reason = runProgram(*archiver, archived);
  if (!reason.empty()) return Reason{reason};
  return readInput(archive);
}

// What a header includes, beside it; or all that is compiled with NAME.c, too.
Result<std::vector<OutputFile>> runtimeBeside(const std::string& folder, bool withSources) {
  std::vector<OutputFile> files;
  for (const RuntimeFile& file : runtimeFiles())
    if (file.isPublic || withSources)
      files.push_back({folder + "/" + std::string(file.path), std::string(file.text)});
  std::string inner = folder + "/runtime/vulkan";
  if (auto error = llvm::sys::fs::create_directories(inner, /*IgnoreExisting=*/true,
                                                     llvm::sys::fs::perms::all_all))
    return Reason{"cannot make folder '" + inner + "': " + error.message()};
  return files;
}

}  // namespace

int build(const Request& request, const BuildOptions& options) {
  if (options.folder.empty())
    return fail(kBadCommandLine, "give the folder for the library with -o DIR");
  auto library = libraryName(request, options.naming);
  if (!library) return fail(kBadCommandLine, library.reason());
  auto loaded = load(request);
  if (auto* code = std::get_if<ExitCode>(&loaded)) return *code;
  auto fixed = fixValues(std::get<Loaded>(loaded), request.attributes);
  if (auto* code = std::get_if<ExitCode>(&fixed)) return *code;
  if (!options.naming.exports.empty() && options.naming.exports != "cblas")
    return fail(kBadCommandLine, "--export=" + options.naming.exports + ": there is cblas");
  if (!options.naming.exports.empty() && request.lib == "cblas")
    return fail(kBadCommandLine, "--export=cblas with --lib=cblas: they would call themselves");
  auto chosen = chooseCode(request, portableTargets());
  if (auto* code = std::get_if<ExitCode>(&chosen)) return *code;
  const CodeOptions& wanted = std::get<CodeOptions>(chosen);
  const bool onDevice = isForDevice(wanted);
  if (onDevice && !options.naming.exports.empty())
    return fail(kBadCommandLine, "--export=cblas: functions of a CBLAS do not run on a device");
  auto made =
      makeTexts(std::get<ir::Module>(fixed), wanted, *library, options.naming, options.tracing);
  if (auto* code = std::get_if<ExitCode>(&made)) return *code;
  const LibraryTexts& texts = std::get<LibraryTexts>(made);

  std::string stem = options.folder + "/" + *library;
  std::vector<OutputFile> files;
  if (options.sourcesOnly) {
    files.push_back({stem + ".c", texts.code});
  } else {
    auto archive =
        compileLibrary(sourcesOf(texts, *library, onDevice), *library, options.compiler, wanted);
    if (!archive) return fail(kBadInput, archive.reason());
    files.push_back({options.folder + "/lib" + *library + ".a", *archive});
  }
  files.push_back({stem + ".h", texts.header});
  files.push_back({stem + ".json", texts.manifest});
  if (auto error = llvm::sys::fs::create_directories(options.folder, /*IgnoreExisting=*/true,
                                                     llvm::sys::fs::perms::all_all))
    return fail(kBadInput, "cannot make folder '" + options.folder + "': " + error.message());
  if (onDevice) {
    auto runtime = runtimeBeside(options.folder, options.sourcesOnly);
    if (!runtime) return fail(kBadInput, runtime.reason());
    files.insert(files.end(), runtime->begin(), runtime->end());
  }
  std::string reason = writeOutputs(files);
  return reason.empty() ? kSuccess : fail(kBadInput, reason);
}

}  // namespace einc::driver
