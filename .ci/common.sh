# What .ci/run and .ci/nightly share: steps with a table of their times, packages, servers. It is sourced.
# shellcheck shell=bash

# Incremental builds only pay off the second time, debug information only in a debugger, and a snapshot that differs must
# fail, not be written.
export CARGO_INCREMENTAL="${CARGO_INCREMENTAL:-0}" CARGO_PROFILE_DEV_DEBUG="${CARGO_PROFILE_DEV_DEBUG:-0}" \
    CARGO_TERM_COLOR="${CARGO_TERM_COLOR:-never}" INSTA_UPDATE=no
# More tests at once than two cores suggest: many wait for servers.
threads=$(nproc 2>/dev/null || echo 2)
export RUST_TEST_THREADS="${RUST_TEST_THREADS:-$((threads > 6 ? threads : 6))}"

# The files that killed tests leave, the data of the servers and their sockets live in one folder, which ends with the run.
temporary=$(mktemp -d "${TMPDIR:-/tmp}/isogloss-ci-XXXXXX")
# Servers and some tests run as another user.
chmod 1777 "$temporary"
# Tests that cannot run here append their reasons to a file.
export ISOGLOSS_SKIPPED=$temporary/skipped
export TMPDIR=$temporary ISOGLOSS_ENGINES=$temporary/engines ISOGLOSS_GALERA_FOLDER=$temporary/galera

steps=() skipped=() current='' started=0
end_step() { [[ -z $current ]] || steps+=("$((SECONDS - started)) $current"); current=''; }
step() { end_step; current=$* started=$SECONDS; printf '\n== %s (at %d s)\n' "$current" "$SECONDS"; }
skip() { printf 'skipped: %s\n' "$*"; skipped+=("$*"); }
fail() { printf 'failed: %s\n' "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }
listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

report() {
    local status=$? failed=$current
    end_step
    [[ ! -e $ISOGLOSS_SKIPPED ]] || mapfile -t -O "${#skipped[@]}" skipped < <(sort -u "$ISOGLOSS_SKIPPED" | sed 's/^/tests: /')
    conformance/engines/local.sh down >/dev/null || true
    conformance/engines/galera.sh down || true
    rm -rf "$temporary"
    printf '\n%8s  step\n' seconds
    for item in "${steps[@]}"; do printf '%8s  %s\n' "${item%% *}" "${item#* }"; done
    printf '%8s  in all\n' "$SECONDS"
    for item in "${skipped[@]}"; do printf 'skipped: %s\n' "$item"; done
    ((status == 0)) && printf 'passed\n' || printf 'failed in the step: %s\n' "$failed"
    exit "$status"
}
trap report EXIT
# Without these, the status that `report` sees after a signal is that of the last command.
trap 'exit 130' INT
trap 'exit 143' TERM

# Runs a command that exits with 3 if it lacks something, after printing what.
or_skip() {
    local what=$1 code=0
    shift
    "$@" || code=$?
    case $code in
        0) ;;
        3) skip "$what: the reason is printed above" ;;
        *) fail "$what" ;;
    esac
}

# Runs tests by a filter, and fails if no test passes: a name that no test has would pass as well.
some_tests() {
    local output
    output=$(mktemp "$temporary/tests-XXXXXX")
    "$@" 2>&1 | tee "$output" || fail "$*"
    grep -q '^test result: ok\. [1-9]' "$output" || fail "no test was run by: $*"
}

as_root() {
    if [[ $EUID -eq 0 ]]; then "$@"; elif have sudo; then sudo -n "$@"; else return 1; fi
}

apt=yes apt_updated=no
apt_install() {
    [[ $apt == yes ]] && have apt-get || return 1
    if [[ $apt_updated == no ]]; then
        as_root apt-get update -qq || return 1
        apt_updated=yes
    fi
    printf 'installing %s\n' "$*"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

use_tools() {
    step "tools"
    have cargo || fail "cargo is missing: install Rust $(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml) or later"
    have cc || apt_install gcc libc6-dev || fail "a C compiler is missing, which the built-in SQLite needs"
    have git || apt_install git || fail "git is missing"
    cargo fmt --version >/dev/null 2>&1 || rustup component add rustfmt
    cargo clippy --version >/dev/null 2>&1 || rustup component add clippy
    rustc --version
    cargo fetch -q --locked
    before=$(git status --porcelain)
    [[ -z $before ]] || printf 'note: the tree has uncommitted changes\n'
}

# use_server ENGINE [PACKAGE..]: starts a server of the run's own; if that fails, installs the packages first.
use_server() {
    local engine=$1 lines
    shift
    lines=$(conformance/engines/local.sh up "$engine") ||
        { (($#)) && apt_install "$@" && lines=$(conformance/engines/local.sh up "$engine"); } || return 1
    eval "$lines"
}

# A machine of a developer may lack a server; in CI, its tests may not be left out without notice.
no_server() { if [[ -n ${CI:-} ]]; then fail "$1 does not start"; else skip "$1: conformance/engines/local.sh has printed the reason"; fi; }
# The package may start a server of its own, which is stopped.
use_postgres() {
    local was=no
    ! listens 5432 || was=yes
    use_server postgres postgresql || no_server PostgreSQL
    [[ $was == yes ]] || ! listens 5432 || as_root service postgresql stop >/dev/null 2>&1 || true
}
use_postgres18() { use_server postgres18 python3 python3-pip || skip "PostgreSQL 18: conformance/engines/local.sh has printed the reason"; }
use_mariadb() { use_server mariadb mariadb-server-core mariadb-client-core || no_server MariaDB; }
# Its packages are those of Debian's unstable suite, which no other system has.
use_mysql() { use_server mysql || skip "MySQL 9: conformance/engines/local.sh has printed the reason"; }

# Tests start PgBouncers and HAProxies of their own. Those that the packages start are stopped.
use_proxies() {
    local was=no
    if ! have pgbouncer && [[ ! -x /usr/sbin/pgbouncer ]]; then
        listens 6432 && was=yes
        apt_install pgbouncer || skip "PgBouncer: it is not installed, and cannot be"
        [[ $was == yes ]] || ! listens 6432 || as_root service pgbouncer stop >/dev/null 2>&1 || true
    fi
    if ! have haproxy && [[ ! -x /usr/sbin/haproxy ]]; then
        apt_install haproxy || skip "HAProxy: it is not installed, and cannot be"
        as_root service haproxy stop >/dev/null 2>&1 || true
    fi
}

# use_engines [postgres18]: the servers that the environment names, or servers of the run's own.
use_engines() {
    step "engines"
    if [[ -n ${ISOGLOSS_POSTGRES_URL:-} ]]; then
        printf 'PostgreSQL by ISOGLOSS_POSTGRES_URL\n'
    else
        use_postgres
        [[ ${1:-} != postgres18 ]] || use_postgres18
    fi
    if [[ -n ${ISOGLOSS_MYSQL_URL:-} ]]; then
        printf 'MySQL or MariaDB by ISOGLOSS_MYSQL_URL\n'
    else
        use_mariadb
        use_mysql
    fi
    use_proxies
    # The tests of PostgreSQL's TLS start a server of their own.
    have openssl || apt_install openssl || skip "TLS: openssl is not installed, and cannot be"
    compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || skip "PostgreSQL's TLS: the package postgresql is not installed"
}

# The folder of the built programs, as an absolute path.
target_folder() {
    local target=${CARGO_TARGET_DIR:-target}
    [[ $target == /* ]] || target=$PWD/$target
    printf '%s\n' "$target"
}

tree_is_unchanged() {
    step "snapshots and the tree"
    local pending after
    pending=$(find . -path ./target -prune -o \( -name '*.snap.new' -o -name '*.pending-snap' \) -print)
    [[ -z $pending ]] || fail "snapshots wait for a review: $pending"
    after=$(git status --porcelain)
    [[ $after == "$before" ]] || fail "the run has changed the tree: $(git status --short)"
}
