//! Orders, subqueries, joins and locks.

use bumpalo::collections::Vec as BumpVec;

use crate::dialect::{Feature, Support};
use crate::error::Result;
use crate::expr::{DbValueType, LockMode, LockWait, Nulls, TableJoinType, Value};
use crate::frame::{
    Body, BuiltJoin, Call, ColumnRef, CompareOp, In, InList, Item, Items, Join, Lock, Order, Part, Pred, Query, Scalar,
    ScalarKind, Select, Source,
};
use crate::functions::{Class, Func};
use crate::render::{Prec, Writer};

use super::{Cx, Rule, call, compare, exact, group, json, logic, parts, sorted, window};

/// Adds a key to an order.
///
/// ```sql
/// -- before                     -- after
/// ORDER BY a DESC NULLS FIRST   ORDER BY CASE WHEN a IS NULL THEN 0 ELSE 1 END, a DESC
/// ```
///
/// Exact. Where the engine puts NULLs there anyway, nothing is added.
pub(crate) fn order<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    keys: &mut BumpVec<'a, Order<'a, 'e>>,
    value: Scalar<'a, 'e>,
    descending: bool,
    nulls: Nulls,
) -> Result<()> {
    if is_constant(cx, &value) {
        // A constant orders nothing, and a number in the text would be the place of a column.
        return Ok(());
    }
    json::no_json_type(cx, "an order", value.ty)?;
    sorted::no_large(cx, "an order", value.column)?;
    let mut key = Order { value, descending, nulls_first: None, sorts_nulls: false };
    let first = match nulls {
        _ if !value.nullable => None,
        Nulls::Default => None,
        Nulls::First => Some(true),
        Nulls::Last => Some(false),
    };
    if let Some(first) = first {
        // The engines without the words take NULL for the least value.
        if cx.target.has(Feature::NullsOrder) {
            key.nulls_first = Some(first);
        } else if first == descending {
            cx.rule_for(Feature::NullsOrder)?;
            let test = compare::is_null_pred(cx, value, false);
            let (null, other) = if first { (0, 1) } else { (1, 0) };
            let ty = Some(DbValueType::Int32.into());
            let case = logic::case_when(cx, &[(test, cx.int(null))], Some(cx.int(other)), ty);
            keys.push(Order { value: case, descending: false, nulls_first: None, sorts_nulls: true });
        }
    }
    keys.push(key);
    Ok(())
}

/// An order that orders nothing, for what asks for one.
///
/// ```sql
/// -- before              -- after
/// ROW_NUMBER() OVER ()   ROW_NUMBER() OVER (ORDER BY (SELECT NULL))
/// ```
pub(crate) fn no_order<'a, 'e>(cx: &Cx<'a, 'e>) -> Order<'a, 'e> {
    let null = Item { value: cx.null(None), alias: None };
    let query = select_query(
        cx,
        Select {
            distinct: false,
            distinct_on: &[],
            items: Items::List(cx.slice(&[null])),
            from: None,
            joins: &[],
            filter: None,
            group: &[],
            having: None,
        },
    );
    let value = Scalar { kind: ScalarKind::Query(query), ty: None, nullable: true, column: None, text: None };
    Order { value, descending: false, nulls_first: None, sorts_nulls: false }
}

/// Whether it is one value in all rows, made of constants and parameters alone: `-1`, `$1 + 1`. Engines take it for a
/// place in the select list or refuse it as a key.
pub(crate) fn is_constant<'a, 'e>(cx: &Cx<'a, 'e>, value: &Scalar<'a, 'e>) -> bool {
    !matches!(value.kind, ScalarKind::Column(_)) && !parts::any_part(cx, value, &mut |_, part| is_of_rows(part))
}

/// A subquery of IN, on engines that take no limit there, or no window.
pub(crate) fn in_subquery<'a, 'e>(cx: &mut Cx<'a, 'e>, query: &'a Query<'a, 'e>) -> Result<&'a Query<'a, 'e>> {
    let paged = query.limit.is_some() || query.offset.is_some();
    let mut rule = if paged { cx.rule_for(Feature::LimitInSubquery)? } else { None };
    if rule.is_none() && !cx.target.has(Feature::WindowInSubquery) && has_window(cx, &query.body) {
        rule = cx.rule_for(Feature::WindowInSubquery)?;
    }
    Ok(if rule.is_some() { derived(cx, query) } else { query })
}

fn has_window<'a, 'e>(cx: &Cx<'a, 'e>, body: &Body<'a, 'e>) -> bool {
    let mut look = |_: &Cx<'a, 'e>, part: Part<'_, 'a, 'e>| {
        matches!(part, Part::Scalar(Scalar { kind: ScalarKind::Window(_), .. }))
    };
    let mut bodies = vec![body];
    while let Some(body) = bodies.pop() {
        match body {
            Body::Set { left, right, .. } => bodies.extend([&left.body, &right.body]),
            Body::Select(Select { items: Items::List(items), .. })
                if items.iter().any(|item| parts::any_part(cx, &item.value, &mut look)) =>
            {
                return true;
            }
            Body::Select(_) => {}
        }
    }
    false
}

/// A subquery that is used as a value, where the engine would take the first of several rows.
///
/// ```sql
/// -- before                       -- after
/// a = (SELECT b FROM t WHERE p)   a = (SELECT T2.b FROM (SELECT b FROM t WHERE p LIMIT 2) T2
///                                      GROUP BY NULL HAVING <an error unless COUNT(*) is 1>)
/// ```
pub(crate) fn counted<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    query: &'a Query<'a, 'e>,
    column: &'a str,
) -> Result<&'a Query<'a, 'e>> {
    if cx.rule_for(Feature::ScalarRows)?.is_none() {
        return Ok(query);
    }
    let two = query.limit.is_none() && query.offset.is_none();
    let limit = if two { Some(cx.int(2)) } else { query.limit };
    let query = cx.node(Query { limit, ..*query });
    let alias = cx.next_alias();
    let value = |kind| Scalar { kind, ty: None, nullable: true, column: None, text: None };
    let item = Item { value: value(ScalarKind::Column(cx.dotted(alias, column))), alias: None };
    let one = Call::spelled(cx.target.dialect().one_row(), Prec::Atom, &[]);
    Ok(select_query(
        cx,
        Select {
            distinct: false,
            distinct_on: &[],
            items: Items::List(cx.slice(&[item])),
            from: Some(Source::Derived { query, alias }),
            joins: &[],
            filter: None,
            group: cx.slice(&[cx.null(None)]),
            having: Some(Pred::IsTrue(cx.node(value(ScalarKind::Call(cx.node(one)))))),
        },
    ))
}

/// `SELECT * FROM (query) T1`
pub(crate) fn derived<'a, 'e>(cx: &mut Cx<'a, 'e>, query: &'a Query<'a, 'e>) -> &'a Query<'a, 'e> {
    let alias = cx.next_alias();
    derived_as(cx, query, alias, "*")
}

/// A query as a table that is computed before the query around it: `SELECT /*+ NO_MERGE(T1) */ * FROM (query) T1`
pub(crate) fn materialized<'a, 'e>(cx: &mut Cx<'a, 'e>, query: &'a Query<'a, 'e>) -> &'a Query<'a, 'e> {
    let alias = cx.next_alias();
    match cx.target.dialect().materialize_hint(alias) {
        Some(hint) => derived_as(cx, query, alias, cx.str(&format!("{hint} *"))),
        None => derived_as(cx, query, alias, "*"),
    }
}

fn derived_as<'a, 'e>(cx: &Cx<'a, 'e>, query: &'a Query<'a, 'e>, alias: &'a str, items: &'a str) -> &'a Query<'a, 'e> {
    let select = Select {
        distinct: false,
        distinct_on: &[],
        items: Items::Text(items),
        from: Some(Source::Derived { query, alias }),
        joins: &[],
        filter: None,
        group: &[],
        having: None,
    };
    select_query(cx, select)
}

/// A select as a query without order and paging.
pub(crate) fn select_query<'a, 'e>(cx: &Cx<'a, 'e>, select: Select<'a, 'e>) -> &'a Query<'a, 'e> {
    cx.node(Query {
        ctes: &[],
        body: Body::Select(cx.node(select)),
        order: &[],
        limit: None,
        offset: None,
        lock: None,
        by_key: false,
    })
}

/// Checks a join; a lateral one may become APPLY.
pub(crate) fn join<'a, 'e>(cx: &mut Cx<'a, 'e>, join: BuiltJoin<'a, 'e>) -> Result<Join<'a, 'e>> {
    match join.kind {
        TableJoinType::Right => cx.need(Feature::RightJoin)?,
        // An expansion looks at the whole select, once that is there.
        TableJoinType::Full if matches!(cx.target.support(Feature::FullJoin), Support::Refuse(_)) => {
            cx.need(Feature::FullJoin)?;
        }
        _ => {}
    }
    let rows_on_its_left = matches!(join.kind, TableJoinType::Inner | TableJoinType::Left | TableJoinType::Cross);
    if join.lateral && !rows_on_its_left {
        let why = "it looks at each row on its left: join it by an inner, left or cross join";
        return Err(Cx::misplaced("a lateral right or full join", why));
    }
    if join.lateral && cx.rule_for(Feature::Lateral)?.is_some() {
        let source = match join.on {
            None | Some(Pred::Const(true)) => join.source,
            Some(on) => filtered(cx, join.source, on),
        };
        return Ok(Join::Built(cx.node(BuiltJoin { on: None, source, ..join })));
    }
    Ok(Join::Built(cx.node(join)))
}

/// The rows of a source for which a condition holds, under the source's alias.
///
/// ```sql
/// -- before
/// LEFT JOIN LATERAL (SELECT ...) x ON x.a > 5
/// -- after
/// OUTER APPLY (SELECT * FROM (SELECT ...) x WHERE x.a > 5) x
/// ```
fn filtered<'a, 'e>(cx: &Cx<'a, 'e>, source: Source<'a, 'e>, condition: Pred<'a, 'e>) -> Source<'a, 'e> {
    let alias = match source {
        Source::Table { name, alias } => alias.unwrap_or(name),
        Source::Derived { alias, .. } => alias,
    };
    let select = Select {
        distinct: false,
        distinct_on: &[],
        items: Items::Text("*"),
        from: Some(source),
        joins: &[],
        filter: Some(condition),
        group: &[],
        having: None,
    };
    Source::Derived { query: select_query(cx, select), alias }
}

/// `DISTINCT ON` on an engine without it.
///
/// ```sql
/// -- before
/// SELECT DISTINCT ON (a) a, b FROM t ORDER BY a, c
/// -- after
/// SELECT "a", "b" FROM (SELECT a AS "a", b AS "b", c AS "o1",
///     ROW_NUMBER() OVER (PARTITION BY a ORDER BY c) AS "rn" FROM t) "T1" WHERE "rn" = 1 ORDER BY "a", "o1"
/// ```
pub(crate) fn distinct_on<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    select: Select<'a, 'e>,
    items: &[(Scalar<'a, 'e>, &'a str)],
    order: &'a [Order<'a, 'e>],
) -> Result<(Select<'a, 'e>, &'a [Order<'a, 'e>])> {
    if cx.rule_for(Feature::DistinctOn)?.is_none() {
        let mut select = select;
        let order = group::distinct_parameters(cx, &mut select, order)?;
        return Ok((select, order));
    }
    let alias = cx.next_alias();
    let mut inner = cx.vec(items.len() + order.len() + 1);
    let mut outer = cx.vec(items.len());
    for (value, name) in items {
        let named = value.kind.as_column().is_some_and(|column| column.qualifier().is_some() && column.name() == *name);
        inner.push(Item { value: *value, alias: (!named).then_some(*name) });
        outer.push(Item { value: column_of(cx, alias, name, value), alias: None });
    }
    let mut outer_order = cx.vec(order.len());
    let mut inner_order = cx.vec(order.len());
    for (index, key) in order.iter().enumerate() {
        // A name of the select list, or a value of it, has a column already.
        let item = items.iter().find(|(value, name)| {
            matches!(key.value.kind, ScalarKind::Column(column) if column.text() == *name)
                || group::same(cx, value, &key.value)
        });
        let (value, name) = match item {
            Some((value, name)) => (*value, *name),
            None => {
                let name = free_name(cx, &format!("o{index}"), items);
                inner.push(Item { value: key.value, alias: Some(name) });
                (key.value, name)
            }
        };
        outer_order.push(Order { value: column_of(cx, alias, name, &value), ..*key });
        // The rows of a group are all alike in what parts them.
        if !select.distinct_on.iter().any(|on| group::same(cx, on, &value)) {
            inner_order.push(Order { value, ..*key });
        }
    }
    let number = call::call(cx, Func::RowNumber, &[], Some(DbValueType::Int64.into()))?;
    if inner_order.is_empty() {
        // Some engines want an order in every ROW_NUMBER; all rows of a group are alike here.
        inner_order.push(Order {
            value: *first(select.distinct_on)?,
            descending: false,
            nulls_first: None,
            sorts_nulls: false,
        });
    }
    let number = window::window(cx, number, select.distinct_on, inner_order.into_bump_slice(), None)?;
    let rn = free_name(cx, "rn", items);
    inner.push(Item { value: number, alias: Some(rn) });
    let query = select_query(cx, Select { distinct_on: &[], items: Items::List(inner.into_bump_slice()), ..select });
    let is_first = compare::compare(cx, column_of(cx, alias, rn, &number), CompareOp::Equal, cx.int(1))?;
    let select = Select {
        distinct: false,
        distinct_on: &[],
        items: Items::List(outer.into_bump_slice()),
        from: Some(Source::Derived { query, alias }),
        joins: &[],
        filter: Some(is_first),
        group: &[],
        having: None,
    };
    Ok((select, outer_order.into_bump_slice()))
}

/// A quoted name that no item has: the one that is given, or with `_` behind it.
fn free_name<'a, 'e>(cx: &Cx<'a, 'e>, name: &str, items: &[(Scalar<'a, 'e>, &'a str)]) -> &'a str {
    let mut quoted = cx.quoted(&[name]);
    let mut tail = String::from(name);
    while items.iter().any(|(_, taken)| taken.eq_ignore_ascii_case(quoted)) {
        tail.push('_');
        quoted = cx.quoted(&[&tail]);
    }
    quoted
}

/// The value that a key of an order is about: its own, or that whose NULLs it sorts.
pub(crate) fn sorted_by<'a, 'e>(key: &Order<'a, 'e>) -> Scalar<'a, 'e> {
    match key.value.kind {
        ScalarKind::Case(case) if key.sorts_nulls => match case.cases {
            [(Pred::Null(tested, _), _)] => **tested,
            _ => key.value,
        },
        _ => key.value,
    }
}

/// A key that does by another value what this one does by its own.
pub(crate) fn sorted_like<'a, 'e>(cx: &Cx<'a, 'e>, key: &Order<'a, 'e>, value: Scalar<'a, 'e>) -> Order<'a, 'e> {
    let value = match key.value.kind {
        ScalarKind::Case(case) if key.sorts_nulls => {
            let cases = case.cases.first().map(|(_, null)| (compare::is_null_pred(cx, value, false), *null));
            logic::case_when(cx, cases.as_slice(), case.otherwise, key.value.ty)
        }
        _ => value,
    };
    Order { value, ..*key }
}

/// A value as it would stand in a text of its own.
pub(crate) fn text_of<'a, 'e>(cx: &Cx<'a, 'e>, value: &Scalar<'a, 'e>) -> Result<(String, Vec<Value>)> {
    text_by(cx, |writer| writer.scalar(value, Prec::Lowest))
}

/// A predicate as it would stand in a text of its own.
pub(super) fn text_of_pred<'a, 'e>(cx: &Cx<'a, 'e>, pred: &Pred<'a, 'e>) -> Result<(String, Vec<Value>)> {
    text_by(cx, |writer| writer.pred(pred, Prec::Lowest))
}

pub(super) fn text_by<'a, 'e>(
    cx: &Cx<'a, 'e>,
    write: impl FnOnce(&mut Writer<'_, 'e>) -> Result<()>,
) -> Result<(String, Vec<Value>)> {
    let mut writer = Writer::new(cx.target, &cx.made, &cx.fragments);
    let written = write(&mut writer);
    cx.may_look(writer.sql.len() / 8);
    written?;
    // Their values are compared with those of another text.
    if writer.looked.get() || !writer.params.is_empty() {
        cx.looked.set(true);
    }
    Ok((writer.sql, writer.params.into_iter().map(|p| p.value.into_owned()).collect()))
}

/// Checks a lock.
pub(crate) fn lock<'a, 'e>(cx: &mut Cx<'a, 'e>, mode: LockMode, wait: LockWait) -> Result<Lock<'a>> {
    match mode {
        LockMode::Update => cx.need(Feature::LockUpdate)?,
        LockMode::Share => cx.need(Feature::LockShare)?,
    }
    match wait {
        LockWait::Wait => {}
        LockWait::NoWait => cx.need(Feature::LockNoWait)?,
        LockWait::SkipLocked => _ = cx.rule_for(Feature::LockSkipLocked)?,
    }
    Ok(Lock { mode, wait, column: None })
}

/// A lock together with paging, on an engine that refuses both in one query: the rows are chosen by a subquery
/// and locked by their keys.
///
/// ```sql
/// -- before
/// SELECT a FROM t WHERE p ORDER BY b FETCH FIRST 5 ROWS ONLY FOR UPDATE
/// -- after
/// SELECT a FROM t WHERE p AND key IN (SELECT key FROM t WHERE p ORDER BY b FETCH FIRST 5 ROWS ONLY)
/// ORDER BY b FOR UPDATE
/// ```
///
/// The filter stands outside as well: of a row that another session held, the engine asks the outer condition
/// again, and only of the columns that stand in it.
pub(crate) fn lock_with_limit<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    mut query: Query<'a, 'e>,
    keys: &[Scalar<'a, 'e>],
) -> Result<Query<'a, 'e>> {
    if let Body::Select(Select { joins: [_, ..], .. }) = query.body {
        cx.rule_for(Feature::LockOf)?;
    }
    if let (Some(lock), Some(Scalar { kind: ScalarKind::Column(key), .. })) = (&mut query.lock, keys.first()) {
        lock.column = Some(key.text());
    }
    if query.limit.is_none() && query.offset.is_none() {
        return Ok(query);
    }
    if !query.order.is_empty() {
        cx.rule_for(Feature::LockOrder)?;
    }
    if cx.rule_for(Feature::LockWithLimit)?.is_none() {
        return Ok(query);
    }
    if query.lock.is_some_and(|lock| lock.wait == LockWait::SkipLocked) {
        let reason = "the rows would be chosen before the locked ones are left out: leave out the limit, and stop \
                      reading when there are enough";
        return Err(cx.target.refused("SKIP LOCKED with paging", reason));
    }
    let Body::Select(select) = query.body else { return Ok(query) };
    if keys.is_empty() {
        return Err(cx.target.refused("a row lock with paging", "the table has no key to lock its rows by"));
    }
    let mut items = cx.vec(keys.len());
    items.extend(keys.iter().map(|key| Item { value: *key, alias: None }));
    let inner = cx.node(Query {
        body: Body::Select(cx.node(Select { items: Items::List(items.into_bump_slice()), ..*select })),
        lock: None,
        ctes: &[],
        ..query
    });
    let left = match keys {
        [key] => *key,
        _ => Scalar { kind: ScalarKind::Row(cx.slice(keys)), ty: None, nullable: false, column: None, text: None },
    };
    let chosen = Pred::In(cx.node(In { left, list: InList::Query(inner), negated: false, exact: None }));
    let filter = match select.filter {
        Some(filter) => logic::all(cx, &[filter, chosen]),
        None => chosen,
    };
    query.body = Body::Select(cx.node(Select { filter: Some(filter), ..*select }));
    query.limit = None;
    query.offset = None;
    Ok(query)
}

/// `NOT IN` over a query, on an engine that can join by NOT EXISTS only.
///
/// ```sql
/// -- before                                    -- after
/// a NOT IN (SELECT x FROM t WHERE p)           NOT EXISTS (SELECT 1 FROM t WHERE p AND x = a)
/// ```
///
/// Exact where neither side can be NULL, and done only there.
pub(crate) fn not_in_exists<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    left: Scalar<'a, 'e>,
    query: &'a Query<'a, 'e>,
) -> Result<Option<Pred<'a, 'e>>> {
    let Support::Expand(Rule::NotInExists) = cx.target.support(Feature::NotInQuery) else { return Ok(None) };
    let columns = match left.kind {
        ScalarKind::Row(columns) => columns,
        _ => std::slice::from_ref(&left),
    };
    let (Body::Select(select), None, None, &[]) = (query.body, query.limit, query.offset, query.ctes) else {
        return Ok(None);
    };
    let (Items::List(items), Some(from)) = (select.items, select.from) else { return Ok(None) };
    let of_rows = |item: &Item<'a, 'e>| !item.value.nullable && is_of_a_row(cx, &item.value);
    // A name of the outer row must mean the same inside.
    let alias = |source: &Source<'a, 'e>| match source {
        Source::Table { name, alias } => alias.unwrap_or(name),
        Source::Derived { alias, .. } => alias,
    };
    let hides = |column: &ColumnRef<'a>, source: &Source<'a, 'e>| column.is_of(alias(source));
    let outer = |column: &Scalar<'a, 'e>| {
        let Some(name) = column.kind.as_column() else { return false };
        let hidden = |join: &Join<'a, 'e>| match join {
            Join::Built(join) => hides(name, &join.source),
            Join::View(_) => true,
        };
        !column.nullable && !hides(name, &from) && !select.joins.iter().any(hidden)
    };
    let plain = select.distinct_on.is_empty() && select.group.is_empty() && select.having.is_none();
    if !plain || items.len() != columns.len() || !items.iter().all(of_rows) || !columns.iter().all(outer) {
        return Ok(None);
    }
    cx.rule_for(Feature::NotInQuery)?;
    let mut tests = cx.vec(items.len() + 1);
    tests.extend(select.filter);
    for (item, column) in items.iter().zip(columns) {
        tests.push(compare::compare(cx, item.value, CompareOp::Equal, *column)?);
    }
    let filter = Some(logic::all(cx, &tests));
    let inner = select_query(cx, Select { distinct: false, items: Items::One, filter, ..*select });
    Ok(Some(Pred::Exists(inner, true)))
}

/// Whether a value is computed of each row by itself: no aggregate, no window, and nothing that may be one.
pub(super) fn is_of_a_row<'a, 'e>(cx: &Cx<'a, 'e>, value: &Scalar<'a, 'e>) -> bool {
    !parts::any_part(cx, value, &mut |_, part| match part {
        Part::Scalar(Scalar { kind: ScalarKind::Call(call), .. }) => {
            call.func.is_none_or(|func| func.signature().class == Class::Aggregate)
        }
        Part::Scalar(scalar) => matches!(scalar.kind, ScalarKind::Window(_)),
        _ => false,
    })
}

/// Whether a query has no row whatever the tables hold: its filter is false, and it has no aggregate, which would
/// make one row of none.
pub(crate) fn is_void<'a, 'e>(cx: &Cx<'a, 'e>, query: &Query<'a, 'e>) -> bool {
    let Body::Select(Select { filter: Some(Pred::Const(false)), items, group, .. }) = query.body else {
        return false;
    };
    match items {
        _ if !group.is_empty() => true,
        Items::List(items) => items.iter().all(|item| is_of_a_row(cx, &item.value)),
        _ => true,
    }
}

/// `(a, b) IN (SELECT x, y ...)` on an engine without it.
pub(crate) fn in_query_rows<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    columns: &'a [Scalar<'a, 'e>],
    query: &'a Query<'a, 'e>,
    negated: bool,
) -> Result<Pred<'a, 'e>> {
    if negated && columns.iter().any(|c| c.nullable) {
        return Err(cx.target.refused(NULL_ROWS, NULL_ROWS_WHY));
    }
    let Body::Select(select) = query.body else {
        return Err(cx
            .target
            .refused("IN of rows over a set operation", "it has no row values: select from the set operation"));
    };
    let Items::List(items) = select.items else {
        let reason = "it has no row values: give the query a select list";
        return Err(cx.target.refused("IN of rows over a query of all columns", reason));
    };
    if items.len() != columns.len() {
        return Err(Cx::misplaced("a subquery", "it needs as many items as the left side of IN has values"));
    }
    // A row that is NULL in part is neither in nor not in the others: EXISTS would say that it is not.
    if negated && items.iter().any(|item| item.value.nullable) {
        return Err(cx.target.refused(NULL_ROWS, NULL_ROWS_WHY));
    }
    let alias = cx.next_alias();
    let mut named = cx.vec(items.len());
    let mut tests = cx.vec(items.len());
    for (index, (item, column)) in items.iter().zip(columns).enumerate() {
        let name = cx.quoted(&[&format!("c{index}")]);
        named.push(Item { value: item.value, alias: Some(name) });
        let inner = column_of(cx, alias, name, &item.value);
        tests.push(compare::compare(cx, inner, CompareOp::Equal, *column)?);
    }
    let inner = cx.node(Query {
        body: Body::Select(cx.node(Select { items: Items::List(named.into_bump_slice()), ..*select })),
        ..*query
    });
    let filter = logic::all(cx, &tests);
    let outer = select_query(
        cx,
        Select {
            distinct: false,
            distinct_on: &[],
            items: Items::One,
            from: Some(Source::Derived { query: inner, alias }),
            joins: &[],
            filter: Some(filter),
            group: &[],
            having: None,
        },
    );
    cx.note(Feature::TupleIn, Rule::TupleInExists);
    Ok(Pred::Exists(outer, negated))
}

const NULL_ROWS: &str = "NOT IN of rows that can be NULL";
const NULL_ROWS_WHY: &str = "it has no row values, and EXISTS answers otherwise for NULL: Coalesce leaves none";

/// A column of a derived table.
pub(crate) fn column_of<'a, 'e>(cx: &Cx<'a, 'e>, alias: &str, name: &str, value: &Scalar<'a, 'e>) -> Scalar<'a, 'e> {
    Scalar { kind: ScalarKind::Column(cx.dotted(alias, name)), text: exact::given_text(cx, value), ..*value }
}

fn first<'s, 'a, 'e>(items: &'s [Scalar<'a, 'e>]) -> Result<&'s Scalar<'a, 'e>> {
    items.first().ok_or_else(|| Cx::misplaced("DISTINCT ON", "it needs a key"))
}

/// Whether a part may be another value in another row, or another time.
fn is_of_rows(part: Part<'_, '_, '_>) -> bool {
    match part {
        Part::Scalar(scalar) => match scalar.kind {
            ScalarKind::Column(_) | ScalarKind::Query(_) | ScalarKind::Fragment(_) | ScalarKind::Window(_) => true,
            ScalarKind::Call(call) => call.func.is_none_or(|func| {
                matches!(func, Func::Random | Func::NewGuid) || func.signature().class == Class::Aggregate
            }),
            _ => false,
        },
        Part::Pred(Pred::Text(_) | Pred::Fragment(_)) => true,
        part => part.is_query(),
    }
}
