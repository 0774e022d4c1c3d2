#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing: Debian packages (as root, otherwise it prints the command to run and ends with 2) and the Python
# tools of scripts/requirements.txt in .venv. Does nothing, quickly, if nothing is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=(g++ cmake ninja-build ccache python3 python3-venv libpython3-dev berkeley-abc libfmt-dev libcli11-dev
          nlohmann-json3-dev libgtest-dev libgmock-dev zlib1g-dev liblz4-dev clang-format git ca-certificates opensta qflow-tech-osu018)
stamp=.venv/.tepin-setup

# Which of the packages dpkg does not know as installed.
missing_packages() {
  local installed p
  installed=" $(dpkg-query -W -f '${db:Status-Status}=${Package} ' "${packages[@]}" 2>/dev/null || true)"
  for p in "${packages[@]}"; do
    [[ "$installed" == *" installed=$p "* ]] || printf '%s ' "$p"
  done
}

if command -v dpkg-query >/dev/null; then
  missing="$(missing_packages)"
  if [[ -n "$missing" ]]; then
    command="apt-get update && apt-get install -y --no-install-recommends ${missing% }"
    if [[ $EUID -ne 0 ]]; then
      echo "setup: missing Debian packages; run: sudo sh -c '$command'" >&2
      exit 2
    fi
    echo "setup: installing Debian packages: ${missing% }"
    export DEBIAN_FRONTEND=noninteractive
    log="$(mktemp)"
    sh -c "$command" >"$log" 2>&1 || { tail -20 "$log" >&2; rm -f "$log"; echo "setup: failed: $command" >&2; exit 2; }
    rm -f "$log"
  fi
else
  for tool in g++ cmake ninja python3 clang-format; do
    command -v "$tool" >/dev/null || { echo "setup: $tool not found; install the equivalents of: ${packages[*]}" >&2; exit 2; }
  done
fi

# The stamp holds what the environment was made from, and where: an environment does not survive being moved.
want="$PWD"$'\n'"$(<scripts/requirements.txt)"
if [[ -f "$stamp" && "$(<"$stamp")" == "$want" && -x .venv/bin/python ]]; then
  exit 0
fi
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo "setup: $(python3 --version 2>&1 || echo no python3) found; Python 3.11 or newer is needed" >&2
  exit 2
fi
echo "setup: installing into .venv: $(grep -vE '^(#|$)' scripts/requirements.txt | tr '\n' ' ')"
# Without a stamp an earlier attempt did not finish, or someone made the environment: keep it. Otherwise start anew.
# Never through a link: --clear would empty another project's environment.
[[ -L .venv ]] && rm .venv
if [[ -f "$stamp" || ! -x .venv/bin/python ]]; then
  python3 -m venv --clear .venv
fi
.venv/bin/python -m pip install --quiet --disable-pip-version-check -r scripts/requirements.txt ||
  { echo "setup: pip failed; see above" >&2; exit 2; }
printf '%s\n' "$want" >"$stamp"
