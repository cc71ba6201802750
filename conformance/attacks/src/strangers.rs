//! Trees that a stranger might send.

use isogloss::expr::PropertyExpr;
use isogloss::prelude::*;

use crate::chance::Chance;

/// Names that there are and may be named, that there are and may not, and that are not there.
const NAMES: &[&str] = &[
    "Id",
    "Title",
    "Pages",
    "DepartmentId",
    "Tenant",
    "Id",
    "Title",
    "Pages",
    "Name",
    "Floor",
    "Secret",
    "Price",
    "Budget",
    "Note",
    "Nothing",
];

/// Tables, most often those that may be named.
const TABLES: &[&str] = &["Department", "Department", "Department", "Document", "Audit"];

/// A filter.
pub fn filter(chance: &mut Chance, depth: usize) -> LogicExpr {
    match chance.below(if depth == 0 { 4 } else { 14 }) {
        0 => scalar(chance, depth).gt(scalar(chance, depth)),
        1 => scalar(chance, depth).eq(scalar(chance, depth)),
        2 => name(chance).contains(text(chance)),
        3 => name(chance).is_null(),
        4 => !filter(chance, depth - 1),
        5 => filter(chance, depth - 1) & filter(chance, depth - 1),
        6 => filter(chance, depth - 1) | filter(chance, depth - 1),
        7 => exists_related(table_name(chance), filter(chance, depth - 1)).into(),
        8 => exists(table_name(chance), filter(chance, depth - 1)).into(),
        9 => exists_query(query(chance, depth - 1)),
        10 => name(chance).in_list(from(table_name(chance)).filter(filter(chance, depth - 1)).select([name(chance)])),
        11 => !name(chance).in_list([chance.number(), chance.number()]),
        12 => name(chance).between(chance.number(), chance.number() + 9),
        _ => scalar(chance, depth - 1).lt(scalar(chance, depth - 1)),
    }
}

fn scalar(chance: &mut Chance, depth: usize) -> ValueTypeExpr {
    match chance.below(if depth == 0 { 4 } else { 13 }) {
        0 => chance.number().into(),
        1 => text(chance).into(),
        2 | 3 => name(chance).into(),
        4 => scalar(chance, depth - 1) + scalar(chance, depth - 1),
        5 => scalar(chance, depth - 1) / scalar(chance, depth - 1),
        6 => func("Length", [scalar(chance, depth - 1)]).into(),
        7 => func("Concat", [scalar(chance, depth - 1), scalar(chance, depth - 1)]).into(),
        8 => if_else(filter(chance, depth - 1), scalar(chance, depth - 1), scalar(chance, depth - 1)).into(),
        9 => func("Coalesce", [scalar(chance, depth - 1), scalar(chance, depth - 1)]).into(),
        10 => from(table_name(chance)).filter(filter(chance, depth - 1)).select([name(chance).max()]).into(),
        11 => func("Substring", [ValueTypeExpr::from(name(chance)), 1.into(), 2.into()]).into(),
        _ => {
            let alias = chance.pick(&["Department", "T0", "T1", "Document"]).unwrap_or("T0");
            prop_of(alias, chance.pick(NAMES).unwrap_or("Id")).into()
        }
    }
}

fn query(chance: &mut Chance, depth: usize) -> SqlSegment {
    let source = from(table_name(chance)).filter(filter(chance, depth));
    match chance.below(5) {
        0 => source.group_by([name(chance)]).having(name(chance).count(false).gt(chance.number())),
        1 => source.order_by([name(chance).desc()]).take(3),
        2 => source.join(TableJoinType::Inner, from(table_name(chance)), filter(chance, 0)),
        _ => source,
    }
}

fn table_name(chance: &mut Chance) -> &'static str {
    chance.pick(TABLES).unwrap_or("Department")
}

fn name(chance: &mut Chance) -> PropertyExpr {
    prop(chance.pick(NAMES).unwrap_or("Id"))
}

fn text(chance: &mut Chance) -> &'static str {
    chance.pick(&["plan", "a", "%", "_", "'", "", "\\", "theirs", "sesame", "Über", "\"", "1"]).unwrap_or("a")
}
