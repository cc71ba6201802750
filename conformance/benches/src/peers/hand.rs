//! Code as a careful person writes it by hand: constant pieces, `push_str`, sizes reserved, values borrowed.

use crate::data::{Comparison, Data, LEVEL, Value as Input};
use crate::peer::{Case, NOT_ITS_JOB, Peer, Text, Workload, direct};

pub struct Hand;

/// A parameter.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    Null,
    Bool(bool),
    I32(i32),
    I64(i64),
    F64(f64),
    Str(&'a str),
    I64s(&'a [i64]),
}

type Out = (String, Vec<Value<'static>>);

impl Peer for Hand {
    fn name(&self) -> &'static str {
        "hand"
    }

    fn about(&self) -> &'static str {
        "hand-written push_str, values borrowed into a Vec of a small enum; no tree"
    }

    fn case(&self, workload: Workload, data: &'static Data) -> Result<Box<dyn Case>, &'static str> {
        match workload {
            Workload::W1 => direct(data, w1, text),
            Workload::W2 => direct(data, w2, text),
            Workload::W3 => direct(data, w3, text),
            Workload::W4a => direct(data, w4a, text),
            Workload::W4b => direct(data, w4b, text),
            Workload::W5 => direct(data, w5, text),
            Workload::W6 => direct(data, w6, text),
            Workload::W7 => direct(data, w7, text),
            Workload::J2 | Workload::J6 => Err(NOT_ITS_JOB),
        }
    }
}

fn text((sql, values): Out) -> Text {
    Text { sql, params: values.len() }
}

fn placeholder(sql: &mut String, number: usize) {
    sql.push('$');
    sql.push_str(itoa::Buffer::new().format(number));
}

fn w1(data: &'static Data) -> Out {
    let sql = concat!(
        r#"SELECT "T0"."Id", "T0"."OrderNo", "T0"."CustomerId", "T0"."ProductId", "T0"."Qty", "T0"."Amount", "#,
        r#""T0"."Status", "T0"."Note", "T0"."CreatedTime", "T0"."IsDeleted" "#,
        r#"FROM "Orders" AS "T0" WHERE "T0"."Id" = $1"#
    );
    (sql.to_owned(), vec![Value::I64(data.id)])
}

fn w2(data: &'static Data) -> Out {
    let page = &data.page;
    let mut sql = String::with_capacity(768);
    sql.push_str(concat!(
        r#"SELECT "T0"."Id", "T0"."OrderNo", "T0"."CustomerId", "T0"."ProductId", "T0"."Qty", "T0"."Amount", "#,
        r#""T0"."Status", "T0"."Note", "T0"."CreatedTime", "T0"."IsDeleted", "#,
        r#""Customer"."Name", "Customer"."City", "Product"."Name" FROM "Orders" AS "T0" "#,
        r#"LEFT JOIN "Customers" AS "Customer" ON "Customer"."Id" = "T0"."CustomerId" "#,
        r#"LEFT JOIN "Products" AS "Product" ON "Product"."Id" = "T0"."ProductId""#
    ));
    sql.push_str(r#" WHERE "T0"."Status" = $1 AND "T0"."Amount" >= $2"#);
    sql.push_str(r#" AND "Customer"."Name" LIKE $3"#);
    sql.push_str(r#" AND "T0"."CreatedTime" >= $4 AND "T0"."IsDeleted" = $5"#);
    sql.push_str(r#" ORDER BY "T0"."CreatedTime" DESC, "T0"."Id""#);
    sql.push_str(r#" LIMIT $6 OFFSET $7"#);
    let values = vec![
        Value::Str(&page.status),
        Value::F64(page.min_amount),
        Value::Str(&page.name_pattern),
        Value::Str(&page.since),
        Value::Bool(page.is_deleted),
        Value::I64(page.limit),
        Value::I64(page.offset),
    ];
    (sql, values)
}

fn w3(data: &'static Data) -> Out {
    let exists = &data.exists;
    let mut sql = String::with_capacity(256 + exists.statuses.len() * 6);
    let mut values = Vec::with_capacity(1 + exists.statuses.len());
    sql.push_str(concat!(
        r#"SELECT "T0"."Id", "T0"."OrderNo", "T0"."Amount" FROM "Orders" AS "T0" WHERE EXISTS("#,
        r#"SELECT 1 FROM "Customers" AS "C" WHERE "C"."Id" = "T0"."CustomerId" AND "C"."City" = $1) "#,
        r#"AND "T0"."Status" IN ("#
    ));
    values.push(Value::Str(&exists.city));
    for (i, status) in exists.statuses.iter().enumerate() {
        if i > 0 {
            sql.push_str(", ");
        }
        values.push(Value::Str(status));
        placeholder(&mut sql, values.len());
    }
    sql.push(')');
    (sql, values)
}

const W4: &str = r#"SELECT "T0"."Id", "T0"."OrderNo", "T0"."Amount" FROM "Orders" AS "T0" WHERE "T0"."Id""#;

fn w4a(data: &'static Data) -> Out {
    let mut sql = String::with_capacity(W4.len() + 8 + data.ids.len() * 7);
    let mut values = Vec::with_capacity(data.ids.len());
    sql.push_str(W4);
    sql.push_str(" IN (");
    for (i, id) in data.ids.iter().enumerate() {
        if i > 0 {
            sql.push_str(", ");
        }
        placeholder(&mut sql, i + 1);
        values.push(Value::I64(*id));
    }
    sql.push(')');
    (sql, values)
}

fn w4b(data: &'static Data) -> Out {
    let mut sql = String::with_capacity(W4.len() + 16);
    sql.push_str(W4);
    sql.push_str(" = ANY($1)");
    (sql, vec![Value::I64s(&data.ids)])
}

fn w5(data: &'static Data) -> Out {
    const COLUMNS: usize = 8;
    let mut sql = String::with_capacity(160 + data.rows.len() * (COLUMNS * 7 + 4));
    let mut values = Vec::with_capacity(data.rows.len() * COLUMNS);
    sql.push_str(concat!(
        r#"INSERT INTO "Orders" ("OrderNo", "CustomerId", "ProductId", "Qty", "Amount", "Note", "CreatedTime", "#,
        r#""IsDeleted") VALUES "#
    ));
    for (i, row) in data.rows.iter().enumerate() {
        sql.push_str(if i > 0 { ", (" } else { "(" });
        for column in 1..=COLUMNS {
            if column > 1 {
                sql.push_str(", ");
            }
            placeholder(&mut sql, i * COLUMNS + column);
        }
        sql.push(')');
        values.extend_from_slice(&[
            Value::Str(&row.order_no),
            Value::I64(row.customer_id),
            Value::I64(row.product_id),
            Value::I32(row.qty),
            Value::F64(row.amount),
            match &row.note {
                Some(note) => Value::Str(note),
                None => Value::Null,
            },
            Value::Str(&row.created_time),
            Value::Bool(row.is_deleted),
        ]);
    }
    (sql, values)
}

fn w6(data: &'static Data) -> Out {
    fn level(sql: &mut String, values: &mut Vec<Value<'static>>, rest: &'static [Comparison], and: bool) {
        let (here, deeper) = rest.split_at(LEVEL.min(rest.len()));
        let joint = if and { " AND " } else { " OR " };
        for (i, c) in here.iter().enumerate() {
            if i > 0 {
                sql.push_str(joint);
            }
            sql.push_str(r#""T0".""#);
            sql.push_str(c.column.name());
            sql.push_str("\" ");
            sql.push_str(c.op.text());
            sql.push(' ');
            values.push(match &c.value {
                Input::Int(v) => Value::I32(*v),
                Input::Big(v) => Value::I64(*v),
                Input::Float(v) => Value::F64(*v),
                Input::Text(v) => Value::Str(v),
            });
            placeholder(sql, values.len());
        }
        if !deeper.is_empty() {
            sql.push_str(joint);
            sql.push('(');
            level(sql, values, deeper, !and);
            sql.push(')');
        }
    }
    let mut sql = String::with_capacity(64 + data.logic.len() * 32);
    let mut values = Vec::with_capacity(data.logic.len());
    sql.push_str(r#"SELECT "T0"."Id" FROM "Orders" AS "T0" WHERE "#);
    level(&mut sql, &mut values, &data.logic, true);
    (sql, values)
}

fn w7(data: &'static Data) -> Out {
    let report = &data.report;
    let mut sql = String::with_capacity(1024);
    sql.push_str(concat!(
        r#"WITH "Ranked" AS (SELECT "T0"."CustomerId" AS "CustomerId", "T0"."ProductId" AS "ProductId", "#,
        r#"COUNT(*) AS "OrderCount", SUM("T0"."Amount") AS "Total", "#,
        r#"SUM(CASE WHEN "T0"."Status" = $1 THEN "T0"."Amount" ELSE $2 END) AS "Paid", "#,
        r#"ROW_NUMBER() OVER (PARTITION BY "T0"."CustomerId" ORDER BY SUM("T0"."Amount") DESC) AS "Rank" "#,
        r#"FROM "Orders" AS "T0" WHERE "T0"."IsDeleted" = $3 AND "T0"."CreatedTime" >= $4 "#,
        r#"GROUP BY "T0"."CustomerId", "T0"."ProductId" HAVING SUM("T0"."Amount") > $5) "#
    ));
    sql.push_str(concat!(
        r#"SELECT "Customer"."Name", "R"."ProductId", "R"."OrderCount", "R"."Total", "R"."Paid", "R"."Rank", "#,
        r#"CASE WHEN "R"."Total" >= $6 THEN $7 WHEN "R"."Total" >= $8 THEN $9 ELSE $10 END AS "Class" "#,
        r#"FROM "Ranked" AS "R" LEFT JOIN "Customers" AS "Customer" ON "Customer"."Id" = "R"."CustomerId" "#,
        r#"WHERE "R"."Rank" <= $11 ORDER BY "Customer"."Name", "R"."Rank" LIMIT $12"#
    ));
    let values = vec![
        Value::Str(&report.paid_status),
        Value::F64(report.zero),
        Value::Bool(report.is_deleted),
        Value::Str(&report.since),
        Value::F64(report.having_over),
        Value::F64(report.class_a_from),
        Value::Str(&report.class_a),
        Value::F64(report.class_b_from),
        Value::Str(&report.class_b),
        Value::Str(&report.class_c),
        Value::I64(report.top),
        Value::I64(report.limit),
    ];
    (sql, values)
}
