#!/usr/bin/env bash
# DuckDB's library for the tests, as the crate `duckdb` links it: that of a package of npm, which holds the one that DuckDB
# releases.
#
#   eval "$(conformance/engines/duckdb.sh)"        says how cargo and the tests find it
#   conformance/engines/duckdb.sh test             runs the drivers' tests, the suite and random trees on it
#
# It is kept in ~/.cache/isogloss. Nothing is installed. The exit code is 3 where it cannot be had, which is said.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# The crate counts 1.5.6 as 1.10506.
readonly VERSION=1.5.6-r.1 CRATE=1.10506

gone() { printf 'duckdb: %s\n' "$*" >&2; exit 3; }
wrong() { printf 'duckdb: %s\n' "$*" >&2; exit 1; }

[[ $(uname -sm) == "Linux x86_64" ]] || gone "the package is for Linux on x86-64"
command -v npm >/dev/null || gone "there is no npm to fetch it with"
grep -A1 '^name = "duckdb"$' Cargo.lock | grep -q "^version = \"$CRATE\." ||
    wrong "Cargo.lock has another version of the crate than $CRATE, which this library is for"

folder=${XDG_CACHE_HOME:-$HOME/.cache}/isogloss/duckdb-$VERSION
package=@duckdb/node-bindings-linux-x64
library=$folder/node_modules/$package
if [[ ! -f $library/libduckdb.so ]]; then
    mkdir -p "$folder"
    npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix "$folder" "$package@$VERSION" >&2 ||
        gone "the package could not be fetched"
fi

export DUCKDB_LIB_DIR=$library DUCKDB_INCLUDE_DIR=$library
export LD_LIBRARY_PATH=$library${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

case "${1:-}" in
    "")
        for name in DUCKDB_LIB_DIR DUCKDB_INCLUDE_DIR LD_LIBRARY_PATH; do
            printf 'export %s=%q\n' "$name" "${!name}"
        done
        ;;
    test)
        tests=(cargo test -p isogloss-conformance --features duckdb)
        cargo test -p isogloss-duckdb --features driver --test it
        env -u ISOGLOSS_POSTGRES_URL -u ISOGLOSS_MYSQL_URL "${tests[@]}" --test live 'drivers duckdb'
        "${tests[@]}" --test live 'suite duckdb'
        "${tests[@]}" --test live 'edges duckdb'
        # Beside SQLite alone: the others, and the judges, have had them.
        env -u ISOGLOSS_POSTGRES_URL -u ISOGLOSS_MYSQL_URL ISOGLOSS_PLSQL_JUDGE= "${tests[@]}" --test it generated::
        ;;
    *) wrong "what is \`$1\`?" ;;
esac
