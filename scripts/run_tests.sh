#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run_tests.sh BUILD_FOLDER JOBS [ctest arguments]: runs ctest; the last line says how many tests passed. Fails if one
# failed or if there was none.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build="$1" jobs="$2"
shift 2
mkdir -p out
log=out/ctest.log
ctest --test-dir "$build" -j "$jobs" --output-on-failure --no-tests=error "$@" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
summary="$(grep -E '^[0-9]+% tests passed, [0-9]+ tests failed out of [0-9]+' "$log" | tail -1)"
total="$(sed -nE 's/.* out of ([0-9]+).*/\1/p' <<<"$summary")"
failed="$(sed -nE 's/.*passed, ([0-9]+) tests failed.*/\1/p' <<<"$summary")"
if [[ $status -ne 0 || -z "$total" || "$total" -eq 0 ]]; then
  echo "${failed:-0} of ${total:-0} tests failed" >&2
  exit 1
fi
echo "$((total - failed)) tests passed"
