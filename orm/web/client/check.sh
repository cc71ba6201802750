#!/usr/bin/env bash
# Builds the client and runs its tests, with the reader of the notation that the server has.
#
#   orm/web/client/check.sh
#
# It needs Node 20 or later with npm, and cargo unless ISOGLOSS_NOTATION names a built reader.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

if [[ -z ${ISOGLOSS_NOTATION:-} ]]; then
    (cd ../../.. && cargo build -q -p isogloss-compiler --example notation)
    export ISOGLOSS_NOTATION="${CARGO_TARGET_DIR:-$PWD/../../../target}/debug/examples/notation"
fi
[[ -x $ISOGLOSS_NOTATION ]] || { printf 'failed: there is no reader at %s\n' "$ISOGLOSS_NOTATION" >&2; exit 1; }
if grep -n '"resolved"' package-lock.json; then
    printf 'failed: package-lock.json names the hosts of a registry\n' >&2
    exit 1
fi
npm ci --ignore-scripts --no-audit --no-fund
npm run build
npm test
