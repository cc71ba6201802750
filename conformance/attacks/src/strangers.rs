//! Trees that a stranger might send.

use isogloss::expr::{
    FunctionExpr, PropertyExpr, SelectItemExpr, SqlSegment, TableJoinType, ValueTypeExpr, exists, exists_query, if_else,
};
use isogloss::prelude::*;

use crate::chance::Chance;

/// What a table or view has, most often what may be named.
const TABLES: &[(&str, &[&str])] = &[
    (
        "Document",
        &[
            "Id",
            "Title",
            "Pages",
            "DepartmentId",
            "ParentId",
            "Leaves",
            "Tenant",
            "Id",
            "Title",
            "Secret",
            "Price",
            "Worth",
        ],
    ),
    ("Brief", &["Id", "Title"]),
    ("Department", &["Id", "Name", "Floor", "LatestId", "SupplierId", "Id", "Name", "Budget"]),
    ("Remark", &["Id", "DocumentId", "Text"]),
    ("RemarkView", &["Id", "DocumentId", "Text", "Id", "DocumentTitle", "DocumentWorth", "DepartmentName"]),
    (
        "DepartmentView",
        &["Id", "Name", "Floor", "LatestId", "LatestTitle", "SupplierName", "SupplierTerms", "SupplierTerms"],
    ),
    (
        "DocumentView",
        &["Id", "Title", "Pages", "DepartmentId", "ParentId", "Leaves", "Tenant", "DepartmentName", "Title", "Secret"],
    ),
    ("SupplierView", &["Id", "Name", "Name", "Terms"]),
    ("Supplier", &["Id", "Terms"]),
    ("Audit", &["Id", "Note", "Nothing"]),
];

/// Tables, most often those that may be named.
const SOURCES: &[&str] = &[
    "Department",
    "Department",
    "Remark",
    "Remark",
    "RemarkView",
    "RemarkView",
    "DepartmentView",
    "DepartmentView",
    "SupplierView",
    "Document",
    "shop.document",
    "Brief",
    "DocumentView",
    "Supplier",
    "Audit",
];

/// Of tables, and of joins that are declared, with what they lead to.
const ALIASES: &[(&str, &str)] = &[
    ("Department", "Department"),
    ("T0", "Document"),
    ("T1", "Remark"),
    ("Document", "Document"),
    ("DocumentView", "DocumentView"),
    ("Supplier", "SupplierView"),
    ("Parent", "Document"),
    ("Latest", "Document"),
    ("RemarkView", "RemarkView"),
];

/// Makes trees that stand in a table or view.
struct Stranger<'c> {
    chance: &'c mut Chance,
    place: &'static str,
}

/// A window function over what stands in that table or view, as an item of a select list.
pub fn item(chance: &mut Chance, place: &'static str) -> ValueTypeExpr {
    Stranger { chance, place }.window()
}

/// A filter of what stands in that table or view.
pub fn filter(chance: &mut Chance, place: &'static str, depth: usize) -> LogicExpr {
    Stranger { chance, place }.filter(depth)
}

impl Stranger<'_> {
    /// What stands in another table or view.
    fn within<T>(&mut self, make: impl FnOnce(&mut Stranger<'_>) -> T) -> (&'static str, T) {
        let place = self.chance.pick(SOURCES).unwrap_or("Department");
        (place, make(&mut Stranger { chance: self.chance, place }))
    }

    fn filter(&mut self, depth: usize) -> LogicExpr {
        match self.chance.below(if depth == 0 { 4 } else { 14 }) {
            0 => self.scalar(depth).gt(self.scalar(depth)),
            1 => self.scalar(depth).eq(self.scalar(depth)),
            2 => self.name().contains(self.text()),
            3 => self.name().is_null(),
            4 => !self.filter(depth - 1),
            5 => self.filter(depth - 1) & self.filter(depth - 1),
            6 => self.filter(depth - 1) | self.filter(depth - 1),
            7 => {
                let (table, inner) = self.within(|inner| inner.filter(depth - 1));
                exists_related(table, inner).into()
            }
            8 => {
                let (table, inner) = self.within(|inner| inner.filter(depth - 1));
                exists(table, inner).into()
            }
            9 => exists_query(self.query(depth - 1)),
            10 => {
                let (table, (inner, column)) = self.within(|inner| (inner.filter(depth - 1), inner.column()));
                self.name().in_list(from(table).filter(inner).select([column]))
            }
            11 => !self.name().in_list([self.chance.number(), self.chance.number()]),
            12 => self.name().between(self.chance.number(), self.chance.number() + 9),
            _ => self.scalar(depth - 1).lt(self.scalar(depth - 1)),
        }
    }

    fn scalar(&mut self, depth: usize) -> ValueTypeExpr {
        match self.chance.below(if depth == 0 { 4 } else { 13 }) {
            0 => self.chance.number().into(),
            1 => self.text().into(),
            2 | 3 => self.name().into(),
            4 => self.scalar(depth - 1) + self.scalar(depth - 1),
            5 => self.scalar(depth - 1) / self.scalar(depth - 1),
            6 => func("Length", [self.scalar(depth - 1)]).into(),
            7 => func("Concat", [self.scalar(depth - 1), self.scalar(depth - 1)]).into(),
            8 => if_else(self.filter(depth - 1), self.scalar(depth - 1), self.scalar(depth - 1)).into(),
            9 => func("Coalesce", [self.scalar(depth - 1), self.scalar(depth - 1)]).into(),
            10 => {
                let (table, (inner, column)) = self.within(|inner| (inner.filter(depth - 1), inner.name()));
                from(table).filter(inner).select([column.max()]).into()
            }
            11 => func("Substring", [ValueTypeExpr::from(self.name()), 1.into(), 2.into()]).into(),
            _ => {
                let (alias, place) = self.chance.pick(ALIASES).unwrap_or(("T0", "Document"));
                prop_of(alias, Stranger { chance: self.chance, place }.name().name).into()
            }
        }
    }

    /// What a select list holds.
    fn column(&mut self) -> SelectItemExpr {
        match self.chance.below(4) {
            0 => self.window().into(),
            _ => self.name().into(),
        }
    }

    /// A window function whose value no engine is free to choose: rows that the key does not part are parted by their ids.
    fn window(&mut self) -> ValueTypeExpr {
        let (key, part) = (self.name(), self.name());
        let ordered = |function: FunctionExpr| function.over().order_by([key.desc(), prop("Id").asc()]);
        match self.chance.below(4) {
            0 => ordered(func("RowNumber", args![])).into(),
            1 => ordered(func("Lag", [self.name()])).partition_by([part]).into(),
            2 => ordered(func("FirstValue", [self.name()])).into(),
            _ => self.name().max().over().partition_by([part]).into(),
        }
    }

    fn query(&mut self, depth: usize) -> SqlSegment {
        let (table, source) = self.within(|inner| inner.clauses(depth));
        source(from(table))
    }

    /// What a query of the place says of its rows.
    fn clauses(&mut self, depth: usize) -> impl FnOnce(SqlSegment) -> SqlSegment + use<> {
        let (filter, key, count) = (self.filter(depth), self.name(), self.chance.number());
        let (joined, on) = self.within(|inner| inner.filter(0));
        let way = self.chance.below(5);
        move |source| {
            let source = source.filter(filter);
            match way {
                0 => source.group_by([key.clone()]).having(key.count().gt(count)),
                1 => source.order_by([key.desc()]).take(3),
                2 => source.join(TableJoinType::Inner, from(joined), on),
                _ => source,
            }
        }
    }

    /// A name of the place, or of any other, as that may be one around it.
    fn name(&mut self) -> PropertyExpr {
        // By its short name.
        let place = self.place.rsplit('.').next().unwrap_or_default();
        let own = TABLES.iter().find(|(table, _)| table.eq_ignore_ascii_case(place)).copied();
        let other = self.chance.pick(TABLES);
        let from = if self.chance.below(8) == 0 { other } else { own };
        prop(from.and_then(|(_, names)| self.chance.pick(names)).unwrap_or("Id"))
    }

    fn text(&mut self) -> &'static str {
        self.chance.pick(&["plan", "a", "%", "_", "'", "", "\\", "theirs", "sesame", "Über", "\"", "1"]).unwrap_or("a")
    }
}
