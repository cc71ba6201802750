//! The tables of a schema on an engine.

use isogloss_compiler::dialect::{Dialect, Quotes, Version};
use isogloss_compiler::expr::DbValueType as T;
use isogloss_compiler::model::{Column, Computed, ComputedPart, Entity};

use super::{Engine, Schema};

/// Each table's quoted name, and the statement that makes it.
pub(super) fn tables(engine: &dyn Engine, schema: &Schema, dialect: &dyn Dialect) -> Vec<(String, String)> {
    let Quotes(open, close) = dialect.sheet().quotes;
    let quote = |name: &str| format!("{open}{}{close}", name.replace(close, &format!("{close}{close}")));
    let mut tables: Vec<(String, String)> = Vec::new();
    for (_, entity) in schema.catalog().entities().filter(|(_, entity)| entity.base.is_none()) {
        let own = schema.tables.iter().filter(|table| table.data.entity.eq_ignore_ascii_case(entity.name.as_str()));
        let shards: Vec<_> = own.map(|table| table.args.as_slice()).collect();
        let shards = if entity.table.args() == 0 { vec![&[][..]] } else { shards };
        for args in shards {
            let Ok(parts) = entity.table.expand(args) else { continue };
            let name = parts.iter().map(|part| quote(part)).collect::<Vec<_>>().join(".");
            if tables.iter().all(|(known, _)| *known != name) {
                let text = format!("CREATE TABLE {name} ({})", columns(engine, entity, &quote));
                tables.push((name, text));
            }
        }
    }
    tables
}

fn columns(engine: &dyn Engine, entity: &Entity, quote: &dyn Fn(&str) -> String) -> String {
    let column = |column: &Column| {
        let (name, ty) = (quote(&column.column), engine.column_type(column));
        if let Some(Computed::Text(parts)) = &column.computed {
            return engine.computed_column(&name, &ty, &computed(entity, parts, quote));
        }
        let null = if column.nullable { "" } else { " NOT NULL" };
        let unique = if column.is_unique { " UNIQUE" } else { "" };
        format!("{name} {ty}{null}{unique}")
    };
    let mut columns: Vec<String> = entity.columns.iter().map(column).collect();
    let keys: Vec<String> = entity.key_columns().map(|key| quote(&key.column)).collect();
    if !keys.is_empty() {
        columns.push(format!("PRIMARY KEY ({})", keys.join(", ")));
    }
    columns.join(", ")
}

/// The text of a computed column, with the names of columns in its holes.
fn computed(entity: &Entity, parts: &[ComputedPart], quote: &dyn Fn(&str) -> String) -> String {
    let part = |part: &ComputedPart| match part {
        ComputedPart::Text(text) => text.clone(),
        ComputedPart::Column(index) => {
            entity.columns.get(*index).map(|column| quote(&column.column)).unwrap_or_default()
        }
    };
    parts.iter().map(part).collect()
}

/// The type of a column on one of the engines that this crate knows, by its dialect; texts compare by their code points.
#[must_use]
pub fn column_type(dialect: &dyn Dialect, column: &Column) -> String {
    match dialect.sheet().name {
        "postgres" => postgres(column, dialect.version()),
        "mysql" | "mariadb" => mysql(column),
        "sqlserver" => sqlserver(column),
        "oracle" => oracle(column),
        _ => sqlite(column).to_owned(),
    }
}

fn length(column: &Column) -> u32 {
    column.length.unwrap_or(200)
}

fn digits(column: &Column) -> String {
    format!("({}, {})", column.precision.unwrap_or(18), column.scale.unwrap_or(2))
}

/// Affinities.
fn sqlite(column: &Column) -> &'static str {
    match column.ty.base {
        ty if ty.is_integer() || ty == T::Boolean => "INTEGER",
        ty if ty.is_float() => "REAL",
        ty if ty.is_decimal() => "NUMERIC",
        T::Binary => "BLOB",
        _ => "TEXT",
    }
}

/// A collation by code points in which letters beyond ASCII have both cases: `C` itself knows ASCII only.
fn postgres(column: &Column, version: Version) -> String {
    let collation = if version >= (17, 0, 0) { "pg_c_utf8" } else { "C.utf8" };
    let scalar = match column.ty.base {
        T::Byte | T::SByte | T::Int16 => "smallint".to_owned(),
        T::Int32 | T::UInt16 => "integer".to_owned(),
        T::Int64 | T::UInt32 => "bigint".to_owned(),
        T::UInt64 => "numeric(20)".to_owned(),
        T::Boolean => "boolean".to_owned(),
        T::Single => "real".to_owned(),
        T::Double => "double precision".to_owned(),
        ty if ty.is_decimal() => format!("numeric{}", digits(column)),
        T::Date => "date".to_owned(),
        T::Time => "time".to_owned(),
        T::DateTime | T::DateTime2 => "timestamp".to_owned(),
        T::DateTimeOffset => "timestamptz".to_owned(),
        T::Guid => "uuid".to_owned(),
        T::Json | T::Jsonb => "jsonb".to_owned(),
        T::Binary => "bytea".to_owned(),
        _ => format!("varchar({})", length(column)),
    };
    let array = if column.ty.array { "[]" } else { "" };
    let collated = if scalar.starts_with("varchar") { format!(" COLLATE \"{collation}\"") } else { String::new() };
    let identity = if column.identity.is_some() { " GENERATED BY DEFAULT AS IDENTITY" } else { "" };
    format!("{scalar}{array}{collated}{identity}")
}

fn mysql(column: &Column) -> String {
    let ty = match column.ty.base {
        T::Byte | T::SByte | T::Int16 => "SMALLINT".to_owned(),
        T::Int32 | T::UInt16 => "INT".to_owned(),
        T::Int64 | T::UInt32 => "BIGINT".to_owned(),
        T::UInt64 => "BIGINT UNSIGNED".to_owned(),
        T::Boolean => "TINYINT(1)".to_owned(),
        T::Single => "FLOAT".to_owned(),
        T::Double => "DOUBLE".to_owned(),
        ty if ty.is_decimal() => format!("DECIMAL{}", digits(column)),
        T::Date => "DATE".to_owned(),
        T::Time => "TIME(6)".to_owned(),
        T::DateTime | T::DateTime2 | T::DateTimeOffset => "DATETIME(6)".to_owned(),
        T::Guid => "CHAR(36)".to_owned(),
        T::Json | T::Jsonb => "JSON".to_owned(),
        T::Binary => format!("VARBINARY({})", length(column)),
        _ => format!("VARCHAR({})", length(column)),
    };
    if column.identity.is_some() { format!("{ty} AUTO_INCREMENT") } else { ty }
}

fn sqlserver(column: &Column) -> String {
    let ty = match column.ty.base {
        T::Byte | T::SByte | T::Int16 => "smallint".to_owned(),
        T::Int32 | T::UInt16 => "int".to_owned(),
        T::Int64 | T::UInt32 => "bigint".to_owned(),
        T::UInt64 => "decimal(20, 0)".to_owned(),
        T::Boolean => "bit".to_owned(),
        T::Single => "real".to_owned(),
        T::Double => "float".to_owned(),
        ty if ty.is_decimal() => format!("decimal{}", digits(column)),
        T::Date => "date".to_owned(),
        T::Time => "time(6)".to_owned(),
        T::DateTime | T::DateTime2 => "datetime2(6)".to_owned(),
        T::DateTimeOffset => "datetimeoffset(6)".to_owned(),
        T::Guid => "uniqueidentifier".to_owned(),
        T::Json | T::Jsonb => "nvarchar(max)".to_owned(),
        T::Binary => format!("varbinary({})", length(column)),
        _ => format!("nvarchar({})", length(column)),
    };
    if column.identity.is_some() { format!("{ty} IDENTITY(1, 1)") } else { ty }
}

fn oracle(column: &Column) -> String {
    let ty = match column.ty.base {
        T::Boolean => "NUMBER(1)".to_owned(),
        ty if ty.is_integer() => "NUMBER(20)".to_owned(),
        T::Single => "BINARY_FLOAT".to_owned(),
        T::Double => "BINARY_DOUBLE".to_owned(),
        ty if ty.is_decimal() => format!("NUMBER{}", digits(column)),
        T::Date => "DATE".to_owned(),
        T::Time => "INTERVAL DAY(0) TO SECOND(6)".to_owned(),
        T::DateTime | T::DateTime2 => "TIMESTAMP(6)".to_owned(),
        T::DateTimeOffset => "TIMESTAMP(6) WITH TIME ZONE".to_owned(),
        T::Guid => "RAW(16)".to_owned(),
        T::Json | T::Jsonb => "CLOB".to_owned(),
        T::Binary => format!("RAW({})", length(column)),
        _ => format!("VARCHAR2({} CHAR)", length(column)),
    };
    if column.identity.is_some() { format!("{ty} GENERATED BY DEFAULT AS IDENTITY") } else { ty }
}
