# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The C++ rules for Einc's own code: Bazel's, in C++20 whatever the workspace around us compiles as.

Warnings and optimisation are not here but in .bazelrc, as they are nobody's business when another workspace
builds Einc as a tool.
"""

load("@rules_cc//cc:defs.bzl", _cc_binary = "cc_binary", _cc_library = "cc_library", _cc_test = "cc_test")

CXX20 = ["-std=c++20"]

# Read once, where the compiler is the one that .bazelrc names (precompiled.bzl); with what they instantiate of their
# templates. A library may name another that has more: `precompiled`.
_STD = "//tools/bazel:std"
_STD_FOR_TESTS = "//tools/bazel:std_for_tests"
_OWN_COMPILER = "//tools/bazel:own_compiler"
_INSTANTIATED = ["-fpch-instantiate-templates"]

# Nothing of ours throws but what says so (`exceptions`): a fifth of the time of compiling, and of the code.
_NO_EXCEPTIONS = ["-fno-exceptions"]
COPTS = CXX20 + _INSTANTIATED + _NO_EXCEPTIONS

# A test's own code runs once; what it tests is compiled as ever.
TEST_COPTS = COPTS + ["-O0"]

def _compiled(srcs, copts, deps, header, own_copts, exceptions = False):
    """copts and deps of what has these sources."""
    is_c = [src for src in srcs if src.endswith(".c")]
    if is_c or not srcs:
        return {"copts": copts, "deps": deps}
    if exceptions:
        return {"copts": CXX20 + copts, "deps": deps}
    return {
        "copts": select({
            _OWN_COMPILER: own_copts + ["-include-pch $(execpath %s)" % header],
            "//conditions:default": CXX20,
        }) + copts,
        "deps": deps + select({
            _OWN_COMPILER: [header],
            "//conditions:default": [],
        }),
    }

# Each in C++20, or in C where its sources are C. With `exceptions` what it says may throw and catch.

def cc_library(name, srcs = [], copts = [], deps = [], precompiled = _STD, exceptions = False, **kwargs):
    compiled = _compiled(srcs, copts, deps, precompiled, COPTS, exceptions)
    _cc_library(name = name, srcs = srcs, **dict(kwargs, **compiled))

def cc_binary(name, srcs = [], copts = [], deps = [], exceptions = False, **kwargs):
    compiled = _compiled(srcs, copts, deps, _STD, COPTS, exceptions)
    _cc_binary(name = name, srcs = srcs, **dict(kwargs, **compiled))

def cc_test(name, srcs = [], copts = [], deps = [], size = "small", exceptions = False, **kwargs):
    """Small unless it says otherwise."""
    compiled = _compiled(srcs, copts, deps, _STD_FOR_TESTS, TEST_COPTS, exceptions)
    _cc_test(name = name, srcs = srcs, size = size, **dict(kwargs, **compiled))

# Of a template that a test and what it tests both instantiate, the linker takes the test's: so what runs long is
# compiled as a library is.
def _long_test(name, srcs, deps, size = "small", **kwargs):
    _cc_test(name = name, srcs = srcs, size = size, **dict(kwargs, **_compiled(srcs, [], deps, _STD, COPTS)))

def cc_fuzz_test(name, srcs, deps, corpus = [], runs = 20000, max_len = 4096, args = [], tags = [], **kwargs):
    """A libFuzzer target as a test: the corpus, then `runs` mutations of it, from a fixed seed.

    Only --config=fuzz runs these, as without instrumentation libFuzzer is blind. tools/test --long does, and gives
    each minutes (of two equal flags, libFuzzer takes the last). NAME_replay is for every day: the corpus and some
    changed versions of each of its files, without libFuzzer.

    Args:
      name: the name of the test.
      srcs: sources, among them the one that defines LLVMFuzzerTestOneInput.
      deps: what they use.
      corpus: files to begin with.
      runs: how many inputs to try.
      max_len: the longest input to make, in bytes.
      args: further flags for libFuzzer.
      tags: further tags.
      **kwargs: what cc_test takes.
    """
    seeds = ["-seed_inputs=" + ",".join(["$(location %s)" % file for file in corpus])] if corpus else []
    _long_test(
        name = name,
        srcs = srcs,
        deps = deps,
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
    _long_test(
        name = name + "_replay",
        srcs = srcs + ["//tests/fuzz:replay.cpp"],
        deps = deps,
        args = ["100"] + ["$(location %s)" % file for file in corpus],
        data = corpus,
        tags = tags,
        **kwargs
    )
