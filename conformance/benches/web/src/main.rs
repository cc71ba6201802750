//! Speed of Isogloss' controllers beside handlers that are written by hand: `run.sh` has them served in turns and asks them by
//! wrk, `callgrind.sh` counts the instructions of a request.
//!
//! `web CONTESTANT ENGINE=URL` is the program of a contestant: `served` says what it does. Besides, `web fill ENGINE=URL` makes
//! the tables, `web drop ENGINE=URL` takes them away, and `web requests WORKLOAD CONTESTANT` prints the requests.

mod hand;
mod isogloss_web;

use std::io::{Write as _, stdout};

use rusqlite::Connection;
use served::{Arguments, Form, Outcome, data, of, run, worker};
use tokio_postgres::NoTls;

/// How many requests there are before they come again.
const REQUESTS: i64 = 1_000;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [what, workload, contestant] = arguments.as_slice()
        && what == "requests"
    {
        let form = if contestant == "isogloss" { Form::Tree } else { Form::Values };
        return of(workload.parse()?, form, REQUESTS).try_for_each(|request| Ok(writeln!(stdout(), "{request}")?));
    }
    worker(contestant(Arguments::read(arguments)?))
}

async fn contestant(arguments: Arguments) -> Outcome<()> {
    let (engine, url) = (arguments.engine.as_str(), arguments.url.as_str());
    match (arguments.contestant.as_str(), engine) {
        ("fill", _) => script(engine, url, &data::script(engine)).await,
        ("drop", _) => script(engine, url, data::DROPS).await,
        ("isogloss", _) => run(isogloss_web::router(engine, url)?, Form::Tree, &arguments).await,
        ("hand", "sqlite") => run(hand::sqlite(url)?, Form::Values, &arguments).await,
        ("hand", "postgres") => run(hand::postgres(url).await?, Form::Values, &arguments).await,
        (other, _) => Err(format!("there is no {other} on {engine}").into()),
    }
}

async fn script(engine: &str, url: &str, text: &str) -> Outcome<()> {
    if engine == "sqlite" {
        let connection = Connection::open(url)?;
        connection.execute_batch(workload::settings::PRAGMAS)?;
        return Ok(connection.execute_batch(text)?);
    }
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    for statement in text.split("; ") {
        client.batch_execute(statement).await?;
    }
    Ok(())
}
