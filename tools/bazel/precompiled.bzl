# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""precompiled_header: headers in Clang's precompiled form, which the rules of cc.bzl put before their sources.

Reading headers is half of the time that it takes to compile most of our files: the standard library's, then those
of the IR and of the strategy's steps, each on top of what is compiled already.
"""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

# A header of the C library that declares nothing: something has to be the file that is compiled.
_NOTHING = "/usr/include/stdc-predef.h"

# What is compiled on top of a header has its flags.
_Flags = provider(fields = ["copts"])

def _precompiled_header_impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    own = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps]).compilation_context
    base = ctx.attr.base[CcInfo].compilation_context.headers if ctx.attr.base else depset()
    copts = ctx.attr.base[_Flags].copts if ctx.attr.base else ctx.attr.copts
    output = ctx.actions.declare_file(ctx.label.name + ".pch")
    action = "c++-compile"
    variables = cc_common.create_compile_variables(
        cc_toolchain = toolchain,
        feature_configuration = features,
        output_file = output.path,
        source_file = _NOTHING,
        quote_include_directories = own.quote_includes,
        system_include_directories = own.system_includes,
        use_pic = True,  # .bazelrc has all objects so
        user_compile_flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts + copts,
    )
    flags = cc_common.get_memory_inefficient_command_line(
        action_name = action,
        feature_configuration = features,
        variables = variables,
    )

    # As for any source, but for its language.
    arguments = ["-x", "c++-header", "-Xclang", "-fno-pch-timestamp"]
    if ctx.attr.base:
        arguments += ["-include-pch", ctx.file.base.path]
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
        # It names files of ours by where they are: not in a sandbox, and not on another machine.
        execution_requirements = {"no-cache": "1", "no-sandbox": "1"} if ctx.attr.deps else {},
        inputs = depset(transitive = [base, own.headers, toolchain.all_files]),
        mnemonic = "PrecompileHeader",
        outputs = [output],
        progress_message = "Precompiling %s" % ctx.label,
    )
    return [
        DefaultInfo(files = depset([output])),
        CcInfo(compilation_context = cc_common.create_compilation_context(
            headers = depset([output], transitive = [base]),
        )),
        _Flags(copts = copts),
    ]

precompiled_header = rule(
    implementation = _precompiled_header_impl,
    attrs = {
        "base": attr.label(allow_single_file = True, doc = "one that comes before", providers = [CcInfo, _Flags]),
        "copts": attr.string_list(doc = "what the files that use it are compiled with; with a base, that says it"),
        "deps": attr.label_list(doc = "libraries that have the headers of ours", providers = [CcInfo]),
        "headers": attr.string_list(mandatory = True),
        "_cc_toolchain": attr.label(default = Label("@bazel_tools//tools/cpp:current_cc_toolchain")),
    },
    fragments = ["cpp"],
    incompatible_use_toolchain_transition = True,
    provides = [CcInfo],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)
