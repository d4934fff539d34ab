// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/interruption.h"

#include <csignal>
#include <ctime>
#include <iterator>

namespace einc::driver {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
struct sigaction before[std::size(kSignals)];
volatile std::sig_atomic_t first = 0;
struct timespec noted;  // when that was

// Who ends a process may signal both it and its group, as timeout does: that is one signal.
constexpr double kOneDelivery = 0.5;  // seconds

void putBack() {
  for (size_t i = 0; i < std::size(kSignals); ++i) ::sigaction(kSignals[i], &before[i], nullptr);
}

void note(int signal) {
  struct timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  if (first == 0) {
    noted = now;
    first = signal;
    return;
  }
  const double since = static_cast<double>(now.tv_sec - noted.tv_sec) +
                       static_cast<double>(now.tv_nsec - noted.tv_nsec) * 1e-9;
  if (since < kOneDelivery) return;
  putBack();
  ::raise(signal);  // comes when this one is through
}

}  // namespace

Interruption::Interruption() {
  first = 0;
  struct sigaction action{};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    ::sigaction(kSignals[i], nullptr, &before[i]);
    // What the caller has us ignore (nohup) stays ignored.
    if (before[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
}

Interruption::~Interruption() { putBack(); }

int Interruption::seen() { return first; }

}  // namespace einc::driver
