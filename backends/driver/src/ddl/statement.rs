//! Statements of DDL, before an engine's builder writes them.

use isogloss_compiler::dialect::Quotes;
use sea_query::{
    ColumnDef, ConditionalStatement as _, DatabaseName, Expr, Index, SchemaBuilder, SchemaName, Table,
    TableCreateStatement, TableName, TableRef,
};

/// What a unique index makes of rows with NULL in one of its columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum UniqueNulls {
    /// They are equal to none, as standard SQL says.
    Distinct,
    /// A NULL equals a NULL: the index has to leave such rows out.
    Equal,
    /// They are equal if their other columns are, unless all are NULL: an index over several columns has to have no keys for
    /// such rows.
    EqualBesideOthers,
}

/// A statement of DDL.
#[derive(Debug)]
#[non_exhaustive]
pub enum Statement {
    /// `CREATE TABLE`.
    Create(Box<TableCreateStatement>),
    /// `ALTER TABLE .. ADD COLUMN`.
    AddColumn {
        /// The table.
        table: TableRef,
        /// The column.
        column: Box<ColumnDef>,
    },
    /// `CREATE INDEX`.
    Index {
        /// The parts of the table's name.
        parts: Vec<String>,
        /// The index's name, without quotes.
        name: String,
        /// The columns' names.
        columns: Vec<String>,
        /// Whether it is a unique index.
        unique: bool,
        /// The condition of its rows, if not all are in it.
        filter: Option<String>,
        /// The condition under which a row has keys; without it, its keys are NULL.
        guard: Option<String>,
    },
    /// `DROP TABLE`.
    Drop(TableRef),
}

impl Statement {
    /// The SQL text, by a builder of sea-query.
    pub fn build<B: SchemaBuilder>(&self, builder: B) -> String {
        match self {
            Self::Create(create) => create.build(builder),
            Self::AddColumn { table, column } => {
                Table::alter().table(table.clone()).add_column((**column).clone()).build(builder)
            }
            Self::Index { parts, name, columns, unique, filter, guard: _ } => {
                let mut index = Index::create();
                // sea-query writes the name of an index between quotes as it is.
                index.name(quotes_of(&builder).doubled(name));
                for column in columns {
                    index.col(column.clone());
                }
                if let Some(filter) = filter {
                    index.and_where(Expr::cust(filter.clone()));
                }
                if let Some(table) = table_ref(parts) {
                    index.table(table);
                }
                if *unique {
                    index.unique();
                }
                index.build(builder)
            }
            Self::Drop(table) => Table::drop().table(table.clone()).build(builder),
        }
    }
}

/// A table's name for sea-query, which knows three parts.
pub(super) fn table_ref(parts: &[String]) -> Option<TableRef> {
    let name = |part: &String| part.clone().into();
    let (schema, table) = match parts {
        [table] => (None, table),
        [schema, table] => (Some(SchemaName(None, name(schema))), table),
        [database, schema, table] => (Some(SchemaName(Some(DatabaseName(name(database))), name(schema))), table),
        _ => return None,
    };
    Some(TableRef::Table(TableName(schema, name(table)), None))
}

/// The quotes that a builder of sea-query writes.
fn quotes_of(builder: &impl SchemaBuilder) -> Quotes {
    let quote = builder.quote();
    Quotes(quote.left(), quote.right())
}

/// The key that a row has in an index where a condition holds.
pub(super) fn guarded(column: &str, guard: &str) -> String {
    format!("CASE WHEN {guard} THEN {column} END")
}
