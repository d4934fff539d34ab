// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The C header of a kernel library: for C89, C99 and C++.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/emit/c/c.h"
#include "compiler/emit/text/signature.h"

namespace einc::emit {

Result<std::string> emitHeader(const std::vector<KernelCode>& kernels, const COptions& options);

// Of a kernel's public functions.
std::vector<Prototype> prototypesOf(const ir::Kernel& kernel, const COptions& options);

// What programs call in a library: the kernels' functions, and what all libraries have.
std::vector<std::string> exportedNames(const std::vector<KernelCode>& kernels,
                                       const COptions& options);

// Whether an output's elements are read before they are written.
bool isReadFirst(const ir::Kernel& kernel, unsigned output);

// Whether all elements of an output are written, as far as can be proved.
bool isWrittenWhole(const ir::Kernel& kernel, unsigned output);

// What a kernel takes and computes, as a comment.
std::string kernelComment(const ir::Kernel& kernel);

// What keeps a header from being read twice, and makes it one for C++, too: around `declarations`,
// with `about` as the comment at the top; `overloads` are for C++ alone.
std::string headerText(const COptions& options, const std::string& about,
                       const std::string& includes, const std::string& declarations,
                       const std::string& overloads);

// The reason why two of the kernels cannot be in one library.
std::optional<Reason> findNameClash(const std::vector<KernelCode>& kernels,
                                    const COptions& options);

}  // namespace einc::emit
