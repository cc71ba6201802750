//! What a tree from a stranger may say.
//!
//! Three passes. The first, in `limits`, looks at each node by itself: its kind, its size, what it calls. The second, in
//! `names`, follows the scopes and attributes each property to the entity that it means. The third, in `growth`, reckons
//! how long the texts can become that the tree builds.
//!
//! Invariant: where it is open which of several columns a name will mean, every one of them must be allowed.

mod growth;
mod limits;
mod names;
mod sources;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::node::{ExprRef, ExprType, ExprTypes};
use super::validate::QUERY_ONLY;
use crate::expr::{LogicOperator, Name};

/// What a policy asks about the tables.
pub trait Schema {
    /// Whether there is an entity or a view of that name.
    fn has_entity(&self, entity: &Name) -> bool;

    /// The property of that name, if the entity or view has it.
    fn property(&self, entity: &Name, property: &Name) -> Option<PropertyInfo>;

    /// The names of all properties, which is what a select without a list means; `None` where they are not known.
    ///
    /// Where they are not known, such a select is refused, but for the rows of the root.
    fn properties(&self, _entity: &Name) -> Option<Vec<Name>> {
        None
    }

    /// The entity that the entity or view declares a join to, under that alias. A query may name its columns behind the
    /// alias, whether or not a view has them.
    fn joined(&self, _entity: &Name, _alias: &Name) -> Option<Name> {
        None
    }

    /// What a [declared join](Self::joined) goes by: itself, and the joins that it hangs on.
    fn path(&self, _entity: &Name, _alias: &Name) -> Vec<RelationInfo> {
        Vec::new()
    }

    /// What an EXISTS along the relations between two entities goes by; `None` where that is not known.
    ///
    /// Where they are known and there is none, such an EXISTS is refused.
    fn relations(&self, _from: &Name, _to: &Name) -> Option<Vec<RelationInfo>> {
        None
    }
}

/// What a policy must know about a relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationInfo {
    /// The entity that declares it.
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
    /// For a column that a view takes from another entity: that entity, and the property's name there.
    pub origin: Option<(Name, Name)>,
    /// For a computed column: the columns that its value tells of, each with its entity, at any remove.
    pub computed_from: Vec<(Name, Name)>,
}

impl PropertyInfo {
    /// A property of the entity's own.
    pub fn new(filterable: bool) -> Self {
        Self { filterable, origin: None, computed_from: Vec::new() }
    }

    /// A property that a view takes from another entity.
    #[must_use]
    pub fn of(self, entity: impl Into<Name>, property: impl Into<Name>) -> Self {
        Self { origin: Some((entity.into(), property.into())), ..self }
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
}

/// The rules of a [`QueryPolicy`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rule {
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
/// use isogloss_compiler::walk::{PropertyInfo, QueryPolicy, Rule, Schema};
///
/// struct Tables;
/// impl Schema for Tables {
///     fn has_entity(&self, entity: &Name) -> bool {
///         entity == "User" || entity == "Session"
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
/// let policy = QueryPolicy::new("User").max_list_items(100);
/// policy.check(&prop("Age").ge(18), &Tables)?;
///
/// let curious = prop("Age").ge(18) & prop("Password").starts_with("a");
/// let refusal = policy.check(&curious, &Tables).unwrap_err();
/// assert_eq!(refusal.rule, Rule::HiddenProperty);
/// assert_eq!(refusal.to_string(), "`Password` is not available on `User`; at $.$and[1].Left");
///
/// let elsewhere = LogicExpr::from(exists_related("Session", None));
/// assert_eq!(policy.check(&elsewhere, &Tables).unwrap_err().rule, Rule::Entity);
/// policy.allow_entity("Session").check(&elsewhere, &Tables)?;
/// # Ok::<(), isogloss_compiler::walk::Refusal>(())
/// ```
#[derive(Debug, Clone)]
pub struct QueryPolicy {
    root: Name,
    /// Whether the root may be named in subqueries, joins and further members, too.
    root_again: bool,
    /// The entities that may be named; with a list, only its properties.
    entities: HashMap<Name, Option<HashSet<Name>>>,
    denied: HashMap<Name, HashSet<Name>>,
    /// The relations that may be followed whatever they go by: an entity, and the alias of its join.
    relations: HashSet<(Name, Name)>,
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
    max_nesting: usize,
    max_joins: usize,
    max_take: Option<u64>,
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
        let root = root.into();
        let regular = [LogicOperator::RegexpLike, LogicOperator::NotRegexpLike];
        Self {
            entities: HashMap::from([(root.clone(), None)]),
            root,
            root_again: false,
            denied: HashMap::new(),
            relations: HashSet::new(),
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
            max_nesting: 3,
            max_joins: 0,
            max_take: None,
        }
    }

    /// Allows another entity or view, with its filterable properties: in EXISTS, in subqueries, in joins where
    /// [`max_joins`](QueryPolicy::max_joins) allows any.
    ///
    /// The root is allowed as the outermost source only, until it is allowed here: a filter that the program puts in front,
    /// such as the tenant's, holds for the rows of the query and not for those of a subquery over the root, in which the
    /// stranger could ask for any row of it. Nor is a declared join followed that leads back to the root, unless
    /// [`allow_relation`](QueryPolicy::allow_relation) names it.
    #[must_use]
    pub fn allow_entity(mut self, entity: impl Into<Name>) -> Self {
        let entity = entity.into();
        self.root_again |= entity == self.root;
        self.entities.entry(entity).or_default();
        self
    }

    /// Allows an entity or view with these properties only. They must be filterable all the same; a computed one
    /// may be named then, whatever it is computed from. For a column that a view takes from this entity, the list holds as
    /// well.
    #[must_use]
    pub fn only_properties<N: Into<Name>>(
        mut self,
        entity: impl Into<Name>,
        properties: impl IntoIterator<Item = N>,
    ) -> Self {
        let list = self.entities.entry(entity.into()).or_default().get_or_insert_default();
        list.extend(properties.into_iter().map(Into::into));
        self
    }

    /// Denies properties of an entity or view, and the columns that a view takes from them.
    #[must_use]
    pub fn deny_properties<N: Into<Name>>(
        mut self,
        entity: impl Into<Name>,
        properties: impl IntoIterator<Item = N>,
    ) -> Self {
        self.denied.entry(entity.into()).or_default().extend(properties.into_iter().map(Into::into));
        self
    }

    /// Allows the join of that alias, which the entity or view declares, to be followed by a name or an EXISTS, whatever
    /// columns it goes by. Others need all of these to be allowed: who sees the rows at one end learns what they hold.
    #[must_use]
    pub fn allow_relation(mut self, entity: impl Into<Name>, alias: impl Into<Name>) -> Self {
        self.relations.insert((entity.into(), alias.into()));
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

    /// Looks at every node of the tree.
    ///
    /// # Errors
    /// The first node that breaks a rule, with its path.
    pub fn check<'e>(&self, expr: impl Into<ExprRef<'e>>, schema: &dyn Schema) -> Result<(), Refusal> {
        let root = expr.into();
        limits::check(self, schema, root)?;
        names::check(self, schema, root)?;
        growth::check(self, root)
    }

    /// Whether the property, which the entity has, may be named. A computed one only if all that it is computed from
    /// may, or if a list of the policy has it.
    fn permits(&self, schema: &dyn Schema, entity: &Name, property: &Name, info: &PropertyInfo) -> bool {
        let of_its_own = |(entity, property): &(Name, Name)| {
            schema.property(entity, property).is_some_and(|info| self.permits_alone(entity, property, &info))
        };
        let named = |entity: &Name, property: &Name| {
            self.entities.get(entity).and_then(Option::as_ref).is_some_and(|only| only.contains(property))
        };
        self.permits_alone(entity, property, info)
            && (named(entity, property)
                || info.origin.as_ref().is_some_and(|(entity, property)| named(entity, property))
                || info.computed_from.iter().all(of_its_own))
    }

    /// Whether the relation may be followed.
    fn follows(&self, schema: &dyn Schema, relation: &RelationInfo) -> bool {
        self.names_relation(relation)
            || relation.keys.iter().all(|(entity, property)| {
                schema.property(entity, property).is_some_and(|info| self.permits(schema, entity, property, &info))
            })
    }

    /// Whether the relation is allowed by its name.
    fn names_relation(&self, relation: &RelationInfo) -> bool {
        self.relations.contains(&(relation.entity.clone(), relation.alias.clone()))
    }

    /// Whether what is read by a join to that entity is no row of the root but the query's own.
    fn leaves_root(&self, target: &Name) -> bool {
        self.root_again || *target != self.root
    }

    fn permits_alone(&self, entity: &Name, property: &Name, info: &PropertyInfo) -> bool {
        let listed = |entity: &Name, property: &Name| {
            let denied = self.denied.get(entity).is_some_and(|denied| denied.contains(property));
            let only = self.entities.get(entity).and_then(Option::as_ref);
            !denied && only.is_none_or(|only| only.contains(property))
        };
        info.filterable
            && listed(entity, property)
            && info.origin.as_ref().is_none_or(|(entity, property)| listed(entity, property))
    }
}
