#!/bin/sh
# Instructions per iteration of every (workload, contestant, mode), counted by valgrind's callgrind:
# the program is run with n and with 2n iterations, and the difference is divided by n.
#
#   ./callgrind.sh [--markdown] [FILTER...] [--mode full|render]
#
# FILTER is as for the bench executable (W1, J, hand, sea-query ...). Needs cargo and valgrind.
set -eu
cd "$(dirname "$0")"

command -v valgrind >/dev/null || {
    echo "valgrind is not installed" >&2
    exit 1
}

markdown=
if [ "${1:-}" = --markdown ]; then
    markdown=1
    shift
fi

cargo build --release --quiet
# The folder of the build: CARGO_TARGET_DIR or a configured one, else the workspace's.
target=$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
bench=$target/release/isogloss-benches
lines=$(mktemp)
trap 'rm -f "$lines" "$lines.pairs"' EXIT

# instructions WORKLOAD CONTESTANT MODE N
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$bench" --callgrind-one "$1" "$2" "$3" "$4" 2>&1 |
        sed -n 's/.*Collected *: *\([0-9]*\).*/\1/p'
}

"$bench" --pairs "$@" >"$lines.pairs"
while read -r workload contestant mode; do
    case $workload in
    W4a | W5 | W6 | J6) n=5 ;;
    *) n=200 ;;
    esac
    once=$(instructions "$workload" "$contestant" "$mode" $n </dev/null)
    twice=$(instructions "$workload" "$contestant" "$mode" $((2 * n)) </dev/null)
    if [ -z "$once" ] || [ -z "$twice" ]; then
        echo "callgrind counted nothing for $workload $contestant $mode" >&2
        exit 1
    fi
    echo "$workload $contestant $mode $(((twice - once) / n))" >>"$lines"
    [ -t 2 ] && printf '\r%-40s' "$workload $contestant $mode" >&2 || :
done <"$lines.pairs"
[ -t 2 ] && printf '\r%-40s\r' '' >&2 || :

# Workloads to the right, contestants downwards, one table per mode.
for mode in full render; do
    awk -v mode=$mode -v markdown="$markdown" '
        $3 == mode {
            if (!($1 in seen_w)) { seen_w[$1] = 1; w[++nw] = $1 }
            if (!($2 in seen_c)) { seen_c[$2] = 1; c[++nc] = $2 }
            value[$1, $2] = $4
        }
        function grouped(v,   out) {
            while (length(v) > 3) { out = "," substr(v, length(v) - 2) out; v = substr(v, 1, length(v) - 3) }
            return v out
        }
        function cell(i, j,   v) { v = value[w[j], c[i]]; return v == "" ? "-" : grouped(v) }
        END {
            if (!nw) exit
            left = markdown ? "| " : ""; mid = markdown ? " | " : "  "; right = markdown ? " |" : ""
            printf "%s%-16s", left, "instr, " mode
            for (j = 1; j <= nw; j++) printf "%s%10s", mid, w[j]
            print right
            if (markdown) { printf "|:--|"; for (j = 1; j <= nw; j++) printf "--:|"; print "" }
            for (i = 1; i <= nc; i++) {
                printf "%s%-16s", left, c[i]
                for (j = 1; j <= nw; j++) printf "%s%10s", mid, cell(i, j)
                print right
            }
            print ""
        }' "$lines"
done
