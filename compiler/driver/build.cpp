// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/commands.h"
#include "compiler/driver/outputs.h"
#include "compiler/driver/pipeline.h"
#include "compiler/driver/toolchain.h"
#include "compiler/support/files.h"
#include "llvm/Support/FileSystem.h"

namespace einc::driver {
namespace {

// The archive's bytes. Compiled in a folder of its own under fixed names, so that neither the
// place nor the time shows in them.
Result<std::string> compileLibrary(const LibraryTexts& texts, const std::string& library,
                                   const std::string& compiler, const CodeOptions& wanted) {
  auto program = findCompiler(compiler);
  if (!program) return Reason{program.reason()};
  auto archiver = findArchiver();
  if (!archiver) return Reason{archiver.reason()};
  auto folder = TemporaryFolder::create();
  if (!folder) return Reason{folder.reason()};
  std::string source = folder->file(library + ".c"), object = folder->file(library + ".o");
  std::string archive = folder->file("lib" + library + ".a");
  std::string reason = writeOutputs({{source, texts.code}});
  if (!reason.empty()) return Reason{reason};
  std::vector<std::string> args = compileFlags(wanted.threads);
  if (std::string triple = crossTriple(*wanted.targets.front()); !triple.empty())
    args.push_back("--target=" + triple);
  args.insert(args.end(),
              {"-ffile-prefix-map=" + folder->file("") + "=", "-c", source, "-o", object});
  reason = runProgram(*program, args);
  if (!reason.empty()) return Reason{reason};
  reason = runProgram(*archiver, {"rcsD", archive, object});
  if (!reason.empty()) return Reason{reason};
  return readInput(archive);
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
  auto compiled = compile(std::get<ir::Module>(fixed), wanted, options.tracing);
  if (auto* code = std::get_if<ExitCode>(&compiled)) return *code;
  auto texts =
      libraryTexts(std::get<std::vector<Compiled>>(compiled), wanted, *library, options.naming);
  if (!texts) return fail(kBadInput, texts.reason());

  std::string stem = options.folder + "/" + *library;
  std::vector<OutputFile> files;
  if (options.sourcesOnly) {
    files.push_back({stem + ".c", texts->code});
  } else {
    auto archive = compileLibrary(*texts, *library, options.compiler, wanted);
    if (!archive) return fail(kBadInput, archive.reason());
    files.push_back({options.folder + "/lib" + *library + ".a", *archive});
  }
  files.push_back({stem + ".h", texts->header});
  files.push_back({stem + ".json", texts->manifest});
  if (auto error = llvm::sys::fs::create_directories(options.folder, /*IgnoreExisting=*/true,
                                                     llvm::sys::fs::perms::all_all))
    return fail(kBadInput, "cannot make folder '" + options.folder + "': " + error.message());
  std::string reason = writeOutputs(files);
  return reason.empty() ? kSuccess : fail(kBadInput, reason);
}

}  // namespace einc::driver
