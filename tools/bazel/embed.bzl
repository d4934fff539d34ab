# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""embed_text: files of text, such as the prelude of the generated C, as constants of a C++ library."""

load("//tools/bazel:cc.bzl", "cc_library")

def _embed_text_impl(ctx):
    args = ctx.actions.args()
    args.add("--namespace", ctx.attr.namespace)
    args.add("--include", "%s/%s" % (ctx.label.package, ctx.outputs.header.basename))
    args.add("--header", ctx.outputs.header)
    args.add("--source", ctx.outputs.source)
    for target, constant in ctx.attr.texts.items():
        args.add(constant)
        args.add_all(target.files)
    ctx.actions.run(
        arguments = [args],
        executable = ctx.executable._tool,
        inputs = ctx.files.texts,
        mnemonic = "EmbedText",
        outputs = [ctx.outputs.header, ctx.outputs.source],
        progress_message = "Embedding %s" % ctx.label,
    )
    return [DefaultInfo(files = depset([ctx.outputs.header, ctx.outputs.source]))]

_embed_text = rule(
    implementation = _embed_text_impl,
    attrs = {
        "header": attr.output(mandatory = True),
        "namespace": attr.string(mandatory = True),
        "source": attr.output(mandatory = True),
        "texts": attr.label_keyed_string_dict(allow_files = True, mandatory = True),
        "_tool": attr.label(
            cfg = "host",
            default = Label("//tools/bazel:embed_text"),
            executable = True,
        ),
    },
)

def embed_text(name, texts, namespace, **kwargs):
    """A cc_library whose header NAME.h declares one `extern const std::string_view` for each file.

    Args:
      name: the library, and the header without its `.h`.
      texts: file to the name of its constant, e.g. {"prelude/status.h": "kStatusPrelude"}.
      namespace: the C++ namespace of the constants, e.g. "einc::emit".
      **kwargs: what cc_library takes.
    """
    _embed_text(
        name = name + "_text",
        testonly = kwargs.get("testonly", False),
        header = name + ".h",
        namespace = namespace,
        source = name + ".cpp",
        texts = texts,
    )
    cc_library(
        name = name,
        srcs = [name + ".cpp"],
        hdrs = [name + ".h"],
        **kwargs
    )
