//! Servers to run on: those of `ISOGLOSS_MYSQL_URL`, several with blanks between.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "each test uses a part of it"
)]

#[path = "../../../driver/testing/heard.rs"]
pub mod heard;
pub mod private;
pub mod proxy;
#[path = "../../../driver/testing/statements.rs"]
mod statements;

use std::sync::atomic::{AtomicU32, Ordering};

use isogloss_driver::{Backend, Connection, PoolOptions};
use isogloss_mysql::driver::{MySqlBackend, MySqlOptions};
#[allow(unused_imports, reason = "each test uses a part of it")]
pub(crate) use statements::{plain, with};

pub type Outcome = Result<(), Box<dyn std::error::Error>>;

/// The servers' addresses. Without one, it says so.
pub fn servers() -> Vec<String> {
    let urls = std::env::var("ISOGLOSS_MYSQL_URL").unwrap_or_default();
    if urls.trim().is_empty() {
        println!("skipped: no ISOGLOSS_MYSQL_URL");
    }
    urls.split_whitespace().map(str::to_owned).collect()
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
        script(url, &format!("CREATE DATABASE {name} CHARACTER SET utf8mb4")).await;
        Self { url: url.to_owned(), name }
    }

    pub fn options(&self) -> MySqlOptions {
        let mut options = MySqlOptions::url(&self.url).unwrap();
        options.database = Some(self.name.clone());
        options
    }

    pub async fn backend(&self) -> MySqlBackend {
        MySqlBackend::connect(self.options()).await.unwrap()
    }

    /// One whose pool has so many connections.
    pub async fn pool(&self, max: u32) -> MySqlBackend {
        MySqlBackend::connect(self.options().pool(pool(max))).await.unwrap()
    }
}

pub fn pool(max: u32) -> PoolOptions {
    let mut pool = PoolOptions::default();
    pool.max = max;
    pool
}

impl Drop for Database {
    fn drop(&mut self) {
        let (url, sql) =
            (self.url.clone(), format!("SET lock_wait_timeout = 3; DROP DATABASE IF EXISTS {}", self.name));
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(script(&url, &sql));
        });
        let _ = thread.join();
    }
}

async fn script(url: &str, sql: &str) {
    let backend = MySqlBackend::connect(MySqlOptions::url(url).unwrap()).await.unwrap();
    let done = backend.connect().await.unwrap().script(sql).await;
    assert!(done.is_ok(), "{done:?}");
}

/// The one number that a query gives.
pub async fn number(connection: &mut dyn Connection, sql: &str) -> i64 {
    statements::number(connection, sql).await.unwrap()
}

pub fn is_mariadb(backend: &MySqlBackend) -> bool {
    backend.origin().system == "mariadb"
}
