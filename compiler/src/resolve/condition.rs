//! Conditions and values of their own.

use std::cell::Cell;

use crate::compiler::Request;
use crate::error::{ErrorKind, Result};
use crate::expr::{LogicExpr, ValueTypeExpr};
use crate::frame::{Piece, Pred, Statement};
use crate::legalize::Cx;
use crate::names;

use super::Resolver;
use super::scope::{NameScope, Src, SrcKind, Style};
use super::source::{entity, unquoted};
use super::write::Written;

/// A filter over the root entity, for a statement around it that calls its table by `qualifier`.
pub(crate) fn condition<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    filter: &'e LogicExpr,
    request: &Request<'e>,
    qualifier: Option<&str>,
) -> Result<Statement<'a, 'e>> {
    let mut resolver = Resolver::new(cx, request, None);
    let around = resolver.around(qualifier)?;
    let pred = resolver.condition(&around, Some(filter), true, "a condition")?;
    if !resolver.ctes.take(resolver.cx).is_empty() {
        let why = "a condition has no place for one: write the query where it is used";
        return Err(ErrorKind::Misplaced { what: "a common table expression".into(), why }.into());
    }
    Ok(Statement::Template(cx.slice(&[Piece::Pred(pred.unwrap_or(Pred::Const(true)))])))
}

/// A value that is computed from the columns of the root entity and from constants.
pub(crate) fn constant_value<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    value: &'e ValueTypeExpr,
    request: &Request<'e>,
) -> Result<Statement<'a, 'e>> {
    cx.constants_only = true;
    let mut resolver = Resolver::new(cx, request, None);
    let around = resolver.around(None)?;
    let scalar = resolver.value(&NameScope::of(std::slice::from_ref(&around.source), None), value)?;
    if around.source.used.get() != 0 {
        let why = "a generated column is computed from its own table's columns";
        return Err(ErrorKind::Misplaced { what: "a column of a joined table".into(), why }.into());
    }
    Ok(Statement::Template(cx.slice(&[Piece::Value(scalar)])))
}

impl<'a> Resolver<'_, '_, 'a, '_> {
    /// The table of the statement around. That may be a write, so that everything is written as in one.
    fn around<'e>(&mut self, qualifier: Option<&str>) -> Result<Written<'a, 'e>> {
        let Some(root) = self.request.root else {
            let why = "it is over the request's root entity: `Request::of(entity)`";
            return Err(ErrorKind::Misplaced { what: "a condition or a value without a table".into(), why }.into());
        };
        let (id, _) = entity(self.cx.target, root)?;
        let (entity, texts) = self.texts(id)?;
        let args = self.args_or(entity, None)?;
        let table = self.table_name(entity, texts, args)?;
        self.cx.main_is_taken();
        let (quoted, style) = match qualifier {
            None => (table, Style::Bare(table)),
            Some(name) if names::is_reserved_alias(name) && !name.eq_ignore_ascii_case("T0") => {
                let why = "the condition's own subqueries have aliases like it: choose another one".to_owned();
                return Err(ErrorKind::BadName { name: name.to_owned(), why }.into());
            }
            Some(name) => (self.cx.quoted(&[name]), Style::Alias),
        };
        let joins = self.cx.bump.alloc_slice_fill_with(entity.joins.len(), |_| Cell::new(""));
        let kind = SrcKind::Entity { id, entity, texts, style, args, joins };
        let alias = if qualifier.is_some() { unquoted(quoted) } else { "T0" };
        let source = Src::new(alias, quoted, kind);
        self.written = Some(id);
        self.cx.writes = true;
        Ok(Written::around(id, entity, source, table))
    }
}
