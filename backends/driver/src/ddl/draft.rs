//! Translates a catalog into DDL statements.

use std::borrow::Cow;

use isogloss_compiler::compact_str::CompactString;
use isogloss_compiler::dialect::{Dialect, Distribution, Quotes};
use isogloss_compiler::expr::DbValueType as T;
use isogloss_compiler::model::{Catalog, Column, Computed, ComputedPart, Entity, EntityId, EnumStorage};
use isogloss_compiler::{Compiler, ErrorKind as CompileError, Request};
use sea_query::{ColumnDef, Expr, Index, Keyword, Table, TableRef};

use super::inspect::{Inspection, Wanted};
use super::spelling::{ColumnOf, Number, Spelling, is_literal, quoted, refused};
use super::statement::{Statement, UniqueNulls, table_ref};
use crate::Result;

/// A table whose statements are written.
pub(super) struct Draft<'a, S> {
    pub(super) spelling: &'a S,
    pub(super) catalog: &'a Catalog,
    pub(super) entity: &'a Entity,
    args: &'a [CompactString],
    pub(super) parts: Vec<String>,
    table: TableRef,
    /// Columns whose types are others than the catalog says.
    types: &'a [(String, String)],
}

impl<'a, S: Spelling> Draft<'a, S> {
    /// The table of an entity, with the arguments of a sharded one.
    pub(super) fn new(
        spelling: &'a S,
        catalog: &'a Catalog,
        entity: EntityId,
        table_args: &'a [CompactString],
    ) -> Result<Self> {
        let entity = catalog.get(catalog.table_of(entity));
        let parts = entity.table.expand(table_args).map_err(|error| refused(error.to_string()).with_source(error))?;
        let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
        let columns = entity.columns.iter().map(|column| column.column.as_str());
        let key = entity.key_name.as_deref().filter(|_| spelling.names_keys());
        for name in parts.iter().map(String::as_str).chain(columns).chain(key) {
            fits(spelling, name)?;
        }
        let most = spelling.name_parts();
        match table_ref(&parts).filter(|_| parts.len() <= most) {
            Some(table) => Ok(Self { spelling, catalog, entity, args: table_args, parts, table, types: &[] }),
            None => {
                let label = spelling.label();
                Err(refused(format!("`{}`: a table of {label} has a name of 1 to {most} parts", entity.table)))
            }
        }
    }

    /// Gives columns, by their names, other types than the catalog says.
    pub(super) fn types(mut self, types: &'a [(String, String)]) -> Self {
        self.types = types;
        self
    }

    pub(super) fn create(&self) -> Result<Vec<String>> {
        let number = self.number();
        let mut create = Table::create();
        create.table(self.table.clone());
        if let Some(text) = self.told(None, self.entity.comment.as_deref())? {
            create.comment(text);
        }
        for column in &self.entity.columns {
            create.col(self.column(
                column,
                number.filter(|number| number.column.name == column.name),
                ColumnOf::NewTable,
            )?);
        }
        // The key's columns in the order of the table, whatever they are called.
        let keys: Vec<&Column> = self.entity.columns.iter().filter(|column| column.primary_key).collect();
        self.indexable(&keys)?;
        if keys.len() > 1 || self.key_name().is_some() && !keys.is_empty() {
            let mut key = Index::create();
            if let Some(name) = self.key_name() {
                key.name(self.spelling.sheet().quotes.doubled(name));
            }
            for column in keys {
                key.col(column.column.to_string());
            }
            create.primary_key(&mut key);
        }
        for check in &self.entity.checks {
            create.check((check.name.to_string(), Expr::cust(self.text(&check.condition))));
        }
        // A second index is of no use.
        let within = number.filter(|number| self.spelling.indexes_numbers() && self.has_index(number.column));
        if let Some(Number { column, .. }) = within {
            self.indexable(&[column])?;
            let mut index = Index::create();
            index.name(self.spelling.sheet().quotes.doubled(&self.index_name(column))).col(column.column.to_string());
            if column.is_unique {
                index.unique();
            }
            create.index(&mut index);
        }
        self.spelling.finish(&mut create, number.as_ref());
        let mut statements: Vec<String> = number.and_then(|number| self.spelling.before(&number)).into_iter().collect();
        let mut table = self.spelling.spell(&Statement::Create(Box::new(create)));
        // sea-query gives the foreign keys of a table no names.
        for line in self.references_within()? {
            // The engine refuses a statement that ends otherwise: no key is left out silently.
            let end = table.rfind(" )").unwrap_or(table.len());
            table.insert_str(end, &format!(", {line}"));
        }
        statements.push(table);
        let parts: Vec<&str> = self.parts.iter().map(String::as_str).collect();
        statements.extend(number.and_then(|number| self.spelling.after(&parts, &number)));
        statements.extend(self.distribute());
        let is_apart = |column: &&Column| within.is_none_or(|number| number.column.name != column.name);
        for column in self.entity.columns.iter().filter(|column| self.has_index(column)).filter(is_apart) {
            statements.push(self.index(column)?);
        }
        for index in &self.entity.indexes {
            statements.push(self.table_index(index)?);
        }
        if !self.spelling.comments_within() {
            statements.extend(self.spelling.comment_on(&parts, None, None, self.entity.comment.as_deref()));
        }
        statements.extend(self.entity.columns.iter().filter_map(|column| self.comment(column)));
        Ok(statements)
    }

    /// A comment, which the engine may have no room for.
    pub(super) fn told<'c>(&self, column: Option<&Column>, text: Option<&'c str>) -> Result<Option<&'c str>> {
        let Some(text) = text else { return Ok(None) };
        let limits = &self.spelling.sheet().limits;
        let (length, limit) = (limits.length_of(text), self.spelling.comment_limit(column.is_some()));
        let is_joined = self.spelling.joins_lines() && ["\\\n", "\\\r"].iter().any(|end| text.contains(end));
        if length <= limit && !is_joined {
            return Ok(Some(text));
        }
        let (label, entity) = (self.spelling.label(), &self.entity.name);
        let of = column.map_or_else(|| format!("`{entity}`"), |column| format!("`{}` of `{entity}`", column.name));
        if is_joined {
            return Err(refused(format!(
                "{of}: a line of its comment ends in a backslash, and {label} joins such a line with the next one: put \
                 something behind it"
            )));
        }
        let unit = if limits.identifier_bytes { "bytes" } else { "characters" };
        Err(refused(format!("{of}: its comment has {length} {unit}, and {label} has room for {limit}: shorten it")))
    }

    /// The statement that comments on a column, if the engine has one.
    fn comment(&self, column: &Column) -> Option<String> {
        let parts: Vec<&str> = self.parts.iter().map(String::as_str).collect();
        self.spelling.comment_on(&parts, Some(&column.column), None, column.comment.as_deref())
    }

    /// What distributes the rows of a new table over servers, where the engine does that by a statement.
    fn distribute(&self) -> Option<String> {
        let Distribution::Statement(text) = self.spelling.sheet().distribution else { return None };
        let key = self.entity.columns.get(self.entity.distribution_key?)?;
        let literal = |name: &str| format!("'{}'", Quotes::LITERAL.doubled(name));
        let table = quoted(self.spelling, self.parts.iter().map(String::as_str));
        Some(text.replace("{table}", &literal(&table)).replace("{column}", &literal(&key.column)))
    }

    pub(super) fn add_column(&self, property: &str) -> Result<Vec<String>> {
        let mut statements = self.add_without_index(property)?;
        let column = self.property(property)?;
        if self.has_index(column) {
            statements.push(self.index(column)?);
        }
        Ok(statements)
    }

    pub(super) fn add_without_index(&self, property: &str) -> Result<Vec<String>> {
        let column = self.property(property)?;
        if column.primary_key || column.identity.is_some() {
            let (entity, name) = (&self.entity.name, &column.name);
            return Err(refused(format!(
                "`{name}` of `{entity}` is a key or numbered by the database: it comes with its table"
            )));
        }
        let def = self.column(column, None, ColumnOf::OldTable)?;
        let add = Statement::AddColumn { table: self.table.clone(), column: Box::new(def) };
        Ok(std::iter::once(self.spelling.spell(&add)).chain(self.comment(column)).collect())
    }

    pub(super) fn create_index(&self, property: &str) -> Result<Vec<String>> {
        Ok(vec![self.index(self.property(property)?)?])
    }

    pub(super) fn drop(&self) -> Vec<String> {
        let mut statements = vec![self.spelling.spell(&Statement::Drop(self.table.clone()))];
        statements.extend(self.number().and_then(|number| self.spelling.behind(&number)));
        statements
    }

    pub(super) fn inspect(&self) -> Inspection {
        let parts: Vec<&str> = self.parts.iter().map(String::as_str).collect();
        let wanted = self.entity.columns.iter().map(|column| {
            let index = self.has_index(column).then(|| self.index_name(column));
            Wanted::new(column.name.as_str(), &column.column, index)
        });
        let wanted: Vec<Wanted> = wanted.collect();
        let (columns, indexes) = self.spelling.catalog(&parts, &wanted);
        let table = quoted(self.spelling, parts.iter().copied());
        Inspection::new(table, columns, indexes, wanted, self.spelling.ignores_case())
    }

    fn property(&self, name: &str) -> Result<&'a Column> {
        self.entity.column(name).map(|(_, column)| column).ok_or_else(|| {
            let near = self.entity.near_matches(name);
            let near = near.first().map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default();
            refused(format!("unknown property `{name}` on entity `{}`{near}", self.entity.name))
        })
    }

    /// Whether the column has an index of its own. That of the key serves a column that is the key.
    pub(super) fn has_index(&self, column: &Column) -> bool {
        (column.is_index || column.is_unique) && !self.is_key(column)
    }

    /// Whether an index, a check or a foreign key of the table names a column.
    fn is_named(&self, column: &Column) -> bool {
        let is = |place: &usize| self.entity.columns.get(*place).is_some_and(|named| named.name == column.name);
        let is_in =
            |parts: &[ComputedPart]| parts.iter().any(|part| matches!(part, ComputedPart::Column(place) if is(place)));
        let entity = self.entity;
        entity.indexes.iter().any(|index| index.columns.iter().any(is) || index.filter.as_deref().is_some_and(is_in))
            || entity.checks.iter().any(|check| is_in(&check.condition))
            || entity.constraints.iter().any(|key| key.columns.iter().any(is))
    }

    /// The name of the primary key, where it has one that the engine does not make.
    pub(super) fn key_name(&self) -> Option<&str> {
        self.entity.key_name.as_deref().filter(|_| self.spelling.names_keys())
    }

    fn is_key(&self, column: &Column) -> bool {
        column.primary_key && self.entity.keys.len() == 1
    }

    /// How the database numbers the table's rows, if it does.
    pub(super) fn number(&self) -> Option<Number<'_>> {
        let column = self.entity.identity.and_then(|index| self.entity.columns.get(index))?;
        let first = self.entity.columns.iter().find(|column| column.primary_key);
        Some(Number {
            dialect: self.spelling,
            table: &self.parts,
            column,
            identity: column.identity.as_ref()?,
            is_key: self.is_key(column),
            is_indexed: first.is_some_and(|first| first.name == column.name) || self.has_index(column),
        })
    }

    /// A column of the table, or one that is added to it.
    fn column(&self, column: &Column, number: Option<Number<'_>>, of: ColumnOf) -> Result<ColumnDef> {
        let mut def = ColumnDef::new(column.column.to_string());
        if let Some(text) = self.told(Some(column), column.comment.as_deref())? {
            def.comment(text);
        }
        if let Some(number) = number {
            def.custom(self.spelling.numbered_type(column)?.into_owned()).extra(self.spelling.identity(&number)?);
        } else {
            let ty = self.plain_type(column, of)?;
            if let Some(computed) = &column.computed {
                let text = self.computed(computed)?;
                // What is stored for an index of its own is for those of the table, its checks and foreign keys.
                let mut held = column.clone();
                held.is_index |= self.is_named(column);
                def.custom(self.spelling.computed(&held, &ty, &text));
                return Ok(def);
            }
            if let Some(default) = self.default(column, of)? {
                self.set_default(&mut def, column, &ty, default);
            }
            def.custom(ty.into_owned());
        }
        if column.nullable {
            def.null()
        } else {
            def.not_null()
        };
        if self.is_key(column) && self.key_name().is_none() {
            def.primary_key();
        }
        Ok(def)
    }

    /// The type of a column that the database does not number.
    pub(super) fn plain_type(&self, column: &Column, of: ColumnOf) -> Result<Cow<'static, str>> {
        if let Some((_, ty)) = self.types.iter().find(|(name, _)| *name == *column.column) {
            return Ok(ty.clone().into());
        }
        if let Some(ty) = self.referred_type(column)? {
            return Ok(ty);
        }
        match self.spelling.off_row(self.entity, column, of) {
            Some(ty) => Ok(ty.into()),
            None => self.spelling.column_type(column),
        }
    }

    /// The type of the number or time that a column refers to, where a foreign key has to have it.
    fn referred_type(&self, column: &Column) -> Result<Option<Cow<'static, str>>> {
        let is_sized =
            |column: &Column| !column.ty.array && (column.ty.base.is_number() || column.ty.base.has_seconds());
        if !self.spelling.refers_by_type() || !is_sized(column) {
            return Ok(None);
        }
        let (mut entity, mut found) = (self.entity, column);
        // What refers to itself ends, too.
        for _ in self.catalog.entities() {
            let Some((target, referred)) = self.referred(entity, found) else { break };
            (entity, found) = (target, referred);
        }
        if std::ptr::eq(entity, self.entity) && found.name == column.name {
            return Ok(None);
        }
        let is_numbered = found.identity.is_some();
        let ty = if is_numbered { self.spelling.numbered_type(found)? } else { self.spelling.column_type(found)? };
        Ok(Some(ty).filter(|_| is_sized(found)))
    }

    /// The column that one refers to by a foreign key, and its entity.
    fn referred(&self, entity: &Entity, column: &Column) -> Option<(&'a Entity, &'a Column)> {
        entity.constraints.iter().find_map(|constraint| {
            let is = |at: &usize| entity.columns.get(*at).is_some_and(|own| own.name == column.name);
            let target = self.catalog.get(self.catalog.table_of(constraint.target));
            Some((target, target.key_columns().nth(constraint.columns.iter().position(is)?)?))
        })
    }

    /// An error unless the engine has a key or an index on these columns.
    pub(super) fn indexable(&self, columns: &[&Column]) -> Result<()> {
        let (entity, label, limit) = (&self.entity.name, self.spelling.label(), self.spelling.index_limit());
        let mut all = 0_u32;
        for column in columns {
            let name = &column.name;
            let Some(bytes) = self.spelling.index_bytes(column) else {
                let ty = self.spelling.column_type(column)?;
                let what = if column.primary_key || column.is_unique { "unique key" } else { "index" };
                let why = format!("{label} has no {what} on {ty}");
                return Err(refused(format!(
                    "`{name}` of `{entity}`: {why}: give it another type or a shorter length"
                )));
            };
            all = all.saturating_add(bytes);
            if all > limit {
                let why = format!("{label} has {limit} bytes for a key or an index, and this one takes {all}");
                return Err(refused(format!("`{name}` of `{entity}`: {why}: give it a shorter length")));
            }
        }
        Ok(())
    }

    /// What a column has where it is given none, and what the rows that are there get in one that is added.
    pub(super) fn default<'c>(&self, column: &'c Column, of: ColumnOf) -> Result<Option<&'c str>> {
        let added = of == ColumnOf::OldTable;
        let (entity, name, label) = (&self.entity.name, &column.name, self.spelling.label());
        match column.default.as_deref() {
            Some(text) if added && self.spelling.adds_constants_only() && !is_literal(text) => {
                let why = format!("{label} adds no column whose default is not a constant, and `{text}` is none");
                Err(refused(format!(
                    "`{name}` of `{entity}`: {why}: take the default away and make the column nullable, or make the table anew"
                )))
            }
            None if added && !column.nullable && column.is_unique => Err(refused(format!(
                "`{name}` of `{entity}` is unique and never NULL, and the rows that are there would all get the same: make it \
                 nullable, or give it a default that is another one for each row"
            ))),
            None if added && !column.nullable && !has_empty_member(column) => Err(refused(format!(
                "`{name}` of `{entity}` is an enumeration and never NULL, and the rows that are there have no value of it: \
                 give it a default, or make it nullable"
            ))),
            None if added && !column.nullable => {
                self.spelling.filler(column).map(Some).map_err(|error| error.at(entity.as_str()))
            }
            default => Ok(default),
        }
    }

    /// The default, with a truth value as the engine says it.
    fn set_default(&self, def: &mut ColumnDef, column: &Column, ty: &str, text: &str) {
        let text = self.default_text(column, text);
        def.default(match self.spelling.bare_default(ty, text) {
            Some(bare) => Expr::Keyword(Keyword::Custom(bare.into())),
            None => Expr::cust(text.to_owned()),
        });
    }

    /// A default as the engine says it.
    pub(super) fn default_text<'t>(&self, column: &Column, text: &'t str) -> &'t str {
        let truth = match text.trim() {
            "0" => Some(false),
            "1" => Some(true),
            word if word.eq_ignore_ascii_case("false") => Some(false),
            word if word.eq_ignore_ascii_case("true") => Some(true),
            _ => None,
        };
        let truth = truth.filter(|_| column.ty.base == T::Boolean && !column.ty.array);
        truth.map_or(text, |truth| self.spelling.truth(truth))
    }

    /// What a generated column is computed from, as the engine says it.
    pub(super) fn computed(&self, computed: &Computed) -> Result<String> {
        let parts = match computed {
            Computed::Text(parts) => parts,
            Computed::Expr(value) => {
                let target = Compiler::new(self.catalog.clone()).target(self.spelling);
                let args = vec!["x".into(); self.entity.table.args()];
                let request = Request::of(self.entity.name.as_str()).table_args(&args);
                return Ok(target.constant_value(value, &request)?.sql);
            }
            other => return Err(refused(format!("no generated column is made of {other:?}"))),
        };
        Ok(self.text(parts))
    }

    /// A text of the program, with the names of columns in its holes.
    pub(super) fn text(&self, parts: &[ComputedPart]) -> String {
        let text = |part: &ComputedPart| match part {
            ComputedPart::Text(text) => text.clone(),
            ComputedPart::Column(index) => {
                quoted(self.spelling, self.entity.columns.get(*index).map(|column| column.column.as_str()))
            }
        };
        parts.iter().map(text).collect()
    }

    pub(super) fn index_name(&self, column: &Column) -> String {
        let table = self.parts.last().map_or("", String::as_str);
        let name = index_name(table, column);
        let limits = &self.spelling.sheet().limits;
        if self.is_taken(&name) {
            // Unlike the name, this says where that of the table ends.
            self.cut(&name, &hashed_end(&format!("{table}.{}", column.column)))
        } else if limits.length_of(&name) > limits.identifier {
            self.cut(&name, &hashed_end(&name))
        } else {
            name
        }
    }

    /// Whether another table of the schema has an index whose name would be the same: on most engines it is the schema
    /// that they belong to.
    fn is_taken(&self, name: &str) -> bool {
        let Some((table, schema)) = self.parts.split_last() else { return false };
        let same = |a: &str, b: &str| a.eq_ignore_ascii_case(b);
        let others = self.catalog.entities().map(|(_, other)| other);
        others.filter(|other| other.base.is_none() && other.data_source == self.entity.data_source).any(|other| {
            let Ok(parts) = other.table.expand(self.args) else { return false };
            let Some((its, place)) = parts.split_last() else { return false };
            !same(its, table)
                && place.len() == schema.len()
                && place.iter().zip(schema).all(|(a, b)| same(a, b))
                && other.columns.iter().any(|c| (c.is_index || c.is_unique) && same(&index_name(its, c), name))
        })
    }

    fn index(&self, column: &Column) -> Result<String> {
        self.indexable(&[column])?;
        let key = self.entity.distribution_key.and_then(|at| self.entity.columns.get(at)).map(|key| &key.name);
        let distributes = self.spelling.sheet().distribution != Distribution::None;
        if let Some(key) = key.filter(|key| distributes && column.is_unique && **key != column.name) {
            let (entity, name, label) = (&self.entity.name, &column.name, self.spelling.label());
            return Err(refused(format!(
                "`{name}` of `{entity}` is unique by itself, and {label} distributes the rows by `{key}`, which every unique key \
                 has to hold: make both a primary key, or `{name}` an index that is not unique"
            )));
        }
        Ok(self.spelling.spell(&Statement::Index {
            parts: self.parts.clone(),
            name: self.index_name(column),
            columns: vec![column.column.to_string()],
            unique: column.is_unique,
            filter: self.apart(&[column], column.is_unique).filter,
            guard: None,
        }))
    }

    /// What an index says so that rows with NULL in one of its columns are equal to none.
    pub(super) fn apart(&self, columns: &[&Column], unique: bool) -> Apart {
        let name = |column: &&Column| format!("{} IS NOT NULL", quoted(self.spelling, [column.column.as_str()]));
        let nulls = self.spelling.unique_nulls();
        // A filter takes no computed columns.
        let is_left_out =
            |column: &&Column| column.nullable && (nulls != UniqueNulls::Equal || column.computed.is_none());
        let names: Vec<String> = columns.iter().copied().filter(is_left_out).map(|column| name(&column)).collect();
        let condition = (unique && !names.is_empty()).then(|| names.join(" AND "));
        match nulls {
            UniqueNulls::Equal => Apart { filter: condition, guard: None },
            UniqueNulls::EqualBesideOthers if columns.len() > 1 => Apart { filter: None, guard: condition },
            _ => Apart::default(),
        }
    }

    /// As much of the name as the engine has room for in front of that end.
    pub(super) fn cut(&self, name: &str, end: &str) -> String {
        let limits = &self.spelling.sheet().limits;
        let mut start = String::new();
        for c in name.chars() {
            start.push(c);
            if limits.length_of(&start) + end.len() > limits.identifier {
                start.pop();
                break;
            }
        }
        start + end
    }
}

/// The condition of an index's rows, and that of its keys.
#[derive(Default)]
pub(super) struct Apart {
    pub(super) filter: Option<String>,
    pub(super) guard: Option<String>,
}

fn index_name(table: &str, column: &Column) -> String {
    format!("IX_{table}_{}", column.column)
}

/// The end of a name that is made from a text: FNV-1a, which is the same everywhere and always.
pub(super) fn hashed_end(text: &str) -> String {
    let hash = text.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("_{hash:08x}")
}

/// A name that the engine would cut off or refuse is an error.
fn fits(dialect: &dyn Dialect, name: &str) -> Result<()> {
    let limits = &dialect.sheet().limits;
    if let Some(why) = limits.no_name(name, dialect.sheet().quotes) {
        let error = CompileError::BadName { name: name.to_owned(), why: format!("{why}, on {}", dialect.label()) };
        return Err(refused(error.to_string()));
    }
    let (length, limit) = (limits.length_of(name), limits.identifier);
    if length <= limit {
        return Ok(());
    }
    let error = CompileError::NameTooLong { name: name.to_owned(), length, limit, dialect: dialect.label() };
    Err(refused(error.to_string()))
}

/// Whether the filler of a column is a value of its enumeration, if it has one: of numbers it is 0.
fn has_empty_member(column: &Column) -> bool {
    column.enum_values.as_ref().is_none_or(|all| {
        all.stored == EnumStorage::Number && (all.flags || all.members.iter().any(|member| member.number == 0))
    })
}
