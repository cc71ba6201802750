#!/usr/bin/env bash
# The compiler for browsers and Node: the npm package `isogloss`, in target/wasm (or the folder that is given).
#
#   compiler/wasm/build.sh [--sizes] [FOLDER]
#
# With --sizes, compares what came out with sizes.txt, and fails where something has grown by more than 5 %.
#
# It takes rustup's target wasm32-unknown-unknown where that is installed. Without it, a compiler with that target comes from
# packages of Debian's unstable suite, which lie unpacked in ~/.cache/isogloss; nothing is installed. The tool wasm-bindgen, in
# the version of Cargo.lock, is the one of the PATH or is built by cargo into the same folder.
#
# The exit code is 3 where the toolchain cannot be had, which is said: there is nothing wrong with the sources then.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly TARGET=wasm32-unknown-unknown NO_TOOLCHAIN=3
cache=${XDG_CACHE_HOME:-$HOME/.cache}/isogloss

fail() { printf 'wasm: %s\n' "$*" >&2; exit "$NO_TOOLCHAIN"; }

# shellcheck source=../../conformance/engines/unstable.sh
. conformance/engines/unstable.sh

sizes=no
[[ ${1:-} != --sizes ]] || { sizes=yes; shift; }
out=${1:-target/wasm}

# ---- rustc with the target --------------------------------------------------------------------------------------------

# Debian's compiler, unpacked, and a script that runs it under the loader and the libraries among its packages.
use_debian() {
    local root=$cache/rust-wasm32 fresh deb loader lib lld
    [[ $(uname -sm) == "Linux x86_64" ]] || fail "install the target: rustup target add $TARGET"
    lld=$(rustc --print sysroot)/lib/rustlib/x86_64-unknown-linux-gnu/bin/rust-lld
    [[ -x $lld ]] || lld=$(command -v wasm-ld) || fail "there is no linker: neither rustup's rust-lld nor wasm-ld"
    if [[ ! -x $root/rustc ]]; then
        unstable_packages "$root.packages" libstd-rust-dev libstd-rust-dev-wasm32 -- rustc
        fresh=$root.fresh
        rm -rf "$fresh"
        mkdir -p "$fresh"
        for deb in "$root.packages/archives/"*.deb; do dpkg-deb -x "$deb" "$fresh"; done
        loader=$(compgen -G "$fresh/usr/lib*/ld-linux*.so.*" | head -n 1) || fail "the packages have no loader"
        lib=$(dirname "$(compgen -G "$fresh/usr/lib/*/libc.so.6" | head -n 1)")
        printf '#!/bin/sh\nhere=%q\nexec "$here/%s" --library-path "$here/%s" "$here/usr/bin/rustc" "$@"\n' \
            "$root" "${loader#"$fresh/"}" "${lib#"$fresh/"}" >"$fresh/rustc"
        chmod +x "$fresh/rustc"
        mv "$fresh" "$root"
        rm -rf "$root.packages"
    fi
    export RUSTC=$root/rustc CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$lld
    # What two compilers make is not to be mixed.
    export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}/wasm-debian
    "$RUSTC" --version >&2 || fail "the compiler of the packages does not run"
}

[[ -d $(rustc --print target-libdir --target "$TARGET" 2>/dev/null) ]] || use_debian

# ---- wasm-bindgen -----------------------------------------------------------------------------------------------------

version=$(sed -n '/^name = "wasm-bindgen"$/{n;s/^version = "\(.*\)"$/\1/p}' Cargo.lock)
bindgen=$(command -v wasm-bindgen) || bindgen=$cache/wasm-bindgen-$version/bin/wasm-bindgen
if [[ $("$bindgen" --version 2>/dev/null) != "wasm-bindgen $version" ]]; then
    bindgen=$cache/wasm-bindgen-$version/bin/wasm-bindgen
    build_tool() {
        env -u RUSTC -u CARGO_TARGET_DIR cargo install --quiet "$@" --root "$cache/wasm-bindgen-$version" --version "$version" wasm-bindgen-cli
    }
    # With its own lock file, unless the registry has not all of that.
    [[ -x $bindgen ]] || build_tool --locked || build_tool || fail "cargo cannot build wasm-bindgen-cli $version"
fi

# ---- The package ------------------------------------------------------------------------------------------------------

# Messages of panics name files: not where this machine has them. No -D warnings of the environment's: the compiler may be another
# one than the sources were checked with.
export RUSTFLAGS="--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo --remap-path-prefix=$PWD="
cargo build --locked --package isogloss-wasm --lib --target "$TARGET" --profile wasm
module=${CARGO_TARGET_DIR:-target}/$TARGET/wasm/isogloss_wasm.wasm
mkdir -p "$out"
"$bindgen" --target web --no-typescript --remove-name-section --remove-producers-section --out-dir "$out" --out-name isogloss "$module"
cp compiler/wasm/npm/* "$out"
printf '%s\n' "$out"

# ---- Sizes ------------------------------------------------------------------------------------------------------------

# sizes.txt has a line for each: raw, gzip, brotli, in bytes.
measure() {
    node - "$out/isogloss_bg.wasm" <<'JS'
const { readFileSync } = require("node:fs"), { brotliCompressSync, gzipSync } = require("node:zlib");
const module = readFileSync(process.argv[2]);
console.log(`raw ${module.length}\ngzip ${gzipSync(module, { level: 9 }).length}\nbrotli ${brotliCompressSync(module).length}`);
JS
}

if [[ $sizes == yes ]]; then
    command -v node >/dev/null || fail "there is no node to measure with"
    grown=no measured=$(measure)
    while read -r what now; do
        was=$(sed -n "s/^$what //p" compiler/wasm/sizes.txt)
        printf '%-6s %8d bytes, %8d before\n' "$what" "$now" "$was"
        ((now * 100 <= was * 105)) || grown=yes
    done <<<"$measured"
    [[ $grown == no ]] || { printf 'the module has grown by more than 5 %%; if it must, say so in compiler/wasm/sizes.txt\n' >&2; exit 1; }
fi
