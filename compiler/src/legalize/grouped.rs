//! What a grouped query may say of a row: only what all rows of a group have in common.

use crate::error::{ErrorKind, Result};
use crate::frame::{Call, Items, Order, Pred, Scalar, ScalarKind, Select};
use crate::functions::Class;

use super::Cx;
use super::parts::{Part, Seen};

impl<'a, 'e> Cx<'a, 'e> {
    /// Looks for a column of the query's own tables that is neither a key of the group nor inside of an aggregate: some
    /// engines would take it of any row. `own` are the quoted aliases of those tables, `keys` what the query was grouped
    /// by before any of that was put otherwise.
    ///
    /// Nor is an aggregate over columns of a query around it one of this query: see [`of_outer`](Self::of_outer).
    pub(crate) fn only_grouped(
        &self,
        select: &Select<'a, 'e>,
        keys: &[Scalar<'a, 'e>],
        order: &[Order<'a, 'e>],
        own: &[&str],
    ) -> Result<()> {
        let mut found = None;
        let mut outer = None;
        let columns_only = select.group.iter().chain(keys).all(|key| key.kind.as_column().is_some());
        let mut look = |cx: &Self, part: Part<'_, 'a, 'e>| {
            let Part::Scalar(value) = part else { return Seen::Into };
            match value.kind {
                ScalarKind::Param(_) | ScalarKind::Literal(_) => Seen::Past,
                ScalarKind::Column(text) if keys.iter().any(|key| key.kind.as_column() == Some(text)) => Seen::Past,
                _ if !columns_only && select.group.iter().chain(keys).any(|key| cx.same(key, value)) => Seen::Past,
                ScalarKind::Call(call) => match call.func.map(crate::functions::Func::signature) {
                    Some(signature) if signature.class == Class::Aggregate => {
                        if cx.of_outer(call, own) {
                            outer = Some(signature.name);
                        }
                        Seen::Past
                    }
                    _ => Seen::Into,
                },
                ScalarKind::Column(text) if own.iter().any(|own| is_of(text, own)) => {
                    found = Some(text);
                    Seen::Found
                }
                _ => Seen::Into,
            }
        };
        let items = if let Items::List(items) = select.items { items } else { &[] };
        let stray = items.iter().any(|item| self.finds(&item.value, &mut look))
            || select.having.iter().any(|pred| self.finds_in(pred, &mut look))
            || select.distinct_on.iter().any(|key| self.finds(key, &mut look))
            || order.iter().any(|key| self.finds(&key.value, &mut look));
        if let Some(name) = outer {
            let what = format!("aggregate `{name}` over columns of a query around it only");
            let why = "SQL takes it for an aggregate of that query, and some engines do not: aggregate a column of this \
                       query, or compute it in that one";
            return Err(ErrorKind::Misplaced { what, why }.into());
        }
        match found {
            Some(column) if stray => {
                let what = format!("the column {column} beside groups or aggregates");
                let why = "each group has many rows: group by it too, or take its Min or Max";
                Err(ErrorKind::Misplaced { what, why }.into())
            }
            _ => Ok(()),
        }
    }

    /// Whether an aggregate is over columns of a query around this one and over nothing of this one.
    fn of_outer(&self, call: &Call<'a, 'e>, own: &[&str]) -> bool {
        let mut outer = false;
        let mut look = |_: &Self, part: Part<'_, 'a, 'e>| match part {
            Part::Scalar(value) => match value.kind {
                ScalarKind::Column(text) if text.contains('.') && !own.iter().any(|own| is_of(text, own)) => {
                    outer = true;
                    Seen::Into
                }
                // What stands in a subquery or in the program's own text is not known.
                ScalarKind::Column(_) | ScalarKind::Query(_) | ScalarKind::Fragment(_) => Seen::Found,
                _ => Seen::Into,
            },
            Part::Pred(Pred::Exists(..) | Pred::In(_) | Pred::Text(_) | Pred::Fragment(_)) => Seen::Found,
            Part::Pred(_) => Seen::Into,
        };
        let inside = call.args.iter().any(|arg| self.finds(arg, &mut look))
            || call.order.iter().any(|key| self.finds(&key.value, &mut look))
            || call.filter.iter().any(|pred| self.finds_in(pred, &mut look));
        outer && !inside
    }
}

/// Whether a column's text has that qualifier.
pub(crate) fn is_of(column: &str, qualifier: &str) -> bool {
    column.strip_prefix(qualifier).is_some_and(|rest| rest.starts_with('.'))
}
