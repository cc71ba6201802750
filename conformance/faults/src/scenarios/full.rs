//! No room: a file that may not grow, a server whose disk is full.

use std::time::Duration;

use isogloss::dao::ObjectDao;
use isogloss::driver::ErrorKind;
use isogloss::session::Purpose;
use isogloss::{OrmContext, OrmError, Session};
use tokio::time::sleep;

use super::{holds, kept, number};
use crate::child::one;
use crate::load::Load;
use crate::own::Server;
use crate::place::Place;
use crate::rows::Row;
use crate::{Outcome, Scale};

/// More transactions than there is room for.
const MANY: i64 = 20_000;

/// What a server's disk has left, in mebibytes: less than the transactions take, and less than a segment of PostgreSQL's log,
/// without which the server itself would end.
const LEFT: u64 = 4;

/// How long it may take until a transaction is confirmed when there is room again.
const RECOVERY: Duration = Duration::from_secs(10);

pub(super) async fn run(place: &Place, scale: &Scale) -> Outcome {
    if place.is_server() { disk(place, scale).await } else { file(place, scale).await }
}

async fn file(place: &Place, scale: &Scale) -> Outcome {
    let context = place.context(&place.url, |source| source)?;
    let mut confirmed = Vec::new();
    for round in 0..i64::try_from(scale.rounds)? {
        let from = round * MANY * 2;
        // It holds for this connection, which is closed afterwards, as one that a script has run on.
        no_room(&context, from, "PRAGMA max_page_count = 60").await?;
        for pair in from..from + 50 {
            one(&context, pair).await?;
            confirmed.push(pair);
        }
    }
    let there = kept(&context, &confirmed).await?;
    holds(there == confirmed.len(), || format!("{there} transactions are there, {} confirmed", confirmed.len()))?;
    context.close();
    Ok(format!("{}; {}; 0", scale.rounds, number(there)))
}

async fn disk(place: &Place, scale: &Scale) -> Outcome {
    let server = match Server::with_room(place, 1, "2g").await {
        Ok(server) => server,
        Err(why) => return Ok(format!("not run: {why}")),
    };
    let context = place.context(&server.url, |source| source.max_pool_size(8))?;
    context.sync_table("Row", [""; 0]).await?;
    let load = Load::start(&context, 4);
    let rounds = scale.rounds.clamp(1, 20);
    for round in 0..i64::try_from(rounds)? {
        if place.provider == "postgres" {
            context.create_session()?.lease(None, Purpose::Write).await?.script("SELECT pg_switch_wal()").await?;
            load.goes_on(scale.at_most(RECOVERY)).await?;
        }
        server.leave(LEFT).await?;
        no_room(&context, i64::MAX / 4 + round * MANY, "").await?;
        sleep(Duration::from_millis(500)).await;
        server.leave(1024).await?;
        load.goes_on(scale.at_most(RECOVERY)).await?;
    }
    let loaded = load.end().await?;
    let others = loaded.failed.keys().any(|kind| *kind != ErrorKind::StorageFull.name());
    holds(!others, || format!("{:?}: {:?}", loaded.failed, loaded.errors))?;
    kept(&context, &loaded.confirmed).await?;
    context.close();
    let told = rounds + loaded.failed.values().sum::<usize>();
    Ok(format!("{}; {}; 0", number(told), number(loaded.confirmed.len())))
}

/// A transaction for which there is no room, and which is told so.
async fn no_room(context: &OrmContext, from: i64, first: &str) -> Outcome<()> {
    let mut rows: Vec<Row> = (from..from + MANY).flat_map(Row::pair).collect();
    rows.iter_mut().for_each(|row| row.text = format!("{:200}", row.pair));
    let full = context
        .create_session()?
        .transaction(async |tx: &Session| {
            if !first.is_empty() {
                tx.lease(None, Purpose::Write).await?.script(first).await?;
            }
            ObjectDao::<Row>::new(tx).batch_insert(&mut rows).await?;
            Ok::<_, OrmError>(())
        })
        .await;
    let is_told = matches!(&full, Err(error) if error.kind() == Some(ErrorKind::StorageFull));
    holds(is_told, || format!("what there is no room for: {full:?}"))
}
