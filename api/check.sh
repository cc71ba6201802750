#!/usr/bin/env bash
# Compares the public API of each crate that programs use with its list in api/*.txt: what changes in a list changes for users.
# The conformance suite and its tables are not among them: they grow with each case.
#
#   api/check.sh                        fails and shows what differs
#   ISOGLOSS_UPDATE_API=1 api/check.sh  writes the lists anew
#
# The lists are those of all features. It ends with 3 where the Rust is another one than that whose JSON can be read.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly RUST=1.95
[[ $(rustc --version) == "rustc $RUST."* ]] || {
    printf 'the public API is not compared: the JSON of rustdoc is read as Rust %s writes it\n' "$RUST"
    exit 3
}
crates=(isogloss isogloss-{compiler,derive,driver,duckdb,generate,lexis,migrate,mysql,oracle,postgres,sqlite,sqlserver,testing,web})
target=${CARGO_TARGET_DIR:-target}

cargo build -q --locked --manifest-path api/Cargo.toml --target-dir "$target"
# Features as the other steps have them: nothing is compiled again.
packages=("${crates[@]/#/--package=}")
# By a variable that cargo looks at: it writes the JSON again after HTML of the same crates. Warnings are for the step
# `documentation_all_features`.
RUSTDOCFLAGS="-A warnings -Z unstable-options --output-format json" RUSTDOC=$PWD/api/rustdoc cargo doc -q --no-deps --all-features --target-dir "$target" "${packages[@]}"

code=0
lists=$(mktemp -d)
trap 'rm -rf "$lists"' EXIT
for crate in "${crates[@]}"; do
    "$target/debug/isogloss-api" "$target/doc/${crate//-/_}.json" >"$lists/$crate.txt"
    if [[ -n ${ISOGLOSS_UPDATE_API:-} ]]; then
        cp "$lists/$crate.txt" "api/$crate.txt"
    else
        diff -u --label "api/$crate.txt" --label "$crate now" "api/$crate.txt" "$lists/$crate.txt" || code=1
    fi
done
((code == 0)) || printf 'the public API differs: is that meant? ISOGLOSS_UPDATE_API=1 api/check.sh writes the lists, CHANGELOG.md tells users\n'
exit "$code"
