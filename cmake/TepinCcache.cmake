# SPDX-License-Identifier: Apache-2.0
# Compiles through ccache where it is installed.
find_program(TEPIN_CCACHE ccache)
mark_as_advanced(TEPIN_CCACHE)
if(TEPIN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${TEPIN_CCACHE}")
endif()
