//! The tokens of a statement whose dialect is not known: of one that was compiled, and of one that a program wrote.

use isogloss_lexis::{Lexis, Notation, Scanner, Token};

/// What the compiler writes by itself, for whichever engine: a quote in a literal or a name is doubled.
const COMPILED: Lexis = Lexis { backticks: true, bracket_names: true, ..Lexis::STANDARD };

/// The tokens of a text, in the first reading that reads all of it. What none reads is code.
pub(crate) fn tokens(sql: &str) -> impl Iterator<Item = Token<'_>> {
    let read = |lexis| Scanner::new(sql, lexis, Notation::NONE);
    let whole = |lexis: &Lexis| read(*lexis).all(|token| token.is_ok());
    let lexis = [COMPILED].into_iter().chain(Lexis::READINGS).find(whole).unwrap_or(COMPILED);
    read(lexis).map(|token| match token {
        Ok((_, token)) => token,
        Err((at, _)) => Token::Code(sql.get(at..).unwrap_or_default()),
    })
}
