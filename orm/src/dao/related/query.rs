//! The query of a relation's rows.

use isogloss_compiler::expr::{
    DbType, GroupKey, LogicExpr, Name, OrderByItemExpr, PropertyExpr, SelectItemExpr, SqlSegment, TableJoinType, Value,
    ValueOps as _, ValueTypeExpr, func, prop, prop_of, row,
};
use isogloss_compiler::model::{Catalog, Entity as Model, NamedRelation};

use super::keys::Asked;
use super::{super::entity::shard, Terms};
use crate::entity::FieldError;
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
    /// How many rows a query gives at most, of all parents together.
    pub(super) most: Option<u64>,
    relation: &'a NamedRelation,
    /// The entity whose columns equal those of the parents: the target, or the one between.
    far: &'a Model,
}

/// Where a column of the key stands in the rows, and its type.
pub(super) type KeyPlace = (usize, DbType);

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
        let far = relation
            .through
            .as_ref()
            .map_or_else(|| catalog.get(relation.target), |through| catalog.get(through.entity));
        Self { target, terms, names, most: None, relation, far }
    }

    /// The columns of a parent that are its key.
    pub(super) fn own_keys(&self) -> impl Iterator<Item = usize> {
        self.relation.keys.iter().map(|(own, _)| *own)
    }

    /// The keys of the parents, as values of the columns that they are compared with.
    pub(super) fn asked(&self, owner: &Model, rows: impl Iterator<Item = OrmResult<Vec<Value>>>) -> OrmResult<Asked> {
        let column = |(_, theirs): &(usize, usize)| self.far.columns.get(*theirs);
        let columns: Vec<_> = self.relation.keys.iter().filter_map(column).collect();
        let keys = rows.map(|key| {
            let bad = |error| FieldError::new(format!("`{}.{}`: {error}", owner.name, self.relation.name));
            let value = |(value, column): (Value, _)| -> OrmResult<Value> {
                let column: &isogloss_compiler::model::Column = column;
                Ok(column.coerce(&value).map_err(bad)?.into_owned())
            };
            key?.into_iter().zip(columns.iter().copied()).map(value).collect()
        });
        Ok(Asked::new(keys.collect::<OrmResult<_>>()?))
    }

    /// The query of the rows of some keys, and where in a row its key stands.
    pub(super) fn search<'k>(&self, keys: impl Iterator<Item = &'k Vec<Value>>) -> (SqlSegment, Vec<KeyPlace>) {
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
        let query = self.source().filter(LogicExpr::all([Some(is_one_of(&columns, keys)), self.terms.filter.clone()]));
        let Some(take) = self.terms.take else {
            let order = self.order();
            let query = if order.is_empty() { query } else { query.order_by(order) };
            let query = self.most.into_iter().fold(query, SqlSegment::take);
            return (query.select(names).into_segment(), places);
        };
        let mut order = self.order();
        if order.is_empty() {
            order.extend(columns.iter().cloned().map(ascending));
        }
        let parents = columns.into_iter().map(|column| GroupKey::from(ValueTypeExpr::from(column)));
        let place = func("RowNumber", Vec::<ValueTypeExpr>::new()).over().partition_by(parents).order_by(order);
        names.push(place.alias(PLACE));
        let ranked = query.select(names).into_segment();
        (ranked.filter(prop(PLACE).le(i64::try_from(take).unwrap_or(i64::MAX))).order_by([PLACE]), places)
    }

    /// A row of no parent: the database has taken other texts for the same.
    pub(super) fn stray(&self) -> OrmError {
        let key = |(_, theirs): &(usize, usize)| self.far.columns.get(*theirs).map(|column| column.name.as_str());
        let keys: Vec<&str> = self.relation.keys.iter().filter_map(key).collect();
        FieldError::new(format!(
            "a row of `{}` has a key ({}) that is none of those that were asked for: the database takes texts for the same \
             that differ by more than the case of letters and blanks at the end; give the column `text = \"exact\"`",
            self.far.name,
            keys.join(", ")
        ))
        .into()
    }

    /// The table of the rows, and the one between.
    fn source(&self) -> SqlSegment {
        let table = SqlSegment::from(shard(self.target.name.clone(), &self.terms.args));
        let Some(through) = &self.relation.through else { return table };
        let equal = through.keys.iter().filter_map(|(theirs, target)| {
            let theirs = self.far.columns.get(*theirs)?.name.clone();
            let target = self.target.columns.get(*target)?.name.clone();
            Some(prop_of(BETWEEN, theirs).eq(prop_of("T0", target)))
        });
        let between = isogloss_compiler::expr::from(self.far.name.clone()).aliased(BETWEEN);
        table.join(TableJoinType::Inner, between, LogicExpr::all(equal))
    }

    /// A column of the key.
    fn key(&self, name: &Name) -> PropertyExpr {
        if self.relation.through.is_some() { prop_of(BETWEEN, name.clone()) } else { prop(name.clone()) }
    }

    /// The order of a parent's rows: what is asked for, then the primary key.
    fn order(&self) -> Vec<OrderByItemExpr> {
        let mut order = self.terms.order.clone();
        for column in self.target.key_columns() {
            let key = ascending(prop(column.name.clone()));
            if !order.iter().any(|known| known.field == key.field) {
                order.push(key);
            }
        }
        order
    }
}

fn ascending(column: PropertyExpr) -> OrderByItemExpr {
    column.into()
}

/// That the columns are one of the keys.
fn is_one_of<'k>(columns: &[PropertyExpr], keys: impl Iterator<Item = &'k Vec<Value>>) -> LogicExpr {
    match columns {
        [column] => column.clone().in_list(keys.flatten().cloned().collect::<Vec<Value>>()),
        columns => row(columns.iter().cloned()).in_list(row(keys.map(|key| row(key.iter().cloned())))),
    }
}

/// What a query without a select list gives of an entity.
pub(super) fn selected(entity: &Model) -> impl Iterator<Item = &Name> {
    let columns = entity.columns.iter().filter(|column| column.is_readable() && column.computed.is_none());
    columns.map(|column| &column.name).chain(entity.foreign_columns.iter().map(|foreign| &foreign.name))
}
