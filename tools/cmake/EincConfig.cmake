# Part of Einc. SPDX-License-Identifier: Apache-2.0
#
# find_package(Einc) gives
#
#   einc_add_library()    kernels from specs as a library (EincLibrary.cmake)
#   Einc::einc            the program
#   Einc::runtime         the runtime's headers ("runtime/memref.hpp") and its static library
#   Einc::runtime_shared  the same with the shared one
#   EINC_VERSION, EINC_EXECUTABLE, EINC_INCLUDE_DIR
#
# from a package, wherever its folder is, and from a checkout in which Bazel has built einc
# (-DEinc_DIR=CHECKOUT/tools/cmake).
if(CMAKE_VERSION VERSION_LESS 3.13)
  set(Einc_FOUND FALSE)
  set(Einc_NOT_FOUND_MESSAGE "Einc needs CMake 3.13 or later")
  return()
endif()
cmake_policy(PUSH)
cmake_policy(VERSION 3.13...3.25)
include("${CMAKE_CURRENT_LIST_DIR}/EincPaths.cmake")

if(NOT EXISTS "${EINC_EXECUTABLE}")
  set(Einc_FOUND FALSE)
  set(Einc_NOT_FOUND_MESSAGE "there is no ${EINC_EXECUTABLE}${_einc_hint}")
  cmake_policy(POP)
  return()
endif()

if(NOT TARGET Einc::einc)
  add_executable(Einc::einc IMPORTED)
  set_target_properties(Einc::einc PROPERTIES IMPORTED_LOCATION "${EINC_EXECUTABLE}")
endif()

# The runtime of a checkout may not be built; kernels for CPUs do without.
function(_einc_import_runtime target kind library)
  if(TARGET ${target} OR NOT EXISTS "${library}")
    return()
  endif()
  add_library(${target} ${kind} IMPORTED)
  set_target_properties(${target} PROPERTIES
    IMPORTED_LOCATION "${library}"
    INTERFACE_INCLUDE_DIRECTORIES "${EINC_INCLUDE_DIR}")
  if(kind STREQUAL STATIC)
    set_property(TARGET ${target} PROPERTY INTERFACE_LINK_LIBRARIES ${CMAKE_DL_LIBS} pthread)
  endif()
endfunction()
_einc_import_runtime(Einc::runtime STATIC "${EINC_STATIC_LIBRARY}")
_einc_import_runtime(Einc::runtime_shared SHARED "${EINC_SHARED_LIBRARY}")

include("${CMAKE_CURRENT_LIST_DIR}/EincLibrary.cmake")
cmake_policy(POP)
