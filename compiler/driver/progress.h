// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What is being done, on standard error, where it takes long: after three seconds, and from then on
// at least every five. On a terminal it is one line that changes, elsewhere a line each time.
#pragma once

#include <string>

namespace einc::driver {

// The lines come while one of these lives. There is one at a time.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;

  // From any thread, and while there is no Progress, too.
  static void say(const std::string& what);
  // For the time that is left: so many seconds of work there are, from now on, or are done.
  static void plan(double seconds);
  static void done(double seconds);
  // What is left by now, where that is known; 0 otherwise.
  static double secondsLeft();
  // Takes the line off a terminal: other text follows.
  static void clear();
};

// "compiling 3 of 15: gemm.c (12 s, about 30 s left)"
std::string progressText(const std::string& what, double elapsed, double left);

// "12 s", "3 min"
std::string durationText(double seconds);

}  // namespace einc::driver
