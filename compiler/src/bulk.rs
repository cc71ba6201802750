//! Bulk inserts: what a driver has to know about a table, and the checks of each row.

use compact_str::CompactString;

use crate::dialect::{Feature, Support};
use crate::error::{At, ErrorKind, Result};
use crate::expr::{Name, Value};
use crate::model::{Column, ColumnMode, Entity};
use crate::resolve::{self, Held, HeldRow};
use crate::{Request, Target, entity_texts};

/// An INSERT of many rows by an engine's fastest way: `COPY`, a bulk load, or one prepared statement for all rows.
///
/// As for an [`InsertExpr`](crate::expr::InsertExpr), values are converted to the types of their columns, and columns
/// that a fixed filter determines are written.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/plain.rs"));
/// use isogloss_compiler::Compiler;
/// use isogloss_compiler::expr::{DbValueType, Value};
/// use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let user = TableDef::new("User")
///     .table("Users")
///     .column(ColumnDef::new("Id", DbValueType::Int32).primary_key())
///     .column(ColumnDef::new("Joined", DbValueType::Date))
///     .column(ColumnDef::new("Kind", DbValueType::Int32).constant(7));
/// let target = Compiler::new(Catalog::builder().table(user).build()?).target(&Plain);
///
/// let users = target.bulk_insert("User", &["Id", "Joined"], &[])?;
/// assert_eq!(users.sql(), r#"INSERT INTO "Users" ("Id", "Joined", "Kind") VALUES (?, ?, ?)"#);
/// let mut row = vec![1.into(), "2024-01-31".into()];
/// users.complete(&mut row)?;
/// assert!(matches!(row[..], [Value::Int(1), Value::Date(_), Value::Int(7)]));
/// assert!(users.complete(&mut vec![1.into(), Value::Null]).is_err());
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BulkInsert {
    /// The name of the entity.
    pub entity: Name,
    /// The table's name, quoted.
    pub table: Box<str>,
    /// The parts of the table's name, without quotes.
    pub parts: Vec<CompactString>,
    /// The columns in order. The last ones are determined by filters, and not given by the rows.
    pub columns: Vec<BulkColumn>,
    /// The identity column, unless the rows give it: the value that is returned if keys are requested.
    pub identity: Option<BulkColumn>,
    /// What filters say of the last columns.
    added: Vec<Value>,
    /// What it says of others, by their places.
    fixed: Vec<(usize, Value)>,
    /// The filters of the scope that each row is held to.
    held: Vec<HeldRow>,
    /// Whether the engine takes an empty text for NULL.
    empty_is_null: bool,
    sql: String,
}

/// A column that a bulk insert fills.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BulkColumn {
    /// The column's name, quoted.
    pub name: Box<str>,
    /// The column's definition.
    pub column: Column,
}

impl Target {
    /// Prepares an INSERT of many rows into columns of an entity.
    ///
    /// # Errors
    /// An entity or column that does not exist, a column that is given twice or cannot be inserted, a sharded table
    /// without arguments, or no columns at all, unless the entity has an identity column and the engine's INSERT
    /// returns no rows.
    pub fn bulk_insert(&self, entity: &str, columns: &[&str], table_args: &[CompactString]) -> Result<BulkInsert> {
        self.bulk_insert_with(entity, columns, &Request::default().table_args(table_args))
    }

    /// Prepares an INSERT of many rows with a request: its table arguments, and the values that its
    /// [`Scope`](crate::Scope) determines. [`BulkInsert::complete`] checks each row against the scope's filters.
    ///
    /// # Errors
    /// Those of [`bulk_insert`](Self::bulk_insert), and a filter of the scope on a column that has no value.
    pub fn bulk_insert_with(&self, entity: &str, columns: &[&str], request: &Request<'_>) -> Result<BulkInsert> {
        let table_args = request.table_args;
        let (id, entity) = resolve::entity(self, entity)?;
        let bad = |why: String| ErrorKind::BadStatement { statement: WORD, entity: entity.name.to_string(), why };
        // Where INSERT gives nothing back, this is the only way to the number of a row that is given nothing else.
        let numbered = entity.identity.filter(|_| !self.has(Feature::InsertReturning));
        if columns.is_empty() && numbered.is_none() {
            return Err(bad("it names no columns".into()).into());
        }
        let fixed = resolve::fixed_values(entity, WORD)?;
        let held = resolve::held(self, request, id, &[])?;
        let mut places = Vec::with_capacity(columns.len() + fixed.len());
        for (index, name) in columns.iter().enumerate() {
            let place = self.insertable(entity, name).at_index(index).at("Columns")?;
            if places.contains(&place) {
                return Err(bad(format!("`{name}` is named twice")).into()).at_index(index).at("Columns");
            }
            places.push(place);
        }
        let mut added = Vec::new();
        let mut kept = Vec::new();
        for (column, value) in fixed {
            match places.iter().position(|place| *place == column) {
                Some(place) => kept.push((place, value)),
                None if entity.columns.get(column).is_some_and(Column::is_insertable) => {
                    places.push(column);
                    added.push(value);
                }
                None => {}
            }
        }
        for (column, value) in held.iter().flat_map(Held::fixed) {
            let Some(described) = entity.columns.get(column).filter(|column| column.is_insertable()) else { continue };
            if !places.contains(&column) {
                places.push(column);
                added.push(resolve::fit(value, Some(described), Some(described.ty))?.into_owned());
            }
        }
        if let Some(column) = entity.unmarked().filter(|column| !places.contains(column)) {
            places.push(column);
            added.push(Value::Bool(false));
        }
        let held = held.iter().map(|held| held.for_rows(&places)).collect();
        if table_args.len() > entity.table.args() {
            return Err(resolve::too_many_args(entity, entity.table.args(), table_args.len()));
        }
        let parts = resolve::table_parts(self, entity, table_args)?.into_owned();
        let names: Vec<&str> = parts.iter().map(CompactString::as_str).collect();
        let table = entity_texts::quoted(self, &names);
        let described = |place: &usize| {
            let column = entity.columns.get(*place)?;
            Some(BulkColumn { name: entity_texts::quoted(self, &[&column.column]), column: column.clone() })
        };
        let columns: Vec<BulkColumn> = places.iter().filter_map(described).collect();
        let identity = entity.identity.filter(|place| !places.contains(place));
        let identity = identity.as_ref().and_then(described);
        let mut sql = format!("INSERT INTO {table}");
        if let ([], Some(identity)) = (columns.as_slice(), &identity) {
            sql.push_str(&self.dialect().default_row(&identity.name));
        } else {
            sql.push_str(" (");
            for (index, column) in columns.iter().enumerate() {
                sql.push_str(if index == 0 { "" } else { ", " });
                sql.push_str(&column.name);
            }
            sql.push_str(") VALUES (");
            self.placeholders().push_run(&mut sql, 1, columns.len());
            sql.push(')');
        }
        let empty_is_null = !self.has(Feature::EmptyString);
        Ok(BulkInsert {
            entity: entity.name.clone(),
            table,
            parts,
            columns,
            identity,
            added,
            fixed: kept,
            held,
            empty_is_null,
            sql,
        })
    }

    /// The place of a column that INSERT may fill.
    fn insertable(&self, entity: &Entity, name: &str) -> Result<usize> {
        let Some((place, column)) = entity.column(name) else {
            let near = entity.near_matches(name).first().map(|near| (*near).to_owned());
            let owner = format!("entity `{}`", entity.name);
            return Err(ErrorKind::UnknownProperty { property: name.to_owned(), owner, near }.into());
        };
        if column.mode.contains(ColumnMode::INSERT) && column.computed.is_none() {
            return match self.support(Feature::IdentityValue) {
                Support::Refuse(reason) if column.is_counted() => {
                    Err(self.refused(Feature::IdentityValue.title(), reason))
                }
                _ => Ok(place),
            };
        }
        let why = format!("`{}` is not for INSERT", column.name);
        Err(ErrorKind::BadStatement { statement: WORD, entity: entity.name.to_string(), why }.into())
    }
}

const WORD: &str = "a bulk insert";

impl BulkInsert {
    /// The SQL text for one row, with a placeholder for each column, for drivers without a faster way.
    #[must_use]
    pub fn sql(&self) -> &str {
        &self.sql
    }

    /// The number of values that each row has to give.
    #[must_use]
    pub fn given(&self) -> usize {
        self.columns.len() - self.added.len()
    }

    /// Converts the values of a row to the types of their columns, and adds those that filters determine.
    ///
    /// # Errors
    /// Too many or too few values, a value that does not fit its column, NULL in a column that must not be NULL, a
    /// value that a fixed filter excludes, or a row outside of the scope.
    pub fn complete(&self, row: &mut Vec<Value>) -> Result<()> {
        let bad = |why: String| ErrorKind::BadStatement { statement: WORD, entity: self.entity.to_string(), why };
        if row.len() != self.given() {
            return Err(bad(format!("a row has {} values for {} columns", row.len(), self.given())).into());
        }
        for (value, BulkColumn { column, .. }) in row.iter_mut().zip(&self.columns) {
            if value.is_null() && !column.nullable {
                return Err(bad(format!("`{}` is never NULL", column.name)).into());
            }
            if self.empty_is_null && matches!(value, Value::Text(text) if text.is_empty()) && !column.nullable {
                let why = format!("the engine stores NULL for an empty text, and `{}` is never NULL", column.name);
                return Err(bad(why).into());
            }
            if !column.keeps(value) {
                let fitted = resolve::fit(value, Some(column), Some(column.ty))?.into_owned();
                *value = column.rounded(&fitted).unwrap_or(fitted);
            }
        }
        for (place, fixed) in &self.fixed {
            if let (Some(value), Some(BulkColumn { column, .. })) = (row.get(*place), self.columns.get(*place))
                && value != fixed
            {
                let name = &column.name;
                return Err(bad(format!("its fixed filter says another value of `{name}`: leave it out")).into());
            }
        }
        row.extend(self.added.iter().cloned());
        self.held.iter().try_for_each(|held| held.takes(&self.entity, row, |at| Some(&self.columns.get(at)?.column)))
    }
}
