//! A table is replaced by a new one with its rows, where `ALTER TABLE` has no way: SQLite's.
//!
//! The steps are those that SQLite's documentation gives: a new table, the rows, the old one dropped, the new one renamed, its
//! indexes and triggers made again. Foreign keys are off meanwhile, and checked before the transaction ends. Views and triggers of
//! other tables may name the table: the one that is gone for a moment is no error of theirs by `legacy_alter_table`.

use isogloss_compiler::model::Catalog;

use super::super::constraints::key_text;
use super::super::difference::{Difference, Part};
use super::super::spelling::{Spelling, is_literal, quoted};
use super::{Change, Diff, Pair};
use crate::introspect::{ColumnReport, Filled, IndexKey, KeyReport, TableReport};

impl<'d, S: Spelling> Diff<'d, S> {
    /// One difference for all that a table has otherwise.
    pub(super) fn replaced(&self, pair: &Pair<'_>, found: &[Difference]) -> Difference {
        let mut told = self.difference(pair.wanted, Part::Table);
        let changed = || found.iter().filter(|part| part.replaces || !part.is_only_told());
        let line = |part: &Difference, text: &Option<String>| {
            let text = text.as_deref().unwrap_or("missing");
            let what = match &part.part {
                Part::Column(name)
                | Part::Type(name)
                | Part::Nullable(name)
                | Part::Default(name)
                | Part::Identity(name)
                | Part::Generated(name) => name.clone(),
                Part::Index(name) => format!("index {name}"),
                Part::Check(name) => format!("check {name}"),
                Part::ForeignKey(name) => format!("foreign key {name}"),
                _ => "primary key".to_owned(),
            };
            format!("{what} {text}")
        };
        told.now = Some(changed().map(|part| line(part, &part.now)).collect::<Vec<_>>().join(", "));
        told.wanted = Some(changed().map(|part| line(part, &part.wanted)).collect::<Vec<_>>().join(", "));
        told.impact = self.spelling.impact(Change::Replace, None, None);
        told.impact = told.impact.loses_data(changed().any(|part| part.impact.loses_data));
        if pair
            .wanted
            .columns
            .iter()
            .any(|to| !to.nullable && pair.now.column(&to.name).is_some_and(|now| now.nullable))
        {
            told.impact = told.impact.note(super::columns::FILL_FIRST);
        }
        if self.old.is_some() {
            let note = "a catalog does not say what triggers the table has, and whether STRICT, WITHOUT ROWID or ON CONFLICT of \
                        NOT NULL: they go with it, add them";
            told.impact = told.impact.note(note);
        }
        told.impact = told.impact.note("an AUTOINCREMENT goes on behind the largest number that is there");
        let goes = |column: &ColumnReport| pair.wanted.column(&column.name).is_none();
        if self.options.drop_extra && !pair.now.triggers.is_empty() && pair.now.columns.iter().any(goes) {
            told.impact =
                told.impact.note("its triggers are made again as they were: they must not name a column that goes");
        }
        told.replaces = true;
        let numbered = |table: &TableReport| -> bool {
            table.columns.iter().any(|column| matches!(column.filled, Filled::Identity { .. }))
        };
        let mut target = pair.wanted.clone();
        self.keep(&mut target, pair.now);
        let fills = |catalog: Option<&'d Catalog>, name: &str| {
            catalog.and_then(|catalog| self.filler(catalog, pair.wanted, name).ok().flatten())
        };
        match self.steps(pair, pair.now, &target, numbered(&target), |name| fills(Some(self.catalog), name)) {
            Some(up) => told.up = up,
            None => {
                told.impact = told.impact.note("SQLite does not say what a column is computed from: it is done by hand")
            }
        }
        match self.steps(pair, &target, pair.now, numbered(pair.now), |name| fills(self.old, name)) {
            Some(down) if !told.up.is_empty() => told.down = down,
            _ => told.impact = told.impact.note("no statement brings back what was"),
        }
        told
    }

    /// What the catalog does not name stays, unless it is to go.
    fn keep(&self, target: &mut TableReport, now: &TableReport) {
        if self.options.drop_extra {
            return;
        }
        for key in &now.foreign_keys {
            if !target.foreign_keys.iter().any(|own| own.columns == key.columns) {
                target.foreign_keys.push(key.clone());
            }
        }
        for column in &now.columns {
            if !target.columns.iter().any(|own| self.same(&own.name, &column.name)) {
                target.columns.push(column.clone());
            }
        }
        target.unique_keys.clone_from(&now.unique_keys);
        for check in &now.checks {
            match target.checks.iter_mut().find(|own| self.is_check(check, own)) {
                Some(own) if self.same(&own.name, &check.name) => {}
                // One of another name that does the same stays in its place.
                Some(own) => own.clone_from(check),
                None => target.checks.push(check.clone()),
            }
        }
        for index in &now.indexes {
            if !target.indexes.iter().any(|own| self.same(&own.name, &index.name)) {
                target.indexes.push(index.clone());
            }
        }
    }

    /// The statements that replace a table; none if a column is computed from what is not known.
    fn steps(
        &self,
        pair: &Pair<'_>,
        from: &TableReport,
        to: &TableReport,
        numbered: bool,
        filler: impl Fn(&str) -> Option<String>,
    ) -> Option<Vec<String>> {
        let name = |name: &str| quoted(self.spelling, [name]);
        let (last, schema) = pair.parts.split_last()?;
        let new = format!("isogloss_new_{last}");
        let new_sql = quoted(self.spelling, schema.iter().copied().chain([new.as_str()]));
        let lines = to.columns.iter().map(|column| self.line(to, column, numbered));
        let mut lines = lines.collect::<Option<Vec<String>>>()?;
        let list = |names: &[String]| names.iter().map(|of| name(of)).collect::<Vec<_>>().join(", ");
        // With the collations of its columns, and what it does at a conflict.
        let clause = |clause: &Option<String>, columns: &[String]| {
            clause.clone().unwrap_or_else(|| format!("({})", list(columns)))
        };
        if !self.is_row_number(to) && with_column(to).is_none() && !to.primary_key.is_empty() {
            lines.push(format!("PRIMARY KEY {}", clause(&to.primary_key_clause, &to.primary_key)));
        }
        // What has no name of its own has none, or that of an index which SQLite has made for it.
        let named = |own: &str| {
            let is_made = own.is_empty() || own.starts_with("sqlite_autoindex_");
            if is_made { String::new() } else { format!("CONSTRAINT {} ", name(own)) }
        };
        let unique = |key: &KeyReport| format!("{}UNIQUE {}", named(&key.name), clause(&key.clause, &key.columns));
        lines.extend(to.unique_keys.iter().map(unique));
        for check in &to.checks {
            lines.push(format!("{}CHECK ({})", named(&check.name), check.condition));
        }
        lines.extend(to.foreign_keys.iter().map(|key| key_text(self.spelling, key)));
        // SQLite numbers no rows of a table that has no numbers of rows.
        let options = to.options.iter().filter(|option| !(numbered && option.eq_ignore_ascii_case("WITHOUT ROWID")));
        let options = options.map(String::as_str).collect::<Vec<_>>().join(", ");
        let mut statements =
            vec![format!("CREATE TABLE {new_sql} ({}) {options}", lines.join(", ")).trim_end().to_owned()];
        let (mut into, mut values) = (Vec::new(), Vec::new());
        for column in to.columns.iter().filter(|column| !matches!(column.filled, Filled::Generated(_))) {
            let there = from.columns.iter().find(|there| self.same(&there.name, &column.name));
            let value = match there {
                // A NULL where none may be is an error: what stands there instead is not guessed.
                Some(there) => name(&there.name),
                None if column.nullable => continue,
                None => match &column.filled {
                    Filled::Default(text) => text.clone(),
                    _ => match filler(&column.name) {
                        Some(default) => default,
                        None => continue,
                    },
                },
            };
            into.push(name(&column.name));
            values.push(value);
        }
        let (into, values) = (into.join(", "), values.join(", "));
        statements.push(format!("INSERT INTO {new_sql} ({into}) SELECT {values} FROM {}", pair.sql));
        statements.push(format!("DROP TABLE {}", pair.sql));
        statements.push("PRAGMA legacy_alter_table = ON".to_owned());
        statements.push(format!("ALTER TABLE {new_sql} RENAME TO {}", name(last)));
        statements.push("PRAGMA legacy_alter_table = OFF".to_owned());
        for index in &to.indexes {
            let columns = index.keys.iter().map(|key| match key {
                IndexKey::Column(of) => Some(name(of)),
                IndexKey::Expression(text) => Some(text.clone()).filter(|text| !text.is_empty()),
            });
            let columns = columns.collect::<Option<Vec<String>>>()?.join(", ");
            let filter = match index.condition.as_deref() {
                None => String::new(),
                Some("") => return None,
                Some(condition) => format!(" WHERE {condition}"),
            };
            let unique = if index.unique { "UNIQUE " } else { "" };
            let index = quoted(self.spelling, schema.iter().copied().chain([index.name.as_str()]));
            statements.push(format!("CREATE {unique}INDEX {index} ON {} ({columns}){filter}", name(last)));
        }
        // SQLite keeps their texts without the schema.
        let schema: String = schema.iter().map(|schema| format!("{}.", name(schema))).collect();
        let trigger = |text: &String| text.replacen("CREATE TRIGGER ", &format!("CREATE TRIGGER {schema}"), 1);
        statements.extend(to.triggers.iter().map(trigger));
        Some(statements)
    }

    /// Whether the key is a whole number, by which rows are found.
    fn is_row_number(&self, table: &TableReport) -> bool {
        let [key] = table.primary_key.as_slice() else { return false };
        with_column(table).is_none()
            && table.column(key).is_some_and(|column| column.engine_type.eq_ignore_ascii_case("integer"))
    }

    fn line(&self, table: &TableReport, column: &ColumnReport, numbered: bool) -> Option<String> {
        let (name, ty) = (quoted(self.spelling, [column.name.as_str()]), &column.engine_type);
        let on_null = column.on_null.as_ref().map(|how| format!(" ON CONFLICT {how}")).unwrap_or_default();
        if self.is_row_number(table) && table.primary_key.first() == Some(&column.name) {
            let counted = if numbered { " AUTOINCREMENT" } else { "" };
            let clause = table.primary_key_clause.as_ref().and_then(|clause| clause.rsplit_once(')'));
            let conflict = clause.map_or("", |(_, conflict)| conflict);
            return Some(format!("{name} {ty} NOT NULL{on_null} PRIMARY KEY{conflict}{counted}"));
        }
        let filled = match &column.filled {
            Filled::Generated(text) => {
                let kept = if column.stored { "STORED" } else { "VIRTUAL" };
                format!(" GENERATED ALWAYS AS ({}) {kept}", text.as_ref()?)
            }
            Filled::Default(text) if is_literal(text) => format!(" DEFAULT {text}"),
            Filled::Default(text) => format!(" DEFAULT ({text})"),
            Filled::Identity { .. } | Filled::Not => String::new(),
        };
        let null = if column.nullable { String::new() } else { format!(" NOT NULL{on_null}") };
        let collation =
            column.collation.as_ref().map(|of| format!(" COLLATE {}", quoted(self.spelling, [of.as_str()])));
        let is_key = table.primary_key.first() == Some(&column.name);
        let key = with_column(table).filter(|_| is_key).map(|clause| format!(" PRIMARY KEY {clause}"));
        Some(format!("{name} {ty}{filled}{null}{}{}", collation.unwrap_or_default(), key.unwrap_or_default()))
    }
}

/// What stands behind a primary key that is part of its column: that it goes down, so that it is no number of the row.
fn with_column(table: &TableReport) -> Option<&str> {
    table.primary_key_clause.as_deref().filter(|clause| clause.starts_with("DESC"))
}
