# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The repositories that Einc's rules need, none of them from the network, and the einc that is installed."""

load("//tools/bazel:common.bzl", "common_repositories")

def einc_repositories():
    """What a workspace that uses Einc says in its WORKSPACE."""
    common_repositories()
    native.register_toolchains("@einc//tools:installed")
