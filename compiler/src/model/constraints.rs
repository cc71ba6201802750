//! What a table has besides its columns: indexes of several columns, checks, and foreign keys that the database keeps.

use std::str::FromStr;

use compact_str::CompactString;

use super::build::Drafts;
use super::columns::{check_name, holes};
use super::define::Definition;
use super::{CatalogError, CatalogErrors, Column, ComputedPart, EntityId};
use crate::expr::Name;
use crate::names;

/// The definition of an index over several columns, or over some of the rows.
///
/// ```
/// use isogloss_compiler::expr::DbValueType;
/// use isogloss_compiler::model::{Catalog, ColumnDef, IndexDef, TableDef};
/// let order = TableDef::new("Order")
///     .column(ColumnDef::new("Id", DbValueType::Int64).primary_key())
///     .column(ColumnDef::new("Customer", DbValueType::Int64))
///     .column(ColumnDef::new("No", DbValueType::Int32))
///     .index(IndexDef::new(["Customer", "No"]).unique());
/// let catalog = Catalog::builder().table(order).build()?;
/// assert_eq!(catalog.entity("Order").unwrap().1.indexes[0].columns, [1, 2]);
/// # Ok::<(), isogloss_compiler::model::CatalogErrors>(())
/// ```
#[derive(Debug, Clone)]
pub struct IndexDef {
    properties: Vec<Name>,
    unique: bool,
    filter: Option<String>,
    name: Option<CompactString>,
}

impl IndexDef {
    /// An index over the columns of these properties, in this order.
    pub fn new<N: Into<Name>>(properties: impl IntoIterator<Item = N>) -> Self {
        let properties = properties.into_iter().map(Into::into).collect();
        Self { properties, unique: false, filter: None, name: None }
    }

    /// No two of its rows have equal values in the columns.
    #[must_use]
    pub fn unique(mut self) -> Self {
        self.unique = true;
        self
    }

    /// It is over the rows for which this holds: SQL of the engine, with columns in its holes, as in `{State} = 1`. MySQL,
    /// MariaDB, Oracle and DuckDB have no such index.
    #[must_use]
    pub fn filter_sql(mut self, text: impl Into<String>) -> Self {
        self.filter = Some(text.into());
        self
    }

    /// Its name in the database. Without one, it is made from those of the table and the columns.
    #[must_use]
    pub fn name(mut self, name: impl Into<CompactString>) -> Self {
        self.name = Some(name.into());
        self
    }
}

/// The definition of a foreign key that the database keeps. Joins do not follow from it: see [`ForeignType`](super::ForeignType).
#[derive(Debug, Clone)]
pub struct ConstraintDef {
    properties: Vec<Name>,
    entity: Name,
    on_delete: ReferenceAction,
    on_update: ReferenceAction,
    deferred: bool,
    name: Option<CompactString>,
}

impl ConstraintDef {
    /// The columns of these properties are the primary key of a row of that entity, in the order of its key, or one is NULL.
    pub fn new<N: Into<Name>>(properties: impl IntoIterator<Item = N>, entity: impl Into<Name>) -> Self {
        Self {
            properties: properties.into_iter().map(Into::into).collect(),
            entity: entity.into(),
            on_delete: ReferenceAction::NoAction,
            on_update: ReferenceAction::NoAction,
            deferred: false,
            name: None,
        }
    }

    /// What becomes of the rows if the row that they refer to is deleted.
    #[must_use]
    pub fn on_delete(mut self, action: ReferenceAction) -> Self {
        self.on_delete = action;
        self
    }

    /// What becomes of the rows if the key of the row that they refer to changes. Oracle has none of it.
    #[must_use]
    pub fn on_update(mut self, action: ReferenceAction) -> Self {
        self.on_update = action;
        self
    }

    /// It is looked at when a transaction ends, on PostgreSQL, SQLite and Oracle.
    #[must_use]
    pub fn deferred(mut self) -> Self {
        self.deferred = true;
        self
    }

    /// Its name in the database. Without one, it is made from those of the table and the columns.
    #[must_use]
    pub fn name(mut self, name: impl Into<CompactString>) -> Self {
        self.name = Some(name.into());
        self
    }
}

/// What becomes of rows if what they refer to goes or changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ReferenceAction {
    /// It is refused while there are any.
    #[default]
    NoAction,
    /// It is refused at once, also where the constraint is deferred.
    Restrict,
    /// They go or change with it.
    Cascade,
    /// They refer to nothing.
    SetNull,
}

impl ReferenceAction {
    /// In SQL: `SET NULL`.
    #[must_use]
    pub fn sql(self) -> &'static str {
        match self {
            Self::NoAction => "NO ACTION",
            Self::Restrict => "RESTRICT",
            Self::Cascade => "CASCADE",
            Self::SetNull => "SET NULL",
        }
    }
}

impl FromStr for ReferenceAction {
    type Err = String;

    /// Reads `set_null`, as definitions write it.
    fn from_str(word: &str) -> Result<Self, String> {
        Ok(match word {
            "no_action" => Self::NoAction,
            "restrict" => Self::Restrict,
            "cascade" => Self::Cascade,
            "set_null" => Self::SetNull,
            _ => {
                return Err(format!(
                    "`{word}` is no action of a foreign key: it is `no_action`, `restrict`, `cascade` or `set_null`"
                ));
            }
        })
    }
}

/// What a definition adds to its columns.
#[derive(Debug, Clone, Default)]
pub(super) struct Beside {
    pub(super) indexes: Vec<IndexDef>,
    pub(super) checks: Vec<(CompactString, String)>,
    pub(super) constraints: Vec<ConstraintDef>,
}

/// An index over several columns of a table, or over some of its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableIndex {
    /// Its columns, in its order.
    pub columns: Vec<usize>,
    /// Whether no two of its rows have equal values in them.
    pub unique: bool,
    /// The condition of its rows, if not all are in it.
    pub filter: Option<Vec<ComputedPart>>,
    /// Its name, if the definition gives one.
    pub name: Option<CompactString>,
}

/// A condition that holds for each row of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableCheck {
    /// Its name.
    pub name: CompactString,
    /// The condition.
    pub condition: Vec<ComputedPart>,
}

/// A foreign key that the database keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Constraint {
    /// Its columns, in the order of the key that they refer to.
    pub columns: Vec<usize>,
    /// The entity that they refer to, by its primary key.
    pub target: EntityId,
    /// What becomes of the rows if what they refer to is deleted.
    pub on_delete: ReferenceAction,
    /// What becomes of the rows if its key changes.
    pub on_update: ReferenceAction,
    /// Whether it is looked at when a transaction ends.
    pub deferred: bool,
    /// Its name, if the definition gives one.
    pub name: Option<CompactString>,
}

/// The checked form of what a table's definition has beside its columns.
pub(super) fn resolve(
    definition: &Definition,
    columns: &[Column],
    drafts: &Drafts<'_>,
    errors: &mut CatalogErrors,
) -> (Vec<TableIndex>, Vec<TableCheck>, Vec<Constraint>) {
    let entity = || definition.name.clone();
    let places = |properties: &[Name], errors: &mut CatalogErrors| -> Option<Vec<usize>> {
        let place = |property: &Name| columns.iter().position(|column| column.name == *property);
        let unknown = properties.iter().find(|property| place(property).is_none());
        if let Some(property) = unknown {
            let near = names::near(property.as_str(), columns.iter().map(|column| column.name.as_str()));
            let why = format!("`{property}` is no column of the entity{}", super::Near::from(near));
            errors.push(CatalogError::BadConstraint { entity: entity(), why });
            return None;
        }
        if properties.is_empty() {
            let why = "it has no columns".to_owned();
            errors.push(CatalogError::BadConstraint { entity: entity(), why });
            return None;
        }
        Some(properties.iter().filter_map(place).collect())
    };
    let text = |text: &str, errors: &mut CatalogErrors| {
        holes(text, columns).map_err(|why| errors.push(CatalogError::BadConstraint { entity: entity(), why })).ok()
    };
    let mut indexes = Vec::new();
    for def in &definition.beside.indexes {
        if let Some(name) = &def.name {
            check_name(&definition.name, "index", name, errors);
        }
        let filter = def.filter.as_ref().and_then(|filter| text(filter, errors));
        if let Some(columns) = places(&def.properties, errors) {
            indexes.push(TableIndex { columns, unique: def.unique, filter, name: def.name.clone() });
        }
    }
    let mut checks = Vec::new();
    for (name, condition) in &definition.beside.checks {
        check_name(&definition.name, "check", name, errors);
        checks.extend(text(condition, errors).map(|condition| TableCheck { name: name.clone(), condition }));
    }
    let mut constraints = Vec::new();
    for def in &definition.beside.constraints {
        if let Some(name) = &def.name {
            check_name(&definition.name, "constraint", name, errors);
        }
        let Some(columns) = places(&def.properties, errors) else { continue };
        let Some(target) = drafts.find(def.entity.as_str()) else {
            let why = format!("`{}` is no entity{}", def.entity, drafts.near(def.entity.as_str()));
            errors.push(CatalogError::BadConstraint { entity: entity(), why });
            continue;
        };
        let target = drafts.table_of(target);
        let keys = drafts.keys(target).len();
        if keys != columns.len() {
            let why = format!("it has {} columns, and the key of `{}` has {keys}", columns.len(), def.entity);
            errors.push(CatalogError::BadConstraint { entity: entity(), why });
            continue;
        }
        let (target, on_delete, on_update) = (drafts.id(target), def.on_delete, def.on_update);
        let (deferred, name) = (def.deferred, def.name.clone());
        constraints.push(Constraint { columns, target, on_delete, on_update, deferred, name });
    }
    (indexes, checks, constraints)
}
