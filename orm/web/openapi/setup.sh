#!/usr/bin/env bash
# Makes the environment of the judges of OpenAPI documents, and prints where its programs are. Needs python3 with pip and
# venv. Everything lies in ~/.cache/isogloss/openapi.
set -euo pipefail

source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${XDG_CACHE_HOME:-$HOME/.cache}/isogloss/openapi
fail() { printf 'openapi: %s\n' "$*" >&2; exit 1; }

# What is set up already from the same versions is left as it is.
stamp=$(sha256sum <"$source/requirements.txt" | cut -d ' ' -f 1)
if [[ $(cat "$folder/stamp" 2>/dev/null) != "$stamp" ]]; then
    command -v python3 >/dev/null || fail "install python3 with pip and venv"
    rm -rf "$folder"
    mkdir -p "$folder"
    python3 -m venv "$folder/venv" || fail "python3 makes no venv: install python3-venv"
    "$folder/venv/bin/python" -m pip -q --disable-pip-version-check install -r "$source/requirements.txt" >&2 ||
        fail "pip cannot install what requirements.txt has"
    printf '%s\n' "$stamp" >"$folder/stamp"
fi
printf '%s\n' "$folder/venv/bin"
