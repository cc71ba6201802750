//! Reads and writes trees as JSON.
//!
//! A tree is read from an untrusted text within [`ReadLimits`], and written in one canonical form:
//!
//! ```
//! use isogloss_compiler::expr::{Expr, ValueOps, prop};
//! use isogloss_compiler::json;
//!
//! let text = r##"{"$and":[{"$":">=","Left":{"#":"Age"},"Right":{"@":18}},{"$":"==","Left":{"#":"City"},"Right":null}]}"##;
//! let filter = json::from_str(text)?;
//! assert_eq!(filter, Expr::Logic(prop("Age").ge(18) & prop("City").is_null()));
//! assert_eq!(json::to_string(&filter), text);
//! # Ok::<(), json::JsonError>(())
//! ```
//!
//! # The notation
//!
//! Each node is an object with a marker: a key that begins with `$`, or one of `#`, `@` and `!`. The order of keys does
//! not matter.
//!
//! | node | canonical form |
//! |---|---|
//! | constant; parameter | `5`; `{"@":5}` |
//! | property | `{"#":"Name"}`, `{"#":"T0.Name"}` |
//! | comparison, arithmetic | `{"$":"==","Left":x,"Right":x}`, `{"$":"+","Left":x,"Right":x}` |
//! | and, or, not | `{"$and":[..]}`, `{"$or":[..]}`, `{"!":x}` |
//! | function, aggregate | `{"$":"func","UPPER":[..]}`, `"IsAggregate":true`, `"Filter":x`, `"OrderBy":[..]` |
//! | CASE, CAST | `{"$":"func","CASE":[cond,x,cond,x,else]}`, `{"$":"func","CAST":[x,"Int32"]}`, `"Int32[]"` for an array |
//! | set, unary | `{"$":"set","List":[..]}`, `{"$":"unary","Nagive":x}` |
//! | window | `{"$":"over","Func":f,"PartitionBy":[..],"OrderBy":[..],"Frame":{"Unit":"Rows","Start":b,"End":b,"Exclude":"Ties"}}`, a bound is `"CurrentRow"`, `{"Preceding":3}`, ... |
//! | fragment | `{"$":"sql","Key":"k","Arg":v}`: a value in a slot for values, else a predicate |
//! | EXISTS | `{"$foreign":"Type","Alias":a,"AutoRelated":true,"InnerExpr":x,"TableArgs":[..]}`, `{"$exists":query}` |
//! | between the sorts | `{"$truth":predicate}` is a value, `{"$istrue":value}` a predicate |
//! | table, joins | `{"$table":"Type","TableArgs":[..],"Alias":a}`, `{"$from":source,"Joins":[{"$join":source,"On":x,"JoinType":"Inner","Lateral":true}]}` |
//! | clauses | `{"$where":source,"Where":x}`, `{"$group":source,"GroupBys":[..]}`, `{"$having":source,"Having":x}`, `{"$orderby":source,"OrderBys":[{"Field":x,"Asc":false,"Nulls":"Last"}]}` |
//! | paging | `{"$section":source,"Skip":n,"Take":n,"After":[..]}`; no `Take`, or one of 0, takes all; `"NoRows":true` none |
//! | row lock | `{"$lock":source,"Mode":"Update","Wait":"SkipLocked"}` |
//! | select | `{"$select":source,"Selects":[{"Alias":a,"Value":x}],"Distinct":true,"Next":[{"SetType":"Union","$select":..}],"As":a}`; a list under `Distinct` is DISTINCT ON |
//! | CTE | `{"$cte":select,"Alias":a}`, and `{"$cte":a}` refers to it; so is each further use of the same definition written |
//! | items alone | `{"$":"selectitem",..}`, `{"$":"orderbyitem",..}` |
//! | INSERT | `{"$insert":table,"Columns":[..],"Values":[[..]],"Conflict":{"Target":[..],"Action":"DoNothing"},"Returning":[..]}`; `Rows` for computed values, `Query` for a query; `"UpdateAll"` and `{"Update":[{"P":x}]}` are actions, too |
//! | UPDATE, DELETE | `{"$update":table,"Sets":[{"P":x}],"Where":x,"AllRows":true,"Returning":[..]}`, `{"$delete":table,"Where":x,..}` |
//! | typed values | `$datetime`, `$datetimeoffset`, `$timespan`, `$date`, `$time`, `$guid`, `$bytes` (base64), `$decimal`, `$double`, `$json`, `$map`: `{"$date":"2024-01-31"}` |
//!
//! The functions are listed in a [table](crate::functions).
//!
//! A literal other than `null` is read as a *parameter*, even if the text marks it as a constant: only the program
//! itself creates constants, and reads them back by [`read_own`]. Whole numbers are read as
//! [`Value::Int`](crate::expr::Value), numbers with a decimal point or exponent as exact decimals, or as doubles if
//! they have more than 38 digits; all of them compare by value. A double in a tree is written as `{"$double":1.5}`. At
//! the root, a value that would otherwise be read as something else (a query, a fragment) is wrapped:
//! `{"$":"value","Value":..}`.
//!
//! The long forms of older clients are read as well: `{"$":"and","Items":[..]}`, `{"$":"not","Operand":x}`,
//! `{"$":"logic","Operator":"GreaterThan","Left":x,"Right":x}`, `{"$":"where","Source":s,"Where":x}` and so on, and the
//! names and numbers of operators in any case. Other forms of theirs are a `$datetime` with a `Z`; a window as
//! `{"$":"func","Over":[f,set,set,frame]}`, with `RowsBetween` and `RangeBetween`; `IF` for CASE; `CHARINDEX`, whose
//! positions are counted from 1; and portable functions by their SQL names, such as `ROW_NUMBER` and `CURRENT_DATE`.
//!
//! Nothing is ignored: an unknown key, a duplicate key, a node in a place where it is not accepted, and `null` instead
//! of a condition are errors with their place.

#[cfg(any(test, feature = "proptest"))]
pub mod arbitrary;
mod base64;
mod convert;
mod error;
mod index;
mod native;
mod read_logic;
mod read_plain;
mod read_segment;
mod read_statement;
mod read_value;
mod reader;
mod scan;
#[cfg(feature = "schema")]
pub mod schema;
mod shape;
mod shape_plain;
#[cfg(test)]
mod tests;
mod usual;
pub(crate) mod words;
mod write;

#[doc(hidden)]
pub use base64::encode as to_base64;
pub use error::{JsonError, JsonErrorKind};

use crate::expr::Expr;
use crate::walk::Path;
use reader::Reader;

/// Limits for the size of a text and its tree. Exceeding one is an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadLimits {
    /// The maximal nesting of objects and lists. More than [`ReadLimits::MAX_DEPTH`] counts as that.
    pub depth: usize,
    /// The maximal number of nodes; values in a list are not nodes.
    pub nodes: usize,
    /// The maximal length of the text, in bytes.
    pub bytes: usize,
    /// The maximal number of items in a list.
    pub list: usize,
}

impl ReadLimits {
    /// The greatest value of [`ReadLimits::depth`]. It needs half of a stack of 2 MiB in a build without optimization.
    pub const MAX_DEPTH: usize = 256;

    /// 128 levels, 100,000 nodes, 4 MiB, 100,000 items.
    pub const DEFAULT: ReadLimits = ReadLimits { depth: 128, nodes: 100_000, bytes: 4 << 20, list: 100_000 };

    /// Sets [`depth`](#structfield.depth).
    #[must_use]
    pub const fn depth(mut self, depth: usize) -> Self {
        self.depth = depth;
        self
    }

    /// Sets [`nodes`](#structfield.nodes).
    #[must_use]
    pub const fn nodes(mut self, nodes: usize) -> Self {
        self.nodes = nodes;
        self
    }

    /// Sets [`bytes`](#structfield.bytes).
    #[must_use]
    pub const fn bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }

    /// Sets [`list`](#structfield.list).
    #[must_use]
    pub const fn list(mut self, list: usize) -> Self {
        self.list = list;
        self
    }
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// A node that can be read and written: [`Expr`], [`LogicExpr`](crate::expr::LogicExpr),
/// [`ValueTypeExpr`](crate::expr::ValueTypeExpr), [`SqlSegment`](crate::expr::SqlSegment) and the structs inside of
/// them.
pub trait Node: convert::Wire {}

impl<T: convert::Wire> Node for T {}

/// Reads a tree within [`ReadLimits::DEFAULT`].
///
/// # Errors
/// A text that is not JSON or not a tree, or that exceeds a limit.
pub fn from_str(text: &str) -> Result<Expr, JsonError> {
    read(text, &ReadLimits::DEFAULT)
}

/// Reads a tree within the given limits.
///
/// # Errors
/// Those of [`from_str`].
pub fn from_str_with(text: &str, limits: &ReadLimits) -> Result<Expr, JsonError> {
    read(text, limits)
}

/// Reads a tree from bytes, which must be UTF-8.
///
/// # Errors
/// Those of [`from_str`].
pub fn from_slice(bytes: &[u8]) -> Result<Expr, JsonError> {
    read_slice(bytes, &ReadLimits::DEFAULT)
}

/// Reads a node of one kind.
///
/// ```
/// use isogloss_compiler::expr::LogicExpr;
/// use isogloss_compiler::json::{self, ReadLimits};
/// let filter: LogicExpr = json::read(r##"{"$":">","Left":{"#":"Age"},"Right":18}"##, &ReadLimits::DEFAULT)?;
/// let error = json::read::<LogicExpr>("true", &ReadLimits::DEFAULT).unwrap_err();
/// assert_eq!(error.to_string(), "expected a logic expression, found a boolean at $");
/// # let _ = filter;
/// # Ok::<(), json::JsonError>(())
/// ```
///
/// # Errors
/// Those of [`from_str`], and a node of another kind.
pub fn read<T: Node>(text: &str, limits: &ReadLimits) -> Result<T, JsonError> {
    read_as(text, limits, false)
}

/// Reads a node that the program itself has written, with its constants as constants. A common table expression that is
/// used twice keeps its definition in the first place only, which means the same.
///
/// Never use it for the text of an untrusted client, as constants are written into the SQL. Use [`read`] for that,
/// which binds every value as a parameter, whatever the text says.
///
/// ```
/// use isogloss_compiler::expr::{LogicExpr, ValueOps, constant, prop};
/// use isogloss_compiler::json::{self, ReadLimits};
/// let filter = prop("State").eq(constant(1)) & prop("Name").eq("Ann");
/// let text = json::to_string(&filter);
/// let same: LogicExpr = json::read_own(&text, &ReadLimits::DEFAULT)?;
/// assert_eq!(format!("{same:?}"), format!("{filter:?}"));
/// # Ok::<(), json::JsonError>(())
/// ```
///
/// # Errors
/// Those of [`read`].
pub fn read_own<T: Node>(text: &str, limits: &ReadLimits) -> Result<T, JsonError> {
    read_as(text, limits, true)
}

fn read_as<T: Node>(text: &str, limits: &ReadLimits, own: bool) -> Result<T, JsonError> {
    let limits = ReadLimits { depth: limits.depth.min(ReadLimits::MAX_DEPTH), ..*limits };
    if text.len() > limits.bytes {
        return Err(JsonError { path: Path::root(), kind: JsonErrorKind::TooManyBytes { limit: limits.bytes } });
    }
    let mut reader = Reader::new(text, &limits);
    reader.own = own;
    let node = T::read(&mut reader).and_then(|node| reader.end().map(|()| node));
    node.map_err(|fault| fault.into_error(text))
}

/// Reads a node of one kind from bytes, which must be UTF-8.
///
/// # Errors
/// Those of [`read`].
pub fn read_slice<T: Node>(bytes: &[u8], limits: &ReadLimits) -> Result<T, JsonError> {
    // The cheap check first: a text that is too long is not even looked at.
    let kind = if bytes.len() > limits.bytes {
        JsonErrorKind::TooManyBytes { limit: limits.bytes }
    } else {
        match std::str::from_utf8(bytes) {
            Ok(text) => return read(text, limits),
            Err(error) => JsonErrorKind::Syntax { what: "not UTF-8", offset: error.valid_up_to() },
        }
    };
    Err(JsonError { path: Path::root(), kind })
}

/// Writes the canonical form of a node.
///
/// The stack does not grow with the depth of the tree.
pub fn to_string<T: Node>(node: &T) -> String {
    let mut out = String::new();
    write(node, &mut out);
    out
}

/// Appends the canonical form of a node.
pub fn write<T: Node>(node: &T, out: &mut String) {
    write::text(node.part(), out);
}
