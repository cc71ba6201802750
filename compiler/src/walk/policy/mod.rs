//! What a tree from a stranger may say.
//!
//! Three passes, behind `known`, which looks up what the policy itself names. The first, in `limits`, looks at each node
//! by itself: its kind, its size, what it calls. The second, in `names`, follows the scopes and attributes each property
//! to the entity that it means. The third, in `growth`, reckons how long the texts can become that the tree builds.
//!
//! Invariant: where it is open which of several columns a name will mean, every one of them must be allowed.

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

use std::collections::HashSet;
use std::fmt;

pub use guard::Guard;
use known::Known;
#[cfg(feature = "schema")]
pub(crate) use told::Allowed;

use super::node::{ExprRef, ExprType, ExprTypes};
use super::validate::QUERY_ONLY;
use crate::expr::{LogicOperator, Name};

/// What a policy asks about the tables.
///
/// A tree and a policy may spell an entity in any way that the schema takes; what is asked here, and what is answered,
/// has the schema's own names. A property and an alias have one name each, whatever its case.
pub trait Schema {
    /// The schema's own name of the entity or view that goes by that name, if there is one.
    fn entity(&self, name: &Name) -> Option<&Name>;

    /// The entity whose table that entity or view reads: an entity's own name, unless several entities are over one table,
    /// for which it is the same one of them.
    ///
    /// What reads the root's table is closed to subqueries by this, so a schema that wraps another has to hand it on.
    fn table(&self, entity: &Name) -> Option<&Name>;

    /// The entity that the view is over, through other views or not; `None` for an entity.
    ///
    /// Where the root is a view, allowing this entity opens the root, too. A schema that never says it leaves the root to be
    /// opened by its own name alone.
    fn base(&self, _view: &Name) -> Option<&Name> {
        None
    }

    /// The property of that name, if the entity or view has it.
    fn property(&self, entity: &Name, property: &Name) -> Option<PropertyInfo>;

    /// Whether the entity or view has a property of that name: asked for each name that a policy has.
    fn has(&self, entity: &Name, property: &Name) -> bool {
        self.property(entity, property).is_some()
    }

    /// The names of all properties, which is what a select without a list means; `None` where they are not known.
    ///
    /// Where they are not known, such a select is refused, but for the rows of the root.
    fn properties(&self, _entity: &Name) -> Option<Vec<Name>> {
        None
    }

    /// The join that the entity or view declares under that alias, and behind it those that it hangs on. A query may name
    /// columns of its target behind the alias, whether or not a view has them.
    fn joined(&self, entity: &Name, alias: &Name) -> Option<Vec<RelationInfo>>;

    /// What an EXISTS along the relations between two entities goes by; `None` where that is not known, and not looked at.
    ///
    /// Where they are known and there is none, such an EXISTS is refused.
    fn relations(&self, from: &Name, to: &Name) -> Option<Vec<RelationInfo>>;
}

/// What a policy must know about a relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationInfo {
    /// The entity or view whose rows it starts from: a view by its own name, though its entity declares the join.
    pub entity: Name,
    /// The alias of its join there.
    pub alias: Name,
    /// The entity that it leads to.
    pub target: Name,
    /// The columns that it compares, each with its entity. What is reached along it tells of them.
    pub keys: Vec<(Name, Name)>,
}

/// What a policy must know about a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PropertyInfo {
    /// Whether a query from outside may name it.
    pub filterable: bool,
    /// For a column that a view takes from elsewhere: each view that it is taken through, and last the entity that has it,
    /// all with the property's name there. What a policy says of any of these holds for the view.
    pub origins: Vec<(Name, Name)>,
    /// The joins that a view takes it along, if it is of another table than the view's.
    pub along: Vec<RelationInfo>,
    /// For a computed column: the columns that its value tells of, each with its entity, at any remove.
    pub computed_from: Vec<(Name, Name)>,
}

impl PropertyInfo {
    /// A property of the entity's own.
    pub fn new(filterable: bool) -> Self {
        Self { filterable, origins: Vec::new(), along: Vec::new(), computed_from: Vec::new() }
    }

    /// A property that a view takes from another entity, or that one from the next.
    #[must_use]
    pub fn of(mut self, entity: impl Into<Name>, property: impl Into<Name>) -> Self {
        self.origins.push((entity.into(), property.into()));
        self
    }
}

/// Why a tree was refused.
///
/// The message is fit for the stranger: of a property that may not be named it says the same as of one that is not
/// there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}; at {path}")]
#[non_exhaustive]
pub struct Refusal {
    /// Where the node sits, as a JSON path.
    pub path: String,
    /// The kind of the node.
    pub node: ExprType,
    /// The rule that it breaks.
    pub rule: Rule,
    /// What is wrong, and what is allowed instead.
    pub message: String,
    /// What the policy itself has wrong, behind [`Rule::Policy`]: for the program, not for the stranger.
    pub source: Option<Box<UnknownName>>,
}

impl Refusal {
    fn new(path: impl fmt::Display, node: ExprType, (rule, message): Broken) -> Self {
        Self { path: path.to_string(), node, rule, message, source: None }
    }

    /// The tree is not looked at.
    fn of_policy(node: ExprType, unknown: UnknownName) -> Self {
        let message = "the policy for this query does not fit the catalog, so that nothing is allowed".to_owned();
        Self { source: Some(Box::new(unknown)), ..Self::new("$", node, (Rule::Policy, message)) }
    }
}

/// A name that a method of a [`QueryPolicy`] was given, and that the schema does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnknownName {
    /// There is no such entity or view.
    #[error("`QueryPolicy::{method}` names `{entity}`, and there is no entity or view of that name: mend the name")]
    Entity {
        /// The method.
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
        /// The entity or view.
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
        /// The method.
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
pub enum Rule {
    /// The policy itself names what the schema does not have: the program is to be mended.
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
    /// Nothing in scope has that alias.
    UnknownAlias,
    /// The relations to the entity go by columns that may not be named.
    Relation,
    /// The common table expression is not defined, or defined in two ways.
    CommonTable,
    /// The common table expression leads back to itself.
    Recursion,
    /// A select without a list would give properties that may not be named, or that are not known.
    SelectAll,
    /// The function is not on the list.
    Function,
    /// The comparison is not allowed.
    Operator,
    /// The registered SQL fragment is not on the list.
    Fragment,
    /// The arguments of a table's name are not the stranger's to choose.
    TableArgs,
    /// A filter of a table is off, which is the program's to say.
    FilterOff,
    /// An alias holds something else than ASCII letters, digits and `_`, or is too long.
    Alias,
    /// The tree is too deep.
    Depth,
    /// The tree has too many nodes and list values.
    Nodes,
    /// A list is too long.
    ListItems,
    /// The names and texts are too long, all together.
    TextBytes,
    /// A text is put together of too many others.
    TextParts,
    /// A select list holds too many texts.
    RowParts,
    /// The pattern of a comparison is too long.
    PatternBytes,
    /// A comparison has constants on both sides: it names no property.
    NoProperty,
    /// Subqueries nest too deep.
    Nesting,
    /// There are too many joins.
    Joins,
    /// More rows are asked for than one query may give.
    Take,
    /// A cursor stands behind no order, so that it would be compared with keys that the tree does not name.
    Cursor,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// A rule that was broken, where the walk knows by which node.
type Broken = (Rule, String);

/// What a tree from a stranger may say.
///
/// A new policy is narrow: the root entity, its filterable properties, the [safe functions](QueryPolicy::SAFE_FUNCTIONS),
/// no regular expressions, registered fragments, joins, common tables, statements, locks or table arguments, and a
/// bounded size. What else is needed is allowed by name. There is no bound on the rows asked for unless
/// [`max_take`](QueryPolicy::max_take) sets one, as the caller who pages cuts it; and no policy knows what a query costs
/// on the data at hand, so keep the engine's statement timeout.
///
/// ```
/// use isogloss_compiler::expr::{exists_related, prop, LogicExpr, Name, ValueOps};
/// use isogloss_compiler::walk::{PropertyInfo, QueryPolicy, RelationInfo, Rule, Schema};
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
///             "Name" | "Age" => Some(PropertyInfo::new(true)),
///             "Password" => Some(PropertyInfo::new(false)),
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
/// assert_eq!(refusal.rule, Rule::HiddenProperty);
/// assert_eq!(refusal.to_string(), "`Password` is not available on `User`; at $.$and[1].Left");
///
/// let elsewhere = LogicExpr::from(exists_related("Session", None));
/// assert_eq!(policy.check(&elsewhere, &tables).unwrap_err().rule, Rule::Entity);
/// policy.allow_entity("Session").check(&elsewhere, &tables)?;
/// # Ok::<(), isogloss_compiler::walk::Refusal>(())
/// ```
#[derive(Debug, Clone)]
pub struct QueryPolicy {
    root: Name,
    /// What is allowed and denied by the names of a schema.
    named: Vec<Named>,
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
struct Named {
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
    /// Functions that read nothing but their arguments, give nothing longer than these all together, and take no pattern.
    /// [`max_text_parts`](QueryPolicy::max_text_parts) bounds what `Concat` gives.
    ///
    /// Left out on purpose: `Replace`, `Repeat` and padding, which nest to results of any length; `StringAgg` and JSON
    /// aggregates for the same reason; `Format` and the regular expressions, which take patterns; JSON functions, which
    /// take paths; and all that an engine has besides, such as waiting, files and sessions.
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

    /// The narrow policy for queries about that entity or view.
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

    /// Allows another entity or view, with its filterable properties: in EXISTS, in subqueries, in joins where
    /// [`max_joins`](QueryPolicy::max_joins) allows any.
    ///
    /// The root, and each view of its table, is allowed as the outermost source only, until the root is allowed here: a
    /// filter that the program puts in front, such as the tenant's, holds for the rows of the query and not for those of a
    /// subquery over the root, in which the stranger could ask for any row of it. Nor is a declared join followed that leads
    /// back to the root, or a column of a view allowed that is taken along one, unless
    /// [`allow_relation`](QueryPolicy::allow_relation) names the join. Where the root is a view, allowing the entity
    /// that it is over opens all rows of the root, too, and with them each view that shows them. Another entity over the
    /// root's table is closed as a view of it is, and never opens the root.
    ///
    /// What a view takes from any other entity is allowed with the view, whether that entity is allowed or not.
    #[must_use]
    pub fn allow_entity(self, entity: impl Into<Name>) -> Self {
        self.name(Method::AllowEntity, entity.into(), [""; 0])
    }

    /// Allows an entity or view with these properties only. They must be filterable all the same; a computed one
    /// may be named then, whatever it is computed from. For a column that a view takes from this entity or view, the list
    /// holds as well. The root is not opened by a list: that takes [`allow_entity`](QueryPolicy::allow_entity).
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

    /// Allows the join of that alias, from the rows of that entity or view, to be followed by a name or an EXISTS, whatever
    /// columns it goes by, and by a view's columns though it leads to the root. A view has the joins of its entity, but each
    /// is allowed by the name of the one whose rows it starts from. Others need all of the columns that they go by to be
    /// allowed: who sees the rows at one end learns what they hold. To name columns behind the alias,
    /// [`allow_entity`](QueryPolicy::allow_entity) has to allow the entity at its end as well.
    #[must_use]
    pub fn allow_relation(self, entity: impl Into<Name>, alias: impl Into<Name>) -> Self {
        self.name(Method::AllowRelation, entity.into(), [alias])
    }

    fn name<N: Into<Name>>(mut self, method: Method, entity: Name, members: impl IntoIterator<Item = N>) -> Self {
        let members = members.into_iter().map(Into::into).collect();
        self.named.push(Named { method, entity, members });
        self
    }

    /// Allows more functions than the [safe ones](QueryPolicy::SAFE_FUNCTIONS).
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

    /// Allows these comparisons as well. All but the regular expressions are allowed from the start.
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

    /// Allows these registered SQL fragments. The stranger chooses their arguments.
    #[must_use]
    pub fn allow_fragments<N: Into<Name>>(mut self, keys: impl IntoIterator<Item = N>) -> Self {
        self.fragments.extend(keys.into_iter().map(Into::into));
        self.allow([ExprType::GenericSql])
    }

    /// Allows more kinds of nodes. A common table expression that refers to itself is refused even so.
    #[must_use]
    pub fn allow(self, kinds: impl Into<ExprTypes>) -> Self {
        Self { kinds: self.kinds.with(kinds.into()), ..self }
    }

    /// Forbids kinds of nodes.
    #[must_use]
    pub fn forbid(self, kinds: impl Into<ExprTypes>) -> Self {
        Self { kinds: self.kinds.without(kinds.into()), ..self }
    }

    /// Lets the stranger give arguments for the placeholders of a table's name, and so choose a shard.
    #[must_use]
    pub fn allow_table_args(self) -> Self {
        Self { table_args: true, ..self }
    }

    bounds! {
        /// How many nodes may lie above one another. 64 from the start.
        max_depth;
        /// How many nodes and list values the tree may have, and how many nodes where each column of a derived table is
        /// written out wherever it is named, as engines do. 5,000 from the start.
        max_nodes;
        /// How long any one list may be. 1,000 from the start.
        max_list_items;
        /// How long names and texts may be, all together, in bytes. 65,536 from the start.
        max_text_bytes;
        /// How many texts of a row one text of the query may hold, as concatenations put it together. 64 from the start.
        ///
        /// A column counts once wherever it is named, a literal once for each kilobyte begun, and a column of a derived
        /// table or a common table as what its item holds: those above one another multiply. A function that the
        /// program allows besides the safe ones counts as all of its arguments together, whatever it makes of them.
        max_text_parts;
        /// How many texts of a row one select list may hold: each item counts as [`max_text_parts`](QueryPolicy::max_text_parts)
        /// counts it, and at least once. 128 from the start.
        max_row_parts;
        /// How long the pattern of a comparison may be, in bytes: what is written on the right of `Like`, `Contains`, `StartsWith`,
        /// `EndsWith`, a regular expression, and their opposites, its literals together. 1,024 from the start.
        ///
        /// An engine compares a pattern with each place of a text, and some cannot be stopped meanwhile.
        max_pattern_bytes;
        /// How deep subqueries, derived tables, common tables and EXISTS may nest. 3 from the start.
        max_nesting;
        /// How many joins there may be. None from the start: a view's own columns and EXISTS reach its relations.
        max_joins;
    }

    /// How many rows a paging may ask for; one that asks for all is refused then, too. No bound from the start.
    ///
    /// A query without paging is not refused: the caller adds it.
    #[must_use]
    pub fn max_take(self, rows: u64) -> Self {
        Self { max_take: Some(rows), ..self }
    }

    /// Whether the schema has each entity, property and join that the policy names. A program asks once when it starts,
    /// or in a test; [`check`](QueryPolicy::check) refuses every tree if not.
    ///
    /// Functions and fragments are not looked up: those that there are not can only be allowed.
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
    /// A name that the schema does not have, and the first method that it was given to.
    pub fn validate(&self, schema: &dyn Schema) -> Result<(), UnknownName> {
        Known::new(self, schema).map(drop)
    }

    /// Looks at every node of the tree.
    ///
    /// # Errors
    /// The first node that breaks a rule, with its path. [`Rule::Policy`] for any tree if the policy does not
    /// [fit the schema](QueryPolicy::validate).
    pub fn check<'e>(&self, expr: impl Into<ExprRef<'e>>, schema: &dyn Schema) -> Result<(), Refusal> {
        let root = expr.into();
        let known = Known::new(self, schema).map_err(|unknown| Refusal::of_policy(root.kind(), unknown))?;
        limits::check(&known, root)?;
        names::check(&known, root)?;
        growth::check(self, root)
    }
}
