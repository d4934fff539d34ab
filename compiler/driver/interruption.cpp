// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/interruption.h"

#include <csignal>
#include <iterator>

namespace einc::driver {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
struct sigaction before[std::size(kSignals)];
volatile std::sig_atomic_t first = 0;

void putBack() {
  for (size_t i = 0; i < std::size(kSignals); ++i) ::sigaction(kSignals[i], &before[i], nullptr);
}

void note(int signal) {
  first = signal;
  putBack();
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
