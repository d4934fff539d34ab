// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/bench/worker.h"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace einc::bench {

struct Worker::Reply {
  int failed = 0;
  double seconds = 0;
  long runs = 0;
  double share = 1;
  char text[240] = "";
};

namespace {

struct Command {
  char what;  // 'o'nce, 'd'escribe, 's'ample
  double value;
};

template <typename T>
bool readAll(int file, T& value) {
  auto* at = reinterpret_cast<char*>(&value);
  for (size_t left = sizeof value; left > 0;) {
    ssize_t got = ::read(file, at, left);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    left -= static_cast<size_t>(got);
  }
  return true;
}

template <typename T>
bool writeAll(int file, const T& value) {
  static_assert(sizeof value <= 4096, "a pipe takes it whole");
  return ::write(file, &value, sizeof value) == static_cast<ssize_t>(sizeof value);
}

double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

double timed(const std::function<void()>& run, long runs) {
  double start = now();
  for (long i = 0; i < runs; ++i) run();
  return now() - start;
}

double cpuSeconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// How many runs take `seconds`: doubled until they do a good part of it.
long calibrate(const std::function<void()>& run, double seconds) {
  for (long runs = 1;; runs *= 2) {
    double taken = timed(run, runs);
    if (taken * 4 >= seconds || runs > (1L << 40))
      return std::max(1L,
                      static_cast<long>(std::ceil(static_cast<double>(runs) * seconds / taken)));
  }
}

constexpr double kWholeCpu = 0.98;
constexpr int kMostRepeats = 3;

}  // namespace

int idlestCpu() {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return -1;
  int best = -1;
  double most = -1;
  // The last ones first: the first is where interrupts go.
  for (int cpu = CPU_SETSIZE; cpu-- > 0;) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (::sched_setaffinity(0, sizeof one, &one) != 0) continue;
    double start = now(), busy = cpuSeconds();
    while (now() - start < 0.03) {
    }
    double share = (cpuSeconds() - busy) / (now() - start);
    if (share > most + 0.02) most = share, best = cpu;
    if (most > kWholeCpu) break;
  }
  ::sched_setaffinity(0, sizeof allowed, &allowed);
  return best;
}

Result<Worker> Worker::start(const WorkerOptions& options,
                             const std::function<Result<Load>()>& load) {
  int down[2], up[2];
  if (::pipe(down) != 0) return Reason{"cannot make a pipe"};
  if (::pipe(up) != 0) {
    ::close(down[0]), ::close(down[1]);
    return Reason{"cannot make a pipe"};
  }
  Worker worker;
  if (options.outputBytes) {
    void* memory = ::mmap(nullptr, options.outputBytes, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) worker.shared_ = memory, worker.sharedBytes_ = options.outputBytes;
  }
  worker.pid_ = ::fork();
  if (worker.pid_ == 0) {
    ::close(down[1]), ::close(up[0]);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
    for (const auto& [name, value] : options.environment) ::setenv(name.c_str(), value.c_str(), 1);
    if (options.cpu >= 0) {
      cpu_set_t set;
      CPU_ZERO(&set);
      CPU_SET(options.cpu, &set);
      ::sched_setaffinity(0, sizeof set, &set);
    }
    Result<Load> loaded = load();
    Reply first;
    first.failed = !loaded;
    if (!loaded) std::snprintf(first.text, sizeof first.text, "%s", loaded.reason().c_str());
    if (!writeAll(up[1], first) || !loaded) ::_exit(0);
    long runs = 0;
    auto sampled = [](const std::function<void()>& run, long count) {
      double cpu = cpuSeconds(), taken = timed(run, count);
      Reply reply;
      reply.runs = count;
      reply.seconds = taken / static_cast<double>(count);
      reply.share = std::min(1.0, (cpuSeconds() - cpu) / taken);
      return reply;
    };
    for (Command command; readAll(down[0], command);) {
      Reply reply;
      if (command.what == 'o') {
        if (options.reset) options.reset();
        reply.seconds = timed(loaded->run, 1);
        if (worker.shared_) std::memcpy(worker.shared_, options.output, options.outputBytes);
      } else if (command.what == 'd') {
        std::snprintf(reply.text, sizeof reply.text, "%s", loaded->describe().c_str());
      } else {
        // What ran before has the caches; and where it is short, clocks and predictors take a
        // while.
        if (!runs) runs = calibrate(loaded->run, command.value);
        double warm = now();
        do loaded->run();
        while (now() - warm < std::min(command.value / 4, 0.005));
        reply = sampled(loaded->run, runs);
        for (int again = 0; again < kMostRepeats && reply.share < kWholeCpu; ++again)
          if (Reply other = sampled(loaded->run, runs); other.share > reply.share) reply = other;
      }
      if (!writeAll(up[1], reply)) break;
    }
    ::_exit(0);
  }
  ::close(down[0]), ::close(up[1]);
  worker.to_ = down[1], worker.from_ = up[0];
  if (worker.pid_ < 0) return Reason{"cannot start a process"};
  Reply reply;
  if (!readAll(worker.from_, reply)) return Reason{"it crashed while it was loaded"};
  if (reply.failed) return Reason{reply.text};
  return Result<Worker>(std::move(worker));
}

Worker::Worker(Worker&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      to_(std::exchange(other.to_, -1)),
      from_(std::exchange(other.from_, -1)),
      shared_(std::exchange(other.shared_, nullptr)),
      sharedBytes_(other.sharedBytes_) {}

Worker::~Worker() {
  if (to_ >= 0) ::close(to_);
  if (from_ >= 0) ::close(from_);
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  releaseOutput();
}

void Worker::releaseOutput() {
  if (shared_) ::munmap(shared_, sharedBytes_);
  shared_ = nullptr;
}

Result<Worker::Reply> Worker::ask(char command, double value) {
  Reply reply;
  void (*before)(int) = ::signal(SIGPIPE, SIG_IGN);
  bool good = writeAll(to_, Command{command, value}) && readAll(from_, reply);
  ::signal(SIGPIPE, before);
  if (!good) return Reason{"it crashed"};
  return reply;
}

Result<double> Worker::runOnce() {
  auto reply = ask('o', 0);
  if (!reply) return Reason{reply.reason()};
  return reply->seconds;
}

Result<std::string> Worker::describe() {
  auto reply = ask('d', 0);
  if (!reply) return Reason{reply.reason()};
  return std::string(reply->text);
}

Result<Sample> Worker::sample(double seconds) {
  auto reply = ask('s', seconds);
  if (!reply) return Reason{reply.reason()};
  return Sample{reply->seconds, reply->runs, reply->share};
}

}  // namespace einc::bench
