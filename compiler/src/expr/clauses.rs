//! The fluent methods of queries and statements: clauses, set operations, upserts.

use super::{
    CommonTableExpr, ConflictAction, DeleteExpr, Distinct, FromExpr, GroupByExpr, HavingExpr, InsertExpr, InsertSource,
    LockExpr, LockMode, LockWait, LogicExpr, Name, NextSelect, OnConflict, OrderByExpr, OrderByItemExpr, SectionExpr,
    SelectExpr, SelectItemExpr, SelectSetType, SqlSegment, TableExpr, TableJoinExpr, TableJoinType, UpdateExpr, Value,
    ValueExpr, ValueTypeExpr, WhereExpr,
};

impl SqlSegment {
    /// Only the rows that satisfy the condition.
    #[must_use]
    pub fn filter(self, condition: impl Into<LogicExpr>) -> Self {
        WhereExpr { source: Some(self), filter: condition.into() }.into()
    }

    /// One row for each distinct key.
    #[must_use]
    pub fn group_by<I: Into<ValueTypeExpr>>(self, keys: impl IntoIterator<Item = I>) -> Self {
        GroupByExpr { source: Some(self), group_by: keys.into_iter().map(Into::into).collect() }.into()
    }

    /// Only the groups that satisfy the condition.
    #[must_use]
    pub fn having(self, condition: impl Into<LogicExpr>) -> Self {
        HavingExpr { source: Some(self), having: condition.into() }.into()
    }

    /// In that order.
    #[must_use]
    pub fn order_by<I: Into<OrderByItemExpr>>(self, keys: impl IntoIterator<Item = I>) -> Self {
        OrderByExpr { source: Some(self), order_by: keys.into_iter().map(Into::into).collect() }.into()
    }

    /// At most `take` rows after the first `skip`.
    #[must_use]
    pub fn section(self, skip: u64, take: u64) -> Self {
        SectionExpr { source: Some(self), skip, take: Some(take), after: Vec::new() }.into()
    }

    /// All rows after the first `skip`.
    #[must_use]
    pub fn skip(self, skip: u64) -> Self {
        SectionExpr { source: Some(self), skip, take: None, after: Vec::new() }.into()
    }

    /// At most `take` rows.
    #[must_use]
    pub fn take(self, take: u64) -> Self {
        self.section(0, take)
    }

    /// Keyset paging: at most `take` rows after the one whose order keys have these values.
    #[must_use]
    pub fn after<V: Into<ValueExpr>>(self, cursor: impl IntoIterator<Item = V>, take: u64) -> Self {
        let after = cursor.into_iter().map(Into::into).collect();
        SectionExpr { source: Some(self), skip: 0, take: Some(take), after }.into()
    }

    /// Locks the rows.
    #[must_use]
    pub fn lock(self, mode: LockMode, wait: LockWait) -> Self {
        LockExpr { source: Some(self), mode, wait }.into()
    }

    /// Selects every column.
    pub fn select_all(self) -> SelectExpr {
        SelectExpr { source: Some(self), ..SelectExpr::default() }
    }

    /// Selects the items.
    pub fn select<I: Into<SelectItemExpr>>(self, items: impl IntoIterator<Item = I>) -> SelectExpr {
        SelectExpr { selects: items.into_iter().map(Into::into).collect(), ..self.select_all() }
    }

    /// Joins a source.
    #[must_use]
    pub fn join(
        self,
        join_type: TableJoinType,
        source: impl Into<SqlSegment>,
        on: impl Into<Option<LogicExpr>>,
    ) -> Self {
        let join = TableJoinExpr { source: source.into(), on: on.into(), join_type, lateral: false };
        match self {
            SqlSegment::From(mut from) => {
                from.joins.push(join);
                SqlSegment::From(from)
            }
            source => FromExpr { source, joins: vec![join] }.into(),
        }
    }

    /// Joins a source that may look at the sources before it.
    #[must_use]
    pub fn join_lateral(
        self,
        join_type: TableJoinType,
        source: impl Into<SqlSegment>,
        on: impl Into<Option<LogicExpr>>,
    ) -> Self {
        match self.join(join_type, source, on) {
            SqlSegment::From(mut from) => {
                if let Some(join) = from.joins.last_mut() {
                    join.lateral = true;
                }
                SqlSegment::From(from)
            }
            other => other,
        }
    }

    /// Gives a table, a select or the select of a chain an alias.
    #[must_use]
    pub fn aliased(self, alias: impl Into<Name>) -> Self {
        match self {
            SqlSegment::Table(table) => SqlSegment::Table(TableExpr { alias: Some(alias.into()), ..table }),
            SqlSegment::Select(mut select) => {
                select.alias = Some(alias.into());
                SqlSegment::Select(select)
            }
            other => SelectExpr { alias: Some(alias.into()), ..other.select_all() }.into(),
        }
    }
}

impl SelectExpr {
    /// Equal rows are one.
    #[must_use]
    pub fn distinct(self) -> Self {
        Self { distinct: Distinct::Rows, ..self }
    }

    /// The first row, in the select's order, of each group of equal keys.
    #[must_use]
    pub fn distinct_on<I: Into<ValueTypeExpr>>(self, keys: impl IntoIterator<Item = I>) -> Self {
        Self { distinct: Distinct::On(keys.into_iter().map(Into::into).collect()), ..self }
    }

    /// More items.
    #[must_use]
    pub fn select_more<I: Into<SelectItemExpr>>(mut self, items: impl IntoIterator<Item = I>) -> Self {
        self.selects.extend(items.into_iter().map(Into::into));
        self
    }

    /// The select under a name, for a statement's WITH clause.
    pub fn with(self, name: impl Into<Name>) -> CommonTableExpr {
        CommonTableExpr { source: Some(self), alias: name.into() }
    }

    /// Attaches a further select.
    #[must_use]
    pub fn set(mut self, set_type: SelectSetType, select: SelectExpr) -> Self {
        self.next_selects.push(NextSelect { set_type, select });
        self
    }

    /// The rows of both, each once.
    #[must_use]
    pub fn union(self, select: SelectExpr) -> Self {
        self.set(SelectSetType::Union, select)
    }

    /// The rows of both.
    #[must_use]
    pub fn union_all(self, select: SelectExpr) -> Self {
        self.set(SelectSetType::UnionAll, select)
    }

    /// The rows that are in both.
    #[must_use]
    pub fn intersect(self, select: SelectExpr) -> Self {
        self.set(SelectSetType::Intersect, select)
    }

    /// The rows that are in the first only.
    #[must_use]
    pub fn except(self, select: SelectExpr) -> Self {
        self.set(SelectSetType::Except, select)
    }

    /// The select as a source or a root, for further clauses.
    pub fn into_segment(self) -> SqlSegment {
        self.into()
    }
}

/// A reference to a common table expression defined elsewhere in the statement.
pub fn cte(name: impl Into<Name>) -> SqlSegment {
    CommonTableExpr { source: None, alias: name.into() }.into()
}

impl TableExpr {
    /// INSERT of rows into these properties: the values row after row, in one flat list.
    pub fn insert<N: Into<Name>>(self, columns: impl IntoIterator<Item = N>, values: Vec<Value>) -> InsertExpr {
        InsertExpr {
            table: self,
            columns: columns.into_iter().map(Into::into).collect(),
            source: InsertSource::Values(values),
            conflict: None,
            returning: Vec::new(),
        }
    }

    /// INSERT of the rows of a query.
    pub fn insert_query<N: Into<Name>>(
        self,
        columns: impl IntoIterator<Item = N>,
        query: impl Into<SqlSegment>,
    ) -> InsertExpr {
        InsertExpr { source: InsertSource::Query(query.into()), ..self.insert(columns, Vec::new()) }
    }

    /// UPDATE of these properties.
    pub fn update<N: Into<Name>, V: Into<ValueTypeExpr>>(self, sets: impl IntoIterator<Item = (N, V)>) -> UpdateExpr {
        UpdateExpr {
            table: self,
            sets: sets.into_iter().map(|(n, v)| (n.into(), v.into())).collect(),
            filter: None,
            all_rows: false,
            returning: Vec::new(),
        }
    }

    /// DELETE of the rows that satisfy the condition given next.
    pub fn delete(self) -> DeleteExpr {
        DeleteExpr { table: self, filter: None, all_rows: false, returning: Vec::new() }
    }
}

macro_rules! statement_methods {
    ($($node:ident),*) => {$(
        impl $node {
            /// The rows that are meant; several conditions are ANDed.
            #[must_use]
            pub fn filter(mut self, condition: impl Into<LogicExpr>) -> Self {
                self.filter = Some(self.filter.take() & condition.into());
                self
            }

            /// Every row is meant.
            #[must_use]
            pub fn all_rows(self) -> Self {
                Self { all_rows: true, ..self }
            }
        }
    )*};
}

statement_methods!(UpdateExpr, DeleteExpr);

macro_rules! returning_method {
    ($($node:ident),*) => {$(
        impl $node {
            /// What comes back of each row.
            #[must_use]
            pub fn returning<I: Into<SelectItemExpr>>(mut self, items: impl IntoIterator<Item = I>) -> Self {
                self.returning = items.into_iter().map(Into::into).collect();
                self
            }
        }
    )*};
}

returning_method!(InsertExpr, UpdateExpr, DeleteExpr);

impl UpdateExpr {
    /// One more assignment.
    #[must_use]
    pub fn set(mut self, property: impl Into<Name>, value: impl Into<ValueTypeExpr>) -> Self {
        self.sets.push((property.into(), value.into()));
        self
    }
}

impl InsertExpr {
    /// A row that is there already is left alone. No target: the primary key.
    #[must_use]
    pub fn on_conflict_do_nothing<N: Into<Name>>(self, target: impl IntoIterator<Item = N>) -> Self {
        self.conflict(target, ConflictAction::DoNothing)
    }

    /// A row that is there already takes the proposed values. No target: the primary key.
    #[must_use]
    pub fn on_conflict_update<N: Into<Name>>(self, target: impl IntoIterator<Item = N>) -> Self {
        self.conflict(target, ConflictAction::UpdateAll)
    }

    /// What happens to a row that is there already.
    #[must_use]
    pub fn conflict<N: Into<Name>>(mut self, target: impl IntoIterator<Item = N>, action: ConflictAction) -> Self {
        self.conflict = Some(OnConflict { target: target.into_iter().map(Into::into).collect(), action });
        self
    }
}
