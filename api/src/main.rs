//! Writes the public API of a crate, of which rustdoc has written JSON, to the standard output: an item a line.
//!
//! Traits that the compiler implements by itself are left out, and so is what a derive gives.

use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(json) = env::args_os().nth(1) else {
        eprintln!("usage: isogloss-api FILE.json");
        return ExitCode::from(2);
    };
    let listed = public_api::Builder::from_rustdoc_json(json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build();
    match listed {
        Ok(api) => {
            print!("{api}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
