//! The order of a page is total: two rows that it does not tell apart could be on two pages, or on none.
//!
//! ```sql
//! -- the tree: order by Status, take 5
//! SELECT .. FROM "Orders" "T0" ORDER BY "T0"."Status", "T0"."Id" LIMIT 5
//! ```
//!
//! Rows are told apart by the keys of their tables, groups by the keys of the groups, distinct rows and those of a set by
//! their columns. Rows without a key that are alike in every column that can be sorted keep their ties, and a note says so.

use bumpalo::collections::Vec as BumpVec;

use crate::dialect::Feature;
use crate::entity_texts::join_bit;
use crate::error::Result;
use crate::frame::{Join, Order, Scalar};
use crate::legalize::listed::Values;
use crate::legalize::{Rule, json, query, sorted};
use crate::model::{Column, Property};

use super::chain::{Building, Shown, Ties, order_key};
use super::scope::{OutCol, Src, SrcKind};
use super::shown::used_by_default;
use super::single::{Keys, gives};
use super::source::keeps_joined;
use super::{Resolver, scope};

/// The keys that tell rows apart.
struct Apart<'a, 'e> {
    keys: BumpVec<'a, Scalar<'a, 'e>>,
    /// Whether rows may be alike in all of them.
    has_ties: bool,
}

impl<'a, 'e> Apart<'a, 'e> {
    /// Adds values, of which those count that can be sorted.
    fn add(&mut self, r: &Resolver<'_, '_, 'a, 'e>, values: impl IntoIterator<Item = Scalar<'a, 'e>>) {
        for value in values {
            if query::is_constant(r.cx, &value) {
                continue;
            }
            if is_sortable(r, &value) { self.keys.push(value) } else { self.has_ties = true }
        }
    }
}

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    /// Appends the keys to the order of a page that it lacks to be total.
    pub(super) fn break_ties(&mut self, b: &mut Building<'a, 'e>) -> Result<()> {
        if b.ties != Ties::ToBreak {
            return Ok(());
        }
        b.ties = Ties::Broken;
        let before = b.order.len();
        let apart = self.keys_apart(b)?;
        if b.distinct
            && let Some(place) = b.items.iter().flatten().map(|item| item.place).max()
        {
            b.order_place = b.order_place.max(place);
        }
        let known = Values::of(b.order.iter().enumerate().map(|(place, key)| (key.value, place)));
        let own = self.own_names(b);
        // What is the same in all rows orders nothing.
        let is_fixed = |key: &Scalar<'a, 'e>| b.filters.iter().any(|pred| gives(pred, key, &own, Keys::Certain));
        let missing =
            apart.keys.iter().filter(|key| known.find(self.cx, key).is_none() && (before == 0 || !is_fixed(key)));
        let missing: BumpVec<'a, Order<'a, 'e>> =
            BumpVec::from_iter_in(missing.map(|key| order_key(*key)), self.cx.bump);
        b.order.extend(missing);
        b.appended += b.order.len() - before;
        if b.after.is_some() && b.order.len() > before {
            self.cx.note(Feature::OffsetWithoutOrder, Rule::TiesAtCursor);
        }
        if apart.has_ties {
            self.cx.note(Feature::OffsetWithoutOrder, Rule::TiesInPage);
        }
        if b.offset.is_some() && b.order.is_empty() && self.cx.rule_for(Feature::OffsetWithoutOrder)?.is_some() {
            b.order.push(query::no_order(self.cx));
        }
        Ok(())
    }

    /// What tells the rows of a query apart.
    fn keys_apart(&mut self, b: &Building<'a, 'e>) -> Result<Apart<'a, 'e>> {
        let mut apart = Apart { keys: self.cx.vec(2), has_ties: false };
        if let Some((_, columns)) = b.set {
            apart.add(self, columns.iter().map(|column| column.by_name(self.cx)));
        } else if !b.distinct_on.is_empty() {
            // There is one row for each of these, which its own order tells from the others.
            if b.order.is_empty() {
                apart.add(self, b.distinct_on.iter().copied());
                self.add_keys_of_sources(b, &mut apart)?;
            }
        } else if b.distinct
            && let Some(items) = &b.items
        {
            apart.add(self, items.iter().map(|item| item.value));
        } else if !b.group.is_empty() {
            apart.add(self, b.group.iter().copied());
        } else if !b.aggregated {
            self.add_keys_of_sources(b, &mut apart)?;
        }
        Ok(apart)
    }

    fn add_keys_of_sources(&mut self, b: &Building<'a, 'e>, apart: &mut Apart<'a, 'e>) -> Result<()> {
        let all = b.items.is_none() && b.group.is_empty();
        for (index, source) in b.sources.iter().enumerate() {
            if self.is_determined(b, index) {
                continue;
            }
            self.key_of_rows(source, apart);
            let SrcKind::Entity { entity, .. } = source.kind else { continue };
            let shown = b.shown.get(index).map_or(0, Shown::joins) | if all { used_by_default(source) } else { 0 };
            let used = source.used.get() | shown;
            for join in 0..entity.joins.len() {
                if used & join_bit(join) != 0
                    && !self.joins_one_each(entity, join_bit(join))
                    && let Some(joined) = self.joined_by(source, join)?
                {
                    self.key_of_rows(&joined, apart);
                }
            }
        }
        Ok(())
    }

    /// Returns whether a joined source has one row at most for each of those before it: its condition names the whole key.
    fn is_determined(&self, b: &Building<'a, 'e>, index: usize) -> bool {
        let Some(source) = b.sources.get(index) else { return false };
        let (SrcKind::Entity { entity, .. }, Some(Join::Built(join))) =
            (&source.kind, index.checked_sub(1).and_then(|index| b.joins.get(index)))
        else {
            return false;
        };
        let Some(on) = join.on.filter(|_| !keeps_joined(join.kind) && source.used.get() == 0) else { return false };
        let is_given = |key: &usize| {
            let key = scope::entity_column(self.cx, source, Property::Column(*key), false);
            key.is_some_and(|key| gives(&on, &key, &[source.quoted], Keys::Certain))
        };
        !entity.keys.is_empty() && entity.keys.iter().all(is_given)
    }

    /// Adds what tells the rows of a source apart: the primary key in the order of its definition, or every column.
    fn key_of_rows(&self, source: &Src<'a>, apart: &mut Apart<'a, 'e>) {
        match source.kind {
            SrcKind::Entity { entity, .. } => {
                let column = |index: usize| scope::entity_column(self.cx, source, Property::Column(index), false);
                if entity.keys.is_empty() {
                    let stored = |(_, column): &(usize, &Column)| column.is_readable() && column.computed.is_none();
                    let stored = entity.columns.iter().enumerate().filter(stored);
                    apart.add(self, stored.filter_map(|(index, _)| column(index)));
                } else {
                    apart.add(self, entity.keys.iter().filter_map(|key| column(*key)));
                }
            }
            SrcKind::Columns(columns) => {
                let columns = if source.key.is_empty() { columns } else { source.key };
                apart.add(self, columns.iter().map(|column| scope::held(self.cx, source, column)));
            }
        }
    }

    /// The columns of what becomes a table that tell its rows apart; none if it lacks one of these.
    pub(super) fn key_of_table(&mut self, b: &Building<'a, 'e>, columns: &'a [OutCol<'a>]) -> Result<&'a [OutCol<'a>]> {
        if b.set.is_some() || b.distinct || !b.distinct_on.is_empty() || b.group.is_empty() && b.aggregated {
            return Ok(&[]);
        }
        let apart = self.keys_apart(b)?;
        let places = match &b.items {
            Some(items) => self.values_of(items),
            None => self.values_of(&self.items_of_all(b)),
        };
        let mut key = self.cx.vec(apart.keys.len());
        key.extend(apart.keys.iter().filter_map(|value| columns.get(places.find(self.cx, value)?)));
        let is_whole = !apart.has_ties && key.len() == apart.keys.len();
        Ok(if is_whole { key.into_bump_slice() } else { &[] })
    }

    /// What tells the rows of a source apart, as far as it can be sorted.
    pub(super) fn sorted_key_of(&self, source: &Src<'a>) -> BumpVec<'a, Scalar<'a, 'e>> {
        let mut apart = Apart { keys: self.cx.vec(2), has_ties: false };
        self.key_of_rows(source, &mut apart);
        apart.keys
    }

    /// Returns whether a page of distinct rows needs a table below it: a value that is sorted by another thing than itself is no
    /// key of distinct rows.
    pub(super) fn is_sorted_over(&self, b: &Building<'a, 'e>) -> bool {
        b.distinct && b.items.iter().flatten().any(|item| !sorted::sorts_itself(self.cx, &item.value))
    }
}

/// Returns whether rows can be ordered by a value: documents and large objects have no order.
fn is_sortable<'a, 'e>(r: &Resolver<'_, '_, 'a, 'e>, value: &Scalar<'a, 'e>) -> bool {
    json::no_json_type(r.cx, "an order", value.ty).is_ok() && sorted::has_order(r.cx, value.column)
}
