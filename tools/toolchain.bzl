# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The programs that the rules of einc.bzl run, as a toolchain.

repositories.bzl registers one: in a checkout the programs that Bazel builds there, in a package those that are
installed. Who has others registers another, before:

    load("@einc//tools:toolchain.bzl", "einc_toolchain")

    einc_toolchain(
        name = "own_programs",
        einc = "//path/to:einc",
        ods_gen = "//path/to:einc-ods-gen",
    )

    toolchain(
        name = "own",  # register_toolchains("//path/to:own") in the WORKSPACE
        toolchain = ":own_programs",
        toolchain_type = "@einc//tools:toolchain_type",
    )
"""

def _einc_toolchain_impl(ctx):
    return [platform_common.ToolchainInfo(
        einc = ctx.attr.einc[DefaultInfo].files_to_run,
        ods_gen = ctx.attr.ods_gen[DefaultInfo].files_to_run,
    )]

einc_toolchain = rule(
    implementation = _einc_toolchain_impl,
    attrs = {
        "einc": attr.label(
            allow_files = True,
            cfg = "host",
            executable = True,
            mandatory = True,
        ),
        "ods_gen": attr.label(
            allow_files = True,
            cfg = "host",
            executable = True,
            mandatory = True,
        ),
    },
)
