#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# fresh_vectors.sh BUILD_FOLDER [TARGET]: makes test vectors of a seed that was never used (or of TEPIN_SEED), runs them with
# BUILD_FOLDER/tepin on TARGET (golden, rtl or both; default golden) and removes them. Fails on a mismatch, on too few cases
# and if the golden model skips one.
set -euo pipefail
build="$(cd "${1:?usage: fresh_vectors.sh BUILD_FOLDER [TARGET]}" && pwd)"
target="${2:-golden}"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seed="${TEPIN_SEED:-$(date +%s%N)}"
echo "fresh vectors of seed $seed; again: TEPIN_SEED=$seed scripts/fresh_vectors.sh $1 $target"

folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 scripts/gen_vectors.py --seed "$seed" --out "$folder/vectors"
"$build/tepin" vectors "$folder/vectors" --target "$target" --quiet --json >"$folder/report.json" || status=$?
python3 - "$folder/report.json" "${status:-0}" <<'EOF'
import json, sys
path, status = sys.argv[1], int(sys.argv[2])
text = open(path).read()
if not text:
    sys.exit(status or 1)
report = json.loads(text)
if "files" not in report:
    sys.exit(status or 1)
fewest = min(sum(f["cases"] for f in report["files"] if f["target"] == t) for t in {f["target"] for f in report["files"]})
skipped = sum(f["skipped"] for f in report["files"] if f["target"] == "golden")
print(f"{report['cases']} cases, {report['mismatches']} mismatches, {report['skipped']} skipped")
if fewest < 350_000 or skipped:
    sys.exit(f"fresh_vectors.sh: {fewest} cases a target, {skipped} skipped on golden; expected at least 350000 and 0")
sys.exit(status)
EOF
