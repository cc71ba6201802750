//! Pages by cursors, on each engine at hand: behind each row come those that follow it in the whole order.
//!
//! The orders have keys that can be NULL, that are computed, and that tie, in both directions and with NULLs in each
//! place.

use std::sync::Arc;

use isogloss_compiler::expr::{
    DbType, DbValueType as T, Expr, OrderByItemExpr, SqlSegment, Value, ValueOps as _, ValueTypeExpr, from, prop, value,
};
use isogloss_conformance::data::Answer;
use isogloss_conformance::suite::{self, Engine, NoAnswer, Schema, Suite};
use libtest_mimic::{Failed, Trial};

/// One trial for each engine at hand.
pub fn trials() -> Vec<Trial> {
    let trial = |(index, (name, url)): (usize, (&'static str, Option<String>))| {
        Trial::test(format!("keysets {name} {index}"), move || each_row_is_followed(name, url.as_deref()))
    };
    crate::engines().into_iter().enumerate().map(trial).collect()
}

/// A key of an order, and the type that its value is read as.
#[derive(Clone)]
struct Key {
    item: OrderByItemExpr,
    ty: DbType,
}

/// A value in each order that it can have.
fn keys(field: &ValueTypeExpr, ty: T) -> Vec<Key> {
    let ways = [field.clone().asc(), field.clone().desc()];
    let items = ways.into_iter().flat_map(|item| [item.clone(), item.clone().nulls_first(), item.nulls_last()]);
    items.map(|item| Key { item, ty: ty.into() }).collect()
}

/// The orders, each with the primary key as its last.
fn orders() -> Vec<Vec<Key>> {
    let limits = keys(&prop("CreditLimit").into(), T::Decimal);
    let mut firsts = limits.clone();
    firsts.extend(keys(&prop("City").into(), T::String));
    firsts.extend(keys(&prop("Birthday").into(), T::Date));
    firsts.extend(keys(&(prop("CreditLimit") * 2), T::Decimal));
    let id = Key { item: prop("Id").asc(), ty: T::Int32.into() };
    let mut orders = Vec::new();
    for first in firsts {
        orders.push(vec![first.clone(), id.clone()]);
        orders.extend(limits.iter().map(|second| vec![first.clone(), second.clone(), id.clone()]));
    }
    orders
}

fn in_order(order: &[Key]) -> SqlSegment {
    from("Customer").order_by(order.iter().map(|key| key.item.clone()))
}

async fn answers(
    engine: &dyn Engine,
    schema: &Arc<Schema>,
    queries: &[(Expr, Vec<DbType>)],
) -> Result<Vec<Answer>, Failed> {
    let asked = queries.iter().map(|(query, types)| (query, types.as_slice()));
    let answers: Vec<Result<Answer, NoAnswer>> = suite::answers(engine, schema, asked).await?;
    let shown = |(answer, (query, _)): (Result<Answer, NoAnswer>, &(Expr, Vec<DbType>))| {
        answer.map_err(|why| format!("{why:?}: {}", isogloss_compiler::json::to_string(query)).into())
    };
    answers.into_iter().zip(queries).map(shown).collect()
}

fn each_row_is_followed(name: &str, url: Option<&str>) -> Result<(), Failed> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let schema = Arc::new(Schema::load(&Suite::folder().join("schemas"), "shop")?);
    let orders = orders();
    runtime.block_on(async {
        let engine = suite::connect(name, url).await?;
        let wholes: Vec<(Expr, Vec<DbType>)> = orders
            .iter()
            .map(|order| {
                let values = order.iter().map(|key| key.item.field.clone());
                let query = in_order(order).select(values.collect::<Vec<_>>());
                (query.into(), order.iter().map(|key| key.ty).collect())
            })
            .collect();
        let wholes = answers(&*engine, &schema, &wholes).await?;
        let (mut pages, mut expected) = (Vec::new(), Vec::new());
        let mut nulls = 0;
        for (order, whole) in orders.iter().zip(&wholes) {
            let ids: Vec<&Value> = whole.rows.iter().filter_map(|row| row.last()).collect();
            for (place, row) in whole.rows.iter().enumerate() {
                nulls += usize::from(row.contains(&Value::Null));
                let page = in_order(order).after(row.iter().map(|key| value(key.clone())), 100).select([prop("Id")]);
                pages.push((page.into(), vec![T::Int32.into()]));
                expected.push(ids.iter().skip(place + 1).copied().collect::<Vec<_>>());
            }
        }
        let given = answers(&*engine, &schema, &pages).await?;
        let mut wrong = Vec::new();
        for (((query, _), expected), answer) in pages.iter().zip(&expected).zip(&given) {
            let ids: Vec<&Value> = answer.rows.iter().flatten().collect();
            if ids != *expected {
                wrong.push(format!("{}: {ids:?}, not {expected:?}", isogloss_compiler::json::to_string(query)));
            }
        }
        println!("{} pages, {nulls} of them behind a NULL, on {}", pages.len(), engine.backend().dialect().label());
        if nulls == 0 {
            return Err("no cursor has a NULL".into());
        }
        if wrong.is_empty() { Ok(()) } else { Err(format!("{} differ\n{}", wrong.len(), wrong.join("\n")).into()) }
    })
}
