//! What a test works with: places of its own on an engine.

use std::cell::RefCell;
use std::ops::{Deref, Range};
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use isogloss_compiler::expr::{DbValueType as T, Expr, Value, table};
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
use isogloss_compiler::{BulkInsert, Compiled, Compiler, Target};
use isogloss_driver::{AnyConnection, Backend, Connection, PoolOptions, Result};

use crate::drivers::engine::{Engine, Server};
use crate::drivers::engines::Found;
use crate::drivers::statements::number;
use crate::drivers::{Outcome, not_here};

/// An engine, and the places that a test has made on it.
pub struct Site {
    found: Found,
    made: RefCell<Vec<Arc<dyn Engine>>>,
}

impl Site {
    /// Runs a test. One that fails leaves nothing behind, either.
    pub async fn run(found: &Found, test: for<'a> fn(&'a Site) -> LocalBoxFuture<'a, Outcome>) -> Outcome {
        let site = Site { found: found.clone(), made: RefCell::default() };
        let done = AssertUnwindSafe(test(&site)).catch_unwind().await;
        let mut ended = Ok(());
        for engine in site.made.take() {
            ended = ended.and(engine.end().await);
        }
        match done {
            Ok(done) => done.and(ended),
            Err(panic) => resume_unwind(panic),
        }
    }

    /// A place with its tables, and a pool of connections to it.
    pub async fn db(&self) -> Outcome<Db> {
        self.with(PoolOptions::default()).await
    }

    pub async fn with(&self, pool: PoolOptions) -> Outcome<Db> {
        self.over(pool, |table| table).await
    }

    /// One with another table, `own`, as well.
    pub async fn over(&self, pool: PoolOptions, own: impl Fn(TableDef) -> TableDef) -> Outcome<Db> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("isogloss_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let engine = (self.found.make)(name).await?;
        self.made.borrow_mut().push(Arc::clone(&engine));
        let backend = engine.open(pool).await?;
        let table = |name: &str| TableDef::new(name).table(engine.folded(name));
        let column = |name: &str, ty| ColumnDef::new(name, ty).column(engine.folded(name));
        let name = || column("name", T::String).length(40).nullable().unique();
        let item = table("item").column(column("id", T::Int64).primary_key()).column(name());
        let item = item.column(column("n", T::Int32).nullable()).column(column("moment", T::DateTime2).nullable());
        let person = table("person").column(column("id", T::Int64).primary_key().identity(1, 1)).column(name());
        let person = person.column(column("score", T::Decimal).precision(20, 4).nullable());
        let own = own(table("own").column(column("id", T::Int64).primary_key()));
        let catalog = Catalog::builder().table(item).table(person).table(own).build()?;
        let mut connection = backend.connect().await?;
        for (id, _) in catalog.entities() {
            for statement in backend.ddl().create_table(&catalog, id, &[])? {
                connection.script(&statement).await?;
            }
        }
        let target = Compiler::new(catalog).target(backend.dialect());
        Ok(Db { engine, backend, target })
    }
}

/// A place: the table `item` of rows with an `id`, a unique `name`, a number `n` and a `moment`; `person`, whose `id`s the engine
/// gives; and `own`.
pub struct Db {
    engine: Arc<dyn Engine>,
    pub backend: Arc<dyn Backend>,
    pub target: Arc<Target>,
}

impl Deref for Db {
    type Target = dyn Engine;

    fn deref(&self) -> &Self::Target {
        &*self.engine
    }
}

impl Db {
    pub async fn connect(&self) -> Result<AnyConnection> {
        self.backend.connect().await
    }

    /// The server, for a test of one.
    pub fn needs_server(&self) -> Outcome<&dyn Server> {
        self.server().map_or_else(|| not_here("nothing is asked of a server here"), Ok)
    }

    /// Runs statements with `; ` between.
    pub async fn script(&self, sql: &str) -> Result<()> {
        let mut connection = self.connect().await?;
        for statement in sql.split("; ") {
            connection.script(statement).await?;
        }
        // The pool need not keep what a script may have changed.
        connection.close();
        Ok(())
    }

    /// An INSERT of items.
    pub fn insert(&self, ids: Range<i64>) -> Compiled<'static> {
        let rows = ids.flat_map(|id| [Value::from(id), format!("item {id}").into(), Value::Null]);
        self.compile(table("item").insert(["id", "name", "n"], rows.collect::<Vec<_>>()))
    }

    pub fn compile(&self, expr: impl Into<Expr>) -> Compiled<'static> {
        self.target.compile(&expr.into()).unwrap().into_owned()
    }

    pub fn bulk(&self, table: &str, columns: &[&str]) -> BulkInsert {
        self.target.bulk_insert(table, columns, &[]).unwrap()
    }

    /// How many items there are.
    pub async fn count(&self, connection: &mut dyn Connection) -> Result<i64> {
        number(connection, "SELECT COUNT(*) FROM item").await
    }

    /// It answers.
    pub async fn works(&self, connection: &mut dyn Connection) -> Outcome {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let next = i64::from(NEXT.fetch_add(1, Ordering::Relaxed));
        assert_eq!(number(connection, &self.select(&next.to_string())).await?, next);
        Ok(())
    }
}

/// A pool of at most `max` connections. Its grace period is long, so that a busy server still ends a statement; a statement of
/// `endless` outlives the test.
pub fn pool(max: u32) -> PoolOptions {
    PoolOptions::default().max(max).grace(Duration::from_secs(20))
}
