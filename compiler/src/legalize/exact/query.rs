//! Selects: what they sort and group, and what of them is compared from outside.

use bumpalo::collections::Vec as BumpVec;

use crate::dialect::Feature;
use crate::error::Result;
use crate::expr::{DbValueType, SelectSetType};
use crate::frame::{Body, ColumnRef, Item, Items, Order, Query, Scalar, ScalarKind, Select, Source, TextForm};
use crate::functions::Func;
use crate::legalize::group::is_place;
use crate::legalize::parts::Part;
use crate::legalize::{Cx, Rule};

use super::{At, Beside, For, Told, is_text};

impl<'a, 'e> Cx<'a, 'e> {
    pub(super) fn exact_query(&mut self, query: &'a Query<'a, 'e>, told: Told<'a>) -> Result<&'a Query<'a, 'e>> {
        let ctes = self.exact_ctes(query.ctes)?;
        let (body, order) = match query.body {
            Body::Select(select) => {
                let (select, order) = self.exact_select(select, query.order, told)?;
                (Body::Select(self.node(select)), order)
            }
            Body::Set { op, left, right } => {
                // It is sorted by its columns, which have the collation of the members.
                let sorted = query.order.iter().any(|key| is_text(key.value.ty));
                let compared = op != SelectSetType::UnionAll || sorted;
                let told = match told {
                    Told::Rows => {
                        // Of two collations, an engine may not know which one the column has.
                        let beside = self.columns_beside(query);
                        let whole = compared || beside.iter().any(|column| column.clash);
                        if whole { Told::Values(beside) } else { told }
                    }
                    told => told,
                };
                if op != SelectSetType::UnionAll && !told.is_keys() && self.texts_exact() && self.ignores_blanks() {
                    self.note(Feature::ExactText, Rule::BlanksAlike);
                }
                let (left, right) = (self.exact_query(left, told)?, self.exact_query(right, told)?);
                let (left, right) = self.one_collation_of(left, right);
                (Body::Set { op, left, right }, query.order)
            }
        };
        Ok(self.node(Query { ctes, body, order, ..*query }))
    }

    /// Two members of a set operation, whose columns are values that are made of two texts each.
    fn one_collation_of(
        &self,
        left: &'a Query<'a, 'e>,
        right: &'a Query<'a, 'e>,
    ) -> (&'a Query<'a, 'e>, &'a Query<'a, 'e>) {
        let unchanged = (left, right);
        let (Body::Select(one), Body::Select(other)) = (left.body, right.body) else { return unchanged };
        let (Items::List(ones), Items::List(others)) = (one.items, other.items) else { return unchanged };
        let (mut ones, mut others) = (self.copied(ones), self.copied(others));
        for (one, other) in ones.iter_mut().zip(&mut others) {
            self.one_collation([&mut one.value, &mut other.value].into_iter());
        }
        let with = |query: &Query<'a, 'e>, select: &Select<'a, 'e>, items: BumpVec<'a, Item<'a, 'e>>| {
            let items = Items::List(items.into_bump_slice());
            let body = Body::Select(self.node(Select { items, ..*select }));
            self.node(Query { body, ..*query })
        };
        (with(left, one, ones), with(right, other, others))
    }

    /// What each column of a query is to what it is compared with.
    pub(super) fn columns_beside(&self, query: &Query<'a, 'e>) -> &'a [Beside<'a>] {
        let mut columns = self.vec(4);
        self.add_columns_beside(query, &mut columns);
        columns.into_bump_slice()
    }

    fn add_columns_beside(&self, query: &Query<'a, 'e>, columns: &mut BumpVec<'a, Beside<'a>>) {
        let select = match query.body {
            Body::Select(select) => select,
            Body::Set { left, right, .. } => {
                self.add_columns_beside(left, columns);
                return self.add_columns_beside(right, columns);
            }
        };
        match (select.items, select.from) {
            (Items::List(items), _) => {
                columns.resize(columns.len().max(items.len()), Beside::default());
                for (column, item) in columns.iter_mut().zip(items) {
                    column.add(self.beside_of(&item.value));
                }
            }
            (Items::Text(_), Some(Source::Derived { query, .. })) => self.add_columns_beside(query, columns),
            _ => {}
        }
    }

    pub(super) fn exact_select(
        &mut self,
        select: &Select<'a, 'e>,
        order: &'a [Order<'a, 'e>],
        told: Told<'a>,
    ) -> Result<(Select<'a, 'e>, &'a [Order<'a, 'e>])> {
        let mut select = *select;
        let all = matches!(select.items, Items::Text("*"));
        if let Some(from) = select.from {
            select.from = Some(self.exact_source(from, if all { told } else { Told::Rows })?);
        }
        select.joins = self.exact_joins(select.joins)?;
        select.filter = self.exact_filter(select.filter)?;
        let (keys, group) = self.exact_keys(&select, order)?;
        select.group = group;
        if let Some(having) = select.having {
            select.having = Some(self.exact_pred(&having, keys, At::Elsewhere)?);
        }
        let whole = select.distinct || told != Told::Rows;
        let item_form = if told.is_keys() { TextForm::Key } else { TextForm::Value };
        let use_of = if order.is_empty() { For::Equal } else { For::Order };
        let mut aliases = self.vec(0);
        let mut lengths = self.vec(0);
        if let Items::List(items) = select.items {
            let mut list = self.vec(items.len());
            for (index, item) in items.iter().enumerate() {
                let mut value = self.exact_value(item.value, keys)?;
                // `GROUP BY 2` means the item, and so does `ORDER BY "name"`.
                let by_place = select.group.iter().any(|key| is_place(key, index));
                let by_name = order
                    .iter()
                    .any(|key| item.alias.is_some() && key.value.kind.as_column().map(ColumnRef::text) == item.alias);
                if (whole || by_place || by_name) && is_text(value.ty) {
                    let use_of = if by_name { For::Order } else { use_of };
                    value = self.by_points(value, told.beside(index), use_of, item_form)?;
                }
                let alias = item.alias.or_else(|| match (item.value.kind, value.kind) {
                    (ScalarKind::Column(column), ScalarKind::Exact(..)) => Some(column.name()),
                    _ => None,
                });
                if by_name {
                    aliases.extend(item.alias);
                }
                if select.distinct
                    && !told.is_keys()
                    && self.ignores_blanks()
                    && matches!(value.kind, ScalarKind::Exact(..))
                {
                    lengths.push(self.call(Func::ByteLength, &[item.value], Some(DbValueType::Int32.into()))?);
                }
                list.push(Item { value, alias });
            }
            select.items = Items::List(list.into_bump_slice());
        }
        if !lengths.is_empty() {
            self.distinct_by_length(&mut select, lengths);
        }
        select.distinct_on = {
            let keys_of = self.exact_values(select.distinct_on, keys)?;
            self.all_by_points(keys_of, use_of, TextForm::Value)?
        };
        // What sorts distinct rows stands in their list.
        let form = if select.distinct || !select.distinct_on.is_empty() { TextForm::Value } else { TextForm::Key };
        let mut list = self.copied(order);
        for key in &mut list {
            if key.value.kind.as_column().is_some_and(|column| aliases.contains(&column.text())) {
                continue;
            }
            let value = self.exact_value(key.value, keys)?;
            key.value = self.by_points(value, Beside::default(), For::Order, form)?;
        }
        let order = self.keys_inside(&mut select, list.into_bump_slice())?;
        Ok((select, order))
    }

    /// The keys of a group that are texts as they were, and the keys as the group is made by. On an engine whose `=`
    /// ignores blanks at the end of a text, its length is one more. Where a subquery looks at a column of the group, that
    /// is one more, too: it parts no group further, as texts by code points are alike to every collation.
    ///
    /// ```sql
    /// -- before       -- after
    /// GROUP BY a      GROUP BY a COLLATE "C"
    ///                 GROUP BY a COLLATE Latin1_General_100_BIN2, DATALENGTH(a)
    ///                 GROUP BY a COLLATE "C", a
    /// ```
    #[allow(clippy::type_complexity, reason = "two lists of the same, which one caller takes apart")]
    pub(super) fn exact_keys(
        &mut self,
        select: &Select<'a, 'e>,
        order: &[Order<'a, 'e>],
    ) -> Result<(&'a [Scalar<'a, 'e>], &'a [Scalar<'a, 'e>])> {
        let mut texts = self.vec(0);
        let mut group = self.vec(select.group.len());
        for key in select.group {
            let inner = self.exact_value(*key, &[])?;
            let exact = self.by_points(inner, Beside::default(), For::Equal, TextForm::Value)?;
            group.push(exact);
            if matches!(exact.kind, ScalarKind::Exact(..)) {
                texts.push(*key);
                if let ScalarKind::Column(column) = inner.kind
                    && self.subquery_sees(select, order, column.text())
                {
                    group.push(inner);
                }
                if self.ignores_blanks() {
                    group.push(self.call(Func::ByteLength, &[inner], Some(DbValueType::Int32.into()))?);
                }
            }
        }
        Ok((texts.into_bump_slice(), group.into_bump_slice()))
    }

    /// Whether a subquery in the select list, HAVING or the order looks at a column.
    fn subquery_sees(&self, select: &Select<'a, 'e>, order: &[Order<'a, 'e>], column: &str) -> bool {
        let sees = |cx: &Self, part: Part<'_, 'a, 'e>| {
            let text = match part {
                _ if !part.is_query() => return false,
                Part::Scalar(value) => cx.text_of(value),
                Part::Pred(pred) => cx.text_of_pred(pred),
            };
            text.is_ok_and(|(text, _)| text.contains(column))
        };
        let items = if let Items::List(items) = select.items { items } else { &[] };
        items.iter().any(|item| self.any_part(&item.value, &mut { sees }))
            || select.having.is_some_and(|having| self.any_part_of(&having, &mut { sees }))
            || order.iter().any(|key| self.any_part(&key.value, &mut { sees }))
    }

    /// Distinct rows, on an engine whose `=` ignores blanks at the end of a text.
    ///
    /// ```sql
    /// -- before                 -- after
    /// SELECT DISTINCT a, b      SELECT a, b .. GROUP BY a, b, DATALENGTH(a)
    /// ```
    ///
    /// Done where each item is one of a row by itself, without a parameter: a group has no others as its keys.
    pub(super) fn distinct_by_length(&mut self, select: &mut Select<'a, 'e>, lengths: BumpVec<'a, Scalar<'a, 'e>>) {
        let Items::List(items) = select.items else { return };
        let simple = |cx: &Self, item: &Item<'a, 'e>| {
            cx.is_of_a_row(&item.value)
                && !cx.is_constant(&item.value)
                && !cx.has_parameter(&item.value)
                && !cx.any_part(&item.value, &mut |_, part| part.is_query())
        };
        if !select.group.is_empty() || select.having.is_some() || !items.iter().all(|item| simple(self, item)) {
            self.note(Feature::ExactText, Rule::BlanksAlike);
            return;
        }
        let mut keys = self.vec(items.len() + lengths.len());
        keys.extend(items.iter().map(|item| item.value));
        keys.extend(lengths);
        select.group = keys.into_bump_slice();
        select.distinct = false;
    }
}
