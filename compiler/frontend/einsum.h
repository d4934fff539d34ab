// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// NumPy's einsum notation as a spec: "mk,kn->mn" becomes
//
//   def einsum<T = f32>(A: T(M, K), B: T(K, N)) -> (O: T(M, N)) {
//     O(m, n) += A(m, k) * B(k, n);
//   }
//
// Without "->" the output has the letters that stand once, in alphabetic order.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "compiler/support/diagnostics.h"

namespace einc::frontend {

struct EinsumSpec {
  std::string text;
  std::map<std::string, std::string> sizes;  // index letter -> size symbol
};

// `errors` belongs to the notation's text.
std::optional<EinsumSpec> expandEinsum(Diagnostics& errors);

}  // namespace einc::frontend
