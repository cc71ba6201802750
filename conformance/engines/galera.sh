#!/usr/bin/env bash
# A private MariaDB Galera cluster of three nodes, from the packages of the distribution.
#
#   galera.sh up            starts the nodes that do not run yet, and prints how the tests find them
#   galera.sh env           prints it again
#   galera.sh again NODE    starts a node (1, 2 or 3) whose process has ended, on its data and its port
#   galera.sh down          ends what `up` has started, and removes its data
#
#   eval "$(conformance/engines/galera.sh up)"
#
# That sets ISOGLOSS_GALERA_URL, with a URL for each node and blanks between, and ISOGLOSS_GALERA_FOLDER, below which each node
# has its folder: `1/pid` has the number of its process.
#
# All listens on 127.0.0.1 alone, on spare ports. The folder is ISOGLOSS_GALERA_FOLDER, a temporary one if that is not set. Nothing is
# installed: where a package lacks, the exit code is 3, and it is 1 where the nodes do not become a cluster.
set -euo pipefail

here=${ISOGLOSS_GALERA_FOLDER:-${TMPDIR:-/tmp}/isogloss-galera-$(id -u)}
readonly NODES=(1 2 3)

unprivileged=()
[[ $EUID -ne 0 ]] || unprivileged=(setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME=/nonexistent)

say() { printf 'galera: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }
lacks() { say "$*"; exit 3; }
have() { command -v "$1" >/dev/null 2>&1; }
listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

runs() {
    local pid
    pid=$(cat "$here/$1/pid" 2>/dev/null) && grep -qzF -- "$here/$1/data" "/proc/$pid/cmdline" 2>/dev/null
}

# Below those that the system gives to the near ends of connections, so that a node finds its own again.
spare_port() {
    local port
    for _ in $(seq 100); do
        port=$((RANDOM % 12000 + 20000))
        [[ " $taken " == *" $port "* ]] || listens "$port" || break
        port=
    done
    [[ -n $port ]] || fail "there is no spare port"
    taken+=" $port"
}

# What a node says of a status variable.
status() {
    mariadb --no-defaults --protocol=tcp --host=127.0.0.1 --port="$(cat "$here/$1/port")" --user=root --skip-column-names \
        --batch --execute="SHOW STATUS LIKE '$2'" 2>/dev/null | cut -f 2
}

# Starts a node; the first one of all begins the cluster.
launch() {
    local node=$1 dir=$here/$1 ports pid
    shift
    read -r -a ports <"$dir/ports"
    local provider="base_host=127.0.0.1;base_port=${ports[1]};gmcast.listen_addr=tcp://127.0.0.1:${ports[1]}"
    provider+=";ist.recv_addr=127.0.0.1:${ports[2]};gcache.size=16M"
    # One that is killed is given up soon.
    provider+=";evs.suspect_timeout=PT3S;evs.inactive_timeout=PT6S"
    # A process group of its own: Ctrl-C in a test is not for the node.
    (cd "$dir/data" && exec setsid "${unprivileged[@]}" mariadbd --no-defaults --datadir="$dir/data" \
        --socket="$dir/data/socket" --pid-file="$dir/data/own.pid" --bind-address=127.0.0.1 --port="${ports[0]}" \
        --character-set-server=utf8mb4 --max-connections=200 --local-infile=ON --innodb-flush-log-at-trx-commit=2 \
        --innodb-log-file-size=16M --innodb-buffer-pool-size=32M --skip-log-bin --binlog-format=ROW \
        --innodb-autoinc-lock-mode=2 --wsrep-on=ON --wsrep-provider="$library" --wsrep-cluster-name=isogloss \
        --wsrep-cluster-address="$(cat "$here/address")" --wsrep-node-name="isogloss-$node" --wsrep-node-address=127.0.0.1 \
        --wsrep-sst-method=rsync --wsrep-sst-receive-address="127.0.0.1:${ports[3]}" \
        --wsrep-provider-options="$provider" "$@") </dev/null >>"$dir/log" 2>&1 &
    pid=$!
    printf '%s\n' "$pid" >"$dir/pid"
    for _ in $(seq 240); do
        kill -0 "$pid" 2>/dev/null || fail "node $node ended: $(grep -i error "$dir/log" | tail -n 3)"
        if [[ $(status "$node" wsrep_ready) == ON ]]; then
            say "node $node: 127.0.0.1:${ports[0]}"
            return
        fi
        sleep 0.25
    done
    fail "node $node is not ready: $(tail -n 3 "$dir/log")"
}

make() {
    local dir=$here/$1
    mkdir -m 711 "$dir"
    mkdir -m 700 "$dir/data"
    [[ $EUID -ne 0 ]] || chown nobody:nogroup "$dir/data"
    # One is filled, the others get its data from it.
    [[ $1 != 1 ]] || (cd "$dir/data" && "${unprivileged[@]}" mariadb-install-db --no-defaults \
        --auth-root-authentication-method=normal --skip-test-db --datadir="$dir/data") >"$dir/log" 2>&1 ||
        fail "the data folder could not be made: $(tail -n 3 "$dir/log")"
}

stop() {
    local pid
    runs "$1" || return 0
    pid=$(cat "$here/$1/pid")
    kill -TERM "$pid"
    for _ in $(seq 60); do
        runs "$1" || return 0
        sleep 0.25
    done
    kill -KILL "$pid"
}

env_lines() {
    local node urls=
    for node in "${NODES[@]}"; do
        runs "$node" && urls+="${urls:+ }mysql://root@127.0.0.1:$(cat "$here/$node/port")/mysql"
    done
    [[ -z $urls ]] || printf 'export ISOGLOSS_GALERA_URL="%s" ISOGLOSS_GALERA_FOLDER="%s"\n' "$urls" "$here"
}

needed() {
    local tool
    for tool in mariadbd mariadb-install-db; do have "$tool" || lacks "there is no $tool: install mariadb-server-core"; done
    have mariadb || lacks "there is no mariadb: install mariadb-client-core"
    have rsync || lacks "there is no rsync: install rsync"
    # With it, another node's data is read; the server's core has it not.
    have wsrep_sst_rsync || lacks "there is no wsrep_sst_rsync: install mariadb-server"
    library=$(compgen -G '/usr/lib/galera/libgalera_smm.so' || compgen -G '/usr/lib*/galera*/libgalera_smm.so') ||
        lacks "there is no libgalera_smm.so: install galera-4"
    library=${library%%$'\n'*}
}

up() {
    local node address= taken=
    needed
    if runs 1 && runs 2 && runs 3; then
        say "the nodes run already"
        return
    fi
    [[ -z $(ls -A "$here" 2>/dev/null) ]] || fail "some nodes of $here do not run: start them by \`again\`, or end all by \`down\`"
    [[ -d $here ]] || mkdir -p -m 711 "$here"
    # A folder in /tmp may be anybody's.
    [[ -O $here && ! -L $here ]] || fail "$here is not yours; set ISOGLOSS_GALERA_FOLDER to another folder"
    local port ports
    for node in "${NODES[@]}"; do
        make "$node"
        ports=()
        # The port of clients, of the group, of what a node has missed, of all data.
        for _ in 1 2 3 4; do
            spare_port
            port=${taken##* }
            ports+=("$port")
        done
        printf '%s\n' "${ports[*]}" >"$here/$node/ports"
        printf '%s\n' "${ports[0]}" >"$here/$node/port"
        address+="${address:+,}127.0.0.1:${ports[1]}"
    done
    printf 'gcomm://%s\n' "$address" >"$here/address"
    launch 1 --wsrep-new-cluster
    launch 2
    launch 3
    [[ $(status 1 wsrep_cluster_size) == 3 ]] || fail "the cluster has $(status 1 wsrep_cluster_size) nodes"
}

case ${1:-} in
    up)
        up
        env_lines
        ;;
    env) env_lines ;;
    again)
        node=${2:?NODE}
        [[ -r $here/$node/ports ]] || fail "node $node was not started here"
        ! runs "$node" || fail "node $node runs"
        needed
        launch "$node"
        ;;
    down)
        for node in 3 2 1; do stop "$node"; done
        for node in "${NODES[@]}"; do rm -rf "${here:?}/$node"; done
        rm -f "$here/address"
        rmdir "$here" 2>/dev/null || true
        ;;
    *)
        sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" >&2
        exit 2
        ;;
esac
