# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The C++ rules for Einc's own code: Bazel's, in C++20 whatever the workspace around us compiles as.

Warnings and optimisation are not here but in .bazelrc, as they are nobody's business when another workspace
builds Einc as a tool.
"""

load("@rules_cc//cc:defs.bzl", _cc_binary = "cc_binary", _cc_library = "cc_library", _cc_test = "cc_test")

_CXX20 = ["-std=c++20"]

def _options(srcs, copts):
    is_c = [src for src in srcs if src.endswith(".c")]
    return copts if is_c else _CXX20 + copts

def cc_library(name, srcs = [], copts = [], **kwargs):
    """A cc_library in C++20, or in C where its sources are C."""
    _cc_library(name = name, srcs = srcs, copts = _options(srcs, copts), **kwargs)

def cc_binary(name, srcs = [], copts = [], **kwargs):
    """A cc_binary in C++20, or in C where its sources are C."""
    _cc_binary(name = name, srcs = srcs, copts = _options(srcs, copts), **kwargs)

def cc_test(name, srcs = [], copts = [], size = "small", **kwargs):
    """A cc_test in C++20, or in C where its sources are C; small unless it says otherwise."""
    _cc_test(name = name, srcs = srcs, copts = _options(srcs, copts), size = size, **kwargs)

def cc_fuzz_test(name, srcs, corpus = [], runs = 20000, max_len = 4096, args = [], tags = [], **kwargs):
    """A libFuzzer target as a test: the corpus, then `runs` mutations of it, from a fixed seed.

    Only --config=fuzz runs these, as without instrumentation libFuzzer is blind; tools/test does so.
    tools/test --long gives each minutes (of two equal flags, libFuzzer takes the last).

    Args:
      name: the name of the test.
      srcs: sources, among them the one that defines LLVMFuzzerTestOneInput.
      corpus: files to begin with.
      runs: how many inputs to try.
      max_len: the longest input to make, in bytes.
      args: further flags for libFuzzer.
      tags: further tags.
      **kwargs: what cc_test takes.
    """
    seeds = ["-seed_inputs=" + ",".join(["$(location %s)" % file for file in corpus])] if corpus else []
    cc_test(
        name = name,
        srcs = srcs,
        args = [
            "-seed=1",
            "-runs=%d" % runs,
            "-max_len=%d" % max_len,
            "-timeout=10",
            "-rss_limit_mb=2048",
        ] + seeds + args,
        data = corpus,
        linkopts = ["-fsanitize=fuzzer"],
        tags = tags + ["fuzz"],
        **kwargs
    )
