// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What measures a device: kernels from small specs of our own, through the same pipeline as any
// other.
#pragma once

#include <string>
#include <variant>

#include "compiler/driver/exit.h"
#include "compiler/driver/native_device.h"
#include "compiler/driver/shaders.h"
#include "compiler/interp/interpreter.h"
#include "compiler/ir/ir.h"

namespace einc::driver {

struct Measure {
  DeviceKernel kernel;
  interp::Arguments arguments;
  double amount = 0;  // bytes or operations of a run
};

// Reads an array of f32 and writes another, both beyond the caches of most devices. Brief: less of it, as below,
// where what it says is not believed.
std::variant<Measure, ExitCode> measureCopies(const einc_vk_device_info& device, bool brief);

// Multiply-adds in registers, hundreds for each element that is read: two polynomials in Horner's
// form, so that an invocation, which has four elements, has eight that do not wait for each other.
std::variant<Measure, ExitCode> measureArithmetic(const einc_vk_device_info& device,
                                                  ir::ScalarType type, bool brief);

// In what a device computes values of this type: f16 in f32, say.
ir::ScalarType arithmeticType(ir::ScalarType type);

}  // namespace einc::driver
