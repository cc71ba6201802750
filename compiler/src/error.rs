//! The one error of the compiler: what, where and what to do.

use std::fmt;

use crate::template::{TextPlace, TextProblem};

/// A result of the compiler.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an expression was not compiled, and where in it.
///
/// ```text
/// unknown property `DeptNmae` on entity `UserView` at $.Left (did you mean `DeptName`?)
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    kind: ErrorKind,
    /// The steps from the node to the root: written while the error unwinds.
    steps: Vec<String>,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each variant's message is its documentation")]
pub enum ErrorKind {
    #[error("unknown entity `{name}`")]
    UnknownEntity { name: String, near: Option<String> },
    #[error("unknown property `{property}` on {owner}")]
    UnknownProperty { property: String, owner: String, near: Option<String> },
    #[error("unknown alias `{alias}`: no table in scope has it")]
    UnknownAlias { alias: String, near: Option<String> },
    #[error("`{name}` is ambiguous: {first} and {second} both have it; give the alias of the one that is meant")]
    Ambiguous { name: String, first: String, second: String },
    #[error("unknown function `{name}`: register it with the compiler if the program means it")]
    UnknownFunction { name: String, near: Option<String> },
    #[error("function `{name}` takes {expected}, {found} given")]
    Arity { name: String, expected: String, found: usize },
    #[error("{what} is misplaced: {why}")]
    Misplaced { what: String, why: &'static str },
    #[error("unknown SQL fragment `{key}`: register it with the compiler")]
    UnknownFragment { key: String },
    #[error("SQL fragment `{key}` failed: {message}")]
    Fragment { key: String, message: String },
    #[error("common table expression `{name}` {why}")]
    CommonTable { name: String, why: &'static str },
    #[error("bad name `{name}`: {why}")]
    BadName { name: String, why: String },
    #[error("property `{property}` ({ty}) does not take a value of {given}: {why}")]
    BadAssignment { property: String, ty: String, given: String, why: &'static str },
    // Without a property: what is beside the value is computed.
    #[error("{} ({ty}) does not take {value}", place(property))]
    BadValue { property: String, ty: String, value: String },
    #[error("argument {number} of `{function}` ({ty}) does not take {value}")]
    BadArgument { function: String, number: usize, ty: String, value: String },
    #[error("{kind} cannot be bound as a parameter{hint}")]
    Unbindable { kind: &'static str, hint: &'static str },
    #[error("`{feature}` is refused by {dialect}: {reason}")]
    Refused { feature: String, dialect: String, reason: String },
    #[error(
        "no relation leads from `{from}` to `{to}`: declare a foreign key or use `exists` with a condition{}",
        way(via, to)
    )]
    NoRelation { from: String, to: String, via: Option<String> },
    #[error("{statement} of `{entity}` {}", every_row(*always_true))]
    NoCondition { statement: &'static str, entity: String, always_true: bool },
    #[error("{statement} of `{entity}`: {why}")]
    BadStatement { statement: &'static str, entity: String, why: String },
    #[error(
        "`{entity}` is in {}, and `{beside}` in {}: a statement reads one database. Run two queries, and give the keys that \
         the first one finds to the second as a list",
        place_of(data_source),
        place_of(beside_source)
    )]
    OtherSource {
        entity: String,
        /// The data source that holds it; the default one if absent.
        data_source: Option<String>,
        /// The entity that the statement began with.
        beside: String,
        beside_source: Option<String>,
    },
    #[error("the tree is deeper than {limit} levels")]
    TooDeep { limit: usize },
    #[error("the text is over {limit} bytes long: its calls are nested too deep for how this dialect spells them")]
    TooLarge { limit: usize },
    #[error("{count} parameters are more than the {limit} of {dialect}{}", parts(*rows))]
    TooManyParameters {
        count: usize,
        limit: usize,
        dialect: String,
        /// How many rows of an INSERT would do.
        rows: Option<usize>,
    },
    #[error("name `{name}` has a length of {length}, {dialect} takes at most {limit}")]
    NameTooLong { name: String, length: usize, limit: usize, dialect: String },
    #[error("table name of `{entity}`: {why}")]
    Shard { entity: String, why: String },
    #[error("a regular expression, behind {at} characters: {why}")]
    Regex { at: usize, why: &'static str },
    #[error("a keyset cursor {why}")]
    Cursor { why: String },
    #[error("SQL template: {why}")]
    Template { why: String },
    #[error("SQL template, {place}: {problem}")]
    TemplateText { problem: TextProblem, place: TextPlace },
    #[error(
        "`{entity}` is for statements with a scope, and nothing of this one's scope is about it: give the request or the \
         session a scope, or say `unscoped` with a reason"
    )]
    NoScope { entity: String },
    #[error("a row of `{entity}` would be outside of the scope by its filter `{filter}`: {why}")]
    OutOfScope {
        entity: String,
        /// The filter, by its name, its property or its entity.
        filter: String,
        why: String,
    },
    #[error("{0}")]
    Scope(crate::scope::ScopeError),
    #[error("a {what} is no statement: give a query, a predicate, or an INSERT, UPDATE or DELETE")]
    NoStatement { what: &'static str },
}

fn place(property: &str) -> String {
    if property.is_empty() { "the value beside it".to_owned() } else { format!("property `{property}`") }
}

fn way(via: &Option<String>, to: &str) -> String {
    let way = |via: &String| format!(". `{via}` is related to both: `exists_related` of it, with one of `{to}` inside");
    via.as_ref().map(way).unwrap_or_default()
}

fn place_of(source: &Option<String>) -> String {
    source.as_ref().map_or_else(|| "the default data source".to_owned(), |name| format!("data source `{name}`"))
}

fn every_row(always_true: bool) -> &'static str {
    if always_true {
        "with a condition that is always true: say all_rows() if every row is meant"
    } else {
        "without a condition: give one, or say all_rows()"
    }
}

fn parts(rows: Option<usize>) -> String {
    match rows {
        Some(rows) => format!(": insert at most {rows} rows at a time"),
        None => ": split the list or the statement; the dialect has it as `sheet().limits.parameters`".to_owned(),
    }
}

impl Error {
    /// An error at the node that is being looked at.
    #[must_use]
    pub fn new(kind: ErrorKind) -> Self {
        Self(Box::new(Inner { kind, steps: Vec::new() }))
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Where, as a path of JSON keys: `$.Left.Right`.
    #[must_use]
    pub fn path(&self) -> String {
        let mut path = String::from("$");
        for step in self.0.steps.iter().rev() {
            if !step.starts_with('[') {
                path.push('.');
            }
            path.push_str(step);
        }
        path
    }

    /// Whether the dialect cannot do what is asked.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        matches!(self.kind(), ErrorKind::Refused { .. })
    }

    /// Adds the step that leads to the node in which the error arose.
    #[must_use]
    pub(crate) fn at(mut self, step: &str) -> Self {
        self.0.steps.push(step.to_owned());
        self
    }

    /// The same about a value that is an argument.
    #[must_use]
    pub(crate) fn of_argument(mut self, name: &str, index: usize) -> Self {
        if let ErrorKind::BadValue { ty, value, .. } = &mut self.0.kind {
            let (ty, value) = (std::mem::take(ty), std::mem::take(value));
            self.0.kind = ErrorKind::BadArgument { function: name.to_owned(), number: index + 1, ty, value };
        }
        self
    }

    /// What went wrong, without the place.
    pub(crate) fn message(&self) -> String {
        match self.near() {
            Some(near) => format!("{} (did you mean `{near}`?)", self.0.kind),
            None => self.0.kind.to_string(),
        }
    }

    fn near(&self) -> Option<&str> {
        match self.kind() {
            ErrorKind::UnknownEntity { near, .. }
            | ErrorKind::UnknownProperty { near, .. }
            | ErrorKind::UnknownAlias { near, .. }
            | ErrorKind::UnknownFunction { near, .. } => near.as_deref(),
            _ => None,
        }
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self::new(kind)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.kind)?;
        // Text has its own places.
        if !matches!(self.kind(), ErrorKind::TemplateText { .. }) || !self.0.steps.is_empty() {
            write!(f, " at {}", self.path())?;
        }
        match self.near() {
            Some(near) => write!(f, " (did you mean `{near}`?)"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

/// Adds the way to a node, as its canonical JSON has it, to an error that comes out of it.
pub(crate) trait At<T> {
    /// The step is a JSON key, such as `Left`.
    fn at(self, step: &str) -> Result<T>;
    /// The step is a place in a list.
    fn at_index(self, index: usize) -> Result<T>;
}

impl<T> At<T> for Result<T> {
    #[inline]
    fn at(self, step: &str) -> Result<T> {
        match self {
            Ok(value) => Ok(value),
            Err(error) => Err(error.at(step)),
        }
    }

    #[inline]
    fn at_index(self, index: usize) -> Result<T> {
        match self {
            Ok(value) => Ok(value),
            Err(error) => Err(error.at(&format!("[{index}]"))),
        }
    }
}
