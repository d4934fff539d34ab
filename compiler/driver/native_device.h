// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Runs a kernel on a Vulkan device as its users would: emits C, compiles it for this machine, loads
// it, copies arrays to buffers, calls it through the C ABI, and copies outputs back. The runtime is
// linked to this program, which exports it to what it loads.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "compiler/driver/exit.h"
#include "compiler/driver/shaders.h"
#include "compiler/driver/toolchain.h"
#include "compiler/interp/interpreter.h"
#include "runtime/vulkan/vk.h"

namespace einc::driver {

struct DeviceChoice {
  std::string name;         // of einc_vk_options::device; empty: the best
  bool validation = false;  // under the validation layer, each message of which is a bug in Einc
};

// A device that is open.
class Device {
 public:
  static Result<Device> open(const DeviceChoice& choice);
  Device(Device&&) noexcept;
  Device& operator=(Device&&) = delete;
  ~Device();

  const einc_vk_device_info& info() const;
  // Closes the device: only then the validation layer says what was not freed. What it said first;
  // empty if it said nothing.
  std::string close();

 private:
  friend class DeviceProgram;
  struct Opened;
  explicit Device(std::unique_ptr<Opened> opened);
  std::unique_ptr<Opened> opened_;
};

// A dispatch that a kernel asked for.
struct Dispatched {
  std::string shader;
  std::array<uint64_t, 3> workgroups;
};

// How long runs took, each.
struct DeviceTimes {
  std::vector<double> seconds;
  bool byDevice = true;  // by the device's timestamps; else the mean by the host's clock
};

// A kernel that is compiled and loaded, its arrays on a device. The device, the kernel and the
// arguments' arrays must live as long.
class DeviceProgram {
 public:
  static Result<DeviceProgram> load(Device& device, const DeviceKernel& kernel,
                                    const interp::Arguments& arguments, const std::string& compiler,
                                    const std::string& plant);
  DeviceProgram(DeviceProgram&&) noexcept;
  DeviceProgram& operator=(DeviceProgram&&) = delete;
  ~DeviceProgram();

  // Runs once, to the end; what it dispatched, or the kernel's reason, or the device's.
  Result<std::vector<Dispatched>> run();
  // Submits so many runs one behind the other, and waits for all.
  Result<DeviceTimes> time(int runs);
  // Copies outputs to where the arguments have them.
  std::optional<Reason> readBack() const;

 private:
  struct Loaded;
  explicit DeviceProgram(std::unique_ptr<Loaded> loaded);
  std::unique_ptr<Loaded> loaded_;
};

// kSuccess, or the exit code after the reason was printed: no device, a refusal by the kernel, a
// failure while it ran, a message of the validation layer.
int runOnDevice(const DeviceKernel& kernel, const interp::Arguments& arguments,
                const DeviceChoice& choice, const std::string& compiler, const std::string& plant);

}  // namespace einc::driver
