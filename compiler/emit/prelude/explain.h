/* Part of Einc. SPDX-License-Identifier: Apache-2.0
 *
 * What NAME_explain puts its text together with. Chunks as in scalars.h. */
#pragma once

#include <stdint.h>

#include "compiler/emit/prelude/scalars.h"

/*@ say: */
/* Writes `words` where the text has ended so far; gives where it ends then. */
EINC_SHARED char *einc_say(char *end, const char *words) {
  while (*words != 0) *end++ = *words++;
  *end = 0;
  return end;
}

/*@ say_number: say */
EINC_SHARED char *einc_say_number(char *end, const char *before, int64_t number,
                                  const char *after) {
  char digits[21] = "", *first = digits + 20;
  uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
  do *--first = (char)('0' + rest % 10);
  while ((rest /= 10) != 0);
  if (number < 0) *--first = '-';
  return einc_say(einc_say(einc_say(end, before), first), after);
}
