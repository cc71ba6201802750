#!/bin/sh
# Instructions of a request, counted by valgrind's callgrind: each contestant's routes are driven in the process, without a
# socket, on SQLite. The program does n and 2n requests, and the difference is divided by n; system calls are not counted. A
# thread waits for its turn by looking, more often at one time than at another: of three counts the smallest is taken. The
# ratio is to `hand`.
#
#   ./callgrind.sh [WORKLOAD]..
#
# Workloads: Get, Page, Uncounted, List, Insert. sqlx and SeaORM are counted where `web-peers` is built. Needs cargo and
# valgrind; CARGO_TARGET_DIR is respected.
set -eu
cd "$(dirname "$0")"
command -v valgrind >/dev/null || {
    echo "valgrind is not installed" >&2
    exit 1
}
# The folder of the build: CARGO_TARGET_DIR or a configured one, else the workspace's.
target=$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
cargo build --release --quiet
web=$target/release/web
peers=$target/release/web-peers
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM

# instructions PROGRAM CONTESTANT WORKLOAD REQUESTS
instructions() {
    for _ in 1 2 3; do
        valgrind --tool=callgrind --callgrind-out-file=/dev/null "$1" "$2" "sqlite=$folder/web.db" drive "$3" "$4" 2>&1 </dev/null |
            sed -n 's/.*Collected *: *\([0-9]*\).*/\1/p'
    done | sort -n | head -n 1
}

contestants='hand isogloss'
[ ! -x "$peers" ] || contestants="$contestants sqlx sea-orm"
for workload in ${*:-Get Page Uncounted List Insert}; do
    case $workload in List) n=3 ;; *) n=200 ;; esac
    hand=
    for contestant in $contestants; do
        case $contestant in hand | isogloss) program=$web ;; *) program=$peers ;; esac
        "$web" fill "sqlite=$folder/web.db"
        once=$(instructions "$program" "$contestant" "$workload" $n)
        twice=$(instructions "$program" "$contestant" "$workload" $((2 * n)))
        if [ -z "$once" ] || [ -z "$twice" ]; then
            echo "callgrind counted nothing for $workload of $contestant" >&2
            exit 1
        fi
        each=$(((twice - once) / n))
        hand=${hand:-$each}
        echo "$workload $contestant $each $hand" | awk '{ printf "%-10s %-10s %12d %.2f\n", $1, $2, $3, $3 / $4 }'
    done
done
