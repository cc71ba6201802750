#!/bin/sh
# Starts the demo, runs the tests in Chromium, and ends it: `./check.sh [PROGRAM]`. CHROMIUM says where the browser is.
set -eu
cd "$(dirname "$0")"
folder=..
. ../served.sh
[ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --no-audit --no-fund
served "$@"
ORDER_DEMO=$address node --test --test-concurrency=1 page.test.js
node --test tree.test.js
