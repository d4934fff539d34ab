# Part of Einc. SPDX-License-Identifier: Apache-2.0
#
#   einc_add_library(NAME SPECS dense.tc...       the library NAME, its header NAME.h
#                    [SHARED]                     a shared one, which shows the kernels alone
#                    [DEFS dense...]              all, if none is named
#                    [TARGETS x86-64-v3...]       machines; all levels of this one's architecture, if none is named
#                    [DIMS M=512...] [ATTRS strides=2,2...] [TYPES T=f32...]
#                    [THREADS 4] [FP strict] [STRIDES contiguous] [ALIGN 64]
#                    [LIB cblas|blis|auto|none]   calls that library where it can
#                    [LINK BLAS::BLAS...]         what LIB calls, if it is not what find_package(BLAS) finds
#                    [SCHEDULE FILE] [TUNING FILE] [PREFIX P] [EXPORT cblas])
#
# Flags mean what they mean to `einc build`. Kernels are C files, generated while CMake configures, and CMake runs again
# when a spec has changed: files whose text is the same stay as they are, so that a change to one def compiles that one.
# Specs, schedules and tunings are files that are there when CMake runs.
#
# The library can be installed like any other: its header is among its PUBLIC_HEADERs. Where it calls a library, or
# runs on threads, so does the project that uses it: find_dependency(BLAS) in that one's package file.

# A digest of einc, made once a run of CMake.
function(_einc_program_digest result)
  get_property(digest GLOBAL PROPERTY _EINC_PROGRAM_DIGEST)
  if(NOT digest)
    file(SHA256 "${EINC_EXECUTABLE}" digest)
    set_property(GLOBAL PROPERTY _EINC_PROGRAM_DIGEST "${digest}")
  endif()
  set(${result} "${digest}" PARENT_SCOPE)
endfunction()

# The flags of einc for the arguments that _einc_parse has left in arg_*.
macro(_einc_flags result)
  set(${result} "")
  foreach(pair IN ITEMS DEFS:def DIMS:dim ATTRS:attr TYPES:type THREADS:threads FP:fp STRIDES:strides ALIGN:align
                        LIB:lib SCHEDULE:schedule TUNING:tuning PREFIX:prefix EXPORT:export)
    string(REGEX MATCH "(.*):(.*)" _ "${pair}")
    foreach(value IN LISTS arg_${CMAKE_MATCH_1})
      list(APPEND ${result} "--${CMAKE_MATCH_2}=${value}")
    endforeach()
  endforeach()
  if(arg_TARGETS)
    string(REPLACE ";" "," joined "${arg_TARGETS}")
    list(APPEND ${result} "--target=${joined}")
  endif()
endmacro()

# Runs einc, unless nothing has changed since it ran well.
function(_einc_generate name folder)
  cmake_parse_arguments(arg "" "" "INPUTS;COMMAND" ${ARGN})
  _einc_program_digest(digest)
  string(APPEND digest ";${arg_COMMAND}")
  foreach(input IN LISTS arg_INPUTS)
    get_filename_component(path "${input}" ABSOLUTE)
    if(EXISTS "${path}" AND NOT IS_DIRECTORY "${path}")
      file(SHA256 "${path}" hash)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")
    else()
      set(hash missing)  # einc says so
    endif()
    string(APPEND digest ";${hash}")
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${EINC_EXECUTABLE}")

  set(stamp "${folder}/inputs.txt")
  if(EXISTS "${stamp}" AND EXISTS "${folder}/${name}.bzl")
    file(READ "${stamp}" last)
    if(last STREQUAL digest)
      return()
    endif()
  endif()
  file(REMOVE "${stamp}")
  # What it says goes where CMake's own messages go, as it is.
  execute_process(COMMAND ${arg_COMMAND} WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "einc_add_library(${name}): einc ended with ${status}; what it says stands above")
  endif()
  file(WRITE "${stamp}" "${digest}")
endfunction()

# The C files, as NAME.bzl lists them; those of defs that are gone are removed.
function(_einc_sources name folder result)
  file(STRINGS "${folder}/${name}.bzl" lines REGEX "^    \".*\\.c\",$")
  set(sources "")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^    \"(.*)\",$" "${folder}/\\1" source "${line}")
    list(APPEND sources "${source}")
  endforeach()
  file(GLOB present "${folder}/${name}/*.c")
  foreach(file IN LISTS present)
    if(NOT file IN_LIST sources)
      file(REMOVE "${file}")
    endif()
  endforeach()
  set(${result} "${sources}" PARENT_SCOPE)
endfunction()

# What the kernels call.
function(_einc_link name library given)
  if(given)
    target_link_libraries(${name} PRIVATE ${given})
  elseif(library STREQUAL cblas)
    if(NOT TARGET BLAS::BLAS)
      find_package(BLAS REQUIRED)
    endif()
    if(TARGET BLAS::BLAS)  # from CMake 3.18 on
      target_link_libraries(${name} PRIVATE BLAS::BLAS)
    else()
      target_link_libraries(${name} PRIVATE ${BLAS_LIBRARIES})
    endif()
  elseif(library STREQUAL blis)
    find_library(EINC_BLIS_LIBRARY blis REQUIRED)
    target_link_libraries(${name} PRIVATE "${EINC_BLIS_LIBRARY}")
  endif()
endfunction()

function(einc_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SHARED" "THREADS;FP;STRIDES;ALIGN;LIB;SCHEDULE;TUNING;PREFIX;EXPORT"
    "SPECS;DEFS;TARGETS;DIMS;ATTRS;TYPES;LINK")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "einc_add_library(${name}): unknown argument: ${arg_UNPARSED_ARGUMENTS}; specs come after SPECS")
  elseif(arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "einc_add_library(${name}): nothing stands after ${arg_KEYWORDS_MISSING_VALUES}")
  elseif(NOT arg_SPECS)
    message(FATAL_ERROR "einc_add_library(${name}): give the specs: SPECS FILE.tc...")
  elseif(NOT CMAKE_C_COMPILER_LOADED)
    message(FATAL_ERROR "einc_add_library(${name}): kernels are C: project(... LANGUAGES C CXX)")
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}.einc")
  _einc_flags(flags)
  _einc_generate(${name} "${folder}"
    INPUTS ${arg_SPECS} ${arg_SCHEDULE} ${arg_TUNING}
    COMMAND "${EINC_EXECUTABLE}" build --sources-only --name=${name} -o "${folder}" ${flags} ${arg_SPECS})
  _einc_sources(${name} "${folder}" sources)

  if(arg_SHARED)
    add_library(${name} SHARED ${sources})
    set(names "${folder}/${name}.map")
    target_link_options(${name} PRIVATE "LINKER:--version-script=${names}")
    # Of its own names it takes those of nobody else; but for threads, which a program may bring.
    if(NOT arg_THREADS OR arg_THREADS EQUAL 1)
      target_link_options(${name} PRIVATE "LINKER:-Bsymbolic")
    endif()
    set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS "${names}")
  else()
    add_library(${name} STATIC ${sources})
  endif()
  set_target_properties(${name} PROPERTIES
    C_STANDARD 99
    C_STANDARD_REQUIRED ON
    C_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON
    PUBLIC_HEADER "${folder}/${name}.h"
    UNITY_BUILD OFF)
  # Optimised also where the project is built for debugging; and a contraction that the compiler makes on its own would
  # change results from one machine to the next.
  target_compile_options(${name} PRIVATE -O2 -ffp-contract=off -fno-fast-math)
  set(installed include)
  if(CMAKE_INSTALL_INCLUDEDIR)  # of GNUInstallDirs
    set(installed "${CMAKE_INSTALL_INCLUDEDIR}")
  endif()
  target_include_directories(${name} PRIVATE "${folder}")
  target_include_directories(${name} INTERFACE "$<BUILD_INTERFACE:${folder}>" "$<INSTALL_INTERFACE:${installed}>")
  target_link_libraries(${name} PRIVATE m)
  if(arg_THREADS AND NOT arg_THREADS EQUAL 1)
    target_compile_options(${name} PRIVATE -fopenmp)
    target_link_options(${name} PUBLIC -fopenmp)
  endif()
  if("${folder}/runtime/vulkan/run.c" IN_LIST sources)
    target_link_libraries(${name} PRIVATE ${CMAKE_DL_LIBS} pthread)
  endif()
  _einc_link(${name} "${arg_LIB}" "${arg_LINK}")
endfunction()
