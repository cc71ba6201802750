//! Whether the text of a template leaves the scope of its request.

use crate::error::Result;
use crate::expr::{Expr, SqlSegment};
use crate::frame::Piece;
use crate::names;
use crate::template::{Hole, HoleKind, TemplatePart, is_word};

use super::super::Resolver;
use super::{Parts, wrong};

/// Words that name a table only in quotes, whatever the engine.
const RESERVED: [&str; 34] = [
    "all", "and", "as", "by", "case", "column", "create", "distinct", "else", "end", "from", "group", "having", "in",
    "index", "into", "is", "join", "left", "like", "limit", "not", "null", "on", "or", "order", "right", "select",
    "set", "table", "then", "union", "values", "where",
];

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    /// An error if the request's scope has filters, and one of the tables may be without them.
    pub(super) fn is_in_scope(&self, parts: &Parts<'a, 'e>) -> Result<()> {
        let silent = match &parts.main {
            Some((id, ..)) => self.scope_is_silent(*id)?,
            None => false,
        };
        let template = parts.template;
        let holes = template
            .parts
            .iter()
            .filter_map(|part| if let TemplatePart::Hole(hole) = part { Some(hole) } else { None });
        let mut holes = holes.chain(&template.args).chain(template.named.iter().map(|(_, hole)| hole));
        let in_scope = match parts.tabled {
            true => silent || parts.filters >= parts.tables && (parts.filters > 0 || !parts.froms.is_empty()),
            false => self.request.scope.is_none_or(|scope| scope.filters().is_empty()) || holes.any(is_query),
        };
        if in_scope { Ok(()) } else { Err(outside("")) }
    }

    /// An error if code of the text has the name of a table about which the scope is not silent.
    pub(super) fn names_no_table(&self, parts: &Parts<'a, 'e>, code: &str) -> Result<()> {
        let mut rest = code;
        while let Some(start) = rest.find(is_word) {
            let word = rest.get(start..).unwrap_or("");
            let end = start + word.find(|c| !is_word(c)).unwrap_or(word.len());
            let word = rest.get(start..end).unwrap_or("");
            if !RESERVED.iter().any(|reserved| reserved.eq_ignore_ascii_case(word)) {
                let before = code.len() - rest.len() + start;
                self.is_no_table(parts, code.get(..before).unwrap_or(""), word)?;
            }
            rest = rest.get(end..).unwrap_or("");
        }
        Ok(())
    }

    /// As [`names_no_table`](Self::names_no_table), of what stands in quotes. A literal names nothing.
    pub(super) fn quoted_is_no_table(&self, parts: &Parts<'a, 'e>, quoted: &str) -> Result<()> {
        let Some(quote) = quoted.chars().next().filter(|quote| matches!(quote, '"' | '`')) else { return Ok(()) };
        let name = quoted.trim_matches(quote).replace(&String::from_iter([quote, quote]), &quote.to_string());
        self.is_no_table(parts, "", &name)
    }

    /// An error if a name behind some code of the text is that of a table about which the scope is not silent.
    pub(super) fn is_no_table(&self, parts: &Parts<'a, 'e>, before: &str, name: &str) -> Result<()> {
        let (target, scope) = (self.cx.target, self.request.scope);
        let main = parts.main.as_ref().map(|(id, ..)| target.catalog().get(*id));
        for (id, entity) in target.catalog().entities() {
            let meant = (scope.is_some() || entity.scoped)
                && entity.table.is_called(name)
                && main.is_none_or(|main| target.in_one_source(main, entity));
            if meant && !is_behind_alias(&parts.pieces, before) && !self.scope_is_silent(id)? {
                return Err(outside(&format!(" for the table of `{}`, which it names", entity.name)));
            }
        }
        Ok(())
    }
}

/// Whether what follows is a column: behind `T0.`, which is no schema.
fn is_behind_alias(pieces: &[Piece<'_, '_>], before: &str) -> bool {
    let (before, pieces) = match pieces.split_last() {
        Some((Piece::Code(code), pieces)) if before.is_empty() => (*code, pieces),
        _ => (before, pieces),
    };
    let Some(owner) = before.trim_end().strip_suffix('.').map(str::trim_end) else { return false };
    let alias = match (owner, pieces.last()) {
        ("", Some(Piece::Name(name) | Piece::Quoted(name))) => name.trim_matches(['"', '`', '[', ']']),
        _ => owner.rsplit(|c| !is_word(c)).next().unwrap_or(""),
    };
    names::is_reserved_alias(alias)
}

/// Whether a hole is filled by a query of the program.
fn is_query(hole: &Hole) -> bool {
    matches!(&hole.0, HoleKind::Expr(Expr::Segment(segment)) if !matches!(segment, SqlSegment::CommonTable(_)))
}

fn outside(which: &str) -> crate::Error {
    wrong(format!(
        "the scope has filters, and nothing in the text says where they go{which}: read from `{{From}}`, write `WHERE {{FixedFilter}} AND ..` behind each \
         `{{Table}}`, put a query into a hole, write `T0.` ahead of a column, or say `unscoped` with a reason"
    ))
}
