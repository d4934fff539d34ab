/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/*
 * What kernels and runtime functions return: 0 for success, or one negative number for each kind of
 * failure. Usable from C89 and C++.
 *
 * Generated headers declare the type and the values under the same two guards, so that they can be
 * included beside this header, in any order, and also without it.
 */
#ifndef EINC_RUNTIME_STATUS_H_
#define EINC_RUNTIME_STATUS_H_

#ifndef EINC_STATUS_T
#define EINC_STATUS_T
typedef int einc_status;
#endif

#ifndef EINC_STATUS_VALUES
#define EINC_STATUS_VALUES
/* EINC_OK, EINC_NULL_DESCRIPTOR, ...: a line each in status.def. */
enum einc_status_value {
#define EINC_STATUS(name, value, sentence) EINC_##name = value,
#include "runtime/status.def"
#undef EINC_STATUS
  EINC_STATUS_END = 1 /* never returned; stands here because C89 ends an enum without a comma */
};
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Explains a status in a short English phrase, without a full stop. Never null, for any int; the
 * string is static. Thread-safe.
 */
const char *einc_status_string(einc_status status);

/*
 * How many there are. layout.c names it: where kernels are linked first, whose own
 * einc_status_string is weak and knows kernels' statuses alone, linkers then still take the one from
 * here.
 */
extern const int einc_status_count;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EINC_RUNTIME_STATUS_H_ */
