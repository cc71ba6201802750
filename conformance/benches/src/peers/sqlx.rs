//! sqlx 0.9 `QueryBuilder<Postgres>`: pushes text and encodes parameters; there is no tree.

use crate::data::{Comparison, Data, LEVEL, Value};
use crate::peer::{Case, NOT_ITS_JOB, Peer, Text, Workload, direct};
use sqlx::{Arguments, Execute, Postgres, QueryBuilder};

pub struct Sqlx;

type Out = QueryBuilder<Postgres>;

impl Peer for Sqlx {
    fn name(&self) -> &'static str {
        "sqlx"
    }

    fn about(&self) -> &'static str {
        "sqlx 0.9 QueryBuilder (push, push_bind, separated, push_values); encodes the parameters; no tree"
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

fn text(mut builder: Out) -> Text {
    let mut query = builder.build();
    let params = query.take_arguments().ok().flatten().map_or(0, |a| a.len());
    Text { sql: query.sql().as_str().to_owned(), params }
}

const ORDER: &str = concat!(
    r#"SELECT "T0"."Id", "T0"."OrderNo", "T0"."CustomerId", "T0"."ProductId", "T0"."Qty", "T0"."Amount", "#,
    r#""T0"."Status", "T0"."Note", "T0"."CreatedTime", "T0"."IsDeleted""#
);

const SHORT: &str = r#"SELECT "T0"."Id", "T0"."OrderNo", "T0"."Amount""#;

fn w1(data: &'static Data) -> Out {
    let mut builder = QueryBuilder::new(ORDER);
    builder.push(r#" FROM "Orders" AS "T0" WHERE "T0"."Id" = "#).push_bind(data.id);
    builder
}

fn w2(data: &'static Data) -> Out {
    let page = &data.page;
    let mut builder = QueryBuilder::new(ORDER);
    builder
        .push(r#", "Customer"."Name", "Customer"."City", "Product"."Name" FROM "Orders" AS "T0""#)
        .push(r#" LEFT JOIN "Customers" AS "Customer" ON "Customer"."Id" = "T0"."CustomerId""#)
        .push(r#" LEFT JOIN "Products" AS "Product" ON "Product"."Id" = "T0"."ProductId""#)
        .push(r#" WHERE "T0"."Status" = "#)
        .push_bind(page.status.as_str())
        .push(r#" AND "T0"."Amount" >= "#)
        .push_bind(page.min_amount)
        .push(r#" AND "Customer"."Name" LIKE "#)
        .push_bind(page.name_pattern.as_str())
        .push(r#" AND "T0"."CreatedTime" >= "#)
        .push_bind(page.since.as_str())
        .push(r#" AND "T0"."IsDeleted" = "#)
        .push_bind(page.is_deleted)
        .push(r#" ORDER BY "T0"."CreatedTime" DESC, "T0"."Id" LIMIT "#)
        .push_bind(page.limit)
        .push(" OFFSET ")
        .push_bind(page.offset);
    builder
}

fn w3(data: &'static Data) -> Out {
    let mut builder = QueryBuilder::new(SHORT);
    builder
        .push(r#" FROM "Orders" AS "T0" WHERE EXISTS("#)
        .push(r#"SELECT 1 FROM "Customers" AS "C" WHERE "C"."Id" = "T0"."CustomerId" AND "C"."City" = "#)
        .push_bind(data.exists.city.as_str())
        .push(r#") AND "T0"."Status" IN ("#);
    let mut list = builder.separated(", ");
    for status in &data.exists.statuses {
        list.push_bind(status.as_str());
    }
    builder.push(")");
    builder
}

fn w4a(data: &'static Data) -> Out {
    let mut builder = QueryBuilder::new(SHORT);
    builder.push(r#" FROM "Orders" AS "T0" WHERE "T0"."Id" IN ("#);
    let mut list = builder.separated(", ");
    for id in &data.ids {
        list.push_bind(*id);
    }
    builder.push(")");
    builder
}

fn w4b(data: &'static Data) -> Out {
    let mut builder = QueryBuilder::new(SHORT);
    builder.push(r#" FROM "Orders" AS "T0" WHERE "T0"."Id" = ANY("#).push_bind(data.ids.as_slice()).push(")");
    builder
}

fn w5(data: &'static Data) -> Out {
    let mut builder = QueryBuilder::new(concat!(
        r#"INSERT INTO "Orders" ("OrderNo", "CustomerId", "ProductId", "Qty", "Amount", "Note", "CreatedTime", "#,
        r#""IsDeleted") "#
    ));
    builder.push_values(&data.rows, |mut tuple, row| {
        tuple
            .push_bind(row.order_no.as_str())
            .push_bind(row.customer_id)
            .push_bind(row.product_id)
            .push_bind(row.qty)
            .push_bind(row.amount)
            .push_bind(row.note.as_deref())
            .push_bind(row.created_time.as_str())
            .push_bind(row.is_deleted);
    });
    builder
}

fn w6(data: &'static Data) -> Out {
    fn level(builder: &mut Out, rest: &'static [Comparison], and: bool) {
        let (here, deeper) = rest.split_at(LEVEL.min(rest.len()));
        let joint = if and { " AND " } else { " OR " };
        for (i, c) in here.iter().enumerate() {
            if i > 0 {
                builder.push(joint);
            }
            builder.push(r#""T0".""#).push(c.column.name()).push("\" ").push(c.op.text()).push(" ");
            match &c.value {
                Value::Int(v) => builder.push_bind(*v),
                Value::Big(v) => builder.push_bind(*v),
                Value::Float(v) => builder.push_bind(*v),
                Value::Text(v) => builder.push_bind(v.as_str()),
            };
        }
        if !deeper.is_empty() {
            builder.push(joint).push("(");
            level(builder, deeper, !and);
            builder.push(")");
        }
    }
    let mut builder = QueryBuilder::new(r#"SELECT "T0"."Id" FROM "Orders" AS "T0" WHERE "#);
    level(&mut builder, &data.logic, true);
    builder
}

fn w7(data: &'static Data) -> Out {
    let report = &data.report;
    let mut builder = QueryBuilder::new(concat!(
        r#"WITH "Ranked" AS (SELECT "T0"."CustomerId" AS "CustomerId", "T0"."ProductId" AS "ProductId", "#,
        r#"COUNT(*) AS "OrderCount", SUM("T0"."Amount") AS "Total", SUM(CASE WHEN "T0"."Status" = "#
    ));
    builder
        .push_bind(report.paid_status.as_str())
        .push(r#" THEN "T0"."Amount" ELSE "#)
        .push_bind(report.zero)
        .push(r#" END) AS "Paid", ROW_NUMBER() OVER (PARTITION BY "T0"."CustomerId" "#)
        .push(r#"ORDER BY SUM("T0"."Amount") DESC) AS "Rank" FROM "Orders" AS "T0" WHERE "T0"."IsDeleted" = "#)
        .push_bind(report.is_deleted)
        .push(r#" AND "T0"."CreatedTime" >= "#)
        .push_bind(report.since.as_str())
        .push(r#" GROUP BY "T0"."CustomerId", "T0"."ProductId" HAVING SUM("T0"."Amount") > "#)
        .push_bind(report.having_over)
        .push(r#") SELECT "Customer"."Name", "R"."ProductId", "R"."OrderCount", "R"."Total", "R"."Paid", "#)
        .push(r#""R"."Rank", CASE WHEN "R"."Total" >= "#)
        .push_bind(report.class_a_from)
        .push(" THEN ")
        .push_bind(report.class_a.as_str())
        .push(r#" WHEN "R"."Total" >= "#)
        .push_bind(report.class_b_from)
        .push(" THEN ")
        .push_bind(report.class_b.as_str())
        .push(" ELSE ")
        .push_bind(report.class_c.as_str())
        .push(r#" END AS "Class" FROM "Ranked" AS "R" LEFT JOIN "Customers" AS "Customer" "#)
        .push(r#"ON "Customer"."Id" = "R"."CustomerId" WHERE "R"."Rank" <= "#)
        .push_bind(report.top)
        .push(r#" ORDER BY "Customer"."Name", "R"."Rank" LIMIT "#)
        .push_bind(report.limit);
    builder
}
