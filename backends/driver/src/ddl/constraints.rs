//! Indexes over several columns, checks, and foreign keys that the database keeps.

use isogloss_compiler::model::{Column, Constraint, ReferenceAction, TableIndex, TableName};

use super::draft::{Apart, Draft, hashed_end};
use super::spelling::{ReferenceEvent, Spelling, quoted, refused};
use super::statement::{Statement, guarded};
use crate::Result;
use crate::introspect::{ForeignKeyReport, IndexKey, IndexReport, Kept};

impl<S: Spelling> Draft<'_, S> {
    fn columns_at(&self, places: &[usize]) -> Vec<&Column> {
        places.iter().filter_map(|place| self.entity.columns.get(*place)).collect()
    }

    fn names_at(&self, places: &[usize]) -> Vec<String> {
        self.columns_at(places).iter().map(|column| column.column.to_string()).collect()
    }

    /// A name of this table's and the columns', which fits and is always the same.
    fn made_name(&self, start: &str, columns: &[String]) -> String {
        let table = self.parts.last().map_or("", String::as_str);
        let name = format!("{start}_{table}_{}", columns.join("_"));
        let limits = &self.spelling.sheet().limits;
        if limits.length_of(&name) > limits.identifier { self.cut(&name, &hashed_end(&name)) } else { name }
    }

    fn table_index_name(&self, index: &TableIndex) -> String {
        let start = if index.unique { "UX" } else { "IX" };
        match &index.name {
            Some(name) => name.to_string(),
            None => self.made_name(start, &self.names_at(&index.columns)),
        }
    }

    /// The indexes that are declared of the table, as introspection would say them.
    pub(super) fn table_indexes(&self) -> impl Iterator<Item = IndexReport> {
        self.entity.indexes.iter().map(|index| {
            let apart = self.apart(&self.columns_at(&index.columns), index.unique);
            let key = |name: String| match &apart.guard {
                Some(guard) => IndexKey::Expression(guarded(&quoted(self.spelling, [name.as_str()]), guard)),
                None => IndexKey::Column(name),
            };
            let keys = self.names_at(&index.columns).into_iter().map(key).collect();
            let condition = self.condition(index, apart.filter);
            IndexReport { condition, ..IndexReport::new(self.table_index_name(index), index.unique, keys) }
        })
    }

    /// The condition of an index's rows: what the catalog says, and what keeps rows with NULL apart.
    fn condition(&self, index: &TableIndex, apart: Option<String>) -> Option<String> {
        let given = index.filter.as_ref().map(|filter| self.text(filter));
        Some(apart.into_iter().chain(given).collect::<Vec<_>>().join(" AND ")).filter(|condition| !condition.is_empty())
    }

    pub(super) fn table_index(&self, index: &TableIndex) -> Result<String> {
        self.indexable(&self.columns_at(&index.columns))?;
        let (name, label) = (self.table_index_name(index), self.spelling.label());
        if index.filter.is_some() && !self.spelling.has_partial_indexes() {
            return Err(refused(format!(
                "index `{name}`: {label} has no index over some of the rows: take its filter away"
            )));
        }
        let Apart { filter, guard } = self.apart(&self.columns_at(&index.columns), index.unique);
        Ok(self.spelling.spell(&Statement::Index {
            parts: self.parts.clone(),
            name,
            columns: self.names_at(&index.columns),
            unique: index.unique,
            filter: self.condition(index, filter),
            guard,
        }))
    }

    /// The statement of the index of that name, if it is one of the table's.
    pub(super) fn index_named(&self, name: &str) -> Result<Option<String>> {
        let own = self.entity.columns.iter().find(|column| self.has_index(column) && self.index_name(column) == name);
        if let Some(column) = own {
            return Ok(self.create_index(column.name.as_str())?.into_iter().next());
        }
        let index = self.entity.indexes.iter().find(|index| self.table_index_name(index) == name);
        index.map(|index| self.table_index(index)).transpose()
    }

    /// The foreign keys, as introspection would say them.
    pub(super) fn foreign_keys(&self) -> Result<Vec<ForeignKeyReport>> {
        self.entity.constraints.iter().map(|constraint| self.foreign_key(constraint)).collect()
    }

    fn foreign_key(&self, constraint: &Constraint) -> Result<ForeignKeyReport> {
        let (columns, label) = (self.names_at(&constraint.columns), self.spelling.label());
        let name = match &constraint.name {
            Some(name) => name.to_string(),
            None => self.made_name("FK", &columns),
        };
        let target = Draft::new(self.spelling, self.catalog, constraint.target, &[])?;
        for (action, of, word) in [
            (constraint.on_delete, ReferenceEvent::Delete, "DELETE"),
            (constraint.on_update, ReferenceEvent::Update, "UPDATE"),
        ] {
            if !self.spelling.has_action(action, of) {
                let what = action.sql();
                return Err(refused(format!("constraint `{name}`: {label} has no ON {word} {what}: leave it out")));
            }
        }
        if self.spelling.cascades_once()
            && let Some(why) = self.reached_twice(constraint)
        {
            let what = "leave ON DELETE and ON UPDATE out of it, and see to those rows in the program";
            return Err(refused(format!(
                "constraint `{name}`: {label} lets changes reach a table on one way alone, and {why}: {what}"
            )));
        }
        if constraint.deferred && !self.spelling.has_deferred_keys() {
            return Err(refused(format!("constraint `{name}`: {label} defers no foreign key: leave `deferred` out")));
        }
        let (table, schema) = match target.parts.split_last() {
            Some((table, schema)) => (table.clone(), schema.join(".")),
            None => Default::default(),
        };
        if let [own @ .., _] = self.parts.as_slice()
            && !own.is_empty()
            && schema.is_empty()
            && self.spelling.refers_beside()
        {
            let (table, own) = (&target.entity.table, own.join("."));
            return Err(refused(format!(
                "constraint `{name}`: {label} looks for `{table}`, which has no schema, in `{own}`, where the constraint's table is: \
                 give `{}` the schema in its table's name",
                target.entity.name
            )));
        }
        let referred = target.entity.key_columns().map(|column| column.column.to_string()).collect();
        let (on_delete, on_update) = (constraint.on_delete.sql().to_owned(), constraint.on_update.sql().to_owned());
        let (deferred, kept) = (constraint.deferred, Kept::Always);
        Ok(ForeignKeyReport { name, columns, schema, table, referred, on_delete, on_update, deferred, kept })
    }

    /// Why what cascades along a foreign key would reach its table twice; none if it does not.
    fn reached_twice(&self, constraint: &Constraint) -> Option<String> {
        let table = |id| &self.catalog.get(self.catalog.table_of(id)).table;
        let events: [fn(&Constraint) -> ReferenceAction; 2] = [|key| key.on_delete, |key| key.on_update];
        let (own, target) = (&self.entity.table, table(constraint.target));
        events.iter().filter(|event| event(constraint) != ReferenceAction::NoAction).find_map(|event| {
            let mut ways: Vec<(&TableName, &TableName, Vec<&str>)> = Vec::new();
            for (_, entity) in self.catalog.entities() {
                if entity.base.is_some() || entity.data_source != self.entity.data_source {
                    continue;
                }
                for key in entity.constraints.iter().filter(|key| event(key) != ReferenceAction::NoAction) {
                    let columns = key.columns.iter().filter_map(|place| entity.columns.get(*place));
                    let way =
                        (table(key.target), &entity.table, columns.map(|column| column.column.as_str()).collect());
                    // Two entities of a table may both tell of one.
                    if !ways.contains(&way) {
                        ways.push(way);
                    }
                }
            }
            let origins = reached(target, |from| ways.iter().filter(move |way| way.1 == from).map(|way| way.0));
            if origins.contains(&own) {
                return Some(format!("`{own}` is reached from itself"));
            }
            let is_twice = |origin: &&&TableName| {
                let passed = reached(origin, |from| ways.iter().filter(move |way| way.0 == from).map(|way| way.1));
                ways.iter().filter(|way| way.1 == own && passed.contains(&way.0)).count() > 1
            };
            origins.iter().find(is_twice).map(|origin| format!("`{own}` is reached from `{origin}` on two"))
        })
    }

    /// The statement that adds a foreign key.
    fn constraint(&self, constraint: &Constraint) -> Result<String> {
        let parts: Vec<&str> = self.parts.iter().map(String::as_str).collect();
        Ok(constraint_text(self.spelling, &parts, &self.foreign_key(constraint)?))
    }

    /// The statements that add the foreign keys, where the engine adds them to a table that is there.
    pub(super) fn constraints(&self) -> Result<Vec<String>> {
        if self.spelling.foreign_keys_off().is_some() {
            return Ok(Vec::new());
        }
        self.entity.constraints.iter().map(|constraint| self.constraint(constraint)).collect()
    }

    /// The statement that adds the foreign key of that name.
    pub(super) fn constraint_named(&self, name: &str) -> Result<Option<String>> {
        for constraint in &self.entity.constraints {
            if self.foreign_key(constraint)?.name == name {
                return self.constraint(constraint).map(Some);
            }
        }
        Ok(None)
    }

    /// The foreign keys as lines of the table that is made, where the engine adds them to none that is there.
    pub(super) fn references_within(&self) -> Result<Vec<String>> {
        let keys = self.foreign_keys()?;
        if self.spelling.foreign_keys_off().is_none() {
            return Ok(Vec::new());
        }
        Ok(keys.iter().map(|key| key_text(self.spelling, key)).collect())
    }
}

/// The tables that are reached from one by steps, itself among them.
fn reached<'t, I>(first: &'t TableName, steps: impl Fn(&'t TableName) -> I) -> Vec<&'t TableName>
where
    I: Iterator<Item = &'t TableName>,
{
    let mut found = vec![first];
    let mut at = 0;
    while let Some(from) = found.get(at).copied() {
        for next in steps(from) {
            if !found.contains(&next) {
                found.push(next);
            }
        }
        at += 1;
    }
    found
}

/// `ALTER TABLE .. ADD CONSTRAINT .. FOREIGN KEY`.
pub(super) fn constraint_text(spelling: &dyn Spelling, parts: &[&str], key: &ForeignKeyReport) -> String {
    format!("ALTER TABLE {} ADD {}", quoted(spelling, parts.iter().copied()), key_text(spelling, key))
}

/// `CONSTRAINT .. FOREIGN KEY .. REFERENCES ..`.
pub(super) fn key_text(spelling: &dyn Spelling, key: &ForeignKeyReport) -> String {
    let list = |names: &[String]| {
        let names: Vec<String> = names.iter().map(|name| quoted(spelling, [name.as_str()])).collect();
        names.join(", ")
    };
    // SQLite's tables refer to others of their schema, and a key that has no name is reported by a number there.
    let is_sqlite = spelling.foreign_keys_off().is_some();
    let schema = if key.schema.is_empty() || is_sqlite { None } else { Some(key.schema.split('.')) };
    let referred = quoted(spelling, schema.into_iter().flatten().chain([key.table.as_str()]));
    let name = match key.name.as_str() {
        number if is_sqlite && number.bytes().all(|byte| byte.is_ascii_digit()) => String::new(),
        name => format!("CONSTRAINT {} ", quoted(spelling, [name])),
    };
    let action = |word: &str, action: &str| match action {
        "" | "NO ACTION" => String::new(),
        action => format!(" ON {word} {action}"),
    };
    format!(
        "{name}FOREIGN KEY ({}) REFERENCES {referred} ({}){}{}{}",
        list(&key.columns),
        list(&key.referred),
        action("DELETE", &key.on_delete),
        action("UPDATE", &key.on_update),
        if key.deferred { " DEFERRABLE INITIALLY DEFERRED" } else { "" },
    )
}
