//! Isogloss: a statement that was prepared from the tree, bound to the values of each iteration. The values are checked
//! against their columns' types in every iteration; no tree is built.

use super::isogloss::{self, deviation, target};
use crate::data::{Comparison, Data, INSERT_COLUMNS, Value as Input};
use crate::peer::{Case, NOT_ITS_JOB, Peer, Text, Workload, direct};
use isogloss_compiler::expr::{Expr, Value, ValueRef};
use isogloss_compiler::{Buffers, Prepared};
use std::cell::Cell;
use std::hint::black_box;

/// With the buffers of the last statement.
pub struct IsoglossPrepared;

impl Peer for IsoglossPrepared {
    fn name(&self) -> &'static str {
        "isogloss-prepared"
    }

    fn about(&self) -> &'static str {
        "bind a prepared statement to new values, each checked"
    }

    fn case(&self, workload: Workload, data: &'static Data) -> Result<Box<dyn Case>, &'static str> {
        match workload {
            Workload::W1 => bound(data, 64, isogloss::w1(data), |data| [data.id.into()]),
            Workload::W2 => bound(data, 64, isogloss::w2(data), w2),
            Workload::W3 => bound(data, 64, isogloss::w3(data), w3),
            Workload::W4a => bound(data, usize::MAX, isogloss::w4(data), w4),
            Workload::W4b => bound(data, 64, isogloss::w4(data), w4),
            Workload::W5 => rows(data),
            Workload::W6 => bound(data, 64, isogloss::w6(data), w6),
            Workload::W7 => bound(data, 64, isogloss::w7(data), w7),
            Workload::J2 | Workload::J6 => Err(NOT_ITS_JOB),
        }
    }

    fn deviation(&self, workload: Workload) -> Option<&'static str> {
        deviation(workload)
    }
}

fn bound<V: AsRef<[Value]>>(
    data: &'static Data,
    in_list: usize,
    tree: impl Into<Expr>,
    values: impl Fn(&'static Data) -> V + 'static,
) -> Result<Box<dyn Case>, &'static str> {
    let tree = tree.into();
    let target = target(in_list);
    let prepared: Prepared = target.prepare(tree.clone()).expect("it compiles");
    // What stands in the tree in this order.
    let (compiled, values_now) = (target.compile(&tree).expect("it compiles"), values(data));
    assert_eq!(compiled, prepared.bind(values_now.as_ref()).expect("they fit"));
    let buffers = Cell::new(Buffers::default());
    let shown = Text { sql: compiled.sql.clone(), params: compiled.params.len() };
    direct(
        data,
        move |data| {
            let values = values(data);
            let bound = prepared.bind_in(values.as_ref(), None, buffers.take()).expect("they fit");
            black_box(&bound);
            buffers.set(bound.recycle());
        },
        move |()| shown.clone(),
    )
}

fn w2(data: &'static Data) -> [Value; 5] {
    let page = &data.page;
    [
        page.status.as_str().into(),
        page.min_amount.into(),
        page.name_pattern.trim_end_matches('%').into(),
        page.since.as_str().into(),
        page.is_deleted.into(),
    ]
}

fn w3(data: &'static Data) -> [Value; 2] {
    let statuses: Vec<Value> = data.exists.statuses.iter().map(|status| status.as_str().into()).collect();
    [data.exists.city.as_str().into(), statuses.into()]
}

fn w4(data: &'static Data) -> [Value; 1] {
    [data.ids.iter().map(|id| Value::from(*id)).collect::<Vec<_>>().into()]
}

/// Rows of borrowed values, which are the parameters themselves; the text of 1,000 rows is kept.
fn rows(data: &'static Data) -> Result<Box<dyn Case>, &'static str> {
    let insert = target(64).prepare_insert("Order", &INSERT_COLUMNS, &[]).expect("it compiles");
    let compiled = target(64).compile(&isogloss::w5(data)).expect("it compiles").into_owned();
    assert_eq!(compiled, insert.bind(&w5(data)).expect("they fit").into_compiled());
    let shown = Text { sql: compiled.sql, params: compiled.params.len() };
    direct(
        data,
        move |data| {
            let values = w5(data);
            black_box(insert.bind(&values).expect("they fit"));
        },
        move |()| shown.clone(),
    )
}

fn w5(data: &'static Data) -> Vec<ValueRef<'static>> {
    let mut values = Vec::with_capacity(data.rows.len() * INSERT_COLUMNS.len());
    for row in &data.rows {
        values.extend([
            ValueRef::from(row.order_no.as_str()),
            row.customer_id.into(),
            row.product_id.into(),
            row.qty.into(),
            row.amount.into(),
            row.note.as_deref().into(),
            row.created_time.as_str().into(),
            row.is_deleted.into(),
        ]);
    }
    values
}

fn w6(data: &'static Data) -> Vec<Value> {
    let value = |comparison: &'static Comparison| match &comparison.value {
        Input::Int(n) => (*n).into(),
        Input::Big(n) => (*n).into(),
        Input::Float(n) => (*n).into(),
        Input::Text(text) => text.as_str().into(),
    };
    data.logic.iter().map(value).collect()
}

fn w7(data: &'static Data) -> [Value; 11] {
    let report = &data.report;
    [
        report.is_deleted.into(),
        report.since.as_str().into(),
        report.having_over.into(),
        report.paid_status.as_str().into(),
        report.zero.into(),
        report.top.into(),
        report.class_a_from.into(),
        report.class_a.as_str().into(),
        report.class_b_from.into(),
        report.class_b.as_str().into(),
        report.class_c.as_str().into(),
    ]
}
