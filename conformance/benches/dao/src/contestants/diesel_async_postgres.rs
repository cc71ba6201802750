//! diesel-async on PostgreSQL: typed queries on one connection, pipelined where there are many, as its documents show it.

use std::pin::pin;
use std::time::{Duration, Instant};

use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::Text;
use diesel::upsert::excluded;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use futures_util::TryStreamExt;
use futures_util::future::try_join_all;

use super::diesel_sqlite::{
    Line, New, Product, Read, dao_cities, dao_customers, dao_fresh, dao_lines, dao_orders, dao_products, new, page,
};
use workload::dao::{GETS, PAGE, PAGES, PARENTS, WRITES, Workload, changed, first, item, keys};
use workload::{BoxFuture, Contestant, Outcome};

pub struct Diesel(AsyncPgConnection);

type Page = Vec<(Read, Option<String>, Option<String>)>;

impl Diesel {
    pub async fn open(url: &str) -> Outcome<Self> {
        Ok(Self(AsyncPgConnection::establish(url).await?))
    }

    async fn related(&mut self, from: i64, count: i64, products: bool) -> Outcome<i64> {
        let range = dao_orders::id.ge(from).and(dao_orders::id.lt(from + count));
        let orders = dao_orders::table.filter(range).order(dao_orders::id).select(Read::as_select());
        let orders: Vec<Read> = orders.load(&mut self.0).await?;
        let lines = Line::belonging_to(&orders).order(dao_lines::id);
        if products {
            let lines = lines.inner_join(dao_products::table).select((Line::as_select(), Product::as_select()));
            let lines: Vec<(Line, Product)> = lines.load(&mut self.0).await?;
            let grouped: Vec<(Read, Vec<(Line, Product)>)> =
                lines.grouped_by(&orders).into_iter().zip(orders).map(|(lines, order)| (order, lines)).collect();
            return Ok(grouped.iter().map(|(_, lines)| lines.len() as i64).sum());
        }
        let lines: Vec<Line> = lines.select(Line::as_select()).load(&mut self.0).await?;
        let grouped: Vec<(Read, Vec<Line>)> =
            lines.grouped_by(&orders).into_iter().zip(orders).map(|(lines, order)| (order, lines)).collect();
        Ok(grouped.iter().map(|(_, lines)| lines.len() as i64).sum())
    }

    async fn work(&mut self, workload: Workload) -> Outcome<Option<(Instant, i64)>> {
        let begun = Instant::now();
        match workload {
            Workload::Get => {
                for key in keys(GETS) {
                    let _: Read = dao_orders::table.find(key).select(Read::as_select()).first(&mut self.0).await?;
                }
                Ok(Some((begun, GETS)))
            }
            Workload::Page => {
                let mut rows = 0;
                for at in 0..PAGES {
                    let found: Page = page!(i32::try_from(at)? % 900).load(&mut self.0).await?;
                    rows += found.len() as i64;
                }
                Ok(Some((begun, rows)))
            }
            Workload::Insert => {
                let rows: Vec<New> = (0..WRITES).map(item).map(new).collect();
                let begun = Instant::now();
                let insert = diesel::insert_into(dao_fresh::table).values(&rows);
                Ok(Some((begun, insert.execute(&mut self.0).await? as i64)))
            }
            Workload::Numbered => Ok(None),
            Workload::Lines => Ok(Some((begun, self.related(0, PARENTS, false).await?))),
            Workload::Products => {
                let mut rows = 0;
                for page in 0..PAGES {
                    rows += self.related(first(page), PAGE, true).await?;
                }
                Ok(Some((begun, rows)))
            }
            Workload::Update => {
                let rows: Vec<New> = (0..WRITES).map(changed).map(new).collect();
                let begun = Instant::now();
                let written = self
                    .0
                    .transaction(async |connection| {
                        let (connection, mut written) = (&*connection, 0);
                        for rows in rows.chunks(100) {
                            let all = rows.iter().map(|row| diesel::update(row).set(row).execute(&mut &*connection));
                            written += try_join_all(all).await?.into_iter().sum::<usize>();
                        }
                        diesel::QueryResult::Ok(written)
                    })
                    .await?;
                Ok(Some((begun, written as i64)))
            }
            Workload::Upsert => {
                use dao_fresh as f;
                let rows: Vec<New> = (0..WRITES).map(changed).map(new).collect();
                let begun = Instant::now();
                let upsert = diesel::insert_into(f::table).values(&rows).on_conflict(f::id).do_update().set((
                    f::customer_id.eq(excluded(f::customer_id)),
                    f::code.eq(excluded(f::code)),
                    f::quantity.eq(excluded(f::quantity)),
                    f::amount.eq(excluded(f::amount)),
                    f::paid.eq(excluded(f::paid)),
                    f::created.eq(excluded(f::created)),
                    f::note.eq(excluded(f::note)),
                ));
                Ok(Some((begun, upsert.execute(&mut self.0).await? as i64)))
            }
            Workload::Stream => {
                let query = dao_orders::table.select(Read::as_select());
                let mut rows = pin!(query.load_stream::<Read>(&mut self.0).await?);
                let mut count = 0;
                while let Some(row) = rows.try_next().await? {
                    count += i64::from(row.id >= 0);
                }
                Ok(Some((begun, count)))
            }
        }
    }
}

impl Contestant<Workload> for Diesel {
    fn name(&self) -> String {
        "diesel-async 0.9".into()
    }

    fn ask<'a>(&'a mut self, expression: &'a str) -> BoxFuture<'a, Outcome<Vec<String>>> {
        Box::pin(async move { Ok(vec![diesel::select(sql::<Text>(expression)).get_result(&mut self.0).await?]) })
    }

    fn run(&mut self, workload: Workload) -> BoxFuture<'_, Outcome<Option<(Duration, i64)>>> {
        Box::pin(async move { Ok(self.work(workload).await?.map(|(begun, rows)| (begun.elapsed(), rows))) })
    }
}
