//! Where the literals, names, comments and holes of a template of isogloss are, as each engine reads it.
//!
//! The compiler reads a template with it when the program runs, the macro `sql!` when the program is compiled. It is a crate of its
//! own because a crate of macros exports nothing else; programs find its types in `isogloss-compiler`.
//!
//! ```
//! use isogloss_lexis::{Lexis, Notation, Scanner, TextProblem, Token};
//!
//! let hole = |inner: &str| inner.find('}').ok_or(TextProblem::OpenHole);
//! let text = "SELECT [Id] FROM {From} -- {x}";
//! let mut scanner = Scanner::new(text, Lexis::STANDARD, Notation { brackets: true, hole: Some(hole) });
//! assert_eq!(scanner.next(), Some(Ok((0, Token::Code("SELECT ")))));
//! assert_eq!(scanner.next(), Some(Ok((7, Token::Name("Id")))));
//! assert_eq!(scanner.next(), Some(Ok((11, Token::Code(" FROM ")))));
//! assert_eq!(scanner.next(), Some(Ok((17, Token::Hole("From")))));
//! assert_eq!(scanner.next(), Some(Ok((23, Token::Code(" ")))));
//! assert_eq!(scanner.next(), Some(Ok((24, Token::OpenComment("-- {x}")))));
//! assert_eq!(scanner.next(), None);
//! ```

mod lexis;
mod problem;
mod scan;
#[cfg(test)]
mod tests;

pub use lexis::Lexis;
pub use problem::{TextPlace, TextProblem};
pub use scan::{HoleEnd, Notation, Scanner, Token, is_word, unbracketed};
