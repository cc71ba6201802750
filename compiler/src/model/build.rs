//! From definitions to a checked catalog.

use std::collections::HashSet;

use super::catalog::EntityIndex;
use super::define::Definition;
use super::error::Near;
use super::{
    BadValue, Catalog, CatalogError, CatalogErrors, Column, Entity, EntityId, Join, Relation, TableDef, TableName,
    ViewDef, columns, constraints, foreign, joins, relations,
};
use crate::expr::{LogicBinaryExpr, LogicExpr, LogicOperator, Name, Value, ValueExpr, prop};
use crate::names;

/// Gathers definitions, in any order, and makes a catalog of them.
#[derive(Debug, Clone, Default)]
pub struct CatalogBuilder {
    pub(super) definitions: Vec<Definition>,
}

impl CatalogBuilder {
    /// Adds a table.
    #[must_use]
    pub fn table(mut self, table: TableDef) -> Self {
        self.definitions.push(table.0);
        self
    }

    /// Adds a view.
    #[must_use]
    pub fn view(mut self, view: ViewDef) -> Self {
        self.definitions.push(view.0);
        self
    }

    /// Checks everything and makes the catalog.
    ///
    /// # Errors
    /// Everything that is wrong with the definitions.
    pub fn build(self) -> Result<Catalog, CatalogErrors> {
        let mut errors = CatalogErrors::default();
        let drafts = Drafts::new(&self.definitions, &mut errors);
        let declared: Vec<Vec<Join>> = (0..drafts.len())
            .map(|i| if drafts.is_whole(i) { joins::build(i, &drafts, &mut errors) } else { Vec::new() })
            .collect();
        let mut entities = Vec::with_capacity(drafts.len());
        for i in 0..drafts.len() {
            let own = declared.get(i).map_or(&[][..], Vec::as_slice);
            let relations = ways(own, &drafts);
            let (joins, foreign_columns) = foreign::build(i, &declared, &drafts, &mut errors);
            let mut entity = Entity { joins, foreign_columns, relations, ..drafts.entity(i, &mut errors) };
            entity.index_properties();
            entities.push(entity);
        }
        relations::build(&drafts, &mut entities, &mut errors);
        want_scopes(&mut entities);
        if errors.is_empty() { Ok(Catalog::new(entities, nowhere())) } else { Err(errors) }
    }
}

/// What may be over the table of an entity that wants a scope wants one, too.
fn want_scopes(entities: &mut [Entity]) {
    let scoped: Vec<_> = entities.iter().filter(|entity| entity.scoped).map(|entity| entity.table.clone()).collect();
    for entity in entities {
        entity.scoped |= scoped.iter().any(|table| entity.table.may_be(table));
    }
}

/// All definitions, with what is known of them before there are joins.
pub(super) struct Drafts<'d> {
    definitions: Vec<&'d Definition>,
    index: EntityIndex,
    /// A view's entity first, then the views between, then itself.
    lineages: Vec<Vec<usize>>,
    /// Whether the lineage ends at a table.
    whole: Vec<bool>,
    /// With those that a view inherits.
    columns: Vec<Vec<Column>>,
    keys: Vec<Vec<usize>>,
}

impl<'d> Drafts<'d> {
    fn new(all: &'d [Definition], errors: &mut CatalogErrors) -> Self {
        let mut definitions: Vec<&Definition> = Vec::with_capacity(all.len());
        let mut known: HashSet<&Name> = HashSet::with_capacity(all.len());
        for definition in all {
            columns::check_name(&definition.name, "entity name", definition.name.as_str(), errors);
            if known.insert(&definition.name) {
                definitions.push(definition);
            } else {
                errors.push(CatalogError::DuplicateEntity { entity: definition.name.clone() });
            }
        }
        let names: Vec<&str> = definitions.iter().map(|definition| definition.name.as_str()).collect();
        let index = EntityIndex::new(&names);
        let mut drafts =
            Self { definitions, index, lineages: Vec::new(), whole: Vec::new(), columns: Vec::new(), keys: Vec::new() };
        for i in 0..drafts.definitions.len() {
            let (lineage, whole) = drafts.trace(i, errors);
            drafts.lineages.push(lineage);
            drafts.whole.push(whole);
        }
        let own: Vec<Vec<Column>> = drafts.definitions.iter().map(|def| columns::own(def, errors)).collect();
        for i in 0..drafts.definitions.len() {
            let columns = drafts.inherit(i, &own, errors);
            let keys = (0..).zip(&columns).filter(|(_, c)| c.primary_key).map(|(i, _)| i).collect();
            drafts.columns.push(columns);
            drafts.keys.push(keys);
        }
        drafts
    }

    /// From the definition to the table that it is over.
    fn trace(&self, entity: usize, errors: &mut CatalogErrors) -> (Vec<usize>, bool) {
        let mut lineage = vec![entity];
        let mut at = entity;
        while let Some((view, of)) = self.definition(at).and_then(|def| Some((&def.name, def.of.as_ref()?))) {
            let view = view.clone();
            match self.find(of.as_str()) {
                None => {
                    errors.push(CatalogError::UnknownBase {
                        entity: view,
                        of: of.clone(),
                        near: self.near(of.as_str()),
                    });
                    return (vec![entity], false);
                }
                Some(next) if lineage.contains(&next) => {
                    // A view that only leads to the circle is not part of it.
                    if next == entity {
                        errors.push(CatalogError::ViewCycle { entity: self.name(entity) });
                    }
                    return (vec![entity], false);
                }
                Some(next) => {
                    lineage.push(next);
                    at = next;
                }
            }
        }
        lineage.reverse();
        (lineage, true)
    }

    /// The columns of the definition and of those that it is over.
    fn inherit(&self, entity: usize, own: &[Vec<Column>], errors: &mut CatalogErrors) -> Vec<Column> {
        let lineage = self.lineage(entity);
        let mut all: Vec<Column> = lineage.iter().filter_map(|i| own.get(*i)).flatten().cloned().collect();
        let definitions: Vec<&Definition> = lineage.iter().filter_map(|i| self.definition(*i)).collect();
        columns::compute(&definitions, &mut all, errors);
        let owners = definitions.iter().flat_map(|def| def.columns.iter().map(|_| &def.name));
        for (i, (column, owner)) in all.iter().zip(owners).enumerate() {
            let before = || all.iter().take(i);
            let (entity, property) = (owner.clone(), column.name.clone());
            let other = |test: &dyn Fn(&Column) -> bool| before().find(|c| test(c)).map(|c| c.name.clone());
            if before().any(|c| c.name == column.name) {
                errors.push(CatalogError::DuplicateProperty { entity, property });
                continue;
            }
            let same = |c: &Column| c.column.eq_ignore_ascii_case(&column.column) && c.computed.is_none();
            if let Some(first) = other(&same).filter(|_| column.computed.is_none()) {
                let (entity, column) = (entity.clone(), column.column.to_string());
                errors.push(CatalogError::DuplicateColumn { entity, column, first, second: property.clone() });
            }
            if let Some(first) = other(&|c| c.identity.is_some()).filter(|_| column.identity.is_some()) {
                let (entity, second) = (entity.clone(), property.clone());
                errors.push(CatalogError::SeveralIdentities { entity, first, second });
            }
            if let Some(first) = other(&|c| c.is_timestamp).filter(|_| column.is_timestamp) {
                errors.push(CatalogError::SeveralTimestamps { entity, first, second: property });
            }
        }
        if all.is_empty() && self.is_whole(entity) {
            errors.push(CatalogError::NoColumns { entity: self.name(entity) });
        }
        all
    }

    /// The entity without what joins are needed for.
    fn entity(&self, entity: usize, errors: &mut CatalogErrors) -> Entity {
        let lineage: Vec<&Definition> = self.lineage(entity).iter().filter_map(|i| self.definition(*i)).collect();
        let columns = self.columns(entity).to_vec();
        let root = lineage.first();
        let table = root.map(|root| root.table.clone().unwrap_or_else(|| default_table(root)));
        let table = table.unwrap_or_default();
        let parsed = table.parse::<TableName>().unwrap_or_else(|why| {
            if let Some(root) = root {
                errors.push(CatalogError::BadTable { entity: root.name.clone(), table, why });
            }
            TableName::default()
        });
        if let Some((root, source)) = root.and_then(|root| Some((root, root.data_source.as_ref()?))) {
            columns::check_name(&root.name, "data source", &source.replace('.', "_"), errors);
        }
        if let Some((root, name)) = root.and_then(|root| Some((root, root.key_name.as_ref()?))) {
            columns::check_name(&root.name, "key name", name, errors);
            if self.keys(entity).is_empty() {
                let why = format!("`{name}` names a primary key, and it has none");
                errors.push(CatalogError::BadConstraint { entity: root.name.clone(), why });
            }
            // In a schema of its own, each table may have it.
            if parsed.to_string().rsplit('.').next().is_some_and(|own| own.contains('{')) {
                let why = format!(
                    "each table of `{parsed}` would have the key `{name}`, and a schema has one: leave its name out"
                );
                errors.push(CatalogError::BadConstraint { entity: root.name.clone(), why });
            }
        }
        let defined = root.map_or(&[][..], |root| &root.columns);
        let mut marks = defined.iter().enumerate().filter(|(_, column)| column.soft_delete);
        let mark = marks.next();
        if let (Some((_, first)), Some((_, second)), [root]) = (mark, marks.next(), lineage.as_slice()) {
            let (entity, first, second) = (root.name.clone(), first.name.clone(), second.name.clone());
            errors.push(CatalogError::SeveralSoftDeletes { entity, first, second });
        }
        let mut places = defined.iter().enumerate().filter(|(_, column)| column.distribution_key);
        let place = places.next();
        if let (Some((at, key)), [root]) = (place, lineage.as_slice()) {
            let why = match places.next() {
                Some((_, other)) => Some(format!("`{}` is one as well, and a table has one at most", other.name)),
                None if key.nullable => Some("it is NULL in some rows".to_owned()),
                None if key.ty.array => Some("it is a list".to_owned()),
                None if !self.keys(entity).is_empty() && !self.keys(entity).contains(&at) => {
                    Some("the primary key lacks it, so that a row cannot be found by its key on one server".to_owned())
                }
                None => None,
            };
            if let Some(why) = why {
                let (entity, property) = (root.name.clone(), key.name.clone());
                errors.push(CatalogError::BadDistributionKey { entity, property, why });
            }
        }
        let (indexes, checks, constraints) = match lineage.as_slice() {
            [root] => constraints::resolve(root, &columns, self, errors),
            _ => Default::default(),
        };
        let below = self.lineage(entity).iter().filter(|of| **of != entity);
        let below: Vec<EntityId> = below.map(|of| self.id(*of)).collect();
        Entity {
            name: self.name(entity),
            table: parsed,
            comment: root.and_then(|root| root.comment.clone()),
            key_name: root.and_then(|root| root.key_name.clone()),
            data_source: root.and_then(|root| root.data_source.clone()),
            sync_table: root.map(|root| root.sync_table).unwrap_or_default(),
            base: below.first().copied(),
            lineage: below,
            keys: self.keys(entity).to_vec(),
            fixed_filter: fixed_filter(&lineage, &columns, errors),
            scoped: root.is_some_and(|root| root.scoped),
            soft_delete: mark.map(|(at, _)| at),
            distribution_key: place.map(|(at, _)| at),
            indexes,
            checks,
            constraints,
            identity: columns.iter().position(|column| column.identity.is_some()),
            version: columns.iter().position(|column| column.is_timestamp),
            columns,
            ..nowhere()
        }
    }

    pub(super) fn len(&self) -> usize {
        self.definitions.len()
    }

    /// Whether the entity is a table, or a view that ends at one.
    pub(super) fn is_whole(&self, entity: usize) -> bool {
        self.whole.get(entity).copied().unwrap_or_default()
    }

    pub(super) fn definition(&self, entity: usize) -> Option<&'d Definition> {
        self.definitions.get(entity).copied()
    }

    pub(super) fn lineage(&self, entity: usize) -> &[usize] {
        self.lineages.get(entity).map_or(&[], Vec::as_slice)
    }

    pub(super) fn columns(&self, entity: usize) -> &[Column] {
        self.columns.get(entity).map_or(&[], Vec::as_slice)
    }

    pub(super) fn keys(&self, entity: usize) -> &[usize] {
        self.keys.get(entity).map_or(&[], Vec::as_slice)
    }

    /// The entity whose table it is.
    pub(super) fn table_of(&self, entity: usize) -> usize {
        self.lineage(entity).first().copied().unwrap_or(entity)
    }

    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.index.find(name, |entity| self.name_of(entity))
    }

    pub(super) fn name_of(&self, entity: usize) -> &'d str {
        self.definition(entity).map_or("", |definition| definition.name.as_str())
    }

    pub(super) fn name(&self, entity: usize) -> Name {
        self.definition(entity).map(|definition| definition.name.clone()).unwrap_or_default()
    }

    pub(super) fn near(&self, name: &str) -> Near {
        names::near(name, self.definitions.iter().map(|definition| definition.name.as_str())).into()
    }

    pub(super) fn id(&self, entity: usize) -> EntityId {
        EntityId(u32::try_from(entity).unwrap_or(u32::MAX))
    }
}

/// A table is named as its entity, without the namespace.
fn default_table(definition: &Definition) -> String {
    super::catalog::short(definition.name.as_str()).to_owned()
}

/// An entity with nothing in it.
fn nowhere() -> Entity {
    Entity {
        name: Name::default(),
        table: TableName::default(),
        comment: None,
        key_name: None,
        data_source: None,
        sync_table: super::SyncTableMode::Default,
        base: None,
        lineage: Vec::new(),
        columns: Vec::new(),
        foreign_columns: Vec::new(),
        keys: Vec::new(),
        joins: Vec::new(),
        relations: Vec::new(),
        named_relations: Vec::new(),
        fixed_filter: None,
        scoped: false,
        soft_delete: None,
        distribution_key: None,
        indexes: Vec::new(),
        checks: Vec::new(),
        constraints: Vec::new(),
        identity: None,
        version: None,
        index: crate::names::HashIndex::default(),
    }
}

/// The joins that start at the main table, each way once.
fn ways(joins: &[Join], drafts: &Drafts<'_>) -> Vec<Relation> {
    let mut relations: Vec<Relation> = Vec::new();
    for (i, join) in joins.iter().enumerate().filter(|(_, join)| join.source.is_none() && !join.keys.is_empty()) {
        let table = drafts.table_of(join.target.index());
        let known = drafts.columns(table).len();
        let target = if join.keys.iter().all(|(_, key)| *key < known) { drafts.id(table) } else { join.target };
        let relation = Relation { target, keys: join.keys.clone(), join: i };
        if !relations.iter().any(|r| r.target == target && r.keys == relation.keys) {
            relations.push(relation);
        }
    }
    relations
}

/// What the definitions and the constants of their columns say of every row.
fn fixed_filter(lineage: &[&Definition], columns: &[Column], errors: &mut CatalogErrors) -> Option<LogicExpr> {
    let mut terms = Vec::new();
    let mut own = columns.iter();
    for definition in lineage {
        let constants = definition.columns.iter().zip(own.by_ref());
        for (constant, column) in constants.filter_map(|(def, column)| Some((def.constant.as_ref()?, column))) {
            terms.extend(fixed_value(&definition.name, column, constant, errors));
        }
        for (property, constant) in &definition.fixed_values {
            match columns.iter().find(|column| column.name == *property) {
                Some(column) => terms.extend(fixed_value(&definition.name, column, constant, errors)),
                None => {
                    let near = names::near(property.as_str(), columns.iter().map(|column| column.name.as_str())).into();
                    let (entity, property) = (definition.name.clone(), property.clone());
                    errors.push(CatalogError::UnknownFixed { entity, property, near });
                }
            }
        }
        terms.extend(definition.fixed_filter.clone());
    }
    match terms.len() {
        0 | 1 => terms.pop(),
        _ => Some(LogicExpr::And(terms.into_iter().collect())),
    }
}

/// `column == constant`, with the constant in the column's type.
fn fixed_value(entity: &Name, column: &Column, constant: &Value, errors: &mut CatalogErrors) -> Option<LogicExpr> {
    let coerced = if constant.is_null() && !column.nullable {
        Err(BadValue::new(constant, column.ty, "the column is not nullable").of(&column.name))
    } else if matches!(constant, Value::List(_)) && !column.ty.array {
        Err(BadValue::new(constant, column.ty, "a constant is one value").of(&column.name))
    } else {
        column.coerce(constant)
    };
    match coerced {
        Ok(value) => Some(LogicExpr::Binary(LogicBinaryExpr {
            left: prop(&column.name).into(),
            operator: LogicOperator::Equal,
            right: ValueExpr { value: value.into_owned(), is_const: true }.into(),
        })),
        Err(why) => {
            let (entity, property) = (entity.clone(), column.name.clone());
            errors.push(CatalogError::BadConstant { entity, property, why });
            None
        }
    }
}
