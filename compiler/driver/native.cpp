// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/native.h"

#include <dlfcn.h>

#include <cstring>
#include <deque>
#include <set>

#include "compiler/bench/installed.h"
#include "compiler/driver/outputs.h"
#include "compiler/driver/toolchain.h"
#include "compiler/emit/c.h"
#include "compiler/emit/header.h"
#include "compiler/emit/names.h"
#include "compiler/ir/scalar.h"
#include "compiler/support/files.h"

namespace einc::driver {
namespace {

// The words of a strided memref: allocated, aligned, offset, sizes, strides.
std::vector<int64_t> descriptorOf(const interp::View& view) {
  auto base = static_cast<int64_t>(reinterpret_cast<intptr_t>(view.storage.get()));
  std::vector<int64_t> words = {base, base, view.offset};
  words.insert(words.end(), view.sizes.begin(), view.sizes.end());
  words.insert(words.end(), view.strides.begin(), view.strides.end());
  return words;
}

// One function that takes every argument by address, and how each is passed on. The addresses, of
// the arguments that are given, stay valid as long as this lives.
class Trampoline {
 public:
  explicit Trampoline(const ir::Kernel& kernel, const interp::Arguments* arguments = nullptr)
      : kernel_(kernel), arguments_(arguments) {
    for (const ir::Kernel::Input& input : kernel.inputs)
      input.isTensor ? tensor(input.index) : attribute(input.index);
    for (unsigned t = 0; t < kernel.tensors.size(); ++t)
      if (kernel.tensors[t].role == ir::Role::Output) tensor(t);
    for (unsigned a = 0; a < kernel.attributes.size(); ++a)
      if (!kernel.attributes[a].parameter) attribute(a);
  }

  std::string source(const std::string& header, const std::string& function) const {
    return "#include \"" + header + "\"\neinc_status einc_entry(void **a);\n" +
           "einc_status einc_entry(void **a) { return " + function + "(" + passed_ + "); }\n";
  }
  void** addresses() { return addresses_.data(); }

 private:
  void pass(const std::string& text, void* address) {
    passed_ += (passed_.empty() ? "" : ", ") + text;
    addresses_.push_back(address);
  }
  std::string slot() const { return "a[" + std::to_string(addresses_.size()) + "]"; }

  void tensor(unsigned id) {
    descriptors_.push_back(arguments_ ? descriptorOf(arguments_->tensors[id])
                                      : std::vector<int64_t>());
    pass(slot(), descriptors_.back().data());
  }

  void attribute(unsigned id) {
    const ir::Attribute& a = kernel_.attributes[id];
    const std::vector<ir::Number> numbers =
        arguments_ ? arguments_->attributes[id] : std::vector<ir::Number>();
    const unsigned size = ir::info(a.type).bytes();
    values_.emplace_back(numbers.size() * size + 8);
    for (size_t i = 0; i < numbers.size(); ++i)
      ir::writeElement(a.type, numbers[i], values_.back().data() + i * size);
    std::string pointer = "const " + std::string(ir::info(a.type).cType) + " *";
    bool byAddress = a.list || !a.shape.empty() || a.optional || a.defaults;
    bool absent = numbers.empty() && !a.list;
    pass(byAddress ? "(" + pointer + ")" + slot() : "*(" + pointer + ")" + slot(),
         absent ? nullptr : values_.back().data());
    if (!a.list) return;
    lengths_.push_back(static_cast<int64_t>(numbers.size()));
    pass("*(const int64_t *)" + slot(), &lengths_.back());
  }

  const ir::Kernel& kernel_;
  const interp::Arguments* arguments_;
  std::string passed_;
  std::vector<void*> addresses_;
  std::deque<std::vector<int64_t>> descriptors_;
  std::deque<std::vector<std::byte>> values_;
  std::deque<int64_t> lengths_;
};

std::set<std::string> librariesOf(const Compiled& compiled) {
  std::set<std::string> libraries;
  for (const ir::Kernel& code : compiled.codes)
    ir::forEachStatement(code.body, [&](const ir::Stmt& stmt) {
      if (auto* call = std::get_if<ir::LibraryCall>(&stmt.node)) libraries.insert(call->library);
    });
  return libraries;
}

}  // namespace

struct NativeKernel::Loaded {
  Loaded(const ir::Kernel& kernel, const interp::Arguments& arguments)
      : trampoline(kernel, &arguments) {}
  Loaded(const Loaded&) = delete;
  ~Loaded() {
    if (library) ::dlclose(library);
  }

  Trampoline trampoline;
  void* library = nullptr;
};

NativeKernel::NativeKernel(std::unique_ptr<Loaded> loaded)
    : loaded_(std::move(loaded)),
      entry_(reinterpret_cast<int (*)(void**)>(::dlsym(loaded_->library, "einc_entry"))),
      addresses_(loaded_->trampoline.addresses()) {}
NativeKernel::NativeKernel(NativeKernel&&) noexcept = default;
NativeKernel::~NativeKernel() = default;

std::variant<NativeLibrary, ExitCode> NativeLibrary::compile(const Compiled& compiled,
                                                             const CodeOptions& wanted,
                                                             const std::string& compiler,
                                                             const std::string& plant) {
  auto failed = [](const std::string& reason) {
    return static_cast<ExitCode>(fail(kBadInput, reason));
  };
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
  options.library = "einc_native";
  options.plant = plant;
  const std::vector<Compiled> all = {compiled};
  std::vector<emit::KernelCode> kernels = kernelCodes(all, wanted);
  auto code = emit::emitC(kernels, options);
  auto header = emit::emitHeader(kernels, options);
  if (!code || !header) return failed(code ? header.reason() : code.reason());
  std::string function = emit::functionName(compiled.contract.name, options.prefix);
  std::string reason = writeOutputs(
      {{folder->file("kernel.c"), *code},
       {folder->file("kernel.h"), *header},
       {folder->file("entry.c"), Trampoline(compiled.contract).source("kernel.h", function)}});
  if (!reason.empty()) return failed(reason);

  std::vector<std::string> args = compileFlags(wanted.threads);
  // The entry calls the kernel itself, not what a table of symbols says: it is timed.
  args.insert(args.end(), {"-shared", "-Wl,-Bsymbolic", "-o", folder->file("kernel.so"),
                           folder->file("kernel.c"), folder->file("entry.c"), "-lm"});
  for (const std::string& library : librariesOf(compiled))
    args.push_back("-l:" + bench::fileOf(library));
  reason = runProgram(*program, args);
  if (!reason.empty()) return failed(reason);
  return NativeLibrary(std::move(*folder), compiled.contract);
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
  auto library = NativeLibrary::compile(compiled, wanted, compiler, plant);
  if (auto* code = std::get_if<ExitCode>(&library)) return *code;
  auto kernel = std::get<NativeLibrary>(library).load(arguments);
  if (!kernel) return static_cast<ExitCode>(fail(kBadInput, kernel.reason()));
  return kernel->run();
}

}  // namespace einc::driver
