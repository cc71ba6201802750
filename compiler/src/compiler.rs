//! The compiler: a catalog, what the program registered, and a target for each dialect.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use bumpalo::Bump;
use compact_str::CompactString;

use crate::dialect::{Dialect, Feature, On, Placeholder, Quotes, ROWS_VALUE, Row, Support, Version};
use crate::error::{ErrorKind, Result};
use crate::expr::{DbType, DeleteExpr, Expr, InsertExpr, LogicExpr, SqlSegment, UpdateExpr, Value};
use crate::frame::Statement;
use crate::functions::Func;
use crate::kept::{self, KeptStatements, Owner, Record};
use crate::legalize::{Cx, Note};
use crate::model::{Catalog, Column, ColumnCollation, Entity, EntityId, TextMode};
use crate::prepared::Prepared;
use crate::registry::Registry;
use crate::render::{Output, Parameter, Placeholders, Writer};
use crate::resolve;
use crate::scope::{AppliedFilter, Scope};
use crate::template::ExprString;

/// Compiles expressions over a catalog.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/plain.rs"));
/// use isogloss_compiler::Compiler;
/// use isogloss_compiler::expr::{DbValueType, ValueOps, from, prop};
/// use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let user = TableDef::new("User")
///     .table("Users")
///     .column(ColumnDef::new("Id", DbValueType::Int32).primary_key())
///     .column(ColumnDef::new("Name", DbValueType::String).length(100));
/// let compiler = Compiler::new(Catalog::builder().table(user).build()?);
///
/// let query = from("User").filter(prop("Name").eq("Ann")).select(["Id"]).into_segment();
/// let statement = compiler.compile(&query, &Plain)?;
/// assert_eq!(statement.sql, r#"SELECT "T0"."Id" FROM "Users" "T0" WHERE "T0"."Name" = ?"#);
/// assert_eq!(statement.params.len(), 1);
/// # Ok(()) }
/// ```
///
/// It is cheap to share, as an `Arc`. Text that the catalog settles (quoted names, select lists, joins of views) is made once for
/// each dialect and entity, when it is first needed.
#[derive(Debug)]
pub struct Compiler {
    catalog: Catalog,
    registry: Arc<Registry>,
    limits: CompileLimits,
    text: TextMode,
    default_source: Arc<OnceLock<CompactString>>,
    targets: Mutex<Vec<Arc<Target>>>,
}

/// What a compilation may take.
#[derive(Debug, Clone, Copy)]
pub struct CompileLimits {
    /// How deep a tree may be. Resolving recurses this deep.
    pub depth: usize,
    /// How many items an IN list has before it is bound as one parameter, on engines that can.
    pub in_list: usize,
    /// How many bytes of text there may be before another computed value. Where an engine's spelling repeats an
    /// argument, the text of nested calls grows with each level; plain values, however many, are not counted against it.
    pub text: usize,
    /// How many bytes a statement may have, its text and the shape of its tree together, that a thread keeps for others of
    /// that shape; 0 to keep none. A thread keeps 256 shapes and 4 MiB at most.
    pub kept: usize,
}

impl Default for CompileLimits {
    fn default() -> Self {
        Self { depth: 160, in_list: 64, text: 1 << 20, kept: 1 << 18 }
    }
}

impl Compiler {
    /// A compiler over a catalog.
    pub fn new(catalog: Catalog) -> Self {
        Self::with_registry(catalog, Registry::default())
    }

    /// A compiler over a catalog, with fragments and functions of the program.
    pub fn with_registry(catalog: Catalog, registry: Registry) -> Self {
        Self {
            catalog,
            registry: Arc::new(registry),
            limits: CompileLimits::default(),
            text: TextMode::default(),
            default_source: Arc::default(),
            targets: Mutex::default(),
        }
    }

    /// With other limits.
    #[must_use]
    pub fn with_limits(self, limits: CompileLimits) -> Self {
        Self { limits, targets: Mutex::default(), ..self }
    }

    /// With texts that are compared, sorted and grouped by that, but for columns that say otherwise.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/plain.rs"));
    /// # use isogloss_compiler::Compiler;
    /// # use isogloss_compiler::expr::{DbValueType, ValueOps, from, prop};
    /// # use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
    /// use isogloss_compiler::model::TextMode;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let user = TableDef::new("User").column(ColumnDef::new("Name", DbValueType::String).length(100));
    /// # let catalog = Catalog::builder().table(user).build()?;
    /// let compiler = Compiler::new(catalog).with_text(TextMode::Exact);
    /// let ann = from("User").filter(prop("Name").eq("Ann")).select(["Name"]).into_segment();
    /// // What each engine is told, its dialect says. This one compares by code points anyway.
    /// assert!(compiler.compile(&ann, &Plain)?.sql.ends_with(r#"WHERE "T0"."Name" = ?"#));
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn with_text(self, text: TextMode) -> Self {
        Self { text, targets: Mutex::default(), ..self }
    }

    /// Says which data source holds the entities that name none: one that names it is in the same, and may stand in a
    /// statement with them. It is said once; what is said later changes nothing.
    pub fn settle_default_source(&self, name: &str) {
        let _ = self.default_source.set(name.into());
    }

    /// The catalog.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The compiler for one database: its dialect, what texts are compared by there, and the collations of its columns as
    /// far as they are known. Keep it, as each call makes another.
    pub fn target_of(&self, dialect: &dyn Dialect, text: TextMode, collations: &[ColumnCollation]) -> Arc<Target> {
        let catalog =
            if collations.is_empty() { self.catalog.clone() } else { self.catalog.with_collations(collations) };
        Arc::new(Target::new(self, catalog, text, dialect.to_shared()))
    }

    /// The compiler for one dialect. Keep it where many statements are compiled.
    pub fn target(&self, dialect: &dyn Dialect) -> Arc<Target> {
        let mut targets = self.targets.lock().unwrap_or_else(PoisonError::into_inner);
        let known = |t: &&Arc<Target>| {
            std::ptr::eq(t.dialect.sheet(), dialect.sheet())
                && t.dialect.version() == dialect.version()
                && t.dialect.variant() == dialect.variant()
        };
        if let Some(target) = targets.iter().find(known) {
            return Arc::clone(target);
        }
        let target = self.target_of(dialect, self.text, &[]);
        targets.push(Arc::clone(&target));
        target
    }

    /// Compiles a statement for a dialect.
    ///
    /// # Errors
    /// What cannot be resolved, and what the dialect refuses.
    pub fn compile<'e>(&self, statement: impl Into<StatementRef<'e>>, dialect: &dyn Dialect) -> Result<Compiled<'e>> {
        self.target(dialect).compile(statement)
    }

    /// Compiles a query for a dialect, as the question how many rows it has, or whether it has any.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/plain.rs"));
    /// # use isogloss_compiler::expr::{DbValueType, from, prop, ValueOps};
    /// # use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
    /// use isogloss_compiler::{Compiler, Verb};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let user = TableDef::new("User").column(ColumnDef::new("Id", DbValueType::Int32).primary_key());
    /// # let compiler = Compiler::new(Catalog::builder().table(user).build()?);
    /// let users = from("User").filter(prop("Id").gt(5)).order_by(["Id"]);
    /// let any = compiler.compile_as(Verb::Exists, &users, &Plain)?;
    /// // The order is gone, as it makes no difference; `Verb::Count` leaves a paging away as well.
    /// assert!(any.sql.starts_with(r#"SELECT 1 FROM "User" "T0" WHERE "T0"."Id" > ?"#));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// What cannot be resolved, and what the dialect refuses.
    pub fn compile_as<'e>(
        &self,
        verb: Verb,
        query: impl Into<StatementRef<'e>>,
        dialect: &dyn Dialect,
    ) -> Result<Compiled<'e>> {
        self.compile_with(query, &Request::default().verb(verb), dialect)
    }

    /// Compiles a statement for a dialect as a request says: a bare filter over its root entity, a sharded table with
    /// its arguments. [`Target::compile_with`] uses buffers again.
    ///
    /// # Errors
    /// What cannot be resolved, and what the dialect refuses.
    pub fn compile_with<'e>(
        &self,
        statement: impl Into<StatementRef<'e>>,
        request: &Request<'e>,
        dialect: &dyn Dialect,
    ) -> Result<Compiled<'e>> {
        self.target(dialect).compile_with(statement, request, Buffers::default())
    }
}

/// What can be compiled.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum StatementRef<'e> {
    /// A query.
    Query(&'e SqlSegment),
    /// A filter over the root entity.
    Filter(&'e LogicExpr),
    /// An INSERT.
    Insert(&'e InsertExpr),
    /// An UPDATE.
    Update(&'e UpdateExpr),
    /// A DELETE.
    Delete(&'e DeleteExpr),
    /// A template of the program.
    Template(&'e ExprString),
    /// All rows of the root entity.
    Root,
    /// A node that is no statement.
    Other(&'static str),
}

impl<'e> From<&'e Expr> for StatementRef<'e> {
    fn from(expr: &'e Expr) -> Self {
        match expr {
            Expr::Segment(segment) => StatementRef::Query(segment),
            Expr::Logic(logic) => StatementRef::Filter(logic),
            Expr::Insert(insert) => StatementRef::Insert(insert),
            Expr::Update(update) => StatementRef::Update(update),
            Expr::Delete(delete) => StatementRef::Delete(delete),
            Expr::Value(_) => StatementRef::Other("value"),
            Expr::SelectItem(_) => StatementRef::Other("select item"),
            Expr::OrderByItem(_) => StatementRef::Other("key of an order"),
            Expr::TableJoin(_) => StatementRef::Other("join"),
        }
    }
}

macro_rules! statement_from {
    ($($node:ident $variant:ident),*) => {$(
        impl<'e> From<&'e $node> for StatementRef<'e> {
            fn from(node: &'e $node) -> Self {
                StatementRef::$variant(node)
            }
        }
    )*};
}

statement_from!(SqlSegment Query, LogicExpr Filter, InsertExpr Insert, UpdateExpr Update, DeleteExpr Delete);
statement_from!(ExprString Template);

/// What is asked of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verb {
    /// Its rows.
    #[default]
    Select,
    /// How many rows it has, without its order and paging.
    Count,
    /// Whether it has a row.
    Exists,
}

/// How a statement is compiled.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/plain.rs"));
/// # use isogloss_compiler::expr::{DbValueType, from, prop, ValueOps};
/// # use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
/// use isogloss_compiler::{Compiler, Request, Verb};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let log = TableDef::new("Log").table("Log_{0}").column(ColumnDef::new("Id", DbValueType::Int64).primary_key());
/// # let compiler = Compiler::new(Catalog::builder().table(log).build()?);
/// // A bare filter needs a root entity, a sharded table its arguments.
/// let (filter, shard) = (prop("Id").gt(5), ["2024".into()]);
/// let request = Request::of("Log").table_args(&shard).verb(Verb::Exists);
/// let statement = compiler.compile_with(&filter, &request, &Plain)?;
/// assert!(statement.sql.starts_with(r#"SELECT 1 FROM "Log_2024" "T0" WHERE "T0"."Id" > ?"#));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Request<'r> {
    /// What is asked of a query.
    pub verb: Verb,
    /// The root entity: what a bare filter filters, and what a clause without a source is over. A query whose
    /// outermost table is another one is refused; what is joined to it, further members of a set and subqueries are not.
    pub root: Option<&'r str>,
    /// Arguments for the placeholders of table names, where the tree gives none. Those that no table of the statement
    /// has a place for are refused.
    pub table_args: &'r [CompactString],
    /// Whether [`Compiled::columns`] is filled.
    pub columns: bool,
    /// What is true of the request, and holds for each table of the statement.
    pub scope: Option<&'r Scope>,
}

impl<'r> Request<'r> {
    /// A request over a root entity.
    pub fn of(root: &'r str) -> Self {
        Self { root: Some(root), ..Self::default() }
    }

    /// With another verb.
    #[must_use]
    pub fn verb(self, verb: Verb) -> Self {
        Self { verb, ..self }
    }

    /// With arguments for the placeholders of table names.
    #[must_use]
    pub fn table_args(self, table_args: &'r [CompactString]) -> Self {
        Self { table_args, ..self }
    }

    /// With filters of a [`Scope`] on every table of the statement.
    #[must_use]
    pub fn scope(self, scope: &'r Scope) -> Self {
        Self { scope: Some(scope), ..self }
    }

    /// With the columns of a query's rows beside its text.
    #[must_use]
    pub fn columns(self) -> Self {
        Self { columns: true, ..self }
    }
}

/// A compiled statement: its text, its parameters in the order of their placeholders, and what was expanded.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Compiled<'e> {
    /// The text.
    pub sql: String,
    /// The parameters.
    pub params: Vec<Parameter<'e>>,
    /// What the statement fills: placeholders behind those of the parameters. Such a statement has no rows; each
    /// output has as many values as rows were written. Empty wherever RETURNING gives rows.
    pub outputs: Vec<Output>,
    /// What the dialect lacks, and by what it is expressed instead.
    pub notes: Vec<Note>,
    /// The columns of its rows, in their order, if [`Request::columns`] asked for them: those of a query, and of a
    /// template that is a search or a single query. The text of any other template says by itself what its rows are, and
    /// a write, a count and an existence have none.
    pub columns: Vec<ResultColumn>,
    /// Each filter of the request's [`Scope`] that stands in the statement, and each that a node does without, in the order
    /// of their tables. The marks of deleted rows are told of where they are said anything of.
    pub filters: Vec<AppliedFilter>,
}

/// A column of a query's rows.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/plain.rs"));
/// # use isogloss_compiler::expr::{DbValueType, ValueOps, from, prop};
/// # use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
/// use isogloss_compiler::{Compiler, Request};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let user = TableDef::new("User").column(ColumnDef::new("Age", DbValueType::Int32));
/// # let compiler = Compiler::new(Catalog::builder().table(user).build()?);
/// // The alias is that of a property, the type that of the item.
/// let query = from("User").select([(prop("Age") * 1.5).alias("Age")]).into_segment();
/// let statement = compiler.compile_with(&query, &Request::default().columns(), &Plain)?;
/// assert_eq!(statement.columns[0].name, "Age");
/// assert_eq!(statement.columns[0].ty, Some(DbValueType::Double.into()));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResultColumn {
    /// Its name: the alias, or the property; of a computed item without an alias `C` and its place, counted from 0,
    /// whatever the engine calls it.
    pub name: CompactString,
    /// Its type, if that is known.
    pub ty: Option<DbType>,
}

impl Compiled<'_> {
    /// The text over several lines, for people.
    #[must_use]
    pub fn pretty(&self) -> String {
        crate::pretty::pretty(&self.sql)
    }

    /// What the statement does to which tables, in their order, for traces and metrics: `SELECT Orders Users`. Texts
    /// that differ in their conditions only have one summary; it is at most 255 bytes long.
    #[must_use]
    pub fn summary(&self) -> String {
        crate::summary::summary(&self.sql)
    }

    /// The same without its tree: to be kept, and run again with other values of its parameters.
    ///
    /// ```
    /// use isogloss_compiler::Compiled;
    /// # use isogloss_compiler::expr::{ValueOps, from, prop};
    /// # use isogloss_compiler::{Target, expr::SqlSegment};
    /// fn by_key(orders: &Target) -> isogloss_compiler::Result<Compiled<'static>> {
    ///     let query = from("Order").filter(prop("Id").eq(0)).select(["Total"]).into_segment();
    ///     Ok(orders.compile(&query)?.into_owned())
    /// }
    /// ```
    #[must_use]
    pub fn into_owned(self) -> Compiled<'static> {
        let Self { sql, params, outputs, notes, columns, filters } = self;
        let owned = |p: Parameter<'_>| Parameter { value: Cow::Owned(p.value.into_owned()), ty: p.ty };
        Compiled { sql, params: params.into_iter().map(owned).collect(), outputs, notes, columns, filters }
    }

    /// The buffers, for another compilation.
    #[must_use]
    pub fn recycle(self) -> Buffers {
        let mut sql = self.sql;
        sql.clear();
        Buffers { sql, params: recycle_params(self.params) }
    }
}

impl fmt::Display for Compiled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sql)
    }
}

/// Buffers of an earlier compilation. With them, one allocates nothing.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/plain.rs"));
/// # use isogloss_compiler::expr::{DbValueType, from, prop, ValueOps};
/// # use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
/// use isogloss_compiler::{Buffers, Compiler, Request};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let user = TableDef::new("User").column(ColumnDef::new("Id", DbValueType::Int32).primary_key());
/// # let compiler = Compiler::new(Catalog::builder().table(user).build()?);
/// let target = compiler.target(&Plain);
/// let mut buffers = Buffers::default();
/// for id in 1..4 {
///     let query = from("User").filter(prop("Id").eq(id));
///     let statement = target.compile_with(&query, &Request::default(), buffers)?;
///     // Run it, then take its buffers back.
///     buffers = statement.recycle();
/// }
/// # Ok(()) }
/// ```
#[derive(Debug, Default)]
pub struct Buffers {
    sql: String,
    params: Vec<Parameter<'static>>,
}

impl Buffers {
    pub(crate) fn into_parts(self) -> (String, Vec<Parameter<'static>>) {
        (self.sql, self.params)
    }
}

/// The same allocation for parameters of another tree. `collect` of an emptied vector works in place.
pub(crate) fn recycle_params<'from, 'to>(mut params: Vec<Parameter<'from>>) -> Vec<Parameter<'to>> {
    params.clear();
    params
        .into_iter()
        .map(|p: Parameter<'from>| Parameter { value: Cow::Owned(p.value.into_owned()), ty: p.ty })
        .collect()
}

/// A compiler for one dialect.
#[derive(Debug)]
pub struct Target {
    /// What its kept statements are known by.
    owner: Owner,
    catalog: Catalog,
    registry: Arc<Registry>,
    limits: CompileLimits,
    default_source: Arc<OnceLock<CompactString>>,
    dialect: Arc<dyn Dialect>,
    placeholders: Placeholders,
    /// What stands in their places in a write of many rows.
    rows_values: Placeholders,
    quotes: Quotes,
    support: [Support; Feature::COUNT],
    /// The rows of each function that fit the version, in the order of the table.
    functions: Vec<Vec<&'static Row>>,
    prepared: Vec<OnceLock<Box<Prepared>>>,
    constants: [&'static str; 2],
    /// The quoted alias of a statement's main table.
    main_alias: Box<str>,
    /// What texts are compared by where their column does not say.
    text: TextMode,
    /// What there is to do about that.
    texts: Texts,
}

/// What there is to do about the texts of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Texts {
    /// Nothing: they are compared as the database does.
    Plain,
    /// They are compared so, and there are columns about which a note says that.
    Noted,
    /// Some or all are compared by code points.
    Exact,
}

impl Texts {
    fn of(catalog: &Catalog, mode: TextMode, native: bool) -> Self {
        let columns = || catalog.entities().flat_map(|(_, entity)| &entity.columns);
        let loose = |column: &Column| column.collation.as_ref().is_some_and(|collation| !collation.is_exact());
        if native {
            Texts::Plain
        } else if mode == TextMode::Exact || columns().any(|column| column.text == Some(TextMode::Exact)) {
            Texts::Exact
        } else if columns().any(loose) {
            Texts::Noted
        } else {
            Texts::Plain
        }
    }
}

/// How a statement is compiled, besides what a request says.
struct How<'h, 'e> {
    /// The source of a write of many rows.
    rows_source: Option<&'h str>,
    /// What is asked of its values, if somebody wants to know.
    record: Option<&'h mut Record<'e>>,
}

/// What one compilation needs and the next can use again.
#[derive(Default)]
struct Scratch {
    bump: Bump,
    made: Vec<Value>,
}

thread_local! {
    /// The arena of the last compilation of this thread, emptied: so that a compilation need not ask for one.
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

/// An arena larger than this is given back.
const KEPT: usize = 1 << 20;

impl Target {
    fn new(compiler: &Compiler, catalog: Catalog, text: TextMode, dialect: Arc<dyn Dialect>) -> Self {
        let sheet = dialect.sheet();
        let version = dialect.version();
        let mut support = [Support::Native; Feature::COUNT];
        for (feature, since) in sheet.support {
            if let Some(slot) = support.get_mut(*feature as usize)
                && since.version <= version
            {
                *slot = since.support;
            }
        }
        let functions = Func::ALL
            .iter()
            .map(|func| {
                let fits = |row: &&Row| row.func == *func && row.since <= version;
                dialect.more_functions().iter().chain(sheet.functions).filter(fits).collect()
            })
            .collect();
        let native = matches!(support.get(Feature::BooleanLiteral as usize), Some(Support::Native));
        let exact = matches!(support.get(Feature::ExactText as usize), Some(Support::Native));
        let texts = Texts::of(&catalog, text, exact);
        let prepared = catalog.entities().map(|_| OnceLock::new()).collect();
        Self {
            owner: Owner::new(),
            placeholders: Placeholders::new(sheet.placeholder),
            rows_values: Placeholders::new(Placeholder::Numbered(ROWS_VALUE)),
            quotes: sheet.quotes,
            main_alias: {
                let mut text = String::new();
                crate::render::quote_into(&mut text, crate::prepared::MAIN, sheet.quotes);
                text.into()
            },
            constants: if native { ["FALSE", "TRUE"] } else { ["1 = 0", "1 = 1"] },
            catalog,
            registry: Arc::clone(&compiler.registry),
            limits: compiler.limits,
            default_source: Arc::clone(&compiler.default_source),
            dialect,
            support,
            functions,
            prepared,
            text,
            texts,
        }
    }

    /// Compiles a statement.
    ///
    /// # Errors
    /// What cannot be resolved, and what the dialect refuses.
    pub fn compile<'e>(&self, statement: impl Into<StatementRef<'e>>) -> Result<Compiled<'e>> {
        self.compile_with(statement, &Request::default(), Buffers::default())
    }

    /// Compiles a template; its parameters are borrowed from it.
    ///
    /// # Errors
    /// What is wrong with its text, holes that nothing fills, what cannot be resolved and what the dialect refuses.
    pub fn compile_template<'e>(&self, template: &'e ExprString, request: &Request<'e>) -> Result<Compiled<'e>> {
        self.compile_with(template, request, Buffers::default())
    }

    /// Compiles a statement as a request says, into buffers of an earlier one.
    ///
    /// # Errors
    /// What cannot be resolved, and what the dialect refuses.
    pub fn compile_with<'e>(
        &self,
        statement: impl Into<StatementRef<'e>>,
        request: &Request<'e>,
        buffers: Buffers,
    ) -> Result<Compiled<'e>> {
        kept::compile(self, statement.into(), request, buffers)
    }

    /// Compiles a statement, and records what it asks of its values.
    pub(crate) fn compile_anew<'e>(
        &self,
        statement: StatementRef<'e>,
        request: &Request<'e>,
        buffers: Buffers,
        record: Option<&mut Record<'e>>,
    ) -> Result<Compiled<'e>> {
        let how = How { rows_source: None, record };
        self.run_as(statement, buffers, how, |cx| resolve::statement(cx, statement, request))
    }

    /// Resolves and writes a statement.
    pub(crate) fn run<'e>(
        &self,
        statement: StatementRef<'e>,
        buffers: Buffers,
        rows_source: Option<&str>,
        resolve: impl for<'a> FnOnce(&mut Cx<'a, 'e>) -> Result<Statement<'a, 'e>>,
    ) -> Result<Compiled<'e>> {
        self.run_as(statement, buffers, How { rows_source, record: None }, resolve)
    }

    fn run_as<'e>(
        &self,
        statement: StatementRef<'e>,
        buffers: Buffers,
        how: How<'_, 'e>,
        resolve: impl for<'a> FnOnce(&mut Cx<'a, 'e>) -> Result<Statement<'a, 'e>>,
    ) -> Result<Compiled<'e>> {
        let mut scratch = SCRATCH.try_with(Cell::take).ok().flatten().unwrap_or_default();
        let result = self.run_in(statement, buffers, how, &mut scratch, resolve);
        scratch.made.clear();
        if scratch.bump.allocated_bytes() <= KEPT {
            scratch.bump.reset();
            let _ = SCRATCH.try_with(|slot| slot.set(Some(scratch)));
        }
        result
    }

    fn run_in<'e>(
        &self,
        statement: StatementRef<'e>,
        buffers: Buffers,
        how: How<'_, 'e>,
        scratch: &mut Scratch,
        resolve: impl for<'a> FnOnce(&mut Cx<'a, 'e>) -> Result<Statement<'a, 'e>>,
    ) -> Result<Compiled<'e>> {
        let Scratch { bump, made } = scratch;
        let How { rows_source, record } = how;
        let mut cx = Cx::new(bump, self, std::mem::take(made));
        cx.open = record.is_some().then(Vec::new);
        let mut frame = resolve(&mut cx);
        if self.texts != Texts::Plain {
            frame = frame.and_then(|frame| cx.exact_statement(frame));
        }
        // What a walk that gave up made of it does not count.
        cx.looked_enough()?;
        let frame = frame?;
        let limit = self.dialect.sheet().limits.parameters;
        let mut writer = Writer::new(self, &cx.made, &cx.fragments);
        if rows_source.is_some() {
            (writer.rows_source, writer.placeholders) = (rows_source, &self.rows_values);
        }
        writer.around = &cx.around;
        writer.sql = buffers.sql;
        writer.params = recycle_params(buffers.params);
        writer.reserve(&frame, cx.bump, cx.params.get());
        writer.statement(&frame)?;
        if let Some(record) = record {
            let is_enough = !(cx.looked.get() || writer.looked.get()) && cx.fragments.is_empty();
            let open = cx.open.iter().flatten().filter(|_| is_enough);
            let places = open.map(|(value, column)| Some((*value, kept::place_of(self, column)?)));
            record.open = places.collect::<Option<_>>().unwrap_or_default();
            let around = writer.patterns.iter().filter_map(|(param, place)| Some((*param, *cx.around.get(*place)?)));
            record.around = around.collect();
            record.is_enough = is_enough;
        }
        let (sql, mut params, outputs, utc) = (writer.sql, writer.params, writer.outputs, writer.utc_bound);
        if let Some(stored) = self.dialect.stored_form() {
            for param in &mut params {
                if let Some(value) = stored(&param.value) {
                    param.value = Cow::Owned(value);
                }
            }
        }
        if utc {
            cx.rule_for(Feature::OffsetParameter)?;
        }
        if params.len() + outputs.len() > limit {
            let rows = match statement {
                StatementRef::Insert(insert) => limit.checked_div(insert.columns.len()).filter(|rows| *rows > 0),
                _ => None,
            };
            return Err(ErrorKind::TooManyParameters {
                count: params.len() + outputs.len(),
                limit,
                dialect: self.dialect.label(),
                rows,
            }
            .into());
        }
        *made = cx.made;
        Ok(Compiled { sql, params, outputs, notes: cx.notes, columns: cx.columns, filters: cx.filters })
    }

    /// The catalog.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    pub(crate) fn owner(&self) -> Owner {
        self.owner
    }

    /// Whether it is known which data source holds the entities that name none.
    pub(crate) fn has_default_source(&self) -> bool {
        self.default_source.get().is_some()
    }

    /// The statements that the calling thread keeps, of all targets.
    ///
    /// A statement whose tree differs from one that was compiled before in its values only is not compiled again, where these
    /// values are compared with properties: its text is the same. [`CompileLimits::kept`] says how long such a statement may be.
    #[must_use]
    pub fn kept() -> KeptStatements {
        kept::counts()
    }

    /// The data source that holds an entity, if that is known.
    fn source_of<'t>(&'t self, entity: &'t Entity) -> Option<&'t str> {
        entity.data_source.as_deref().or_else(|| self.default_source.get().map(CompactString::as_str))
    }

    /// Whether one data source holds both entities.
    pub(crate) fn in_one_source(&self, a: &Entity, b: &Entity) -> bool {
        match (self.source_of(a), self.source_of(b)) {
            (Some(a), Some(b)) => a.eq_ignore_ascii_case(b),
            (a, b) => a == b,
        }
    }

    /// What the program registered.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// What a compilation may take.
    pub fn limits(&self) -> CompileLimits {
        self.limits
    }

    /// The dialect.
    #[inline]
    pub fn dialect(&self) -> &dyn Dialect {
        &*self.dialect
    }

    /// What texts are compared, sorted and grouped by where their column does not say.
    pub fn text(&self) -> TextMode {
        self.text
    }

    #[inline]
    pub(crate) fn texts(&self) -> Texts {
        self.texts
    }

    /// The version of the dialect.
    pub fn version(&self) -> Version {
        self.dialect.version()
    }

    #[inline]
    pub(crate) fn placeholders(&self) -> &Placeholders {
        &self.placeholders
    }

    pub(crate) fn placeholder(&self) -> Placeholder {
        self.dialect.sheet().placeholder
    }

    #[inline]
    pub(crate) fn quotes(&self) -> Quotes {
        self.quotes
    }

    /// Whether the engine has a feature, and what to do if not.
    #[inline]
    pub fn support(&self, feature: Feature) -> Support {
        self.support.get(feature as usize).copied().unwrap_or(Support::Native)
    }

    /// Whether the engine has a feature by itself.
    #[inline]
    pub fn has(&self, feature: Feature) -> bool {
        matches!(self.support(feature), Support::Native)
    }

    /// The quoted alias of a statement's main table.
    pub(crate) fn main_alias(&self) -> &str {
        &self.main_alias
    }

    /// A constant predicate.
    pub(crate) fn constant(&self, value: bool) -> &'static str {
        let [no, yes] = self.constants;
        if value { yes } else { no }
    }

    /// The rows of a function that fit the version.
    pub(crate) fn function(&self, func: Func) -> &[&'static Row] {
        self.functions.get(func as usize).map_or(&[], |rows| rows)
    }

    /// The texts that the catalog settles for an entity.
    pub(crate) fn prepared(&self, id: EntityId) -> Option<&Prepared> {
        let slot = self.prepared.get(id.index())?;
        Some(slot.get_or_init(|| Box::new(Prepared::names(self, id))))
    }

    /// A refusal.
    pub fn refused(&self, feature: impl Into<String>, reason: impl Into<String>) -> crate::Error {
        ErrorKind::Refused { feature: feature.into(), dialect: self.dialect.label(), reason: reason.into() }.into()
    }
}

/// Whether an argument of that type is of a kind.
pub(crate) fn fits(on: On, first: Option<DbType>) -> bool {
    use crate::expr::DbValueType as T;
    let Some(ty) = first else { return on == On::Anything };
    match on {
        On::Anything => true,
        _ if ty.array => false,
        On::Integer => ty.base.is_integer(),
        On::Int32 => matches!(ty.base, T::Byte | T::SByte | T::Int16 | T::UInt16 | T::Int32),
        On::Exact => ty.base.is_integer() || ty.base.is_decimal(),
        On::Float => ty.base.is_float(),
        On::Text => ty.base.is_text(),
        On::Date => ty.base == T::Date,
        On::DateTime => matches!(ty.base, T::DateTime | T::DateTime2),
        On::DateTimeOffset => ty.base == T::DateTimeOffset,
        On::Time => ty.base == T::Time,
        On::Boolean => ty.base == T::Boolean,
        On::Guid => ty.base == T::Guid,
        On::Binary => ty.base == T::Binary,
        On::Json => matches!(ty.base, T::Json | T::Jsonb),
    }
}
