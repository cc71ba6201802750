//! Rows without a struct.

use std::fmt;

use isogloss_compiler::expr::{DbType, Name, Value};
use isogloss_compiler::model::{Catalog, Entity as Model, EntityId, Property};

use crate::dao::constants;
use crate::entity::{FieldError, LogText, Logable, Writable};

/// A row of an entity or a view that is known only at run time: the values of its properties, as far as they are set.
///
/// ```
/// use isogloss::model::CatalogBuilder;
/// use isogloss::expr::Value;
/// use isogloss::prelude::*;
/// use isogloss::service::DynamicObject;
///
/// # #[cfg(feature = "definitions")] {
/// let catalog = CatalogBuilder::from_toml(r#"
///     [[entity]]
///     name = "Note"
///     columns = [
///       { name = "Id", type = "Int32", primary_key = true },
///       { name = "Due", type = "Date", nullable = true },
///     ]
/// "#)?.build()?;
/// let (id, _) = catalog.entity("Note").ok_or("no entity")?;
/// let mut note = DynamicObject::new(&catalog, id);
/// note.set("Id", 7)?;
/// note.set("due", "2024-01-31")?;
/// assert!(matches!(note.get("Due"), Some(Value::Date(_))));
/// assert_eq!(note.key(), Some(vec![7.into()]));
///
/// let error = note.set("Due", "soon").unwrap_err();
/// assert_eq!(error.to_string(), r#"text "soon" does not fit `Due`, Date: expected yyyy-MM-dd"#);
/// let error = note.set("Deu", "2024-01-31").unwrap_err();
/// assert_eq!(error.to_string(), "`Note` has no property `Deu` (did you mean `Due`?)");
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct DynamicObject {
    catalog: Catalog,
    entity: EntityId,
    /// The columns of the entity, in order of definition, and then the foreign columns.
    values: Vec<Option<Value>>,
    /// The rows of the relations that are loaded.
    related: Vec<(Name, Vec<DynamicObject>)>,
}

impl DynamicObject {
    /// A row of an entity without any value.
    #[must_use]
    pub fn new(catalog: &Catalog, entity: EntityId) -> Self {
        let model = catalog.get(entity);
        let width = model.columns.len() + model.foreign_columns.len();
        Self { catalog: catalog.clone(), entity, values: vec![None; width], related: Vec::new() }
    }

    /// The definition of its entity.
    #[must_use]
    pub fn entity(&self) -> &Model {
        self.catalog.get(self.entity)
    }

    /// The value of a property, without regard to case; `None` if it is not set or does not exist.
    #[must_use]
    pub fn get(&self, property: &str) -> Option<&Value> {
        self.values.get(self.place(property)?)?.as_ref()
    }

    /// Sets the property of a name, without regard to case. The value is converted to the column's type.
    ///
    /// # Errors
    /// The entity has no such column, or the value does not fit it.
    pub fn set(&mut self, property: &str, value: impl Into<Value>) -> Result<(), FieldError> {
        let entity = self.entity();
        let Some((place, column)) = entity.column(property) else { return Err(self.no_column(property)) };
        let value = value.into();
        if value.is_null() && !column.nullable {
            return Err(FieldError::new(format!("`{}.{}` is never NULL", entity.name, column.name)));
        }
        let value = column.coerce(&value).map_err(|bad| FieldError::new(bad.to_string()))?.into_owned();
        self.keep(place, value);
        Ok(())
    }

    /// The value of a column by its position, if it is set.
    #[must_use]
    pub fn value(&self, column: usize) -> Option<&Value> {
        self.values.get(..self.entity().columns.len())?.get(column)?.as_ref()
    }

    /// Sets a column, numbered from 0 in the order of definition, to a value of its type.
    ///
    /// # Errors
    /// There is no such column.
    pub fn set_value(&mut self, column: usize, value: Value) -> Result<(), FieldError> {
        if column >= self.entity().columns.len() {
            return Err(FieldError::no_column(self.entity().name.as_str(), column));
        }
        self.keep(column, value);
        Ok(())
    }

    /// Iterates over the columns in which each row of the entity has the same value, by its fixed filter: their positions
    /// and values. A new row gets them.
    pub fn constants(&self) -> impl Iterator<Item = (usize, &Value)> {
        let entity = self.entity();
        constants(entity).into_iter().filter_map(|(name, value)| Some((entity.column(name.as_str())?.0, value)))
    }

    /// The values of the primary key in the order of the columns' definition, if all of them are set.
    #[must_use]
    pub fn key(&self) -> Option<Vec<Value>> {
        let keys = &self.entity().keys;
        keys.iter()
            .map(|place| self.value(*place).cloned())
            .collect::<Option<Vec<Value>>>()
            .filter(|key| !key.is_empty())
    }

    /// The rows of a relation, without regard to case: one at most of a relation that is not to many. `None` if they are not
    /// loaded, which [`Session::load_named`](crate::Session::load_named) does.
    #[must_use]
    pub fn related(&self, relation: &str) -> Option<&[DynamicObject]> {
        let found = self.related.iter().find(|(name, _)| name.as_str().eq_ignore_ascii_case(relation));
        found.map(|(_, rows)| rows.as_slice())
    }

    /// Takes the rows of a relation.
    pub(crate) fn relate(&mut self, relation: &Name, rows: Vec<DynamicObject>) {
        self.related.retain(|(name, _)| name != relation);
        self.related.push((relation.clone(), rows));
    }

    /// The type of a property's column.
    pub(crate) fn type_of(&self, property: &str) -> Option<DbType> {
        let column = match self.entity().property(property)? {
            Property::Column(place) => self.entity().columns.get(place),
            Property::Foreign(place) => self.catalog.foreign(self.entity().foreign_columns.get(place)?),
        };
        column.map(|column| column.ty)
    }

    /// Iterates over the properties that are set: columns in the order of definition, then foreign columns.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        let entity = self.entity();
        let columns = entity.columns.iter().map(|column| &column.name);
        let names = columns.chain(entity.foreign_columns.iter().map(|column| &column.name));
        names.zip(&self.values).filter_map(|(name, value)| Some((name.as_str(), value.as_ref()?)))
    }

    /// The set columns, with their places.
    pub(super) fn set_values(&self) -> impl Iterator<Item = (usize, &Value)> {
        let columns = self.values.iter().take(self.entity().columns.len()).enumerate();
        columns.filter_map(|(place, value)| Some((place, value.as_ref()?)))
    }

    /// Takes what was read of a property with that name; of another name, nothing.
    pub(crate) fn read(&mut self, property: &str, value: Value) {
        if let Some(place) = self.place(property) {
            self.keep(place, value);
        }
    }

    pub(crate) fn keep(&mut self, place: usize, value: Value) {
        if let Some(kept) = self.values.get_mut(place) {
            *kept = Some(value);
        }
    }

    /// Where the value of a property is.
    pub(crate) fn place(&self, property: &str) -> Option<usize> {
        let entity = self.entity();
        Some(match entity.property(property)? {
            Property::Column(place) => place,
            Property::Foreign(place) => entity.columns.len() + place,
        })
    }

    fn no_column(&self, property: &str) -> FieldError {
        let entity = self.entity();
        if entity.property(property).is_some() {
            return FieldError::new(format!("`{}.{property}` is of another table, and only read", entity.name));
        }
        let near = entity.near_matches(property).into_iter().find(|near| entity.column(near).is_some());
        let hint = near.map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default();
        FieldError::new(format!("`{}` has no property `{property}`{hint}", entity.name))
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.iter().map(|(name, _)| name)
    }
}

/// The properties that are set. Nothing here knows which of their values a log must not show, so that it shows none.
impl Logable for DynamicObject {
    fn log(&self, text: &mut LogText) {
        text.push(format_args!("{} {{", self.entity().name));
        for (place, name) in self.names().enumerate() {
            text.push(if place > 0 { ", " } else { " " });
            text.push(name);
        }
        text.push(" }");
    }
}

/// As a log shows it.
impl fmt::Debug for DynamicObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&LogText::of(self))
    }
}

impl Writable for DynamicObject {
    fn has(&self, column: usize) -> bool {
        self.value(column).is_some()
    }

    fn stored(&self, column: usize) -> Result<Value, FieldError> {
        if column >= self.entity().columns.len() {
            return Err(FieldError::no_column(self.entity().name.as_str(), column));
        }
        Ok(self.value(column).cloned().unwrap_or_default())
    }

    fn store(&mut self, column: usize, value: &Value) -> Result<(), FieldError> {
        self.set_value(column, value.clone())
    }
}
