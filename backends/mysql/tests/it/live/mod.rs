//! Servers to run on: those of `ISOGLOSS_MYSQL_URL`, several with blanks between.
//!
//! No test here asserts how long something takes. It waits for an event ([`until`]), or moves the clock itself
//! ([`frozen`](clock::frozen)).

#![allow(
    dead_code,
    unreachable_pub,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "each test uses a part of it"
)]

pub mod clock;
pub mod private;
#[path = "../../../../driver/testing/process.rs"]
mod process;
pub mod proxy;
#[path = "../../../../driver/testing/statements.rs"]
mod statements;

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use isogloss_driver::{AnyConnection, Backend, Connection, ConnectionExt, PoolOptions};
use isogloss_mysql::driver::{MySqlBackend, MySqlOptions};
#[allow(unused_imports, reason = "each test uses a part of it")]
pub(crate) use statements::{plain, with};

pub type Outcome = Result<(), Box<dyn std::error::Error>>;

/// How long a test waits for an event. Only a test that hangs waits so long.
pub const HANG: Duration = Duration::from_secs(120);

/// The servers' addresses. Without one, it says so.
pub fn servers() -> Vec<String> {
    isogloss_testkit::events::install();
    isogloss_testkit::servers::mysql()
}

/// A database of the test's own, dropped with this.
pub struct Database {
    url: String,
    pub name: String,
}

impl Database {
    pub async fn new(url: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("isogloss_driver_{}_{count}", std::process::id());
        // A process of the same id may have been killed before.
        let create = format!("DROP DATABASE IF EXISTS {name}; CREATE DATABASE {name} CHARACTER SET utf8mb4");
        script(url, &create).await;
        Self { url: url.to_owned(), name }
    }

    pub fn options(&self) -> MySqlOptions {
        let mut options = MySqlOptions::url(&self.url).unwrap().pool(pool(100));
        options.database = Some(self.name.clone());
        options
    }

    pub async fn backend(&self) -> MySqlBackend {
        MySqlBackend::connect(self.options()).await.unwrap()
    }

    /// A backend whose pool has so many connections.
    pub async fn pool(&self, max: u32) -> MySqlBackend {
        MySqlBackend::connect(self.options().pool(pool(max))).await.unwrap()
    }
}

/// A pool of so many connections, whose limits only a test that hangs reaches.
pub fn pool(max: u32) -> PoolOptions {
    let mut pool = PoolOptions::default();
    (pool.max, pool.wait, pool.connect_timeout, pool.grace) = (max, HANG, HANG, HANG);
    pool.statement_timeout = Some(HANG);
    pool
}

impl Drop for Database {
    fn drop(&mut self) {
        let (url, name) = (self.url.clone(), self.name.clone());
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(remove(&url, &name));
        });
        let _ = thread.join();
    }
}

/// Drops a database. Its connections are ended before, as a test that fails leaves locks behind.
async fn remove(url: &str, name: &str) {
    let backend = MySqlBackend::connect(MySqlOptions::url(url).unwrap().pool(pool(1))).await.unwrap();
    let mut connection = backend.connect().await.unwrap();
    let open = plain(format!("SELECT ID FROM information_schema.PROCESSLIST WHERE DB = '{name}'"));
    for (id,) in connection.fetch::<(i64,)>(&open).await.unwrap() {
        let _ = connection.execute(&plain(format!("KILL {id}"))).await;
    }
    connection.set_statement_timeout(None).await.unwrap();
    connection.script(&format!("DROP DATABASE IF EXISTS {name}")).await.unwrap();
}

async fn script(url: &str, sql: &str) {
    let backend = MySqlBackend::connect(MySqlOptions::url(url).unwrap().pool(pool(1))).await.unwrap();
    let done = backend.connect().await.unwrap().script(sql).await;
    assert!(done.is_ok(), "{done:?}");
}

/// The one number that a query gives.
pub async fn number(connection: &mut dyn Connection, sql: &str) -> i64 {
    statements::number(connection, sql).await.unwrap()
}

/// Asks a query for its one number, until that is as wanted.
pub async fn until(connection: &mut dyn Connection, sql: &str, wanted: impl Fn(i64) -> bool) -> i64 {
    let asked = async {
        loop {
            let found = number(connection, sql).await;
            if wanted(found) {
                return found;
            }
            clock::real_pause().await;
        }
    };
    clock::in_time(asked).await
}

/// Waits until the server has no connection of that number.
pub async fn until_gone(connection: &mut dyn Connection, id: i64) {
    let found = format!("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = {id}");
    until(connection, &found, |count| count == 0).await;
}

/// Waits until the connection of that number runs a statement with this text in it.
pub async fn until_running(connection: &mut dyn Connection, id: i64, text: &str) {
    let found = format!(
        "SELECT COUNT(*) FROM information_schema.PROCESSLIST \
         WHERE ID = {id} AND INFO LIKE '%{text}%' AND COMMAND NOT IN ('Sleep', 'Prepare', 'Close stmt')"
    );
    until(connection, &found, |count| count > 0).await;
}

/// Runs a statement that lasts, and drops its future when the server runs it.
pub async fn given_up(connection: &mut AnyConnection, id: i64, watches: &mut AnyConnection, sql: &str) {
    let statement = plain(sql);
    tokio::select! {
        biased;
        done = connection.execute(&statement) => panic!("it ended: {done:?}"),
        () = until_running(&mut **watches, id, sql) => {}
    }
}

/// Waits until the connection of that number waits for a row that another one has locked.
pub async fn until_locked_out(connection: &mut AnyConnection, id: i64) {
    clock::in_time(async {
        while !is_locked_out(connection, id).await {
            clock::real_pause().await;
        }
    })
    .await;
}

/// Whether the connection of that number waits for a row that another one has locked. The tables of InnoDB's transactions
/// are not asked, as they are out of date where they are read often.
pub async fn is_locked_out(connection: &mut AnyConnection, id: i64) -> bool {
    let status = connection.fetch_one::<(String, String, String)>(&plain("SHOW ENGINE INNODB STATUS")).await.unwrap();
    let thread = format!("thread id {id},");
    status
        .2
        .split("---TRANSACTION")
        .any(|transaction| transaction.contains(&thread) && transaction.contains("LOCK WAIT"))
}

pub fn is_mariadb(backend: &MySqlBackend) -> bool {
    backend.origin().system == "mariadb"
}
