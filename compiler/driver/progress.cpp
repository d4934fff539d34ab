// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/progress.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace einc::driver {
namespace {

using std::chrono::milliseconds;

const char* const kClearLine = "\r\x1b[K";
constexpr milliseconds kFirst(3000), kOnTerminal(1000), kElsewhere(4000);

// At once, so that lines of several threads do not mix.
void write(const std::string& text) {
  [[maybe_unused]] ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Of the process; it outlives its threads.
struct Line {
  std::mutex mutex;
  std::condition_variable ended;
  std::thread thread;
  bool isRunning = false, isTerminal = false, isShown = false;
  double start = 0, planned = 0, done = 0;
  double planStart = 0, doneAt = 0;
  std::string what;

  double left() const {
    if (planned <= done) return 0;
    // The plan, corrected by what it was worth so far, the more the more is done.
    const double part = done / planned;
    const double pace = done > 0 ? part * (doneAt - planStart) / done + 1 - part : 1;
    return std::max(0.0, (planned - done) * pace - (now() - doneAt));
  }

  void show() {
    const std::string text = "einc: " + progressText(what, now() - start, left());
    write(isTerminal ? kClearLine + text : text + "\n");
    isShown = isTerminal;
  }

  void run() {
    std::unique_lock lock(mutex);
    milliseconds wait = kFirst;
    while (!ended.wait_for(lock, wait, [&] { return !isRunning; })) {
      if (!what.empty()) show();
      wait = isTerminal ? kOnTerminal : kElsewhere;
    }
  }

  void clear() {
    if (isShown) write(kClearLine);
    isShown = false;
  }
};

Line& line() {
  static auto* one = new Line;  // threads may still have it while the process ends
  return *one;
}

}  // namespace

Progress::Progress() {
  std::lock_guard lock(line().mutex);
  line().isTerminal = ::isatty(STDERR_FILENO) == 1;
  line().start = now();
  line().planned = line().done = 0;
  line().what.clear();
  line().isRunning = true;
  line().thread = std::thread([] { line().run(); });
}

Progress::~Progress() {
  {
    std::lock_guard lock(line().mutex);
    line().isRunning = false;
    line().clear();
  }
  line().ended.notify_all();
  line().thread.join();
}

void Progress::say(const std::string& what) {
  std::lock_guard lock(line().mutex);
  line().what = what;
}

void Progress::plan(double seconds) {
  std::lock_guard lock(line().mutex);
  line().planned += seconds;
  line().planStart = line().doneAt = now();
}

void Progress::done(double seconds) {
  std::lock_guard lock(line().mutex);
  line().done += seconds;
  line().doneAt = now();
}

double Progress::secondsLeft() {
  std::lock_guard lock(line().mutex);
  return line().left();
}

void Progress::clear() {
  std::lock_guard lock(line().mutex);
  line().clear();
}

std::string progressText(const std::string& what, double elapsed, double left) {
  return what + " (" + durationText(elapsed) +
         (left > 0 ? ", about " + durationText(left) + " left" : "") + ")";
}

std::string durationText(double seconds) {
  auto whole = static_cast<long>(std::ceil(seconds));
  return whole < 120 ? std::to_string(whole) + " s" : std::to_string((whole + 59) / 60) + " min";
}

}  // namespace einc::driver
