//! Orders in a table for each month, an archive in a database of its own, and a replica to read from.
//!
//! `cargo run -p shards`. The databases are files of SQLite in a temporary folder; with others, only the two lines that
//! say where they are change.

use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use isogloss::chrono::NaiveDate;
use isogloss::config::{DataSourceConfig, ReplicaConfig};
use isogloss::dao::{ObjectDao, ObjectViewDao};
use isogloss::entity::{Arged, FieldError, catalog};
use isogloss::expr::Decimal;
use isogloss::prelude::*;
use isogloss::session::Purpose;
use isogloss::{OrmContext, OrmError, OrmResult, Session};

/// An order, in the table of its month: `orders_202401`, `orders_202402`, ...
#[derive(Debug, Clone, PartialEq, Entity)]
#[table(name = "orders_{0}", columns = "snake_case", arged)]
struct Order {
    #[column(primary_key)]
    id: i64,
    #[column(length = 50)]
    customer: String,
    #[column(precision = 18, scale = 2)]
    amount: Decimal,
    day: NaiveDate,
}

/// `arged`: a row says itself where it belongs, here what stands for `{0}`. So a batch is split by itself.
impl Arged for Order {
    fn table_args(&self) -> Vec<String> {
        vec![self.day.format("%Y%m").to_string()]
    }
}

/// An order that is done with, in one table of another data source.
#[derive(Debug, Clone, PartialEq, Entity)]
#[table(name = "old_orders", data_source = "archive", columns = "snake_case")]
struct OldOrder {
    #[column(primary_key)]
    id: i64,
    #[column(length = 50)]
    customer: String,
    #[column(precision = 18, scale = 2)]
    amount: Decimal,
    day: NaiveDate,
}

impl From<Order> for OldOrder {
    fn from(Order { id, customer, amount, day }: Order) -> Self {
        Self { id, customer, amount, day }
    }
}

/// The orders of a month. Who reads has no row that says its shard, and names it.
fn orders(session: &Session, month: &str) -> ObjectViewDao<Order> {
    ObjectViewDao::new(session).with_args([month])
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    run(&mut io::stdout()).await
}

async fn run(out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let folder = Folder::new()?;
    let context = OrmContext::new(catalog()?.clone());
    // `sync_table`: tables are made at their first use, that of a new month as well.
    let shop = DataSourceConfig::new("shop", "sqlite", folder.new_file("shop.db"))
        .sync_table(true)
        .replica(ReplicaConfig::new().connection_string(folder.file("replica.db")));
    let archive = DataSourceConfig::new("archive", "sqlite", folder.new_file("archive.db")).sync_table(true);
    context.add_data_source(shop)?;
    context.add_data_source(archive)?;
    let session = context.create_session()?;

    // One call, three tables, one transaction.
    let mut new = [
        order(1, "Ann", 120, "2024-01-09")?,
        order(2, "Bob", 80, "2024-01-30")?,
        order(3, "Ann", 45, "2024-02-14")?,
        order(4, "Cem", 300, "2024-03-01")?,
    ];
    ObjectDao::<Order>::new(&session).batch_insert(&mut new).await?;
    writeln!(out, "tables of the shop: {}", tables(&session).await?.join(", "))?;

    // A server keeps its replicas up to date; a file of SQLite is copied. Who has written reads where it was written, others read
    // from the replica.
    copy(&session, &folder.file("replica.db")).await?;
    let session = context.create_session()?;
    let january = || orders(&session, "202401");
    writeln!(out, "read from replica {:?}: {} in January", replica(&session).await?, january().count(()).await?)?;
    let large = january().search(expr!(|o: Order| o.amount > 100)).all().await?;
    let large: Vec<&str> = large.iter().map(|order| order.customer.as_str()).collect();
    writeln!(out, "more than 100 in January: {}", large.join(", "))?;

    // Both databases, or neither: what fails here is taken back on each.
    let failed: OrmResult<usize> = session
        .transaction(async |tx: &Session| {
            archive_month(tx, "202401").await?;
            Err(FieldError::new("the auditor says no").into())
        })
        .await;
    let Err(error) = failed else { return Err("it should have failed".into()) };
    writeln!(out, "not archived: {error}; {}", state(&session).await?)?;

    let moved = session.transaction(async |tx: &Session| archive_month(tx, "202401").await).await?;
    writeln!(out, "archived {moved} orders; {}", state(&session).await?)?;

    // The session sees what it has done. A replica may be behind: this one is until its next copy.
    writeln!(out, "read from replica {:?}: {} in January", replica(&session).await?, january().count(()).await?)?;
    let other = context.create_session()?;
    writeln!(out, "the replica still says: {} in January", orders(&other, "202401").count(()).await?)?;
    context.close();
    Ok(())
}

/// Moves the orders of a month into the archive: read and deleted in one source, written in the other.
async fn archive_month(tx: &Session, month: &str) -> OrmResult<usize> {
    let done = orders(tx, month).search(()).all().await?;
    let mut old: Vec<OldOrder> = done.iter().cloned().map(OldOrder::from).collect();
    ObjectDao::<OldOrder>::new(tx).batch_insert(&mut old).await?;
    ObjectDao::<Order>::new(tx).batch_delete(&done).await?;
    Ok(old.len())
}

/// What is where. In a transaction everything is read from the sources themselves, and so is up to date.
async fn state(session: &Session) -> OrmResult<String> {
    session
        .transaction(async |tx: &Session| {
            let shop = orders(tx, "202401").count(()).await?;
            let archive = ObjectViewDao::<OldOrder>::new(tx).count(()).await?;
            Ok::<_, OrmError>(format!("January has {shop}, the archive {archive}"))
        })
        .await
}

fn order(id: i64, customer: &str, amount: i64, day: &str) -> Result<Order, Box<dyn Error>> {
    Ok(Order { id, customer: customer.to_owned(), amount: amount.into(), day: day.parse()? })
}

/// The tables of the shop, by SQL of our own: a lease is a connection for a while.
async fn tables(session: &Session) -> OrmResult<Vec<String>> {
    let mut lease = session.lease(None, Purpose::Write).await?;
    let target = lease.target().clone();
    let query = sql!("SELECT [name] FROM [sqlite_schema] WHERE [type] = 'table' ORDER BY [name]");
    Ok(lease.fetch::<(String,)>(&target.compile(&query)?).await?.into_iter().map(|(name,)| name).collect())
}

/// Which of the replicas a session reads from; none is the source itself.
async fn replica(session: &Session) -> OrmResult<Option<usize>> {
    Ok(session.lease(None, Purpose::Read).await?.replica())
}

/// All of the shop, as it is now, into another file.
async fn copy(session: &Session, to: &str) -> OrmResult<()> {
    let mut lease = session.lease(None, Purpose::Write).await?;
    let target = lease.target().clone();
    let copy = sql!("VACUUM INTO {to}");
    lease.execute(&target.compile(&copy)?).await?;
    Ok(())
}

/// A folder of our own for the files, gone at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> io::Result<Self> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("isogloss-shards-{}-{number}", std::process::id()));
        std::fs::create_dir(&path)?;
        Ok(Self(path))
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// One that is made when it is first opened.
    fn new_file(&self, name: &str) -> String {
        format!("{}?create=true", self.file(name))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What the system keeps in use it will clear away itself.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "current_thread")]
    async fn it_does_what_it_says() {
        let mut out = Vec::new();
        run(&mut out).await.unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "\
tables of the shop: orders_202401, orders_202402, orders_202403
read from replica Some(0): 2 in January
more than 100 in January: Ann
not archived: the auditor says no; January has 2, the archive 0
archived 2 orders; January has 0, the archive 2
read from replica None: 0 in January
the replica still says: 2 in January
"
        );
    }
}
