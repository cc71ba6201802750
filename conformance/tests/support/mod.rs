//! The sample catalog's tables on a real engine.

use std::fmt::Write as _;

use isogloss_compiler::dialect::Quotes;
use isogloss_compiler::expr::DbValueType as T;
use isogloss_compiler::model::{Column, Entity, sample};
use isogloss_compiler::render::Parameter;
use isogloss_conformance::{Case, Target, cases, stone};

/// Arguments for the tables whose name has a placeholder: those that the cases name.
const SHARDS: [&str; 2] = ["2023", "2024"];

/// The schema that one table of the sample is in.
pub const SCHEMA: &str = "sales";

/// How an engine names types.
pub trait Types {
    /// The type of a column.
    fn of(&self, column: &Column) -> String;
}

/// `CREATE TABLE` of every table of the sample: enough for an engine to prepare a statement over it.
pub fn tables(Quotes(open, close): Quotes, types: &dyn Types) -> Vec<String> {
    let quote = |name: &str| format!("{open}{name}{close}");
    let mut statements = Vec::new();
    for (_, entity) in sample::catalog().entities() {
        if entity.base.is_some() {
            continue;
        }
        let shards: &[&str] = if entity.table.args() == 0 { &[""] } else { &SHARDS };
        for shard in shards {
            let parts = entity.table.expand(&[(*shard).into()]).unwrap();
            let name = parts.iter().map(|part| quote(part)).collect::<Vec<_>>().join(".");
            statements.push(format!("CREATE TABLE {name} ({})", columns(entity, types, &quote)));
        }
    }
    statements
}

fn columns(entity: &Entity, types: &dyn Types, quote: &dyn Fn(&str) -> String) -> String {
    let mut out = String::new();
    for column in &entity.columns {
        let null = if column.nullable { "NULL" } else { "NOT NULL" };
        let unique = if column.is_unique { " UNIQUE" } else { "" };
        let _ = write!(out, "{} {} {null}{unique}, ", quote(&column.column), types.of(column));
    }
    let keys: Vec<String> = entity.key_columns().map(|key| quote(&key.column)).collect();
    let _ = write!(out, "PRIMARY KEY ({})", keys.join(", "));
    out
}

/// SQLite's types are affinities.
pub struct SqliteTypes;

impl Types for SqliteTypes {
    fn of(&self, column: &Column) -> String {
        match column.ty.base {
            t if t.is_integer() || t == T::Boolean => "INTEGER",
            t if t.is_float() => "REAL",
            t if t.is_decimal() => "NUMERIC",
            T::Binary => "BLOB",
            _ => "TEXT",
        }
        .into()
    }
}

/// PostgreSQL's types.
pub struct PostgresTypes;

impl Types for PostgresTypes {
    fn of(&self, column: &Column) -> String {
        let scalar = match column.ty.base {
            T::Int64 => "bigint",
            T::Int32 => "integer",
            T::Boolean => "boolean",
            T::Double => "double precision",
            T::Decimal => "numeric(18, 2)",
            T::Date => "date",
            T::DateTime2 => "timestamp",
            T::DateTimeOffset => "timestamptz",
            T::Guid => "uuid",
            T::Json => "jsonb",
            _ => "text",
        };
        format!("{scalar}{}", if column.ty.array { "[]" } else { "" })
    }
}

/// The types of MySQL and MariaDB.
pub struct MysqlTypes;

impl Types for MysqlTypes {
    fn of(&self, column: &Column) -> String {
        match column.ty.base {
            _ if column.ty.array => "JSON".into(),
            T::Int64 => "BIGINT".into(),
            T::Int32 => "INT".into(),
            T::Boolean => "TINYINT(1)".into(),
            T::Double => "DOUBLE".into(),
            T::Decimal => "DECIMAL(18, 2)".into(),
            T::Date => "DATE".into(),
            T::DateTime2 | T::DateTimeOffset => "DATETIME(6)".into(),
            T::Guid => "CHAR(36)".into(),
            T::Json => "JSON".into(),
            _ => format!("VARCHAR({})", column.length.unwrap_or(255)),
        }
    }
}

/// Hands every text of a dialect to a check; what the check finds comes back, with the name of its case.
pub fn check_all(
    dialect: &str,
    wanted: impl Fn(&Target) -> Result<(), String>,
    mut check: impl FnMut(&str, &[Parameter<'_>]) -> Result<(), String>,
) -> Vec<String> {
    let compiler = stone::compiler();
    let mut failures = Vec::new();
    let (mut checked, mut skipped) = (0, 0);
    for (topic, cases) in cases::all() {
        for case in &cases {
            for target in targets_of(case, dialect) {
                let Ok(compiled) = stone::compile(&compiler, case, &target) else { continue };
                if let Err(reason) = wanted(&target) {
                    println!("skipped: {topic}/{}: {reason}", case.name);
                    skipped += 1;
                    continue;
                }
                checked += 1;
                if let Err(error) = check(&compiled.sql, &compiled.params) {
                    let text: String = compiled.sql.chars().take(600).collect();
                    let failure = format!("{topic}/{} ({}): {error}\n    {text}", case.name, target.label());
                    failures.push(failure.replace('\0', "\\0"));
                }
            }
        }
    }
    println!("{dialect}: {checked} texts checked, {skipped} skipped, {} refused by the engine", failures.len());
    failures
}

fn targets_of(case: &Case, dialect: &str) -> Vec<Target> {
    case.targets().into_iter().filter(|target| target.label().split(' ').next() == Some(dialect)).collect()
}
