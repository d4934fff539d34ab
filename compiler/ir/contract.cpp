// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/contract.h"

#include <utility>

namespace einc::ir {
namespace {

// The ops of a block at level buffers, whoever is to compute them.
Block opsOf(const Block& block) {
  Block ops;
  forEachOp(block, [&](const StructuredOp& op) { ops.emplace_back(op); });
  return ops;
}

}  // namespace

std::shared_ptr<const Kernel> contractOf(const Kernel& kernel) {
  if (kernel.contract || kernel.level > Level::Buffers) return kernel.contract;
  Kernel contract = kernel;
  contract.level = Level::Tensors;
  contract.body = opsOf(kernel.body);
  return std::make_shared<const Kernel>(std::move(contract));
}

Kernel withContract(Kernel kernel) {
  kernel.contract = contractOf(kernel);
  return kernel;
}

}  // namespace einc::ir
