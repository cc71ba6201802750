//! A value that a rule writes twice is one node in two places: such values one in another are a small tree, and whoever
//! goes through them by their places goes on for ever.

use std::sync::mpsc;
use std::time::Duration;

use isogloss_compiler::expr::*;
use isogloss_compiler::functions::{ArgKind, Class, Func, ResultType};
use isogloss_compiler::model::{Collation, ColumnCollation, TextMode, sample};
use isogloss_compiler::{CompileLimits, Compiler, ErrorKind};

use super::{dialects, on_a_thread};

/// Calls whose spelling repeats an argument on some engine, `n` of them one in the other.
fn repeated(n: usize) -> Vec<(&'static str, LogicExpr)> {
    let amount = || ValueTypeExpr::from(prop("Amount"));
    let note = || ValueTypeExpr::from(prop("Note"));
    let paid = ValueTypeExpr::from(prop("Paid"));
    let (mut greatest, mut at, mut truth, mut months) = (amount(), ValueTypeExpr::from(1), paid, note());
    let mut joined = note();
    for _ in 0..n {
        greatest = func("Greatest", [amount(), greatest, amount()]).into();
        at = func("IndexOf", [note(), "a".into(), at]).into();
        let word = if_else(truth.is_true(), note(), "x");
        truth = ValueTypeExpr::Truth(note().starts_with(word).into());
        months = func("AddMonths", [ValueTypeExpr::from(prop("CreatedTime")), func("Length", [months]).into()]).into();
        joined = func("ConcatWs", [note(), joined]).into();
    }
    vec![
        ("greatest", greatest.eq(1)),
        ("position", at.eq(1)),
        ("truth", truth.is_true()),
        ("months", months.gt(prop("CreatedTime"))),
        ("joined", joined.eq("x")),
    ]
}

#[test]
fn no_small_tree_becomes_a_huge_text() {
    on_a_thread(|| {
        let compiler = super::compiler();
        for n in [4, 12, 50] {
            for (name, filter) in repeated(n) {
                let tree: Expr = from("Order").filter(filter).select([prop("Id")]).into();
                for (dialect, _) in dialects() {
                    match compiler.compile(&tree, &*dialect) {
                        Ok(compiled) => assert!(compiled.sql.len() < 4 << 20, "{name} of {n} on {}", dialect.label()),
                        Err(error) => {
                            let fine = matches!(error.kind(), ErrorKind::TooLarge { .. } | ErrorKind::TooDeep { .. });
                            assert!(
                                fine || error.is_refused() || n > 4,
                                "{name} of {n} on {}: {error}",
                                dialect.label()
                            );
                        }
                    }
                }
            }
        }
    });
}

/// A column for an argument, and the type that another value is brought to in its place.
fn column(kind: ArgKind, any: &'static str) -> (ValueTypeExpr, Option<DbValueType>) {
    use DbValueType as T;
    let (name, ty) = match kind {
        ArgKind::Any => (any, None),
        ArgKind::Text => ("Note", Some(T::String)),
        ArgKind::Number => ("Amount", Some(T::Decimal)),
        ArgKind::Int => ("Qty", Some(T::Int32)),
        ArgKind::Date | ArgKind::Moment => ("CreatedTime", Some(T::DateTime2)),
        ArgKind::Json => ("Data", Some(T::Json)),
        ArgKind::Bool => ("Paid", Some(T::Boolean)),
        ArgKind::Literal => return ("$.a".into(), None),
    };
    (prop(name).into(), ty)
}

/// Every function, `n` calls of it one in the other, in each of its places.
fn nested(n: usize) -> Vec<(String, ValueTypeExpr, LogicExpr)> {
    let mut all = Vec::new();
    let anys = [("Qty", "Amount"), ("Amount", "Amount"), ("Note", "OrderNo"), ("CreatedTime", "CreatedTime")];
    for function in Func::ALL.iter().filter(|function| function.signature().class == Class::Scalar) {
        let signature = function.signature();
        let kinds: Vec<ArgKind> = signature.args.bytes().filter(u8::is_ascii_alphabetic).map(ArgKind::of).collect();
        // One that repeats stands three times.
        let count = if signature.args.ends_with('*') { kinds.len().max(3) } else { kinds.len() };
        let kind = |at: usize| kinds.get(at).or(kinds.last()).copied().unwrap_or(ArgKind::Any);
        let anys = if kinds.contains(&ArgKind::Any) { &anys[..] } else { &anys[..1] };
        for (place, (inner, other)) in (0..count).flat_map(|place| anys.iter().map(move |any| (place, *any))) {
            if kind(place) == ArgKind::Literal {
                continue;
            }
            let (seed, ty) = column(kind(place), inner);
            let value = (0..n).fold(seed.clone(), |value, _| {
                let value = match ty {
                    Some(ty) if !matches!(signature.result, ResultType::Is(is) if is == ty) => value.cast(ty).into(),
                    _ => value,
                };
                let args = (0..count).map(|at| if at == place { value.clone() } else { column(kind(at), other).0 });
                func(signature.name, args.collect::<Vec<_>>()).into()
            });
            let filter = value.clone().ne(seed);
            all.push((format!("{} {place} {inner}", signature.name), value, filter));
        }
    }
    all
}

#[test]
fn no_small_tree_takes_long() {
    // What takes twice as long with each level takes years.
    const LONG: Duration = Duration::from_secs(120);
    let loose =
        ["OrderNo", "Note"].map(|column| ColumnCollation::new(None, "Orders", column, Collation::loose("loose")));
    // The flatter ones end even if each level takes twice as long as the one in it.
    for n in [22, 60] {
        let (done, next) = mpsc::channel();
        let loose = loose.clone();
        let run = std::thread::Builder::new().stack_size(2 << 20).spawn(move || {
            let compiler = Compiler::new(sample::catalog()).with_limits(CompileLimits::default().text(1 << 16));
            let trees = nested(n);
            for (dialect, _) in dialects() {
                let targets = [
                    compiler.target_of(&*dialect, TextMode::Database, &[]),
                    compiler.target_of(&*dialect, TextMode::Database, &loose),
                    compiler.target_of(&*dialect, TextMode::Exact, &[]),
                    compiler.target_of(&*dialect, TextMode::Exact, &[]),
                ];
                for (name, value, filter) in &trees {
                    let filter = Expr::from(from("Order").filter(filter.clone()).select([prop("Id")]));
                    let rows = from("Order").group_by([value.clone()]).order_by([value.clone().asc()]);
                    let groups = Expr::from(rows.select([value.clone().alias("v")]));
                    for (target, tree) in targets.iter().zip([&filter, &filter, &filter, &groups]) {
                        done.send(format!("{name} of {n} on {}", dialect.label())).unwrap();
                        let compiled = target.compile(tree);
                        assert!(compiled.is_err() || compiled.is_ok_and(|compiled| compiled.sql.len() < 1 << 20));
                    }
                }
            }
        });
        let mut last = String::new();
        loop {
            match next.recv_timeout(LONG) {
                Ok(tree) => last = tree,
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Err(mpsc::RecvTimeoutError::Timeout) => panic!("{last} takes too long"),
            }
        }
        run.unwrap().join().unwrap();
    }
}
