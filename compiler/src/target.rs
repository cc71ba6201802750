//! A target: a catalog and its rules for one dialect, and the way of a statement through its compilation.

use std::borrow::Cow;
use std::cell::Cell;
use std::sync::{Arc, OnceLock};

use bumpalo::Bump;
use compact_str::CompactString;

use crate::compiler::{Buffers, CompileLimits, Compiled, Compiler, Request, StatementRef, recycle_params};
use crate::dialect::{Dialect, Feature, Placeholder, Quotes, ROWS_VALUE, Row, Support, Version};
use crate::entity_texts::EntityTexts;
use crate::error::{ErrorKind, Result};
use crate::expr::Value;
use crate::frame::Statement;
use crate::functions::Func;
use crate::kept::{self, KeptStatements, Owner, Record};
use crate::legalize::{Cx, derived, exact};
use crate::model::{Catalog, Collation, Column, Entity, EntityId, TextMode};
use crate::registry::Registry;
use crate::render::{Placeholders, Writer};
use crate::resolve;
use crate::template::ExprString;

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
    entity_texts: Vec<OnceLock<Box<EntityTexts>>>,
    /// From how many values on a list is one parameter, wherever it stands.
    packed: usize,
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
    pub(crate) fn new(compiler: &Compiler, catalog: Catalog, text: TextMode, dialect: Arc<dyn Dialect>) -> Self {
        let sheet = dialect.sheet();
        let support = dialect.support();
        let functions = Func::ALL.iter().map(|func| dialect.rows_of(*func)).collect();
        let native = matches!(support.get(Feature::BooleanLiteral as usize), Some(Support::Native));
        let exact = matches!(support.get(Feature::ExactText as usize), Some(Support::Native));
        let texts = Texts::of(&catalog, text, exact);
        let takes_arrays =
            [Feature::ArrayParameter, Feature::ArrayInChange, Feature::ArrayInJoin, Feature::ArrayOfTexts]
                .into_iter()
                .all(|feature| matches!(support.get(feature as usize), Some(Support::Native)));
        let packed = if takes_arrays { compiler.limits.in_list.saturating_add(1) } else { usize::MAX };
        let entity_texts = catalog.entities().map(|_| OnceLock::new()).collect();
        Self {
            owner: Owner::new(),
            placeholders: Placeholders::new(sheet.placeholder),
            rows_values: Placeholders::new(Placeholder::Numbered(ROWS_VALUE)),
            quotes: sheet.quotes,
            main_alias: sheet.quotes.quoted([crate::entity_texts::MAIN]).into(),
            constants: if native { ["FALSE", "TRUE"] } else { ["1 = 0", "1 = 1"] },
            catalog,
            registry: Arc::clone(&compiler.registry),
            limits: compiler.limits,
            default_source: Arc::clone(&compiler.default_source),
            dialect,
            support,
            functions,
            entity_texts,
            packed,
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
        // A hook of the base names the base.
        result.map_err(|error| error.refused_by(&*self.dialect))
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
            frame = frame.and_then(|frame| exact::exact_statement(&mut cx, frame));
        }
        if let Ok(frame) = &frame {
            derived::closed_derived(&cx, frame)?;
        }
        // What a walk that gave up made of it does not count.
        cx.looked_enough()?;
        let frame = frame?;
        let limit = self.dialect.sheet().limits.parameters;
        let mut writer = Writer::new(self, &cx.made, &cx.fragments);
        if rows_source.is_some() {
            (writer.rows_source, writer.placeholders) = (rows_source, &self.rows_values);
        }
        writer.may_be_made = &cx.made_again;
        let (sql, params) = buffers.into_parts();
        writer.sql = sql;
        writer.params = recycle_params(params);
        writer.reserve(&frame, cx.bump, cx.params.get());
        writer.statement(&frame)?;
        if let Some(record) = record {
            let is_enough = !(cx.looked.get() || writer.looked.get()) && cx.fragments.is_empty();
            let mut places = kept::Places::new(self);
            let open = cx.open.iter().flatten().filter(|_| is_enough);
            let open = open.map(|(value, taker)| Some((*value, places.of_taker(*taker)?)));
            record.open = open.collect::<Option<_>>().unwrap_or_default();
            let made = writer.made_again.iter().filter(|_| is_enough);
            let made = made.map(|(param, at)| Some((*param, places.of_made(*cx.made_again.get(*at)?)?)));
            record.made = made.collect::<Option<_>>().unwrap_or_default();
            record.asked = cx.asked.take();
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

    /// Whether two texts of a column of the catalog are equal in SQL only if every character of them is the same, blanks at
    /// the end among them: by the mode of texts, or by the column's collation if that is known.
    #[must_use]
    pub fn tells_texts_apart(&self, column: &Column) -> bool {
        let by_collation = |collation: &Collation| collation.equal && collation.charset.is_none();
        column.text.unwrap_or(self.text) == TextMode::Exact || column.collation.as_ref().is_some_and(by_collation)
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
    /// A statement whose tree differs from one that was compiled before in its values only is not compiled again, unless its text
    /// depends on more than the kinds of these. [`CompileLimits::kept`] says how long such a statement may be.
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

    /// From how many values on a list is one parameter, so that its length makes no difference.
    pub(crate) fn packed(&self) -> usize {
        self.packed
    }

    /// The texts that the catalog settles for an entity.
    pub(crate) fn entity_texts(&self, id: EntityId) -> Option<&EntityTexts> {
        let slot = self.entity_texts.get(id.index())?;
        Some(slot.get_or_init(|| Box::new(EntityTexts::names(self, id))))
    }

    /// A refusal.
    pub fn refused(&self, feature: impl Into<String>, reason: impl Into<String>) -> crate::Error {
        ErrorKind::Refused { feature: feature.into(), dialect: self.dialect.label(), reason: reason.into() }.into()
    }
}
