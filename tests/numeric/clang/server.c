// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Clang, started once for many compilations. Most of the 30 ms that a small file takes is spent
// before main: in loading LLVM's libraries, and in writing addresses into 3000 of their pages. This
// library is loaded into Clang (LD_PRELOAD), and called in place of the C library's start of main.
// It forks for each request, and only the child goes on to main.
//
//   LD_PRELOAD=server.so clang-19 LISTENER
//
// LISTENER is a listening socket that Clang inherits. The server ends when its standard input does:
// with the test that has started it. client.c sends the requests.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/numeric/clang/request.h"

typedef int Main(int argc, char** argv, char** environment);
typedef int Start(Main*, int argc, char** argv, void (*init)(void), void (*fini)(void),
                  void (*rtldFini)(void), void* stackEnd);

static Main* compile;
static int client;

// The client takes this for an exit code, and nothing for a crash.
static int compileAndAnswer(int argc, char** argv, char** environment) {
  const unsigned char code = (unsigned char)compile(argc, argv, environment);
  return write(client, &code, 1) == 1 ? code : EXIT_FAILURE;
}

// The client's files become ours. Its strings, or null.
static char* receive(struct Request* request) {
  struct iovec whole = {request, sizeof *request};
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int[3]))];
  } control;
  struct msghdr message = {.msg_iov = &whole,
                           .msg_iovlen = 1,
                           .msg_control = &control,
                           .msg_controllen = sizeof control};
  if (recvmsg(client, &message, MSG_WAITALL) != (ssize_t)sizeof *request) return NULL;
  if (message.msg_controllen < CMSG_LEN(sizeof(int[3]))) return NULL;
  int files[3];
  memcpy(files, CMSG_DATA(&control.header), sizeof files);
  for (int file = 0; file < 3; ++file) {
    dup2(files[file], file);
    close(files[file]);
  }
  char* text = malloc(request->bytes);
  return text && recv(client, text, request->bytes, MSG_WAITALL) == (ssize_t)request->bytes ? text
                                                                                            : NULL;
}

int __libc_start_main(Main* main, int argc, char** argv, void (*init)(void), void (*fini)(void),
                      void (*rtldFini)(void), void* stackEnd) {
  struct pollfd watched[] = {{.fd = STDIN_FILENO},
                             {.fd = argc == 2 ? atoi(argv[1]) : -1, .events = POLLIN}};
  signal(SIGCHLD, SIG_IGN);  // nobody waits for the children
  do {
    if (poll(watched, 2, -1) < 0 || watched[0].revents) _exit(EXIT_SUCCESS);
    client = accept4(watched[1].fd, NULL, NULL, SOCK_CLOEXEC);
  } while (client < 0 || fork() != 0 ? (close(client), 1) : 0);
  signal(SIGCHLD, SIG_DFL);
  close(watched[1].fd);

  struct Request request;
  char* text = receive(&request);
  if (!text || chdir(text) != 0) _exit(EXIT_FAILURE);
  // The arguments and the environment stand one behind the other, as the kernel would have them.
  char** strings = calloc(request.arguments + request.variables + 2, sizeof *strings);
  if (!strings) _exit(EXIT_FAILURE);
  environ = strings + request.arguments + 1;
  for (uint32_t i = 0; i < request.arguments + request.variables; ++i) {
    text += strlen(text) + 1;
    strings[i < request.arguments ? i : i + 1] = text;
  }
  compile = main;
  Start* start = (Start*)dlsym(RTLD_NEXT, "__libc_start_main");
  return start(compileAndAnswer, (int)request.arguments, strings, init, fini, rtldFini, stackEnd);
}
