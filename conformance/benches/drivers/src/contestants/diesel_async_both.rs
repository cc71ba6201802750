//! diesel-async on PostgreSQL and MariaDB: typed queries, its pool of bb8 without a ping for each caller.

use std::time::{Duration, Instant};

use diesel::prelude::*;
use diesel_async::pooled_connection::bb8::Pool;
use diesel_async::pooled_connection::{AsyncDieselConnectionManager, ManagerConfig, RecyclingMethod};
use diesel_async::{AsyncConnection, AsyncMysqlConnection, AsyncPgConnection, RunQueryDsl};
use futures_util::future::try_join_all;
use workload::{BULK, BoxFuture, Contestant, INSERTS, LOOKUPS, Outcome, POOL, TASKS, Workload, keys};

use super::diesel_sqlite::{New, Read, fresh, items, new};

macro_rules! engine {
    ($name:ident, $connection:ty) => {
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

            async fn insert(&mut self, count: i64, together: usize) -> Outcome<(Duration, i64)> {
                let rows: Vec<New> = (0..count).map(new).collect();
                let begun = Instant::now();
                self.connection
                    .transaction(async |connection| {
                        for rows in rows.chunks(together) {
                            if let [row] = rows {
                                diesel::insert_into(fresh::table).values(row).execute(connection).await?;
                            } else {
                                diesel::insert_into(fresh::table).values(rows).execute(connection).await?;
                            }
                        }
                        diesel::QueryResult::Ok(())
                    })
                    .await?;
                Ok((begun.elapsed(), count))
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
                        Workload::Insert => self.insert(INSERTS, 1).await?,
                        Workload::Bulk => self.insert(BULK, 4_000).await?,
                        Workload::Concurrent => self.concurrent().await?,
                    }))
                })
            }
        }
    };
}

engine!(OnPostgres, AsyncPgConnection);
engine!(OnMysql, AsyncMysqlConnection);
