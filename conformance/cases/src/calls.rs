//! Calls of each function, made from its signature: with plain, computed, nullable and given arguments, each in turn.
//!
//! They are over the table `Row` of the suite's schema `calls`.

use isogloss_compiler::chrono::{NaiveDate, NaiveDateTime};
use isogloss_compiler::expr::{
    DbType, DbValueType as T, Expr, FunctionExpr, SelectItemExpr, SqlSegment, Value, ValueOps, ValueTypeExpr, concat,
    from, func, if_else, null, prop, value,
};
use isogloss_compiler::functions::{ArgKind, Class, Func, ResultType};
use isogloss_compiler::uuid::Uuid;

/// An argument with its type.
#[derive(Debug, Clone)]
struct Arg {
    node: ValueTypeExpr,
    ty: DbType,
}

/// A query that selects one call.
#[derive(Debug, Clone)]
pub struct Call {
    /// The function.
    pub func: Func,
    /// The query: the key of each row and the value, or one value of an aggregate.
    pub query: Expr,
    /// The types of its columns.
    pub types: Vec<DbType>,
}

fn arg(node: impl Into<ValueTypeExpr>, ty: T) -> Arg {
    Arg { node: node.into(), ty: ty.into() }
}

fn day() -> Value {
    NaiveDate::from_ymd_opt(2024, 2, 29).map_or(Value::Null, Value::Date)
}

fn moment() -> Value {
    let moment = NaiveDateTime::parse_from_str("2024-03-31T22:15:00.5", "%Y-%m-%dT%H:%M:%S%.f");
    moment.map_or(Value::Null, Value::DateTime)
}

fn texts() -> Vec<Arg> {
    vec![
        arg(prop("Word"), T::String),
        arg(prop("Text"), T::String),
        arg(concat(prop("Word"), prop("Text")), T::String),
        arg(if_else(prop("Whole").gt(1), "b", "c"), T::String),
        arg(value("b%'"), T::String),
        arg(value(""), T::String),
        arg(null(), T::String),
    ]
}

/// What becomes text in the place of one.
fn others_as_text() -> [Arg; 4] {
    [
        arg(prop("Whole"), T::Int32),
        arg(prop("Price"), T::Decimal),
        arg(prop("Day"), T::Date),
        arg(prop("Word").cast(T::Binary), T::Binary),
    ]
}

fn integers() -> Vec<Arg> {
    vec![
        arg(prop("Whole"), T::Int32),
        arg(prop("Count"), T::Int32),
        arg(prop("Large"), T::Int64),
        arg(prop("Whole") - 1, T::Int32),
        arg(value(2), T::Int32),
        arg(value(0), T::Int32),
        arg(value(-1), T::Int32),
        arg(null(), T::Int32),
    ]
}

fn numbers() -> Vec<Arg> {
    let others = [
        arg(prop("Price"), T::Decimal),
        arg(prop("Rate"), T::Decimal),
        arg(prop("Price") * prop("Whole"), T::Decimal),
        arg(prop("Real"), T::Double),
        arg(prop("Ratio"), T::Double),
        arg(value(0.5), T::Double),
    ];
    integers().into_iter().chain(others).collect()
}

fn dates() -> Vec<Arg> {
    vec![
        arg(prop("At"), T::DateTime2),
        arg(prop("Until"), T::DateTime2),
        arg(prop("Day"), T::Date),
        arg(prop("Due"), T::Date),
        arg(func("AddDays", [ValueTypeExpr::from(prop("Day")), value(1).into()]), T::Date),
        arg(prop("Zoned"), T::DateTimeOffset),
        arg(value(moment()), T::DateTime2),
        arg(value(day()), T::Date),
    ]
}

fn any() -> Vec<Arg> {
    let mut all = vec![
        arg(prop("Whole"), T::Int32),
        arg(prop("Count"), T::Int32),
        arg(prop("Large"), T::Int64),
        arg(prop("Price"), T::Decimal),
        arg(prop("Rate"), T::Decimal),
        arg(prop("Real"), T::Double),
        arg(prop("Ratio"), T::Double),
        arg(prop("Flag"), T::Boolean),
        arg(prop("Known"), T::Boolean),
        arg(prop("Clock"), T::Time),
        arg(prop("Raw"), T::Binary),
        arg(prop("Key"), T::Guid),
        arg(prop("Doc"), T::Json),
    ];
    all.extend(texts());
    all.extend(dates());
    all
}

/// What may stand for an argument; the first is what stands there while others are varied.
fn choices(func: Func, kind: ArgKind) -> Vec<Arg> {
    let literals: &[&'static str] = match func {
        Func::Format => &["yyyy-MM-dd", "dd/MM/yy hh:mm:ss.fff tt", "'it''s \"100%\"' M d H HH MMM"],
        _ => &["$.a", "$.b[0]", "$", "$[1]", "$.\"a.b\"", "$.d.e", "$.b[1].c"],
    };
    match kind {
        ArgKind::Any if func == Func::Hex => {
            let others = any().into_iter().filter(|arg| arg.ty.base != T::Binary);
            [arg(prop("Raw"), T::Binary)].into_iter().chain(others).collect()
        }
        ArgKind::Any if matches!(func, Func::Concat | Func::ConcatWs) => {
            any().into_iter().filter(|arg| !matches!(arg.ty.base, T::Binary | T::Json)).collect()
        }
        ArgKind::Any => any(),
        ArgKind::Moment => dates().into_iter().chain([arg(prop("Clock"), T::Time)]).collect(),
        // Bytes have a length of their own.
        ArgKind::Text if matches!(func, Func::Length | Func::ByteLength) => {
            texts().into_iter().chain(others_as_text()).chain([arg(prop("Raw"), T::Binary)]).collect()
        }
        ArgKind::Text => texts().into_iter().chain(others_as_text()).collect(),
        ArgKind::Number => numbers(),
        ArgKind::Int if matches!(func, Func::NTile | Func::NthValue) => {
            vec![arg(value(2), T::Int32), arg(value(1), T::Int32), arg(prop("Id"), T::Int32)]
        }
        ArgKind::Int => integers(),
        ArgKind::Date => dates(),
        ArgKind::Json => vec![arg(prop("Doc"), T::Json), arg(value("{\"a\":[1,{\"b\":\"x\"}]}"), T::String)],
        ArgKind::Literal => literals.iter().map(|text| arg(value(*text), T::String)).collect(),
        ArgKind::Bool => vec![
            arg(prop("Flag"), T::Boolean),
            arg(prop("Known"), T::Boolean),
            arg(ValueTypeExpr::from(prop("Whole").gt(1)), T::Boolean),
        ],
    }
}

/// The lists of arguments of a function: each place varied in turn, for each number of arguments that it takes.
fn arguments(function: Func) -> Vec<Vec<Arg>> {
    let args = function.signature().args;
    let kinds: Vec<ArgKind> = args.bytes().filter(u8::is_ascii_alphabetic).map(ArgKind::of).collect();
    let least = args.find('?').unwrap_or(kinds.len());
    let repeats = args.ends_with('*');
    let mut lists = Vec::new();
    for count in least..=kinds.len() + usize::from(repeats) {
        let kinds: Vec<ArgKind> = (0..count).filter_map(|at| kinds.get(at).or(kinds.last()).copied()).collect();
        let alike = kinds.len() > 1 && kinds.iter().filter(|kind| **kind == ArgKind::Any).count() > 1;
        if alike && !matches!(function, Func::JsonObject | Func::JsonArray | Func::Concat | Func::ConcatWs) {
            lists.extend(families().into_iter().map(|family| family.into_iter().cycle().take(count).collect()));
            continue;
        }
        // The names of an object are texts.
        let of = |(place, kind): (usize, &ArgKind)| {
            let named = function == Func::JsonObject && place % 2 == 0;
            choices(function, if named { ArgKind::Literal } else { *kind })
        };
        let usual: Vec<Arg> = kinds.iter().enumerate().filter_map(|kind| of(kind).into_iter().next()).collect();
        lists.push(usual.clone());
        for (place, kind) in kinds.iter().enumerate() {
            for choice in of((place, kind)).into_iter().skip(1) {
                let mut list = usual.clone();
                list.splice(place..=place, [choice]);
                lists.push(list);
            }
        }
        // Every place of a value that is known.
        let known = |arg: &Arg| matches!(&arg.node, ValueTypeExpr::Value(node) if !node.value.is_null() && node.value != Value::from(""));
        let given = |(place, kind): (usize, &ArgKind)| {
            let choices = of((place, kind));
            choices.iter().find(|arg| place > 0 && known(arg)).or(choices.first()).cloned()
        };
        if kinds.len() > 2 && !kinds.contains(&ArgKind::Any) {
            lists.push(kinds.iter().enumerate().filter_map(given).collect());
        }
        // A date without a time, moved.
        if let [ArgKind::Date, ArgKind::Int] = kinds[..] {
            lists.extend(integers().into_iter().map(|number| vec![arg(prop("Day"), T::Date), number]));
        }
        // Two dates of one kind.
        if kinds.iter().filter(|kind| **kind == ArgKind::Date).count() > 1 {
            let kinds = [["Day", "Due"], ["Until", "At"], ["Zoned", "Zoned"]].into_iter().zip([
                T::Date,
                T::DateTime2,
                T::DateTimeOffset,
            ]);
            lists.extend(kinds.map(|(names, ty)| names.map(|name| arg(prop(name), ty)).to_vec()));
        }
        // A length that is computed, and never negative.
        if kinds.first() == Some(&ArgKind::Text) {
            for (place, _) in kinds.iter().enumerate().filter(|(_, kind)| **kind == ArgKind::Int) {
                let mut list = usual.clone();
                list.splice(place..=place, [arg(func("Length", [prop("Word")]), T::Int32)]);
                lists.push(list);
            }
        }
    }
    lists
}

/// Values that are compared with each other.
fn families() -> Vec<Vec<Arg>> {
    let of = |names: &[&'static str], ty: T| names.iter().map(|name| arg(prop(*name), ty)).collect::<Vec<_>>();
    let mixed =
        |one: (&'static str, T), other: (&'static str, T)| vec![arg(prop(one.0), one.1), arg(prop(other.0), other.1)];
    vec![
        of(&["Whole", "Count"], T::Int32),
        of(&["Whole", "Id"], T::Int32),
        of(&["Word", "Text"], T::String),
        of(&["Price", "Rate"], T::Decimal),
        of(&["Real", "Ratio"], T::Double),
        of(&["Day", "Due"], T::Date),
        of(&["At", "Until"], T::DateTime2),
        of(&["Known", "Flag"], T::Boolean),
        of(&["Key"], T::Guid),
        vec![arg(func("Coalesce", [ValueTypeExpr::from(prop("Key")), value(Uuid::nil()).into()]), T::Guid)],
        mixed(("Whole", T::Int32), ("Rate", T::Decimal)),
        mixed(("Price", T::Decimal), ("Ratio", T::Double)),
        mixed(("Day", T::Date), ("Until", T::DateTime2)),
        mixed(("Until", T::DateTime2), ("Zoned", T::DateTimeOffset)),
        vec![arg(prop("Count"), T::Int32), arg(value(2), T::Int32)],
        vec![arg(prop("Text"), T::String), arg(value("b%'"), T::String)],
        vec![arg(value(2), T::Int32), arg(prop("Count"), T::Int32)],
        vec![arg(null(), T::Int32), arg(prop("Whole"), T::Int32)],
    ]
}

/// The type of a call.
fn result(func: Func, args: &[Arg]) -> DbType {
    let first = args.first().map_or(T::Int32.into(), |arg| arg.ty);
    let rank = |ty: T| match ty {
        T::Int32 => 0,
        T::Int64 => 1,
        T::Decimal => 2,
        T::Double => 3,
        T::Date => 4,
        T::DateTime2 => 5,
        _ => 6,
    };
    match func.signature().result {
        ResultType::Is(ty) => ty.into(),
        // In the place of text, it has become one.
        ResultType::First if func.signature().arg(0) == ArgKind::Text => T::String.into(),
        ResultType::First => first,
        ResultType::Widest => args.iter().map(|arg| arg.ty).max_by_key(|ty| rank(ty.base)).unwrap_or(first),
        ResultType::Sum if first.base.is_integer() => T::Int64.into(),
        ResultType::Sum => first,
        ResultType::Average if first.base.is_decimal() => first,
        ResultType::Average => T::Double.into(),
        ResultType::DateLike if first.base == T::Date => T::DateTime2.into(),
        ResultType::DateLike => first,
    }
}

/// Every call.
pub fn calls() -> Vec<Call> {
    Func::ALL.iter().flat_map(|func| arguments(*func).into_iter().flat_map(|args| of(*func, &args))).collect()
}

/// The queries about one list of arguments.
fn of(function: Func, args: &[Arg]) -> Vec<Call> {
    let signature = function.signature();
    let call: FunctionExpr = func(signature.name, args.iter().map(|arg| arg.node.clone()));
    let ty = result(function, args);
    let query = |item: SelectItemExpr, keyed: bool| {
        let rows = from("Row");
        let (query, types) = if keyed {
            (rows.order_by(["Id"]).select([prop("Id").into(), item]), vec![T::Int32.into(), ty])
        } else {
            (rows.select([item]), vec![ty])
        };
        Call { func: function, query: SqlSegment::from(query).into(), types }
    };
    let over = |call: FunctionExpr| call.over().partition_by(["Flag"]).order_by(["Id"]);
    match signature.class {
        Class::Scalar => vec![query(call.alias("V"), true)],
        Class::Window => vec![query(over(call).alias("V"), true)],
        Class::Aggregate => {
            let call = if function == Func::StringAgg { call.order_by(["Id"]) } else { call };
            let filtered = call.clone().filter(prop("Id").gt(1));
            let alone = args.first().map(|arg| {
                let distinct = isogloss_compiler::expr::aggregate(signature.name, arg.node.clone()).distinct();
                query(distinct.alias("V"), false)
            });
            let alone = alone.filter(|_| function != Func::StringAgg);
            let over = query(over(FunctionExpr { order_by: Vec::new(), ..call.clone() }).alias("V"), true);
            let ordered = (function == Func::JsonArrayAgg)
                .then(|| query(call.clone().order_by([prop("Id").desc()]).alias("V"), false));
            let mut queries = vec![query(call.alias("V"), false), query(filtered.alias("V"), false), over];
            queries.extend(alone.into_iter().chain(ordered));
            queries
        }
    }
}
