//! From rows to structs: what derived code calls. It is public for that code alone.

use std::fmt;

use isogloss_compiler::expr::{DbType, DbValueType, Value};
use isogloss_compiler::model::{ColumnDef, ColumnMode};
use isogloss_driver::{Error, ErrorKind, FromColumn, Kind, Layout, Result, Row};

use super::{Converter, Field, FieldError};

/// The entity's columns struct, which its own definition makes.
pub trait ColumnsOf {
    /// The struct, for conditions of `S`.
    type Columns<S>;

    /// Its value for the table of that alias.
    fn columns_of<S>(alias: Option<&'static str>) -> Self::Columns<S>;
}

/// A struct that is read from columns of a row, beside others.
pub trait Decode: Sized {
    /// Reads its columns.
    ///
    /// # Errors
    /// The first column that is missing or does not fit.
    fn decode(row: &dyn Row, cursor: &mut Cursor<'_>) -> Result<Self>;
}

/// Where a field is: in which entity, property and column.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// The entity.
    pub entity: &'static str,
    /// The property, which is the column's alias.
    pub property: &'static str,
    /// The column's name in the database: its second name.
    pub column: &'static str,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.entity, self.property)?;
        if self.column == self.property { Ok(()) } else { write!(f, " (column `{}`)", self.column) }
    }
}

impl Place {
    /// An error of the field, with the place.
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

/// Goes over a row's columns. They most often come in the order of the fields: one name is compared for each in the first
/// row, and none in the others.
///
/// Of several columns of one name, the first is meant.
#[derive(Debug)]
pub struct Cursor<'l> {
    next: usize,
    known: bool,
    /// Whether a column has been left out, so that the next one may be a second of its name.
    strayed: bool,
    layout: &'l mut Layout,
}

impl<'l> Cursor<'l> {
    /// One over the next row of a result.
    pub fn new(layout: &'l mut Layout) -> Self {
        Self { next: 0, known: layout.begin(), strayed: false, layout }
    }

    /// Where the field's column is.
    // Most often no more than a count, for each column of each row.
    #[inline(always)]
    pub fn find(&mut self, row: &dyn Row, place: &Place) -> Option<usize> {
        if !self.known {
            self.seek(row, place)?;
        }
        let found = self.next;
        self.next += 1;
        Some(found)
    }

    /// Goes to the field's column, by its name.
    #[inline(never)]
    fn seek(&mut self, row: &dyn Row, place: &Place) -> Option<()> {
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

    /// The same of a column that must be there.
    ///
    /// # Errors
    /// The row has none of the name.
    #[inline(always)]
    pub fn index(&mut self, row: &dyn Row, place: &Place) -> Result<usize> {
        self.find(row, place).ok_or_else(|| absent(row, place))
    }
}

#[cold]
fn absent(row: &dyn Row, place: &Place) -> Error {
    let names: Vec<&str> = (0..row.len()).filter_map(|index| row.name(index)).take(20).collect();
    let names = names.join("`, `");
    place.error(format!("the row has no column `{}`: select it; it has `{names}`", place.property))
}

#[cold]
fn null(place: &Place) -> Error {
    place.error("it is NULL, and the field is no `Option`: make it one, or leave such rows out")
}

/// Reads a column as a field.
///
/// # Errors
/// It does not fit, or is NULL and the field is no `Option`.
#[inline]
pub fn read<F: FromColumn>(row: &dyn Row, index: usize, place: &Place) -> Result<F> {
    match F::read(row, index) {
        Ok(Some(value)) => Ok(value),
        Ok(None) => Err(null(place)),
        Err(error) => Err(error.at(place)),
    }
}

/// The same by a converter.
///
/// # Errors
/// As [`read`], and what the converter refuses.
pub fn read_with<C: Converter<F>, F>(row: &dyn Row, index: usize, place: &Place) -> Result<F> {
    let stored: C::Stored = read(row, index, place)?;
    C::load(stored).map_err(|error| place.error(error))
}

/// The same of a field that may be missing.
///
/// # Errors
/// As [`read_with`].
pub fn read_option_with<C: Converter<F>, F>(row: &dyn Row, index: usize, place: &Place) -> Result<Option<F>> {
    let stored: Option<C::Stored> = read(row, index, place)?;
    stored.map(C::load).transpose().map_err(|error| place.error(error))
}

/// What a converter stores of a field.
///
/// # Errors
/// What the converter refuses.
pub fn store_with<C: Converter<F>, F>(field: &F) -> Result<Value, FieldError> {
    C::store(field)?.store()
}

/// The same of a field that may be missing.
///
/// # Errors
/// What the converter refuses.
pub fn store_option_with<C: Converter<F>, F>(field: &Option<F>) -> Result<Value, FieldError> {
    field.as_ref().map_or(Ok(Value::Null), store_with::<C, F>)
}

/// A field by a converter from what the database gave.
///
/// # Errors
/// The value does not fit, or the converter refuses it.
pub fn load_with<C: Converter<F>, F>(value: &Value) -> Result<F, FieldError> {
    C::load(C::Stored::load(value)?)
}

/// The same of a field that may be missing.
///
/// # Errors
/// As [`load_with`].
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

/// The mode of that number.
#[must_use]
pub fn mode(number: u8) -> ColumnMode {
    ColumnMode::from_number(number).unwrap_or_default()
}

/// The variants of an enumeration, in the order of [`Field::MEMBERS`].
pub trait Members: Field {
    /// Each makes one.
    const VARIANTS: &'static [fn() -> Self];
}

/// The type of a column that holds these members: of their names, or of the greatest of their numbers.
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

fn no_member<E: Members>() -> String {
    let members: Vec<String> = E::MEMBERS.iter().map(|(name, number)| format!("`{name}` ({number})")).collect();
    format!("it is none of {}", members.join(", "))
}

/// An enumeration from a column of names or numbers.
///
/// # Errors
/// It is none of its members.
pub fn read_member<E: Members>(row: &dyn Row, index: usize) -> Result<Option<E>> {
    let found = match row.kind(index)? {
        Kind::Null => return Ok(None),
        Kind::Text | Kind::Bytes | Kind::Other => match row.text(index)? {
            Some(name) => by_name(name),
            None => return Ok(None),
        },
        _ => match row.i64(index)? {
            Some(number) => by_number(number),
            None => return Ok(None),
        },
    };
    let name = row.name(index).unwrap_or("?");
    let bad = || Error::new(ErrorKind::Decode, format!("column {index} `{name}`: {}", no_member::<E>()));
    found.ok_or_else(bad).map(Some)
}

/// An enumeration from a value.
///
/// # Errors
/// It is none of its members.
pub fn load_member<E: Members>(value: &Value) -> Result<E, FieldError> {
    let found = match value {
        Value::Text(name) => by_name(name.as_str()),
        Value::Int(number) => by_number(*number),
        _ => return Err(FieldError::wanted::<E>(value)),
    };
    found.ok_or_else(|| FieldError::new(no_member::<E>()))
}
