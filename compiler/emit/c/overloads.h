// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The C++ part of a library's header: of each function of a kernel an overload that takes what C++
// programs have for tensors (prelude/call.hpp), and one that throws.
//
//   einc_status dense(const einc_memref_f32_2 *A, einc_memref_f32_2 *Y);     what C has
//
//   template <class A_type, class Y_type>
//   using takes_dense = std::enable_if_t<reads<A_type, einc_memref_f32_2> &&
//                                        writes<Y_type, einc_memref_f32_2>>;
//   template <class A_type, class Y_type, class = einc::call_1::takes_dense<A_type, Y_type>>
//   [[nodiscard]] einc_status dense(A_type &&A, Y_type &&Y) {
//     return ::dense(einc::call_1::in<einc_memref_f32_2>(A), einc::call_1::out<einc_memref_f32_2>(Y));
//   }
//   template <...> void dense(einc::Throwing, A_type &&A, Y_type &&Y);
#pragma once

#include <string>
#include <vector>

#include "compiler/emit/c/c.h"

namespace einc::emit {

std::string overloadsText(const std::vector<KernelCode>& kernels, const COptions& options);

}  // namespace einc::emit
