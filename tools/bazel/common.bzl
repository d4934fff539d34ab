# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The repositories that Bazel 4.2.3 loads from without a network, whoever uses it."""

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

def common_repositories():
    """Declares those that the workspace has not declared yet."""
    existing = native.existing_rules()

    # Debian's bazel-rules-cc does not load in Bazel 4.2.3.
    if "rules_cc" not in existing:
        _shim(name = "rules_cc", build_file = Label("//tools/bazel/rules_cc:BUILD.bazel"))

    # Every test asks for the coverage tools, also where none is measured.
    if "remote_coverage_tools" not in existing:
        _shim(name = "remote_coverage_tools", build_file = Label("//tools/bazel/remote_coverage_tools:BUILD.bazel"))

    for language in ["java", "proto"]:
        if "rules_" + language not in existing:
            native.local_repository(name = "rules_" + language, path = "/usr/share/bazel/rules/" + language)
