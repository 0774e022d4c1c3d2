# SPDX-License-Identifier: Apache-2.0
# tepin_verilate(TARGET name TOP module SOURCES file... [ARGS argument...] [PREFIX class] [TRACE] [COVERAGE] [QUICK])
#
# A static library `name` with the C++ model of the top `module`: class V<module>, or PREFIX, from "V<module>.h". Link it
# and include that header; it counts as a system header. SOURCES: packages first. ARGS go to Verilator (-GParam=2, ...).
#
# fast (default)  -O3 --x-assign fast --x-initial fast --noassert; compiled with -O3, -march=native while TEPIN_NATIVE
# TRACE           --trace-fst --assert; the user includes "verilated_fst_c.h"
# QUICK           modules are not inlined, so that instances share their code, and little optimised: compiles fast, runs slowly
# COVERAGE        --coverage --assert
#
# There is no nested make: scripts/verilate.py writes a fixed number of units, and only those whose contents changed are
# compiled. Each library compiles its own copy of Verilator's runtime, so compile options do not leak between libraries;
# if a program links two of them, the linker takes the runtime of the first (give them different PREFIXes).
# Verilator is the one in .venv (`make setup`), or the one named by -DTEPIN_VERILATOR_ROOT= or the environment.

set(TEPIN_VERILATOR_ROOT "$ENV{TEPIN_VERILATOR_ROOT}" CACHE PATH "Folder that holds Verilator's bin/ and include/")

set(TEPIN_MXU_CELL plain CACHE STRING "Form of the matrix unit's cells in simulation: plain (fast) or structural")
set_property(CACHE TEPIN_MXU_CELL PROPERTY STRINGS plain structural)
if(NOT TEPIN_MXU_CELL MATCHES "^(plain|structural)$")
  message(FATAL_ERROR "TEPIN_MXU_CELL: '${TEPIN_MXU_CELL}'; allowed: plain, structural")
endif()

# Sets out to Verilator's root folder; an error says what to do if there is none.
function(tepin_find_verilator out)
  set(root "${TEPIN_VERILATOR_ROOT}")
  if(NOT root)
    file(GLOB root "${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/verilator")
    if(root)
      list(GET root -1 root)
    endif()
  endif()
  if(NOT EXISTS "${root}/bin/verilator_bin" OR NOT EXISTS "${root}/include/verilated.h")
    message(FATAL_ERROR "Verilator: expected bin/verilator_bin and include/verilated.h in '${root}'. "
                        "Run `make setup`, or name its folder with -DTEPIN_VERILATOR_ROOT=")
  endif()
  set(${out} "${root}" PARENT_SCOPE)
endfunction()

function(tepin_verilate)
  cmake_parse_arguments(PARSE_ARGV 0 arg "TRACE;COVERAGE;QUICK" "TARGET;TOP;PREFIX" "SOURCES;ARGS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_TARGET OR NOT arg_TOP OR NOT arg_SOURCES)
    message(FATAL_ERROR "tepin_verilate: expected TARGET, TOP and SOURCES, found '${ARGV}'")
  endif()
  if(NOT arg_PREFIX)
    set(arg_PREFIX "V${arg_TOP}")
  endif()
  tepin_find_verilator(root)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  find_package(Threads REQUIRED)
  set(script "${PROJECT_SOURCE_DIR}/scripts/verilate.py")
  set(dir "${CMAKE_CURRENT_BINARY_DIR}/${arg_TARGET}.verilated")

  set(sources "")
  foreach(file IN LISTS arg_SOURCES)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    list(APPEND sources "${file}")
  endforeach()

  set(args --top-module ${arg_TOP} "+incdir+${PROJECT_SOURCE_DIR}")
  # The matrix unit's cells in their structural form, as they are synthesised (docs/ppa.md).
  if(TEPIN_MXU_CELL STREQUAL "structural")
    list(APPEND args "+define+TEPIN_MXU_STRUCTURAL")
  endif()
  set(cxx_flags -O3)
  if(arg_TRACE)
    list(APPEND args --trace-fst)
  endif()
  if(arg_COVERAGE)
    list(APPEND args --coverage)
  endif()
  if(arg_TRACE OR arg_COVERAGE)
    list(APPEND args --assert)
    set(cxx_flags -O1)
  else()
    list(APPEND args -O3 --x-assign fast --x-initial fast --noassert)
    if(arg_QUICK)
      list(APPEND args -fno-inline)
      set(cxx_flags -O1)  # for some ten thousand cycles: its compilation is what takes time
    elseif(TEPIN_NATIVE)
      list(APPEND cxx_flags -march=native)
    endif()
  endif()

  set(fast_units 6)
  set(slow_units 2)
  set(units "")
  foreach(kind fast slow)
    math(EXPR last "${${kind}_units} - 1")
    foreach(k RANGE ${last})
      list(APPEND units "${dir}/${kind}_${k}.cpp")
      list(APPEND ${kind}_files "${dir}/${kind}_${k}.cpp")
    endforeach()
  endforeach()
  # Runtime files that this kind of model always needs; those that depend on the design are units of their own.
  set(always "${root}/include/verilated.cpp" "${root}/include/verilated_threads.cpp")
  if(arg_TRACE)
    list(APPEND always "${root}/include/verilated_fst_c.cpp")
  endif()
  if(arg_COVERAGE)
    list(APPEND always "${root}/include/verilated_cov.cpp")
  endif()
  set(runtime "")
  foreach(name dpi random timing probdist)
    list(APPEND runtime "${dir}/runtime/verilated_${name}.cpp")
  endforeach()

  # The headers that a user of the model may include are outputs, so that Ninja sees them change.
  set(stamp "${dir}/verilate.stamp")
  add_custom_command(
    OUTPUT "${stamp}" ${units} ${runtime} "${dir}/include/${arg_PREFIX}.h" "${dir}/include/${arg_PREFIX}___024root.h"
           "${dir}/include/${arg_PREFIX}__Syms.h"
    COMMAND Python3::Interpreter "${script}" --root "${root}" --out "${dir}" --prefix ${arg_PREFIX}
            --fast-units ${fast_units} --slow-units ${slow_units} -- ${args} ${arg_ARGS}
            ${sources}
    DEPENDS ${sources} "${script}"
    DEPFILE "${dir}/verilate.d"
    COMMENT "Verilating ${arg_TOP} (${arg_TARGET})"
    VERBATIM)

  add_library(${arg_TARGET} STATIC ${units} ${runtime} ${always} "${stamp}")
  target_include_directories(${arg_TARGET} PRIVATE "${dir}")
  target_include_directories(${arg_TARGET} SYSTEM PUBLIC "${dir}/include" "${root}/include" "${root}/include/vltstd")
  target_compile_definitions(
    ${arg_TARGET} PRIVATE VERILATOR=1 VM_SC=0 VM_TIMING=0 VM_COVERAGE=$<BOOL:${arg_COVERAGE}> VM_TRACE=$<BOOL:${arg_TRACE}>
                          VM_TRACE_FST=$<BOOL:${arg_TRACE}> VM_TRACE_VCD=0 VM_TRACE_SAIF=0)
  # -w: generated code is not ours to warn about. Slow files run once (constructors, trace declarations).
  target_compile_options(${arg_TARGET} PRIVATE -w ${cxx_flags} -fno-strict-aliasing)
  set(slow_flags -O1)
  if(arg_QUICK)
    set(slow_flags -O0)
  endif()
  set_source_files_properties(${slow_files} PROPERTIES COMPILE_OPTIONS ${slow_flags})
  set_source_files_properties(${runtime} ${always} PROPERTIES COMPILE_OPTIONS -O2)
  # Not the warnings and sanitizers that a folder links to all its targets.
  set_target_properties(${arg_TARGET} PROPERTIES LINK_LIBRARIES "")
  target_link_libraries(${arg_TARGET} PUBLIC Threads::Threads)
  if(arg_TRACE)
    target_link_libraries(${arg_TARGET} PUBLIC z lz4)
  endif()
endfunction()
