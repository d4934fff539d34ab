# Part of Einc. SPDX-License-Identifier: Apache-2.0
#
# Where things are in a checkout; a package has a file of its own in place of this one.
get_filename_component(_einc_root "${CMAKE_CURRENT_LIST_DIR}/../.." REALPATH)
set(EINC_EXECUTABLE "${_einc_root}/bazel-bin/tools/einc")
set(EINC_INCLUDE_DIR "${_einc_root}")
set(EINC_STATIC_LIBRARY "${_einc_root}/bazel-bin/runtime/libeinc.a")
set(EINC_SHARED_LIBRARY "${_einc_root}/bazel-bin/runtime/libeinc.so.0")
set(_einc_hint "; in ${_einc_root}: bazel build //tools:einc //runtime:all")

file(STRINGS "${_einc_root}/compiler/driver/commands.h" _einc_version REGEX "kVersion = ")
string(REGEX REPLACE ".*\"(.*)\".*" "\\1" EINC_VERSION "${_einc_version}")
