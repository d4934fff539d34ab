// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Any bytes as an .npy file, and as the view that follows a file's name.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "compiler/interp/npy.h"
#include "compiler/interp/view_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (auto view = einc::interp::parseNpy(bytes)) {
    // What was read can be written and read again.
    auto again = einc::interp::parseNpy(einc::interp::writeNpy(*view));
    if (!again || again->sizes != view->sizes) std::abort();
  }
  auto text = einc::interp::ViewText::parse("a.npy" + bytes);
  auto array = einc::interp::allocate(einc::ir::ScalarType::I8, {3, 4, 2});
  if (!text || !array) return 0;
  auto view = text->apply(*array);
  if (view && !einc::interp::staysInside(*view)) std::abort();
  return 0;
}
