# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The repositories that Einc needs, none of them from the network.

A workspace that uses a checkout of Einc says, in its WORKSPACE:

    local_repository(name = "einc", path = "/where/einc/is")
    load("@einc//tools:repositories.bzl", "einc_repositories")
    einc_repositories()

One that uses an einc that is installed says the same with the path /usr/share/einc/bazel.

A repository that the workspace has already declared under the same name is left alone.
"""

load("//tools/bazel:common.bzl", "common_repositories")

def _debian_llvm_impl(ctx):
    root = ctx.path(ctx.attr.path)
    needed = "lib/libLLVMSupport.a"
    if not ctx.path("%s/%s" % (root, needed)).exists:
        fail("%s/%s is missing: apt-get install %s" % (root, needed, ctx.attr.package))
    for folder in ["include", "lib"]:
        ctx.symlink(root.get_child(folder), folder)
    ctx.symlink(ctx.attr.build_file, "BUILD.bazel")

_debian_llvm = repository_rule(
    doc = "The static LLVM libraries of Debian, as a repository.",
    implementation = _debian_llvm_impl,
    attrs = {
        "build_file": attr.label(mandatory = True),
        "package": attr.string(mandatory = True),
        "path": attr.string(mandatory = True),
    },
    local = True,
)

def _debian_mpi_impl(ctx):
    lib, mpi, scalapack = "/usr/lib", "\":missing\"", "\":missing\""
    for machine in ["x86_64", "aarch64"]:
        libraries = ctx.path("/usr/lib/%s-linux-gnu" % machine)
        root = libraries.get_child("openmpi")
        if root.get_child("include").get_child("mpi.h").exists:
            ctx.symlink(root.get_child("include"), "include")
            lib, mpi = str(root.get_child("lib")), ""
        if libraries.get_child("libscalapack-openmpi.so").exists:
            scalapack = ""
    ctx.template("BUILD.bazel", ctx.attr.build_file, {"%{lib}": lib, "%{mpi}": mpi, "%{scalapack}": scalapack})

_debian_mpi = repository_rule(
    doc = "Open MPI and ScaLAPACK of Debian, as a repository, also where they are not installed.",
    implementation = _debian_mpi_impl,
    attrs = {"build_file": attr.label(mandatory = True)},
    local = True,
)

def einc_repositories():
    """Declares the repositories that Einc loads from, and has its programs built for the rules."""
    _debian_llvm(
        name = "einc_llvm",
        build_file = Label("//tools/bazel:llvm.BUILD"),
        package = "llvm-19-dev",
        path = "/usr/lib/llvm-19",
    )
    _debian_mpi(
        name = "einc_mpi",
        build_file = Label("//tools/bazel:mpi.BUILD"),
    )
    common_repositories()
    native.register_toolchains("@einc//tools:built")
