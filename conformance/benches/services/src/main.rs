//! What a call of an entity's service costs beside the data access object under it, where nobody listens.
//!
//! `services dao|service insert|get|search ROUNDS` makes so many calls on SQLite in memory, and prints nothing:
//! `callgrind.sh` counts the instructions of N and of 2N rounds, and the difference is what N rounds take.

use isogloss::config::DataSourceConfig;
use isogloss::dao::{ObjectDao, ObjectViewDao};
use isogloss::entity::Linked as _;
use isogloss::prelude::*;
use isogloss::service::EntityService;

#[derive(Debug, Clone, Entity)]
#[table(name = "notes", columns = "snake_case")]
struct Note {
    #[column(primary_key, identity)]
    id: i64,
    text: String,
    rank: i32,
}

fn note(n: i64) -> Note {
    Note { id: 0, text: format!("note number {n}"), rank: 5 }
}

/// How many rows there are at first; a search finds ten of them.
const ROWS: i64 = 1_000;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [by, what, rounds] = args.as_slice() else {
        return Err("services dao|service insert|get|search ROUNDS".into());
    };
    let rounds: i64 = rounds.parse()?;
    let context = OrmContext::new(Catalog::builder().entity::<Note>().build()?);
    context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true))?;
    let session = context.create_session()?;
    let (dao, view, service) =
        (ObjectDao::<Note>::new(&session), ObjectViewDao::<Note>::new(&session), EntityService::<Note>::new(&session));
    dao.batch_insert(&mut (0..ROWS).map(note).collect::<Vec<_>>()).await?;
    let filter = |n: i64| expr!(|o: Note| o.id > n % 900 && o.id <= n % 900 + 10);
    for n in 0..rounds {
        let found = match (by.as_str(), what.as_str()) {
            ("dao", "insert") => u64::from(dao.insert(&mut note(n)).await?) * 10,
            ("service", "insert") => u64::from(service.insert(&mut note(n)).await?) * 10,
            ("dao", "get") => view.get(n % ROWS + 1).await?.map_or(0, |_| 10),
            ("service", "get") => service.get_object(n % ROWS + 1).await?.map_or(0, |_| 10),
            ("dao", "search") => view.search(filter(n)).all().await?.len() as u64,
            ("service", "search") => service.search(filter(n)).await?.len() as u64,
            _ => return Err(format!("no {by} {what}").into()),
        };
        assert_eq!(found, 10);
    }
    Ok(())
}
