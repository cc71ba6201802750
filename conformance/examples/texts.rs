//! Prints every text of a dialect, one a line, for a parser that judges them:
//! `cargo run -p isogloss-conformance --example texts sqlserver`.
#![allow(clippy::print_stdout, reason = "printing is what it is for")]

use isogloss_cases::{cases, stone};

fn main() {
    let dialect = std::env::args().nth(1).unwrap_or_else(|| "postgres".to_owned());
    let compiler = stone::compiler();
    for (topic, cases) in cases::all() {
        for case in &cases {
            for target in case.targets() {
                let label = target.label();
                if label.split(' ').next() != Some(&dialect) {
                    continue;
                }
                if let Ok(compiled) = stone::compile(&compiler, case, &target) {
                    println!("{topic}/{}\t{label}\t{}", case.name, compiled.sql.replace('\n', " "));
                }
            }
        }
    }
}
