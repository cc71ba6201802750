//! Templates of the program: pieces of text, and what fills the holes between them.

use crate::error::Result;
use crate::frame::Piece;

use super::{Prec, Writer, sql};

impl<'e> Writer<'_, 'e> {
    /// Writes the pieces of a template. A blank keeps apart what the engine would read as one word: `a{x}` is not
    /// `a$1`, and `[a][b]` is two names.
    pub(crate) fn pieces(&mut self, pieces: &[Piece<'_, 'e>]) -> Result<()> {
        let mut made = false;
        // Behind a name, one more closing quote would be part of it.
        let close = self.target.quotes().1;
        for (index, piece) in pieces.iter().enumerate() {
            match *piece {
                Piece::Code(text) | Piece::Quoted(text) | Piece::Comment(text) => {
                    if made && text.starts_with(|c: char| is_word(c) || is_quote(c) || c == close) {
                        self.text(" ");
                    }
                    self.text(text);
                    made = false;
                    continue;
                }
                Piece::Raw(text) => {
                    self.text(text);
                    made = false;
                    continue;
                }
                _ => self.apart(),
            }
            made = true;
            let alone = || stands_alone(pieces, index);
            match piece {
                Piece::Name(name) => self.text(name),
                Piece::Value(value) => self.scalar(value, if alone() { Prec::Lowest } else { Prec::Atom })?,
                Piece::Pred(pred) => self.pred(pred, if alone() { Prec::Lowest } else { Prec::Atom })?,
                Piece::List(items) if alone() => self.list(items)?,
                Piece::List(items) => sql!(self, "(" [self.list(items)] ")"),
                Piece::Query(query) if alone() => self.query(query)?,
                Piece::Query(query) => sql!(self, "(" [self.query(query)] ")"),
                Piece::Items(crate::frame::Items::Text(text)) => self.text(text),
                Piece::Items(crate::frame::Items::List(items)) => self.items(items)?,
                Piece::Items(crate::frame::Items::One) => self.text("1"),
                Piece::Orders(keys) => self.orders("", keys)?,
                Piece::Source(source, joins) => {
                    self.source(source)?;
                    for join in *joins {
                        self.join(join)?;
                    }
                }
                Piece::Code(_) | Piece::Quoted(_) | Piece::Comment(_) | Piece::Raw(_) => {}
            }
        }
        Ok(())
    }

    /// A blank, unless what comes next cannot run into what is there.
    fn apart(&mut self) {
        let safe =
            |c: char| c.is_whitespace() || matches!(c, '(' | ',' | '.' | '=' | '<' | '>' | '+' | '*' | '%' | '|');
        if !self.sql.ends_with(safe) && !self.sql.ends_with('[') && !self.sql.is_empty() {
            self.text(" ");
        }
    }
}

/// Whether a hole is everything between two parentheses, or everything there is.
fn stands_alone(pieces: &[Piece<'_, '_>], index: usize) -> bool {
    let before = pieces.get(..index).unwrap_or_default().iter().rev().find_map(significant);
    let after = pieces.get(index.saturating_add(1)..).unwrap_or_default().iter().find_map(significant);
    match (before, after) {
        (None, None) => true,
        (Some(before), Some(after)) => before.trim_end().ends_with('(') && after.trim_start().starts_with(')'),
        _ => false,
    }
}

/// Code that is not blank; anything else but a comment as no code.
fn significant<'t>(piece: &Piece<'_, 't>) -> Option<&'t str> {
    match piece {
        Piece::Comment(_) => None,
        Piece::Code(text) if text.trim().is_empty() => None,
        Piece::Code(text) => Some(text),
        _ => Some(""),
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '#' | '@') || !c.is_ascii()
}

fn is_quote(c: char) -> bool {
    matches!(c, '\'' | '"' | '`')
}
