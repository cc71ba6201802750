#!/usr/bin/env bash
# Builds the npm package, compares its size, and tests it in Node: by itself, and beside the native answers.
#
# The exit code is 3 where that cannot be built or run here, which is said.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

command -v node >/dev/null || { printf 'wasm: there is no node\n' >&2; exit 3; }
compiler/wasm/build.sh --sizes
export ISOGLOSS_WASM=$PWD/target/wasm
node --test compiler/wasm/tests/package.mjs
cargo test -q -p isogloss-wasm --test it bytes:: -- --include-ignored
