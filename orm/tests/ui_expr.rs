//! What the macros of conditions say of mistakes.
//!
//! The texts are those of one compiler: as in `ui.rs`, they are compared where `ISOGLOSS_UI` is set, and
//! `TRYBUILD=overwrite` writes them anew.

#![cfg(all(feature = "entities", feature = "sqlite"))]
#![allow(clippy::print_stdout, reason = "it says why it is skipped")]

#[test]
fn mistakes_are_told_at_their_token() {
    if std::env::var_os("ISOGLOSS_UI").is_none() {
        println!(
            "skipped: no ISOGLOSS_UI; run `ISOGLOSS_UI=1 cargo test -p isogloss --features \
             entities,driver,sqlite,postgres --test ui_expr`"
        );
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/ui_expr/*.rs");
}
