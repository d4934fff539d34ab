// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/fixed_values.h"

#include "compiler/driver/attributes.h"
#include "compiler/ir/verify.h"
#include "compiler/transforms/specialize.h"

namespace einc::driver {

Result<ir::Kernel> fixValues(const ir::Kernel& kernel, const std::map<std::string, int64_t>& dims,
                             const std::map<std::string, std::string>& attributes) {
  transforms::Fixed fixed{dims, {}};
  for (const auto& [name, text] : attributes) {
    auto attribute = kernel.findAttribute(name);
    if (!attribute) continue;
    auto values = parseAttributeValue(kernel.attributes[*attribute], text);
    if (!values) return Reason{values.reason()};
    fixed.attributes.emplace(name, *values);
  }
  auto specialized = transforms::specialize(kernel, fixed);
  if (!specialized)
    return Reason{"with these --dim and --attr, in '" + kernel.name + "': " + specialized.reason()};
  // Of IR text, what passes do not make: a tile of 0 positions.
  if (kernel.level > ir::Level::Tensors)
    if (auto violations = ir::verify(*specialized); !violations.empty())
      return Reason{"with these --dim and --attr, '" + kernel.name + "' breaks " +
                    violations.front().str()};
  return specialized;
}

std::variant<ir::Module, ExitCode> fixValues(const Loaded& loaded,
                                             const std::map<std::string, std::string>& attributes) {
  if (auto reason = findUnknownDim(loaded.dims, loaded.module))
    return static_cast<ExitCode>(fail(kBadCommandLine, reason->text));
  if (auto reason = findUnknownAttribute(attributes, loaded.module))
    return static_cast<ExitCode>(fail(kBadCommandLine, reason->text));
  ir::Module result;
  for (const ir::Kernel& kernel : loaded.module.kernels) {
    auto fixed = fixValues(kernel, loaded.dims, attributes);
    if (!fixed) return static_cast<ExitCode>(fail(kBadCommandLine, fixed.reason()));
    result.kernels.push_back(std::move(*fixed));
  }
  return result;
}

}  // namespace einc::driver
