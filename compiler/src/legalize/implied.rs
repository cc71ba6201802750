//! What an OR over several tables implies for one of them alone.

use bumpalo::collections::Vec as BumpVec;

use crate::dialect::Feature;
use crate::error::Result;
use crate::frame::{InList, Part, Pred, ScalarKind};

use super::{Cx, logic};

/// The most alternatives of an OR that are looked at, the most comparisons in them, and the most values beside a column. More of
/// them say little, and cost a text of that length once more.
const MOST: [usize; 3] = [16, 64, 16];

/// Adds to the filters of a query what each OR over several of its tables implies for one of them, where the engine does not
/// find that by itself. With it, the engine can begin with the few rows of that table.
///
/// ```sql
/// -- before                                        -- after
/// WHERE (p.a = ? AND l.b < ?)                      WHERE (p.a = ? AND l.b < ?
///    OR (p.a = ? AND l.b < ?)                         OR p.a = ? AND l.b < ?)
///                                                    AND (p.a = ? OR p.a = ?) AND (l.b < ? OR l.b < ?)
/// ```
pub(crate) fn by_table<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    tables: &[&'a str],
    filters: &mut BumpVec<'a, Pred<'a, 'e>>,
) -> Result<()> {
    let mut implied = cx.vec(0);
    for filter in filters.iter().flat_map(conjuncts) {
        if let Pred::Or(branches) = filter {
            implied_by(cx, tables, branches, &mut implied);
        }
    }
    // What is bound once more must not be what makes it too much.
    let values = implied.iter().map(|pred| values_in(pred.into())).sum::<usize>();
    let bound = cx.params.get() + values;
    if implied.is_empty() || bound > cx.target.dialect().sheet().limits.parameters / 2 {
        return Ok(());
    }
    if cx.rule_for(Feature::OrOfTables)?.is_some() {
        cx.params.set(bound);
        filters.extend(implied);
    }
    Ok(())
}

/// What must all be true.
fn conjuncts<'p, 'a, 'e>(pred: &'p Pred<'a, 'e>) -> &'p [Pred<'a, 'e>] {
    match pred {
        Pred::And(items) => items,
        other => std::slice::from_ref(other),
    }
}

fn implied_by<'a, 'e>(
    cx: &Cx<'a, 'e>,
    tables: &[&'a str],
    branches: &[Pred<'a, 'e>],
    implied: &mut BumpVec<'a, Pred<'a, 'e>>,
) {
    let [most_branches, most_items, _] = MOST;
    let count = branches.iter().take(most_branches + 1).map(|branch| conjuncts(branch).len()).sum::<usize>();
    let Some(first) = branches.first() else { return };
    if branches.len() > most_branches || count > most_items {
        return;
    }
    // Of each comparison, its table.
    let mut sorted = cx.vec(branches.len());
    for branch in branches {
        let mut items = cx.vec(conjuncts(branch).len());
        items.extend(conjuncts(branch).iter().map(|item| (table_of(item, tables), *item)));
        sorted.push(items);
    }
    let is_other = |of: Option<&str>, table| of.is_some_and(|of| of != table);
    let mut seen: BumpVec<'a, &'a str> = cx.vec(0);
    for table in conjuncts(first).iter().filter_map(|item| table_of(item, tables)) {
        if seen.contains(&table) || !sorted.iter().flatten().any(|(of, _)| is_other(*of, table)) {
            continue;
        }
        seen.push(table);
        let mut alternatives = cx.vec(branches.len());
        for items in &sorted {
            let mut own = cx.vec(0);
            own.extend(items.iter().filter(|(of, _)| *of == Some(table)).map(|(_, item)| *item));
            if own.is_empty() {
                break;
            }
            alternatives.push(logic::all_owned(cx, own));
        }
        if alternatives.len() == branches.len() {
            implied.push(logic::any(cx, &alternatives));
        }
    }
}

/// The table of a comparison of its columns with values. What is computed is left where it stands, as it may be an error, and
/// so is what another query computes.
fn table_of<'a>(pred: &Pred<'a, '_>, tables: &[&'a str]) -> Option<&'a str> {
    let is_plain = match pred {
        Pred::Compare(_) | Pred::Match(_) | Pred::Null(..) => true,
        Pred::In(node) => matches!(node.list, InList::Values(..) | InList::Scalars(_)),
        _ => false,
    };
    let mut table = None;
    let [.., most_values] = MOST;
    let is_of_one = is_plain && !Part::from(pred).any_child(|part| !is_of(part, &mut table));
    table.filter(|table| is_of_one && tables.contains(table) && values_in(pred.into()) <= most_values)
}

/// Whether it is a column of that table, the first one that is found, or a value.
fn is_of<'a>(part: Part<'_, 'a, '_>, table: &mut Option<&'a str>) -> bool {
    let Part::Scalar(scalar) = part else { return false };
    match scalar.kind {
        ScalarKind::Param(_) | ScalarKind::Literal(_) => true,
        ScalarKind::Exact(inner, _) => is_of(inner.into(), table),
        ScalarKind::Column(column) => column.qualifier().is_some_and(|own| *table.get_or_insert(own) == own),
        _ => false,
    }
}

/// How many values are bound in it.
fn values_in(part: Part<'_, '_, '_>) -> usize {
    if let Part::Scalar(scalar) = part
        && let ScalarKind::Param(_) = scalar.kind
    {
        return 1;
    }
    let mut count = 0;
    part.any_child(|child| {
        count += values_in(child);
        false
    });
    count
}
