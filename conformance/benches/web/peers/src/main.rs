//! sqlx and SeaORM behind the handlers: `web-peers CONTESTANT ENGINE=URL`; `served` says what it does then.

mod sea;
mod sqlx_raw;

use served::handlers::router;
use served::{Arguments, Form, Outcome, run, worker};

fn main() -> Outcome<()> {
    worker(contestant(Arguments::read(std::env::args().skip(1))?))
}

async fn contestant(arguments: Arguments) -> Outcome<()> {
    let url = arguments.url.as_str();
    let router = match (arguments.contestant.as_str(), arguments.engine.as_str()) {
        ("sqlx", "sqlite") => router(sqlx_raw::OnSqlite::open(url).await?),
        ("sqlx", "postgres") => router(sqlx_raw::OnPostgres::open(url).await?),
        ("sea-orm", "sqlite") => router(sea::SeaOrm::open(&format!("sqlite:{url}")).await?),
        ("sea-orm", "postgres") => router(sea::SeaOrm::open(url).await?),
        (other, engine) => return Err(format!("there is no {other} on {engine}").into()),
    };
    run(router, Form::Values, &arguments).await
}
