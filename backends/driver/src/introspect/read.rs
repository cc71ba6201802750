//! The tables and views of a schema, as the answers to the questions tell them.

use std::collections::HashMap;

use isogloss_compiler::expr::DbValueType;

use super::{
    CheckReport, ColumnReport, Detail, EngineType, Filled, ForeignKeyReport, IndexKey, IndexReport, Introspection,
    Kept, KeyReport, OtherConstraint, PRIMARY_KEY, Reader, SchemaReport, TableKind, TableReport, ViewColumns,
};
use crate::ddl::asked;
use crate::{Connection, ConnectionExt, ErrorKind, Result};

type Text = Option<String>;
type TableRow = (String, String, String, Text, Option<i64>);
type ColumnRow =
    (String, String, String, String, Option<i64>, Option<i64>, Option<i64>, i64, Text, Text, Text, Text, i64);
type KeyRow = (String, String, String, String, Text, Text, Text, Text, Text, i64, i64);
type IndexRow = (String, String, i64, Text, Text, Text, Text);
type IdentityRow = (String, String, i64, i64);
type CheckRow = (String, String, Text, i64, i64);
type TextRow = (String, Text, String);

/// Reads the tables and views of a schema.
pub(super) async fn schema(
    connection: &mut dyn Connection,
    questions: &Introspection,
    schema: &str,
    report: &mut SchemaReport,
) -> Result<()> {
    let of = |sql: &str| asked(sql, &[schema]);
    let tables: Vec<TableRow> = connection.fetch(&of(questions.tables)).await?;
    let mut found: Vec<TableReport> = tables.into_iter().map(table).collect();
    let places: HashMap<String, usize> = found.iter().enumerate().map(|(at, table)| (table.name.clone(), at)).collect();
    let mut tables = Tables { found: &mut found, places };
    for row in connection.fetch::<ColumnRow>(&of(questions.columns)).await? {
        tables.column(row, questions);
    }
    if let Some(ViewColumns { query: sql, is_broken }) = questions.view_columns {
        for view in tables.views() {
            match connection.fetch::<ColumnRow>(&asked(sql, &[schema, &view])).await {
                Ok(rows) => rows.into_iter().for_each(|row| tables.column(row, questions)),
                Err(error) if is_broken(&error) => {
                    if let Some(table) = tables.named(&view) {
                        table.broken = Some(error.to_string());
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }
    if let Some(identities) = questions.identities {
        for (of, name, start, increment) in connection.fetch::<IdentityRow>(&of(identities)).await? {
            if let Some(column) = tables.column_named(&of, &name) {
                column.filled = Filled::Identity { start, increment };
            }
        }
    }
    if let Some(bytes) = questions.bytes {
        for (schema, of, columns) in tables.byte_defaults() {
            let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
            match connection.fetch::<(String, Text)>(&asked(bytes(&schema, &of, &columns), &[])).await {
                Ok(rows) => rows.into_iter().for_each(|(name, digits)| tables.byte_default(&of, &name, digits)),
                // A default that the user may not see has no text.
                Err(error) if error.kind() == ErrorKind::Permission => {
                    columns.iter().for_each(|name| tables.byte_default(&of, name, None));
                }
                Err(error) => return Err(error),
            }
        }
    }
    if let Some(updates) = questions.updates {
        for (of, name, value) in connection.fetch::<(String, String, String)>(&of(updates)).await? {
            if let Some(column) = tables.column_named(&of, &name) {
                column.updated = Some(value);
            }
        }
    }
    for row in connection.fetch::<KeyRow>(&of(questions.keys)).await? {
        tables.key(row, questions.makes_key_name);
    }
    for row in connection.fetch::<IndexRow>(&of(questions.indexes)).await? {
        tables.index(row);
    }
    if questions.indexes_foreign_keys {
        tables.mark_indexes();
    }
    if let Some(checks) = questions.checks {
        for (of, name, condition, state, of_column) in connection.fetch::<CheckRow>(&of(checks)).await? {
            if let Some(table) = tables.named(&of) {
                let check = CheckReport::new(name, condition.unwrap_or_default());
                table.checks.push(CheckReport { kept: kept(state), of_column: of_column != 0, ..check });
            }
        }
    }
    if let Some(others) = questions.others {
        for (of, name, definition) in connection.fetch::<(String, String, String)>(&of(others)).await? {
            if let Some(table) = tables.named(&of) {
                table.others.push(OtherConstraint { name, definition });
            }
        }
    }
    // A schema that is not there has none.
    if let Some(texts) = questions.texts.filter(|_| !tables.found.is_empty()) {
        for (of, index, text) in connection.fetch::<TextRow>(&asked((texts.query)(schema), &[])).await? {
            if let Some(table) = tables.named(&of) {
                (texts.read)(table, index.as_deref(), &text);
            }
        }
    }
    for beside in questions.beside {
        for (of, part, kind, text) in connection.fetch::<(String, Text, String, String)>(&of(beside)).await? {
            let Some(table) = tables.named(&of) else { continue };
            match (kind.as_str(), part) {
                ("collation", _) => table.collation = Some(text),
                ("trigger", _) => table.triggers.push(text),
                ("reader", Some(column)) => table.readers.push(Reader { column, view: text }),
                (_, part) => table.details.push(Detail { part, text }),
            }
        }
    }
    tables.refer_to_keys();
    report.tables.append(&mut found);
    Ok(())
}

fn table((schema, name, kind, comment, rows): TableRow) -> TableReport {
    TableReport {
        schema,
        name,
        kind: if kind == "view" { TableKind::View } else { TableKind::Table },
        comment: comment.filter(|comment| !comment.is_empty()),
        estimated_rows: rows.and_then(|rows| u64::try_from(rows).ok()),
        columns: Vec::new(),
        primary_key: Vec::new(),
        primary_key_name: None,
        primary_key_is_made: true,
        primary_key_clause: None,
        unique_keys: Vec::new(),
        foreign_keys: Vec::new(),
        indexes: Vec::new(),
        checks: Vec::new(),
        primary_key_kept: Kept::Always,
        others: Vec::new(),
        options: Vec::new(),
        triggers: Vec::new(),
        collation: None,
        details: Vec::new(),
        readers: Vec::new(),
        broken: None,
    }
}

/// The tables of a schema while they are read, by their names.
struct Tables<'r> {
    found: &'r mut Vec<TableReport>,
    places: HashMap<String, usize>,
}

impl Tables<'_> {
    /// None for one that came while the others were read.
    fn named(&mut self, name: &str) -> Option<&mut TableReport> {
        self.found.get_mut(*self.places.get(name)?)
    }

    fn column_named(&mut self, table: &str, name: &str) -> Option<&mut ColumnReport> {
        self.named(table)?.columns.iter_mut().find(|column| column.name == name)
    }

    /// The columns of each table whose default is a literal of bytes, with the schema and the name of the table.
    fn byte_defaults(&self) -> Vec<(String, String, Vec<String>)> {
        let is_literal = |column: &&ColumnReport| {
            let is_bytes = column.portable.is_some_and(|ty| ty.ty.base == DbValueType::Binary);
            is_bytes && matches!(&column.filled, Filled::Default(text) if text.starts_with('\''))
        };
        let of = |table: &TableReport| {
            let columns = table.columns.iter().filter(is_literal).map(|column| column.name.clone()).collect();
            (table.schema.clone(), table.name.clone(), columns)
        };
        let tables = self.found.iter().filter(|table| table.kind == TableKind::Table).map(of);
        tables.filter(|(.., columns): &(String, String, Vec<String>)| !columns.is_empty()).collect()
    }

    fn byte_default(&mut self, table: &str, name: &str, digits: Text) {
        if let Some(column) = self.column_named(table, name) {
            column.filled = Filled::Default(match (digits, &column.filled) {
                (Some(digits), _) => format!("X'{digits}'"),
                // Each byte of it is a character.
                (None, Filled::Default(text)) if !text.contains('?') && !text.starts_with("'0x") => text.clone(),
                _ => String::new(),
            });
        }
    }

    fn views(&self) -> Vec<String> {
        self.found.iter().filter(|table| table.kind == TableKind::View).map(|table| table.name.clone()).collect()
    }

    fn column(&mut self, row: ColumnRow, questions: &Introspection) {
        let (of, name, text, type_name, length, precision, scale, nullable, fills, filled, collation, comment, hidden) =
            row;
        let Some(table) = self.named(&of) else { return };
        let ty = EngineType { text: &text, name: &type_name, length, precision, scale };
        let (portable, choices) = ((questions.portable)(&ty), questions.choices.and_then(|choices| choices(&ty)));
        let is_special = questions.is_special.is_some_and(|is_special| is_special(&ty));
        let stored = fills.as_deref() == Some("stored");
        let filled = match fills.as_deref() {
            None => Filled::Not,
            Some("generated" | "stored") => Filled::Generated(filled),
            // Numbers that do not fit are not told, and are no reason to tell nothing else.
            Some("identity") => {
                identity(filled.as_deref().unwrap_or_default()).unwrap_or(Filled::Identity { start: 1, increment: 1 })
            }
            Some(_) => Filled::Default(filled.unwrap_or_default()),
        };
        let comment = comment.filter(|comment| !comment.is_empty());
        table.columns.push(ColumnReport {
            name,
            engine_type: text,
            portable,
            nullable: nullable != 0,
            filled,
            collation,
            comment,
            hidden: hidden != 0,
            stored,
            updated: None,
            on_null: None,
            choices,
            is_special,
        });
    }

    fn key(&mut self, row: KeyRow, makes: Option<fn(&str, &str) -> bool>) {
        let (of, name, kind, column, schema, referred, referred_column, on_delete, on_update, state, deferred) = row;
        let kept = kept(state);
        let Some(table) = self.named(&of) else { return };
        match kind.as_str() {
            "P" => {
                table.primary_key.push(column);
                table.primary_key_kept = kept;
                table.primary_key_is_made = makes.is_none_or(|makes| makes(&table.name, &name));
                table.primary_key_name = makes.map(|_| name);
            }
            "U" => match table.unique_keys.last_mut().filter(|key| key.name == name) {
                Some(key) => key.columns.push(column),
                None => table.unique_keys.push(KeyReport { name, columns: vec![column], kept, clause: None }),
            },
            _ => {
                let referred_column = referred_column.unwrap_or_default();
                match table.foreign_keys.last_mut().filter(|key| key.name == name) {
                    Some(key) => {
                        key.columns.push(column);
                        key.referred.push(referred_column);
                    }
                    None => table.foreign_keys.push(ForeignKeyReport {
                        name,
                        columns: vec![column],
                        schema: schema.unwrap_or_default(),
                        table: referred.unwrap_or_default(),
                        referred: vec![referred_column],
                        on_delete: on_delete.unwrap_or_default(),
                        on_update: on_update.unwrap_or_default(),
                        deferred: deferred != 0,
                        kept,
                    }),
                }
            }
        }
    }

    fn index(&mut self, row: IndexRow) {
        let (of, name, unique, column, expression, condition, method) = row;
        let Some(table) = self.named(&of) else { return };
        let key = match column {
            Some(column) => IndexKey::Column(column),
            None => IndexKey::Expression(expression.unwrap_or_default()),
        };
        if method.as_deref() == Some(PRIMARY_KEY) {
            let key = match key {
                IndexKey::Column(name) | IndexKey::Expression(name) => name,
            };
            let before = table.primary_key_clause.as_deref().and_then(|clause| clause.strip_suffix(')'));
            table.primary_key_clause =
                Some(before.map_or_else(|| format!("({key})"), |before| format!("{before}, {key})")));
            return;
        }
        match table.indexes.last_mut().filter(|index| index.name == name) {
            Some(index) => index.keys.push(key),
            None => {
                // MySQL and MariaDB tell one with a part of a column as a unique key of the column, too.
                table.unique_keys.retain(|key| key.name != name);
                table.indexes.push(IndexReport { condition, method, ..IndexReport::new(name, unique != 0, vec![key]) });
            }
        }
    }

    /// Marks the indexes that the engine has made for foreign keys.
    fn mark_indexes(&mut self) {
        for table in self.found.iter_mut() {
            for index in &mut table.indexes {
                let is_plain = !index.unique && index.condition.is_none() && index.method.is_none();
                let is_of = |columns: &[String]| {
                    let is =
                        |(key, column): (&IndexKey, &String)| matches!(key, IndexKey::Column(own) if own == column);
                    index.keys.len() == columns.len() && index.keys.iter().zip(columns).all(is)
                };
                let mut keys = table.foreign_keys.iter();
                index.of_foreign_key = is_plain && keys.any(|key| key.name == index.name && is_of(&key.columns));
            }
        }
    }

    /// Names the columns of primary keys that foreign keys refer to without naming them.
    fn refer_to_keys(&mut self) {
        let keys: HashMap<String, Vec<String>> =
            self.found.iter().map(|table| (table.name.to_lowercase(), table.primary_key.clone())).collect();
        for key in self.found.iter_mut().flat_map(|table| &mut table.foreign_keys) {
            if let Some(primary) = keys.get(&key.table.to_lowercase()) {
                for (referred, column) in key.referred.iter_mut().zip(primary) {
                    if referred.is_empty() {
                        referred.clone_from(column);
                    }
                }
            }
        }
    }
}

/// `1 1`: the first number, and what is added for the next one.
fn identity(text: &str) -> Option<Filled> {
    let (start, increment) = text.split_once(' ')?;
    Some(Filled::Identity { start: start.parse().ok()?, increment: increment.parse().ok()? })
}

fn kept(state: i64) -> Kept {
    match state {
        0 => Kept::Always,
        1 => Kept::NotValidated,
        _ => Kept::Never,
    }
}
