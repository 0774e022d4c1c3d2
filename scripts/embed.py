#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""embed.py OUT.cpp FILE...: C++ that defines tepin::kernels::kernel_source(name) for the files' texts."""
import sys
from pathlib import Path

out, files = Path(sys.argv[1]), [Path(f) for f in sys.argv[2:]]
text = ['#include <stdexcept>', '#include <string>', '#include <string_view>', '', '#include "sw/kernels/launch.h"', '',
        'namespace tepin::kernels {', '', 'std::string_view kernel_source(std::string_view file) {']
for f in files:
    text.append(f'  if (file == "{f.name}") return R"TEPIN({f.read_text()})TEPIN";')
text += ['  throw std::out_of_range("no kernel " + std::string(file));', '}', '', '}  // namespace tepin::kernels', '']
out.write_text("\n".join(text))
