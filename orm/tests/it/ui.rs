//! The compiler's messages for mistakes in derives, macros, services and typed queries.
//!
//! They are those of one version of the compiler, and are compared only if `ISOGLOSS_UI` is set. `TRYBUILD=overwrite`
//! writes them.

#[test]
fn mistakes_are_reported_at_their_place() {
    if std::env::var_os("ISOGLOSS_UI").is_none() {
        isogloss_testkit::skipped("no ISOGLOSS_UI");
        return;
    }
    // One run, so that the crate is built once for all of them.
    let cases = trybuild::TestCases::new();
    for folder in ["ui", "ui_di", "ui_expr", "ui_orm", "ui_service", "ui_typed"] {
        cases.compile_fail(format!("tests/{folder}/*.rs"));
    }
}
