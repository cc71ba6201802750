//! The SQL of the book's typed queries in five dialects: each `<!-- sql: name -->` of the chapter has what is compiled
//! here. `ISOGLOSS_UPDATE_README=1` writes it.

#![cfg(all(
    feature = "entities",
    feature = "sqlite",
    feature = "postgres",
    feature = "mysql",
    feature = "sqlserver",
    feature = "oracle"
))]

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use isogloss::dialect::Dialect;
use isogloss::entity::{Insert, Linked as _, Query, insert, update};
use isogloss::expr::{Decimal, Expr, FrameBound, UpdateExpr};
use isogloss::prelude::*;
use isogloss::{Compiler, MYSQL, ORACLE, POSTGRES, SQLITE, SQLSERVER};

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "customers", columns = "snake_case", register = false)]
struct Customer {
    #[column(primary_key)]
    id: i64,
    #[column(length = 100)]
    name: String,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "orders", columns = "snake_case", register = false)]
struct Order {
    #[column(primary_key)]
    id: i64,
    customer_id: i64,
    #[column(precision = 18, scale = 2)]
    amount: Decimal,
    status: i32,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "archive", columns = "snake_case", register = false)]
struct Archived {
    #[column(primary_key)]
    id: i64,
    #[column(precision = 18, scale = 2)]
    amount: Decimal,
}

#[derive(Debug, Clone, PartialEq, FromRow)]
struct Best {
    name: String,
    orders: i64,
    total: Option<Decimal>,
}

#[derive(Debug, Clone, PartialEq, FromRow)]
struct Total {
    customer_id: i64,
    total: Option<Decimal>,
}

fn totals() -> Query<Order, Total> {
    query!(|o: Order| o.group_by(o.customer_id).select(Total { customer_id: o.customer_id, total: o.amount.sum() }))
}

/// The statements of the chapter, by their names.
fn statements() -> Vec<(&'static str, Expr)> {
    let average = query!(|o: Order| o.select(o.amount.avg()));
    let buyers = query!(|o: Order| o.filter(o.status == 2).select(o.customer_id));
    let everybody = query!(|c: Customer| c.select(c.id));
    let archive: Insert<Archived> =
        insert((Archived::ID, Archived::AMOUNT), query!(|o: Order| o.filter(o.status == 3).select((o.id, o.amount))));
    let raise = update::<Order>([Order::AMOUNT.set(Order::AMOUNT * 2)]).filter(Order::STATUS.eq(1));
    vec![
        (
            "join",
            query!(|c: Customer, o: Option<Order>| c
                .left_join(o, o.customer_id == c.id && o.status == 2)
                .group_by(c.name)
                .select(Best { name: c.name, orders: o.id.count(), total: o.amount.sum() }))
            .into(),
        ),
        ("scalar", query!(|o: Order| o.filter(o.amount > average).select(o.id)).into()),
        ("in", query!(|c: Customer| c.filter(c.id.is_in(buyers)).select(c.name)).into()),
        (
            "correlated",
            query!(|o: Order| o
                .filter(o.amount == query!(|x: Order| x.filter(x.customer_id == o.customer_id).select(x.amount.max())))
                .select(o.id))
            .into(),
        ),
        (
            "window",
            query!(|o: Order| o.select((
                o.id,
                row_number().over().partition_by(o.customer_id).order_by(o.amount.desc()),
                o.amount.sum().over().order_by(o.id).rows(FrameBound::Preceding(6), FrameBound::CurrentRow),
            )))
            .into(),
        ),
        (
            "aggregate",
            query!(|o: Order| o.select((o.customer_id.count_distinct(), o.amount.sum().filter(o.status == 2)))).into(),
        ),
        (
            "derived",
            query!(|c: Customer, t: Total| c
                .join(t.from(totals()), t.customer_id == c.id)
                .filter(t.total > 100)
                .select((c.name, t.total)))
            .into(),
        ),
        (
            "named",
            query!(|totals: Total| totals.from(self::totals().named("totals")).filter(totals.total > 100)).into(),
        ),
        ("set", everybody.except(buyers).into()),
        ("returning", UpdateExpr::from(raise).returning([Order::ID, Order::CUSTOMER_ID]).into()),
        ("insert", archive.into()),
    ]
}

fn texts(statement: &Expr) -> Result<String, Box<dyn Error>> {
    let catalog = Catalog::builder().entity::<Customer>().entity::<Order>().entity::<Archived>().build()?;
    let compiler = Compiler::new(catalog);
    let mut text = "```sql\n".to_owned();
    for dialect in [&POSTGRES as &dyn Dialect, &MYSQL, &SQLITE, &SQLSERVER, &ORACLE] {
        match compiler.compile(statement, dialect) {
            Ok(compiled) => writeln!(text, "-- {}\n{}", dialect.label(), compiled.sql)?,
            Err(error) => writeln!(text, "-- {}: {error}", dialect.label())?,
        }
    }
    text.push_str("```\n");
    Ok(text)
}

#[test]
fn the_chapter_has_the_sql_of_each_dialect() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src/typed-queries.md");
    let chapter = fs::read_to_string(&path)?;
    let mut wanted = chapter.clone();
    for (name, statement) in statements() {
        let begin = format!("<!-- sql: {name} -->\n");
        let (before, rest) = wanted.split_once(&begin).ok_or_else(|| format!("the chapter lacks {begin}"))?;
        let (_, after) = rest.split_once("<!-- end -->").ok_or_else(|| format!("{begin} has no end"))?;
        wanted = format!("{before}{begin}\n{}\n<!-- end -->{after}", texts(&statement)?);
    }
    if wanted != chapter {
        assert!(
            std::env::var_os("ISOGLOSS_UPDATE_README").is_some(),
            "typed-queries.md says something else than the code: run this test with ISOGLOSS_UPDATE_README=1"
        );
        fs::write(&path, wanted)?;
    }
    Ok(())
}
