//! A select that is put together becomes a query; its count, and whether it has a row.

use bumpalo::collections::Vec as BumpVec;

use crate::error::{ErrorKind, Result};
use crate::expr::DbValueType;
use crate::frame::{Item, Items, Order, Pred, Query, Scalar, ScalarKind, Select};
use crate::functions::Func;
use crate::legalize::Cx;
use crate::model::Property;

use super::Resolver;
use super::chain::{Building, NamedItem, Use};
use super::scope::{Src, SrcKind};

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    /// Puts the query together.
    pub(crate) fn finish(&mut self, b: &'a mut Building<'a, 'e>, usage: Use) -> Result<&'a Query<'a, 'e>> {
        let paged = b.limit.is_some() || b.offset.is_some();
        if usage != Use::Root && !paged && b.distinct_on.is_empty() {
            // The order of a subquery's rows means nothing.
            b.order.clear();
        }
        let mut order: &'a [Order<'a, 'e>] = unique_keys(std::mem::replace(&mut b.order, self.cx.vec(0)));
        let Building { limit, offset, lock, .. } = *b;
        if let Some((body, _)) = b.set {
            return Ok(self.cx.node(Query { ctes: &[], body, order, limit, offset, lock }));
        }
        if b.distinct {
            selected(b, order)?;
            for column in self.columns(b)? {
                self.cx.no_json_type("DISTINCT", column.ty)?;
            }
        }
        let items = self.items(b, usage)?;
        let mut joins = self.cx.vec(b.joins.len() + 1);
        for (index, source) in b.sources.iter().enumerate() {
            if index > 0
                && let Some(join) = b.joins.get(index - 1)
            {
                joins.push(*join);
            }
            self.view_joins(source, &mut joins)?;
        }
        let filter = match self.cx.all(&b.filters) {
            Pred::Const(true) => None,
            pred => Some(pred),
        };
        let having = match self.cx.all(&b.having) {
            Pred::Const(true) => None,
            pred => Some(pred),
        };
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
        order = self.cx.group_parameters(&mut select, order)?;
        if !b.distinct_on.is_empty() {
            let names = self.columns(b)?;
            let all = match &b.items {
                Some(items) => items.clone(),
                None => self.all_items(b),
            };
            let mut named = self.cx.vec(all.len());
            named.extend(all.iter().zip(names).map(|(item, column)| (item.value, column.quoted)));
            (select, order) = self.cx.distinct_on(select, &named, order)?;
            if usage != Use::Root && !paged && select.distinct_on.is_empty() {
                order = &[];
            }
        }
        let simple = b.group.is_empty() && !b.aggregated && !b.distinct && order.is_empty() && !paged;
        let key = |cx: &Cx<'a, 'e>| match b.sources.first() {
            Some(main @ Src { kind: SrcKind::Entity { entity, .. }, .. }) => {
                cx.entity_column(main, Property::Column(*entity.keys.first()?), false)
            }
            _ => None,
        };
        let body = self.cx.full_join(select, key, simple)?;
        let mut query = Query { ctes: &[], body, order, limit, offset, lock };
        if query.lock.is_some() {
            let mut keys = Vec::new();
            if let Some(main) = b.sources.first()
                && let SrcKind::Entity { entity, .. } = main.kind
            {
                let key = |k: &usize| self.cx.entity_column(main, Property::Column(*k), false);
                keys.extend(entity.keys.iter().filter_map(key));
            }
            query = self.cx.lock_with_limit(query, &keys)?;
        }
        Ok(self.cx.node(query))
    }

    pub(super) fn items(&mut self, b: &mut Building<'a, 'e>, usage: Use) -> Result<Items<'a, 'e>> {
        if usage == Use::Exists && !b.distinct && b.group.is_empty() && !b.aggregated {
            return Ok(Items::One);
        }
        if b.items.is_none() && b.group.is_empty() {
            match (b.sources.first(), b.sources.len()) {
                (Some(main), 1) => match main.kind {
                    SrcKind::Entity { id, style: super::scope::Style::Main, .. } if b.distinct_on.is_empty() => {
                        let whole = self.whole(id)?;
                        main.used.set(main.used.get() | whole.items_use);
                        return Ok(Items::Text(&whole.items));
                    }
                    SrcKind::Columns(_) => return Ok(Items::Text("*")),
                    SrcKind::Entity { .. } => {}
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
            None if b.group.is_empty() => self.all_items(b),
            None => {
                let mut items = self.cx.vec(b.group.len());
                for key in b.group {
                    let name = key.column.map(|c| c.name.as_str());
                    let quoted = name.map(|n| self.cx.quoted(&[n]));
                    let renamed = key.column.is_some_and(|c| c.column.as_str() != c.name.as_str());
                    items.push(NamedItem { value: *key, name, quoted, renamed });
                }
                items
            }
        };
        let mut list = self.cx.vec(items.len());
        for (index, item) in items.iter().enumerate() {
            let alias = match item.name {
                Some(_) if item.renamed => self.quoted_name(item),
                None if usage == Use::Table => Some(self.unnamed(index).1),
                _ => None,
            };
            list.push(Item { value: item.value, alias });
        }
        b.items = Some(items);
        Ok(Items::List(list.into_bump_slice()))
    }

    /// How many rows a query has, without its order and paging.
    pub(crate) fn count(&mut self, mut b: &'a mut Building<'a, 'e>) -> Result<&'a Query<'a, 'e>> {
        b.order.clear();
        b.limit = None;
        b.offset = None;
        b.lock = None;
        let ty = Some(DbValueType::Int64.into());
        let count = self.cx.call(Func::Count, &[], ty)?;
        let item = NamedItem { value: count, name: None, quoted: None, renamed: false };
        let plain = b.set.is_none() && b.group.is_empty() && !b.distinct && !b.aggregated && b.distinct_on.is_empty();
        if !plain {
            if b.set.is_none() && !b.distinct && b.distinct_on.is_empty() && !b.group.is_empty() {
                // Only the groups count, not what is selected of them.
                let one = NamedItem { value: self.cx.int(1), name: None, quoted: None, renamed: false };
                b.items = Some(bumpalo::vec![in self.cx.bump; one]);
            }
            b = self.derive(b)?;
        }
        b.items = Some(bumpalo::vec![in self.cx.bump; item]);
        b.aggregated = true;
        self.finish(b, Use::Root)
    }

    /// One row if the query has any.
    pub(crate) fn exists_row(&mut self, mut b: &'a mut Building<'a, 'e>) -> Result<&'a Query<'a, 'e>> {
        let plain = b.set.is_none() && b.limit.is_none() && b.offset.is_none();
        if !plain {
            b = self.derive(b)?;
        }
        b.order.clear();
        b.lock = None;
        b.limit = Some(self.cx.int(1));
        if b.group.is_empty() && !b.aggregated && b.distinct_on.is_empty() {
            b.distinct = false;
            let one = NamedItem { value: self.cx.int(1), name: None, quoted: None, renamed: false };
            b.items = Some(bumpalo::vec![in self.cx.bump; one]);
        }
        self.finish(b, Use::Root)
    }
}

/// The keys without those whose column is a key already: they order nothing, and not every engine takes them.
fn unique_keys<'a, 'e>(keys: BumpVec<'a, Order<'a, 'e>>) -> &'a [Order<'a, 'e>] {
    let column = |key: &Order<'a, 'e>| match key.value.kind {
        ScalarKind::Column(text) => Some(text),
        _ => None,
    };
    let keys = keys.into_bump_slice_mut();
    let mut kept = 0;
    for index in 0..keys.len() {
        let (before, rest) = keys.split_at_mut(index);
        let Some(key) = rest.first().copied() else { break };
        let known = column(&key).is_some_and(|text| before.iter().take(kept).any(|k| column(k) == Some(text)));
        if !known && let Some(slot) = keys.get_mut(kept) {
            *slot = key;
            kept += 1;
        }
    }
    keys.get(..kept).unwrap_or_default()
}

/// Distinct rows have an order by what is selected of them only.
fn selected(b: &Building<'_, '_>, order: &[Order<'_, '_>]) -> Result<()> {
    let Some(items) = &b.items else { return Ok(()) };
    let is = |item: &NamedItem<'_, '_>, key: &Scalar<'_, '_>| match (item.value.kind, key.kind) {
        (ScalarKind::Column(a), ScalarKind::Column(b)) => a == b || item.quoted == Some(b),
        (_, ScalarKind::Column(b)) => item.quoted == Some(b),
        // Rare enough to compare by what they print.
        (a, b) => format!("{a:?}") == format!("{b:?}"),
    };
    if order.iter().all(|key| items.iter().any(|item| is(item, &key.value))) {
        return Ok(());
    }
    let why = "distinct rows have only what is selected: select the key as well, or group the rows instead";
    Err(ErrorKind::Misplaced { what: "an order of distinct rows by something else".into(), why }.into())
}
