#!/bin/sh
# Measures what builders of SQL need for the workloads, and puts the tables into docs/src/speed.md: times of one run, in which
# the contestants take turns, and instructions. About six minutes on a machine that does nothing else. Needs cargo and valgrind.
set -eu
cd "$(dirname "$0")"

book=../../docs/src/speed.md
who='isogloss isogloss-prepared sea-query diesel sqlx'
tables=$(mktemp)
trap 'rm -f "$tables" "$tables.book"' EXIT

# shellcheck disable=SC2086 # a list of words
{
    cargo run --release --quiet -- W $who --mode full --samples 101 --markdown | sed -n '/^| full ns /,$p'
    ./callgrind.sh --markdown W $who --mode full
} >"$tables"
[ "$(grep -c '^| isogloss ' "$tables")" = 2 ] || {
    echo "a table is missing:" >&2
    cat "$tables" >&2
    exit 1
}

awk -v tables="$tables" '
    /^<!-- measured: trees -->$/ {
        print; print ""
        while ((getline line < tables) > 0) print line
        inside = 1
    }
    /^<!-- end -->$/ && inside { inside = 0 }
    !inside && !/^<!-- measured: trees -->$/
' "$book" >"$tables.book"
cat "$tables.book" >"$book"
