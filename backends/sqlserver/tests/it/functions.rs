//! Every portable function has a spelling or a refusal, for every kind of argument and in every version.

#![allow(clippy::indexing_slicing, reason = "a test may fail")]

use isogloss_compiler::expr::{FunctionExpr, ValueTypeExpr, constant, from, func, prop, value};
use isogloss_compiler::functions::{ArgKind, Class, Func};
use isogloss_compiler::model::sample;
use isogloss_compiler::{Compiler, ErrorKind};
use isogloss_sqlserver::SqlServer;

const VERSIONS: [SqlServer; 4] = [SqlServer::V2017, SqlServer::V2019, SqlServer::V2022, SqlServer::V2025];

fn columns(kind: ArgKind) -> Vec<ValueTypeExpr> {
    let names: &[&str] = match kind {
        ArgKind::Any => &["Note", "Qty", "Amount", "Paid", "ShipDate", "CreatedTime", "UpdatedTime", "Token"],
        ArgKind::Text => &["Note"],
        ArgKind::Number => &["Qty", "Amount", "Id"],
        ArgKind::Int => &["Qty"],
        ArgKind::Date | ArgKind::Moment => &["ShipDate", "CreatedTime", "UpdatedTime"],
        ArgKind::Json => &["Data"],
        ArgKind::Bool => &["Paid"],
        ArgKind::Literal => &[],
    };
    names.iter().map(|name| prop(*name).into()).collect()
}

/// Calls of a function with as many arguments as it takes, or as few, by columns and by values.
fn calls(function: Func) -> Vec<FunctionExpr> {
    let signature = function.signature();
    let (least, most) = signature.arity();
    let mut calls = Vec::new();
    for count in least..=most.min(least.max(1) + 2) {
        let literal = || match function {
            Func::Format => constant("yyyy-MM-dd HH:mm:ss.fff").into(),
            _ => constant("$.a[0]").into(),
        };
        let arg = |index: usize, plain: bool| match signature.arg(index) {
            ArgKind::Literal => literal(),
            ArgKind::Int if plain => value(3).into(),
            ArgKind::Text if plain => value("x").into(),
            kind => columns(kind)[0].clone(),
        };
        let firsts = if count == 0 { vec![] } else { columns(signature.arg(0)) };
        for plain in [false, true] {
            if firsts.is_empty() {
                calls.push(func(signature.name, (0..count).map(|i| arg(i, plain))));
            }
            for first in &firsts {
                let args = (0..count).map(|i| if i == 0 { first.clone() } else { arg(i, plain) });
                calls.push(func(signature.name, args));
            }
        }
    }
    calls
}

#[test]
fn every_function_is_spelled_or_refused() {
    let compiler = Compiler::new(sample::catalog());
    let mut texts = 0;
    for function in Func::ALL {
        for call in calls(*function) {
            let item: ValueTypeExpr =
                if function.signature().class == Class::Window { call.over().into() } else { call.into() };
            let query = from("Order").select([item]).into_segment();
            for version in VERSIONS {
                match compiler.compile(&query, &version) {
                    Ok(compiled) => {
                        check(&compiled.sql);
                        texts += 1;
                    }
                    Err(error) => {
                        if function == &Func::JsonObject && matches!(error.kind(), ErrorKind::Arity { .. }) {
                            continue;
                        }
                        // Arguments that do not go together are refused on every engine.
                        if matches!(error.kind(), ErrorKind::Misplaced { .. }) {
                            continue;
                        }
                        let ErrorKind::Refused { reason, .. } = error.kind() else { panic!("{function:?}: {error}") };
                        assert!(!reason.contains("no spelling"), "{function:?}: {error}");
                        assert!(reason.contains("SQL Server") || reason.len() > 10, "{function:?}: {error}");
                    }
                }
            }
        }
    }
    assert!(texts > 1_000, "{texts}");
}

/// No hole is left, and parentheses and CASEs end.
fn check(sql: &str) {
    assert!(!sql.contains(['{', '}']), "{sql}");
    assert_eq!(sql.matches('(').count(), sql.matches(')').count(), "{sql}");
    assert_eq!(sql.matches("CASE ").count(), sql.matches(" END").count(), "{sql}");
}
