#!/bin/sh
# Instructions per call of a data access object and of an entity's service over it, and their ratio, counted by valgrind's
# callgrind: the program makes n and 2n calls, and the difference is divided by n. System calls are not counted. The driver's
# thread waits for its turn by looking, more often at one time than at another: of three counts the smallest is taken, and there are
# so many calls that what is left of it is below a hundredth.
#
#   ./callgrind.sh [CALLS]
#
# It fails where a service costs more than 1.05 of the object. Needs cargo and valgrind; CARGO_TARGET_DIR is respected.
set -eu
cd "$(dirname "$0")"
command -v valgrind >/dev/null || {
    echo "valgrind is not installed" >&2
    exit 1
}
calls=${1:-3000}
cargo build --release --quiet
# The folder of the build: CARGO_TARGET_DIR or a configured one, else the workspace's.
target=$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')

# instructions BY WHAT CALLS
instructions() {
    for _ in 1 2 3; do
        valgrind --tool=callgrind --callgrind-out-file=/dev/null "$target/release/services" "$@" 2>&1 </dev/null |
            sed -n 's/.*Collected *: *\([0-9]*\).*/\1/p'
    done | sort -n | head -n 1
}

per_call() {
    once=$(instructions "$1" "$2" "$calls")
    twice=$(instructions "$1" "$2" $((2 * calls)))
    if [ -z "$once" ] || [ -z "$twice" ]; then
        echo "callgrind counted nothing for $2 by $1" >&2
        exit 1
    fi
    echo $(((twice - once) / calls))
}

too_much=
for what in insert get search; do
    dao=$(per_call dao $what)
    service=$(per_call service $what)
    permille=$((service * 1000 / dao))
    printf '%-8s %10d %10d %d.%03d\n' $what "$dao" "$service" $((permille / 1000)) $((permille % 1000))
    [ $permille -le 1050 ] || too_much=1
done
[ -z "$too_much" ]
