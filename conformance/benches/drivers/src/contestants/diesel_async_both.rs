//! diesel-async on PostgreSQL and MariaDB: typed queries, its pool of bb8 without a ping for each caller.

use std::time::{Duration, Instant};

use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::Text;
use diesel_async::pooled_connection::bb8::Pool;
use diesel_async::pooled_connection::{AsyncDieselConnectionManager, ManagerConfig, RecyclingMethod};
use diesel_async::{AsyncConnection, AsyncMysqlConnection, AsyncPgConnection, RunQueryDsl};
use futures_util::future::try_join_all;
use workload::{BULK, BoxFuture, Contestant, INSERTS, LOOKUPS, Outcome, POOL, TASKS, Workload, keys};

use super::diesel_sqlite::{New, Read, fresh, items, new};

/// A hundred at a time, as its documents show it.
async fn pipelined(connection: &mut AsyncPgConnection, rows: &[New]) -> diesel::QueryResult<()> {
    let connection = &*connection;
    for rows in rows.chunks(100) {
        let all = rows.iter().map(|row| diesel::insert_into(fresh::table).values(row).execute(&mut &*connection));
        try_join_all(all).await?;
    }
    Ok(())
}

/// There is no pipelining on MySQL.
async fn one_by_one(connection: &mut AsyncMysqlConnection, rows: &[New]) -> diesel::QueryResult<()> {
    for row in rows {
        diesel::insert_into(fresh::table).values(row).execute(connection).await?;
    }
    Ok(())
}

macro_rules! engine {
    ($name:ident, $connection:ty, $each:ident) => {
        pub struct $name {
            connection: $connection,
            pool: Pool<$connection>,
        }

        impl $name {
            pub async fn open(url: &str) -> Outcome<Self> {
                let connection = <$connection>::establish(url).await?;
                let mut config = ManagerConfig::default();
                config.recycling_method = RecyclingMethod::Fast;
                let manager = AsyncDieselConnectionManager::new_with_config(url, config);
                let pool = Pool::builder().max_size(POOL as u32).build(manager).await?;
                Ok(Self { connection, pool })
            }

            async fn insert(&mut self) -> Outcome<(Duration, i64)> {
                let rows: Vec<New> = (0..INSERTS).map(new).collect();
                let begun = Instant::now();
                self.connection.transaction(async |connection| $each(connection, &rows).await).await?;
                Ok((begun.elapsed(), INSERTS))
            }

            async fn bulk(&mut self) -> Outcome<(Duration, i64)> {
                let rows: Vec<New> = (0..BULK).map(new).collect();
                let begun = Instant::now();
                self.connection
                    .transaction(async |connection| {
                        for rows in rows.chunks(4_000) {
                            diesel::insert_into(fresh::table).values(rows).execute(connection).await?;
                        }
                        diesel::QueryResult::Ok(())
                    })
                    .await?;
                Ok((begun.elapsed(), BULK))
            }

            async fn concurrent(&mut self) -> Outcome<(Duration, i64)> {
                let begun = Instant::now();
                let tasks = keys(TASKS).map(|key| {
                    let pool = self.pool.clone();
                    tokio::spawn(async move {
                        let mut connection = pool.get().await.map_err(|e| e.to_string())?;
                        let row: Result<Read, _> =
                            items::table.find(key).select(Read::as_select()).first(&mut connection).await;
                        row.map_err(|e| e.to_string())
                    })
                });
                let found = try_join_all(tasks.collect::<Vec<_>>()).await?;
                let found = found.into_iter().collect::<Result<Vec<Read>, String>>()?;
                Ok((begun.elapsed(), found.len() as i64))
            }
        }

        impl Contestant for $name {
            fn name(&self) -> String {
                "diesel-async 0.9".into()
            }

            fn ask<'a>(&'a mut self, expression: &'a str) -> BoxFuture<'a, Outcome<Vec<String>>> {
                Box::pin(async move {
                    let text = || diesel::select(sql::<Text>(expression));
                    let mut pooled = self.pool.get().await?;
                    Ok(vec![text().get_result(&mut self.connection).await?, text().get_result(&mut pooled).await?])
                })
            }

            fn run(&mut self, workload: Workload) -> BoxFuture<'_, Outcome<Option<(Duration, i64)>>> {
                Box::pin(async move {
                    let begun = Instant::now();
                    Ok(Some(match workload {
                        Workload::Rows => {
                            let rows: Vec<Read> =
                                items::table.select(Read::as_select()).load(&mut self.connection).await?;
                            (begun.elapsed(), rows.len() as i64)
                        }
                        Workload::Key => {
                            for key in keys(LOOKUPS) {
                                let _: Read = items::table
                                    .find(key)
                                    .select(Read::as_select())
                                    .first(&mut self.connection)
                                    .await?;
                            }
                            (begun.elapsed(), LOOKUPS)
                        }
                        Workload::Insert => self.insert().await?,
                        Workload::Bulk => self.bulk().await?,
                        Workload::Concurrent => self.concurrent().await?,
                    }))
                })
            }
        }
    };
}

engine!(OnPostgres, AsyncPgConnection, pipelined);
engine!(OnMysql, AsyncMysqlConnection, one_by_one);
