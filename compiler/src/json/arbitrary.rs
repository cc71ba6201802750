//! Random trees for property tests, here and in other crates (feature `proptest`).
//!
//! Every tree has a notation that reads as an equal tree: its names are names, the rows of an INSERT are as long as
//! its columns, and a dictionary has no key twice.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta};
use compact_str::CompactString;
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::Union;

use crate::expr::{
    AndExpr, CaseExpr, CastExpr, CommonTableExpr, ConflictAction, DbType, DbValueType, Decimal, DeleteExpr, Distinct,
    Expr, ForeignExpr, Frame, FrameBound, FrameExclude, FrameUnit, FromExpr, FunctionExpr, GenericSqlExpr, GroupByExpr,
    HavingExpr, InsertExpr, InsertSource, LockExpr, LockMode, LockWait, LogicBinaryExpr, LogicExpr, LogicOperator,
    Name, NextSelect, NotExpr, Nulls, OnConflict, OrExpr, OrderByExpr, OrderByItemExpr, PropertyExpr, SectionExpr,
    SelectExpr, SelectItemExpr, SelectSetType, SqlSegment, TableExpr, TableJoinExpr, TableJoinType, UnaryExpr,
    UnaryOperator, UpdateExpr, Value, ValueBinaryExpr, ValueExpr, ValueJoinType, ValueOperator, ValueSet,
    ValueTypeExpr, WhereExpr, WindowExpr,
};

/// One of the strategies, each in a box: `prop_oneof` would hold them all in one frame of the stack.
macro_rules! one_of {
    ($($weight:literal => $strategy:expr),* $(,)?) => {
        Union::new_weighted(vec![$(($weight, $strategy.boxed())),*])
    };
    ($($strategy:expr),* $(,)?) => {
        Union::new(vec![$($strategy.boxed()),*])
    };
}

/// Nodes of any kind.
pub fn expr() -> impl Strategy<Value = Expr> {
    let (value, logic, segment) = sorts();
    let statement_table = table();
    let insert = (statement_table.clone(), 0..4_usize)
        .prop_flat_map({
            let (value, segment) = (value.clone(), segment.clone());
            move |(table, columns)| {
                let rows = if columns == 0 { 0..1_usize } else { 0..4 };
                let (value, segment) = (value.clone(), segment.clone());
                let source = rows.prop_flat_map(move |rows| {
                    one_of![
                        vec(plain(), columns * rows).prop_map(InsertSource::Values),
                        vec(value.clone(), columns * rows).prop_map(InsertSource::Exprs),
                        segment.clone().prop_map(InsertSource::Query),
                    ]
                });
                (Just(table), vec(name(), columns), source)
            }
        })
        .boxed();
    let action = one_of![
        Just(ConflictAction::DoNothing),
        Just(ConflictAction::UpdateAll),
        vec((name(), value.clone()), 0..3).prop_map(ConflictAction::Update),
    ];
    let conflict = option::of((vec(name(), 0..3), action).prop_map(|(target, action)| OnConflict { target, action }));
    let returning = vec(select_item(value.clone()), 0..3).boxed();
    let insert = (insert, conflict, returning.clone()).prop_map(|((table, columns, source), conflict, returning)| {
        InsertExpr { table, columns, source, conflict, returning }
    });
    let sets = vec((name(), value.clone()), 0..3);
    let filter = option::of(logic.clone()).boxed();
    let update = (statement_table.clone(), sets, filter.clone(), any::<bool>(), returning.clone())
        .prop_map(|(table, sets, filter, all_rows, returning)| UpdateExpr { table, sets, filter, all_rows, returning });
    let delete = (statement_table, filter, any::<bool>(), returning)
        .prop_map(|(table, filter, all_rows, returning)| DeleteExpr { table, filter, all_rows, returning });
    one_of![
        4 => value.clone().prop_map(Expr::Value),
        8 => logic.clone().prop_map(Expr::Logic),
        4 => segment.clone().prop_map(Expr::Segment),
        1 => select_item(value.clone()).prop_map(Expr::SelectItem),
        1 => order_item(value).prop_map(Expr::OrderByItem),
        1 => join(segment, logic).prop_map(Expr::from),
        1 => insert.prop_map(Expr::from),
        1 => update.prop_map(Expr::from),
        1 => delete.prop_map(Expr::from),
    ]
}

/// Predicates.
pub fn logic() -> impl Strategy<Value = LogicExpr> {
    sorts().1
}

/// Values.
pub fn value() -> impl Strategy<Value = ValueTypeExpr> {
    sorts().0
}

/// Queries.
pub fn segment() -> impl Strategy<Value = SqlSegment> {
    sorts().2
}

/// Names.
pub fn name() -> impl Strategy<Value = Name> {
    one_of![
        4 => "[A-Za-z_][A-Za-z0-9_]{0,8}",
        1 => "[A-Za-z_][A-Za-z0-9_]{20,40}",
        // Names that are also keys of the notation.
        1 => select(vec!["Left", "Filter", "Args", "FunctionName", "IsAggregate", "OrderBy", "and", "Value", "As"])
            .prop_map(String::from),
    ]
    .prop_filter("CASE and CAST are nodes of their own", |n| {
        !n.eq_ignore_ascii_case("case") && !n.eq_ignore_ascii_case("cast")
    })
    .prop_map(Name::from)
}

/// Plain values of every type, also lists and dictionaries.
pub fn plain() -> BoxedStrategy<Value> {
    let key =
        one_of!["[$#@!]?[a-z]{0,4}".prop_map(String::from), Just("$map".to_owned()), Just("$datetime".to_owned())];
    scalar()
        .prop_recursive(2, 8, 3, move |inner| {
            one_of![
                vec(inner.clone(), 0..4).prop_map(|items| Value::List(items.into())),
                btree_map(key.clone(), inner, 0..3).prop_map(|entries| {
                    Value::Map(entries.into_iter().map(|(key, value)| (CompactString::from(key), value)).collect())
                }),
            ]
        })
        .boxed()
}

fn scalar() -> impl Strategy<Value = Value> {
    let decimal = (any::<i128>(), 0..=38_u8)
        .prop_map(|(mantissa, scale)| Decimal::new(mantissa % 10_i128.pow(37), scale).unwrap_or(Decimal::from(0)));
    let short_decimal = (any::<i32>(), 0..=9_u8)
        .prop_map(|(mantissa, scale)| Decimal::new(mantissa.into(), scale).unwrap_or(Decimal::from(0)));
    one_of![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-10..100_i64).prop_map(Value::from),
        any::<u64>().prop_map(Value::UInt),
        any::<f64>().prop_map(|n| Value::Float(if n.is_nan() { f64::NAN } else { n })),
        any::<i16>().prop_map(|n| Value::Float(f64::from(n) / 4.0)),
        Just(Value::Float(f64::NEG_INFINITY)),
        decimal.prop_map(Value::from),
        short_decimal.prop_map(Value::from),
        ".{0,30}".prop_map(Value::from),
        "[\\x00-\\x7f]{0,8}".prop_map(Value::from),
        vec(any::<u8>(), 0..10).prop_map(Value::from),
        date().prop_map(Value::from),
        time().prop_map(Value::from),
        (date(), time()).prop_map(|(date, time)| Value::from(date.and_time(time))),
        zoned().prop_map(Value::from),
        (any::<i32>(), 0..1_000_000_000_u32)
            .prop_map(|(s, n)| Value::from(TimeDelta::new(s.into(), n).unwrap_or_default())),
        any::<i64>().prop_map(|n| Value::from(TimeDelta::microseconds(n))),
        any::<u128>().prop_map(|n| Value::from(uuid::Uuid::from_u128(n))),
        select(vec!["{}", "[1, 2]", "{\"a\":{\"b\":null}}", "1e400"]).prop_map(|text| Value::Json(text.into())),
    ]
}

fn date() -> impl Strategy<Value = NaiveDate> {
    one_of![
        4 => -800_000..1_000_000_i32,
        1 => any::<i32>(),
    ]
    .prop_map(|days| {
        let day = NaiveDate::from_num_days_from_ce_opt(days).unwrap_or(NaiveDate::MIN);
        day.clamp(NaiveDate::MIN + TimeDelta::days(2), NaiveDate::MAX - TimeDelta::days(2))
    })
}

fn time() -> impl Strategy<Value = NaiveTime> {
    (0..86_400_u32, one_of![Just(0), Just(500_000_000), 0..1_000_000_000_u32])
        .prop_map(|(seconds, nanos)| NaiveTime::from_num_seconds_from_midnight_opt(seconds, nanos).unwrap_or_default())
}

fn zoned() -> impl Strategy<Value = DateTime<FixedOffset>> {
    (date(), time(), -86_399..=86_399_i32).prop_map(|(date, time, offset)| {
        let offset =
            FixedOffset::east_opt(offset).unwrap_or(FixedOffset::east_opt(0).unwrap_or_else(|| unreachable!()));
        DateTime::from_naive_utc_and_offset(NaiveDateTime::new(date, time), offset)
    })
}

type Sorts = (BoxedStrategy<ValueTypeExpr>, BoxedStrategy<LogicExpr>, BoxedStrategy<SqlSegment>);

/// The three sorts, three times into each other.
fn sorts() -> Sorts {
    let mut sorts: Sorts =
        (leaf_value().boxed(), leaf_logic(leaf_value().boxed()).boxed(), table().prop_map(SqlSegment::Table).boxed());
    for _ in 0..3 {
        let (value, logic, segment) = &sorts;
        sorts = (
            one_of![2 => leaf_value(), 3 => node_value(&sorts)].boxed(),
            one_of![2 => leaf_logic(value.clone()), 3 => node_logic(&sorts)].boxed(),
            one_of![1 => table().prop_map(SqlSegment::Table), 3 => node_segment(value, logic, segment)].boxed(),
        );
    }
    sorts
}

fn property() -> impl Strategy<Value = PropertyExpr> {
    (option::of(name().prop_map(Box::new)), name()).prop_map(|(alias, name)| PropertyExpr { alias, name })
}

fn leaf_value() -> impl Strategy<Value = ValueTypeExpr> {
    one_of![
        property().prop_map(ValueTypeExpr::Property),
        (plain(), any::<bool>()).prop_map(|(value, is_const)| ValueExpr { value, is_const }.into()),
        generic_sql().prop_map(|node| ValueTypeExpr::Sql(node.into())),
    ]
}

fn generic_sql() -> impl Strategy<Value = GenericSqlExpr> {
    (name(), plain()).prop_map(|(key, arg)| GenericSqlExpr { key, arg })
}

fn leaf_logic(value: BoxedStrategy<ValueTypeExpr>) -> impl Strategy<Value = LogicExpr> {
    one_of![
        4 => comparison(value),
        1 => generic_sql().prop_map(LogicExpr::from),
    ]
}

fn comparison(value: BoxedStrategy<ValueTypeExpr>) -> impl Strategy<Value = LogicExpr> {
    (value.clone(), select(LogicOperator::ALL.to_vec()), value)
        .prop_map(|(left, operator, right)| LogicBinaryExpr { left, operator, right }.into())
}

fn node_logic((value, logic, segment): &Sorts) -> impl Strategy<Value = LogicExpr> + use<> {
    let foreign = (entity(), option::of(name()), option::of(logic.clone()), table_args(), any::<bool>()).prop_map(
        |(entity, alias, inner, table_args, auto_related)| ForeignExpr {
            entity,
            alias,
            inner,
            table_args,
            auto_related,
        },
    );
    one_of![
        3 => comparison(value.clone()),
        2 => vec(logic.clone(), 0..4).prop_map(|items| AndExpr { items }.into()),
        2 => vec(logic.clone(), 0..4).prop_map(|items| OrExpr { items }.into()),
        1 => logic.clone().prop_map(|operand| NotExpr { operand }.into()),
        1 => foreign.prop_map(LogicExpr::from),
        1 => segment.clone().prop_map(|query| LogicExpr::Exists(query.into())),
        1 => value.clone().prop_map(|value| LogicExpr::IsTrue(value.into())),
    ]
}

fn function(sorts: &Sorts) -> impl Strategy<Value = FunctionExpr> + use<> {
    let (value, logic, _) = sorts;
    let args = vec(value.clone(), 0..3);
    let order = vec(order_item(value.clone()), 0..2);
    let name = name().prop_filter("a function by another name is read as what it is", super::read_value::is_own_name);
    (name, args, any::<bool>(), option::of(logic.clone()), order).prop_map(
        |(name, args, is_aggregate, filter, order_by)| FunctionExpr { name, args, is_aggregate, filter, order_by },
    )
}

fn node_value(sorts: &Sorts) -> impl Strategy<Value = ValueTypeExpr> + use<> {
    use UnaryOperator as U;
    use ValueOperator as O;
    let (value, logic, segment) = sorts;
    let operator = select(vec![O::Add, O::Subtract, O::Multiply, O::Divide, O::Modulo, O::Concat]);
    let unary = select(vec![U::Negative, U::BitwiseNot, U::Distinct]);
    let join = select(vec![ValueJoinType::List, ValueJoinType::Concat, ValueJoinType::Blank]);
    let ty = (select(DbValueType::ALL.to_vec()), any::<bool>()).prop_map(|(base, array)| DbType { base, array });
    let window = (function(sorts), vec(value.clone(), 0..3), vec(order_item(value.clone()), 0..3), option::of(frame()))
        .prop_map(|(function, partition_by, order_by, frame)| WindowExpr { function, partition_by, order_by, frame });
    one_of![
        (value.clone(), operator, value.clone()).prop_map(|(left, operator, right)| ValueBinaryExpr {
            left,
            operator,
            right
        }
        .into()),
        (unary, value.clone()).prop_map(|(operator, operand)| UnaryExpr { operator, operand }.into()),
        (join, vec(value.clone(), 0..4)).prop_map(|(join, items)| ValueSet { join, items }.into()),
        function(sorts).prop_map(ValueTypeExpr::from),
        (vec((logic.clone(), value.clone()), 1..3), option::of(value.clone()))
            .prop_map(|(cases, otherwise)| CaseExpr { cases, otherwise }.into()),
        (value.clone(), ty).prop_map(|(value, to)| CastExpr { value, to }.into()),
        window.prop_map(ValueTypeExpr::from),
        segment.clone().prop_map(ValueTypeExpr::from),
        logic.clone().prop_map(ValueTypeExpr::from),
    ]
}

fn frame() -> impl Strategy<Value = Frame> {
    let bound = one_of![
        Just(FrameBound::UnboundedPreceding),
        any::<u32>().prop_map(FrameBound::Preceding),
        Just(FrameBound::CurrentRow),
        any::<u32>().prop_map(FrameBound::Following),
        Just(FrameBound::UnboundedFollowing),
    ];
    let unit = select(vec![FrameUnit::Rows, FrameUnit::Range, FrameUnit::Groups]);
    use FrameExclude as E;
    let exclude = select(vec![E::NoOthers, E::CurrentRow, E::Group, E::Ties]);
    (unit, bound.clone(), bound, exclude).prop_map(|(unit, start, end, exclude)| Frame { unit, start, end, exclude })
}

fn entity() -> impl Strategy<Value = Name> {
    vec(name(), 1..3).prop_map(|names| Name::from(names.iter().map(Name::as_str).collect::<Vec<_>>().join(".")))
}

fn table_args() -> impl Strategy<Value = Vec<CompactString>> {
    vec("[A-Za-z0-9_]{1,6}".prop_map(CompactString::from), 0..3)
}

fn table() -> BoxedStrategy<TableExpr> {
    (entity(), table_args(), option::of(name()))
        .prop_map(|(entity, args, alias)| TableExpr {
            entity,
            table_args: args.into(),
            alias,
            filters_off: Box::default(),
        })
        .boxed()
}

fn join(
    segment: BoxedStrategy<SqlSegment>,
    logic: BoxedStrategy<LogicExpr>,
) -> impl Strategy<Value = TableJoinExpr> + use<> {
    use TableJoinType as J;
    let kind = select(vec![J::Inner, J::Left, J::Right, J::Full, J::Cross]);
    (segment, option::of(logic), kind, any::<bool>()).prop_map(|(source, on, join_type, lateral)| TableJoinExpr {
        source,
        on,
        join_type,
        lateral,
    })
}

fn select_item(value: BoxedStrategy<ValueTypeExpr>) -> impl Strategy<Value = SelectItemExpr> + use<> {
    (value, option::of(name())).prop_map(|(value, alias)| SelectItemExpr { value, alias })
}

fn order_item(value: BoxedStrategy<ValueTypeExpr>) -> impl Strategy<Value = OrderByItemExpr> + use<> {
    let nulls = select(vec![Nulls::Default, Nulls::First, Nulls::Last]);
    (value, any::<bool>(), nulls).prop_map(|(field, ascending, nulls)| OrderByItemExpr { field, ascending, nulls })
}

fn select_expr(value: &BoxedStrategy<ValueTypeExpr>, segment: &BoxedStrategy<SqlSegment>) -> BoxedStrategy<SelectExpr> {
    use SelectSetType as S;
    let distinct = one_of![
        3 => Just(Distinct::No),
        1 => Just(Distinct::Rows),
        1 => vec(value.clone(), 0..3).prop_map(Distinct::On),
    ];
    let items = vec(select_item(value.clone()), 0..3);
    let one = (option::of(segment.clone()), items, distinct, option::of(name()))
        .prop_map(|(source, selects, distinct, alias)| SelectExpr {
            source,
            selects,
            distinct,
            next_selects: Vec::new(),
            alias,
        })
        .boxed();
    let set_type = select(vec![S::UnionAll, S::Union, S::Intersect, S::Except]);
    let next = (set_type, one.clone()).prop_map(|(set_type, select)| NextSelect { set_type, select });
    (one, vec(next, 0..3)).prop_map(|(select, next_selects)| SelectExpr { next_selects, ..select }).boxed()
}

fn node_segment(
    value: &BoxedStrategy<ValueTypeExpr>,
    logic: &BoxedStrategy<LogicExpr>,
    segment: &BoxedStrategy<SqlSegment>,
) -> impl Strategy<Value = SqlSegment> + use<> {
    let source = option::of(segment.clone()).boxed();
    let select_of = select_expr(value, segment);
    let after = vec((plain(), any::<bool>()).prop_map(|(value, is_const)| ValueExpr { value, is_const }), 0..3);
    let wait = select(vec![LockWait::Wait, LockWait::NoWait, LockWait::SkipLocked]);
    one_of![
        (segment.clone(), vec(join(segment.clone(), logic.clone()), 0..3)).prop_map(|(source, joins)| FromExpr {
            source,
            joins
        }
        .into()),
        (source.clone(), logic.clone()).prop_map(|(source, filter)| WhereExpr { source, filter }.into()),
        (source.clone(), vec(value.clone(), 0..3))
            .prop_map(|(source, group_by)| GroupByExpr { source, group_by }.into()),
        (source.clone(), logic.clone()).prop_map(|(source, having)| HavingExpr { source, having }.into()),
        (source.clone(), vec(order_item(value.clone()), 0..3)).prop_map(|(source, order_by)| OrderByExpr {
            source,
            order_by
        }
        .into()),
        (source.clone(), any::<u64>(), option::of(any::<u64>()), after)
            .prop_map(|(source, skip, take, after)| SectionExpr { source, skip, take, after }.into()),
        (source.clone(), 0..3_u64).prop_map(|(source, take)| SectionExpr {
            source,
            skip: 0,
            take: Some(take),
            after: Vec::new()
        }
        .into()),
        (source, select(vec![LockMode::Update, LockMode::Share]), wait).prop_map(|(source, mode, wait)| LockExpr {
            source,
            mode,
            wait
        }
        .into()),
        select_of.clone().prop_map(SqlSegment::from),
        (option::of(select_of), name()).prop_map(|(source, alias)| CommonTableExpr { source, alias }.into()),
    ]
}
