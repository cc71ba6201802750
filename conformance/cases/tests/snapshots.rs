//! Each case against its snapshot.
//!
//! A case is a test of its own: `cargo test -p isogloss-cases like/` runs one topic.
//! `cargo insta review` shows what has changed.

use std::path::PathBuf;
use std::sync::Arc;

use isogloss_cases::{cases, stone};
use libtest_mimic::{Arguments, Trial};

fn main() {
    let compiler = Arc::new(stone::compiler());
    let mut trials = Vec::new();
    for (topic, cases) in cases::all() {
        for case in cases {
            let compiler = Arc::clone(&compiler);
            trials.push(Trial::test(format!("{topic}/{}", case.name), move || {
                let mut settings = insta::Settings::new();
                settings.set_snapshot_path(folder().join(topic));
                settings.set_prepend_module_to_snapshot(false);
                settings.set_omit_expression(true);
                let stone = stone::stone(&compiler, topic, &case);
                settings.bind(|| insta::assert_snapshot!(case.name.as_str(), stone));
                Ok(())
            }));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../snapshots"))
}
