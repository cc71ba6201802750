#!/bin/sh
# Starts the demo on a port that is free, runs the tests in Chromium, and ends it.
#
#   ./check.sh [PROGRAM]    the program, which is built if it is not there; by default that of the workspace
#
# CHROMIUM says where the browser is.
set -eu
cd "$(dirname "$0")"
program=${1:-${CARGO_TARGET_DIR:-../../../target}/debug/order-demo}
log=$(mktemp)
[ -x "$program" ] || cargo build -p order-demo
[ -d node_modules ] || npm ci --no-audit --no-fund

"$program" --port 0 >"$log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; rm -f "$log"' EXIT INT TERM

# The demo prints its address once it is ready.
tries=0
until address=$(grep -o 'http://[0-9.:]*' "$log"); do
    tries=$((tries + 1))
    if [ "$tries" -gt 600 ] || ! kill -0 "$server" 2>/dev/null; then
        echo "the demo has not started:" >&2
        cat "$log" >&2
        exit 1
    fi
    sleep 0.5
done

ORDER_DEMO=$address node --test --test-concurrency=1 page.test.js
node --test tree.test.js
