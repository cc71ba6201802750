//! The columns of what is answered.

use isogloss::ResultColumn;
use isogloss::expr::{DbType, Name};
use isogloss::model::{Catalog, Column, Entity, EnumDef};

use crate::names::camel;

/// The columns of rows, in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shape {
    columns: Vec<ShapeColumn>,
}

/// A column of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShapeColumn {
    /// The property, or what the query calls it.
    pub(crate) property: Name,
    /// What clients call it.
    pub(crate) member: String,
    /// Its type, where that is known.
    pub(crate) ty: Option<DbType>,
    /// The names of its values, if it holds an enumeration.
    pub(crate) members: Option<EnumDef>,
    /// The digits behind the point of a decimal, where they are known.
    #[cfg(feature = "arrow")]
    pub(crate) scale: Option<u8>,
}

impl ShapeColumn {
    fn new(property: Name, ty: Option<DbType>, members: Option<EnumDef>) -> Self {
        Self {
            member: camel(property.as_str()),
            property,
            ty,
            members,
            #[cfg(feature = "arrow")]
            scale: None,
        }
    }

    fn of(property: &Name, column: &Column) -> Self {
        Self {
            #[cfg(feature = "arrow")]
            scale: column.fraction(),
            ..Self::new(property.clone(), Some(column.ty), column.enum_values.clone())
        }
    }
}

impl Shape {
    /// What can be read of an entity or a view.
    pub(crate) fn of(catalog: &Catalog, view: &Entity) -> Self {
        let own = view.columns.iter().map(|column| (&column.name, column));
        let foreign = view.foreign_columns.iter().filter_map(|foreign| {
            let column = catalog.get(foreign.entity).columns.get(foreign.column)?;
            Some((&foreign.name, column))
        });
        let readable = own.chain(foreign).filter(|(_, column)| column.is_readable());
        Self { columns: readable.map(|(name, column)| ShapeColumn::of(name, column)).collect() }
    }

    /// The columns of a query's rows. `of` says which property one is, where it is a property and nothing else.
    pub(crate) fn of_result(columns: &[ResultColumn], of: impl Fn(usize) -> Option<ShapeColumn>) -> Self {
        let column = |(place, column): (usize, &ResultColumn)| {
            let members = of(place).and_then(|property| property.members);
            ShapeColumn::new(Name::from(column.name.as_str()), column.ty, members)
        };
        Self { columns: columns.iter().enumerate().map(column).collect() }
    }

    /// Some of its columns.
    pub(crate) fn only(self, keep: impl Fn(&Name) -> bool) -> Self {
        Self { columns: self.columns.into_iter().filter(|column| keep(&column.property)).collect() }
    }

    /// Its columns.
    pub(crate) fn columns(&self) -> &[ShapeColumn] {
        &self.columns
    }

    /// What two of them would be called.
    pub(crate) fn member_twice(&self) -> Option<&str> {
        let mut members = self.columns.iter().map(|column| column.member.as_str()).enumerate();
        let before = |at: usize| self.columns.iter().take(at);
        members.find(|(at, member)| before(*at).any(|other| other.member == *member)).map(|(_, member)| member)
    }

    /// Their names in the query.
    pub(crate) fn properties(&self) -> impl Iterator<Item = &Name> {
        self.columns.iter().map(|column| &column.property)
    }
}
