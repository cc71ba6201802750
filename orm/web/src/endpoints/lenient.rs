//! Trees that rule 5 of the page endpoint ignores, although they are not well formed.

use isogloss::expr::{Expr, ValueTypeExpr, constant};
use isogloss::json::{self, ReadLimits};

use crate::body::members;

/// A tree of a body that is not well formed.
#[derive(Debug)]
pub(super) struct Ignored {
    /// What is left of the tree.
    pub(super) expr: Expr,
    /// The filter directly in a `$section`, which is left out of the tree.
    pub(super) filter: Option<Expr>,
}

/// Reads a page over a filter, which cannot take a section (rule 3), and an `and` or `or` without items (rule 5).
pub(super) fn read(body: &[u8], limits: &ReadLimits) -> Option<Ignored> {
    let members = members::of(body).ok()?;
    let member = |name: &str| members.iter().find(|(member, _)| member == name).map(|(_, raw)| raw.get());
    if let Some(source) = member("$section") {
        let filter = json::read(source, limits).ok().filter(|source| matches!(source, Expr::Logic(_)))?;
        let rest = members.iter().filter(|(name, _)| name != "$section");
        let rest: String =
            rest.map(|(name, raw)| format!(",{}:{}", serde_json::Value::from(&**name), raw.get())).collect();
        let expr = json::read(&format!("{{\"$section\":null{rest}}}"), limits).ok()?;
        return Some(Ignored { expr, filter: Some(filter) });
    }
    let marker: String = serde_json::from_str(member("$")?).ok()?;
    let is_list = marker.eq_ignore_ascii_case("and") || marker.eq_ignore_ascii_case("or");
    // The specification's reader skips the keys that a node does not have.
    (is_list && member("Items").is_none())
        .then(|| Ignored { expr: ValueTypeExpr::from(constant(1)).into(), filter: None })
}
