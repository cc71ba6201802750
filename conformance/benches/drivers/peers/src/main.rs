//! sqlx and SeaORM, asked by the main program: `drivers-peers ENGINE URL`.

mod sea;
mod sqlx_raw;

use workload::{Contestant, Outcome, alloc, serve};

#[global_allocator]
static ALLOCATOR: alloc::Counting = alloc::Counting;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(engine), Some(url)) = (arguments.next(), arguments.next()) else {
        return Err("usage: drivers-peers ENGINE URL".into());
    };
    tokio::spawn(run(engine, url)).await?
}

async fn run(engine: String, url: String) -> Outcome<()> {
    let sqlx: Box<dyn Contestant> = match engine.as_str() {
        "sqlite" => Box::new(sqlx_raw::OnSqlite::open(&url).await?),
        "postgres" => Box::new(sqlx_raw::OnPostgres::open(&url).await?),
        "mysql" => Box::new(sqlx_raw::OnMysql::open(&url).await?),
        other => return Err(format!("no engine {other}").into()),
    };
    serve(vec![sqlx, Box::new(sea::SeaOrm::open(&url).await?)]).await
}
