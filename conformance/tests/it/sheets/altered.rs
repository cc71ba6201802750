//! A dialect with another data sheet, and what a data sheet may say otherwise.

use std::borrow::Cow;
use std::sync::Arc;

use isogloss_compiler::Lexis;
use isogloss_compiler::Result;
use isogloss_compiler::dialect::{
    Dialect, Feature, FormatToken, JsonDateTime, JsonHolder, Limits, On, PathStep, Returned, Row, RowsSource,
    RowsWrite, Sense, Sheet, Since, Spelling, Support, UpsertNames, Version,
};
use isogloss_compiler::expr::{DbType, DbValueType, Value};
use isogloss_compiler::frame::{Delete, In, Insert, Lock, Param, Scalar, TextForm, Update};
use isogloss_compiler::functions::Func;
use isogloss_compiler::model::Collation;
use isogloss_compiler::render::{Prec, Writer};

/// A dialect with another data sheet.
#[derive(Debug, Clone)]
pub struct Altered {
    pub dialect: Arc<dyn Dialect>,
    pub sheet: &'static Sheet,
}

macro_rules! hand_on {
    ($(fn $name:ident $(<$l:lifetime>)? (&self $(, $arg:ident: $ty:ty)* $(,)?) $(-> $out:ty)?;)*) => {
        $(fn $name $(<$l>)? (&self $(, $arg: $ty)*) $(-> $out)? { self.dialect.$name($($arg),*) })*
    };
}

impl PartialEq for Altered {
    fn eq(&self, other: &Self) -> bool {
        *self.dialect == *other.dialect && std::ptr::eq(self.sheet, other.sheet)
    }
}

impl Eq for Altered {}

impl Dialect for Altered {
    fn sheet(&self) -> &'static Sheet {
        self.sheet
    }

    fn base(&self) -> Option<&dyn Dialect> {
        self.dialect.base()
    }

    hand_on! {
        fn version(&self) -> Version;
        fn label(&self) -> String;
        fn more_functions(&self) -> &'static [Row];
        fn stored_form(&self) -> Option<fn(&Value) -> Option<Value>>;
        fn cast_type(&self, ty: DbType) -> Result<&'static str>;
        fn literal(&self, w: &mut Writer<'_, '_>, value: &Value) -> Result<()>;
        fn typed_literal(&self, w: &mut Writer<'_, '_>, value: &Value, ty: DbType) -> Result<()>;
        fn lexis(&self) -> Lexis;
        fn top<'e>(&self, w: &mut Writer<'_, 'e>, limit: &Scalar<'_, 'e>) -> Result<bool>;
        fn paging<'e>(
            &self,
            w: &mut Writer<'_, 'e>,
            limit: Option<&Scalar<'_, 'e>>,
            offset: Option<&Scalar<'_, 'e>>,
        ) -> Result<()>;
        fn lock(&self, w: &mut Writer<'_, '_>, lock: Lock<'_>);
        fn table_hint(&self, w: &mut Writer<'_, '_>, lock: Lock<'_>);
        fn repeats_placeholders(&self) -> bool;
        fn no_source(&self) -> &'static str;
        fn writes_constant(&self, value: &Value) -> bool;
        fn typed_parameter<'e>(&self, w: &mut Writer<'_, 'e>, param: Param<'e>, ty: DbType) -> Result<()>;
        fn cast<'e>(&self, w: &mut Writer<'_, 'e>, value: &Scalar<'_, 'e>, to: DbType) -> Result<()>;
        fn assigns(&self, from: DbValueType, to: DbValueType) -> bool;
        fn wide_type(&self, ty: DbType) -> Option<&'static str>;
        fn cross_join(&self) -> &'static str;
        fn with_recursive(&self) -> &'static str;
        fn recursive_end(&self) -> &'static str;
        fn except(&self) -> &'static str;
        fn concat<'e>(&self, w: &mut Writer<'_, 'e>, items: &[Scalar<'_, 'e>]) -> Result<()>;
        fn bare_text(&self, w: &mut Writer<'_, '_>, text: &str);
        fn concat_prec(&self) -> Prec;
        fn in_array<'e>(&self, w: &mut Writer<'_, 'e>, node: &In<'_, 'e>, array: Param<'e>, ty: DbType) -> Result<()>;
        fn exact_text<'e>(&self, w: &mut Writer<'_, 'e>, text: &Scalar<'_, 'e>, form: TextForm) -> Result<()>;
        fn exact_prec(&self, form: TextForm) -> Prec;
        fn joins_array(&self) -> bool;
        fn beside_column(&self, collation: &Collation) -> Option<String>;
        fn cut_seconds(&self, ty: DbValueType, digits: u8) -> Option<(String, Prec)>;
        fn null_safe_equal<'e>(
            &self,
            w: &mut Writer<'_, 'e>,
            left: &Scalar<'_, 'e>,
            right: &Scalar<'_, 'e>,
            sense: Sense,
        ) -> Result<()>;
        fn json_equal<'e>(
            &self,
            w: &mut Writer<'_, 'e>,
            left: &Scalar<'_, 'e>,
            right: &Scalar<'_, 'e>,
            sense: Sense,
        ) -> Result<()>;
        fn regex<'e>(
            &self,
            w: &mut Writer<'_, 'e>,
            text: &Scalar<'_, 'e>,
            pattern: &Scalar<'_, 'e>,
            sense: Sense,
        ) -> Result<()>;
        fn like_escape(&self) -> &'static str;
        fn insert<'e>(&self, w: &mut Writer<'_, 'e>, insert: &Insert<'_, 'e>) -> Result<()>;
        fn default_row(&self, column: &str) -> Cow<'static, str>;
        fn ordered_join(&self) -> &'static str;
        fn upsert_names(&self, table: &str) -> UpsertNames;
        fn write_alias(&self) -> bool;
        fn write_joins(&self) -> bool;
        fn overriding(&self) -> &'static str;
        fn binds_returning(&self) -> bool;
        fn coalesced_query(&self) -> &'static Spelling<'static>;
        fn clean_pattern(&self) -> &'static Spelling<'static>;
        fn wide_decimal(&self, scale: u32) -> String;
        fn one_row(&self) -> &'static Spelling<'static>;
        fn update_lock(&self) -> (&'static str, &'static str);
        fn materialize_hint(&self, alias: &str) -> Option<String>;
        fn returning_qualifier(&self, rows: Returned) -> Option<&'static str>;
        fn update<'e>(&self, w: &mut Writer<'_, 'e>, update: &Update<'_, 'e>) -> Result<()>;
        fn rows_source(&self, write: RowsWrite, types: &[DbType]) -> Result<Option<RowsSource>>;
        fn delete<'e>(&self, w: &mut Writer<'_, 'e>, delete: &Delete<'_, 'e>) -> Result<()>;
        fn integer_division(&self) -> &'static str;
        fn integer_quotient(&self) -> Option<&'static str>;
        fn json_item<'e>(&self, w: &mut Writer<'_, 'e>, value: &Scalar<'_, 'e>) -> Result<()>;
        fn json_parent<'p>(&self, path: &'p str) -> Cow<'p, str>;
        fn json_kind(&self, holder: JsonHolder) -> &'static str;
        fn json_plain(&self, path: &str) -> bool;
        fn json_strict(&self, path: &str) -> String;
        fn regexp_replacement<'t>(&self, text: &'t str) -> Option<Cow<'t, str>>;
        fn json_date_time(&self) -> JsonDateTime;
        fn json_doubles(&self) -> bool;
        fn format_pattern(&self, pattern: &[FormatToken<'_>]) -> Result<String>;
        fn format_template(&self, pattern: &[FormatToken<'_>], of: DbValueType) -> Option<&'static Spelling<'static>>;
        fn json_path(&self, steps: &[PathStep<'_>]) -> Result<String>;
    }
}

/// A default of a hook that this does not hand on would be taken for what a row makes.
#[test]
fn every_hook_is_handed_on() {
    let all = include_str!("../../../../compiler/src/dialect.rs");
    let hooks = all.split_once("pub trait Dialect").and_then(|(_, rest)| rest.split_once("\n}")).unwrap().0;
    let name =
        |line: &'static str| line.strip_prefix("    fn ").map(|rest| rest.split(['(', '<']).next().unwrap_or_default());
    let missing: Vec<&str> = hooks
        .lines()
        .filter_map(name)
        .filter(|name| !include_str!("altered.rs").lines().any(|line| line.contains(&format!("    fn {name}"))))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// What one line of a data sheet says otherwise.
pub struct Alteration {
    /// The line, and what is said instead.
    pub what: String,
    /// What the line is about.
    pub about: About,
    /// The versions where it makes a difference, if any does.
    pub from: Version,
    pub before: Version,
    change: Change,
}

#[derive(Clone, Copy)]
pub enum About {
    Function(Func),
    Feature(Feature),
    Limit,
}

enum Change {
    Support(&'static [(Feature, Since)]),
    Native(&'static [Feature]),
    Functions(&'static [Row]),
    Limits(Box<dyn Fn(&mut Limits) + Send + Sync>),
}

/// After all versions.
const NEVER: Version = (u16::MAX, 0, 0);

impl Alteration {
    /// The sheet with that said otherwise.
    pub fn sheet(&self, own: &'static Sheet) -> &'static Sheet {
        let mut sheet = Sheet { ..*own };
        match &self.change {
            Change::Support(support) => sheet.support = support,
            Change::Native(native) => sheet.native = native,
            Change::Functions(functions) => sheet.functions = functions,
            Change::Limits(change) => change(&mut sheet.limits),
        }
        Box::leak(Box::new(sheet))
    }

    pub fn counts(&self, version: Version) -> bool {
        (self.from..self.before).contains(&version)
    }
}

/// The list without an item, or with another one in its place.
fn with<T: Copy>(items: &[T], at: usize, other: Option<T>) -> &'static [T] {
    let mut items = items.to_vec();
    items.splice(at..=at, other);
    items.leak()
}

/// A row without one of its conditions, each in turn.
fn wider(row: &Row) -> Vec<(String, Row)> {
    let mut rows = Vec::new();
    let mut add = |narrow: bool, what: String, wide: Row| {
        if narrow {
            rows.push((what, wide));
        }
    };
    add(row.args.is_some(), format!("not only for {:?} arguments", row.args), Row { args: None, ..*row });
    let on = format!("not only on {:?}", row.on);
    add(row.on != On::Anything, on, Row { on: On::Anything, every: false, ..*row });
    let nearest = match row.on {
        On::Int32 => Some(On::Integer),
        On::Integer => Some(On::Exact),
        On::Exact => Some(On::Integer),
        _ => None,
    };
    if let Some(on) = nearest {
        add(true, format!("on {on:?} in the place of {:?}", row.on), Row { on, ..*row });
    }
    add(row.every && row.on != On::Anything, "not for every argument".into(), Row { every: false, ..*row });
    add(row.plain, "not only plain".into(), Row { plain: false, ..*row });
    add(row.not_null != 0, "also of NULL".into(), Row { not_null: 0, ..*row });
    add(row.int32.is_some(), "not only of 32 bits".into(), Row { int32: None, ..*row });
    add(row.not_zero.is_some(), "also of 0".into(), Row { not_zero: None, ..*row });
    add(row.twice, "not twice".into(), Row { twice: false, ..*row });
    add(row.distinct, "not only with DISTINCT".into(), Row { distinct: false, ..*row });
    add(row.over, "not only over a window".into(), Row { over: false, ..*row });
    add(row.guarded, "not guarded".into(), Row { guarded: false, ..*row });
    add(row.note.is_some(), "without its note".into(), Row { note: None, ..*row });
    rows
}

/// How a failure names a row.
fn name(row: &Row) -> String {
    let form = format!("{:?}", row.form);
    let since = if row.since > (0, 0, 0) { format!(" since {:?}", row.since) } else { String::new() };
    format!("{:?}{since} {}", row.func, form.chars().take(110).collect::<String>())
}

/// Each row of the sheet left out, and each without each of its conditions. A feature without a row is one that the engine
/// has; a variant that does not say so of one has what its base has.
pub fn rows(sheet: &Sheet, is_variant: bool) -> Vec<Alteration> {
    let mut all = Vec::new();
    let mut add = |what, feature: Feature, from, change| {
        all.push(Alteration { what, about: About::Feature(feature), from, before: NEVER, change });
    };
    for (at, (feature, since)) in sheet.support.iter().enumerate() {
        let native = (*feature, Since { support: Support::Native, ..*since });
        let other = (since.support != Support::Native).then_some(native);
        let what = format!("{feature:?} {:?} since {:?}: left out", since.support, since.version);
        add(what, *feature, since.version, Change::Support(with(sheet.support, at, other)));
    }
    for (at, feature) in sheet.native.iter().enumerate().filter(|_| is_variant) {
        let change = Change::Native(with(sheet.native, at, None));
        add(format!("{feature:?} Native: left out"), *feature, (0, 0, 0), change);
    }
    for (at, row) in sheet.functions.iter().enumerate() {
        let others = wider(row).into_iter().map(|(what, wide)| (what, Some(wide)));
        for (what, other) in [("left out".to_owned(), None)].into_iter().chain(others) {
            all.push(Alteration {
                what: format!("{}: {what}", name(row)),
                about: About::Function(row.func),
                from: row.since,
                before: NEVER,
                change: Change::Functions(with(sheet.functions, at, other)),
            });
        }
    }
    all
}

/// Each limit one more and one less, unless another sheet of the dialect has it, too.
pub fn limits(sheet: &Sheet, others: &[&Sheet]) -> Vec<Alteration> {
    let mut all: Vec<Alteration> = Vec::new();
    let mut add = |what: String, change: Box<dyn Fn(&mut Limits) + Send + Sync>| {
        let change = Change::Limits(change);
        all.push(Alteration { what, about: About::Limit, from: (0, 0, 0), before: NEVER, change });
    };
    macro_rules! each {
        ($($field:ident),*) => { $(
            let limit = sheet.limits.$field;
            if limit != usize::MAX && others.iter().all(|other| other.limits.$field != limit) {
                for other in [limit - 1, limit + 1] {
                    let what = format!("{} {limit}: {other}", stringify!($field));
                    add(what, Box::new(move |limits| limits.$field = other));
                }
            }
        )* };
    }
    each!(parameters, rows_in_values, in_items, set_members, joined_tables, arguments, side_by_side, identifier, regex);
    if !others.is_empty() {
        return all;
    }
    let bytes = !sheet.limits.identifier_bytes;
    if sheet.limits.identifier != usize::MAX {
        add(format!("identifier_bytes: {bytes}"), Box::new(move |limits| limits.identifier_bytes = bytes));
    }
    let quote = !sheet.limits.quote_in_name;
    add(format!("quote_in_name: {quote}"), Box::new(move |limits| limits.quote_in_name = quote));
    all
}

/// A row that counts from a version on.
pub struct Gate {
    pub what: String,
    pub about: About,
    pub version: Version,
    /// The row left out.
    pub later: Alteration,
    /// The row in every version.
    pub earlier: Alteration,
}

/// The rows that count from a version on.
pub fn gates(sheet: &Sheet) -> Vec<Gate> {
    let gate = |what: String, about, version: Version, [later, earlier]: [Change; 2]| {
        let of = |change, from, before| Alteration { what: what.clone(), about, from, before, change };
        Gate { about, version, later: of(later, version, NEVER), earlier: of(earlier, (0, 0, 0), version), what }
    };
    let support = sheet.support.iter().enumerate().filter(|(_, (_, since))| since.version > (0, 0, 0));
    let support = support.map(|(at, (feature, since))| {
        let always = Since { version: (0, 0, 0), ..*since };
        let changes = [None, Some((*feature, always))].map(|other| Change::Support(with(sheet.support, at, other)));
        gate(feature.title().to_owned(), About::Feature(*feature), since.version, changes)
    });
    let functions = sheet.functions.iter().enumerate().filter(|(_, row)| row.since > (0, 0, 0));
    let functions = functions.map(|(at, row)| {
        let always = Row { since: (0, 0, 0), ..*row };
        let changes = [None, Some(always)].map(|other| Change::Functions(with(sheet.functions, at, other)));
        gate(row.func.signature().name.to_owned(), About::Function(row.func), row.since, changes)
    });
    support.chain(functions).collect()
}
