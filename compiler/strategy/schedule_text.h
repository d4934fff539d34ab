// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Schedules as text: what `einc emit --stage=schedule` prints and `--schedule=FILE` reads. Blanks
// and comments as in IR text; each setting stands once, in any order, and none is needed.
//
//   file   := "einc_schedule" "1" kernel*
//   kernel := "schedule" "@" NAME "for" STRING "{" op* "}"
//   op     := "op" NUMBER "{" steps "}"                     what is done with it, all of it: plan/text.h
//           | "ops" NUMBER "to" NUMBER "{" steps "}"        the same for ops that are done together
//           | "rounds" NUMBER "to" NUMBER "{" steps "}"     tiles of ops that are done in rounds, by their numbers before;
//             without steps they are not                    fusion/in_rounds.h
//           | "op" NUMBER STRATEGY "{" (NAME "=" (["-"] NUMBER | NAME) | "library" "=" rules)* "}"
//             rules: library_rule.h
//
//   einc_schedule 1
//   schedule @matmul for "x86-64-v4" {
//     // op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%C[m, n]) ...
//     op 0 contraction {
//       mr = 8
//       kc = 512
//     }
//     op 1 {
//       tile n by 16
//       vectorize (n: 16)
//     }
//   }
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/strategy/decision.h"
#include "compiler/strategy/settings.h"
#include "compiler/support/diagnostics.h"

namespace einc::strategy {

struct ScheduleEntry {
  std::string target;
  Setting setting;
  SourceRange range;       // of the setting
  SourceRange kernel, of;  // the names of the kernel and of the target
};

// Nothing after an error.
std::optional<std::vector<ScheduleEntry>> parseSchedule(const SourceFile& source,
                                                        Diagnostics& errors);

std::string scheduleHeader();
std::string printSchedule(const std::string& kernel, const target::Target& target,
                          const Decision& decision);

}  // namespace einc::strategy
