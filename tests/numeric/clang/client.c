// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Has the compiler of its own name, clang-19 or clang++-19, run by the server (server.c), with our
// arguments, environment, folder and files; where there is none, runs it itself.
#define _GNU_SOURCE
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/numeric/clang/request.h"

// A connection, or -1.
static int reach(const char* name) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const size_t length = name ? strlen(name) : 0;
  if (length == 0 || length >= sizeof address.sun_path) return -1;
  memcpy(address.sun_path + 1, name, length);
  const int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
  return server < 0 || connect(server, (struct sockaddr*)&address, size) == 0 ? server : -1;
}

// The strings of a request, which begin with a folder.
static char* strings(const char* folder, char** argv, struct Request* request) {
  char* text = NULL;
  size_t size = 0;
  FILE* file = open_memstream(&text, &size);
  if (!file) return NULL;
  fwrite(folder, 1, strlen(folder) + 1, file);
  for (char** next = argv; *next; ++next, ++request->arguments)
    fwrite(*next, 1, strlen(*next) + 1, file);
  for (char** next = environ; *next; ++next, ++request->variables)
    fwrite(*next, 1, strlen(*next) + 1, file);
  if (fclose(file) != 0) return NULL;
  request->bytes = (uint32_t)size;
  return text;
}

static int sendAll(int server, const struct Request* request, const char* text) {
  struct iovec parts[] = {{(void*)request, sizeof *request}, {(void*)text, request->bytes}};
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int[3]))];
  } control = {.header = {CMSG_LEN(sizeof(int[3])), SOL_SOCKET, SCM_RIGHTS}};
  const int files[] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
  memcpy(CMSG_DATA(&control.header), files, sizeof files);
  struct msghdr message = {
      .msg_iov = parts, .msg_iovlen = 2, .msg_control = &control, .msg_controllen = sizeof control};
  return sendmsg(server, &message, MSG_NOSIGNAL) == (ssize_t)(sizeof *request + request->bytes);
}

int main(int argc, char** argv) {
  (void)argc;
  const char* slash = strrchr(argv[0], '/');
  argv[0] += slash ? slash + 1 - argv[0] : 0;
  struct Request request = {0, 0, 0};
  char folder[4096];
  const int server = reach(getenv(EINC_CLANG_SERVER));
  char* text =
      server < 0 || !getcwd(folder, sizeof folder) ? NULL : strings(folder, argv, &request);
  if (!text || !sendAll(server, &request, text)) {
    snprintf(folder, sizeof folder, "/usr/bin/%s", argv[0]);  // PATH finds us
    execv(folder, argv);
    perror(folder);
    return EXIT_FAILURE;
  }
  // The end of what it says is the end of the process, and all is written then.
  unsigned char code = 0, last = 0;
  if (read(server, &code, 1) == 1) return read(server, &last, 1) == 0 ? code : EXIT_FAILURE;
  fprintf(stderr, "%s ended without an exit code\n", argv[0]);
  return EXIT_FAILURE;
}
