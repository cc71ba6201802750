# For a script to read in: starts the demo on a port that is free, and ends it with the script. `served PROGRAM` sets `address`.
# By default the program is that of the workspace, which is built.
# shellcheck shell=sh

served() {
    program=${1:-${CARGO_TARGET_DIR:-$folder/../../target}/debug/order-demo}
    log=$(mktemp)
    [ $# -gt 0 ] || cargo build -p order-demo
    "$program" --port 0 >"$log" 2>&1 &
    server=$!
    trap 'kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; rm -f "$log"' EXIT INT TERM

    # The demo prints its address once it is ready.
    tries=0
    until address=$(grep -m 1 -o 'http://[0-9.:]*' "$log"); do
        tries=$((tries + 1))
        if [ "$tries" -gt 600 ] || ! kill -0 "$server" 2>/dev/null; then
            echo "the demo has not started:" >&2
            cat "$log" >&2
            exit 1
        fi
        sleep 0.5
    done
}
