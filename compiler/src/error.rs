//! The compiler's error: what is wrong, and at which node.

use std::fmt;

use crate::template::{TextPlace, TextProblem};
use crate::walk::{Hop, Path};

/// The result of a compilation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an expression cannot be compiled, and the path of the node.
///
/// ```text
/// unknown property `DeptNmae` on entity `UserView` at $.Left (did you mean `DeptName`?)
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<ErrorInner>);

#[derive(Clone, PartialEq, Eq)]
struct ErrorInner {
    kind: ErrorKind,
    /// The steps from the node to the root: written while the error unwinds.
    steps: Vec<Hop<'static>>,
}

/// The kind of a compiler's [`Error`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each variant's message is its documentation")]
pub enum ErrorKind {
    #[error("unknown entity `{name}`")]
    UnknownEntity { name: String, near: Option<String> },
    #[error("unknown property `{property}` on {owner}")]
    UnknownProperty { property: String, owner: String, near: Option<String> },
    #[error(
        "the column `{property}` belongs to `{entity}`, and would be read as that of `{table}`: use `{table}`'s, or give the \
         alias of a table of `{entity}`"
    )]
    OtherEntity {
        /// The name of the property.
        property: String,
        /// The entity whose column the program has named.
        entity: String,
        /// The entity of the table whose column the name is.
        table: String,
    },
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
    #[error(
        "the request is for `{root}`, and the statement begins with `{entity}`: begin with `{root}`, or ask for `{entity}`"
    )]
    OtherRoot {
        /// The entity that the request, or the data access object, is for.
        root: String,
        /// The entity of the statement's first table.
        entity: String,
    },
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
    #[error(
        "an EXISTS along the relation from `{from}` to `{to}` may mean the rows that {forward} refers to, or those whose \
         {backward} refers to this one: use `exists` with a condition that names the columns"
    )]
    RelationBothWays { from: String, to: String, forward: String, backward: String },
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
        /// The data source of the entity; `None` is the default one.
        data_source: Option<String>,
        /// The first entity of the statement.
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
        /// A number of rows for which the INSERT would fit.
        rows: Option<usize>,
    },
    #[error("the number of values is {given}, and the prepared statement takes {expected}")]
    ValueCount { expected: usize, given: usize },
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
    /// Creates an error at the current node.
    #[must_use]
    pub fn new(kind: ErrorKind) -> Self {
        Self(Box::new(ErrorInner { kind, steps: Vec::new() }))
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The path of the node, by JSON keys: `$.Left.Right`.
    #[must_use]
    pub fn path(&self) -> Path {
        Path::of(self.0.steps.iter().rev())
    }

    /// What is wrong, without the path.
    #[must_use]
    pub fn message(&self) -> String {
        format!("{}{}", self.0.kind, self.hint())
    }

    /// Whether the dialect does not support what the expression asks for.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        matches!(self.kind(), ErrorKind::Refused { .. })
    }

    /// Whether the statement names what there is not: an entity, a property, an alias, a function or a fragment.
    #[must_use]
    pub fn is_unknown_name(&self) -> bool {
        matches!(
            self.kind(),
            ErrorKind::UnknownEntity { .. }
                | ErrorKind::UnknownProperty { .. }
                | ErrorKind::UnknownAlias { .. }
                | ErrorKind::UnknownFunction { .. }
                | ErrorKind::UnknownFragment { .. }
        )
    }

    /// Whether the statement is larger than a limit of the compiler's or the engine's: it may fit in parts.
    #[must_use]
    pub fn is_too_large(&self) -> bool {
        matches!(
            self.kind(),
            ErrorKind::TooDeep { .. } | ErrorKind::TooLarge { .. } | ErrorKind::TooManyParameters { .. }
        )
    }

    /// Whether a row to be written is outside of the statement's scope.
    #[must_use]
    pub fn is_out_of_scope(&self) -> bool {
        matches!(self.kind(), ErrorKind::OutOfScope { .. })
    }

    /// A refusal as that of another dialect: a variant's, where a hook of its base has refused.
    #[must_use]
    pub(crate) fn refused_by(mut self, variant: &dyn crate::dialect::Dialect) -> Self {
        if let ErrorKind::Refused { dialect, .. } = &mut self.0.kind {
            *dialect = variant.label();
        }
        self
    }

    /// Adds the step that leads to the node in which the error arose.
    #[must_use]
    pub(crate) fn at(self, key: &str) -> Self {
        self.behind(Hop::Key(key.to_owned().into()))
    }

    /// Adds the step that leads to the node in which the error arose, an item of a list.
    #[must_use]
    pub(crate) fn at_index(self, index: usize) -> Self {
        self.behind(Hop::Item(index))
    }

    fn behind(mut self, step: Hop<'static>) -> Self {
        self.0.steps.push(step);
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

    fn hint(&self) -> String {
        match self.kind() {
            ErrorKind::UnknownEntity { near: Some(near), .. }
            | ErrorKind::UnknownProperty { near: Some(near), .. }
            | ErrorKind::UnknownAlias { near: Some(near), .. }
            | ErrorKind::UnknownFunction { near: Some(near), .. } => format!(" (did you mean `{near}`?)"),
            _ => String::new(),
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
        f.write_str(&self.hint())
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
            Err(error) => Err(error.at_index(index)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{ValueOps, func, prop};
    use crate::json;
    use crate::model::sample;
    use crate::walk::{ExprValidator, QueryPolicy};

    /// What a client reads of a tree is told alike, whoever has refused it.
    #[test]
    fn every_error_about_a_tree_has_one_layout() {
        let layout =
            |text: String, what: &str, path: Path, hint: &str| assert_eq!(text, format!("{what} at {path}{hint}"));
        let error = json::from_str(r##"{"!":{"$":"==","Left":{"#":"Id"},"Rihgt":1}}"##).unwrap_err();
        assert_eq!(error.message(), r#"unknown key "Rihgt" (did you mean "Right"?)"#);
        layout(error.to_string(), r#"unknown key "Rihgt""#, error.path, r#" (did you mean "Right"?)"#);

        let tree = !func("Lower", [prop("Nmae")]).eq("x");
        let failed = ExprValidator::minimum().check(&tree).unwrap_err();
        layout(failed.to_string(), "Function is not allowed here (minimum)", failed.path, "");
        let refusal = QueryPolicy::new("Customer").check(&tree, &sample::catalog()).unwrap_err();
        layout(refusal.to_string(), &refusal.message, refusal.path, "");

        let near = Some("Name".to_owned());
        let kind =
            ErrorKind::UnknownProperty { property: "Nmae".to_owned(), owner: "entity `Customer`".to_owned(), near };
        let error = Error::new(kind).at("Args").at_index(1).at("a b");
        assert_eq!(error.path(), r#"$["a b"][1].Args"#);
        let hint = " (did you mean `Name`?)";
        layout(error.to_string(), "unknown property `Nmae` on entity `Customer`", error.path(), hint);
        assert_eq!(error.message(), format!("unknown property `Nmae` on entity `Customer`{hint}"));
    }
}
