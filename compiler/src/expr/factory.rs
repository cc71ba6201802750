//! Functions that create nodes.

use compact_str::CompactString;

use super::{
    CaseExpr, ForeignExpr, FunctionExpr, GenericSqlExpr, LogicExpr, Name, PropertyExpr, SqlSegment, TableExpr, Value,
    ValueExpr, ValueJoinType, ValueSet, ValueTypeExpr,
};

/// A property by its name.
pub fn prop(name: impl Into<Name>) -> PropertyExpr {
    PropertyExpr { alias: None, name: name.into() }
}

/// A property of the table with an alias.
pub fn prop_of(alias: impl Into<Name>, name: impl Into<Name>) -> PropertyExpr {
    PropertyExpr { alias: Some(Box::new(alias.into())), name: name.into() }
}

/// A value that is bound as a parameter.
pub fn value(value: impl Into<Value>) -> ValueExpr {
    ValueExpr { value: value.into(), is_const: false }
}

/// A constant that is written into the SQL text. Use it for literals of the program only, and never for input.
pub fn constant(value: impl Into<Value>) -> ValueExpr {
    ValueExpr { value: value.into(), is_const: true }
}

/// NULL.
pub fn null() -> ValueExpr {
    ValueExpr { value: Value::Null, is_const: true }
}

/// A call of a function: one of the [portable functions](crate::functions), or of the program's
/// [`Registry`](crate::Registry). For arguments of different types, or none, use [`args!`](crate::args).
///
/// ```
/// use isogloss_compiler::args;
/// use isogloss_compiler::expr::{func, prop, ValueOps};
/// let initial = func("Substring", args![prop("Name"), 0, 1]).eq("A");
/// let late = func("DateDiffDays", [prop("Received"), prop("Promised")]).gt(30);
/// let recent = prop("Created").ge(func("AddDays", args![func("Today", args![]), -7]));
/// # let _ = (initial, late, recent);
/// ```
pub fn func<A: Into<ValueTypeExpr>>(name: impl Into<Name>, args: impl IntoIterator<Item = A>) -> FunctionExpr {
    FunctionExpr {
        name: name.into(),
        args: args.into_iter().map(Into::into).collect(),
        is_aggregate: false,
        filter: None,
        order_by: Vec::new(),
    }
}

/// An aggregate of one value. The common ones are also methods: `prop("Total").sum()`.
///
/// ```
/// use isogloss_compiler::expr::{aggregate, prop};
/// let (all, each_once) = (aggregate("Sum", prop("Total")), aggregate("Sum", prop("Total")).distinct());
/// # let _ = (all, each_once);
/// ```
pub fn aggregate(name: impl Into<Name>, arg: impl Into<ValueTypeExpr>) -> FunctionExpr {
    FunctionExpr { is_aggregate: true, ..func(name, [arg]) }
}

/// `COUNT(*)`.
pub fn count_all() -> FunctionExpr {
    FunctionExpr { is_aggregate: true, ..func("Count", [] as [ValueTypeExpr; 0]) }
}

/// The concatenation of two values.
pub fn concat(left: impl Into<ValueTypeExpr>, right: impl Into<ValueTypeExpr>) -> ValueSet {
    ValueSet { join: ValueJoinType::Concat, items: vec![left.into(), right.into()] }
}

/// A row of values, or the list of an IN.
///
/// ```
/// use isogloss_compiler::expr::{prop, row, ValueOps};
/// let pairs = row([prop("City"), prop("Name")]).in_list([("Rome", "Ann"), ("Bonn", "Bob")]);
/// // As one key of an order: (Year, Month) > (2024, 2)
/// let later = row([prop("Year"), prop("Month")]).gt(row([2024, 2]));
/// # let _ = (pairs, later);
/// ```
pub fn row<A: Into<ValueTypeExpr>>(items: impl IntoIterator<Item = A>) -> ValueSet {
    ValueSet { join: ValueJoinType::List, items: items.into_iter().map(Into::into).collect() }
}

/// `CASE WHEN cond THEN then ELSE otherwise END`.
pub fn if_else(
    cond: impl Into<LogicExpr>,
    then: impl Into<ValueTypeExpr>,
    otherwise: impl Into<ValueTypeExpr>,
) -> CaseExpr {
    CaseExpr { cases: vec![(cond.into(), then.into())], otherwise: Some(otherwise.into()) }
}

/// `CASE WHEN .. THEN .. [ELSE ..] END`.
///
/// ```
/// use isogloss_compiler::expr::{case, if_else, prop, ValueOps};
/// let size = if_else(prop("Qty").gt(100), "many", "few");
/// let size = case([(prop("Qty").gt(100), "many".into()), (prop("Qty").gt(10), "some".into())], Some("few".into()));
/// // The same, a condition at a time.
/// let same = if_else(prop("Qty").gt(100), "many", "few").when(prop("Qty").gt(10), "some");
/// assert_eq!(size, same);
/// ```
pub fn case(cases: impl IntoIterator<Item = (LogicExpr, ValueTypeExpr)>, otherwise: Option<ValueTypeExpr>) -> CaseExpr {
    CaseExpr { cases: cases.into_iter().collect(), otherwise }
}

/// `CASE` from a flat list of its parts: conditions and values in turn, and optionally the value of ELSE at the end.
/// [`args!`](crate::args) creates such a list from parts of different types.
///
/// ```
/// use isogloss_compiler::args;
/// use isogloss_compiler::expr::{case_of, prop, ValueOps};
/// let size = case_of(args![prop("Qty").gt(100), "many", prop("Qty").gt(10), "some", "few"])?;
/// assert_eq!(size.to_string(), "CASE WHEN Qty > 100 THEN 'many' WHEN Qty > 10 THEN 'some' ELSE 'few' END");
/// assert!(case_of(args!["many", prop("Qty")]).is_err());
/// # Ok::<(), isogloss_compiler::expr::BadCase>(())
/// ```
///
/// # Errors
/// Fewer than two parts, or a part that is not a condition in the place of one.
pub fn case_of(parts: impl IntoIterator<Item = ValueTypeExpr>) -> Result<CaseExpr, BadCase> {
    let mut parts = parts.into_iter().enumerate();
    let mut node = CaseExpr { cases: Vec::new(), otherwise: None };
    while let Some((index, part)) = parts.next() {
        let Some((_, then)) = parts.next() else {
            node.otherwise = Some(part);
            break;
        };
        let condition = match part {
            ValueTypeExpr::Truth(logic) => logic.into_inner(),
            ValueTypeExpr::Sql(sql) => LogicExpr::Sql(sql),
            _ => return Err(BadCase { index }),
        };
        node.cases.push((condition, then));
    }
    if node.cases.is_empty() { Err(BadCase { index: 0 }) } else { Ok(node) }
}

/// The error of a [`case_of`] with a part that is not a condition in the place of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("part {index} of a CASE is no condition with a value behind it")]
#[non_exhaustive]
pub struct BadCase {
    /// The index of the part, counted from 0.
    pub index: usize,
}

/// The table of an entity or a view, as the start of a query: its clauses are the methods of [`SqlSegment`].
pub fn from(entity: impl Into<Name>) -> SqlSegment {
    SqlSegment::Table(table(entity))
}

/// The table of an entity, with arguments for the placeholders of its name.
pub fn from_args<A: Into<CompactString>>(entity: impl Into<Name>, args: impl IntoIterator<Item = A>) -> SqlSegment {
    SqlSegment::Table(TableExpr { table_args: args.into_iter().map(Into::into).collect(), ..table(entity) })
}

/// The table of an entity, for INSERT, UPDATE and DELETE.
pub fn table(entity: impl Into<Name>) -> TableExpr {
    TableExpr { entity: entity.into(), table_args: Box::default(), alias: None, filters_off: Box::default() }
}

/// A registered SQL fragment with its argument: a predicate, or a value by `ValueTypeExpr::Sql`. The compiler's
/// [`Registry`](crate::Registry) has the SQL of the key, which is never a part of the tree.
pub fn sql(key: impl Into<Name>, arg: impl Into<Value>) -> GenericSqlExpr {
    GenericSqlExpr { key: key.into(), arg: arg.into() }
}

/// EXISTS over an entity. The inner expression relates its rows to the outer row; without one it is refused.
///
/// ```
/// use isogloss_compiler::expr::{exists, prop, prop_of, ValueOps};
/// // Inside, a bare name means the inner entity first; `T0` is the outer query's table.
/// let namesake = exists("Employee", prop("Name").eq(prop_of("T0", "Name")));
/// # let _ = namesake;
/// ```
pub fn exists(entity: impl Into<Name>, inner: impl Into<Option<LogicExpr>>) -> ForeignExpr {
    ForeignExpr { entity: entity.into(), alias: None, inner: inner.into(), table_args: Vec::new(), auto_related: false }
}

/// EXISTS over an entity along the relations of the catalog: the foreign keys of the outer entity, or those that refer
/// to it. Where keys lead both ways, as from an entity to itself, it does not compile: [`exists`] names the columns.
///
/// ```
/// use isogloss_compiler::expr::{exists_related, prop, ValueOps};
/// // Customers with an order of which some line was returned.
/// let returned = exists_related("Line", prop("Returned").is_true());
/// let filter = exists_related("Order", prop("Total").gt(100) & returned);
/// let without = !exists_related("Order", None);
/// # let _ = (filter, without);
/// ```
pub fn exists_related(entity: impl Into<Name>, inner: impl Into<Option<LogicExpr>>) -> ForeignExpr {
    ForeignExpr { auto_related: true, ..exists(entity, inner) }
}

/// EXISTS over a query.
pub fn exists_query(query: impl Into<SqlSegment>) -> LogicExpr {
    LogicExpr::Exists(query.into().into())
}
