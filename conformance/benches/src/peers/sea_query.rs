//! sea-query 1.0, backend PostgreSQL, in its cheap idioms: statements moved instead of `.to_owned()`, logic chained,
//! static names; text and values by `build()`.

use crate::data::{Column, Comparison, Data, INSERT_COLUMNS, ORDER_COLUMNS, Op, Value};
use crate::peer::{Case, NOT_ITS_JOB, Peer, Text, Workload, tree};
use sea_query::extension::postgres::PgExpr;
use sea_query::{
    Asterisk, CaseStatement, CommonTableExpression, Expr, ExprTrait, Func, InsertStatement, JoinType, Order,
    PostgresQueryBuilder, Query, SelectStatement, WindowStatement, WithClause,
};
use std::hint::black_box;

pub struct SeaQuery;

impl Peer for SeaQuery {
    fn name(&self) -> &'static str {
        "sea-query"
    }

    fn about(&self) -> &'static str {
        "sea-query 1.0, PostgresQueryBuilder, values by build()"
    }

    fn case(&self, workload: Workload, data: &'static Data) -> Result<Box<dyn Case>, &'static str> {
        match workload {
            Workload::W1 => select(data, w1),
            Workload::W2 => select(data, w2),
            Workload::W3 => select(data, w3),
            Workload::W4a => select(data, w4a),
            Workload::W4b => select(data, w4b),
            Workload::W5 => insert(data, w5),
            Workload::W6 => select(data, w6),
            Workload::W7 => select(data, w7),
            Workload::J2 | Workload::J6 => Err(NOT_ITS_JOB),
        }
    }
}

fn select(
    data: &'static Data,
    build: impl Fn(&'static Data) -> SelectStatement + 'static,
) -> Result<Box<dyn Case>, &'static str> {
    tree(
        data,
        build,
        |statement| {
            black_box(&statement.build(PostgresQueryBuilder));
        },
        |statement| {
            let (sql, values) = statement.build(PostgresQueryBuilder);
            Text { sql, params: values.0.len() }
        },
    )
}

fn insert(
    data: &'static Data,
    build: impl Fn(&'static Data) -> InsertStatement + 'static,
) -> Result<Box<dyn Case>, &'static str> {
    tree(
        data,
        build,
        |statement| {
            black_box(&statement.build(PostgresQueryBuilder));
        },
        |statement| {
            let (sql, values) = statement.build(PostgresQueryBuilder);
            Text { sql, params: values.0.len() }
        },
    )
}

fn t0(name: &'static str) -> Expr {
    Expr::col(("T0", name))
}

fn w1(data: &'static Data) -> SelectStatement {
    let mut query = Query::select();
    query.columns(ORDER_COLUMNS.map(|name| ("T0", name))).from_as("Orders", "T0").and_where(t0("Id").eq(data.id));
    query
}

fn w2(data: &'static Data) -> SelectStatement {
    let page = &data.page;
    let mut query = Query::select();
    query
        .columns(ORDER_COLUMNS.map(|name| ("T0", name)))
        .columns([("Customer", "Name"), ("Customer", "City"), ("Product", "Name")])
        .from_as("Orders", "T0")
        .join_as(
            JoinType::LeftJoin,
            "Customers",
            "Customer",
            Expr::col(("Customer", "Id")).equals(("T0", "CustomerId")),
        )
        .join_as(JoinType::LeftJoin, "Products", "Product", Expr::col(("Product", "Id")).equals(("T0", "ProductId")))
        .and_where(t0("Status").eq(page.status.as_str()))
        .and_where(t0("Amount").gte(page.min_amount))
        .and_where(Expr::col(("Customer", "Name")).like(page.name_pattern.as_str()))
        .and_where(t0("CreatedTime").gte(page.since.as_str()))
        .and_where(t0("IsDeleted").eq(page.is_deleted))
        .order_by(("T0", "CreatedTime"), Order::Desc)
        .order_by(("T0", "Id"), Order::Asc)
        .limit(page.limit as u64)
        .offset(page.offset as u64);
    query
}

fn w3(data: &'static Data) -> SelectStatement {
    let mut inner = Query::select();
    inner
        .expr(Expr::Constant(1i32.into()))
        .from_as("Customers", "C")
        .and_where(Expr::col(("C", "Id")).equals(("T0", "CustomerId")))
        .and_where(Expr::col(("C", "City")).eq(data.exists.city.as_str()));
    let mut query = Query::select();
    query
        .columns([("T0", "Id"), ("T0", "OrderNo"), ("T0", "Amount")])
        .from_as("Orders", "T0")
        .and_where(Expr::exists(inner))
        .and_where(t0("Status").is_in(data.exists.statuses.iter().map(String::as_str)));
    query
}

fn w4a(data: &'static Data) -> SelectStatement {
    let mut query = Query::select();
    query
        .columns([("T0", "Id"), ("T0", "OrderNo"), ("T0", "Amount")])
        .from_as("Orders", "T0")
        .and_where(t0("Id").is_in(data.ids.iter().copied()));
    query
}

fn w4b(data: &'static Data) -> SelectStatement {
    let mut query = Query::select();
    query
        .columns([("T0", "Id"), ("T0", "OrderNo"), ("T0", "Amount")])
        .from_as("Orders", "T0")
        .and_where(t0("Id").eq_any(data.ids.iter().copied()));
    query
}

fn w5(data: &'static Data) -> InsertStatement {
    let mut query = Query::insert();
    query.into_table("Orders").columns(INSERT_COLUMNS);
    for row in &data.rows {
        query.values_panic([
            row.order_no.as_str().into(),
            row.customer_id.into(),
            row.product_id.into(),
            row.qty.into(),
            row.amount.into(),
            row.note.as_deref().into(),
            row.created_time.as_str().into(),
            row.is_deleted.into(),
        ]);
    }
    query
}

fn w6(data: &'static Data) -> SelectStatement {
    fn comparison(c: &Comparison) -> Expr {
        let left = t0(match c.column {
            Column::Qty => "Qty",
            Column::Amount => "Amount",
            Column::CustomerId => "CustomerId",
            Column::Status => "Status",
        });
        let right: Expr = match &c.value {
            Value::Int(v) => (*v).into(),
            Value::Big(v) => (*v).into(),
            Value::Float(v) => (*v).into(),
            Value::Text(v) => v.as_str().into(),
        };
        match c.op {
            Op::Eq => left.eq(right),
            Op::Ne => left.ne(right),
            Op::Lt => left.lt(right),
            Op::Le => left.lte(right),
            Op::Gt => left.gt(right),
            Op::Ge => left.gte(right),
        }
    }
    // A chain of and() / or(): `Cond::all().add()`, the other documented way, takes about a third longer.
    let mut deeper: Option<Expr> = None;
    for (and, level) in data.levels().rev() {
        let terms = level.iter().map(comparison).chain(deeper.take());
        deeper = terms.reduce(|left, right| if and { left.and(right) } else { left.or(right) });
    }
    let mut query = Query::select();
    query.column(("T0", "Id")).from_as("Orders", "T0").and_where_option(deeper);
    query
}

fn w7(data: &'static Data) -> SelectStatement {
    let report = &data.report;
    let r = |name: &'static str| Expr::col(("R", name));
    let mut window = WindowStatement::partition_by(("T0", "CustomerId"));
    window.order_by_expr(Func::sum(t0("Amount")).into(), Order::Desc);
    let mut ranked = Query::select();
    ranked
        .expr_as(t0("CustomerId"), "CustomerId")
        .expr_as(t0("ProductId"), "ProductId")
        .expr_as(Func::count(Expr::col(Asterisk)), "OrderCount")
        .expr_as(Func::sum(t0("Amount")), "Total")
        .expr_as(
            Func::sum(
                CaseStatement::new()
                    .case(t0("Status").eq(report.paid_status.as_str()), t0("Amount"))
                    .finally(report.zero),
            ),
            "Paid",
        )
        .expr_window_as(Func::cust("ROW_NUMBER"), window, "Rank")
        .from_as("Orders", "T0")
        .and_where(t0("IsDeleted").eq(report.is_deleted))
        .and_where(t0("CreatedTime").gte(report.since.as_str()))
        .group_by_columns([("T0", "CustomerId"), ("T0", "ProductId")])
        .and_having(Func::sum(t0("Amount")).gt(report.having_over));
    let mut table = CommonTableExpression::new();
    table.table_name("Ranked").query(ranked);
    let mut with = WithClause::new();
    with.cte(table);
    let mut query = Query::select();
    query
        .column(("Customer", "Name"))
        .columns([("R", "ProductId"), ("R", "OrderCount"), ("R", "Total"), ("R", "Paid"), ("R", "Rank")])
        .expr_as(
            CaseStatement::new()
                .case(r("Total").gte(report.class_a_from), report.class_a.as_str())
                .case(r("Total").gte(report.class_b_from), report.class_b.as_str())
                .finally(report.class_c.as_str()),
            "Class",
        )
        .from_as("Ranked", "R")
        .join_as(JoinType::LeftJoin, "Customers", "Customer", Expr::col(("Customer", "Id")).equals(("R", "CustomerId")))
        .and_where(r("Rank").lte(report.top))
        .order_by(("Customer", "Name"), Order::Asc)
        .order_by(("R", "Rank"), Order::Asc)
        .limit(report.limit as u64)
        .with_cte(with);
    query
}
