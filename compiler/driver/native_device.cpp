// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/native_device.h"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "compiler/driver/device_description.h"
#include "compiler/driver/device_library.h"
#include "compiler/driver/trampoline.h"
#include "compiler/emit/text/names.h"
#include "compiler/ir/print.h"
#include "compiler/support/files.h"
#include "llvm/Support/FileSystem.h"
#include "runtime/status.h"

namespace einc::driver {
namespace {

template <auto F>
struct Free {
  template <typename T>
  void operator()(T* object) const {
    F(object);
  }
};
using Context = std::unique_ptr<einc_vk_context, Free<einc_vk_context_free>>;
using Buffer = std::unique_ptr<einc_vk_buffer, Free<einc_vk_buffer_free>>;
using Event = std::unique_ptr<einc_vk_event, Free<einc_vk_event_free>>;

// "the device lost its way (vkQueueSubmit: VkResult -4)": of a status of either table.
std::string statusText(int status) {
  if (status > EINC_VK_NO_LOADER)
    return std::string(interp::statusName(static_cast<interp::Status>(status))) +
           ": the kernel refused its arguments";
  std::string more = einc_vk_last_message();
  return einc_vk_status_string(status) + (more.empty() ? "" : " (" + more + ")");
}

// ---- The device ----

struct Messages {
  std::mutex lock;
  std::vector<std::string> texts;
  static void add(void* user, const char* text) {
    auto* self = static_cast<Messages*>(user);
    const std::scoped_lock guard(self->lock);
    self->texts.emplace_back(text);
  }
};

std::string deviceNames() {
  constexpr int kMost = 16;
  einc_vk_device_info devices[kMost];
  int count = 0;
  if (einc_vk_list_devices(devices, kMost, &count) != EINC_VK_OK) return "";
  std::string names;
  for (int i = 0; i < std::min(count, kMost); ++i)
    names += (i > 0 ? ", " : "; there are ") + std::to_string(i) + " = " + devices[i].name;
  return names;
}

}  // namespace

struct Device::Opened {
  Messages messages;
  Context context = nullptr;
};

Device::Device(std::unique_ptr<Opened> opened) : opened_(std::move(opened)) {}
Device::Device(Device&&) noexcept = default;
Device::~Device() = default;

Result<Device> Device::open(const DeviceChoice& choice) {
  auto opened = std::make_unique<Opened>();
  einc_vk_options options = {};
  options.device = choice.name.empty() ? nullptr : choice.name.c_str();
  options.validation = choice.validation;
  options.on_message = Messages::add;
  options.user = &opened->messages;
  einc_vk_context* made = nullptr;
  int status = einc_vk_context_create(&options, &made);
  if (status == EINC_VK_UNKNOWN_DEVICE)
    return Reason{"--device=" + choice.name + ": there is no such device" + deviceNames()};
  if (status != EINC_VK_OK) return Reason{statusText(status)};
  opened->context.reset(made);
  return Device(std::move(opened));
}

const einc_vk_device_info& Device::info() const {
  return *einc_vk_context_device(opened_->context.get());
}

std::string Device::close() {
  opened_->context.reset();
  const std::vector<std::string>& texts = opened_->messages.texts;
  return texts.empty() ? "" : texts.front();
}

namespace {

// ---- Arrays ----

// The part of each storage that views cover, as a buffer: views of one storage share it.
class DeviceArrays {
 public:
  // The status of the first failure.
  int create(einc_vk_context* context, const interp::Arguments& arguments) {
    for (const interp::View& view : arguments.tensors) {
      auto reach = interp::reachOf(view);
      if (!reach || reach->low > reach->high) continue;
      int64_t element = ir::info(view.type).bytes();
      auto [part, isNew] = parts_.try_emplace(view.storage.get());
      int64_t low = reach->low * element, high = (reach->high + 1) * element;
      part->second.low = isNew ? low : std::min(part->second.low, low);
      part->second.high = isNew ? high : std::max(part->second.high, high);
    }
    for (auto& [storage, part] : parts_) {
      // As much aligned as in memory.
      part.low -= part.low % 64;
      auto bytes = static_cast<uint64_t>(part.high - part.low);
      einc_vk_buffer* made = nullptr;
      if (int status = einc_vk_buffer_create(context, bytes, &made)) return status;
      part.buffer.reset(made);
      if (int status = einc_vk_buffer_write(made, 0, storage + part.low, bytes)) return status;
    }
    return EINC_VK_OK;
  }

  std::vector<int64_t> descriptor(const interp::View& view) const {
    auto found = parts_.find(view.storage.get());
    if (found == parts_.end()) return descriptorOf(view, nullptr, view.offset);
    int64_t element = ir::info(view.type).bytes();
    return descriptorOf(view, found->second.buffer.get(),
                        view.offset - found->second.low / element);
  }

  // All of each part that an output has some of: what else is in it has not changed.
  int readBack(const std::vector<const interp::View*>& outputs) const {
    for (const interp::View* view : outputs) {
      auto found = parts_.find(view->storage.get());
      if (found == parts_.end()) continue;
      const auto& [storage, part] = *found;
      auto bytes = static_cast<uint64_t>(part.high - part.low);
      if (int status = einc_vk_buffer_read(part.buffer.get(), 0, storage + part.low, bytes))
        return status;
    }
    return EINC_VK_OK;
  }

 private:
  struct Part {
    int64_t low = 0, high = 0;  // bytes of the storage
    Buffer buffer = nullptr;
  };
  std::map<std::byte*, Part> parts_;
};

// ---- The library ----

// What the library tells who loads it: which kernels it makes, and what it runs.
struct Watcher {
  void (*made)(void* user, const einc_vk_kernel* kernel, const uint32_t* spirv, size_t bytes);
  void (*ran)(void* user, const einc_vk_dispatch* dispatches, size_t count);
  void* user;
};

// Three functions around the kernel's code, whose calls of the runtime go past the watcher. For
// tests of the tests, "drop-dispatch" leaves out the last dispatch.
std::string entryText(const ir::Kernel& kernel, const std::string& function,
                      const std::string& plant) {
  return R"(#include "runtime/vulkan/vk.h"
typedef struct {
  void (*made)(void *, const einc_vk_kernel *, const uint32_t *, size_t);
  void (*ran)(void *, const einc_vk_dispatch *, size_t);
  void *user;
} einc_watcher;
static const einc_watcher *einc_watching;
static einc_vk_status einc_make(einc_vk_context *context, const einc_vk_kernel_description *from,
                                einc_vk_kernel **kernel) {
  const einc_vk_status status = einc_vk_kernel_create(context, from, kernel);
  if (status == EINC_VK_OK)
    einc_watching->made(einc_watching->user, *kernel, from->spirv, from->spirv_bytes);
  return status;
}
static einc_vk_status einc_run_watched(einc_vk_context *context, const einc_vk_dispatch *all,
                                       size_t count, einc_vk_event **event) {
  einc_watching->ran(einc_watching->user, all, count);
  return einc_vk_run(context, all, count - )" +
         std::string(plant == "drop-dispatch" ? "1" : "0") + R"(, event);
}
#define einc_vk_kernel_create einc_make
#define einc_vk_run einc_run_watched
#include "kernel.c"
einc_status einc_entry_create(einc_vk_context *context, const einc_watcher *watcher, void **kernels);
einc_status einc_entry_create(einc_vk_context *context, const einc_watcher *watcher, void **kernels) {
  entry_vulkan_kernels *made;
  const einc_status status = entry_vulkan_create(context, &made);
  einc_watching = watcher;
  if (status == EINC_OK) *kernels = made;
  return status;
}
void einc_entry_free(void *kernels);
void einc_entry_free(void *kernels) { entry_vulkan_free((entry_vulkan_kernels *)kernels); }
einc_status einc_entry(void **a, void *kernels, einc_vk_event **event);
einc_status einc_entry(void **a, void *kernels, einc_vk_event **event) {
  return )" +
         function + "((entry_vulkan_kernels *)kernels, " + Trampoline::passed(kernel) +
         ", event);\n}\n";
}

std::string writeRuntimeHeaders(const TemporaryFolder& folder) {
  if (auto error = llvm::sys::fs::create_directories(folder.file("runtime/vulkan")))
    return "cannot make a temporary folder: " + error.message();
  std::vector<OutputFile> files;
  for (const RuntimeFile& file : runtimeFiles())
    if (file.isPublic)
      files.push_back({folder.file(std::string(file.path)), std::string(file.text)});
  return writeOutputs(files);
}

// Compiles the kernel to kernel.so in the folder; "" or the reason.
std::string compileKernel(const TemporaryFolder& folder, const DeviceKernel& kernel,
                          const std::string& compiler, const std::string& plant) {
  auto program = findCompiler(compiler);
  if (!program) return program.reason();
  emit::COptions options;
  options.library = "entry";
  options.plant = plant;
  const emit::DeviceCode code{&kernel.contract, &kernel.code, kernel.schedule, &kernel.shaders,
                              &kernel.modules};
  auto text = emit::emitDeviceC({code}, options);
  if (!text) return text.reason();
  std::string function = emit::functionName(kernel.contract.name, "") + "_vulkan";
  std::string reason = writeRuntimeHeaders(folder);
  if (reason.empty())
    reason = writeOutputs({{folder.file("kernel.c"), *text},
                           {folder.file("entry.c"), entryText(kernel.contract, function, plant)}});
  if (!reason.empty()) return reason;
  std::vector<std::string> args = compileFlags(1);
  args.insert(args.end(), {"-I" + folder.file(""), "-shared", "-o", folder.file("kernel.so"),
                           folder.file("entry.c")});
  return runProgram(*program, args);
}

}  // namespace

struct DeviceProgram::Loaded {
  Loaded(einc_vk_context* on, const DeviceKernel& its, const interp::Arguments& given,
         TemporaryFolder files)
      : context(on), kernel(its), arguments(given), folder(std::move(files)) {
    watcher = {[](void* self, const einc_vk_kernel* made, const uint32_t* spirv, size_t bytes) {
                 static_cast<Loaded*>(self)->remember(made, {spirv, spirv + bytes / 4});
               },
               [](void* self, const einc_vk_dispatch* dispatches, size_t count) {
                 static_cast<Loaded*>(self)->note(dispatches, count);
               },
               this};
  }
  Loaded(const Loaded&) = delete;
  ~Loaded() {
    if (kernels) symbol<void (*)(void*)>("einc_entry_free")(kernels);
    if (library) ::dlclose(library);
  }

  template <typename Function>
  Function symbol(const char* name) const {
    return reinterpret_cast<Function>(::dlsym(library, name));
  }

  void remember(const einc_vk_kernel* made, const spirv::Words& words) {
    auto found = std::find(kernel.modules.begin(), kernel.modules.end(), words);
    if (found != kernel.modules.end())
      names[made] = kernel.shaders[static_cast<size_t>(found - kernel.modules.begin())].name;
  }

  void note(const einc_vk_dispatch* dispatches, size_t count) {
    dispatched.clear();
    for (size_t i = 0; i < count; ++i) {
      const uint64_t* groups = dispatches[i].workgroups;
      dispatched.push_back({names[dispatches[i].kernel], {groups[0], groups[1], groups[2]}});
    }
  }

  // A status of either table.
  int create() {
    library = ::dlopen(folder.file("kernel.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) return EINC_VK_BAD_ARGUMENT;
    if (int status = arrays.create(context, arguments)) return status;
    std::vector<std::vector<int64_t>> descriptors;
    for (size_t t = 0; t < arguments.tensors.size(); ++t) {
      descriptors.push_back(arrays.descriptor(arguments.tensors[t]));
      if (kernel.contract.tensors[t].role == ir::Role::Output)
        outputs.push_back(&arguments.tensors[t]);
    }
    trampoline.emplace(kernel.contract, arguments, std::move(descriptors));
    using Create = int (*)(einc_vk_context*, const Watcher*, void**);
    entry = symbol<Entry>("einc_entry");
    return symbol<Create>("einc_entry_create")(context, &watcher, &kernels);
  }

  int submit(Event& event) {
    einc_vk_event* made = nullptr;
    if (int status = entry(trampoline->addresses(), kernels, &made)) return status;
    event.reset(made);
    return EINC_VK_OK;
  }

  using Entry = int (*)(void**, void*, einc_vk_event**);
  einc_vk_context* context;
  const DeviceKernel& kernel;
  const interp::Arguments& arguments;
  TemporaryFolder folder;
  Watcher watcher;
  void* library = nullptr;
  void* kernels = nullptr;
  Entry entry = nullptr;
  DeviceArrays arrays;
  std::vector<const interp::View*> outputs;
  std::optional<Trampoline> trampoline;
  std::map<const einc_vk_kernel*, std::string> names;
  std::vector<Dispatched> dispatched;  // by the last run
};

DeviceProgram::DeviceProgram(std::unique_ptr<Loaded> loaded) : loaded_(std::move(loaded)) {}
DeviceProgram::DeviceProgram(DeviceProgram&&) noexcept = default;
DeviceProgram::~DeviceProgram() = default;

Result<DeviceProgram> DeviceProgram::load(Device& device, const DeviceKernel& kernel,
                                          const interp::Arguments& arguments,
                                          const std::string& compiler, const std::string& plant) {
  auto folder = TemporaryFolder::create();
  if (!folder) return Reason{folder.reason()};
  std::string reason = compileKernel(*folder, kernel, compiler, plant);
  if (!reason.empty()) return Reason{reason};
  auto loaded = std::make_unique<Loaded>(device.opened_->context.get(), kernel, arguments,
                                         std::move(*folder));
  int status = loaded->create();
  if (!loaded->library) return Reason{::dlerror()};
  if (status != EINC_VK_OK) return Reason{statusText(status)};
  return DeviceProgram(std::move(loaded));
}

Result<std::vector<Dispatched>> DeviceProgram::run() {
  Event event = nullptr;
  if (int status = loaded_->submit(event)) return Reason{statusText(status)};
  if (int status = einc_vk_event_wait(event.get(), EINC_VK_FOREVER))
    return Reason{statusText(status)};
  return loaded_->dispatched;
}

Result<DeviceTimes> DeviceProgram::time(int runs) {
  std::vector<Event> events(static_cast<size_t>(runs));
  auto begin = std::chrono::steady_clock::now();
  for (Event& event : events)
    if (int status = loaded_->submit(event)) return Reason{statusText(status)};
  for (const Event& event : events)
    if (int status = einc_vk_event_wait(event.get(), EINC_VK_FOREVER))
      return Reason{statusText(status)};
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  DeviceTimes times;
  for (const Event& event : events) {
    double from = 0, to = 0;
    int status = einc_vk_event_times(event.get(), &from, &to);
    if (status == EINC_VK_NO_TIMESTAMPS) return DeviceTimes{{passed.count() / runs}, false};
    if (status != EINC_VK_OK) return Reason{statusText(status)};
    times.seconds.push_back((to - from) * 1e-9);
  }
  return times;
}

std::optional<Reason> DeviceProgram::readBack() const {
  if (int status = loaded_->arrays.readBack(loaded_->outputs)) return Reason{statusText(status)};
  return std::nullopt;
}

std::string findDevice(const std::string& name, einc_vk_device_info& info) {
  auto device = Device::open({name, false});
  if (!device) return device.reason();
  info = device->info();
  return "";
}

int runOnDevice(const DeviceKernel& kernel, const interp::Arguments& arguments,
                const DeviceChoice& choice, const std::string& compiler, const std::string& plant) {
  auto device = Device::open(choice);
  if (!device) return fail(kBadInput, device.reason());
  std::string reason;
  {
    auto program = DeviceProgram::load(*device, kernel, arguments, compiler, plant);
    if (!program) {
      reason = program.reason();
    } else if (auto done = program->run(); !done) {
      reason = done.reason();
    } else if (auto problem = program->readBack()) {
      reason = problem->text;
    }
  }
  std::string message = device->close();
  if (!message.empty())
    return failInternally("the validation layer says: " + message, ir::print(kernel.code));
  return reason.empty() ? kSuccess : fail(kBadInput, reason);
}

}  // namespace einc::driver
