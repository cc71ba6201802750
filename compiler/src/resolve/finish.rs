//! A select that is put together becomes a query; its count, and whether it has a row.

use std::collections::{HashMap, HashSet};

use bumpalo::collections::Vec as BumpVec;

use crate::dialect::{Feature, Support};
use crate::error::{ErrorKind, Result};
use crate::expr::DbValueType;
use crate::frame::{Item, Items, Order, Pred, Query, Scalar, ScalarKind, Select};
use crate::functions::Func;
use crate::legalize::listed::{Values, twin};
use crate::legalize::{
    Cx, arguments, call, exact, full_join, group, grouped, implied, json, logic, query, sorted, subquery,
};
use crate::model::Property;

use super::chain::{Building, NamedItem, Shown, Use, order_key};
use super::scope::{Src, SrcKind};
use super::shown::only_shows;
use super::{Place, Resolver, scope};

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    /// With groups or aggregates, the query says of a row only what its group has in common.
    pub(super) fn only_grouped(
        &self,
        b: &Building<'a, 'e>,
        select: &Select<'a, 'e>,
        order: &[Order<'a, 'e>],
    ) -> Result<()> {
        if b.group.is_empty() && !b.aggregated {
            return Ok(());
        }
        grouped::only_grouped(self.cx, select, b.group, order, &self.own_names(b))
    }

    /// What stands before the columns of what it reads.
    pub(super) fn own_names(&self, b: &Building<'a, 'e>) -> BumpVec<'a, &'a str> {
        let derived = b.sources.iter().filter(|source| !matches!(source.kind, SrcKind::Entity { .. }));
        let mut own = self.own_tables(b);
        own.extend(derived.map(|source| source.quoted));
        own
    }

    /// What stands before the columns of its own tables, none of which is computed where it is read.
    fn own_tables(&self, b: &Building<'a, 'e>) -> BumpVec<'a, &'a str> {
        let mut own = self.cx.vec(b.sources.len());
        for (index, source) in b.sources.iter().enumerate() {
            if let SrcKind::Entity { entity, .. } = source.kind {
                own.push(source.quoted);
                let used = source.used.get() | b.shown.get(index).map_or(0, Shown::joins);
                own.extend(
                    (0..entity.joins.len())
                        .filter(|i| used >> i & 1 == 1)
                        .filter_map(|i| scope::join_alias(self.cx, source, i)),
                );
            }
        }
        own
    }

    /// Puts the query together.
    pub(crate) fn finish(&mut self, b: &'a mut Building<'a, 'e>, usage: Use) -> Result<&'a Query<'a, 'e>> {
        if usage == Use::Exists {
            self.only_existence(b)?;
        }
        // Which joins there are is known by now: one that finds several rows is no row by a key.
        let by_key = usage == Use::Exists && self.cx.helps(Feature::ExistsByKey) && self.is_by_key(b);
        let paged = b.limit.is_some() || b.offset.is_some();
        if usage != Use::Root && !paged && b.distinct_on.is_empty() {
            // The order of a subquery's rows means nothing.
            self.forget_order(b)?;
        }
        let in_order =
            only_shows(b) && self.cx.helps(Feature::PageOfJoins) && self.cx.rule_for(Feature::PageOfJoins)?.is_some();
        for (source, shown) in b.sources.iter().zip(&b.shown) {
            source.used.set(source.used.get() | shown.joins());
        }
        self.break_ties(b)?;
        if b.lock.is_some() {
            check_lock(b, usage)?;
        }
        check_groups(b)?;
        let rows = b.group.is_empty() && !b.aggregated && b.set.is_none();
        if rows
            && b.order_place == Place::Result
            && b.order.iter().any(|key| arguments::has_aggregate(self.cx, &key.value))
        {
            return Err(aggregate_in_order());
        }
        b.filters.extend(b.after.take());
        let by_texts = self.sorted_keys(b)?;
        self.name_keys(b);
        let mut order: &'a [Order<'a, 'e>] = {
            let keys = std::mem::replace(&mut b.order, self.cx.vec(0));
            unique_keys(self.cx, keys)
        };
        let Building { limit, offset, lock, .. } = *b;
        if let Some((mut body, _)) = b.set {
            // A set operation is sorted by its columns only.
            if by_texts || paged && usage != Use::Root && self.cx.rule_for(Feature::PagedSetInSubquery)?.is_some() {
                let set =
                    self.cx.node(Query { ctes: &[], body, order: &[], limit: None, offset: None, lock: None, by_key });
                body = query::derived(self.cx, set).body;
            }
            return Ok(self.cx.node(Query { ctes: &[], body, order, limit, offset, lock, by_key }));
        }
        if b.distinct {
            self.selected(b, order)?;
            for column in self.columns(b)? {
                json::no_json_type(self.cx, "DISTINCT", column.ty)?;
                sorted::no_large(self.cx, "DISTINCT", column.column)?;
            }
        }
        // A key of the order may be the name of an item.
        let named = if usage == Use::Values && !order.is_empty() { Use::Rows } else { usage };
        let items = self.items(b, named)?;
        if usage == Use::Root
            && paged
            && let Support::Refuse(reason) = self.cx.target.support(Feature::TwinsInPage)
            && let Some(name) = twin(b.items.iter().flatten().filter_map(|item| item.name))
        {
            return Err(self
                .cx
                .target
                .refused(Feature::TwinsInPage.title(), format!("`{name}` comes twice, and {reason}")));
        }
        let mut joins = self.cx.vec(b.joins.len() + 1);
        for (index, source) in b.sources.iter().enumerate() {
            if index > 0
                && let Some(join) = b.joins.get(index - 1)
            {
                joins.push(*join);
            }
            self.view_joins(source, in_order, &mut joins)?;
        }
        self.not_too_many_tables(b)?;
        if self.cx.helps(Feature::OrOfTables) {
            let tables = self.own_tables(b);
            implied::by_table(self.cx, &tables, &mut b.filters)?;
        }
        self.existing(b, &mut joins)?;
        let filter = match logic::all(self.cx, &b.filters) {
            Pred::Const(true) => None,
            pred => Some(pred),
        };
        let having = match logic::all(self.cx, &b.having) {
            Pred::Const(true) => None,
            pred => Some(pred),
        };
        if having.is_some() && b.group.is_empty() {
            self.cx.need(Feature::HavingWithoutGroup)?;
        }
        let mut select = Select {
            distinct: b.distinct,
            distinct_on: b.distinct_on,
            items,
            from: b.from,
            joins: joins.into_bump_slice(),
            filter,
            group: b.group,
            having,
        };
        let has_keys = !select.group.is_empty() || !order.is_empty();
        if has_keys && [Feature::OuterGroup, Feature::OuterInKey].iter().any(|feature| !self.cx.target.has(*feature)) {
            let own = self.own_names(b);
            order = grouped::outer_keys(self.cx, &mut select, order, &own)?;
        }
        order = group::group_parameters(self.cx, &mut select, order)?;
        self.only_grouped(b, &select, order)?;
        order = group::aggregated_subqueries(self.cx, &mut select, order)?;
        order = grouped::keys_inside(self.cx, &mut select, order)?;
        if select.having.is_some() && select.group.is_empty() {
            select = grouped::having_over_constants(self.cx, select)?;
        }
        if b.distinct {
            order = group::ordered_by_place(self.cx, select.items, order);
        }
        if !b.distinct_on.is_empty() {
            full_join::no_full_join_inside(self.cx, &select)?;
            // A group whose keys were left out is one row.
            if b.group.is_empty() || !select.group.is_empty() {
                order = self.settled(b, select.group, order)?;
            }
            let names = self.columns(b)?;
            self.no_twins(b, names)?;
            let all = match &b.items {
                Some(items) => items.clone(),
                None => self.all_items(b),
            };
            let mut named = self.cx.vec(all.len());
            named.extend(all.iter().zip(names).map(|(item, column)| (item.value, column.quoted)));
            (select, order) = query::distinct_on(self.cx, select, &named, order)?;
            if usage != Use::Root && !paged && select.distinct_on.is_empty() {
                order = &[];
            }
        }
        if usage == Use::Exists
            && offset.is_some()
            && let Some(counted) = subquery::exists_groups(self.cx, &select)?
        {
            (select, order) = (counted, &[]);
        }
        let windows = b.items.iter().flatten().any(|item| item.place > Place::Rows);
        let simple = b.group.is_empty() && !b.aggregated && !windows && !b.distinct && order.is_empty() && !paged;
        let key = |cx: &Cx<'a, 'e>| match b.sources.first() {
            Some(main @ Src { kind: SrcKind::Entity { entity, .. }, .. }) => {
                scope::entity_column(cx, main, Property::Column(*entity.keys.first()?), false)
            }
            _ => None,
        };
        let (body, order) = full_join::full_join(self.cx, select, order, key, simple, lock.is_some())?;
        let mut query = Query { ctes: &[], body, order, limit, offset, lock, by_key };
        if query.lock.is_some() {
            let mut keys = Vec::new();
            if let Some(main) = b.sources.first()
                && let SrcKind::Entity { entity, .. } = main.kind
            {
                let key = |k: &usize| scope::entity_column(self.cx, main, Property::Column(*k), false);
                keys.extend(entity.keys.iter().filter_map(key));
            }
            query = query::lock_with_limit(self.cx, query, &keys)?;
        }
        Ok(self.cx.node(query))
    }

    /// The keys of the order that are not sorted by themselves become what they are sorted by; whether there is one.
    fn sorted_keys(&mut self, b: &mut Building<'a, 'e>) -> Result<bool> {
        let mut found = false;
        for key in &mut b.order {
            if sorted::sorts_itself(self.cx, &key.value) {
                continue;
            }
            if b.distinct {
                let reason = "it is sorted by its text, and distinct rows by what is selected: order a derived table";
                return Err(self.cx.target.refused("an order of distinct UUIDs", reason));
            }
            key.value = sorted::sorted(self.cx, key.value)?;
            found = true;
        }
        Ok(found)
    }

    /// A key that is an item with a name of its own is written as that name: what is computed is written once, and a
    /// parameter in it stays one parameter. Where a rule moves the keys into another select, they stay what they are.
    fn name_keys(&self, b: &mut Building<'a, 'e>) {
        let Some(items) = &b.items else { return };
        if b.lock.is_some() || !b.distinct_on.is_empty() {
            return;
        }
        // A name that two items have means neither.
        if b.order.is_empty() || twin(items.iter().filter_map(|item| item.name)).is_some() {
            return;
        }
        if b.order.iter().all(|key| matches!(key.value.kind, ScalarKind::Column(_))) {
            return;
        }
        let mut renamed: HashMap<_, &NamedItem<'a, 'e>> = HashMap::new();
        for item in items.iter().filter(|item| item.renamed) {
            if let Some(address) = item.value.kind.address() {
                renamed.entry(address).or_insert(item);
            }
        }
        for key in &mut b.order {
            let item = key.value.kind.address().and_then(|address| renamed.get(&address));
            if let Some(item) = item.filter(|item| item.value.kind.is_same(&key.value.kind))
                && let Some(name) = self.quoted_name(item)
            {
                key.value.kind = ScalarKind::Column(self.cx.bare(name));
            }
        }
    }

    pub(super) fn items(&mut self, b: &mut Building<'a, 'e>, usage: Use) -> Result<Items<'a, 'e>> {
        if usage == Use::Exists && !b.distinct && (!b.group.is_empty() || !b.aggregated) {
            return Ok(Items::One);
        }
        // Texts that are compared by code points are named one by one.
        let listed = exact::texts_exact(self.cx) && (b.distinct || usage != Use::Root);
        if b.items.is_none() && b.group.is_empty() && (!listed || b.sources.is_empty()) {
            match (b.sources.first(), b.sources.len()) {
                (Some(main), 1) => match main.kind {
                    SrcKind::Entity { id, style: super::scope::Style::Main, .. } if b.distinct_on.is_empty() => {
                        let whole = self.whole(id)?;
                        main.used.set(main.used.get() | whole.items_use);
                        return Ok(Items::Text(&whole.items));
                    }
                    SrcKind::Columns(_) if !b.over_hidden => return Ok(Items::Text("*")),
                    SrcKind::Columns(_) | SrcKind::Entity { .. } => {}
                },
                (None, _) => {
                    return Err(ErrorKind::Misplaced {
                        what: "a select".into(),
                        why: "it has neither items nor a source",
                    }
                    .into());
                }
                _ => {}
            }
        }
        let items = match b.items.take() {
            Some(items) => items,
            None => self.items_of_all(b),
        };
        let mut list = self.cx.vec(items.len());
        for (index, item) in items.iter().enumerate() {
            let alias = match item.name {
                Some(_) if item.renamed && usage != Use::Values => {
                    self.quoted_name(item).filter(|name| !is_named(&item.value, name))
                }
                None if usage == Use::Table => Some(self.unnamed(index).1),
                _ => None,
            };
            list.push(Item { value: item.value, alias });
        }
        b.items = Some(items);
        Ok(Items::List(list.into_bump_slice()))
    }

    /// The items of a query without a select list: every column, or the keys of its groups.
    pub(super) fn items_of_all(&self, b: &Building<'a, 'e>) -> BumpVec<'a, NamedItem<'a, 'e>> {
        if b.group.is_empty() {
            return self.all_items(b);
        }
        let mut items = self.cx.vec(b.group.len());
        for key in b.group {
            let name = key.column.map(|c| c.name.as_str());
            let quoted = name.map(|n| self.cx.quoted(&[n]));
            let renamed = key.column.is_some_and(|c| c.column.as_str() != c.name.as_str());
            items.push(NamedItem { name, quoted, renamed, ..NamedItem::of(*key) });
        }
        items
    }

    /// How many rows a query has, without its order, paging and lock.
    pub(crate) fn count(&mut self, mut b: &'a mut Building<'a, 'e>) -> Result<&'a Query<'a, 'e>> {
        self.forget_order(b)?;
        b.after = None;
        b.limit = None;
        b.offset = None;
        b.lock = None;
        let ty = Some(DbValueType::Int64.into());
        let count = call::call(self.cx, Func::Count, &[], ty)?;
        let item = NamedItem::of(count);
        let plain = b.set.is_none() && b.group.is_empty() && !b.distinct && !b.aggregated && b.distinct_on.is_empty();
        if plain {
            self.leave_shown_out(b, true);
        } else {
            if b.set.is_none() && !b.distinct && b.distinct_on.is_empty() && !b.group.is_empty() {
                // Only the groups count, not what is selected of them.
                let one = NamedItem::of(self.cx.int(1));
                b.items = Some(bumpalo::vec![in self.cx.bump; one]);
            }
            self.only_keys(b);
            self.without_twins(b);
            b = self.derive_rows(b)?;
        }
        b.items = Some(bumpalo::vec![in self.cx.bump; item]);
        b.aggregated = true;
        self.finish(b, Use::Root)
    }

    /// One row if the query has any.
    pub(crate) fn exists_row(&mut self, mut b: &'a mut Building<'a, 'e>) -> Result<&'a Query<'a, 'e>> {
        b.lock = None;
        self.only_existence(b)?;
        if b.set.is_some() || (b.distinct || !b.distinct_on.is_empty()) && b.offset.is_some() {
            self.only_keys(b);
            self.without_twins(b);
            b = self.derive_rows(b)?;
        }
        b.order.retain(|_| b.offset.is_some());
        if b.page.1 != Some(0) {
            b.limit = Some(self.cx.int(1));
        }
        if b.distinct_on.is_empty() && !b.distinct && (!b.aggregated || !b.group.is_empty()) {
            let one = NamedItem::of(self.cx.int(1));
            b.items = Some(bumpalo::vec![in self.cx.bump; one]);
        }
        self.finish(b, Use::Root)
    }

    /// Where only the existence of a row matters, no order does, no duplicate, and no join that only shows something.
    ///
    /// ```sql
    /// -- before                                              -- after
    /// SELECT a.x, b.y FROM a LEFT JOIN b ON .. ORDER BY b.y LIMIT 10 OFFSET 20     SELECT 1 FROM a LIMIT 1 OFFSET 20
    /// ```
    fn only_existence(&mut self, b: &mut Building<'a, 'e>) -> Result<()> {
        let distinct = b.distinct || !b.distinct_on.is_empty();
        let skips = b.offset.is_some();
        if b.set.is_some() || distinct && skips {
            // Which rows are alike decides how many there are.
            return Ok(());
        }
        self.forget_order(b)?;
        b.distinct = false;
        b.distinct_on = &[];
        if b.page.1 != Some(0) {
            let limited = skips || self.cx.rule_for(Feature::ExistsPage)?.is_some();
            b.limit = limited.then(|| self.cx.int(1));
        }
        if skips && self.cx.rule_for(Feature::OffsetWithoutOrder)?.is_some() {
            b.order.push(query::no_order(self.cx));
        }
        if b.group.is_empty() && !b.aggregated {
            // HAVING may count the rows.
            self.leave_shown_out(b, skips || !b.having.is_empty());
        }
        Ok(())
    }

    /// Distinct rows have an order by what is selected of them only.
    pub(super) fn selected(&self, b: &Building<'a, 'e>, order: &[Order<'a, 'e>]) -> Result<()> {
        if order.is_empty() || self.selects(b, order) {
            return Ok(());
        }
        let why = "distinct rows have only what is selected: select the key as well, or group the rows instead";
        Err(ErrorKind::Misplaced { what: "an order of distinct rows by something else".into(), why }.into())
    }

    /// Refuses a FROM of more tables than the engine joins.
    fn not_too_many_tables(&self, b: &Building<'a, 'e>) -> Result<()> {
        let limit = self.cx.target.dialect().sheet().limits.joined_tables;
        if limit == usize::MAX {
            return Ok(());
        }
        let views = b.sources.iter().map(|source| source.used.get().count_ones() as usize);
        let count = b.sources.len() + views.sum::<usize>();
        if count <= limit {
            return Ok(());
        }
        let reason = format!("it takes at most {limit}: use scalar subqueries for some of them");
        Err(self.cx.target.refused(format!("a join of {count} tables"), reason))
    }

    /// `DISTINCT ON` has as many rows as there are distinct keys.
    fn only_keys(&self, b: &mut Building<'a, 'e>) {
        if b.distinct_on.is_empty() {
            return;
        }
        let mut items = self.cx.vec(b.distinct_on.len());
        items.extend(b.distinct_on.iter().map(|key| NamedItem::of(*key)));
        b.items = Some(items);
        b.order.clear();
        b.distinct_on = &[];
        b.distinct = true;
    }

    /// Takes the names from the columns of a derived table of which none is meant, where two of them have the same.
    fn without_twins(&self, b: &mut Building<'a, 'e>) {
        if b.set.is_some() || b.items.is_none() && b.sources.len() < 2 {
            return;
        }
        let mut items = match &b.items {
            Some(items) => items.clone(),
            None if b.group.is_empty() => self.all_items(b),
            None => return,
        };
        if twin(items.iter().filter_map(|item| item.name)).is_some() {
            for item in &mut items {
                (item.name, item.quoted, item.renamed) = (None, None, false);
            }
            b.items = Some(items);
        }
    }
}

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    /// The order of `DISTINCT ON`: its keys first, and so many behind them that no two rows are alike in it.
    ///
    /// ```sql
    /// -- before                                        -- after
    /// SELECT DISTINCT ON (a) ... ORDER BY a, b         SELECT DISTINCT ON (a) ... ORDER BY a, b, "Id"
    /// ```
    fn settled(
        &mut self,
        b: &Building<'a, 'e>,
        group: &[Scalar<'a, 'e>],
        order: &'a [Order<'a, 'e>],
    ) -> Result<&'a [Order<'a, 'e>]> {
        let (mut keys, own) = self.first_keys(b, order);
        if own == 0 && !order.is_empty() {
            return Err(begins_otherwise());
        }
        let on = self.keys_of_distinct(b);
        let is_first = |value: &Scalar<'a, 'e>| on.find(self.cx, value).is_some();
        let rest = order.iter().skip(own).filter(|key| !is_first(&query::sorted_by(key)));
        keys.extend(rest.copied());
        let mut last = self.cx.vec(1);
        if group.is_empty() {
            for source in &b.sources {
                last.extend(self.sorted_key_of(source));
            }
        } else {
            // A key that is meant by its place is an item, which is no place in a derived table.
            last.extend(group.iter().filter(|key| !query::is_constant(self.cx, key)).copied());
        }
        let known = Values::of(keys.iter().enumerate().map(|(place, key)| (key.value, place)));
        for value in last {
            if known.find(self.cx, &value).is_none() {
                keys.push(order_key(value));
            }
        }
        Ok(keys.into_bump_slice())
    }

    /// The keys of `DISTINCT ON` as its order begins with them, those that it does not name last; and how many keys of
    /// the order they are.
    pub(super) fn first_keys(
        &self,
        b: &Building<'a, 'e>,
        order: &[Order<'a, 'e>],
    ) -> (BumpVec<'a, Order<'a, 'e>>, usize) {
        let on = self.keys_of_distinct(b);
        let mut keys = self.cx.vec(b.distinct_on.len());
        let mut left = self.cx.vec(b.distinct_on.len());
        left.extend(b.distinct_on.iter().map(Some));
        for key in order {
            let Some(place) = on.find(self.cx, &query::sorted_by(key)) else { break };
            left.get_mut(place).and_then(Option::take);
            keys.push(*key);
        }
        let own = keys.len();
        keys.extend(left.into_iter().flatten().map(|key| order_key(*key)));
        (keys, own)
    }

    fn keys_of_distinct(&self, b: &Building<'a, 'e>) -> Values<'a, 'e> {
        Values::of(b.distinct_on.iter().enumerate().map(|(place, key)| (*key, place)))
    }
}

/// The keys without those that are there already: they order nothing, and not every engine takes them.
fn unique_keys<'a, 'e>(cx: &Cx<'a, 'e>, keys: BumpVec<'a, Order<'a, 'e>>) -> &'a [Order<'a, 'e>] {
    if keys.len() > 16 {
        let (mut columns, mut others, mut kept) = (HashSet::new(), HashSet::new(), keys);
        kept.retain(|key| match key.value.kind.as_column() {
            Some(column) => columns.insert(column),
            // What cannot be written is an error elsewhere.
            None => query::text_of(cx, &key.value).map_or(true, |text| others.insert(text)),
        });
        return kept.into_bump_slice();
    }
    let keys = keys.into_bump_slice_mut();
    let mut kept = 0;
    for index in 0..keys.len() {
        let (before, rest) = keys.split_at_mut(index);
        let Some(key) = rest.first().copied() else { break };
        let known = before.iter().take(kept).any(|other| group::same(cx, &other.value, &key.value));
        if !known && let Some(slot) = keys.get_mut(kept) {
            *slot = key;
            kept += 1;
        }
    }
    keys.get(..kept).unwrap_or_default()
}

/// Whether a value has that quoted name by itself: it is a column of a derived table that is called so.
fn is_named(value: &Scalar<'_, '_>, name: &str) -> bool {
    value.kind.as_column().is_some_and(|column| column.name() == name)
}

fn aggregate_in_order() -> crate::Error {
    ErrorKind::Misplaced { what: "an aggregate in an order".into(), why: NO_GROUPS }.into()
}

/// Why there is nothing to aggregate.
const NO_GROUPS: &str = "there are no groups here: group the rows first, or select an aggregate of all of them";

/// Aggregates outside of a select list need groups, or a list that makes one group of all rows.
fn check_groups(b: &Building<'_, '_>) -> Result<()> {
    if !b.group.is_empty() || b.aggregated || b.set.is_some() {
        return Ok(());
    }
    if !b.having.is_empty() {
        return Err(ErrorKind::Misplaced { what: "HAVING".into(), why: NO_GROUPS }.into());
    }
    check_order_groups(b)
}

/// The error for an order of `DISTINCT ON` that does not begin with its keys.
pub(super) fn begins_otherwise() -> crate::Error {
    let why = "it begins with its keys: the first row of each is meant; to order the result otherwise, put it into a \
               derived table";
    ErrorKind::Misplaced { what: "the order of DISTINCT ON".into(), why }.into()
}

/// Aggregates in an order need them as well.
pub(super) fn check_order_groups(b: &Building<'_, '_>) -> Result<()> {
    let grouped = !b.group.is_empty() || b.aggregated || b.set.is_some();
    if b.order_place == Place::Groups && !grouped && !b.order.is_empty() {
        return Err(aggregate_in_order());
    }
    Ok(())
}

/// Whether the rows of a query can be locked: they are those of a table, and the statement gives them.
fn check_lock(b: &Building<'_, '_>, usage: Use) -> Result<()> {
    let table = matches!(b.sources.first().map(|source| &source.kind), Some(SrcKind::Entity { .. }));
    let window = b.items.iter().flatten().any(|item| item.place > Place::Rows);
    let ordered = !b.order.is_empty() && b.order_place > Place::Rows;
    let groups = b.aggregated || !b.group.is_empty() || !b.having.is_empty() || window || ordered;
    let why = if usage != Use::Root {
        "it stands around the whole query, not in a subquery, a member of a set or a derived table"
    } else if !table || b.set.is_some() || b.distinct || !b.distinct_on.is_empty() || groups {
        "it needs the rows of a table, not groups, distinct rows, windows, a set or a derived table"
    } else {
        return Ok(());
    };
    Err(ErrorKind::Misplaced { what: "a row lock".into(), why }.into())
}
