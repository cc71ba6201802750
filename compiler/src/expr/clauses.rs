//! Methods of queries and statements: clauses, set operations, upserts.

use compact_str::CompactString;

use super::lists::{GroupKey, RowValues, group_keys};
use super::{
    CommonTableExpr, ConflictAction, DeleteExpr, Distinct, FilterOff, FromExpr, GroupByExpr, HavingExpr, InsertExpr,
    InsertSource, LockExpr, LockMode, LockWait, LogicExpr, Name, NextSelect, OnConflict, OrderByExpr, OrderByItemExpr,
    SectionExpr, SelectExpr, SelectItemExpr, SelectSetType, SqlSegment, TableExpr, TableJoinExpr, TableJoinType,
    UpdateExpr, Value, ValueExpr, ValueTypeExpr, WhereExpr,
};

impl SqlSegment {
    /// Keeps the rows that satisfy a condition. Several are combined by AND; `None` filters nothing.
    ///
    /// ```
    /// use isogloss_compiler::expr::{from, prop, LogicExpr, ValueOps};
    /// # let (name, least_age) = (Some("Ann"), None::<i32>);
    /// // What a request gives, and what it leaves out.
    /// let mut filter = LogicExpr::default();
    /// filter &= name.map(|name| prop("Name").contains(name));
    /// filter &= least_age.map(|age| prop("Age").ge(age));
    /// let users = from("User").filter(filter);
    ///
    /// // The same, where the conditions are few.
    /// let same = from("User")
    ///     .filter(name.map(|name| prop("Name").contains(name)))
    ///     .filter(least_age.map(|age| prop("Age").ge(age)));
    /// # let _ = (users, same);
    /// ```
    #[inline]
    #[must_use]
    pub fn filter(self, condition: impl Into<Option<LogicExpr>>) -> Self {
        match condition.into() {
            Some(filter) => WhereExpr { source: Some(self), filter }.into(),
            None => self,
        }
    }

    /// Groups the rows, with one row for each distinct key: a value, or a property by its name.
    ///
    /// ```
    /// use isogloss_compiler::expr::{count_all, from, prop, ValueOps};
    /// use isogloss_compiler::items;
    /// let busy = from("Order")
    ///     .group_by(["CustomerId"])
    ///     .having(count_all().gt(10))
    ///     .select(items!["CustomerId", count_all().alias("orders"), prop("Total").sum().alias("total")]);
    /// # let _ = busy;
    /// ```
    #[must_use]
    pub fn group_by<I: Into<GroupKey>>(self, keys: impl IntoIterator<Item = I>) -> Self {
        GroupByExpr { source: Some(self), group_by: group_keys(keys) }.into()
    }

    /// Keeps the groups that satisfy a condition. Several are combined by AND; `None` filters nothing.
    #[inline]
    #[must_use]
    pub fn having(self, condition: impl Into<Option<LogicExpr>>) -> Self {
        match condition.into() {
            Some(having) => HavingExpr { source: Some(self), having }.into(),
            None => self,
        }
    }

    /// Orders the rows by keys, the first of which has priority. A property's name alone is an ascending key.
    ///
    /// As every clause, it applies to what precedes it. A further `order_by` takes priority over an earlier one, which
    /// remains the order of rows that are equal in the new keys.
    ///
    /// ```
    /// use isogloss_compiler::expr::{from, prop, ValueOps};
    /// let orders = from("Order").order_by([prop("Total").desc().nulls_last(), prop("Id").asc()]);
    /// // ORDER BY "City", "Name"
    /// let users = from("User").order_by(["Name"]).order_by(["City"]);
    /// # let _ = (orders, users);
    /// ```
    #[must_use]
    pub fn order_by<I: Into<OrderByItemExpr>>(self, keys: impl IntoIterator<Item = I>) -> Self {
        OrderByExpr { source: Some(self), order_by: keys.into_iter().map(Into::into).collect() }.into()
    }

    /// Limits the rows to at most `take`, after skipping `skip`.
    #[must_use]
    pub fn section(self, skip: u64, take: u64) -> Self {
        SectionExpr { source: Some(self), skip, take: Some(take), after: Vec::new() }.into()
    }

    /// Skips the first rows.
    #[must_use]
    pub fn skip(self, skip: u64) -> Self {
        SectionExpr { source: Some(self), skip, take: None, after: Vec::new() }.into()
    }

    /// Limits the number of rows.
    #[must_use]
    pub fn take(self, take: u64) -> Self {
        self.section(0, take)
    }

    /// Keyset paging: at most `take` rows after the row whose order keys have the values of `cursor`.
    ///
    /// The cursor has the values of the order's keys in the last row of the previous page. The keys must be unique
    /// together, otherwise rows with equal keys may be lost between two pages: add the primary key as the last key.
    /// A value is NULL where the key of that row is: NULLs are behind the cursor or not by their place in the order.
    ///
    /// ```
    /// use isogloss_compiler::expr::{from, prop, value, ValueOps};
    /// let (last_total, last_id) = (120, 4711);
    /// let next = from("Order")
    ///     .order_by([prop("Total").desc(), prop("Id").asc()])
    ///     .after([value(last_total), value(last_id)], 20);
    /// # let _ = next;
    /// ```
    #[must_use]
    pub fn after<V: Into<ValueExpr>>(self, cursor: impl IntoIterator<Item = V>, take: u64) -> Self {
        let after = cursor.into_iter().map(Into::into).collect();
        SectionExpr { source: Some(self), skip: 0, take: Some(take), after }.into()
    }

    /// Locks the rows until the end of the transaction.
    #[must_use]
    pub fn lock(self, mode: LockMode, wait: LockWait) -> Self {
        LockExpr { source: Some(self), mode, wait }.into()
    }

    /// Selects every column.
    pub fn select_all(self) -> SelectExpr {
        SelectExpr { source: Some(self), ..SelectExpr::default() }
    }

    /// Selects items: values, values with an alias, or properties by their names.
    ///
    /// ```
    /// use isogloss_compiler::expr::{from, prop, ValueOps};
    /// use isogloss_compiler::items;
    /// let names = from("User").select(["Id", "Name"]);
    /// let mixed = from("User").select(items!["Id", prop("Name").upper().alias("Name"), prop("Points") / 2]);
    /// # let _ = (names, mixed);
    /// ```
    pub fn select<I: Into<SelectItemExpr>>(self, items: impl IntoIterator<Item = I>) -> SelectExpr {
        SelectExpr { selects: items.into_iter().map(Into::into).collect(), ..self.select_all() }
    }

    /// Joins a source: a table, a derived table or a common table expression.
    ///
    /// The main table has the alias `T0`, unless it is given another one. Give each source the alias by which its
    /// properties are named. Relations of the catalog need no join: a view's columns and `EXISTS` follow them.
    ///
    /// ```
    /// use isogloss_compiler::expr::{from, prop_of, TableJoinType, ValueOps};
    /// let on = prop_of("o", "CustomerId").eq(prop_of("c", "Id"));
    /// let orders = from("Order")
    ///     .aliased("o")
    ///     .join(TableJoinType::Inner, from("Customer").aliased("c"), on)
    ///     .filter(prop_of("c", "Name").starts_with("A"))
    ///     .select([prop_of("o", "Id").alias("OrderId"), prop_of("c", "Name").alias("Customer")]);
    /// # let _ = orders;
    /// ```
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

    /// Joins a source that may refer to the sources before it (LATERAL).
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

    /// Gives an alias to a table, a select, or the select of a chain.
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
    /// Removes duplicate rows: of a set operation, those of the whole set.
    #[must_use]
    pub fn distinct(self) -> Self {
        Self { distinct: Distinct::Rows, ..self.whole() }
    }

    /// Keeps the first row, in the order of the select, of each group of equal keys.
    #[must_use]
    pub fn distinct_on<I: Into<GroupKey>>(self, keys: impl IntoIterator<Item = I>) -> Self {
        Self { distinct: Distinct::On(group_keys(keys)), ..self.whole() }
    }

    /// The select, or a select of all of its rows if its own DISTINCT is of the first member of a set, or taken.
    fn whole(self) -> Self {
        let is_free = self.next_selects.is_empty() && self.distinct == Distinct::No;
        if is_free { self } else { SqlSegment::from(self).select_all() }
    }

    /// Adds items to the select list.
    #[must_use]
    pub fn select_more<I: Into<SelectItemExpr>>(mut self, items: impl IntoIterator<Item = I>) -> Self {
        self.selects.extend(items.into_iter().map(Into::into));
        self
    }

    /// Names the select as a common table expression, for a statement's WITH clause. As a source it defines the name;
    /// [`cte`] refers to it.
    ///
    /// ```
    /// use isogloss_compiler::expr::{cte, from, prop, prop_of, row, value, TableJoinType, ValueOps};
    /// // WITH big AS (SELECT .. FROM Order ..) SELECT .. FROM big
    /// let big = from("Order").filter(prop("Total").gt(1000)).select(["Id", "CustomerId"]).with("big");
    /// let query = big.filter(prop("CustomerId").gt(0)).select(["Id"]);
    ///
    /// // A reference inside of the definition makes it recursive: here, everybody under the boss.
    /// let boss = from("Employee").filter(prop("Id").eq(1)).select(["Id", "Name"]);
    /// let below = from("Employee")
    ///     .aliased("e")
    ///     .join(TableJoinType::Inner, cte("tree"), prop_of("e", "BossId").eq(prop_of("tree", "Id")))
    ///     .select([prop_of("e", "Id"), prop_of("e", "Name")]);
    /// let tree = boss.union_all(below).with("tree").select(["Name"]);
    /// # let _ = (query, tree);
    /// ```
    pub fn with(self, name: impl Into<Name>) -> CommonTableExpr {
        CommonTableExpr { source: Some(self), alias: name.into() }
    }

    /// Appends a select by a set operation.
    #[must_use]
    pub fn set(mut self, set_type: SelectSetType, select: SelectExpr) -> Self {
        self.next_selects.push(NextSelect { set_type, select });
        self
    }

    /// The rows of both selects without duplicates.
    #[must_use]
    pub fn union(self, select: SelectExpr) -> Self {
        self.set(SelectSetType::Union, select)
    }

    /// The rows of both selects.
    #[must_use]
    pub fn union_all(self, select: SelectExpr) -> Self {
        self.set(SelectSetType::UnionAll, select)
    }

    /// The rows that are in both selects.
    #[must_use]
    pub fn intersect(self, select: SelectExpr) -> Self {
        self.set(SelectSetType::Intersect, select)
    }

    /// The rows of the first select that are not in the second.
    #[must_use]
    pub fn except(self, select: SelectExpr) -> Self {
        self.set(SelectSetType::Except, select)
    }

    /// Converts the select into a source or a root, for further clauses.
    pub fn into_segment(self) -> SqlSegment {
        self.into()
    }
}

/// The methods of a chain, for a source that a chain may begin with.
macro_rules! chain_methods {
    ($node:ident: $($(#[$attr:meta])* $method:ident $(<$param:ident: $bound:ident<$to:ident>>)? ($($arg:ident: $ty:ty),*) -> $result:ty;)*) => {
        impl $node {
            $(
                #[doc = concat!("See [`SqlSegment::", stringify!($method), "`].")]
                $(#[$attr])*
                pub fn $method$(<$param: $bound<$to>>)?(self, $($arg: $ty),*) -> $result {
                    SqlSegment::from(self).$method($($arg),*)
                }
            )*
        }
    };
}

// What a common table expression defines is its first source.
chain_methods! { CommonTableExpr:
    #[must_use] filter(condition: impl Into<Option<LogicExpr>>) -> SqlSegment;
    #[must_use] group_by<I: Into<GroupKey>>(keys: impl IntoIterator<Item = I>) -> SqlSegment;
    #[must_use] having(condition: impl Into<Option<LogicExpr>>) -> SqlSegment;
    #[must_use] order_by<I: Into<OrderByItemExpr>>(keys: impl IntoIterator<Item = I>) -> SqlSegment;
    #[must_use] section(skip: u64, take: u64) -> SqlSegment;
    #[must_use] skip(skip: u64) -> SqlSegment;
    #[must_use] take(take: u64) -> SqlSegment;
    #[must_use] after<V: Into<ValueExpr>>(cursor: impl IntoIterator<Item = V>, take: u64) -> SqlSegment;
    #[must_use] aliased(alias: impl Into<Name>) -> SqlSegment;
    #[must_use] join(join_type: TableJoinType, source: impl Into<SqlSegment>, on: impl Into<Option<LogicExpr>>) -> SqlSegment;
    #[must_use] join_lateral(join_type: TableJoinType, source: impl Into<SqlSegment>, on: impl Into<Option<LogicExpr>>) -> SqlSegment;
    select<I: Into<SelectItemExpr>>(items: impl IntoIterator<Item = I>) -> SelectExpr;
    select_all() -> SelectExpr;
}

/// A reference to a common table expression that is defined elsewhere in the statement. [`SelectExpr::with`] defines
/// it, and has an example.
pub fn cte(name: impl Into<Name>) -> SqlSegment {
    CommonTableExpr { source: None, alias: name.into() }.into()
}

impl TableExpr {
    /// Switches off one named filter on this table: a filter of the request's [`Scope`](crate::Scope), or `soft_delete`
    /// of an entity with soft-deleted rows. It applies to this node only, not to subqueries or joined tables, and
    /// [`Compiled::filters`](crate::Compiled::filters) reports it with the reason. The name of no filter has no effect.
    /// Only the program can do this: it has no notation in JSON, and a policy refuses it.
    #[must_use]
    pub fn without_filter(mut self, name: impl Into<Name>, reason: impl Into<CompactString>) -> Self {
        let mut off = std::mem::take(&mut self.filters_off).into_vec();
        off.push(FilterOff { name: name.into(), reason: reason.into() });
        Self { filters_off: off.into(), ..self }
    }

    /// An INSERT of rows into these properties, each row as a tuple or as an array of [`Value`]s. A row with more or
    /// fewer values than there are properties does not compile.
    ///
    /// ```
    /// use isogloss_compiler::expr::{table, Value};
    /// let two = table("User").insert_rows(["Id", "Name", "Email"], [(1, "Ann", Some("a@b.c")), (2, "Bob", None)]);
    /// let one = table("User").insert_rows(["Id", "Email"], [[1.into(), Value::Null]]);
    /// assert_eq!(two, table("User").insert(
    ///     ["Id", "Name", "Email"],
    ///     vec![1.into(), "Ann".into(), "a@b.c".into(), 2.into(), "Bob".into(), Value::Null],
    /// ));
    /// # let _ = one;
    /// ```
    ///
    /// ```compile_fail,E0277
    /// // Three properties, two values.
    /// isogloss_compiler::expr::table("User").insert_rows(["Id", "Name", "Email"], [(1, "Ann")]);
    /// ```
    pub fn insert_rows<N: Into<Name>, R: RowValues<C>, const C: usize>(
        self,
        columns: [N; C],
        rows: impl IntoIterator<Item = R>,
    ) -> InsertExpr {
        let rows = rows.into_iter();
        let (least, most) = rows.size_hint();
        let mut values = Vec::with_capacity(most.unwrap_or(least).min(1 << 16).saturating_mul(C));
        rows.for_each(|row| row.push_to(&mut values));
        self.insert(columns, values)
    }

    /// An INSERT of rows into these properties, with the values of all rows in one list, row after row.
    pub fn insert<N: Into<Name>>(self, columns: impl IntoIterator<Item = N>, values: Vec<Value>) -> InsertExpr {
        InsertExpr {
            table: self,
            columns: columns.into_iter().map(Into::into).collect(),
            source: InsertSource::Values(values),
            conflict: None,
            returning: Vec::new(),
        }
    }

    /// An INSERT of the rows of a query, whose items are in the order of the properties.
    ///
    /// ```
    /// use isogloss_compiler::expr::{from, prop, table, ValueOps};
    /// let copy = table("Archive")
    ///     .insert_query(["Id", "Total"], from("Order").filter(prop("Total").gt(0)).select(["Id", "Total"]));
    /// # let _ = copy;
    /// ```
    pub fn insert_query<N: Into<Name>>(
        self,
        columns: impl IntoIterator<Item = N>,
        query: impl Into<SqlSegment>,
    ) -> InsertExpr {
        InsertExpr { source: InsertSource::Query(query.into()), ..self.insert(columns, Vec::new()) }
    }

    /// An UPDATE of these properties, for the rows that satisfy the condition given next.
    ///
    /// ```
    /// use isogloss_compiler::expr::{prop, table, ValueOps};
    /// let raise = table("Order")
    ///     .update([("Total", prop("Total") * 2)])
    ///     .set("Note", "doubled")
    ///     .filter(prop("Id").eq(7))
    ///     .returning(["Id", "Total"]);
    /// # let _ = raise;
    /// ```
    pub fn update<N: Into<Name>, V: Into<ValueTypeExpr>>(self, sets: impl IntoIterator<Item = (N, V)>) -> UpdateExpr {
        UpdateExpr {
            table: self,
            sets: sets.into_iter().map(|(n, v)| (n.into(), v.into())).collect(),
            filter: None,
            all_rows: false,
            returning: Vec::new(),
        }
    }

    /// A DELETE of the rows that satisfy the condition given next.
    pub fn delete(self) -> DeleteExpr {
        DeleteExpr { table: self, filter: None, all_rows: false, returning: Vec::new() }
    }
}

macro_rules! statement_methods {
    ($($node:ident),*) => {$(
        impl $node {
            /// Affects only the rows that satisfy a condition. Several are combined by AND, and `None` is no condition.
            /// Without any condition the statement is refused, unless [`all_rows`](Self::all_rows) is called.
            #[inline]
            #[must_use]
            pub fn filter(mut self, condition: impl Into<Option<LogicExpr>>) -> Self {
                if let Some(condition) = condition.into() {
                    self.filter = Some(self.filter.take() & condition);
                }
                self
            }

            /// Affects every row.
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
            /// Returns these items of each affected row. Engines that do not support it refuse it.
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
    /// Adds an assignment.
    #[must_use]
    pub fn set(mut self, property: impl Into<Name>, value: impl Into<ValueTypeExpr>) -> Self {
        self.sets.push((property.into(), value.into()));
        self
    }
}

impl InsertExpr {
    /// Leaves a row that exists already as it is. Without a target, the primary key decides.
    #[must_use]
    pub fn on_conflict_do_nothing<N: Into<Name>>(self, target: impl IntoIterator<Item = N>) -> Self {
        self.conflict(target, ConflictAction::DoNothing)
    }

    /// Updates a row that exists already with the proposed values. Without a target, the primary key decides.
    #[must_use]
    pub fn on_conflict_update<N: Into<Name>>(self, target: impl IntoIterator<Item = N>) -> Self {
        self.conflict(target, ConflictAction::UpdateAll)
    }

    /// Sets what happens to a row that exists already.
    ///
    /// ```
    /// use isogloss_compiler::expr::{prop, prop_of, table, ConflictAction, ValueOps};
    /// let row = || table("Stock").insert_rows(["Sku", "Qty"], [("A-1", 5)]);
    /// let keep = row().on_conflict_do_nothing(["Sku"]);
    /// let replace = row().on_conflict_update(["Sku"]);
    /// // `excluded` is the proposed row, a bare name the one that is there.
    /// let sum = prop("Qty") + prop_of("excluded", "Qty");
    /// let add = row().conflict(["Sku"], ConflictAction::Update(vec![("Qty".into(), sum)]));
    /// # let _ = (keep, replace, add);
    /// ```
    #[must_use]
    pub fn conflict<N: Into<Name>>(mut self, target: impl IntoIterator<Item = N>, action: ConflictAction) -> Self {
        self.conflict = Some(OnConflict { target: target.into_iter().map(Into::into).collect(), action });
        self
    }
}
