//! Queries that are joined to each row before them, on every engine that has them.

use std::future::Future;

use isogloss::expr::Decimal;
use isogloss::prelude::*;

use crate::dao::typed::{Customer, Order, each_filled};

#[derive(Debug, Clone, PartialEq, FromRow)]
struct Line {
    id: i64,
    customer_id: i64,
    amount: Decimal,
}

/// Runs a test on every engine. Those that have no LATERAL say so.
async fn each_lateral<F: Future<Output = OrmResult<()>>>(test: impl Fn(Session) -> F) {
    each_filled(async |session: Session| match test(session).await {
        Ok(()) => Ok(()),
        Err(error) => {
            let text = error.to_string();
            let known = ["SQLite has no LATERAL", "MariaDB has no LATERAL"].iter().any(|reason| text.contains(reason));
            if known { Ok(()) } else { Err(error) }
        }
    })
    .await;
}

#[tokio::test]
async fn the_top_rows_of_each_are_joined() {
    each_lateral(async |session: Session| {
        let customers = ObjectViewDao::<Customer>::new(&session);
        let most = 1;
        let dearest = query!(|c: Customer, t: Line| c
            .join_lateral(t.from(query!(|o: Order| {
                o.filter(o.customer_id == c.id && o.status > 0).order_by(o.amount.desc()).take(most).select(Line {
                    id: o.id,
                    amount: o.amount,
                    customer_id: o.customer_id,
                })
            })))
            .filter(t.customer_id == c.id)
            .order_by(c.id)
            .select((c.name, t.id, t.amount)));
        let rows = customers.search(dearest).all().await?;
        assert_eq!(rows, [("Ann".to_owned(), 1, 120.into()), ("Bob".to_owned(), 3, 250.into())]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_left_one_keeps_rows_without_any() {
    each_lateral(async |session: Session| {
        let customers = ObjectViewDao::<Customer>::new(&session);
        // Rows of tuples, and aggregates: `sum` is NULL of no orders, and `count` is not.
        let totals = query!(|c: Customer, last: Option<(i64, Decimal)>, all: (Option<Decimal>, i64)| c
            .left_join_lateral(last.from(query!(|o: Order| {
                o.filter(o.customer_id == c.id).select((o.id, o.amount)).order_by(o.id.desc()).take(1)
            })))
            .join_lateral(all.from(query!(|o: Order| {
                o.filter(o.customer_id == c.id && o.amount <= last.1).select((o.amount.sum(), count()))
            })))
            .order_by(c.id)
            .select((c.name, last.1, all.0, all.1)));
        let rows: Vec<(String, Option<Decimal>, Option<Decimal>, i64)> = customers.search(totals).all().await?;
        assert_eq!(
            rows,
            [
                ("Ann".into(), Some(30.into()), Some(30.into()), 1),
                ("Bob".into(), Some(250.into()), Some(250.into()), 1),
                ("Cid".into(), None, None, 0),
            ]
        );
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn one_stands_in_a_subquery_and_looks_through_others() {
    each_lateral(async |session: Session| {
        let customers = ObjectViewDao::<Customer>::new(&session);
        let bosses = query!(|c: Customer| c.select((c.id, c.boss_id))).named("bosses");
        // Whose boss has an order that is dearer than all of the customer's own.
        let outdone = query!(|c: Customer| c
            .filter(c.id.is_in(query!(|b: (i64, Option<i64>), t: Line| {
                b.from(bosses)
                    .join_lateral(t.from(query!(|o: Order| {
                        o.filter(
                            o.customer_id == b.1 && !exists::<Order>(|x| x.customer_id == b.0 && x.amount > o.amount),
                        )
                        .select(Line { id: o.id, amount: o.amount, customer_id: b.0 })
                    })))
                    .filter(t.customer_id == c.id)
                    .select(t.customer_id)
            })))
            .order_by(c.id)
            .select(c.name));
        assert_eq!(customers.search(outdone).all().await?, ["Cid"]);
        Ok(())
    })
    .await;
}
