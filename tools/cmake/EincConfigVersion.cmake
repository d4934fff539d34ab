# Part of Einc. SPDX-License-Identifier: Apache-2.0
#
# Of the same major version, and before 1.0 of the same minor one, what is as old as asked for or younger.
include("${CMAKE_CURRENT_LIST_DIR}/EincPaths.cmake")
set(PACKAGE_VERSION "${EINC_VERSION}")

string(REGEX MATCH "^(0\\.[0-9]+|[0-9]+)" _einc_series "${PACKAGE_VERSION}")
string(REGEX MATCH "^(0\\.[0-9]+|[0-9]+)" _einc_wanted "${PACKAGE_FIND_VERSION}")
if(NOT PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION AND (_einc_series STREQUAL _einc_wanted OR NOT PACKAGE_FIND_VERSION))
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  if(PACKAGE_VERSION VERSION_EQUAL PACKAGE_FIND_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()
