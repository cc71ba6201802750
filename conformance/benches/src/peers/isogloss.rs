//! Isogloss: build the tree, then resolve and render it. Names are looked up in the catalog and values checked against
//! their columns' types in every iteration; the peers do neither.

use crate::data::{Column, Comparison, Data, INSERT_COLUMNS, LEVEL, ORDER_COLUMNS, Op, Value as Input};
use crate::peer::{Case, Peer, Text, Workload, direct, tree};
use isogloss_compiler::expr::*;
use isogloss_compiler::model::{Catalog, ColumnDef, ForeignType, TableDef, ViewDef};
use isogloss_compiler::{Buffers, CompileLimits, Compiler, Request, StatementRef, Target};
use isogloss_postgres::Postgres;
use std::cell::Cell;
use std::hint::black_box;
use std::sync::Arc;

/// With fresh buffers, as a program calls it that does not care.
pub struct Isogloss;

/// With the buffers of the last statement.
pub struct IsoglossReused;

/// The tables, and as many others as are asked for.
pub fn catalog(others: usize) -> Catalog {
    use DbValueType::{Boolean, Double, Int32, Int64, String};
    let mut builder = Catalog::builder()
        .table(
            TableDef::new("Customer")
                .table("Customers")
                .column(ColumnDef::new("Id", Int64).primary_key())
                .column(ColumnDef::new("Name", String).length(100))
                .column(ColumnDef::new("City", String).length(60)),
        )
        .table(
            TableDef::new("Product")
                .table("Products")
                .column(ColumnDef::new("Id", Int64).primary_key())
                .column(ColumnDef::new("Name", String).length(100)),
        )
        .table(
            TableDef::new("Order")
                .table("Orders")
                .column(ColumnDef::new("Id", Int64).primary_key())
                .column(ColumnDef::new("OrderNo", String).length(32))
                .column(ColumnDef::new("CustomerId", Int64).foreign(ForeignType::new("Customer")))
                .column(ColumnDef::new("ProductId", Int64).foreign(ForeignType::new("Product")))
                .column(ColumnDef::new("Qty", Int32))
                .column(ColumnDef::new("Amount", Double))
                .column(ColumnDef::new("Status", String).length(20))
                .column(ColumnDef::new("Note", String).length(200).nullable())
                .column(ColumnDef::new("CreatedTime", String).length(30))
                .column(ColumnDef::new("IsDeleted", Boolean)),
        )
        .view(
            ViewDef::new("OrderView", "Order")
                .foreign_column("CustomerName", "Customer", "Name")
                .foreign_column("CustomerCity", "Customer", "City")
                .foreign_column("ProductName", "Product", "Name"),
        );
    for number in 0..others {
        let mut table = TableDef::new(format!("Other{number}")).column(ColumnDef::new("Id", Int64).primary_key());
        for column in 0..20 {
            table = table.column(ColumnDef::new(format!("Column{column}"), String).length(40));
        }
        builder = builder.table(table);
    }
    builder.build().expect("the catalog is correct")
}

pub(super) fn target(in_list: usize) -> Arc<Target> {
    let others = std::env::var("ISOGLOSS_BENCH_ENTITIES").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    let limits = CompileLimits::default().in_list(in_list);
    Compiler::new(catalog(others)).with_limits(limits).target(&Postgres::V15)
}

/// A case of a tree that is compiled as it stands.
fn compiled<T: 'static>(
    data: &'static Data,
    reuse: bool,
    in_list: usize,
    build: impl Fn(&'static Data) -> T + 'static,
) -> Result<Box<dyn Case>, &'static str>
where
    for<'e> &'e T: Into<StatementRef<'e>>,
{
    let target = target(in_list);
    let shown = Arc::clone(&target);
    let buffers = Cell::new(Buffers::default());
    let request = Request::default();
    tree(
        data,
        build,
        move |tree: &T| {
            let own = if reuse { buffers.take() } else { Buffers::default() };
            let compiled = target.compile_with(tree, &request, own).expect("it compiles");
            black_box(&compiled);
            if reuse {
                buffers.set(compiled.recycle());
            }
        },
        move |tree: &T| {
            let compiled = shown.compile(tree).unwrap_or_else(|error| panic!("{error}"));
            Text { params: compiled.params.len(), sql: compiled.sql }
        },
    )
}

fn case(workload: Workload, data: &'static Data, reuse: bool) -> Result<Box<dyn Case>, &'static str> {
    match workload {
        Workload::W1 => compiled(data, reuse, 64, w1),
        Workload::W2 => compiled(data, reuse, 64, w2),
        Workload::W3 => compiled(data, reuse, 64, w3),
        Workload::W4a => compiled(data, reuse, usize::MAX, w4),
        Workload::W4b => compiled(data, reuse, 64, w4),
        Workload::W5 => compiled(data, reuse, 64, w5),
        Workload::W6 => compiled(data, reuse, 64, w6),
        Workload::W7 => compiled(data, reuse, 64, w7),
        Workload::J2 => json(data, reuse, &data.json_page, "OrderView"),
        Workload::J6 => json(data, reuse, &data.json_logic, "Order"),
    }
}

/// JSON to SQL: read, resolve, render. The peers of these workloads only read.
fn json(
    data: &'static Data,
    reuse: bool,
    text: &'static str,
    root: &'static str,
) -> Result<Box<dyn Case>, &'static str> {
    let target = target(64);
    let buffers = Cell::new(Buffers::default());
    direct(
        data,
        move |_| {
            let limits = isogloss_compiler::json::ReadLimits::default();
            let filter: LogicExpr = isogloss_compiler::json::read(black_box(text), &limits).expect("it is a filter");
            let own = if reuse { buffers.take() } else { Buffers::default() };
            let compiled = target.compile_with(&filter, &Request::of(root), own).expect("it compiles");
            black_box(&compiled);
            let made = (compiled.sql.len(), compiled.params.len());
            if reuse {
                buffers.set(compiled.recycle());
            }
            made
        },
        |(_, params)| Text { sql: String::new(), params },
    )
}

pub(super) fn deviation(workload: Workload) -> Option<&'static str> {
    match workload {
        Workload::W2 => Some("a view's foreign columns get their names, and a join's key stands on the left"),
        Workload::W3 => Some("the aliases of subqueries are counted"),
        Workload::W7 => Some("an explicit cast stands where PostgreSQL cannot tell a parameter's type"),
        Workload::J2 | Workload::J6 => Some("it makes SQL, the others only read"),
        _ => None,
    }
}

impl Peer for Isogloss {
    fn name(&self) -> &'static str {
        "isogloss"
    }

    fn about(&self) -> &'static str {
        "build the tree, resolve and check it against the catalog, render"
    }

    fn case(&self, workload: Workload, data: &'static Data) -> Result<Box<dyn Case>, &'static str> {
        case(workload, data, false)
    }

    fn deviation(&self, workload: Workload) -> Option<&'static str> {
        deviation(workload)
    }
}

impl Peer for IsoglossReused {
    fn name(&self) -> &'static str {
        "isogloss-reused"
    }

    fn about(&self) -> &'static str {
        "the same, into the buffers of the last statement"
    }

    fn case(&self, workload: Workload, data: &'static Data) -> Result<Box<dyn Case>, &'static str> {
        case(workload, data, true)
    }

    fn deviation(&self, workload: Workload) -> Option<&'static str> {
        deviation(workload)
    }
}

const fn p(name: &'static str) -> PropertyExpr {
    PropertyExpr { alias: None, name: Name::from_static(name) }
}

pub(super) fn w1(data: &'static Data) -> SqlSegment {
    from(Name::from_static("Order")).filter(p("Id").eq(data.id))
}

pub(super) fn w2(data: &'static Data) -> SqlSegment {
    let page = &data.page;
    from(Name::from_static("OrderView"))
        .filter(LogicExpr::all([
            p("Status").eq(page.status.as_str()),
            p("Amount").ge(page.min_amount),
            p("CustomerName").starts_with(page.name_pattern.trim_end_matches('%')),
            p("CreatedTime").ge(page.since.as_str()),
            p("IsDeleted").eq(page.is_deleted),
        ]))
        .order_by([p("CreatedTime").desc(), p("Id").asc()])
        .section(page.offset as u64, page.limit as u64)
}

pub(super) fn w3(data: &'static Data) -> SqlSegment {
    from(Name::from_static("Order"))
        .filter(
            exists_related(Name::from_static("Customer"), p("City").eq(data.exists.city.as_str()))
                & p("Status").in_list(data.exists.statuses.as_slice()),
        )
        .select([p("Id"), p("OrderNo"), p("Amount")])
        .into()
}

pub(super) fn w4(data: &'static Data) -> SqlSegment {
    from(Name::from_static("Order"))
        .filter(p("Id").in_list(data.ids.as_slice()))
        .select([p("Id"), p("OrderNo"), p("Amount")])
        .into()
}

pub(super) fn w5(data: &'static Data) -> InsertExpr {
    let mut values = Vec::with_capacity(data.rows.len() * INSERT_COLUMNS.len());
    for row in &data.rows {
        values.push(row.order_no.as_str().into());
        values.push(row.customer_id.into());
        values.push(row.product_id.into());
        values.push(row.qty.into());
        values.push(row.amount.into());
        values.push(row.note.as_deref().into());
        values.push(row.created_time.as_str().into());
        values.push(row.is_deleted.into());
    }
    table(Name::from_static("Order")).insert(INSERT_COLUMNS.map(Name::from_static), values)
}

pub(super) fn w6(data: &'static Data) -> SqlSegment {
    fn level(rest: &'static [Comparison], and: bool) -> LogicExpr {
        let (here, deeper) = rest.split_at(LEVEL.min(rest.len()));
        let mut items = Vec::with_capacity(here.len() + 1);
        items.extend(here.iter().map(comparison));
        if !deeper.is_empty() {
            items.push(level(deeper, !and));
        }
        if and { AndExpr { items }.into() } else { OrExpr { items }.into() }
    }
    from(Name::from_static("Order")).filter(level(&data.logic, true)).select([p("Id")]).into()
}

fn comparison(c: &Comparison) -> LogicExpr {
    let column = match c.column {
        Column::Qty => p("Qty"),
        Column::Amount => p("Amount"),
        Column::CustomerId => p("CustomerId"),
        Column::Status => p("Status"),
    };
    let operator = match c.op {
        Op::Eq => LogicOperator::Equal,
        Op::Ne => LogicOperator::NotEqual,
        Op::Lt => LogicOperator::LessThan,
        Op::Le => LogicOperator::LessThanOrEqual,
        Op::Gt => LogicOperator::GreaterThan,
        Op::Ge => LogicOperator::GreaterThanOrEqual,
    };
    match &c.value {
        Input::Int(v) => column.compare(operator, *v),
        Input::Big(v) => column.compare(operator, *v),
        Input::Float(v) => column.compare(operator, *v),
        Input::Text(v) => column.compare(operator, v.as_str()),
    }
}

pub(super) fn w7(data: &'static Data) -> SqlSegment {
    let report = &data.report;
    let ranked = from(Name::from_static("Order"))
        .filter(p("IsDeleted").eq(report.is_deleted) & p("CreatedTime").ge(report.since.as_str()))
        .group_by([p("CustomerId"), p("ProductId")])
        .having(p("Amount").sum().gt(report.having_over))
        .select([
            SelectItemExpr::from(p("CustomerId")),
            p("ProductId").into(),
            count_all().alias(Name::from_static("OrderCount")),
            p("Amount").sum().alias(Name::from_static("Total")),
            if_else(p("Status").eq(report.paid_status.as_str()), p("Amount"), report.zero)
                .sum()
                .alias(Name::from_static("Paid")),
            func(Name::from_static("RowNumber"), [] as [ValueTypeExpr; 0])
                .over()
                .partition_by([p("CustomerId")])
                .order_by([p("Amount").sum().desc()])
                .alias(Name::from_static("Rank")),
        ])
        .with(Name::from_static("Ranked"));
    let r = |name| PropertyExpr { alias: Some(Box::new(Name::from_static("Ranked"))), name: Name::from_static(name) };
    let c = |name| PropertyExpr { alias: Some(Box::new(Name::from_static("Customer"))), name: Name::from_static(name) };
    let class = if_else(r("Total").ge(report.class_a_from), report.class_a.as_str(), report.class_c.as_str())
        .when(r("Total").ge(report.class_b_from), report.class_b.as_str());
    SqlSegment::from(ranked)
        .join(
            TableJoinType::Left,
            from(Name::from_static("Customer")).aliased(Name::from_static("Customer")),
            c("Id").eq(r("CustomerId")),
        )
        .filter(r("Rank").le(report.top))
        .order_by([c("Name").asc(), r("Rank").asc()])
        .take(report.limit as u64)
        .select([
            SelectItemExpr::from(c("Name")),
            r("ProductId").into(),
            r("OrderCount").into(),
            r("Total").into(),
            r("Paid").into(),
            r("Rank").into(),
            class.alias(Name::from_static("Class")),
        ])
        .into()
}

const _: () = assert!(ORDER_COLUMNS.len() == 10);
