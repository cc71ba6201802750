#!/bin/sh
# Requests per second and latencies of Isogloss' controllers beside hand-written handlers, sqlx and SeaORM. Each contestant is
# a server of its own; they take turns, in another order each round, and wrk asks them over the loopback. First their answers
# are compared. The figures are medians over the rounds; the ratios are to the handlers over the raw drivers, `hand`.
#
#   ./run.sh [--short] [--rounds N] [--seconds N] [ENGINE[=URL]].. [--only WORKLOAD]..
#
# Engines are sqlite, in a file of its own, and postgres=URL; sqlite alone is asked where none is named. Workloads: Get, Page,
# Uncounted, List, Insert. `--short` is one round of a second each, with 16 connections alone. `cpu` is the time that the server
# itself takes for a request, user and system: it holds on a machine with other things to do. Needs cargo and wrk;
# CARGO_TARGET_DIR is respected.
set -eu
cd "$(dirname "$0")"
command -v wrk >/dev/null || {
    echo "wrk is not installed: apt-get install wrk" >&2
    exit 1
}
rounds=3 seconds=5 connections='1 16' engines='' only=''
while [ $# -gt 0 ]; do
    case $1 in
    --short) rounds=1 seconds=1 connections=16 ;;
    --rounds | --seconds | --only)
        [ $# -gt 1 ] || exit 2
        case $1 in
        --rounds) rounds=$2 ;;
        --seconds) seconds=$2 ;;
        *) only="$only $2" ;;
        esac
        shift
        ;;
    sqlite | postgres=*) engines="$engines $1" ;;
    *)
        sed -n '2,12s/^# \{0,1\}//p' "$0"
        exit 2
        ;;
    esac
    shift
done
contestants='isogloss hand sqlx sea-orm'
workloads=${only:-Get Page Uncounted List Insert}

# The folder of the build: CARGO_TARGET_DIR or a configured one, else the workspace's.
target=$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
cargo build --release --quiet
cargo build --release --quiet -p web-peers
web=$target/release/web
peers=$target/release/web-peers

folder=$(mktemp -d)
server=
stop() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || :
    [ -z "$server" ] || wait "$server" 2>/dev/null || :
    server=
}
trap 'stop; rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM

program() { case $1 in isogloss | hand) echo "$web" ;; *) echo "$peers" ;; esac; }
database() { case $1 in sqlite) echo "sqlite=$folder/web.db" ;; *) echo "$1" ;; esac; }
# user and system time of the server in ticks
ticks() { sed 's/.*) //' "/proc/$server/stat" | awk '{ print $12 + $13 }'; }
hertz=$(getconf CLK_TCK)

# measure ENGINE CONTESTANT: appends to `lines`
measure() {
    "$web" fill "$1"
    : >"$folder/address"
    "$(program "$2")" "$2" "$1" serve >"$folder/address" &
    server=$!
    for _ in $(seq 100); do
        [ ! -s "$folder/address" ] || break
        sleep 0.2
    done
    address=$(cat "$folder/address")
    for workload in $workloads; do
        "$web" requests "$workload" "$2" >"$folder/requests"
        wrk -t1 -c16 -d1s -s requests.lua "http://$address" -- "$folder/requests" >/dev/null
        for count in $connections; do
            before=$(ticks)
            found=$(wrk -t1 "-c$count" "-d${seconds}s" --latency -s requests.lua "http://$address" -- "$folder/requests" |
                sed -n 's/^result //p')
            after=$(ticks)
            echo "${1%%=*} $workload $count $2 $found $before $after" | awk -v hertz="$hertz" '
                $9 > 0 || $8 == 0 { print "failed: " $0 >"/dev/stderr"; exit 1 }
                { print $1, $2, $3, $4, $5, $6, $7, ($11 - $10) / hertz * 1e6 / $8 }' >>"$folder/lines"
        done
    done
    stop
}

for engine in ${engines:-sqlite}; do
    engine=$(database "$engine")
    for contestant in $contestants; do
        "$web" fill "$engine"
        "$(program $contestant)" $contestant "$engine" show >"$folder/$contestant.shown"
        cmp "$folder/isogloss.shown" "$folder/$contestant.shown"
    done
    order=$contestants
    for round in $(seq "$rounds"); do
        for contestant in $order; do
            [ ! -t 2 ] || printf '\r%-60s' "${engine%%=*}, round $round, $contestant" >&2
            measure "$engine" "$contestant"
        done
        # The first one is the last one next time.
        order="${order#* } ${order%% *}"
    done
    "$web" drop "$engine"
    [ ! -t 2 ] || printf '\r%-60s\r' '' >&2
done

# Medians: a row for each workload and number of connections, and contestant.
sort -k1,1 -k2,2 -k3,3n -k4,4 "$folder/lines" | awk '
    function median(list,    n, a, i, j, t) {
        n = split(list, a, " ")
        for (i = 2; i <= n; i++) for (j = i; j > 1 && a[j - 1] + 0 > a[j] + 0; j--) { t = a[j]; a[j] = a[j - 1]; a[j - 1] = t }
        return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
    }
    function figure(what, by) { return median(lists[what, by]) }
    function beside(what, by) { return sprintf("%.0f (%.2f)", figure(what, by), figure(what, by) / figure(what, "hand")) }
    {
        of = $1 " | " $2 " | " $3
        if (!(of in seen)) { seen[of] = 1; ofs[++n] = of }
        for (i = 5; i <= 8; i++) lists[of, i, $4] = lists[of, i, $4] " " $i
    }
    END {
        split("hand isogloss sqlx sea-orm", by, " ")
        print "| engine | workload | connections | contestant | requests/s | p50 us | p99 us | cpu us |"
        print "|:--|:--|--:|:--|--:|--:|--:|--:|"
        for (k = 1; k <= n; k++) for (b = 1; b <= 4; b++) {
            of = ofs[k]
            printf "| %s | %s |", of, by[b]
            for (i = 5; i <= 8; i++) printf " %s |", beside(of SUBSEP i, by[b])
            print ""
        }
    }'
