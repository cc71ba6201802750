#!/usr/bin/env bash
# Builds the client and runs its tests, with the server's reader of the notation and with a server.
#
#   orm/web/client/check.sh
#
# It needs Node 20 or later with npm, and cargo unless ISOGLOSS_NOTATION and ISOGLOSS_ORDERS name the built examples.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

target=${CARGO_TARGET_DIR:-target}
[[ $target == /* ]] || target=$(cd ../../.. && pwd)/$target
target=$target/debug/examples
if [[ -z ${ISOGLOSS_NOTATION:-} ]]; then
    (cd ../../.. && cargo build -q -p isogloss-compiler --example notation)
    export ISOGLOSS_NOTATION="$target/notation"
fi
if [[ -z ${ISOGLOSS_ORDERS:-} ]]; then
    (cd ../../.. && cargo build -q -p isogloss-web --example orders)
    export ISOGLOSS_ORDERS="$target/orders"
fi
for program in "$ISOGLOSS_NOTATION" "$ISOGLOSS_ORDERS"; do
    [[ -x $program ]] || { printf 'failed: there is no program at %s\n' "$program" >&2; exit 1; }
done
if grep -n '"resolved"' package-lock.json; then
    printf 'failed: package-lock.json names the hosts of a registry\n' >&2
    exit 1
fi
npm ci --ignore-scripts --no-audit --no-fund
npm run build
npm test
