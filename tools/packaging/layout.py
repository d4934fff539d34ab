# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Where things go below a prefix: in a tarball, and in a Debian package, whose prefix is /usr."""

import dataclasses
import os


@dataclasses.dataclass(frozen=True)
class Layout:
    name: str
    lib: str  # libraries, with cmake/ and pkgconfig/ in it
    zsh: str
    compressed: bool  # manual pages
    prefix: str  # what einc.pc says

    def up(self, folder):
        """The way from a folder to the prefix."""
        return os.path.relpath(".", folder)


TARBALL = Layout("tarball", "lib", "share/zsh/site-functions", False, "${pcfiledir}/../..")
DEBIAN = Layout("debian", "lib/x86_64-linux-gnu", "share/zsh/vendor-completions", True, "/usr")

PYTHON = "lib/python3/dist-packages/einc"
DOC = "share/doc/einc"
BAZEL = "share/einc/bazel"

# Debian's packages whose libraries are in the programs: what has their notice, and under which name it is kept.
CONTAINED = {
    "gcc": "libstdc++-12-dev",
    "glslang": "glslang-dev",
    "gmp": "libgmp-dev",
    "isl": "libisl-dev",
    "llvm": "llvm-19-dev",
    "ncurses": "libncurses-dev",
    "spirv-cross": "libspirv-cross-c-shared-dev",
    "spirv-tools": "spirv-tools",
    "zlib": "zlib1g-dev",
}

# The repository for Bazel: a file in it, and where it is in Einc's sources.
BAZEL_FILES = {
    "BUILD.bazel": "tools/packaging/bazel/root.BUILD",
    "WORKSPACE": "tools/packaging/bazel/WORKSPACE.txt",
    "libcalls/BUILD.bazel": "tools/packaging/bazel/libcalls.BUILD",
    "libcalls/cblas/exports.tc": "libcalls/cblas/exports.tc",
    "runtime/BUILD.bazel": "tools/packaging/bazel/runtime.BUILD",
    "runtime/vulkan/BUILD.bazel": "tools/packaging/bazel/vulkan.BUILD",
    "tools/BUILD.bazel": "tools/packaging/bazel/tools.BUILD",
    "tools/bazel/BUILD.bazel": "tools/packaging/bazel/empty.BUILD",
    "tools/bazel/common.bzl": "tools/bazel/common.bzl",
    "tools/bazel/python/BUILD.bazel": "tools/bazel/python/BUILD.bazel",
    "tools/bazel/remote_coverage_tools/BUILD.bazel": "tools/bazel/remote_coverage_tools/BUILD.bazel",
    "tools/bazel/remote_coverage_tools/WORKSPACE": "tools/bazel/remote_coverage_tools/WORKSPACE",
    "tools/bazel/rules_cc/BUILD.bazel": "tools/bazel/rules_cc/BUILD.bazel",
    "tools/bazel/rules_cc/WORKSPACE": "tools/bazel/rules_cc/WORKSPACE",
    "tools/bazel/rules_cc/cc/BUILD.bazel": "tools/bazel/rules_cc/cc/BUILD.bazel",
    "tools/bazel/rules_cc/cc/defs.bzl": "tools/bazel/rules_cc/cc/defs.bzl",
    "tools/einc.bzl": "tools/einc.bzl",
    "tools/repositories.bzl": "tools/packaging/bazel/repositories.bzl",
    "tools/toolchain.bzl": "tools/toolchain.bzl",
}

HEADERS = [
    "runtime/arena.h",
    "runtime/arena.hpp",
    "runtime/dlpack.h",
    "runtime/dlpack.hpp",
    "runtime/layout.h",
    "runtime/memref.h",
    "runtime/memref.hpp",
    "runtime/result.hpp",
    "runtime/status.def",
    "runtime/status.h",
    "runtime/threads.h",
    "runtime/vulkan/status.def",
    "runtime/vulkan/vk.h",
]

CMAKE = [
    "tools/cmake/EincConfig.cmake",
    "tools/cmake/EincConfigVersion.cmake",
    "tools/cmake/EincLibrary.cmake",
]
