//! Reads trees in the notation from the standard input, one a line, and writes each in its canonical form. A line that is
//! no tree is answered with `error: ` and what is wrong with it, and where.
//!
//! ```sh
//! echo '{"Right":18,"$":">=","Left":{"#":"Age"}}' | cargo run -q -p isogloss-compiler --example notation
//! ```

use std::io::{self, BufRead, BufWriter, Write};

use isogloss_compiler::json;

fn main() -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        match json::from_str(&line?) {
            Ok(tree) => writeln!(out, "{}", json::to_string(&tree))?,
            Err(error) => writeln!(out, "error: {error}")?,
        }
    }
    out.flush()
}
