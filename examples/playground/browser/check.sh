#!/usr/bin/env bash
# The playground in a real browser: Debian's chromium, or the one that CHROMIUM names.
#
#   check.sh [FOLDER]     with screenshots of every state in the folder, if one is given
#
# PLAYGROUND names the program, where it is built already.
# The exit code is 3 where there is no browser or no npm, which is said.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

skip() { printf 'browser: %s\n' "$*" >&2; exit 3; }

CHROMIUM=${CHROMIUM:-$(command -v chromium || true)}
[[ -x $CHROMIUM ]] || skip "there is no chromium"
command -v npm >/dev/null || skip "there is no npm"
export CHROMIUM
[[ node_modules/.package-lock.json -nt package-lock.json ]] || npm ci --silent || skip "npm cannot install playwright-core"

work=$(mktemp -d)
server=
cleanup() {
    [[ -z $server ]] || kill "$server" 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT

playground=${PLAYGROUND:-}
if [[ -z $playground ]]; then
    cargo build -p playground
    playground=${CARGO_TARGET_DIR:-../../../target}/debug/playground
fi
"$playground" --port 0 >"$work/url" 2>"$work/log" &
server=$!
until [[ -s $work/url ]]; do
    kill -0 "$server" 2>/dev/null || { cat "$work/log" >&2; exit 1; }
    sleep 0.1
done
PLAYGROUND_URL=$(head -n 1 "$work/url")
export PLAYGROUND_URL
node --test units.mjs >"$work/units" || { cat "$work/units" >&2; exit 1; }
node check.mjs "$PLAYGROUND_URL" "$@"
