//! What the compiler says of mistakes in typed queries.
//!
//! The texts are those of one compiler: as in `ui.rs`, they are compared where `ISOGLOSS_UI` is set, and
//! `TRYBUILD=overwrite` writes them anew.

#![cfg(all(feature = "entities", feature = "sqlite"))]
#![allow(clippy::print_stdout, reason = "it says why it is skipped")]

#[test]
fn mistakes_in_typed_queries_are_told_at_their_place() {
    if std::env::var_os("ISOGLOSS_UI").is_none() {
        println!(
            "skipped: no ISOGLOSS_UI; run `ISOGLOSS_UI=1 cargo test -p isogloss --features entities,driver,sqlite \
             --test ui_typed`"
        );
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/ui_typed/*.rs");
}
