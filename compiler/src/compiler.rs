//! The compiler: a catalog, what the program registered, and a target for each dialect; what is asked of it, and what it
//! answers.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use compact_str::CompactString;

use crate::dialect::Dialect;
use crate::error::Result;
use crate::expr::{DbType, DeleteExpr, Expr, InsertExpr, LogicExpr, SqlSegment, UpdateExpr};
use crate::legalize::Note;
use crate::model::{Catalog, ColumnCollation, TextMode};
use crate::registry::Registry;
use crate::render::{Output, Parameter};
use crate::scope::{AppliedFilter, Scope};
use crate::target::Target;
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
    pub(crate) registry: Arc<Registry>,
    pub(crate) limits: CompileLimits,
    text: TextMode,
    pub(crate) default_source: Arc<OnceLock<CompactString>>,
    targets: Mutex<Vec<Arc<Target>>>,
}

/// What a compilation may take.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
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

impl CompileLimits {
    /// Sets [`depth`](#structfield.depth).
    #[must_use]
    pub const fn depth(mut self, depth: usize) -> Self {
        self.depth = depth;
        self
    }

    /// Sets [`in_list`](#structfield.in_list).
    #[must_use]
    pub const fn in_list(mut self, in_list: usize) -> Self {
        self.in_list = in_list;
        self
    }

    /// Sets [`text`](#structfield.text).
    #[must_use]
    pub const fn text(mut self, text: usize) -> Self {
        self.text = text;
        self
    }

    /// Sets [`kept`](#structfield.kept).
    #[must_use]
    pub const fn kept(mut self, kept: usize) -> Self {
        self.kept = kept;
        self
    }
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
        if let Some(target) = targets.iter().find(|target| *target.dialect() == *dialect) {
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
#[non_exhaustive]
pub struct Request<'r> {
    /// What is asked of a query.
    pub verb: Verb,
    /// The root entity: what a bare filter filters, and what a clause without a source is over. A query whose
    /// outermost table is another one is refused; what is joined to it, further members of a set and subqueries are not.
    pub root: Option<&'r str>,
    /// The entity in whose data source the statement runs, where it has no root: tables of another one are refused.
    pub home: Option<&'r str>,
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

    /// A request that runs in the data source of an entity, over whatever tables of it.
    pub fn within(home: &'r str) -> Self {
        Self { home: Some(home), ..Self::default() }
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

    /// Whether the statement only reads rows, judged by the words of its text: it is a query, no word in it writes, and it is no
    /// `SELECT .. INTO`. What functions do is not seen.
    ///
    /// ```
    /// use isogloss_compiler::Compiled;
    /// let statement = |sql: &str| Compiled { sql: sql.into(), ..Compiled::default() };
    /// assert!(statement("WITH a AS (SELECT 1) SELECT * FROM a FOR UPDATE").only_reads());
    /// assert!(!statement("WITH a AS (DELETE FROM b RETURNING c) SELECT * FROM a").only_reads());
    /// ```
    #[must_use]
    pub fn only_reads(&self) -> bool {
        crate::summary::only_reads(&self.sql)
    }

    /// A copy that outlives its tree: values that are borrowed are cloned.
    ///
    /// It is the statement of these values alone, as another value may need another text. To run a statement with other
    /// values, prepare it: [`Target::prepare`].
    ///
    /// ```
    /// use isogloss_compiler::Compiled;
    /// # use isogloss_compiler::expr::{ValueOps, from, prop};
    /// # use isogloss_compiler::{Target, expr::SqlSegment};
    /// fn unpaid(orders: &Target) -> isogloss_compiler::Result<Compiled<'static>> {
    ///     let query = from("Order").filter(prop("Paid").eq(false)).select(["Total"]).into_segment();
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
