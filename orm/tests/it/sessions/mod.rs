//! Sessions and transactions, by the same tests on SQLite, in a file and in memory, on the servers of
//! `ISOGLOSS_POSTGRES_URL` and on those of `ISOGLOSS_MYSQL_URL`.

mod context;
mod faults;
mod hooks;
mod place;
mod replicas;
mod tasks;
mod units;
mod written;

use std::error::Error;
use std::sync::Arc;

use isogloss::expr::{DbValueType, SqlSegment, UpdateExpr};
use isogloss::model::{ColumnDef, TableDef};
use isogloss::prelude::*;
use isogloss::session::Purpose;
use isogloss::{Compiled, OrmContext, OrmResult, Session};

pub(crate) type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

/// A text of the test's own.
pub(crate) fn plain(sql: impl Into<String>) -> Compiled<'static> {
    Compiled { sql: sql.into(), ..Compiled::default() }
}

/// Accounts with money on them.
pub(crate) fn catalog() -> Catalog {
    let account = TableDef::new("Account")
        .table("Accounts")
        .column(ColumnDef::new("Id", DbValueType::Int32).primary_key())
        .column(ColumnDef::new("Money", DbValueType::Int64));
    Catalog::builder().table(account).build().expect("a catalog")
}

/// Makes the table of accounts at a source.
pub(crate) async fn create(context: &OrmContext, source: &str) -> Outcome {
    let (account, _) = context.catalog().entity("Account").ok_or("no entity")?;
    let backend = context.data_source(source)?.backend().await?;
    let mut connection = backend.connect().await?;
    for statement in backend.ddl().create_table(context.catalog(), account, &[])? {
        connection.script(&statement).await?;
    }
    Ok(())
}

/// What the tests do with accounts.
pub(crate) struct Bank<'s>(pub(crate) &'s Session, pub(crate) Option<&'s str>);

impl Bank<'_> {
    pub(crate) async fn open(&self, id: i32, money: i64) -> OrmResult<u64> {
        let mut lease = self.0.lease(self.1, Purpose::Write).await?;
        let insert = table("Account").insert(["Id", "Money"], vec![id.into(), money.into()]);
        let target = Arc::clone(lease.target());
        lease.execute(&target.compile(&insert)?).await
    }

    pub(crate) async fn add(&self, id: i32, money: i64) -> OrmResult<u64> {
        let update = table("Account").update([("Money", prop("Money") + money)]).filter(prop("Id").eq(id));
        self.update(update).await
    }

    pub(crate) async fn set(&self, id: i32, money: i64) -> OrmResult<u64> {
        self.update(table("Account").update([("Money", money)]).filter(prop("Id").eq(id))).await
    }

    async fn update(&self, update: UpdateExpr) -> OrmResult<u64> {
        let mut lease = self.0.lease(self.1, Purpose::Write).await?;
        let target = Arc::clone(lease.target());
        lease.execute(&target.compile(&update)?).await
    }

    pub(crate) async fn money(&self, id: i32) -> OrmResult<Option<i64>> {
        let mut lease = self.0.lease(self.1, Purpose::Read).await?;
        let query: SqlSegment = from("Account").filter(prop("Id").eq(id)).select(["Money"]).into_segment();
        let target = Arc::clone(lease.target());
        Ok(lease.fetch_first::<(i64,)>(&target.compile(&query)?).await?.map(|row| row.0))
    }

    pub(crate) async fn total(&self) -> OrmResult<(i64, i64)> {
        let mut lease = self.0.lease(self.1, Purpose::Read).await?;
        let query: SqlSegment = from("Account").select(["Money"]).into_segment();
        let target = Arc::clone(lease.target());
        let rows = lease.fetch::<(i64,)>(&target.compile(&query)?).await?;
        Ok((i64::try_from(rows.len()).unwrap_or(-1), rows.iter().map(|row| row.0).sum()))
    }
}
