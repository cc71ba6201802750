//! What a grouped query may say of a row: only what all rows of a group have in common.

use crate::error::{ErrorKind, Result};
use crate::frame::{Items, Order, Scalar, ScalarKind, Select};
use crate::functions::Class;

use super::Cx;
use super::parts::{Part, Seen};

impl<'a, 'e> Cx<'a, 'e> {
    /// Looks for a column of the query's own tables that is neither a key of the group nor inside of an aggregate: some
    /// engines would take it of any row. `own` are the quoted aliases of those tables, `keys` what the query was grouped
    /// by before any of that was put otherwise.
    pub(crate) fn only_grouped(
        &self,
        select: &Select<'a, 'e>,
        keys: &[Scalar<'a, 'e>],
        order: &[Order<'a, 'e>],
        own: &[&str],
    ) -> Result<()> {
        let mut found = None;
        let columns_only = select.group.iter().chain(keys).all(|key| key.kind.as_column().is_some());
        let mut look = |cx: &Self, part: Part<'_, 'a, 'e>| {
            let Part::Scalar(value) = part else { return Seen::Into };
            match value.kind {
                ScalarKind::Param(_) | ScalarKind::Literal(_) => Seen::Past,
                ScalarKind::Column(text) if keys.iter().any(|key| key.kind.as_column() == Some(text)) => Seen::Past,
                _ if !columns_only && select.group.iter().chain(keys).any(|key| cx.same(key, value)) => Seen::Past,
                ScalarKind::Call(call) if call.func.is_some_and(|f| f.signature().class == Class::Aggregate) => {
                    Seen::Past
                }
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
            || order.iter().any(|key| self.finds(&key.value, &mut look));
        match found {
            Some(column) if stray => {
                let what = format!("the column {column} beside groups or aggregates");
                let why = "each group has many rows: group by it too, or take its Min or Max";
                Err(ErrorKind::Misplaced { what, why }.into())
            }
            _ => Ok(()),
        }
    }
}

/// Whether a column's text has that qualifier.
fn is_of(column: &str, qualifier: &str) -> bool {
    column.strip_prefix(qualifier).is_some_and(|rest| rest.starts_with('.'))
}
