//! Reads rows as structs. It is public for derived code only.

use std::fmt;

use isogloss_compiler::expr::{DbType, DbValueType, Value};
use isogloss_compiler::model::{ColumnDef, ColumnMode};
use isogloss_driver::{Error, ErrorKind, FromColumn, Kind, Layout, Result, Row};

use super::{Converter, Field, FieldError};

/// The struct of an entity's columns, which its definition generates.
pub trait ColumnsOf {
    /// The struct, for conditions on `S`.
    type Columns<S>;

    /// The columns of the table with this alias.
    fn columns_of<S>(alias: Option<&'static str>) -> Self::Columns<S>;
}

/// A struct that is read from some of a row's columns.
pub trait Decode: Sized {
    /// Reads its columns.
    ///
    /// # Errors
    /// The first column that is missing or does not fit.
    fn decode(row: &dyn Row, cursor: &mut Cursor<'_>) -> Result<Self>;
}

/// The place of a field: its entity, property and column.
#[derive(Debug, Clone, Copy)]
pub struct FieldPlace {
    /// The entity.
    pub entity: &'static str,
    /// The property, which is the alias of the column.
    pub property: &'static str,
    /// The name of the column in the database, which is tried second.
    pub column: &'static str,
}

impl fmt::Display for FieldPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.entity, self.property)?;
        if self.column == self.property { Ok(()) } else { write!(f, " (column `{}`)", self.column) }
    }
}

impl FieldPlace {
    /// Adds the place to an error of the field.
    ///
    /// # Errors
    /// The field's.
    pub fn told<T>(&self, result: Result<T, FieldError>) -> Result<T, FieldError> {
        result.map_err(|error| FieldError::new(format!("{self}: {error}")))
    }

    fn error(&self, why: impl fmt::Display) -> Error {
        Error::new(ErrorKind::Decode, format!("{self}: {why}"))
    }
}

/// Finds the columns of a row by name. They usually come in the order of the fields: then one name is compared for each
/// in the first row, and none in the others.
///
/// If several columns have the same name, the first one is used.
#[derive(Debug)]
pub struct Cursor<'l> {
    next: usize,
    known: bool,
    /// Whether a column has been left out, so that the next one may be a second of its name.
    strayed: bool,
    layout: &'l mut Layout,
}

impl<'l> Cursor<'l> {
    /// A cursor over the next row of a result.
    pub fn new(layout: &'l mut Layout) -> Self {
        Self { next: 0, known: layout.begin(), strayed: false, layout }
    }

    /// The index of the field's column.
    // Most often no more than a count, for each column of each row.
    #[inline(always)]
    pub fn find(&mut self, row: &dyn Row, place: &FieldPlace) -> Option<usize> {
        if !self.known {
            self.seek(row, place)?;
        }
        let found = self.next;
        self.next += 1;
        Some(found)
    }

    /// Goes to the field's column, by its name.
    #[inline(never)]
    fn seek(&mut self, row: &dyn Row, place: &FieldPlace) -> Option<()> {
        if self.strayed || row.name(self.next) != Some(place.property) {
            self.layout.mixed();
            let named =
                |name: &str| (0..row.len()).find(|i| row.name(*i).is_some_and(|n| n.eq_ignore_ascii_case(name)));
            let exact = (0..row.len()).find(|i| row.name(*i) == Some(place.property));
            self.next = exact.or_else(|| named(place.property)).or_else(|| named(place.column))?;
            self.strayed = true;
        }
        Some(())
    }

    /// The index of a column that must exist.
    ///
    /// # Errors
    /// The row has no column of this name.
    #[inline(always)]
    pub fn index(&mut self, row: &dyn Row, place: &FieldPlace) -> Result<usize> {
        self.find(row, place).ok_or_else(|| absent(row, place))
    }
}

#[cold]
fn absent(row: &dyn Row, place: &FieldPlace) -> Error {
    let names: Vec<&str> = (0..row.len()).filter_map(|index| row.name(index)).take(20).collect();
    let names = names.join("`, `");
    place.error(format!("the row has no column `{}`: select it; it has `{names}`", place.property))
}

#[cold]
fn null(place: &FieldPlace) -> Error {
    place.error("it is NULL, and the field is no `Option`: make it one, or leave such rows out")
}

/// Reads a column as a field.
///
/// # Errors
/// The value does not fit, or is NULL and the field is not an `Option`.
#[inline]
pub fn read<F: FromColumn>(row: &dyn Row, index: usize, place: &FieldPlace) -> Result<F> {
    match F::read(row, index) {
        Ok(Some(value)) => Ok(value),
        Ok(None) => Err(null(place)),
        Err(error) => Err(error.at(place)),
    }
}

/// Reads a column as a field by a converter.
///
/// # Errors
/// Those of [`read`], and what the converter refuses.
pub fn read_with<C: Converter<F>, F>(row: &dyn Row, index: usize, place: &FieldPlace) -> Result<F> {
    let stored: C::Stored = read(row, index, place)?;
    C::load(stored).map_err(|error| place.error(error))
}

/// Reads a column as an optional field by a converter.
///
/// # Errors
/// Those of [`read_with`].
pub fn read_option_with<C: Converter<F>, F>(row: &dyn Row, index: usize, place: &FieldPlace) -> Result<Option<F>> {
    let stored: Option<C::Stored> = read(row, index, place)?;
    stored.map(C::load).transpose().map_err(|error| place.error(error))
}

/// The value that a converter stores for a field.
///
/// # Errors
/// What the converter refuses.
pub fn store_with<C: Converter<F>, F>(field: &F) -> Result<Value, FieldError> {
    C::store(field)?.store()
}

/// The value that a converter stores for an optional field.
///
/// # Errors
/// What the converter refuses.
pub fn store_option_with<C: Converter<F>, F>(field: &Option<F>) -> Result<Value, FieldError> {
    field.as_ref().map_or(Ok(Value::Null), store_with::<C, F>)
}

/// Converts a value of the database to a field by a converter.
///
/// # Errors
/// The value does not fit, or the converter refuses it.
pub fn load_with<C: Converter<F>, F>(value: &Value) -> Result<F, FieldError> {
    C::load(C::Stored::load(value)?)
}

/// Converts a value of the database to an optional field by a converter.
///
/// # Errors
/// Those of [`load_with`].
pub fn load_option_with<C: Converter<F>, F>(value: &Value) -> Result<Option<F>, FieldError> {
    if value.is_null() { Ok(None) } else { load_with::<C, F>(value).map(Some) }
}

/// The definition of a field's column.
#[must_use]
pub fn column<F: Field>(
    property: &'static str,
    ty: Option<DbValueType>,
    nullable: Option<bool>,
    flags: bool,
) -> ColumnDef {
    let ty = ty.map_or(F::TYPE, |base| DbType { base, array: F::TYPE.array });
    let mut column = ColumnDef::new(property, ty);
    if nullable.unwrap_or(F::NULLABLE) {
        column = column.nullable();
    }
    let members = F::MEMBERS.iter().copied();
    match (F::MEMBERS.is_empty(), flags) {
        (true, false) => column,
        (false, false) => column.enumeration(members),
        (_, true) => column.flags(members),
    }
}

/// The column mode of a number.
#[must_use]
pub fn mode(number: u8) -> ColumnMode {
    ColumnMode::from_number(number).unwrap_or_default()
}

/// The variants of an enumeration, in the order of [`Field::MEMBERS`].
pub trait Members: Field {
    /// Functions that create each variant.
    const VARIANTS: &'static [fn() -> Self];
}

/// The type of a column with these members: text for their names, or a type that holds the largest number.
#[must_use]
pub const fn member_type(mut members: &[(&str, i64)], text: bool) -> DbType {
    let mut base = if text { DbValueType::String } else { DbValueType::Int32 };
    while let Some(((_, number), rest)) = members.split_first() {
        if !text && (*number > i32::MAX as i64 || *number < i32::MIN as i64) {
            base = DbValueType::Int64;
        }
        members = rest;
    }
    DbType { base, array: false }
}

fn by_name<E: Members>(name: &str) -> Option<E> {
    let members = || E::MEMBERS.iter().zip(E::VARIANTS);
    let exact = members().find(|((member, _), _)| *member == name);
    exact
        .or_else(|| members().find(|((member, _), _)| member.eq_ignore_ascii_case(name.trim())))
        .map(|(_, make)| make())
}

fn by_number<E: Members>(number: i64) -> Option<E> {
    E::MEMBERS.iter().zip(E::VARIANTS).find(|((_, member), _)| *member == number).map(|(_, make)| make())
}

/// Why no member is stored as such a text, or number.
fn no_member<E: Members>(is_text: bool) -> String {
    let stored =
        |(name, number): &(&str, i64)| if is_text { format!("`{name}`") } else { format!("{number} (`{name}`)") };
    let members: Vec<String> = E::MEMBERS.iter().map(stored).collect();
    format!("it is none of {}", members.join(", "))
}

/// Reads an enumeration from a column of names or numbers.
///
/// # Errors
/// The value is not a member.
pub fn read_member<E: Members>(row: &dyn Row, index: usize) -> Result<Option<E>> {
    let kind = row.kind(index)?;
    let is_text = matches!(kind, Kind::Text | Kind::Bytes | Kind::Other);
    let found = match kind {
        Kind::Null => return Ok(None),
        _ if is_text => match row.text(index)? {
            Some(name) => by_name(name),
            None => return Ok(None),
        },
        _ => match row.i64(index)? {
            Some(number) => by_number(number),
            None => return Ok(None),
        },
    };
    let name = row.name(index).unwrap_or("?");
    let bad = || Error::new(ErrorKind::Decode, format!("column `{name}` (index {index}): {}", no_member::<E>(is_text)));
    found.ok_or_else(bad).map(Some)
}

/// Converts a value to an enumeration.
///
/// # Errors
/// The value is not a member.
pub fn load_member<E: Members>(value: &Value) -> Result<E, FieldError> {
    let found = match value {
        Value::Text(name) => by_name(name.as_str()),
        Value::Int(number) => by_number(*number),
        _ => return Err(FieldError::wanted::<E>(value)),
    };
    found.ok_or_else(|| FieldError::new(no_member::<E>(matches!(value, Value::Text(_)))))
}
