#!/bin/sh
# Instructions per thing of a workload, counted by valgrind's callgrind: the program runs n and 2n rounds, and what the
# second run takes more is divided by what n rounds do. So what is no round (the start, the fill of the tables, a
# statement's first time) is not counted; nor are system calls, and the server.
#
#   ./callgrind.sh ENGINE[=URL] [--only WORKLOAD].. [--driver CONTESTANT].. [--rounds N]
#
# Without --only, the workloads that read; without --driver, all contestants but sqlx and SeaORM. Needs cargo
# and valgrind; CARGO_TARGET_DIR is respected.
set -eu
cd "$(dirname "$0")"
command -v valgrind >/dev/null || {
    echo "valgrind is not installed" >&2
    exit 1
}
[ $# -ge 1 ] || {
    sed -n '2,9s/^# \{0,1\}//p' "$0"
    exit 2
}
engine=$1 only='' drivers='' rounds=3
shift
while [ $# -gt 1 ]; do
    case $1 in
    --only) only="$only $2" ;;
    --driver) drivers="$drivers$2
" ;;
    --rounds) rounds=$2 ;;
    *) break ;;
    esac
    shift 2
done
[ $# -eq 0 ] || {
    echo "$1: --only, --driver and --rounds are the options" >&2
    exit 2
}

cargo build --release --quiet
# The folder of the build: CARGO_TARGET_DIR or a configured one, else the workspace's.
target=$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
package=$(basename "$PWD")
bench=$target/release/$package
case $package in
dao) reads="Get Page Stream" ;;
*) reads="Rows Key" ;;
esac
[ -n "$drivers" ] || drivers=$("$bench" "$engine" --names)

# instructions WORKLOAD CONTESTANT ROUNDS
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$bench" "$engine" --only "$1" --driver "$2" --rounds "$3" 2>&1 </dev/null |
        sed -n 's/.*Collected *: *\([0-9]*\).*/\1/p'
}

for workload in ${only:-$reads}; do
    things=$("$bench" --things "$workload")
    echo "$drivers" | while read -r contestant; do
        [ -n "$contestant" ] || continue
        once=$(instructions "$workload" "$contestant" "$rounds")
        twice=$(instructions "$workload" "$contestant" $((2 * rounds)))
        if [ -z "$once" ] || [ -z "$twice" ]; then
            echo "callgrind counted nothing for $workload of $contestant" >&2
            exit 1
        fi
        printf '%-10s %-32s %12d\n' "$workload" "$contestant" $(((twice - once) / (rounds * things)))
    done
done
