# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The repositories that Einc needs, none of them from the network.

A workspace that uses Einc says, in its WORKSPACE:

    local_repository(name = "einc", path = "/where/einc/is")
    load("@einc//tools:repositories.bzl", "einc_repositories")
    einc_repositories()

A repository that the workspace has already declared under the same name is left alone.
"""

def _shim_impl(ctx):
    folder = ctx.path(ctx.attr.build_file).dirname
    for entry in folder.readdir():
        ctx.symlink(entry, entry.basename)

_shim = repository_rule(
    doc = "A repository that is one folder of Einc; a local_repository whose path is a label.",
    implementation = _shim_impl,
    attrs = {"build_file": attr.label(mandatory = True)},
    local = True,
)

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

def einc_repositories():
    """Declares the repositories that Einc, and Bazel 4.2.3 without a network, load from."""
    existing = native.existing_rules()

    _debian_llvm(
        name = "einc_llvm",
        build_file = Label("//tools/bazel:llvm.BUILD"),
        package = "llvm-19-dev",
        path = "/usr/lib/llvm-19",
    )

    # Debian's bazel-rules-cc does not load in Bazel 4.2.3.
    if "rules_cc" not in existing:
        _shim(name = "rules_cc", build_file = Label("//tools/bazel/rules_cc:BUILD.bazel"))

    # Every test asks for the coverage tools, also where none is measured.
    if "remote_coverage_tools" not in existing:
        _shim(name = "remote_coverage_tools", build_file = Label("//tools/bazel/remote_coverage_tools:BUILD.bazel"))

    for language in ["java", "proto"]:
        if "rules_" + language not in existing:
            native.local_repository(name = "rules_" + language, path = "/usr/share/bazel/rules/" + language)
