//! What the derives and typed columns refuse, and how they say so.
//!
//! The texts are those of one compiler, and another may tell the same otherwise: they are compared where
//! `ISOGLOSS_UI` is set. `TRYBUILD=overwrite` writes them anew.

#![cfg(feature = "entities")]
#![allow(clippy::print_stdout, reason = "it says why it is skipped")]

#[test]
fn what_is_wrong_is_told_at_its_place() {
    if std::env::var_os("ISOGLOSS_UI").is_none() {
        println!("skipped: no ISOGLOSS_UI");
        return;
    }
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
    if cfg!(all(feature = "orm", feature = "blocking")) {
        cases.compile_fail("tests/ui_orm/*.rs");
    }
    if cfg!(feature = "di") {
        cases.compile_fail("tests/ui_di/*.rs");
    }
    if cfg!(feature = "services") {
        cases.compile_fail("tests/ui_service/*.rs");
    }
}
