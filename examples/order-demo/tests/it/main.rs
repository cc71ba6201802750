//! The command line of the built program.

use std::process::Command;

#[test]
fn it_says_what_it_takes_and_what_it_does_not() {
    let run = |args: &[&str]| Command::new(env!("CARGO_BIN_EXE_order-demo")).args(args).output().unwrap();
    let help = run(&["--help"]);
    assert!(help.status.success() && String::from_utf8_lossy(&help.stdout).contains("--database"));
    let unknown = run(&["--databse", "shop.db"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("--databse"));
}
