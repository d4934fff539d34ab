// Part of Einc. SPDX-License-Identifier: Apache-2.0
#pragma once

// Macros that C has, such as I.
#include <complex.h>

#include "calls.h"

// The same header in a second file of the program.
einc_status denseFromAnotherFile();
