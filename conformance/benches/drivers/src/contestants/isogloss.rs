//! Isogloss: trees compiled and run. `again` compiles the tree for each statement, else only its values are others.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::try_join_all;
use isogloss_compiler::expr::{DbValueType as T, InsertExpr, SqlSegment, Value, ValueOps, from, prop, table};
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
use isogloss_compiler::{Compiled, Compiler, Target};
use isogloss_driver::{Backend, ConnectionExt, FromColumn, FromRow, Result, Row, TransactionOptions, rows};
use workload::{BULK, BoxFuture, COLUMNS, Contestant, INSERTS, Item, LOOKUPS, Outcome, TASKS, Workload, item, keys};

struct Read(#[allow(dead_code, reason = "what is measured is the reading")] Item);

impl FromRow for Read {
    fn from_row(row: &dyn Row) -> Result<Self> {
        Ok(Self(Item {
            id: FromColumn::required(row, 0)?,
            name: FromColumn::required(row, 1)?,
            email: FromColumn::required(row, 2)?,
            quantity: FromColumn::required(row, 3)?,
            price: FromColumn::required(row, 4)?,
            active: FromColumn::required(row, 5)?,
            created: FromColumn::required(row, 6)?,
            note: FromColumn::required(row, 7)?,
        }))
    }
}

pub struct Isogloss {
    backend: Arc<dyn Backend>,
    target: Arc<Target>,
    again: bool,
}

fn definition(name: &'static str) -> TableDef {
    TableDef::new(name)
        .column(ColumnDef::new("id", T::Int64).primary_key())
        .column(ColumnDef::new("name", T::String).length(100))
        .column(ColumnDef::new("email", T::String).length(100))
        .column(ColumnDef::new("quantity", T::Int32))
        .column(ColumnDef::new("price", T::Double))
        .column(ColumnDef::new("active", T::Boolean))
        .column(ColumnDef::new("created", T::DateTime2))
        .column(ColumnDef::new("note", T::String).length(200).nullable())
}

fn values(item: Item) -> [Value; 8] {
    let Item { id, name, email, quantity, price, active, created, note } = item;
    [
        id.into(),
        name.into(),
        email.into(),
        quantity.into(),
        price.into(),
        active.into(),
        created.into(),
        note.map_or(Value::Null, Value::from),
    ]
}

fn by_key(key: i64) -> SqlSegment {
    from("items").filter(prop("id").eq(key)).select(COLUMNS).into_segment()
}

fn one(item: Item) -> InsertExpr {
    table("fresh").insert(COLUMNS, values(item).to_vec())
}

impl Isogloss {
    pub fn new(backend: Arc<dyn Backend>, again: bool) -> Outcome<Self> {
        let catalog = Catalog::builder().table(definition("items")).table(definition("fresh")).build()?;
        let target = Compiler::new(catalog).target(backend.dialect());
        Ok(Self { backend, target, again })
    }

    async fn rows(&self) -> Outcome<(Duration, i64)> {
        let mut connection = self.backend.connect().await?;
        let all = from("items").select(COLUMNS).into_segment();
        let begun = Instant::now();
        let found: Vec<Read> = connection.fetch(&self.target.compile(&all)?).await?;
        Ok((begun.elapsed(), found.len() as i64))
    }

    async fn key(&self) -> Outcome<(Duration, i64)> {
        let mut connection = self.backend.connect().await?;
        let tree = by_key(0);
        let begun = Instant::now();
        if self.again {
            for key in keys(LOOKUPS) {
                let tree = by_key(key);
                connection.fetch_first::<Read>(&self.target.compile(&tree)?).await?.ok_or("no row")?;
            }
        } else {
            let mut statement = self.target.compile(&tree)?;
            for key in keys(LOOKUPS) {
                bind(&mut statement, key);
                connection.fetch_first::<Read>(&statement).await?.ok_or("no row")?;
            }
        }
        Ok((begun.elapsed(), LOOKUPS))
    }

    async fn insert(&self) -> Outcome<(Duration, i64)> {
        let items: Vec<_> = (0..INSERTS).map(item).collect();
        let mut connection = self.backend.connect().await?;
        let begun = Instant::now();
        connection.begin(&TransactionOptions::default()).await?;
        let written = if self.again {
            let mut written = 0;
            for item in items {
                let tree = one(item);
                written += connection.execute(&self.target.compile(&tree)?).await?;
            }
            written
        } else {
            let tree = one(item(0));
            let statement = self.target.compile(&tree)?;
            connection.execute_many(&statement, rows(items.into_iter().map(values))).await?
        };
        connection.commit().await?;
        Ok((begun.elapsed(), written as i64))
    }

    async fn bulk(&self) -> Outcome<(Duration, i64)> {
        let items: Vec<_> = (0..BULK).map(item).collect();
        let into = self.target.bulk_insert("fresh", &COLUMNS, &[])?;
        let mut connection = self.backend.connect().await?;
        let begun = Instant::now();
        let written = connection.bulk_insert(&into, rows(items.into_iter().map(values))).await?;
        Ok((begun.elapsed(), written as i64))
    }

    async fn concurrent(&self) -> Outcome<(Duration, i64)> {
        let statement = Arc::new(self.target.compile(&by_key(0))?.into_owned());
        let begun = Instant::now();
        let again = self.again;
        let tasks = keys(TASKS).map(|key| {
            let (backend, target, statement) =
                (Arc::clone(&self.backend), Arc::clone(&self.target), Arc::clone(&statement));
            tokio::spawn(async move {
                let mut connection = backend.connect().await?;
                if again {
                    let tree = by_key(key);
                    connection.fetch_first::<Read>(&target.compile(&tree)?).await
                } else {
                    let mut statement = Compiled::clone(&statement);
                    bind(&mut statement, key);
                    connection.fetch_first::<Read>(&statement).await
                }
            })
        });
        let found = try_join_all(tasks.collect::<Vec<_>>()).await?;
        for row in &found {
            if !matches!(row, Ok(Some(_))) {
                return Err("no row".into());
            }
        }
        Ok((begun.elapsed(), found.len() as i64))
    }
}

fn bind(statement: &mut Compiled<'_>, key: i64) {
    if let Some(parameter) = statement.params.first_mut() {
        parameter.value = Cow::Owned(key.into());
    }
}

impl Contestant for Isogloss {
    fn name(&self) -> String {
        if self.again { "Isogloss, compiled each time" } else { "Isogloss" }.into()
    }

    fn ask<'a>(&'a mut self, expression: &'a str) -> BoxFuture<'a, Outcome<Vec<String>>> {
        Box::pin(async move {
            let text = Compiled { sql: format!("SELECT {expression}"), ..Compiled::default() };
            Ok(self.backend.connect().await?.fetch::<String>(&text).await?)
        })
    }

    fn run(&mut self, workload: Workload) -> BoxFuture<'_, Outcome<Option<(Duration, i64)>>> {
        Box::pin(async move {
            Ok(Some(match workload {
                Workload::Key => self.key().await?,
                Workload::Insert => self.insert().await?,
                Workload::Concurrent => self.concurrent().await?,
                _ if self.again => return Ok(None),
                Workload::Rows => self.rows().await?,
                Workload::Bulk => self.bulk().await?,
            }))
        })
    }
}
