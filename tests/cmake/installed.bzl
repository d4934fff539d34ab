# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""What installed.py makes a tree of, for the tests that use it."""

# What is built, in its order, and the arguments with it.
BUILT = [
    "//tools:einc",
    "//tools:einc-ods-gen",
    "//runtime:archive",
    "//runtime:libeinc.so.0",
]

BUILT_ARGS = ["$(locations %s)" % label for label in BUILT]

# What is installed as it is.
INSTALLED = ["//tools/packaging:files"]
