//! Builder traits of sea-query, implemented for the engines that it does not support.

use isogloss_compiler::dialect::Quotes;
use sea_query::{
    BinOper, ColumnDef, ColumnType, EscapeBuilder, ExplainStatement, Expr, ForeignKeyBuilder,
    ForeignKeyCreateStatement, ForeignKeyDropStatement, IndexBuilder, IndexCreateStatement, IndexDropStatement, Mode,
    Oper, OperLeftAssocDecider, PrecedenceDecider, QueryBuilder, Quote, QuotedBuilder, SchemaBuilder, SelectInto,
    SqlWriter, SubQueryStatement, TableAlterStatement, TableBuilder, TableRef, TableRefBuilder, TableRenameStatement,
    Value,
};

use super::statement::{Statement, guarded, table_ref};

/// The differences between engines in the spelling of DDL statements.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// The quotes around names.
    pub quotes: Quotes,
    /// The text before and after the column in `ALTER TABLE`.
    pub add: (&'static str, &'static str),
    /// Where the schema stands in the statement that makes an index.
    pub index_schema: IndexSchema,
}

/// Where the schema stands in the statement that makes an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum IndexSchema {
    /// Before the table: the index is in the schema of its table.
    OfTable,
    /// Before the name of the index, which the table is in, too.
    OfIndex,
    /// Before both: an index without one is in the schema of the session.
    OfBoth,
}

impl Statement {
    /// The SQL text in a given style, for an engine without a builder in sea-query.
    #[must_use]
    pub fn build_styled(&self, style: &Style) -> String {
        self.build(Builder { style, statement: self })
    }
}

/// A builder for one statement.
///
/// sea-query 1.0 keeps the table and the options of ALTER and of an index to itself, so that a builder outside of it has
/// to be told what they are.
#[derive(Clone, Copy)]
struct Builder<'a> {
    style: &'a Style,
    statement: &'a Statement,
}

/// Writes into a text, which takes everything.
fn put(sql: &mut impl SqlWriter, text: &str) {
    let _ = sql.write_str(text);
}

impl QuotedBuilder for Builder<'_> {
    fn quote(&self) -> Quote {
        let Quotes(open, close) = self.style.quotes;
        Quote::from((open, close))
    }
}

impl TableRefBuilder for Builder<'_> {}

impl TableBuilder for Builder<'_> {
    fn prepare_column_def(&self, column: &ColumnDef, sql: &mut impl SqlWriter) {
        self.prepare_iden(&column.get_column_name().into(), sql);
        if let Some(ty) = column.get_column_type() {
            put(sql, " ");
            self.prepare_column_type(ty, sql);
        }
        let spec = column.get_column_spec();
        // Oracle takes a default and a numbering in front of NOT NULL only, SQL Server on either side.
        if let Some(numbering) = &spec.extra {
            put(sql, " ");
            put(sql, numbering);
        }
        if let Some(default) = &spec.default {
            put(sql, " DEFAULT ");
            self.prepare_expr(default, sql);
        }
        match spec.nullable {
            Some(true) => put(sql, " NULL"),
            Some(false) => put(sql, " NOT NULL"),
            None => {}
        }
        if spec.primary_key {
            put(sql, " PRIMARY KEY");
        }
    }

    fn prepare_column_type(&self, ty: &ColumnType, sql: &mut impl SqlWriter) {
        // A spelling gives every type as text.
        if let ColumnType::Custom(text) = ty {
            put(sql, &text.inner());
        }
    }

    fn column_spec_auto_increment_keyword(&self) -> &str {
        ""
    }

    fn prepare_table_alter_statement(&self, _: &TableAlterStatement, sql: &mut impl SqlWriter) {
        let Statement::AddColumn { table, column } = self.statement else { return };
        let (before, after) = self.style.add;
        put(sql, "ALTER TABLE ");
        self.prepare_table_ref_table_stmt(table, sql);
        put(sql, before);
        self.prepare_column_def(column, sql);
        put(sql, after);
    }

    fn prepare_table_rename_statement(&self, _: &TableRenameStatement, _: &mut impl SqlWriter) {}
}

impl IndexBuilder for Builder<'_> {
    fn prepare_index_create_statement(&self, create: &IndexCreateStatement, sql: &mut impl SqlWriter) {
        let Statement::Index { parts, name, columns, filter, guard, .. } = self.statement else { return };
        put(sql, "CREATE ");
        self.prepare_index_prefix(create, sql);
        put(sql, "INDEX ");
        let (place, table) = match (parts.split_last(), self.style.index_schema) {
            (Some((table, schema)), IndexSchema::OfIndex) => (schema, std::slice::from_ref(table)),
            (Some((_, schema)), IndexSchema::OfBoth) => (schema, &parts[..]),
            _ => (&[][..], &parts[..]),
        };
        let name: Vec<String> = place.iter().chain([name]).cloned().collect();
        for (parts, before) in [(&name[..], ""), (table, " ON ")] {
            put(sql, before);
            if let Some(table) = table_ref(parts) {
                self.prepare_table_ref_index_stmt(&table, sql);
            }
        }
        put(sql, " (");
        for (index, column) in columns.iter().enumerate() {
            put(sql, if index == 0 { "" } else { ", " });
            match guard {
                Some(guard) => put(sql, &guarded(&self.style.quotes.quoted([column.as_str()]), guard)),
                None => self.prepare_iden(&column.clone().into(), sql),
            }
        }
        put(sql, ")");
        if let Some(filter) = filter {
            put(sql, " WHERE ");
            put(sql, filter);
        }
    }

    fn prepare_table_ref_index_stmt(&self, table: &TableRef, sql: &mut impl SqlWriter) {
        self.prepare_table_ref_iden(table, sql);
    }

    fn prepare_index_drop_statement(&self, _: &IndexDropStatement, _: &mut impl SqlWriter) {}

    fn prepare_index_prefix(&self, create: &IndexCreateStatement, sql: &mut impl SqlWriter) {
        if create.is_primary_key() {
            put(sql, "PRIMARY KEY ");
        } else if create.is_unique_key() {
            put(sql, "UNIQUE ");
        }
    }
}

// What stands in a statement of ours is the program's text; the rest is what the traits ask for.

impl EscapeBuilder for Builder<'_> {
    fn write_escaped(&self, buffer: &mut impl std::fmt::Write, text: &str) {
        let _ = buffer.write_str(&Quotes::LITERAL.doubled(text));
    }

    fn unescape_string(&self, text: &str) -> String {
        text.replace("''", "'")
    }
}

impl PrecedenceDecider for Builder<'_> {
    fn inner_expr_well_known_greater_precedence(&self, _: &Expr, _: &Oper) -> bool {
        false
    }
}

impl OperLeftAssocDecider for Builder<'_> {
    fn well_known_left_associative(&self, _: &BinOper) -> bool {
        false
    }
}

impl QueryBuilder for Builder<'_> {
    fn prepare_query_statement(&self, _: &SubQueryStatement, _: &mut impl SqlWriter) {}

    fn prepare_select_into(&self, _: &SelectInto, _: &mut impl SqlWriter) {}

    fn prepare_explain_statement(&self, _: &ExplainStatement, _: &mut impl SqlWriter) {}

    fn prepare_value(&self, value: Value, sql: &mut impl SqlWriter) {
        sql.push_param(value, self);
    }
}

impl ForeignKeyBuilder for Builder<'_> {
    fn prepare_table_ref_fk_stmt(&self, table: &TableRef, sql: &mut impl SqlWriter) {
        self.prepare_table_ref_iden(table, sql);
    }

    fn prepare_foreign_key_drop_statement_internal(
        &self,
        _: &ForeignKeyDropStatement,
        _: &mut impl SqlWriter,
        _: Mode,
    ) {
    }

    fn prepare_foreign_key_create_statement_internal(
        &self,
        _: &ForeignKeyCreateStatement,
        _: &mut impl SqlWriter,
        _: Mode,
    ) {
    }
}

impl SchemaBuilder for Builder<'_> {}
