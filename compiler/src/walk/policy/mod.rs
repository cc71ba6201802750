//! The policy for trees of untrusted clients.
//!
//! After `known` has looked up the names of the policy itself, three passes check the tree. The first, in `limits`,
//! checks each node by itself: its kind, its size, the functions that it calls. The second, in `names`, follows the
//! scopes and assigns each property to the entity that it refers to. The third, in `growth`, estimates how long the
//! texts can become that the tree builds.
//!
//! Invariant: if a name may refer to one of several columns, every one of them must be allowed.

mod growth;
mod guard;
mod known;
mod limits;
mod names;
mod sources;
#[cfg(test)]
mod tests;
#[cfg(feature = "schema")]
mod told;
mod values;

use std::collections::HashSet;
use std::fmt;

pub use guard::Guard;
use known::Known;
#[cfg(feature = "schema")]
pub(crate) use told::Allowed;

use super::node::{ExprRef, ExprType, ExprTypes};
use super::path::Path;
use super::validate::QUERY_ONLY;
use crate::expr::{LogicOperator, Name};

/// What a policy has to know about the tables. A [`Catalog`](crate::model::Catalog) implements it.
///
/// Trees and policies may spell an entity in any way that the schema accepts. The methods here receive and return the
/// schema's own names, except where they say otherwise. A property and an alias have one name each, without regard to
/// case.
pub trait Schema {
    /// The schema's own name of the entity or view with this name, if there is one.
    fn entity(&self, name: &Name) -> Option<&Name>;

    /// The entity whose table an entity or view reads: usually its own name. If several entities are over one table, it
    /// is the same one for all of them.
    ///
    /// The root's table is closed to subqueries by this. A schema that wraps another one has to pass it on.
    fn table(&self, entity: &Name) -> Option<&Name>;

    /// The entity that a view is over, directly or through other views; `None` for an entity.
    ///
    /// If the root is a view, allowing this entity opens the root, too. Without this method, the root is only opened by
    /// its own name.
    fn base(&self, _view: &Name) -> Option<&Name> {
        None
    }

    /// A property of an entity or view, if it has it.
    fn property(&self, entity: &Name, property: &Name) -> Option<PropertyInfo>;

    /// Whether an entity or view has a property. It is called for each name of the policy.
    fn has(&self, entity: &Name, property: &Name) -> bool {
        self.property(entity, property).is_some()
    }

    /// The names of all properties, which a select without a list returns; `None` if they are unknown.
    ///
    /// If they are unknown, such a select is refused, except for the rows of the root.
    fn properties(&self, _entity: &Name) -> Option<Vec<Name>> {
        None
    }

    /// The join that an entity or view declares under an alias, followed by those that it depends on. A query may use
    /// columns of its target by the alias, whether or not a view has them.
    fn joined(&self, entity: &Name, alias: &Name) -> Option<Vec<RelationInfo>>;

    /// The relations that an EXISTS between two entities follows; `None` if they are unknown, and are not checked.
    ///
    /// If they are known and there is none, such an EXISTS is refused.
    fn relations(&self, from: &Name, to: &Name) -> Option<Vec<RelationInfo>>;
}

/// What a policy has to know about a relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationInfo {
    /// The entity or view whose rows it starts from: a view by its own name, even if its entity declares the join.
    pub entity: Name,
    /// The alias of the join.
    pub alias: Name,
    /// The entity that it leads to.
    pub target: Name,
    /// The columns that it compares, each with its entity. Rows that are reached along it reveal their values.
    pub keys: Vec<(Name, Name)>,
}

/// What a policy has to know about a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PropertyInfo {
    /// Whether a client's query may use it.
    pub filterable: bool,
    /// For a column that a view takes from elsewhere: each view on the way and finally the entity that has it, with the
    /// property's name in each. The policy's rules for any of them apply to the view's column.
    pub origins: Vec<(Name, Name)>,
    /// The joins by which a view takes it from another table.
    pub along: Vec<RelationInfo>,
    /// For a computed column: all columns that its value is computed from, directly or indirectly, each with its
    /// entity.
    pub computed_from: Vec<(Name, Name)>,
}

impl PropertyInfo {
    /// A property of the entity itself, which a client's query may use.
    pub fn filterable() -> Self {
        Self { filterable: true, origins: Vec::new(), along: Vec::new(), computed_from: Vec::new() }
    }

    /// A property of the entity itself, which no client's query may use.
    pub fn hidden() -> Self {
        Self { filterable: false, ..Self::filterable() }
    }

    /// Adds the entity or view from which a view takes the property.
    #[must_use]
    pub fn of(mut self, entity: impl Into<Name>, property: impl Into<Name>) -> Self {
        self.origins.push((entity.into(), property.into()));
        self
    }
}

/// Why a policy has refused a tree.
///
/// The message can be shown to the client: a hidden property is reported like one that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} at {path}")]
#[non_exhaustive]
pub struct Refusal {
    /// The place of the node.
    pub path: Path,
    /// The kind of the node.
    pub node: ExprType,
    /// The rule that it breaks.
    pub rule: PolicyRule,
    /// What is wrong, and what is allowed instead.
    pub message: String,
    /// For [`PolicyRule::Policy`], the mistake in the policy itself. It is meant for the program, not for the client.
    pub source: Option<Box<UnknownName>>,
}

impl Refusal {
    fn new(path: impl Into<Path>, node: ExprType, (rule, message): Broken) -> Self {
        Self { path: path.into(), node, rule, message, source: None }
    }

    /// The tree is not looked at.
    fn of_policy(node: ExprType, unknown: UnknownName) -> Self {
        let message = "the policy for this query does not fit the catalog, so that nothing is allowed".to_owned();
        Self { source: Some(Box::new(unknown)), ..Self::new(Path::root(), node, (PolicyRule::Policy, message)) }
    }
}

/// A name in a [`QueryPolicy`] that the schema does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnknownName {
    /// There is no such entity or view.
    #[error("`QueryPolicy::{method}` names `{entity}`, and there is no entity or view of that name: mend the name")]
    Entity {
        /// The method that was called with the name.
        method: &'static str,
        /// The name.
        entity: Name,
    },
    /// The entity or view has no such property.
    #[error(
        "`QueryPolicy::{method}` names `{property}`, and `{entity}` has no property of that name: mend the name, or say it \
         of the entity that has it"
    )]
    Property {
        /// The method.
        method: &'static str,
        /// The method that was called with the name.
        entity: Name,
        /// The name.
        property: Name,
    },
    /// The entity or view declares no such join.
    #[error(
        "`QueryPolicy::{method}` names `{alias}`, and `{entity}` declares no join of that alias: mend the name, or say it of \
         the entity that declares it"
    )]
    Join {
        /// The method that was called with the name.
        method: &'static str,
        /// The entity or view.
        entity: Name,
        /// The name.
        alias: Name,
    },
}

/// The rules of a [`QueryPolicy`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PolicyRule {
    /// The policy itself has a name that the schema does not have. The program has to be corrected.
    Policy,
    /// The kind of the node is not allowed.
    Kind,
    /// The query or statement is not about the root entity.
    Root,
    /// The entity is not allowed.
    Entity,
    /// The property is denied, not on the entity's list, or not filterable.
    HiddenProperty,
    /// No entity in scope has such a property.
    UnknownProperty,
    /// Nothing in scope has this alias.
    UnknownAlias,
    /// The relation to the entity uses columns that the client may not use.
    Relation,
    /// The common table expression is not defined, or defined twice.
    CommonTable,
    /// The common table expression leads back to itself.
    Recursion,
    /// A select without a list would return properties that the client may not use, or that are unknown.
    SelectAll,
    /// The function is not on the list.
    Function,
    /// The comparison is not allowed.
    Operator,
    /// The registered SQL fragment is not on the list.
    Fragment,
    /// The client may not choose the arguments of a table's name.
    TableArgs,
    /// A filter of a table is switched off, which only the program may do.
    FilterOff,
    /// An alias has other characters than ASCII letters, digits and `_`, or is too long.
    Alias,
    /// The tree is nested too deeply.
    Depth,
    /// The tree has too many nodes and list values.
    Nodes,
    /// A list is too long.
    ListItems,
    /// All names and texts together are too long.
    TextBytes,
    /// A text is built from too many others.
    TextParts,
    /// A select list has too many texts.
    RowParts,
    /// The pattern of a comparison is too long.
    PatternBytes,
    /// A comparison has constants on both sides, and uses no property.
    NoProperty,
    /// Subqueries are nested too deeply.
    Nesting,
    /// There are too many joins.
    Joins,
    /// More rows are requested than allowed.
    Take,
    /// A value that engines do not agree on: a NUL character in a text, a date outside of the years 1 to 9999, a whole
    /// number that is computed of others and has more than 64 bits.
    Value,
    /// A cursor without an order, which would be compared with keys that the tree does not name.
    Cursor,
}

impl fmt::Display for PolicyRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// A rule that was broken, where the walk knows by which node.
type Broken = (PolicyRule, String);

/// The allow-list for trees of untrusted clients. Check every client's tree with it before you compile the tree.
///
/// With a catalog, a policy is created for an entity or a view, the *root*, and checks trees over it:
///
/// ```
/// use isogloss_compiler::expr::{DbValueType, LogicExpr};
/// use isogloss_compiler::json::{self, ReadLimits};
/// use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
/// use isogloss_compiler::walk::QueryPolicy;
///
/// let catalog = Catalog::builder()
///     .table(
///         TableDef::new("User")
///             .column(ColumnDef::new("Id", DbValueType::Int32).primary_key())
///             .column(ColumnDef::new("Name", DbValueType::String).length(100))
///             .column(ColumnDef::new("Password", DbValueType::String).length(60).not_filterable()),
///     )
///     .build()?;
/// let policy = QueryPolicy::new("User");
/// policy.validate(&catalog)?; // once, when the program starts
///
/// let theirs: LogicExpr = json::read(r##"{"$":"==","Left":{"#":"Name"},"Right":"Ann"}"##, &ReadLimits::DEFAULT)?;
/// policy.check(&theirs, &catalog)?;
///
/// let hidden: LogicExpr = json::read(r##"{"$":"startswith","Left":{"#":"Password"},"Right":"a"}"##, &ReadLimits::DEFAULT)?;
/// let refusal = policy.check(&hidden, &catalog).unwrap_err();
/// assert_eq!(refusal.to_string(), "`Password` is not available on `User` at $.Left");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A new policy is narrow. It allows the filterable properties of the root and the [safe
/// functions](QueryPolicy::SAFE_FUNCTIONS), and limits the size of trees. Everything else is allowed by name: regular
/// expressions, registered fragments, joins, common table expressions, statements, locks and table arguments. The
/// number of requested rows is not limited unless [`max_take`](QueryPolicy::max_take) is set, as usually the program
/// adds the page. A policy does not know what a query costs on your data, so keep the engine's statement timeout.
///
/// Any [`Schema`] can take the place of the catalog:
///
/// ```
/// use isogloss_compiler::expr::{exists_related, prop, LogicExpr, Name, ValueOps};
/// use isogloss_compiler::walk::{PropertyInfo, QueryPolicy, RelationInfo, PolicyRule, Schema};
///
/// struct Tables([Name; 2]);
/// impl Schema for Tables {
///     fn entity(&self, name: &Name) -> Option<&Name> {
///         self.0.iter().find(|own| *own == name)
///     }
///     fn table(&self, entity: &Name) -> Option<&Name> {
///         self.entity(entity)
///     }
///     fn joined(&self, _: &Name, _: &Name) -> Option<Vec<RelationInfo>> {
///         None
///     }
///     fn relations(&self, _: &Name, _: &Name) -> Option<Vec<RelationInfo>> {
///         None
///     }
///     fn property(&self, _: &Name, property: &Name) -> Option<PropertyInfo> {
///         match property.as_str() {
///             "Name" | "Age" => Some(PropertyInfo::filterable()),
///             "Password" => Some(PropertyInfo::hidden()),
///             _ => None,
///         }
///     }
/// }
///
/// let tables = Tables([Name::from_static("User"), Name::from_static("Session")]);
/// let policy = QueryPolicy::new("User").max_list_items(100);
/// policy.check(&prop("Age").ge(18), &tables)?;
///
/// let curious = prop("Age").ge(18) & prop("Password").starts_with("a");
/// let refusal = policy.check(&curious, &tables).unwrap_err();
/// assert_eq!(refusal.rule, PolicyRule::HiddenProperty);
/// assert_eq!(refusal.to_string(), "`Password` is not available on `User` at $.$and[1].Left");
///
/// let elsewhere = LogicExpr::from(exists_related("Session", None));
/// assert_eq!(policy.check(&elsewhere, &tables).unwrap_err().rule, PolicyRule::Entity);
/// policy.allow_entity("Session").check(&elsewhere, &tables)?;
/// # Ok::<(), isogloss_compiler::walk::Refusal>(())
/// ```
#[derive(Debug, Clone)]
pub struct QueryPolicy {
    root: Name,
    /// What is allowed and denied by the names of a schema.
    named: Vec<Mention>,
    functions: HashSet<Name>,
    operators: HashSet<LogicOperator>,
    fragments: HashSet<Name>,
    kinds: ExprTypes,
    table_args: bool,
    max_depth: usize,
    max_nodes: usize,
    max_list_items: usize,
    max_text_bytes: usize,
    max_text_parts: usize,
    max_row_parts: usize,
    max_pattern_bytes: usize,
    max_nesting: usize,
    max_joins: usize,
    max_take: Option<u64>,
}

/// What a method was told about an entity.
#[derive(Debug, Clone)]
struct Mention {
    method: Method,
    entity: Name,
    /// Properties, or the aliases of joins.
    members: HashSet<Name>,
}

/// The methods that take names of a schema.
#[derive(Debug, Clone, Copy)]
enum Method {
    AllowEntity,
    OnlyProperties,
    DenyProperties,
    AllowRelation,
}

impl Method {
    fn name(self) -> &'static str {
        match self {
            Self::AllowEntity => "allow_entity",
            Self::OnlyProperties => "only_properties",
            Self::DenyProperties => "deny_properties",
            Self::AllowRelation => "allow_relation",
        }
    }
}

macro_rules! bounds {
    ($($(#[$doc:meta])* $method:ident;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $method(self, most: usize) -> Self {
            Self { $method: most, ..self }
        }
    )*};
}

impl QueryPolicy {
    /// Functions that read only their arguments, return nothing longer than all of them together, and take no pattern.
    /// The result of `Concat` is limited by [`max_text_parts`](QueryPolicy::max_text_parts).
    ///
    /// These are left out on purpose: `Replace`, `Repeat` and padding, which can be nested to results of any length;
    /// `StringAgg` and JSON aggregates, for the same reason; `Format` and regular expressions, which take patterns;
    /// JSON functions, which take paths; and everything else that an engine has, such as functions that wait or access
    /// files and sessions.
    // By topic: one a line would be sixty lines.
    #[rustfmt::skip]
    pub const SAFE_FUNCTIONS: &'static [&'static str] = &[
        // Text
        "Concat", "IndexOf", "Length", "Lower", "Remove", "Substring", "ToLower", "ToUpper", "Trim", "TrimEnd",
        "TrimStart", "Upper",
        // Numbers
        "Abs", "Ceiling", "Floor", "Round", "Sign", "Truncate",
        // NULL, and the choice among values
        "Coalesce", "Greatest", "IfNull", "Least", "NullIf",
        // Dates and times
        "AddDays", "AddHours", "AddMinutes", "AddMonths", "AddSeconds", "AddYears", "Date", "DateDiffDays",
        "DateDiffHours", "DateDiffMilliseconds", "DateDiffMinutes", "DateDiffSeconds", "Day", "DayOfWeek", "DayOfYear",
        "Hour", "Minute", "Month", "Now", "Second", "Today", "Year",
        // Aggregates
        "Avg", "Count", "Max", "Min", "Sum",
        // Windows
        "DenseRank", "FirstValue", "Lag", "LastValue", "Lead", "NTile", "Rank", "RowNumber",
    ];

    /// The narrow policy for queries over an entity or view.
    pub fn new(root: impl Into<Name>) -> Self {
        let regular = [LogicOperator::RegexpLike, LogicOperator::NotRegexpLike];
        Self {
            root: root.into(),
            named: Vec::new(),
            functions: Self::SAFE_FUNCTIONS.iter().map(|name| Name::from_static(name)).collect(),
            operators: LogicOperator::ALL.into_iter().filter(|operator| !regular.contains(operator)).collect(),
            fragments: HashSet::new(),
            kinds: QUERY_ONLY.without(ExprTypes::of(&[ExprType::CommonTable])),
            table_args: false,
            max_depth: 64,
            max_nodes: 5_000,
            max_list_items: 1_000,
            max_text_bytes: 64 * 1024,
            max_text_parts: 64,
            max_row_parts: 128,
            max_pattern_bytes: 1_024,
            max_nesting: 3,
            max_joins: 0,
            max_take: None,
        }
    }

    /// The entity or view that queries are about.
    #[must_use]
    pub fn root(&self) -> &Name {
        &self.root
    }

    /// Allows another entity or view with its filterable properties: in EXISTS, in subqueries, and in joins if
    /// [`max_joins`](QueryPolicy::max_joins) allows any.
    ///
    /// The root, and each view of its table, is allowed only as the outermost source, until the root is allowed here.
    /// The reason is that a filter of the program, such as the tenant's, applies to the rows of the query, and not to
    /// those of a subquery over the root, by which the client could ask about any row. For the same reason a declared
    /// join that leads back to the root is not followed, and a view's column that is taken along one is refused, unless
    /// [`allow_relation`](QueryPolicy::allow_relation) names the join. If the root is a view, allowing the entity that
    /// it is over opens all rows of the root, too, and with them each view that shows them. Another entity over the
    /// root's table is closed like a view of it, and never opens the root.
    ///
    /// Columns that a view takes from any other entity are allowed with the view, whether or not that entity is
    /// allowed.
    #[must_use]
    pub fn allow_entity(self, entity: impl Into<Name>) -> Self {
        self.name(Method::AllowEntity, entity.into(), [""; 0])
    }

    /// Allows an entity or view with these properties only. They must still be filterable; a computed property may be
    /// listed whatever it is computed from. The list also applies to columns that a view takes from this entity or
    /// view. It does not open the root; use [`allow_entity`](QueryPolicy::allow_entity) for that.
    #[must_use]
    pub fn only_properties<N: Into<Name>>(
        self,
        entity: impl Into<Name>,
        properties: impl IntoIterator<Item = N>,
    ) -> Self {
        self.name(Method::OnlyProperties, entity.into(), properties)
    }

    /// Denies properties of an entity or view, and the columns that a view takes from them.
    #[must_use]
    pub fn deny_properties<N: Into<Name>>(
        self,
        entity: impl Into<Name>,
        properties: impl IntoIterator<Item = N>,
    ) -> Self {
        self.name(Method::DenyProperties, entity.into(), properties)
    }

    /// Allows the join of this alias to be followed from the rows of this entity or view, by a name or an EXISTS,
    /// whatever columns it compares; and by a view's columns even if it leads to the root. A view has the joins of its
    /// entity, but each must be allowed by the name whose rows it starts from.
    ///
    /// Other joins require that all columns that they compare are allowed, as rows at one end reveal their values. To
    /// use columns by the alias, [`allow_entity`](QueryPolicy::allow_entity) must also allow the entity at its end.
    #[must_use]
    pub fn allow_relation(self, entity: impl Into<Name>, alias: impl Into<Name>) -> Self {
        self.name(Method::AllowRelation, entity.into(), [alias])
    }

    fn name<N: Into<Name>>(mut self, method: Method, entity: Name, members: impl IntoIterator<Item = N>) -> Self {
        let members = members.into_iter().map(Into::into).collect();
        self.named.push(Mention { method, entity, members });
        self
    }

    /// Allows functions in addition to the [safe ones](QueryPolicy::SAFE_FUNCTIONS).
    #[must_use]
    pub fn allow_functions<N: Into<Name>>(mut self, functions: impl IntoIterator<Item = N>) -> Self {
        self.functions.extend(functions.into_iter().map(Into::into));
        self
    }

    /// Allows these functions and no others.
    #[must_use]
    pub fn only_functions<N: Into<Name>>(mut self, functions: impl IntoIterator<Item = N>) -> Self {
        self.functions.clear();
        self.allow_functions(functions)
    }

    /// Allows comparisons in addition. By default all are allowed except for regular expressions.
    #[must_use]
    pub fn allow_operators(mut self, operators: impl IntoIterator<Item = LogicOperator>) -> Self {
        self.operators.extend(operators);
        self
    }

    /// Denies these comparisons.
    #[must_use]
    pub fn deny_operators(mut self, operators: impl IntoIterator<Item = LogicOperator>) -> Self {
        operators.into_iter().for_each(|operator| {
            self.operators.remove(&operator);
        });
        self
    }

    /// Allows these registered SQL fragments. The client chooses their arguments.
    #[must_use]
    pub fn allow_fragments<N: Into<Name>>(mut self, keys: impl IntoIterator<Item = N>) -> Self {
        self.fragments.extend(keys.into_iter().map(Into::into));
        self.allow([ExprType::GenericSql])
    }

    /// Allows further kinds of nodes. A common table expression that refers to itself is refused in any case.
    #[must_use]
    pub fn allow(self, kinds: impl Into<ExprTypes>) -> Self {
        Self { kinds: self.kinds.with(kinds.into()), ..self }
    }

    /// Forbids kinds of nodes.
    #[must_use]
    pub fn forbid(self, kinds: impl Into<ExprTypes>) -> Self {
        Self { kinds: self.kinds.without(kinds.into()), ..self }
    }

    /// Allows clients to give arguments for the placeholders of a table's name, and so to choose a shard.
    #[must_use]
    pub fn allow_table_args(self) -> Self {
        Self { table_args: true, ..self }
    }

    bounds! {
        /// The maximal depth of the tree, in nodes. 64 by default.
        max_depth;
        /// The maximal number of nodes and list values in the tree, and of nodes when each column of a derived table is
        /// replaced by its definition wherever it is used, as engines do. 5,000 by default.
        max_nodes;
        /// The maximal number of items in a list. 1,000 by default.
        max_list_items;
        /// The maximal size of all names and texts together, in bytes. 65,536 by default.
        max_text_bytes;
        /// The maximal number of texts that one text of the query may be concatenated from. 64 by default.
        ///
        /// A column counts once wherever it is used, a literal once for each started kilobyte, and a column of a derived
        /// table or common table expression as many times as its item: nested ones multiply. A function that the
        /// program allows in addition to the safe ones counts as all of its arguments together.
        max_text_parts;
        /// The maximal number of texts in a select list: each item counts as for
        /// [`max_text_parts`](QueryPolicy::max_text_parts), and at least once. 128 by default.
        max_row_parts;
        /// The maximal size of a pattern in bytes: all literals on the right side of `Like`, `Contains`, `StartsWith`,
        /// `EndsWith`, a regular expression, and their negations. 1,024 by default.
        ///
        /// An engine compares a pattern at each position of a text, and some cannot be stopped while they do.
        max_pattern_bytes;
        /// The maximal nesting of subqueries, derived tables, common table expressions and EXISTS. 3 by default.
        max_nesting;
        /// The maximal number of joins. 0 by default: relations are reached by a view's own columns and by EXISTS.
        max_joins;
    }

    /// Limits how many rows a page may request; one that requests all rows is refused then, too. There is no limit by
    /// default.
    ///
    /// A query without paging is not refused, as the caller adds it.
    #[must_use]
    pub fn max_take(self, rows: u64) -> Self {
        Self { max_take: Some(rows), ..self }
    }

    /// Checks that the schema has each entity, property and join that the policy names. Call it once when the program
    /// starts, or in a test. Otherwise [`check`](QueryPolicy::check) refuses every tree.
    ///
    /// Functions and fragments are not checked, as unknown ones can only be allowed.
    ///
    /// ```
    /// use isogloss_compiler::expr::DbValueType::Int32;
    /// use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
    /// use isogloss_compiler::walk::QueryPolicy;
    /// let order = TableDef::new("Sales.Order").column(ColumnDef::new("Id", Int32).primary_key());
    /// let catalog = Catalog::builder().table(order.column(ColumnDef::new("Margin", Int32))).build()?;
    ///
    /// QueryPolicy::new("Sales.Order").deny_properties("order", ["margin"]).validate(&catalog)?;
    /// let slip = QueryPolicy::new("Sales.Order").deny_properties("Order", ["Margn"]).validate(&catalog).unwrap_err();
    /// assert!(slip.to_string().starts_with("`QueryPolicy::deny_properties` names `Margn`, and `Sales.Order` has no"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The first name that the schema does not have, with the method that it was given to.
    pub fn validate(&self, schema: &dyn Schema) -> Result<(), UnknownName> {
        Known::new(self, schema).map(drop)
    }

    /// Checks every node of a tree.
    ///
    /// # Errors
    /// The first node that breaks a rule, with its path. [`PolicyRule::Policy`] for any tree if the policy does not [fit the
    /// schema](QueryPolicy::validate).
    pub fn check<'e>(&self, expr: impl Into<ExprRef<'e>>, schema: &dyn Schema) -> Result<(), Refusal> {
        let root = expr.into();
        let known = Known::new(self, schema).map_err(|unknown| Refusal::of_policy(root.kind(), unknown))?;
        limits::check(&known, root)?;
        names::check(&known, root)?;
        growth::check(self, root)
    }
}
