//! Cases, and the files that hold them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use isogloss_compiler::compact_str::CompactString;
use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::expr::{DbType, Value};
use isogloss_compiler::{Request, Verb};
use serde::Deserialize;
use serde_json::Value as Json;
use serde_json::value::RawValue;

use super::requirement::Requirement;
use super::schema::{self, Schema, SchemaTable};
use super::value::{self, TypedColumn};
use super::{REQUIREMENTS, SuiteError};
use crate::data::Answer;

/// The cases of a folder.
#[derive(Debug)]
pub struct Suite {
    /// The groups, by name.
    pub groups: Vec<Group>,
}

/// The cases of a file.
#[derive(Debug)]
pub struct Group {
    /// Its name: that of the file.
    pub name: String,
    /// What its cases are about.
    pub about: String,
    /// The cases.
    pub cases: Vec<Case>,
}

/// A tree, and what every engine must answer to it.
#[derive(Debug, Clone)]
pub struct Case {
    /// The name of its group.
    pub group: String,
    /// Its name in the group.
    pub name: String,
    /// The tables that it is over.
    pub schema: Arc<Schema>,
    /// Rows that are there besides those of the schema, for this case only.
    pub data: Vec<SchemaTable>,
    /// The tree in the JSON notation.
    pub expr: String,
    /// What is asked of a query.
    pub verb: Verb,
    /// The root entity, where the tree needs one.
    pub root: Option<String>,
    /// Arguments for the placeholders of table names.
    pub table_args: Vec<CompactString>,
    /// What an engine must have.
    pub requires: Vec<&'static Requirement>,
    /// Dialects that refuse it though they have all that it requires, or versions of them (`oracle 19c`): a part of the
    /// refusal for each.
    pub refused_on: BTreeMap<String, String>,
    /// What it gives.
    pub expect: Expect,
    /// Where the expected rows come from.
    pub by: By,
    /// It mirrors a case of a file: see [`Suite::with_mirrors`].
    pub is_mirror: bool,
    /// Whether the evaluator has yet to give them.
    pub(super) rows_are_unknown: bool,
}

/// Where expected rows come from. They never come from an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// Reckoned from the documented meaning by whoever wrote the case.
    #[default]
    Hand,
    /// Given by the evaluator of this crate; a test holds them to it.
    Evaluator,
}

/// What a case gives.
#[derive(Debug, Clone)]
pub enum Expect {
    /// Rows.
    Rows(Rows),
    /// What a write has done.
    Write {
        /// How many rows it changed, where that is the same on every engine.
        affected: Option<u64>,
        /// What comes back of them.
        returning: Option<Rows>,
        /// What a query sees afterwards.
        check: Option<Box<Check>>,
    },
    /// A typed error of the notation or the compiler, on every engine.
    Refused(Refusal),
    /// An error of the engine, by the name of its [kind](isogloss_driver::ErrorKind).
    Fails(String),
}

/// Rows that are expected.
#[derive(Debug, Clone)]
pub struct Rows {
    /// The types of the columns.
    pub types: Vec<DbType>,
    /// The names and rows, and whether their order counts.
    pub answer: Answer,
}

/// A query after a write.
#[derive(Debug, Clone)]
pub struct Check {
    /// Its tree in the JSON notation.
    pub expr: String,
    /// What it gives.
    pub rows: Rows,
}

/// A typed error.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    /// The name of its kind.
    pub kind: String,
    /// A part of its text.
    pub message: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GroupText {
    about: String,
    schema: String,
    cases: Vec<CaseText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseText {
    name: String,
    schema: Option<String>,
    #[serde(default)]
    data: BTreeMap<String, Json>,
    expr: Box<RawValue>,
    many: Option<Many>,
    #[serde(default)]
    verb: VerbText,
    root: Option<String>,
    #[serde(default)]
    table_args: Vec<String>,
    #[serde(default)]
    requires: Vec<String>,
    #[serde(default)]
    refused_on: BTreeMap<String, String>,
    columns: Option<Vec<String>>,
    rows: Option<Json>,
    #[serde(default)]
    ordered: bool,
    #[serde(default)]
    write: bool,
    affected: Option<u64>,
    check: Option<CheckText>,
    refused: Option<Refusal>,
    fails: Option<String>,
    #[serde(default)]
    by: By,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckText {
    expr: Box<RawValue>,
    columns: Vec<String>,
    rows: Json,
    #[serde(default)]
    ordered: bool,
}

/// A long list: the text `"MANY"` in the tree stands for so many of an item, in which `%` is its number from 1.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Many {
    count: u32,
    item: String,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "lowercase")]
enum VerbText {
    #[default]
    Select,
    Count,
    Exists,
}

impl Many {
    /// How many items there may be.
    const ITEMS: u32 = 1_000_000;
    /// How many bytes the items of all cases may have.
    const ROOM: usize = 128 << 20;
    /// How many digits the number of the last item has.
    const DIGITS: usize = 7;
}

/// What stands in a file in the place of rows that the evaluator has yet to give.
pub(super) const UNKNOWN: &str = "?";

impl Suite {
    /// The suite of this crate.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn own() -> Result<Self, SuiteError> {
        Self::load(Self::folder())
    }

    /// Where its files are.
    #[must_use]
    pub fn folder() -> &'static Path {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/suite"))
    }

    /// Reads the groups of a folder: its `.json` files. The schemas lie in its folder `schemas`.
    ///
    /// # Errors
    /// A file that cannot be read, or holds something else than cases.
    pub fn load(folder: &Path) -> Result<Self, SuiteError> {
        let file = |source| SuiteError::File { path: folder.to_owned(), source };
        let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(file)?;
        let mut paths: Vec<_> = entries.into_iter().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
        paths.sort();
        let mut shared = Shared { folder: folder.join("schemas"), schemas: BTreeMap::new(), room: Many::ROOM };
        let groups = paths.iter().map(|path| Group::load(path, &mut shared)).collect::<Result<_, _>>()?;
        Ok(Self { groups })
    }

    /// Every case.
    pub fn cases(&self) -> impl Iterator<Item = &Case> {
        self.groups.iter().flat_map(|group| &group.cases)
    }
}

/// What the files of a suite share while they are read.
struct Shared {
    folder: std::path::PathBuf,
    /// The schemas that were read already.
    schemas: BTreeMap<String, Arc<Schema>>,
    /// How many bytes of repeated items there may still be.
    room: usize,
}

impl Shared {
    fn schema(&mut self, name: &str) -> Result<Arc<Schema>, SuiteError> {
        if let Some(schema) = self.schemas.get(name) {
            return Ok(Arc::clone(schema));
        }
        let schema = Arc::new(Schema::load(&self.folder, name)?);
        self.schemas.insert(name.to_owned(), Arc::clone(&schema));
        Ok(schema)
    }
}

impl Group {
    fn load(path: &Path, shared: &mut Shared) -> Result<Self, SuiteError> {
        let text = schema::read(path)?;
        let group: GroupText = serde_json::from_str(&text).map_err(|error| schema::content(path, &error))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        schema::word(&name).map_err(|error| schema::content(path, &error))?;
        let mut cases = Vec::with_capacity(group.cases.len());
        let mut names = BTreeSet::new();
        for case in group.cases {
            schema::word(&case.name).map_err(|error| schema::content(path, &error))?;
            if !names.insert(case.name.clone()) {
                return Err(schema::content(path, &format!("two cases are called `{}`", case.name)));
            }
            let schema = shared.schema(case.schema.as_deref().unwrap_or(&group.schema))?;
            let title = case.name.clone();
            let case = Case::read(&name, schema, case, &mut shared.room);
            cases.push(case.map_err(|error| schema::content(path, &format!("case `{title}`: {error}")))?);
        }
        Ok(Self { name, about: group.about, cases })
    }
}

impl Case {
    fn read(group: &str, schema: Arc<Schema>, text: CaseText, room: &mut usize) -> Result<Self, String> {
        let expr = match &text.many {
            Some(many) => many.put(text.expr.get(), room)?,
            None => text.expr.get().to_owned(),
        };
        let data = text.data.into_iter();
        let data = data.map(|(entity, json)| SchemaTable::read(schema.catalog(), &entity, json));
        let data = data.collect::<Result<_, _>>()?;
        let rows_are_unknown = text.rows.as_ref().is_some_and(|rows| rows == UNKNOWN);
        let rows = match (text.columns, text.rows) {
            (Some(columns), Some(rows)) => Some(Rows::read(&columns, &rows, text.ordered)?),
            (None, None) => None,
            _ => return Err("`columns` and `rows` stand together".to_owned()),
        };
        let check = text.check.map(Check::read).transpose()?.map(Box::new);
        let write = text.write || text.affected.is_some() || check.is_some();
        let expect = match (rows, text.refused, text.fails) {
            (returning, None, None) if write => Expect::Write { affected: text.affected, returning, check },
            (Some(rows), None, None) => Expect::Rows(rows),
            (None, Some(refusal), None) => Expect::Refused(refusal),
            (None, None, Some(kind)) => Expect::Fails(kind),
            _ => return Err("one of `rows`, `affected` or `check`, `refused`, `fails` says what it gives".to_owned()),
        };
        let requirement = |name: &String| {
            let known = REQUIREMENTS.iter().find(|requirement| requirement.name == name);
            known.ok_or_else(|| format!("`{name}` is no requirement"))
        };
        Ok(Self {
            group: group.to_owned(),
            name: text.name,
            schema,
            data,
            expr,
            verb: match text.verb {
                VerbText::Select => Verb::Select,
                VerbText::Count => Verb::Count,
                VerbText::Exists => Verb::Exists,
            },
            root: text.root,
            table_args: text.table_args.into_iter().map(CompactString::from).collect(),
            requires: text.requires.iter().map(requirement).collect::<Result<_, _>>()?,
            refused_on: text.refused_on,
            expect,
            by: text.by,
            is_mirror: false,
            rows_are_unknown,
        })
    }

    /// A part of the refusal on a dialect that refuses it though it has all that is required.
    #[must_use]
    pub fn refusal_on(&self, dialect: &dyn Dialect) -> Option<&str> {
        let known = |one: &dyn Dialect| {
            self.refused_on.get(&one.label()).or_else(|| self.refused_on.get(one.sheet().name)).map(String::as_str)
        };
        // Of a variant that has what its base has not, nothing is expected.
        dialect.lineage().find_map(known).filter(|part| !part.is_empty())
    }

    /// The request that it stands for.
    #[must_use]
    pub fn request(&self) -> Request<'_> {
        let request = self.root.as_deref().map_or_else(Request::default, Request::of);
        request.table_args(&self.table_args).verb(self.verb)
    }
}

impl Rows {
    fn read(columns: &[String], rows: &Json, ordered: bool) -> Result<Self, String> {
        let columns = columns.iter().map(|text| TypedColumn::parse(text)).collect::<Result<Vec<_>, _>>()?;
        let rows = match rows {
            Json::Array(rows) => rows.as_slice(),
            Json::String(text) if text == UNKNOWN => &[],
            _ => return Err("`rows` is a list of rows".to_owned()),
        };
        let row = |row: &Json| match row.as_array() {
            Some(row) if row.len() == columns.len() => {
                row.iter().zip(&columns).map(|(json, column)| value::read(json, column.ty)).collect()
            }
            _ => Err(format!("{row} has not as many values as there are columns")),
        };
        let rows: Vec<Vec<Value>> = rows.iter().map(row).collect::<Result<_, _>>()?;
        let types = columns.iter().map(|column| column.ty).collect();
        let columns = columns.into_iter().map(|column| column.name).collect();
        Ok(Self { types, answer: Answer { columns, rows, ordered } })
    }
}

impl Check {
    fn read(text: CheckText) -> Result<Self, String> {
        let rows = Rows::read(&text.columns, &text.rows, text.ordered).map_err(|error| format!("check: {error}"))?;
        Ok(Self { expr: text.expr.get().to_owned(), rows })
    }
}

impl Many {
    /// The tree with its items. Their size is reckoned first: a few bytes of a file may ask for any amount of memory.
    fn put(&self, expr: &str, room: &mut usize) -> Result<String, String> {
        const PLACE: &str = "\"MANY\"";
        if self.count > Self::ITEMS {
            return Err(format!("`many` has at most {} items", Self::ITEMS));
        }
        let item = self.item.len() + 1 + Self::DIGITS * self.item.matches('%').count();
        let bytes = usize::try_from(self.count).unwrap_or(usize::MAX).saturating_mul(item);
        // They are made once, and put wherever they stand.
        let bytes = bytes.saturating_mul(expr.matches(PLACE).count().max(1));
        *room = room.checked_sub(bytes).ok_or("the items of `many` are too long, all together")?;
        let items = (1..=self.count).map(|number| self.item.replace('%', &number.to_string()));
        Ok(expr.replace(PLACE, &items.collect::<Vec<_>>().join(",")))
    }
}
