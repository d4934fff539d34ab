// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/native.h"

#include <dlfcn.h>

#include <map>
#include <set>
#include <vector>

#include "compiler/bench/installed.h"
#include "compiler/driver/native_texts.h"
#include "compiler/driver/outputs.h"
#include "compiler/driver/progress.h"
#include "compiler/driver/toolchain.h"
#include "compiler/driver/trampoline.h"
#include "compiler/emit/c/c.h"
#include "compiler/emit/c/header.h"
#include "compiler/emit/text/names.h"
#include "compiler/interp/packed.h"
#include "compiler/support/files.h"

namespace einc::driver {
namespace {

std::set<std::string> librariesOf(const Compiled& compiled) {
  std::set<std::string> libraries;
  for (const ir::Kernel& code : compiled.codes)
    ir::forEachStatement(code.body, [&](const ir::Stmt& stmt) {
      if (auto* call = std::get_if<ir::LibraryCall>(&stmt.node)) libraries.insert(call->library);
    });
  return libraries;
}

// Storage of elements of 4 bits, as kernels have it.
using PackedStorage = std::map<const std::byte*, std::vector<std::byte>>;

PackedStorage packedStorage(const interp::Arguments& arguments) {
  PackedStorage packed;
  for (const interp::View& view : arguments.tensors)
    if (ir::info(view.type).isPacked() && packed.count(view.storage.get()) == 0)
      packed[view.storage.get()] = interp::packStorage(view);
  return packed;
}

// Tensors where they are.
std::vector<std::vector<int64_t>> descriptorsOf(const interp::Arguments& arguments,
                                                const PackedStorage& packed) {
  std::vector<std::vector<int64_t>> result;
  for (const interp::View& view : arguments.tensors) {
    const std::byte* storage = view.storage.get();
    if (auto found = packed.find(storage); found != packed.end()) storage = found->second.data();
    result.push_back(descriptorOf(view, storage, view.offset));
  }
  return result;
}

std::string entryText(const ir::Kernel& kernel, const std::string& function) {
  return "#include \"kernel.h\"\neinc_status einc_entry(void **a);\n"
         "einc_status einc_entry(void **a) { return " +
         function + "(" + Trampoline::passed(kernel) + "); }\n";
}

}  // namespace

struct NativeKernel::Loaded {
  Loaded(const ir::Kernel& kernel, const interp::Arguments& arguments)
      : tensors(arguments.tensors),
        packed(packedStorage(arguments)),
        trampoline(kernel, arguments, descriptorsOf(arguments, packed)) {}
  Loaded(const Loaded&) = delete;
  ~Loaded() {
    if (library) ::dlclose(library);
  }

  std::vector<interp::View> tensors;
  PackedStorage packed;
  Trampoline trampoline;
  void* library = nullptr;
};

NativeKernel::NativeKernel(std::unique_ptr<Loaded> loaded)
    : loaded_(std::move(loaded)),
      entry_(reinterpret_cast<int (*)(void**)>(::dlsym(loaded_->library, "einc_entry"))),
      addresses_(loaded_->trampoline.addresses()) {}
NativeKernel::NativeKernel(NativeKernel&&) noexcept = default;

void NativeKernel::fetch() const {
  for (const interp::View& view : loaded_->tensors)
    if (auto found = loaded_->packed.find(view.storage.get()); found != loaded_->packed.end())
      interp::unpackStorage(found->second, view);
}

NativeKernel::~NativeKernel() = default;

Result<NativeSources> NativeSources::write(const Compiled& compiled, const CodeOptions& wanted,
                                           const std::string& compiler, const std::string& plant,
                                           Threads threads) {
  auto failed = [](const std::string& reason) { return Reason{reason}; };
  for (const ir::Kernel& code : compiled.codes)
    for (const ir::ExternalCall* call : ir::externalCalls(code.body))
      return failed("'" + code.name + "' calls '" + call->function +
                    "', a function of your own, which einc cannot link; what it stands for runs "
                    "with einc eval --engine=reference");
  const target::Target& target = *wanted.targets.front();
  if (!crossTriple(target).empty())
    return failed("kernels for " + std::string(target.name) + " do not run on this machine");
  auto program = findCompiler(compiler);
  if (!program) return failed(program.reason());
  auto folder = TemporaryFolder::create();
  if (!folder) return failed(folder.reason());

  emit::COptions options;
  options.threads = wanted.threads;
  options.keepsOrder = wanted.keepsOrder;
  options.contiguous = wanted.contiguous;
  options.align = wanted.align;
  options.library = "einc_native";
  options.plant = plant;
  const std::vector<Compiled> all = {compiled};
  std::vector<emit::KernelCode> kernels = kernelCodes(all, wanted);
  auto code = emit::emitC(kernels, options);
  auto header = emit::emitHeader(kernels, options);
  if (!code || !header) return failed(code ? header.reason() : code.reason());
  std::string function = emit::functionName(compiled.contract.name, options.prefix);
  const bool posix = threads == Threads::Posix && wanted.threads > 1;
  std::string reason =
      writeOutputs({{folder->file("kernel.c"), *code},
                    {folder->file("kernel.h"), *header},
                    {folder->file("entry.c"), entryText(compiled.contract, function)},
                    {folder->file("threads.c"), std::string(kPosixThreads)}});
  if (!reason.empty()) return failed(reason);

  std::vector<std::string> args = compileFlags(posix ? 1 : wanted.threads);
  if (posix)
    args.insert(args.end(), {"-pthread", "-DEINC_THREADS=" + std::to_string(wanted.threads),
                             folder->file("threads.c")});
  // The entry calls the kernel itself, not what a table of symbols says: it is timed.
  args.insert(args.end(), {"-shared", "-Wl,-Bsymbolic", "-o", folder->file("kernel.so"),
                           folder->file("kernel.c"), folder->file("entry.c"), "-lm"});
  for (const std::string& library : librariesOf(compiled))
    args.push_back("-l:" + bench::fileOf(library));
  return NativeSources(std::move(*folder), compiled.contract, std::move(*program), std::move(args));
}

std::string NativeSources::compile() const { return runProgram(program_, args_); }

NativeLibrary NativeSources::compiled() && {
  return NativeLibrary(std::move(folder_), std::move(contract_));
}

Result<NativeLibrary> NativeLibrary::compile(const Compiled& compiled, const CodeOptions& wanted,
                                             const std::string& compiler, const std::string& plant,
                                             Threads threads) {
  auto sources = NativeSources::write(compiled, wanted, compiler, plant, threads);
  if (!sources) return Reason{sources.reason()};
  if (std::string reason = sources->compile(); !reason.empty()) return Reason{reason};
  return std::move(*sources).compiled();
}

Result<NativeKernel> NativeLibrary::load(const interp::Arguments& arguments) const {
  auto loaded = std::make_unique<NativeKernel::Loaded>(contract_, arguments);
  loaded->library = ::dlopen(folder_.file("kernel.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!loaded->library) return Reason{::dlerror()};
  return NativeKernel(std::move(loaded));
}

std::variant<interp::Status, ExitCode> runNative(const Compiled& compiled,
                                                 const CodeOptions& wanted,
                                                 const interp::Arguments& arguments,
                                                 const std::string& compiler,
                                                 const std::string& plant) {
  Progress::say("compiling '" + compiled.contract.name + "'");
  auto library = NativeLibrary::compile(compiled, wanted, compiler, plant, Threads::Posix);
  if (!library) return static_cast<ExitCode>(fail(kBadInput, library.reason()));
  Progress::say("running '" + compiled.contract.name + "'");
  auto kernel = library->load(arguments);
  if (!kernel) return static_cast<ExitCode>(fail(kBadInput, kernel.reason()));
  const interp::Status status = kernel->run();
  kernel->fetch();
  return status;
}

}  // namespace einc::driver
