# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""precompiled_header: system headers in Clang's precompiled form, which the rules of cc.bzl put before their sources.

Reading the standard library is a third of the time that it takes to compile most of our files.
"""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

# A header of the C library that declares nothing: something has to be the file that is compiled.
_NOTHING = "/usr/include/stdc-predef.h"

def _precompiled_header_impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    output = ctx.actions.declare_file(ctx.label.name + ".pch")
    action = "c++-compile"
    variables = cc_common.create_compile_variables(
        cc_toolchain = toolchain,
        feature_configuration = features,
        output_file = output.path,
        source_file = _NOTHING,
        use_pic = True,  # .bazelrc has all objects so
        user_compile_flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts + ctx.attr.copts,
    )
    flags = cc_common.get_memory_inefficient_command_line(
        action_name = action,
        feature_configuration = features,
        variables = variables,
    )

    # As for any source, but for its language. No file of ours is named in it: a sandbox has each somewhere else.
    arguments = ["-x", "c++-header", "-Xclang", "-fno-pch-timestamp"]
    for name in ctx.attr.headers:
        arguments += ["-include", name]
    ctx.actions.run(
        arguments = arguments + flags,
        env = cc_common.get_environment_variables(
            action_name = action,
            feature_configuration = features,
            variables = variables,
        ),
        executable = cc_common.get_tool_for_action(action_name = action, feature_configuration = features),
        inputs = toolchain.all_files,
        mnemonic = "PrecompileHeader",
        outputs = [output],
        progress_message = "Precompiling %s" % ctx.label,
    )
    return [
        DefaultInfo(files = depset([output])),
        CcInfo(compilation_context = cc_common.create_compilation_context(headers = depset([output]))),
    ]

precompiled_header = rule(
    implementation = _precompiled_header_impl,
    attrs = {
        "copts": attr.string_list(doc = "what the files that use it are compiled with"),
        "headers": attr.string_list(mandatory = True),
        "_cc_toolchain": attr.label(default = Label("@bazel_tools//tools/cpp:current_cc_toolchain")),
    },
    fragments = ["cpp"],
    incompatible_use_toolchain_transition = True,
    provides = [CcInfo],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)
