//! Queries.

use isogloss_compiler::args;
use isogloss_compiler::expr::{
    Expr, FrameBound, FrameUnit, FunctionExpr, OrderByItemExpr, SelectExpr, SelectItemExpr, SqlSegment, TableJoinType,
    ValueOps, ValueTypeExpr, WindowExpr, aggregate, cte, from, func, prop, prop_of,
};
use isogloss_compiler::model::Catalog;

use super::scope::Column;
use super::{Choices, Scope};
use crate::evaluator::Kind;

/// A random query.
pub fn query(catalog: &Catalog, choices: &mut Choices<'_>) -> Expr {
    let scope = Scope::new(catalog);
    let segment: SqlSegment = match choices.below(14) {
        0..=3 => choices.rows(&scope).into(),
        4 | 5 => choices.groups(&scope),
        6 => choices.totals(&scope).into(),
        7 => choices.distinct(&scope),
        8 => choices.set(&scope),
        9 => choices.joined(&scope),
        10 => choices.over_select(&scope),
        11 => choices.common(&scope),
        12 => choices.pages(&scope),
        _ => choices.ranked(&scope),
    };
    Expr::from(segment)
}

/// The item's name.
fn named(value: ValueTypeExpr, place: usize) -> SelectItemExpr {
    value.alias(format!("c{place}"))
}

/// A key of an order that says where NULL goes.
fn key(choices: &mut Choices<'_>, value: impl Into<ValueTypeExpr>) -> OrderByItemExpr {
    let value = value.into();
    let item = if choices.chance(30) { value.desc() } else { value.asc() };
    if choices.chance(50) { item.nulls_last() } else { item.nulls_first() }
}

impl Choices<'_> {
    /// A table to select from, with what can be named of it: by an alias or by nothing, and the statement's main table
    /// by `T0`.
    fn source<'s>(&mut self, scope: &Scope<'s>, main: bool) -> (SqlSegment, Scope<'s>) {
        let entity = self.entity();
        let table = from(entity);
        match self.below(3) {
            0 => (table, scope.over(entity, None, false)),
            1 if main => (table, scope.over(entity, Some("T0"), true)),
            _ => {
                let alias = self.alias();
                let inner = scope.over(entity, Some(&alias), true);
                (table.aliased(alias), inner)
            }
        }
    }

    /// The statement's main table, or some of its rows.
    fn filtered_source<'s>(&mut self, scope: &Scope<'s>) -> (SqlSegment, Scope<'s>) {
        let source = self.source(scope, true);
        self.some_of(source)
    }

    /// A table further in, or some of its rows.
    fn inner_source<'s>(&mut self, scope: &Scope<'s>) -> (SqlSegment, Scope<'s>) {
        let source = self.source(scope, false);
        self.some_of(source)
    }

    fn some_of<'s>(&mut self, (table, inner): (SqlSegment, Scope<'s>)) -> (SqlSegment, Scope<'s>) {
        let table = if self.chance(80) { table.filter(self.logic(&inner, 3)) } else { table };
        (table, inner)
    }

    /// The first column of the innermost table: its key.
    fn id(scope: &Scope<'_>) -> ValueTypeExpr {
        scope.columns.first().map_or_else(|| prop("Id").into(), |column| column.prop().into())
    }

    fn items(&mut self, scope: &Scope<'_>, kinds: &[Kind]) -> Vec<SelectItemExpr> {
        let items = kinds.iter().enumerate();
        items.map(|(place, kind)| named(self.of(scope, *kind, 2), place)).collect()
    }

    fn some_kinds(&mut self) -> Vec<Kind> {
        let count = 1 + self.below(3);
        (0..count).map(|_| self.kind()).collect()
    }

    /// Rows of one table, in an order and by pages now and then.
    fn rows(&mut self, scope: &Scope<'_>) -> SelectExpr {
        let (mut query, inner) = self.filtered_source(scope);
        if self.chance(40) {
            query = query.order_by(self.keys(&inner));
            if self.chance(30) {
                query = query.filter(self.logic(&inner, 2));
            }
        }
        query = self.page(query);
        let shown = Scope { loose: true, ..inner.clone() };
        match self.below(6) {
            0 => query.select_all(),
            _ => {
                let kinds = self.some_kinds();
                let mut items = vec![named(Self::id(&inner), 9)];
                items.extend(self.items(&shown, &kinds));
                query.select(items)
            }
        }
    }

    /// The keys of an order, which tell any two rows apart.
    fn keys(&mut self, scope: &Scope<'_>) -> Vec<OrderByItemExpr> {
        let mut keys = Vec::new();
        for _ in 0..self.below(3) {
            let kind = self.kind();
            if kind.has_one_order() {
                let value = self.of(scope, kind, 1);
                keys.push(key(self, value));
            }
        }
        keys.push(Self::id(scope).asc());
        keys
    }

    fn page(&mut self, query: SqlSegment) -> SqlSegment {
        match self.below(5) {
            0 => query.section(self.between(0, 3).unsigned_abs(), self.between(0, 5).unsigned_abs()),
            1 if self.chance(30) => query.skip(self.between(1, 3).unsigned_abs()),
            _ => query,
        }
    }

    /// Groups by columns or by what is computed of them.
    fn groups(&mut self, scope: &Scope<'_>) -> SqlSegment {
        let (query, inner) = self.filtered_source(scope);
        let mut keys: Vec<(ValueTypeExpr, Kind)> = Vec::new();
        let mut columns = Vec::new();
        for _ in 0..=self.below(2) {
            let kind = self.kind();
            match inner.column(self, kind).filter(|_| self.chance(70)) {
                Some(column) => {
                    keys.push((column.prop().into(), kind));
                    columns.push(column);
                }
                None => {
                    let Some(column) = inner.column(self, kind) else { continue };
                    // A key that is computed has a column in it: a constant groups nothing.
                    let value = func("Coalesce", [column.prop().into(), self.literal(kind)]);
                    keys.push((value.into(), kind));
                }
            }
        }
        if keys.is_empty() {
            keys.push((Self::id(&inner), Kind::Int));
        }
        let groups = Scope { grouped: Some(inner.columns.clone()), columns, ..inner };
        let mut query = query.group_by(keys.iter().map(|(key, _)| key.clone()));
        if self.chance(40) {
            query = query.having(self.logic(&groups, 2));
        }
        let orderly = keys.iter().all(|(_, kind)| kind.has_one_order());
        // In an order of the groups, or of what is selected of them; a page is cut of the latter, as aggregates over a
        // page are of its rows.
        let after = self.chance(40);
        if orderly && !after && self.chance(40) {
            let number = self.of(&groups, Kind::Int, 1);
            let order = [number].into_iter().chain(keys.iter().map(|(value, _)| value.clone()));
            let order: Vec<OrderByItemExpr> = order.map(|value| key(self, value)).collect();
            query = query.order_by(order);
        }
        // What is compared further on is exact.
        let further = (!orderly || !after) && self.chance(30);
        let shown = Scope { loose: !further, ..groups };
        let kinds = self.some_kinds();
        let mut items = self.items(&shown, &kinds);
        let count = keys.len();
        let keyed = keys.into_iter().enumerate().map(|(place, (value, _))| value.alias(format!("k{place}")));
        items.extend(keyed);
        let query = SqlSegment::from(query.select(items));
        if !orderly || !after {
            return if further { self.further(scope, query, &kinds) } else { query };
        }
        let order: Vec<OrderByItemExpr> = (0..count).map(|place| key(self, prop(format!("k{place}")))).collect();
        let query = query.order_by(order);
        self.page(query)
    }

    /// Aggregates of all rows.
    fn totals(&mut self, scope: &Scope<'_>) -> SelectExpr {
        let (query, inner) = self.filtered_source(scope);
        let groups = Scope { grouped: Some(inner.columns.clone()), columns: Vec::new(), loose: true, ..inner };
        let kinds = self.some_kinds();
        let items = self.items(&groups, &kinds);
        // Without an aggregate among them it would be one row for each row.
        let count = isogloss_compiler::expr::count_all().alias("n");
        query.select(items.into_iter().chain([count]))
    }

    fn distinct(&mut self, scope: &Scope<'_>) -> SqlSegment {
        let (query, inner) = self.filtered_source(scope);
        let kinds = self.some_kinds();
        let select = query.select(self.items(&inner, &kinds)).distinct();
        self.ordered(select, &kinds)
    }

    /// In the order of its columns, and by pages, now and then.
    fn ordered(&mut self, select: SelectExpr, kinds: &[Kind]) -> SqlSegment {
        let query = SqlSegment::from(select);
        if !kinds.iter().all(|kind| kind.has_one_order()) || self.chance(50) {
            return query;
        }
        let keys: Vec<OrderByItemExpr> = (0..kinds.len()).map(|place| key(self, prop(format!("c{place}")))).collect();
        let query = query.order_by(keys);
        self.page(query)
    }

    fn set(&mut self, scope: &Scope<'_>) -> SqlSegment {
        let kinds = self.some_kinds();
        let whole = self.members(scope, &kinds, 2);
        if self.chance(30) {
            return self.further(scope, whole.into(), &kinds);
        }
        self.ordered(whole, &kinds)
    }

    /// Two or three select lists of these kinds, some of which are several themselves.
    fn members(&mut self, scope: &Scope<'_>, kinds: &[Kind], depth: usize) -> SelectExpr {
        let mut whole = self.member(scope, kinds);
        for _ in 0..=self.below(2) {
            let next = match depth {
                1.. if self.chance(20) => self.members(scope, kinds, depth - 1),
                _ => self.member(scope, kinds),
            };
            whole = match self.below(4) {
                0 => whole.union_all(next),
                1 => whole.union(next),
                2 => whole.intersect(next),
                _ => whole.except(next),
            };
        }
        whole
    }

    fn member(&mut self, scope: &Scope<'_>, kinds: &[Kind]) -> SelectExpr {
        let (query, inner) = self.inner_source(scope);
        let query = if self.chance(15) {
            let keys = self.keys(&inner);
            self.page(query.order_by(keys))
        } else {
            query
        };
        query.select(self.items(&inner, kinds))
    }

    fn joined(&mut self, scope: &Scope<'_>) -> SqlSegment {
        // In the condition of a join, a view has its own columns only.
        let (left, right) = (self.entity(), self.pick(&super::catalog::TABLES));
        let (a, b) = (self.alias(), self.alias());
        let outer = scope.over(left, Some(&a), true);
        let inner = outer.over(right, Some(&b), true);
        let both = Scope { depth: 1, entity: outer.entity, ..inner };
        let types = [TableJoinType::Left, TableJoinType::Inner, TableJoinType::Right, TableJoinType::Full];
        let kind = types.get(self.below(types.len())).copied().unwrap_or_default();
        // A FULL JOIN of PostgreSQL takes equalities only.
        let on = prop_of(a.clone(), "Id").eq(prop_of(b.clone(), "Id"));
        let on = if kind != TableJoinType::Full && self.chance(60) { self.logic(&both, 1) } else { on };
        let mut query = from(left).aliased(a.clone()).join(kind, from(right).aliased(b.clone()), on);
        if self.chance(50) {
            query = query.filter(self.logic(&both, 2));
        }
        if self.chance(40) {
            let ids = [prop_of(a, "Id"), prop_of(b, "Id")].map(|id| key(self, id));
            query = query.order_by(ids);
            query = self.page(query);
        }
        let kinds = self.some_kinds();
        let shown = Scope { loose: true, ..both };
        query.select(self.items(&shown, &kinds)).into()
    }

    /// The columns that a select list of these kinds gives.
    fn columns(kinds: &[Kind], alias: Option<&str>) -> Vec<Column> {
        let column = |(place, kind): (usize, &Kind)| Column {
            alias: alias.map(str::to_owned),
            name: format!("c{place}"),
            kind: *kind,
            // An Int64 may be the least one.
            bits: if *kind == Kind::Int { 64 } else { 48 },
        };
        kinds.iter().enumerate().map(column).collect()
    }

    /// A query over the result of another.
    fn over_select(&mut self, scope: &Scope<'_>) -> SqlSegment {
        let kinds = self.some_kinds();
        let (query, inner) = self.inner_source(scope);
        let (query, ordered) = match self.below(4) {
            0 => (query, false),
            1 => (query.order_by([Self::id(&inner).asc()]).take(4), true),
            2 => (query.order_by(self.keys(&inner)), true),
            _ => {
                let keys = self.keys(&inner);
                (self.page(query.order_by(keys)), true)
            }
        };
        let select = query.select(self.items(&inner, &kinds));
        let outer = Scope { columns: Self::columns(&kinds, None), depth: 1, ..Scope::new(scope.catalog) };
        let mut query = SqlSegment::from(select);
        if ordered && kinds.first().is_none_or(|kind| kind.has_one_order()) && self.chance(30) {
            query = query.order_by([key(self, prop("c0"))]);
        }
        let mut filtered = query.filter(self.logic(&outer, 2));
        if ordered && self.chance(40) {
            filtered = self.page(filtered);
        }
        if self.chance(40) {
            let groups = Scope { grouped: Some(outer.columns.clone()), columns: Vec::new(), ..outer };
            let more = self.some_kinds();
            let items = self.items(&groups, &more);
            return filtered.select(items.into_iter().chain([isogloss_compiler::expr::count_all().alias("n")])).into();
        }
        let more = self.some_kinds();
        let query = SqlSegment::from(filtered.select(self.items(&outer, &more)));
        if ordered && self.chance(40) { self.page(query) } else { query }
    }

    /// A query over a select list of these kinds: its rows, or groups of them.
    fn further(&mut self, around: &Scope<'_>, query: SqlSegment, kinds: &[Kind]) -> SqlSegment {
        let scope = Scope { columns: Self::columns(kinds, None), depth: 1, ..Scope::new(around.catalog) };
        let query = if self.chance(60) { query.filter(self.logic(&scope, 2)) } else { query };
        let more = self.some_kinds();
        if self.chance(60) {
            return query.select(self.items(&scope, &more)).into();
        }
        let keys = scope.columns.iter().filter(|_| self.chance(70)).cloned().collect::<Vec<Column>>();
        let groups = Scope { grouped: Some(scope.columns.clone()), columns: keys.clone(), loose: true, ..scope };
        let query = match keys.as_slice() {
            [] => query,
            keys => query.group_by(keys.iter().map(|key| ValueTypeExpr::from(key.prop()))),
        };
        let items = self.items(&groups, &more);
        query.select(items.into_iter().chain([isogloss_compiler::expr::count_all().alias("n")])).into()
    }

    /// A common table, looked at twice.
    fn common(&mut self, scope: &Scope<'_>) -> SqlSegment {
        let kinds = self.some_kinds();
        let (query, inner) = self.inner_source(scope);
        let select = query.select(self.items(&inner, &kinds));
        let columns = Self::columns(&kinds, Some("w"));
        let outer = Scope { columns, depth: 1, ..Scope::new(scope.catalog) };
        let whole = SqlSegment::from(select.with("w"));
        if self.chance(50) {
            let more = self.some_kinds();
            return whole.filter(self.logic(&outer, 2)).select(self.items(&outer, &more)).into();
        }
        let count = cte("w").select([isogloss_compiler::expr::count_all()]);
        let more = self.some_kinds();
        let items = self.items(&outer, &more);
        whole.select(items.into_iter().chain([ValueTypeExpr::from(count).alias("n")])).into()
    }

    /// A page of something, and what is asked of it.
    fn pages(&mut self, scope: &Scope<'_>) -> SqlSegment {
        let (query, inner) = self.filtered_source(scope);
        let query = match self.below(3) {
            0 => query,
            1 => query.order_by([Self::id(&inner).desc()]),
            _ => query.order_by(self.keys(&inner)),
        };
        let query = query.section(self.between(0, 2).unsigned_abs(), self.between(1, 6).unsigned_abs());
        // Over the page, the table's columns have its names without an alias.
        let entity = inner.entity.map(|id| scope.catalog.get(id).name.as_str().to_owned()).unwrap_or_default();
        let page = Scope { entity: None, ..scope.over(&entity, None, false) };
        match self.below(3) {
            0 => {
                let query = query.filter(self.logic(&page, 2));
                let kinds = self.some_kinds();
                let query = SqlSegment::from(query.select(self.items(&page, &kinds)));
                if self.chance(50) { self.further(scope, query, &kinds) } else { query }
            }
            1 => {
                let groups = Scope { grouped: Some(page.columns.clone()), columns: Vec::new(), ..page };
                let kinds = self.some_kinds();
                let items = self.items(&groups, &kinds);
                query.select(items.into_iter().chain([isogloss_compiler::expr::count_all().alias("n")])).into()
            }
            _ => query
                .section(self.between(0, 1).unsigned_abs(), self.between(0, 3).unsigned_abs())
                .select(["Id"])
                .into(),
        }
    }

    /// Functions over windows.
    fn ranked(&mut self, scope: &Scope<'_>) -> SqlSegment {
        let (query, inner) = self.filtered_source(scope);
        let mut items = vec![named(Self::id(&inner), 9)];
        for place in 0..=self.below(2) {
            let window = self.window(&inner);
            let name = window.function.name.as_str();
            // MariaDB keeps ten digits of these.
            let value = match name {
                "PercentRank" | "CumeDist" => func("Round", args![window, 6]).into(),
                _ if self.chance(70) => window.into(),
                _ => func("Coalesce", args![window.clone(), window]).into(),
            };
            items.push(named(value, place));
        }
        query.select(items).into()
    }

    fn window(&mut self, scope: &Scope<'_>) -> WindowExpr {
        let no_args = Vec::<ValueTypeExpr>::new();
        let kind = self.pick_number();
        let call: FunctionExpr = match self.below(8) {
            0 => func("RowNumber", no_args),
            1 => func(self.pick(&["Rank", "DenseRank"]), no_args),
            2 => func(self.pick(&["PercentRank", "CumeDist"]), no_args),
            3 => func("NTile", args![self.between(1, 4)]),
            4 => {
                let kind = self.kind();
                let value = self.of(scope, kind, 1);
                match self.below(3) {
                    0 => func("Lag", [value]),
                    1 => func("Lead", args![value, self.between(0, 2)]),
                    _ => func("Lag", args![value, 1, self.literal(kind)]),
                }
            }
            5 => {
                let kind = self.kind();
                func(self.pick(&["FirstValue", "LastValue"]), [self.of(scope, kind, 1)])
            }
            _ => {
                let number = self.number(scope, kind, 1);
                let names: &[&str] = if number.bits < 45 { &["Sum", "Min", "Max", "Count"] } else { &["Min", "Max"] };
                let name = names.get(self.below(names.len())).copied().unwrap_or("Max");
                let call = aggregate(name, number.node);
                self.filtered(scope, call)
            }
        };
        let name = call.name.as_str().to_owned();
        let framed = call.is_aggregate || matches!(name.as_str(), "FirstValue" | "LastValue");
        let mut window = call.over();
        if self.chance(50)
            && let kind = self.kind()
            && let Some(column) = scope.column(self, kind)
        {
            window = window.partition_by([ValueTypeExpr::from(column.prop())]);
        }
        let mut keys: Vec<OrderByItemExpr> = Vec::new();
        if self.chance(50) {
            let kind = self.kind();
            if kind.has_one_order() {
                let value = match self.of(scope, kind, 1) {
                    // MariaDB gives CUME_DIST wrongly beside a window in the order of a subquery.
                    ValueTypeExpr::Query(_) => self.of(scope, kind, 0),
                    value => value,
                };
                keys.push(key(self, value));
            }
        }
        // Ranks are told by their order, also among equal rows.
        if !matches!(name.as_str(), "Rank" | "DenseRank" | "PercentRank" | "CumeDist") || keys.is_empty() {
            keys.push(Self::id(scope).asc());
        }
        window = window.order_by(keys);
        if framed && self.chance(50) {
            let start = [FrameBound::UnboundedPreceding, FrameBound::Preceding(1), FrameBound::CurrentRow];
            let end = [FrameBound::CurrentRow, FrameBound::Following(1), FrameBound::UnboundedFollowing];
            let start = start.get(self.below(start.len())).copied().unwrap_or(FrameBound::CurrentRow);
            let end = end.get(self.below(end.len())).copied().unwrap_or(FrameBound::CurrentRow);
            window = window.frame(FrameUnit::Rows, start, end);
        }
        window
    }
}
