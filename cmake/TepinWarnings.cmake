# SPDX-License-Identifier: Apache-2.0
# tepin_warnings: the warnings of hand-written C++ and, with TEPIN_SANITIZE, its sanitizers. sw/, tb/ and tests/ link it
# for every target of theirs; verilated code does not.
add_library(tepin_warnings INTERFACE)
target_compile_options(tepin_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Werror)
# GCC 12 sees overlapping copies in std::string's operator+ where there are none (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(tepin_warnings INTERFACE -Wno-restrict)
endif()
if(TEPIN_SANITIZE)
  target_compile_options(tepin_warnings INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
                                                  -fno-omit-frame-pointer)
  target_link_options(tepin_warnings INTERFACE -fsanitize=address,undefined)
endif()
