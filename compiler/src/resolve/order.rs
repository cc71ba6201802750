//! The order of a query that another one stands over: a filter, a select list or a page keeps it, groups and all that
//! looks at the rows together forget it.
//!
//! ```sql
//! -- the tree: order by Qty, select Id, take 5, then filter by Id
//! SELECT "T1"."Id" FROM (SELECT "T0"."Id", "T0"."Qty" FROM .. ORDER BY "T0"."Qty" LIMIT 5) "T1"
//! WHERE "T1"."Id" > 7 ORDER BY "T1"."Qty"
//! ```

use bumpalo::collections::Vec as BumpVec;

use crate::error::Result;
use crate::expr::{Name, SqlSegment};
use crate::frame::{Items, Order, Scalar, ScalarKind, Select, Source};
use crate::legalize::listed::{Names, Values};
use crate::legalize::{group, query};

use super::chain::{Building, NamedItem, Ties, Use};
use super::finish::{begins_otherwise, check_order_groups};
use super::scope::{NameScope, OutCol, Src, SrcKind};
use super::{Matters, Place, Resolver};

/// A key on its way up: the place of the column that holds it, or that whose NULLs it sorts.
type Carried<'a, 'e> = (usize, Order<'a, 'e>);

/// The order of a query that becomes a table, for what stands over it.
#[derive(Clone, Copy, Default)]
pub(crate) struct TableOrder<'a, 'e> {
    keys: &'a [Carried<'a, 'e>],
    /// The columns of the table, and behind them those that only hold keys.
    columns: &'a [OutCol<'a>],
    /// How many columns only hold keys.
    hidden: usize,
    /// How many of the last keys come from a page.
    carried: usize,
    /// How many of the last keys were appended.
    appended: usize,
    /// Whether no two rows are alike in it.
    is_total: bool,
}

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    /// A query as a derived table.
    pub(crate) fn derived_source(
        &mut self,
        segment: &'e SqlSegment,
        parent: Option<&NameScope<'_, 'a>>,
        beside: Option<&NameScope<'_, 'a>>,
    ) -> Result<(Src<'a>, Source<'a, 'e>)> {
        // Its own main table is not the statement's: that one's alias is taken.
        self.cx.main_is_taken();
        let building = self.mattering(Matters::Rows, |r| r.fold(segment, parent))?;
        self.derived(building, alias_of(segment), beside)
    }

    /// A query as the derived table of a FROM, and a select over it in the same order.
    pub(super) fn ordered_source(
        &mut self,
        segment: &'e SqlSegment,
        parent: Option<&NameScope<'_, 'a>>,
    ) -> Result<&'a mut Building<'a, 'e>> {
        self.cx.main_is_taken();
        let building = self.fold(segment, parent)?;
        self.over(building, |r, below| r.derived(below, alias_of(segment), parent))
    }

    /// The select so far as a derived table, and a new select over it in the same order.
    pub(super) fn derive(&mut self, building: &'a mut Building<'a, 'e>) -> Result<&'a mut Building<'a, 'e>> {
        self.over(building, Self::table_below)
    }

    /// The same in no order.
    pub(super) fn derive_rows(&mut self, building: &'a mut Building<'a, 'e>) -> Result<&'a mut Building<'a, 'e>> {
        let source = self.table_below(building)?;
        Ok(self.building(Some(source)))
    }

    fn table_below(&mut self, building: &'a mut Building<'a, 'e>) -> Result<(Src<'a>, Source<'a, 'e>)> {
        let alias = building.alias;
        let (mut source, from) = self.derived(building, None, None)?;
        // Names may use the tree's alias; in the text, where it could capture others, stands the compiler's.
        source.alias = alias.unwrap_or(source.alias);
        Ok((source, from))
    }

    fn derived(
        &mut self,
        building: &'a mut Building<'a, 'e>,
        alias: Option<&Name>,
        beside: Option<&NameScope<'_, 'a>>,
    ) -> Result<(Src<'a>, Source<'a, 'e>)> {
        let columns = self.visible_columns(building)?;
        let is_whole = building.items.is_none() && building.set.is_none() && building.group.is_empty();
        let rows_of = match &*building.sources {
            [source] if is_whole => source.entity(),
            _ => None,
        };
        let key = self.key_of_table(building, columns)?;
        let query = self.finish(building, Use::Table)?;
        let (alias, quoted) = self.table_alias(alias, beside)?;
        let source = Src { rows_of, key, ..Src::new(alias, quoted, SrcKind::Columns(columns)) };
        Ok((source, Source::Derived { query, alias: quoted }))
    }

    /// A select over another, which `table` makes a table, in the order of that.
    fn over(
        &mut self,
        below: &'a mut Building<'a, 'e>,
        table: impl FnOnce(&mut Self, &'a mut Building<'a, 'e>) -> Result<(Src<'a>, Source<'a, 'e>)>,
    ) -> Result<&'a mut Building<'a, 'e>> {
        if self.context().matters != Matters::Order {
            let source = table(self, below)?;
            return Ok(self.building(Some(source)));
        }
        let order = self.table_order(below)?;
        let source = table(self, below)?;
        let above = self.building(Some(source));
        self.put_in_order(above, order);
        Ok(above)
    }

    /// The columns of what becomes a table, without those that only hold keys of its order.
    pub(super) fn visible_columns(&mut self, b: &mut Building<'a, 'e>) -> Result<&'a [OutCol<'a>]> {
        let columns = self.table_columns(b)?;
        Ok(columns.get(..columns.len() - b.hidden).unwrap_or(columns))
    }

    /// The order of a query that becomes a table, which gets columns for the keys that it does not have.
    pub(super) fn table_order(&mut self, b: &mut Building<'a, 'e>) -> Result<TableOrder<'a, 'e>> {
        self.break_ties(b)?;
        if b.order.is_empty() {
            return Ok(TableOrder::default());
        }
        let keys = self.carried(b)?.into_bump_slice();
        // What a page is cut by is nothing that the caller of the rows asked for.
        let paged = b.limit.is_some() || b.offset.is_some();
        let carried = if paged { usize::MAX } else { b.carried };
        let is_total = b.ties == Ties::Broken;
        Ok(TableOrder { keys, columns: self.columns(b)?, hidden: b.hidden, carried, appended: b.appended, is_total })
    }

    /// Puts a select over a table in the order of that, where the order matters.
    pub(super) fn put_in_order(&self, above: &mut Building<'a, 'e>, order: TableOrder<'a, 'e>) {
        above.over_hidden = order.hidden > 0;
        let Some(source) = above.sources.first().filter(|_| self.context().matters == Matters::Order) else { return };
        for (index, key) in order.keys {
            let Some(column) = order.columns.get(*index) else { continue };
            let held = column.named(self.cx.dotted(source.quoted, column.quoted));
            above.order.push(query::sorted_like(self.cx, key, held));
        }
        above.carried = order.carried.min(above.order.len());
        above.appended = order.appended.min(above.carried);
        if order.is_total {
            above.ties = Ties::Broken;
        }
    }

    /// The keys that a query over this one is ordered by. What is not among its items becomes one that is no column of
    /// its result.
    fn carried(&mut self, below: &mut Building<'a, 'e>) -> Result<BumpVec<'a, Carried<'a, 'e>>> {
        // A set and distinct rows have no room for more.
        self.check_order(below)?;
        let mut keys = self.cx.vec(below.order.len());
        if let Some((_, columns)) = below.set {
            for key in &below.order {
                let is =
                    |column: &OutCol<'a>| key.value.kind.as_column().is_some_and(|key| key.text() == column.quoted);
                keys.extend(columns.iter().position(is).map(|index| (index, *key)));
            }
            return Ok(keys);
        }
        let mut items = match &below.items {
            Some(items) => items.clone(),
            None => self.items_of_all(below),
        };
        let shown = items.len();
        let mut values = self.values_of(&items);
        let mut names = None;
        let order = if below.distinct_on.is_empty() {
            below.order.clone()
        } else {
            // Behind its keys, the order says which row of them is taken.
            self.first_keys(below, &below.order).0
        };
        for key in order {
            let value = query::sorted_by(&key);
            if self.orders_nothing(&value) {
                continue;
            }
            let index = values.find(self.cx, &value).unwrap_or_else(|| {
                let index = items.len();
                let names = names.get_or_insert_with(|| self.taken(&items));
                let item = self.hidden_item(value, names, index, below.order_place);
                values.add(self.cx, value, index);
                items.push(item);
                index
            });
            keys.push((index, key));
        }
        below.hidden = items.len() - shown;
        if below.hidden > 0 {
            below.items = Some(items);
            below.shown.iter_mut().for_each(|shown| shown.items |= shown.order);
        }
        Ok(keys)
    }

    /// Whether a value is a key of `DISTINCT ON`.
    fn is_first(&self, b: &Building<'a, 'e>, value: &Scalar<'a, 'e>) -> bool {
        b.distinct_on.iter().any(|on| group::same(self.cx, on, value))
    }

    /// Whether a key is one that stands where the engine asks for an order and there is none.
    fn orders_nothing(&self, key: &Scalar<'a, 'e>) -> bool {
        matches!(key.kind, ScalarKind::Query(query) if query.is_null())
    }

    /// The names of items, and the number of the next one without a name.
    fn taken(&self, items: &[NamedItem<'a, 'e>]) -> (Names<'a>, usize) {
        let names = items.iter().enumerate().map(|(index, item)| item.name.or_else(|| Some(self.unnamed(index).0)));
        (Names::of(names), items.len())
    }

    /// An item for a key: under its own name where that is free.
    fn hidden_item(
        &self,
        value: Scalar<'a, 'e>,
        (taken, next): &mut (Names<'a>, usize),
        index: usize,
        place: Place,
    ) -> NamedItem<'a, 'e> {
        *next = index.max(*next);
        let own = value.column.filter(|_| value.kind.as_column().is_some()).map(|column| column.name.as_str());
        let (name, quoted) = match own.filter(|name| taken.find(name).is_none()) {
            Some(name) => (name, self.cx.quoted(&[name])),
            None => loop {
                let found = self.unnamed(*next);
                *next += 1;
                if taken.find(found.0).is_none() {
                    break found;
                }
            },
        };
        taken.add(name, 0);
        NamedItem { name: Some(name), quoted: Some(quoted), renamed: true, place, ..NamedItem::of(value) }
    }

    /// The values of items, and the names that a key may have in their place.
    pub(super) fn values_of(&self, items: &[NamedItem<'a, 'e>]) -> Values<'a, 'e> {
        let named = |item: &NamedItem<'a, 'e>| {
            Some(Scalar { kind: ScalarKind::Column(self.cx.bare(item.quoted?)), ..item.value })
        };
        let both = |(place, item): (usize, &NamedItem<'a, 'e>)| {
            [Some((item.value, place)), named(item).map(|name| (name, place))].into_iter().flatten()
        };
        Values::of(items.iter().enumerate().flat_map(both))
    }

    /// Whether all keys are among the items.
    pub(super) fn selects(&self, b: &Building<'a, 'e>, order: &[Order<'a, 'e>]) -> bool {
        let values = match &b.items {
            Some(items) => self.values_of(items),
            None => self.values_of(&self.items_of_all(b)),
        };
        order.iter().all(|key| values.find(self.cx, &key.value).is_some())
    }

    /// Forgets an order that means nothing for what stands over it. One that is wrong is wrong there as well.
    pub(super) fn forget_order(&self, b: &mut Building<'a, 'e>) -> Result<()> {
        if !b.order.is_empty() {
            self.check_order(b)?;
            b.order.clear();
            b.carried = 0;
            b.appended = 0;
            b.order_place = Place::Rows;
        }
        b.ties = Ties::Allowed;
        self.leave_order_out(b);
        Ok(())
    }

    /// Leaves out the keys from a page below that distinct rows do not have.
    pub(super) fn distinct_order(&self, b: &mut Building<'a, 'e>) {
        let own = b.order.len().saturating_sub(b.carried);
        while b.order.len() > own && !self.selects(b, &b.order) {
            b.order.pop();
            b.appended = b.appended.saturating_sub(1);
            b.ties = Ties::Allowed;
        }
        b.carried = b.order.len() - own;
    }

    /// Refuses keys that the rows do not have.
    pub(super) fn check_order(&self, b: &Building<'a, 'e>) -> Result<()> {
        if b.set.is_some() || b.order.is_empty() {
            return Ok(());
        }
        check_order_groups(b)?;
        if b.distinct && !b.order.iter().all(|key| self.orders_nothing(&key.value)) {
            self.selected(b, &b.order)?;
        }
        if let (false, Some(key)) = (b.distinct_on.is_empty(), b.order.first()) {
            let value = query::sorted_by(key);
            if !self.is_first(b, &value) {
                return Err(begins_otherwise());
            }
        }
        let nothing = Select {
            distinct: false,
            distinct_on: &[],
            items: Items::List(&[]),
            from: None,
            joins: &[],
            filter: None,
            group: b.group,
            having: None,
        };
        self.only_grouped(b, &nothing, &b.order)
    }
}

/// The alias that a query has as a table.
fn alias_of(segment: &SqlSegment) -> Option<&Name> {
    match segment {
        SqlSegment::Select(select) => select.alias.as_ref(),
        _ => None,
    }
}
