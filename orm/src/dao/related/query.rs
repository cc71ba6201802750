//! The query of a relation's rows.

use isogloss_compiler::dialect::{Feature, Support};
use isogloss_compiler::expr::{
    DbType, DbValueType, GroupKey, LogicExpr, Name, OrderByItemExpr, PropertyExpr, SelectItemExpr, SqlSegment,
    TableJoinType, Value, ValueOps as _, ValueTypeExpr, from, func, prop, prop_of, row,
};
use isogloss_compiler::model::{Catalog, Column, Entity as Model, EntityId, NamedRelation, RelationKind};

use super::Terms;
use super::keys::{Asked, Key};
use crate::entity::FieldError;
use crate::session::Session;
use crate::{OrmError, OrmResult};

/// The table of the entity between.
const BETWEEN: &str = "Between";

/// The place of a row among those of its parent.
const PLACE: &str = "RelationPlace";

/// A relation, with what its rows have to be.
pub(super) struct Level<'a> {
    /// What the rows are read as: the relation's target, or a view of it.
    pub(super) target: &'a Model,
    pub(super) terms: &'a Terms,
    /// The properties that are read of a row.
    pub(super) names: Vec<Name>,
    /// How many rows are read at most, of all parents together.
    pub(super) row_limit: Option<u64>,
    /// How many queries are asked at most.
    pub(super) most_queries: Option<usize>,
    relation: &'a NamedRelation,
    /// The entity whose columns equal those of the parents: the target, or the one between.
    far: &'a Model,
    far_id: EntityId,
}

/// How many keys a query has at most, in one list that may be one parameter: servers take values up to some megabytes.
const MOST: usize = 100_000;

/// How many keys of several columns a query has at most. Some engines make an OR of them, and PostgreSQL's stack ends at some ten
/// thousand.
const MOST_OF_SEVERAL: usize = 1_000;

/// Where a column of the key stands in the rows, and its type.
pub(super) type KeyPlace = (usize, DbType);

/// How the engine takes the texts of a key.
#[derive(Debug, Clone, Copy)]
pub(super) struct Texts {
    /// Whether it tells all of them apart.
    exact: bool,
    /// Whether the empty one is a text, and not NULL.
    empty: bool,
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Text(text) => text.is_empty(),
        Value::Bytes(bytes) => bytes.is_empty(),
        _ => false,
    }
}

impl<'a> Level<'a> {
    pub(super) fn new(catalog: &'a Catalog, relation: &'a NamedRelation, terms: &'a Terms) -> Self {
        let target = catalog.get(relation.target);
        Self::read_as(catalog, relation, terms, target, selected(target).cloned().collect())
    }

    /// One whose rows are read as a view of the target, and of them these properties.
    pub(super) fn read_as(
        catalog: &'a Catalog,
        relation: &'a NamedRelation,
        terms: &'a Terms,
        target: &'a Model,
        names: Vec<Name>,
    ) -> Self {
        let far_id = relation.through.as_ref().map_or(relation.target, |through| through.entity);
        Self { target, terms, names, row_limit: None, most_queries: None, relation, far: catalog.get(far_id), far_id }
    }

    /// The columns of a parent that are its key.
    pub(super) fn own_keys(&self) -> impl ExactSizeIterator<Item = usize> {
        self.relation.keys.iter().map(|(own, _)| *own)
    }

    /// The columns that the keys are compared with.
    fn far_keys(&self) -> impl Iterator<Item = &'a Column> {
        self.relation.keys.iter().filter_map(|(_, theirs)| self.far.columns.get(*theirs))
    }

    /// How the engine takes the keys' texts.
    pub(super) fn texts(&self, session: &Session) -> OrmResult<Texts> {
        if !self.far_keys().any(|column| column.ty.base.is_text() || column.ty.base == DbValueType::Binary) {
            return Ok(Texts { exact: true, empty: true });
        }
        // It is no reason to open a pool, or to wait for one.
        let Some(opened) = session.context().data_source_of(self.far)?.known() else {
            return Ok(Texts { exact: false, empty: true });
        };
        Ok(Texts {
            exact: opened.tells_texts_apart(self.far_id, self.relation.keys.iter().map(|(_, theirs)| theirs)),
            empty: matches!(opened.target.support(Feature::EmptyString), Support::Native),
        })
    }

    /// The keys of the parents, as values of the columns that they are compared with.
    pub(super) fn asked(
        &self,
        owner: &Model,
        texts: Texts,
        rows: impl ExactSizeIterator<Item = OrmResult<Key>>,
    ) -> OrmResult<Asked> {
        let columns: Vec<&Column> = self.far_keys().collect();
        let value = |(value, column): (&Value, &&Column)| -> OrmResult<Value> {
            let bad = |error| FieldError::new(format!("`{}.{}`: {error}", owner.name, self.relation.name));
            let value = column.coerce(value).map_err(bad)?.into_owned();
            Ok(if !texts.empty && is_empty(&value) { Value::Null } else { value })
        };
        let key = |key: OrmResult<Key>| Key::new(key?.values().iter().zip(&columns).map(value));
        Asked::new(rows.map(key), texts.exact)
    }

    /// The query of the rows of some keys, of which so many are left to be read, and where in a row its key stands.
    pub(super) fn search<'k>(
        &self,
        keys: impl Iterator<Item = &'k Key>,
        left: Option<u64>,
    ) -> (SqlSegment, Vec<KeyPlace>) {
        let mut names: Vec<SelectItemExpr> = self.names.iter().map(|name| prop(name.clone()).into()).collect();
        let mut places = Vec::new();
        let mut columns: Vec<PropertyExpr> = Vec::new();
        for (_, theirs) in &self.relation.keys {
            let Some(column) = self.far.columns.get(*theirs) else { continue };
            let property = self.key(&column.name);
            let selected = self.names.iter().position(|name| *name == column.name);
            let place = selected.filter(|_| self.relation.through.is_none()).unwrap_or_else(|| {
                names.push(property.clone().alias(format!("RelationKey{}", columns.len())));
                names.len() - 1
            });
            places.push((place, column.ty));
            columns.push(property);
        }
        let (source, asked) = self.source(&columns, keys);
        let query = source.filter(LogicExpr::all([asked, self.terms.filter.clone()]));
        let Some(take) = self.take() else {
            let order = self.order(&columns);
            let query = if order.is_empty() { query } else { query.order_by(order) };
            let query = left.into_iter().fold(query, SqlSegment::take);
            return (query.select(names).into_segment(), places);
        };
        let mut order = self.order(&[]);
        if order.is_empty() {
            order.extend(columns.iter().cloned().map(ascending));
        }
        let parents = columns.into_iter().map(|column| GroupKey::from(ValueTypeExpr::from(column)));
        let place = func("RowNumber", Vec::<ValueTypeExpr>::new()).over().partition_by(parents).order_by(order);
        names.push(place.alias(PLACE));
        let ranked = query.select(names).into_segment();
        (ranked.filter(prop(PLACE).le(i64::try_from(take).unwrap_or(i64::MAX))).order_by([PLACE]), places)
    }

    /// How many rows a parent gets at most. One that has one of several by an order gets the first.
    fn take(&self) -> Option<u64> {
        let first = self.relation.kind == RelationKind::HasOne && !self.terms.order.is_empty();
        self.terms.take.or(first.then_some(1))
    }

    /// How many keys a query has at most.
    pub(super) fn keys_per_query(&self) -> usize {
        if self.relation.keys.len() > 1 { MOST_OF_SEVERAL } else { MOST }
    }

    /// Looks whether one more query may be asked.
    pub(super) fn may_ask(&self, asked: usize) -> OrmResult<()> {
        match self.most_queries {
            Some(most) if asked >= most => {
                let relation = self.relation.name.as_str().into();
                Err(OrmError::TooManyQueries { relation, most })
            }
            _ => Ok(()),
        }
    }

    /// The table of the rows, and the one between, with what is still to be asked of the keys. Where the one between may hold a
    /// pair twice, it is joined with each pair once.
    fn source<'k>(
        &self,
        columns: &[PropertyExpr],
        keys: impl Iterator<Item = &'k Key>,
    ) -> (SqlSegment, Option<LogicExpr>) {
        let table = from(self.target.name.clone());
        let Some(through) = &self.relation.through else { return (table, Some(is_one_of(columns, keys))) };
        let equal = through.keys.iter().filter_map(|(theirs, target)| {
            let theirs = self.far.columns.get(*theirs)?.name.clone();
            let target = self.target.columns.get(*target)?.name.clone();
            Some(prop_of(BETWEEN, theirs).eq(prop_of("T0", target)))
        });
        let between = from(self.far.name.clone());
        let own = self.relation.keys.iter().map(|(_, theirs)| *theirs);
        let pair: Vec<usize> = own.chain(through.keys.iter().map(|(theirs, _)| *theirs)).collect();
        let (between, asked) = if is_unique(self.far, &pair) {
            (between.aliased(BETWEEN), Some(is_one_of(columns, keys)))
        } else {
            let own: Vec<PropertyExpr> = self.far_keys().map(|column| prop(column.name.clone())).collect();
            let mut names: Vec<Name> = Vec::new();
            for column in pair.iter().filter_map(|place| self.far.columns.get(*place)) {
                if !names.contains(&column.name) {
                    names.push(column.name.clone());
                }
            }
            let pairs = between.filter(is_one_of(&own, keys)).select(names).distinct();
            (pairs.into_segment().aliased(BETWEEN), None)
        };
        (table.join(TableJoinType::Inner, between, LogicExpr::all(equal)), asked)
    }

    /// A column of the key.
    fn key(&self, name: &Name) -> PropertyExpr {
        if self.relation.through.is_some() { prop_of(BETWEEN, name.clone()) } else { prop(name.clone()) }
    }

    /// The order of the rows: by their parents' columns, so that an index of the foreign key serves; of one parent, what is
    /// asked for, then the primary key, or every column that can be sorted where there is no key. There is none where a
    /// parent has one row at most.
    fn order(&self, columns: &[PropertyExpr]) -> Vec<OrderByItemExpr> {
        let mut order: Vec<OrderByItemExpr> = columns.iter().cloned().map(ascending).collect();
        let is_known =
            |order: &[OrderByItemExpr], key: &OrderByItemExpr| order.iter().any(|known| known.field == key.field);
        let primary: Vec<_> = self.target.key_columns().map(|column| ascending(prop(column.name.clone()))).collect();
        if primary.iter().all(|key| is_known(&order, key)) && !primary.is_empty() {
            return Vec::new();
        }
        let sortable = |column: &&Column| {
            let is_stored = column.is_readable() && column.computed.is_none() && !column.is_large_text();
            primary.is_empty() && is_stored && column.ty.base.family().is_ordered() && !column.ty.array
        };
        let all = self.target.columns.iter().filter(sortable).map(|column| ascending(prop(column.name.clone())));
        for key in self.terms.order.iter().cloned().chain(primary.iter().cloned()).chain(all) {
            if !is_known(&order, &key) {
                order.push(key);
            }
        }
        order
    }
}

/// Returns whether an entity has no two rows with the same values in these columns, as far as its catalog says.
fn is_unique(entity: &Model, columns: &[usize]) -> bool {
    let is_within = |key: &[usize]| !key.is_empty() && key.iter().all(|place| columns.contains(place));
    let is_one = |place: &usize| entity.columns.get(*place).is_some_and(|column| column.is_unique);
    is_within(&entity.keys)
        || columns.iter().any(is_one)
        || entity.indexes.iter().any(|index| index.unique && index.filter.is_none() && is_within(&index.columns))
}

fn ascending(column: PropertyExpr) -> OrderByItemExpr {
    column.into()
}

/// That the columns are one of the keys: false if there is none.
fn is_one_of<'k>(columns: &[PropertyExpr], keys: impl Iterator<Item = &'k Key>) -> LogicExpr {
    let mut keys = keys.peekable();
    match columns {
        [column, ..] if keys.peek().is_none() => column.clone().in_list(Vec::<Value>::new()),
        [column] => column.clone().in_list(keys.flat_map(Key::values).cloned().collect::<Vec<Value>>()),
        columns => row(columns.iter().cloned()).in_list(row(keys.map(|key| row(key.values().iter().cloned())))),
    }
}

/// What a query without a select list gives of an entity.
fn selected(entity: &Model) -> impl Iterator<Item = &Name> {
    let columns = entity.columns.iter().filter(|column| column.is_readable());
    columns.map(|column| &column.name).chain(entity.foreign_columns.iter().map(|foreign| &foreign.name))
}
