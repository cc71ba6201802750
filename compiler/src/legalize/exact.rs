//! Texts by their code points: what is compared, sorted or grouped is not what a collation makes of it.
//!
//! It is the last thing that happens to a frame, and only where some text is compared by code points or where a note is
//! due: so it finds whatever the rules have made of the tree, and a statement of a database whose collations are by code
//! points pays nothing. What was made in advance (a view's joins, a fixed filter) went through it when it was made.

use bumpalo::collections::Vec as BumpVec;

use crate::compiler::Texts;
use crate::dialect::{Feature, Support};
use crate::error::Result;
use crate::expr::{DbType, DbValueType, SelectSetType, Value};
use crate::frame::{
    Assign, Body, BuiltJoin, Call, Case, Compare, CompareOp, Conflict, Cte, Delete, In, InList, Insert, Item, Items,
    Join, Joined, Literal, Match, MatchKind, Order, Param, Piece, Pred, Query, Rows, Scalar, ScalarKind, Select,
    Source, Statement, TextForm, Update, Window,
};
use crate::functions::{Class, Func};
use crate::model::{Collation, TextMode};
use crate::render::Prec;

use super::parts::{Part, Step, listed};
use super::{Cx, Rule, repeated};

/// What a text is needed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum For {
    /// Whether it is the same as another.
    Equal,
    /// Whether it comes before another.
    Order,
}

impl For {
    fn serves(self, collation: &Collation) -> bool {
        collation.equal && (collation.order || self == For::Equal)
    }
}

/// What of a query is looked at from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    /// Its rows.
    Rows,
    /// Its values, which are compared with others: it is a member of a set operation.
    Values,
    /// Whether its values are the same as others, and nothing else of them: IN looks into it.
    Keys,
}

/// Where a predicate stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// It chooses rows, by AND and OR only: an index may find them.
    Filter,
    /// It does not.
    Elsewhere,
}

impl<'a, 'e> Cx<'a, 'e> {
    /// A statement whose texts are compared, sorted and grouped as they should be.
    ///
    /// ```sql
    /// -- before                          -- after
    /// WHERE a = $1                       WHERE a = $1 AND a COLLATE "C" = $1
    /// WHERE a > $1 ORDER BY a            WHERE a COLLATE "C" > $1 ORDER BY a COLLATE "C"
    /// SELECT a, COUNT(*) .. GROUP BY a   SELECT a COLLATE "C" AS a, COUNT(*) .. GROUP BY a COLLATE "C"
    /// ```
    ///
    /// Exact. Nothing is added where the column's collation is known to be by code points.
    pub(crate) fn exact_statement(&mut self, statement: Statement<'a, 'e>) -> Result<Statement<'a, 'e>> {
        Ok(match statement {
            Statement::Query(query) => Statement::Query(self.exact_query(query, Told::Rows)?),
            Statement::Insert(insert) => Statement::Insert(self.exact_insert(insert)?),
            Statement::Update(update) => {
                let update = Update {
                    ctes: self.exact_ctes(update.ctes)?,
                    joined: self.exact_joined(update.joined)?,
                    sets: self.exact_sets(update.sets)?,
                    filter: self.exact_filter(update.filter)?,
                    returning: self.exact_items(update.returning)?,
                    ..*update
                };
                Statement::Update(self.node(update))
            }
            Statement::Delete(delete) => {
                let delete = Delete {
                    ctes: self.exact_ctes(delete.ctes)?,
                    joined: self.exact_joined(delete.joined)?,
                    filter: self.exact_filter(delete.filter)?,
                    returning: self.exact_items(delete.returning)?,
                    ..*delete
                };
                Statement::Delete(self.node(delete))
            }
            Statement::Template(pieces) => {
                let mut list = self.copied(pieces);
                for piece in &mut list {
                    *piece = self.exact_piece(*piece)?;
                }
                Statement::Template(list.into_bump_slice())
            }
        })
    }

    fn exact_piece(&mut self, piece: Piece<'a, 'e>) -> Result<Piece<'a, 'e>> {
        Ok(match piece {
            Piece::Value(value) => Piece::Value(self.exact_value(value, &[])?),
            Piece::List(items) => Piece::List(self.exact_values(items, &[])?),
            Piece::Pred(pred) => Piece::Pred(self.exact_pred(&pred, &[], At::Elsewhere)?),
            Piece::Query(query) => Piece::Query(self.exact_query(query, Told::Rows)?),
            Piece::Items(Items::List(items)) => Piece::Items(Items::List(self.exact_items(items)?)),
            Piece::Orders(keys) => Piece::Orders(self.exact_orders(keys, &[], TextForm::Key)?),
            Piece::Source(source, joins) => {
                Piece::Source(self.exact_source(source, Told::Rows)?, self.exact_joins(joins)?)
            }
            other => other,
        })
    }

    fn exact_insert(&mut self, insert: &Insert<'a, 'e>) -> Result<&'a Insert<'a, 'e>> {
        let rows = match insert.rows {
            Rows::Scalars(values) => Rows::Scalars(self.exact_values(values, &[])?),
            Rows::Query(query) => Rows::Query(self.exact_query(query, Told::Rows)?),
            values @ Rows::Values(_) => values,
        };
        let conflict = match insert.conflict {
            None => None,
            Some(conflict) => {
                let loose = conflict.target.iter().any(|key| {
                    let exact = key.column.collation.as_ref().is_some_and(|collation| collation.equal);
                    key.column.ty.base.is_text() && !exact
                });
                if loose {
                    self.note(Feature::ExactText, Rule::KeyText);
                }
                let filter = self.exact_filter(conflict.filter)?;
                Some(Conflict { sets: self.exact_sets(conflict.sets)?, filter, ..conflict })
            }
        };
        let (ctes, returning) = (self.exact_ctes(insert.ctes)?, self.exact_items(insert.returning)?);
        Ok(self.node(Insert { ctes, rows, conflict, returning, ..*insert }))
    }

    fn exact_ctes(&mut self, ctes: &'a [Cte<'a, 'e>]) -> Result<&'a [Cte<'a, 'e>]> {
        let mut list = self.copied(ctes);
        for cte in &mut list {
            cte.query = self.exact_query(cte.query, Told::Rows)?;
        }
        Ok(list.into_bump_slice())
    }

    fn exact_sets(&mut self, sets: &'a [Assign<'a, 'e>]) -> Result<&'a [Assign<'a, 'e>]> {
        let mut list = self.copied(sets);
        for set in &mut list {
            set.value = self.exact_value(set.value, &[])?;
        }
        Ok(list.into_bump_slice())
    }

    fn exact_joined(&mut self, joined: Option<Joined<'a, 'e>>) -> Result<Option<Joined<'a, 'e>>> {
        let Some(Joined { source, joins }) = joined else { return Ok(None) };
        Ok(Some(Joined { source: self.exact_source(source, Told::Rows)?, joins: self.exact_joins(joins)? }))
    }

    fn exact_query(&mut self, query: &'a Query<'a, 'e>, told: Told) -> Result<&'a Query<'a, 'e>> {
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
                let told = if compared && told == Told::Rows { Told::Values } else { told };
                if op != SelectSetType::UnionAll && told != Told::Keys && self.texts_exact() && self.ignores_blanks() {
                    self.note(Feature::ExactText, Rule::BlanksAlike);
                }
                (
                    Body::Set { op, left: self.exact_query(left, told)?, right: self.exact_query(right, told)? },
                    query.order,
                )
            }
        };
        Ok(self.node(Query { ctes, body, order, ..*query }))
    }

    fn exact_select(
        &mut self,
        select: &Select<'a, 'e>,
        order: &'a [Order<'a, 'e>],
        told: Told,
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
        let grouped = !select.group.is_empty();
        let whole = select.distinct || told != Told::Rows;
        let item_form = if told == Told::Keys { TextForm::Key } else { TextForm::Value };
        let use_of = if order.is_empty() { For::Equal } else { For::Order };
        let mut aliases = self.vec(0);
        let mut lengths = self.vec(0);
        if let Items::List(items) = select.items {
            let mut list = self.vec(items.len());
            for (index, item) in items.iter().enumerate() {
                let mut value = self.exact_value(item.value, keys)?;
                // `GROUP BY 2` means the item, and so does `ORDER BY "name"`.
                let by_place = select.group.iter().any(|key| is_place(key, index));
                let by_name = order.iter().any(|key| item.alias.is_some() && key.value.kind.as_column() == item.alias);
                if (whole || by_place || by_name) && is_text(value.ty) {
                    let use_of = if by_name { For::Order } else { use_of };
                    value = self.by_points(value, use_of, item_form)?;
                }
                let alias = item.alias.or_else(|| match (item.value.kind, value.kind) {
                    (ScalarKind::Column(text), ScalarKind::Exact(..)) => Some(last_name(text)),
                    _ => None,
                });
                if by_name {
                    aliases.extend(item.alias);
                }
                if select.distinct
                    && told != Told::Keys
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
        let form = if grouped || select.distinct || !select.distinct_on.is_empty() || !select.group.is_empty() {
            TextForm::Value
        } else {
            TextForm::Key
        };
        let mut list = self.copied(order);
        for key in &mut list {
            if key.value.kind.as_column().is_some_and(|text| aliases.contains(&text)) {
                continue;
            }
            let value = self.exact_value(key.value, keys)?;
            key.value = self.by_points(value, For::Order, form)?;
        }
        Ok((select, list.into_bump_slice()))
    }

    /// The keys of a group that are texts as they were, and the keys as the group is made by. On an engine whose `=`
    /// ignores blanks at the end of a text, its length is one more.
    ///
    /// ```sql
    /// -- before       -- after
    /// GROUP BY a      GROUP BY a COLLATE "C"
    ///                 GROUP BY a COLLATE Latin1_General_100_BIN2, DATALENGTH(a)
    /// ```
    #[allow(clippy::type_complexity, reason = "two lists of the same, which one caller takes apart")]
    fn exact_keys(
        &mut self,
        select: &Select<'a, 'e>,
        order: &[Order<'a, 'e>],
    ) -> Result<(&'a [Scalar<'a, 'e>], &'a [Scalar<'a, 'e>])> {
        let _ = order;
        let mut texts = self.vec(0);
        let mut group = self.vec(select.group.len());
        for key in select.group {
            let inner = self.exact_value(*key, &[])?;
            let exact = self.by_points(inner, For::Equal, TextForm::Value)?;
            group.push(exact);
            if matches!(exact.kind, ScalarKind::Exact(..)) {
                texts.push(*key);
                if self.ignores_blanks() {
                    group.push(self.call(Func::ByteLength, &[inner], Some(DbValueType::Int32.into()))?);
                }
            }
        }
        Ok((texts.into_bump_slice(), group.into_bump_slice()))
    }

    /// Distinct rows, on an engine whose `=` ignores blanks at the end of a text.
    ///
    /// ```sql
    /// -- before                 -- after
    /// SELECT DISTINCT a, b      SELECT a, b .. GROUP BY a, b, DATALENGTH(a)
    /// ```
    ///
    /// Done where each item is one of a row by itself, without a parameter: a group has no others as its keys.
    fn distinct_by_length(&mut self, select: &mut Select<'a, 'e>, lengths: BumpVec<'a, Scalar<'a, 'e>>) {
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

    fn exact_source(&mut self, source: Source<'a, 'e>, told: Told) -> Result<Source<'a, 'e>> {
        Ok(match source {
            Source::Derived { query, alias } => Source::Derived { query: self.exact_query(query, told)?, alias },
            table @ Source::Table { .. } => table,
        })
    }

    /// Joins whose conditions compare texts as they should.
    pub(crate) fn exact_joins(&mut self, joins: &'a [Join<'a, 'e>]) -> Result<&'a [Join<'a, 'e>]> {
        let mut list = self.copied(joins);
        for join in &mut list {
            if let Join::Built(built) = *join {
                let source = self.exact_source(built.source, Told::Rows)?;
                let on = self.exact_filter(built.on)?;
                *join = Join::Built(self.node(BuiltJoin { source, on, ..*built }));
            }
        }
        Ok(list.into_bump_slice())
    }

    fn exact_filter(&mut self, filter: Option<Pred<'a, 'e>>) -> Result<Option<Pred<'a, 'e>>> {
        filter.map(|filter| self.exact_condition(&filter)).transpose()
    }

    /// A condition that chooses rows.
    pub(crate) fn exact_condition(&mut self, pred: &Pred<'a, 'e>) -> Result<Pred<'a, 'e>> {
        self.exact_pred(pred, &[], At::Filter)
    }

    fn exact_items(&mut self, items: &'a [Item<'a, 'e>]) -> Result<&'a [Item<'a, 'e>]> {
        let mut list = self.copied(items);
        for item in &mut list {
            item.value = self.exact_value(item.value, &[])?;
        }
        Ok(list.into_bump_slice())
    }

    fn exact_orders(
        &mut self,
        keys: &[Order<'a, 'e>],
        group: &[Scalar<'a, 'e>],
        form: TextForm,
    ) -> Result<&'a [Order<'a, 'e>]> {
        let mut list = self.copied(keys);
        for key in &mut list {
            let value = self.exact_value(key.value, group)?;
            key.value = self.by_points(value, For::Order, form)?;
        }
        Ok(list.into_bump_slice())
    }

    fn exact_values(&mut self, values: &[Scalar<'a, 'e>], group: &[Scalar<'a, 'e>]) -> Result<&'a [Scalar<'a, 'e>]> {
        let mut list = self.copied(values);
        for value in &mut list {
            *value = self.exact_value(*value, group)?;
        }
        Ok(list.into_bump_slice())
    }

    fn all_by_points(
        &mut self,
        values: &[Scalar<'a, 'e>],
        use_of: For,
        form: TextForm,
    ) -> Result<&'a [Scalar<'a, 'e>]> {
        let mut list = self.copied(values);
        for value in &mut list {
            *value = self.by_points(*value, use_of, form)?;
        }
        Ok(list.into_bump_slice())
    }

    /// A value in which texts are compared as they should be. What is one of the group's keys becomes the key that the
    /// group is made by.
    fn exact_value(&mut self, value: Scalar<'a, 'e>, group: &[Scalar<'a, 'e>]) -> Result<Scalar<'a, 'e>> {
        if value.is_plain() {
            return Ok(value);
        }
        let whole = group.iter().any(|key| self.same(key, &value));
        let changed = self.map_scalar(&value, &mut |cx, part| match cx.exact_step(part, group)? {
            Step::Becomes(key) if !whole && group.iter().any(|known| cx.same(known, part)) => {
                Ok(Step::Becomes(cx.key_inside(key)?))
            }
            step => Ok(step),
        })?;
        Ok(changed.unwrap_or(value))
    }

    /// A computed key of the group inside of another value, which not every engine knows again there.
    ///
    /// ```sql
    /// -- before                                  -- after
    /// UPPER(city COLLATE utf8mb4_0900_bin)       UPPER(MIN(city COLLATE utf8mb4_0900_bin))
    /// ```
    fn key_inside(&mut self, key: Scalar<'a, 'e>) -> Result<Scalar<'a, 'e>> {
        if matches!(key.kind, ScalarKind::Column(_)) {
            return Ok(key);
        }
        match self.rule_for(Feature::GroupKeyInside)? {
            Some(_) => self.call(Func::Min, &[key], key.ty),
            None => Ok(key),
        }
    }

    fn exact_step(&mut self, part: &Scalar<'a, 'e>, group: &[Scalar<'a, 'e>]) -> Result<Step<'a, 'e>> {
        if group.iter().any(|key| self.same(key, part)) {
            let inner = self.exact_value(*part, &[])?;
            return Ok(Step::Becomes(self.by_points(inner, For::Equal, TextForm::Value)?));
        }
        let kind = match part.kind {
            ScalarKind::Query(query) => ScalarKind::Query(self.exact_query(query, Told::Rows)?),
            ScalarKind::Truth(pred) => {
                let pred = self.exact_pred(pred, group, At::Elsewhere)?;
                ScalarKind::Truth(self.node(pred))
            }
            ScalarKind::Case(case) => {
                let mut cases = self.copied(case.cases);
                for (cond, value) in &mut cases {
                    *cond = self.exact_pred(cond, group, At::Elsewhere)?;
                    *value = self.exact_value(*value, group)?;
                }
                let otherwise = case.otherwise.map(|value| self.exact_value(value, group)).transpose()?;
                ScalarKind::Case(self.node(Case { cases: cases.into_bump_slice(), otherwise }))
            }
            ScalarKind::Call(call) => {
                let call = self.exact_call(call, group)?;
                ScalarKind::Call(self.node(call))
            }
            ScalarKind::Window(window) => {
                let partition = self.exact_values(window.partition, group)?;
                let window = Window {
                    call: self.exact_call(&window.call, group)?,
                    partition: self.all_by_points(partition, For::Equal, TextForm::Key)?,
                    order: self.exact_orders(window.order, group, TextForm::Key)?,
                    frame: window.frame,
                };
                ScalarKind::Window(self.node(window))
            }
            _ => return Ok(Step::Into),
        };
        Ok(Step::Becomes(Scalar { kind, ..*part }))
    }

    fn exact_call(&mut self, call: &Call<'a, 'e>, group: &[Scalar<'a, 'e>]) -> Result<Call<'a, 'e>> {
        use Func as F;
        let aggregate = call.func.is_some_and(|func| func.signature().class == Class::Aggregate);
        let group = if aggregate { &[] } else { group };
        let mut args = self.copied(call.args);
        for arg in &mut args {
            let key = group.iter().any(|key| self.same(key, arg));
            *arg = self.exact_value(*arg, group)?;
            if key {
                *arg = self.key_inside(*arg)?;
            }
        }
        // What knows letters from others does so by a collation that knows them.
        if let Some(F::Lower | F::Upper | F::RegexpReplace | F::RegexpSubstr | F::RegexpCount) = call.func
            && let Some(text) = args.first_mut()
        {
            *text = self.by_letters(*text);
        }
        // What looks into texts, or compares them.
        let (count, use_of, form) = match call.func {
            Some(F::IndexOf | F::Replace) => (2, For::Equal, TextForm::Value),
            Some(F::NullIf) => (2, For::Equal, TextForm::Value),
            Some(F::Trim | F::TrimStart | F::TrimEnd) if args.len() > 1 => (1, For::Equal, TextForm::Value),
            Some(F::Greatest | F::Least) => (args.len(), For::Order, TextForm::Value),
            Some(F::Min | F::Max) => (1, For::Order, TextForm::Value),
            Some(F::Count) if call.distinct => (1, For::Equal, TextForm::Key),
            Some(_) if call.distinct => {
                (1, if call.order.is_empty() { For::Equal } else { For::Order }, TextForm::Value)
            }
            _ => (0, For::Equal, TextForm::Value),
        };
        if let Some(sides) = args.get_mut(..count.min(call.args.len())) {
            self.exact_sides(sides, use_of, form)?;
        }
        let form = if call.distinct { TextForm::Value } else { TextForm::Key };
        Ok(Call {
            args: args.into_bump_slice(),
            order: self.exact_orders(call.order, group, form)?,
            filter: call.filter.map(|filter| self.exact_pred(&filter, group, At::Elsewhere)).transpose()?,
            ..*call
        })
    }

    fn exact_pred(&mut self, pred: &Pred<'a, 'e>, group: &[Scalar<'a, 'e>], at: At) -> Result<Pred<'a, 'e>> {
        Ok(match *pred {
            Pred::Compare(node) => return self.exact_compare(node, group, at),
            Pred::Match(node) => {
                let text = self.exact_value(node.text, group)?;
                let pattern = self.exact_value(node.pattern, group)?;
                let mut sides = [text, pattern];
                match node.kind {
                    MatchKind::ILike { .. } | MatchKind::Regex => sides = [self.by_letters(text), pattern],
                    // Where LIKE never follows a collation, it compares code points; and so does GLOB.
                    MatchKind::Like { .. } if self.target.has(Feature::LikeCollation) => {
                        self.exact_sides(&mut sides, For::Equal, TextForm::Value)?;
                    }
                    MatchKind::Like { .. } | MatchKind::Glob => {}
                }
                let [text, pattern] = sides;
                Pred::Match(self.node(Match { text, pattern, ..*node }))
            }
            Pred::In(node) => return self.exact_in(node, group, at),
            Pred::Exists(query, negated) => Pred::Exists(self.exact_query(query, Told::Rows)?, negated),
            Pred::And(items) => Pred::And(self.exact_preds(items, group, at)?),
            Pred::Or(items) => Pred::Or(self.exact_preds(items, group, at)?),
            Pred::Not(inner) => {
                let inner = self.exact_pred(inner, group, At::Elsewhere)?;
                Pred::Not(self.node(inner))
            }
            Pred::Null(value, negated) => {
                let value = self.exact_value(*value, group)?;
                Pred::Null(self.node(value), negated)
            }
            Pred::IsTrue(value) => {
                let value = self.exact_value(*value, group)?;
                Pred::IsTrue(self.node(value))
            }
            Pred::Const(_) | Pred::Text(_) | Pred::Fragment(_) => *pred,
        })
    }

    fn exact_preds(&mut self, items: &[Pred<'a, 'e>], group: &[Scalar<'a, 'e>], at: At) -> Result<&'a [Pred<'a, 'e>]> {
        let mut list = self.vec(items.len());
        for item in items {
            let item = self.exact_pred(item, group, at)?;
            // What became two conditions is two of this list.
            list.push(item);
        }
        Ok(list.into_bump_slice())
    }

    fn exact_compare(&mut self, node: &Compare<'a, 'e>, group: &[Scalar<'a, 'e>], at: At) -> Result<Pred<'a, 'e>> {
        let plain = [self.exact_value(node.left, group)?, self.exact_value(node.right, group)?];
        let use_of = match node.op {
            CompareOp::Equal | CompareOp::NotEqual | CompareOp::Distinct | CompareOp::NotDistinct => For::Equal,
            _ => For::Order,
        };
        let mut sides = plain.map(repeated);
        if let [ScalarKind::Row(left), ScalarKind::Row(right)] = sides.map(|side| side.kind) {
            let (mut l, mut r) = (self.copied(left), self.copied(right));
            for (l, r) in l.iter_mut().zip(&mut r) {
                let mut pair = [*l, *r];
                self.exact_sides(&mut pair, use_of, TextForm::Key)?;
                [*l, *r] = pair;
            }
            let [left, right] = sides;
            let left = Scalar { kind: ScalarKind::Row(l.into_bump_slice()), ..left };
            let right = Scalar { kind: ScalarKind::Row(r.into_bump_slice()), ..right };
            return Ok(Pred::Compare(self.node(Compare { left, op: node.op, right })));
        }
        let changed = self.exact_sides(&mut sides, use_of, TextForm::Key)?;
        let [left, right] = sides;
        if !changed {
            let [left, right] = plain;
            return Ok(Pred::Compare(self.node(Compare { left, op: node.op, right })));
        }
        if at == At::Elsewhere || node.op != CompareOp::Equal {
            return Ok(Pred::Compare(self.node(Compare { left, op: node.op, right })));
        }
        // An index serves the comparison by the collation; it is true wherever the exact one is.
        let [l, r] = plain;
        let exact = Pred::Compare(self.node(Compare { left, op: node.op, right }));
        let served = match (self.indexed(&l), self.indexed(&r)) {
            (Some(a), Some(b)) if a.is_known_other(b) => None,
            (Some(column), None) => Some((l, self.beside(&repeated(r), column))),
            (None, Some(column)) => Some((self.beside(&repeated(l), column), r)),
            (Some(_), Some(_)) => Some((l, r)),
            (None, None) => None,
        };
        Ok(match served {
            Some((left, right)) => {
                let by_index = Pred::Compare(self.node(Compare { left, op: node.op, right }));
                self.all(&[by_index, exact])
            }
            None => exact,
        })
    }

    fn exact_in(&mut self, node: &In<'a, 'e>, group: &[Scalar<'a, 'e>], at: At) -> Result<Pred<'a, 'e>> {
        let left = self.exact_value(node.left, group)?;
        let columns = match left.kind {
            ScalarKind::Row(columns) => columns,
            _ => self.slice(&[left]),
        };
        // A query is told as the values that it gives, whatever they are looked up by.
        let query = |cx: &mut Self, query: &'a Query<'a, 'e>| {
            let told = columns.iter().any(|column| is_text(column.ty));
            cx.exact_query(query, if told { Told::Keys } else { Told::Rows })
        };
        let list = match node.list {
            InList::Query(inner) => InList::Query(query(self, inner)?),
            InList::Scalars(items) => InList::Scalars(self.exact_values(items, group)?),
            InList::Array(param, ty, n) => InList::Array(Param { repeated: true, ..param }, ty, n),
            values @ InList::Values(..) => values,
        };
        let plain = Pred::In(self.node(In { left, list, negated: node.negated }));
        let exact = {
            let mut columns = self.copied(columns);
            let mut changed = false;
            for column in &mut columns {
                changed |= self.exact_sides(std::slice::from_mut(column), For::Equal, TextForm::Key)?;
            }
            if !changed {
                return Ok(plain);
            }
            let left = match left.kind {
                ScalarKind::Row(_) => Scalar { kind: ScalarKind::Row(columns.into_bump_slice()), ..left },
                _ => columns.first().copied().unwrap_or(left),
            };
            let list = self.exact_list(list, &left)?;
            Pred::In(self.node(In { left, list, negated: node.negated }))
        };
        let (true, Some(column)) = (at == At::Filter && !node.negated, self.indexed(&left)) else { return Ok(exact) };
        let many = self.target.limits().in_list;
        let served = match list {
            InList::Values(values, ty) if values.len() <= many => {
                let mut items = self.vec(values.len());
                for value in values.iter().filter(|value| !value.is_null()) {
                    items.push(self.beside(&repeated(listed(value, ty)), column));
                }
                InList::Scalars(items.into_bump_slice())
            }
            InList::Scalars(items) if items.len() <= many && items.iter().all(Scalar::is_plain) => {
                let mut list = self.vec(items.len());
                list.extend(items.iter().map(|item| self.beside(&repeated(*item), column)));
                InList::Scalars(list.into_bump_slice())
            }
            InList::Array(param, ty, n) if column.is_none_or(|known| known.charset.is_none()) => {
                InList::Array(param, ty, n)
            }
            _ => return Ok(exact),
        };
        if matches!(served, InList::Scalars([])) {
            return Ok(exact);
        }
        let by_index = Pred::In(self.node(In { left, list: served, negated: false }));
        Ok(self.all(&[by_index, exact]))
    }

    /// The list that an exact text is looked up in: on an engine whose `=` ignores blanks at the end, each of its texts has
    /// to be such a key, too; elsewhere those that are no parameters.
    fn exact_list(&mut self, list: InList<'a, 'e>, left: &Scalar<'a, 'e>) -> Result<InList<'a, 'e>> {
        let all = self.ignores_blanks();
        Ok(match list {
            InList::Values(values, ty) => {
                let mut items = self.vec(values.len());
                for value in values {
                    items.push(match value {
                        Value::Null => self.null(Some(ty)),
                        _ if all => self.exact(repeated(listed(value, ty)), TextForm::Key),
                        _ => repeated(listed(value, ty)),
                    });
                }
                self.params.set(self.params.get() + values.len());
                InList::Scalars(items.into_bump_slice())
            }
            InList::Scalars(items) => {
                let exact = |cx: &Self, item: Scalar<'a, 'e>, column: &Scalar<'a, 'e>| {
                    let is = matches!(column.kind, ScalarKind::Exact(..)) && !cx.is_null(&item);
                    if is && (all || !item.is_plain()) {
                        cx.exact(repeated(item), TextForm::Key)
                    } else {
                        repeated(item)
                    }
                };
                let mut list = self.vec(items.len());
                for item in items {
                    list.push(match (item.kind, left.kind) {
                        (ScalarKind::Row(values), ScalarKind::Row(columns)) => {
                            let mut row = self.vec(values.len());
                            row.extend(values.iter().zip(columns).map(|(item, column)| exact(self, *item, column)));
                            Scalar { kind: ScalarKind::Row(row.into_bump_slice()), ..*item }
                        }
                        _ => exact(self, *item, left),
                    });
                }
                InList::Scalars(list.into_bump_slice())
            }
            other => other,
        })
    }

    /// A text beside a column, so that an index on the column serves it.
    fn beside(&self, text: &Scalar<'a, 'e>, column: Option<&Collation>) -> Scalar<'a, 'e> {
        let spelled = column.and_then(|collation| self.target.dialect().beside_column(collation));
        let (Some(template), false) = (spelled, self.is_null(text)) else { return *text };
        let (template, args) = (self.str(&template), self.slice(&[*text]));
        let call = Call { func: None, template, prec: Prec::Atom, args, distinct: false, order: &[], filter: None };
        Scalar { kind: ScalarKind::Call(self.node(call)), ..*text }
    }

    /// The collation of a column that an index may be on, as far as it is known.
    fn indexed(&self, value: &Scalar<'a, 'e>) -> Option<Option<&'a Collation>> {
        match (value.kind, value.column) {
            (ScalarKind::Column(_), Some(column)) => Some(column.collation.as_ref()),
            (ScalarKind::Column(_), None) => Some(None),
            // There are indexes on functions of columns, too.
            (ScalarKind::Call(_), _) if self.any_part(value, &mut |_, part| is_column(&part)) => Some(None),
            _ => None,
        }
    }

    /// Texts that are compared with each other, as they should be; whether something had to be done about it.
    fn exact_sides(&mut self, sides: &mut [Scalar<'a, 'e>], use_of: For, form: TextForm) -> Result<bool> {
        if !sides.iter().any(|side| is_text(side.ty))
            || sides.iter().any(|side| side.ty.is_some_and(|ty| !is_text(Some(ty))))
        {
            return Ok(false);
        }
        let mode = sides.iter().filter_map(|side| self.text_mode(side)).max_by_key(|mode| *mode == TextMode::Exact);
        if mode.unwrap_or(self.target.text()) == TextMode::Database {
            sides.iter().for_each(|side| self.noted(side, use_of));
            return Ok(false);
        }
        let mut names = self.vec(sides.len());
        names.extend(sides.iter().filter(|side| !side.is_plain()).map(|side| self.known(side)));
        let served = |name: &Option<&Collation>| name.is_some_and(|collation| use_of.serves(collation));
        let one = names.windows(2).all(|pair| matches!(pair, [Some(a), Some(b)] if a.name == b.name));
        if !names.is_empty() && names.iter().all(served) && one {
            return Ok(false);
        }
        self.rule_for(Feature::ExactText)?;
        let all = form == TextForm::Key && self.ignores_blanks();
        let none = sides.iter().all(Scalar::is_plain);
        for (index, side) in sides.iter_mut().enumerate() {
            if !self.is_null(side) && (all || !side.is_plain() || none && index == 0) {
                *side = self.exact(*side, form);
            }
        }
        Ok(true)
    }

    /// A text as it is sorted or grouped.
    fn by_points(&mut self, value: Scalar<'a, 'e>, use_of: For, form: TextForm) -> Result<Scalar<'a, 'e>> {
        let keyed = form == TextForm::Key && self.ignores_blanks();
        if value.is_plain() && !keyed || !is_text(value.ty) {
            return Ok(value);
        }
        let mut side = [value];
        self.exact_sides(&mut side, use_of, form)?;
        let [value] = side;
        Ok(value)
    }

    /// A text by its code points.
    fn exact(&self, value: Scalar<'a, 'e>, form: TextForm) -> Scalar<'a, 'e> {
        match value.kind {
            ScalarKind::Exact(inner, TextForm::Value) if form == TextForm::Key => {
                Scalar { kind: ScalarKind::Exact(inner, form), ..value }
            }
            ScalarKind::Exact(..) => value,
            _ => Scalar { kind: ScalarKind::Exact(self.node(value), form), ..value },
        }
    }

    /// A text that is matched or folded by kinds of letters, of which a collation by code points may know ASCII's only: its
    /// own may be one by now, as that of a group's key is, or of a derived table's column.
    fn by_letters(&self, value: Scalar<'a, 'e>) -> Scalar<'a, 'e> {
        if !self.texts_exact() || value.is_plain() || !is_text(value.ty) {
            return value;
        }
        Scalar { kind: ScalarKind::Exact(self.node(value), TextForm::Pattern), ..value }
    }

    /// What a text is compared by; none where what stands beside it says so.
    fn text_mode(&self, value: &Scalar<'a, 'e>) -> Option<TextMode> {
        let own = |value: &Scalar<'a, 'e>| value.column.and_then(|column| column.text);
        match value.kind {
            ScalarKind::Param(_) | ScalarKind::Literal(_) => None,
            ScalarKind::Column(_) => Some(own(value).unwrap_or(self.target.text())),
            _ if self.target.text() == TextMode::Exact => Some(TextMode::Exact),
            _ => {
                let exact = self.any_part(value, &mut |_, part| match part {
                    Part::Scalar(part) => own(part) == Some(TextMode::Exact),
                    Part::Pred(_) => false,
                });
                Some(if exact { TextMode::Exact } else { TextMode::Database })
            }
        }
    }

    /// What is known of the collation of a value.
    fn known(&self, value: &Scalar<'a, 'e>) -> Option<&'a Collation> {
        match value.kind {
            ScalarKind::Column(_) => value.column.and_then(|column| column.collation.as_ref()),
            _ => None,
        }
    }

    /// A note that a column is compared by its collation.
    fn noted(&mut self, value: &Scalar<'a, 'e>, use_of: For) {
        if self.known(value).is_some_and(|collation| !use_of.serves(collation)) {
            self.note(Feature::ExactText, Rule::DatabaseText);
        }
    }

    /// Whether texts may be compared by code points.
    pub(crate) fn texts_exact(&self) -> bool {
        self.target.texts() == Texts::Exact
    }

    /// Whether `=` ignores blanks at the end of a text under every collation.
    fn ignores_blanks(&self) -> bool {
        self.target.support(Feature::TrailingBlanks) == Support::Expand(Rule::BlanksEnded)
    }
}

/// What is known of two collations.
trait Known {
    /// Whether they are known to differ, so that the engine may not compare texts of both.
    fn is_known_other(&self, other: Self) -> bool;
}

impl Known for Option<&Collation> {
    fn is_known_other(&self, other: Self) -> bool {
        matches!((self, other), (Some(a), Some(b)) if a.name != b.name)
    }
}

fn is_text(ty: Option<DbType>) -> bool {
    ty.is_some_and(|ty| ty.base.is_text() && !ty.array)
}

/// Whether a key of a group means the item at that place.
fn is_place(key: &Scalar<'_, '_>, index: usize) -> bool {
    match key.kind {
        ScalarKind::Literal(Literal::Int(place)) => usize::try_from(place).is_ok_and(|place| place == index + 1),
        _ => false,
    }
}

fn is_column(part: &Part<'_, '_, '_>) -> bool {
    matches!(part, Part::Scalar(Scalar { kind: ScalarKind::Column(_), .. }))
}

/// The quoted name of a column behind its qualifier. A qualifier has no dot in it.
fn last_name(text: &str) -> &str {
    text.split_once('.').map_or(text, |(_, name)| name)
}
