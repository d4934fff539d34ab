# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Rules that run Einc in a build: kernels (einc_library, einc_shader_library) and MLIR op definitions (einc_ods, genlinalg).

    load("@einc//tools:einc.bzl", "einc_library")

    einc_library(
        name = "kernels",
        srcs = ["matmul.tc"],
    )

    cc_binary(
        name = "app",
        srcs = ["app.c"],  # #include "kernels.h", or "path/to/package/kernels.h"
        deps = [":kernels"],
    )

//tools:repositories.bzl says what the WORKSPACE needs.
"""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")
load("@rules_cc//cc:defs.bzl", "cc_library")

# Whose toolchains have the programs: toolchain.bzl.
_PROGRAMS = "@einc//tools:toolchain_type"

EincInfo = provider(
    doc = "A library that einc_library generated.",
    fields = {
        "header": "File: NAME.h, for C and C++",
        "manifest": "File: NAME.json, what the library holds and how it was made",
        "names": "File: NAME.map, the linker's script by which a shared library shows the kernels alone",
        "sources": "list of File: NAME.c, and for CPUs a folder with a file for each def",
        "specs": "depset of File: the specs it was generated from",
    },
)

# A kernel computes what its spec says up to the order of sums; a contraction the compiler makes on
# its own would change that from one machine to the next.
# Optimised also where the workspace builds for debugging: nobody steps through a kernel.
_KERNEL_COPTS = [
    "-O2",
    "-std=c99",
    "-fPIC",  # the archive may go into a shared library
    "-ffp-contract=off",
]

def _generate(ctx):
    """Runs `einc build --sources-only`; returns an EincInfo."""
    source, header, manifest, names, listing = [
        ctx.actions.declare_file(ctx.label.name + extension)
        for extension in [".c", ".h", ".json", ".map", ".bzl"]
    ]

    # A file for each def: Bazel compiles those that have changed.
    sources = [source]
    if not ctx.attr.on_device:
        sources.append(ctx.actions.declare_directory(ctx.label.name))
    args = ctx.actions.args()
    args.use_param_file("@%s")
    args.set_param_file_format("shell")
    args.add("build")
    args.add("--sources-only")
    args.add("--name", ctx.label.name)
    args.add("-o", header.dirname)
    args.add_all(ctx.attr.defs, before_each = "--def")
    for flag, settings in [("--dim", ctx.attr.dims), ("--attr", ctx.attr.attrs), ("--type", ctx.attr.types)]:
        args.add_all(["%s=%s" % setting for setting in settings.items()], before_each = flag)
    args.add_joined(ctx.attr.targets, join_with = ",", format_joined = "--target=%s")
    if ctx.attr.threads != 1:
        args.add("--threads=%d" % ctx.attr.threads)
    if ctx.attr.fp:
        args.add("--fp=" + ctx.attr.fp)
    if ctx.attr.export:
        args.add("--export=" + ctx.attr.export)
    if ctx.attr.lib:
        args.add("--lib=" + ctx.attr.lib)
    if ctx.attr.strides:
        args.add("--strides=" + ctx.attr.strides)
    if ctx.attr.align:
        args.add("--align=%d" % ctx.attr.align)
    for flag, file in [("--schedule", ctx.file.schedule), ("--tuning", ctx.file.tuning)]:
        if file:
            args.add(file, format = flag + "=%s")
    if ctx.attr.prefix:
        args.add("--prefix", ctx.attr.prefix)
    args.add_all(ctx.files.srcs)
    ctx.actions.run(
        arguments = [args],
        executable = ctx.toolchains[_PROGRAMS].einc,
        inputs = ctx.files.srcs + ctx.files.schedule + ctx.files.tuning,
        mnemonic = "EincBuild",
        outputs = sources + [header, manifest, names, listing],
        progress_message = "Generating kernels %s" % ctx.label,
    )
    return EincInfo(
        header = header,
        manifest = manifest,
        names = names,
        sources = sources,
        specs = depset(ctx.files.srcs),
    )

def _compile(ctx, kernels):
    """Compiles and links the kernels with the toolchain of the user; returns (CcInfo, archives, shared library)."""
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    deps = [dep[CcInfo] for dep in ctx.attr.deps]
    openmp = ["-fopenmp"] if ctx.attr.threads != 1 else []
    compilation_context, objects = cc_common.compile(
        actions = ctx.actions,
        cc_toolchain = toolchain,
        compilation_contexts = [dep.compilation_context for dep in deps],
        feature_configuration = features,
        name = ctx.label.name,
        public_hdrs = [kernels.header],
        # "NAME.h"; that "path/to/package/NAME.h" is found too is Bazel's habit.
        quote_includes = [kernels.header.dirname],
        srcs = kernels.sources,
        user_compile_flags = _KERNEL_COPTS + openmp + ctx.attr.copts,
    )
    linking_context, linked = cc_common.create_linking_context_from_compilation_outputs(
        actions = ctx.actions,
        cc_toolchain = toolchain,
        compilation_outputs = objects,
        disallow_dynamic_library = True,
        feature_configuration = features,
        linking_contexts = [dep.linking_context for dep in deps],
        name = ctx.label.name,
        user_link_flags = ["-lm"] + openmp,
    )
    library = linked.library_to_link
    archives = [file for file in [library.static_library, library.pic_static_library] if file]
    return (
        CcInfo(compilation_context = compilation_context, linking_context = linking_context),
        archives,
        _link_shared(ctx, kernels, archives[-1], toolchain, features, deps, openmp),
    )

def _link_shared(ctx, kernels, archive, toolchain, features, deps, openmp):
    """libNAME.so of the archive, all of it: objects that nobody refers to are left out of a list that Bazel makes."""
    whole = cc_common.create_library_to_link(
        actions = ctx.actions,
        alwayslink = True,
        cc_toolchain = toolchain,
        feature_configuration = features,
        pic_static_library = archive,
    )
    inputs = cc_common.create_linker_input(libraries = depset([whole]), owner = ctx.label)
    own = cc_common.create_linking_context(linker_inputs = depset([inputs]))
    shared = cc_common.link(
        actions = ctx.actions,
        additional_inputs = [kernels.names],
        cc_toolchain = toolchain,
        feature_configuration = features,
        linking_contexts = [own] + [dep.linking_context for dep in deps],
        name = ctx.label.name,
        output_type = "dynamic_library",
        # Of its own names it takes those of nobody else; but for threads, which a program may bring.
        user_link_flags = ["-Wl,--version-script=" + kernels.names.path, "-lm"] + (openmp or ["-Wl,-Bsymbolic"]),
    )
    return shared.library_to_link.resolved_symlink_dynamic_library

def _einc_library_impl(ctx):
    kernels = _generate(ctx)
    cc_info, archives, shared = _compile(ctx, kernels)
    files = archives + [kernels.header, kernels.manifest]
    return [
        DefaultInfo(
            data_runfiles = ctx.runfiles(files = files),
            files = depset(files),
        ),
        OutputGroupInfo(
            header = depset([kernels.header]),
            library = depset(archives),
            manifest = depset([kernels.manifest]),
            shared = depset([shared]),
            source = depset(kernels.sources),
        ),
        cc_info,
        kernels,
    ]

_einc_library = rule(
    doc = "See the macro einc_library, which writes its dictionaries.",
    implementation = _einc_library_impl,
    attrs = {
        "align": attr.int(),
        "attrs": attr.string_dict(),
        "copts": attr.string_list(),
        "defs": attr.string_list(),
        "deps": attr.label_list(providers = [CcInfo]),
        "dims": attr.string_dict(),
        "export": attr.string(values = [
            "",
            "cblas",
        ]),
        "fp": attr.string(values = [
            "",
            "strict",
        ]),
        "lib": attr.string(values = [
            "",
            "none",
            "cblas",
            "blis",
            "auto",
        ]),
        "on_device": attr.bool(),
        "prefix": attr.string(),
        "schedule": attr.label(allow_single_file = True),
        "srcs": attr.label_list(
            allow_empty = False,
            allow_files = [".tc"],
            mandatory = True,
        ),
        "strides": attr.string(values = [
            "",
            "contiguous",
        ]),
        "targets": attr.string_list(),
        "threads": attr.int(default = 1),
        "tuning": attr.label(allow_single_file = [".json"]),
        "types": attr.string_dict(),
        "_cc_toolchain": attr.label(default = Label("@bazel_tools//tools/cpp:current_cc_toolchain")),
    },
    fragments = ["cpp"],
    incompatible_use_toolchain_transition = True,
    provides = [CcInfo, EincInfo],
    toolchains = [
        "@bazel_tools//tools/cpp:toolchain_type",
        _PROGRAMS,
    ],
)

def _attribute_texts(attrs):
    return {
        key: ",".join([str(item) for item in value]) if type(value) == "list" else str(value)
        for key, value in attrs.items()
    }

def einc_library(name, srcs, dims = {}, attrs = {}, **kwargs):
    """A cc_library of kernels, generated from specs.

    It is linked statically; libNAME.so, which shows the kernels alone, is its output group `shared`:

        filegroup(name = "dense_so", srcs = [":dense"], output_group = "shared")

    Args:
      name: the library, its header NAME.h and its manifest NAME.json.
      srcs: the specs, .tc files.
      dims: sizes to fix, e.g. {"M": 8}.
      attrs: attributes to fix, e.g. {"strides": [2, 2]}.
      **kwargs: `defs`, the defs to take, all if none is named; `types`, type parameters to fix, e.g. {"T": "f32"};
        `prefix`, put before each exported name; `targets`, machines to compile for; `threads`, how many a kernel may use,
        through OpenMP (1 unless given); `fp`, "strict" to keep the order of sums; `strides`, "contiguous" if tensors are
        promised to be so along their last dimensions; `align`, how many bytes their data is promised to be aligned to;
        `lib`, "cblas" or "blis" to call that library where it can, which is then among the `deps`, or "auto" for what
        `tuning`, a file that `einc tune` wrote, says is faster; `schedule`, a file of settings; `export`, "cblas" to
        give kernels the names of its functions, too; `deps`, further C libraries; `copts`, flags for compiling the
        kernels; and what every rule takes.
    """
    _einc_library(
        name = name,
        srcs = srcs,
        attrs = _attribute_texts(attrs),
        dims = {key: str(value) for key, value in dims.items()},
        **kwargs
    )

def einc_shader_library(name, srcs, target = "vulkan", dims = {}, attrs = {}, deps = [], **kwargs):
    """A cc_library of kernels that run on a Vulkan device, generated from specs.

    NAME.h says how they are called. What they need of Einc's runtime comes with them; Vulkan itself is opened when a
    program runs.

    Args:
      name: the library, its header NAME.h and its manifest NAME.json.
      srcs: the specs, .tc files.
      target: the kind of device.
      dims: sizes to fix, e.g. {"M": 8}.
      attrs: attributes to fix, e.g. {"strides": [2, 2]}.
      deps: further C libraries.
      **kwargs: `defs`, `types`, `prefix`, `fp`, `schedule` and `copts` as for einc_library; and what every rule takes.
    """
    _einc_library(
        name = name,
        srcs = srcs,
        attrs = _attribute_texts(attrs),
        deps = deps + [Label("//runtime/vulkan")],
        dims = {key: str(value) for key, value in dims.items()},
        on_device = True,
        targets = [target],
        **kwargs
    )

def _linalggen_impl(ctx):
    out = ctx.outputs.out
    args = ctx.actions.args()
    has_output = False
    for option in ctx.attr.opts:
        if "$@" in option:
            args.add(out, format = option.replace("%", "%%").replace("$@", "%s"))
            has_output = True
        else:
            args.add(option)
    args.add(ctx.file.src)
    if not has_output:
        args.add("-o", out)
    ctx.actions.run(
        arguments = [args],
        executable = ctx.executable.linalggen or ctx.toolchains[_PROGRAMS].ods_gen,
        inputs = [ctx.file.src],
        mnemonic = "EincOds",
        outputs = [out],
        progress_message = "Generating op definitions %s" % out.short_path,
    )
    return [DefaultInfo(files = depset([out]))]

_linalggen = rule(
    doc = "One run of einc-ods-gen, or of a tool with its command line.",
    implementation = _linalggen_impl,
    attrs = {
        "linalggen": attr.label(
            allow_files = True,
            cfg = "host",
            executable = True,
        ),
        "opts": attr.string_list(doc = "flags; $@ in one stands for the output"),
        "out": attr.output(mandatory = True),
        "src": attr.label(
            allow_single_file = [".tc"],
            mandatory = True,
        ),
    },
    incompatible_use_toolchain_transition = True,
    toolchains = [_PROGRAMS],
)

def genlinalg(name, src, linalg_outs = [], tbl_outs = [], linalggen = None, **kwargs):
    """MLIR op definitions from a spec, called as the macro of that name in MLIR's BUILD files was.

    Args:
      name: a cc_library with the outputs as textual headers.
      src: the spec, a .tc file.
      linalg_outs: pairs (flags, output), e.g. [("-gen-impl -o=$@", "Ops.cpp.inc")].
      tbl_outs: more of the same.
      linalggen: the tool, einc-ods-gen unless given.
      **kwargs: what every rule takes.
    """
    outs = []
    for index, (opts, out) in enumerate(linalg_outs + tbl_outs):
        outs.append(out)
        _linalggen(
            name = "%s_%d" % (name, index),
            linalggen = linalggen,
            opts = [option for option in opts.split(" ") if option],
            out = out,
            src = src,
            **kwargs
        )
    cc_library(name = name, textual_hdrs = outs, **kwargs)

def einc_ods(name, src, td = None, impl = None, **kwargs):
    """MLIR op definitions from a spec: NAME.td and NAME.cpp.inc.

    Args:
      name: a cc_library with both as textual headers.
      src: the spec, a .tc file.
      td: the name of the op declarations, if not NAME.td.
      impl: the name of the op methods, if not NAME.cpp.inc.
      **kwargs: what every rule takes.
    """
    genlinalg(
        name = name,
        src = src,
        linalg_outs = [
            ("-gen-ods-decl=1", td or name + ".td"),
            ("-gen-impl=1", impl or name + ".cpp.inc"),
        ],
        **kwargs
    )
