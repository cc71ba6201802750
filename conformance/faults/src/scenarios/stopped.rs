//! The server's processes stand still, and go on.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{Duration, Instant};

use isogloss::dao::ObjectViewDao;
use tokio::time::sleep;

use super::{holds, kept};
use crate::child::one;
use crate::own::Server;
use crate::place::Place;
use crate::rows::Row;
use crate::{Outcome, Scale};

/// The limit of a statement. The server has two seconds more to end it.
const LIMIT: Duration = Duration::from_millis(300);

/// The limit of making a connection.
const CONNECT: Duration = Duration::from_millis(900);

/// How long a caller may wait then: until another one's statement is given up, and for a connection. And how long it may
/// take afterwards. Both with what a busy machine adds.
const BOUND: Duration = Duration::from_secs(8);

pub(super) async fn run(place: &Place, _: &Scale) -> Outcome {
    let server = match Server::start(place, 1).await {
        Ok(server) => server,
        Err(why) => return Ok(format!("skipped: {why}")),
    };
    let url = match place.provider.as_str() {
        "postgres" => format!("postgres://postgres@127.0.0.1:{}/postgres", server.port),
        _ => format!("mysql://root@127.0.0.1:{}/mysql", server.port),
    };
    let context =
        place.context(&url, |source| source.statement_timeout(LIMIT).connect_timeout(CONNECT).max_pool_size(4))?;
    context.sync_table("Row", [""; 0]).await?;
    let (next, newest) = (Arc::new(AtomicI64::new(0)), Arc::new(AtomicI64::new(-1)));
    let ended = Arc::new(AtomicBool::new(false));
    let writers = (0..4).map(|_| {
        let (context, next, newest) = (context.clone(), Arc::clone(&next), Arc::clone(&newest));
        let ended = Arc::clone(&ended);
        tokio::spawn(async move {
            let (mut confirmed, mut failed) = (Vec::new(), BTreeMap::<&'static str, usize>::new());
            while !ended.load(Ordering::Relaxed) {
                let pair = next.fetch_add(1, Ordering::Relaxed);
                match one(&context, pair).await {
                    Ok(()) => {
                        confirmed.push(pair);
                        newest.fetch_max(pair, Ordering::Relaxed);
                    }
                    Err(error) => *failed.entry(error.kind().map_or("other", |kind| kind.name())).or_default() += 1,
                }
            }
            (confirmed, failed)
        })
    });
    let writers: Vec<_> = writers.collect();
    sleep(Duration::from_millis(500)).await;

    let stopped = server.stop()?;
    // The last of its threads stands still a little later.
    sleep(Duration::from_millis(100)).await;
    let begun = Instant::now();
    let answer = ObjectViewDao::<Row>::new(&context.create_session()?).count(()).await;
    let waited = begun.elapsed();
    holds(answer.is_err() && waited < BOUND, || format!("a stopped server, after {waited:?}: {answer:?}"))?;
    sleep(Duration::from_secs(1)).await;
    drop(stopped);

    let (begun, first) = (Instant::now(), next.load(Ordering::Relaxed));
    while newest.load(Ordering::Relaxed) < first && begun.elapsed() < BOUND {
        sleep(Duration::from_millis(1)).await;
    }
    let again = begun.elapsed();
    ended.store(true, Ordering::Relaxed);
    let (mut confirmed, mut failed) = (Vec::new(), BTreeMap::<&'static str, usize>::new());
    for writer in writers {
        let (own, others) = writer.await?;
        confirmed.extend(own);
        others.into_iter().for_each(|(kind, count)| *failed.entry(kind).or_default() += count);
    }
    let expected = ["timeout", "connect", "connection_lost", "pool_exhausted"];
    let as_expected = !failed.is_empty() && failed.keys().all(|kind| expected.contains(kind));
    holds(as_expected, || format!("{} confirmed, failed: {failed:?}", confirmed.len()))?;
    holds(confirmed.iter().any(|pair| *pair >= first), || {
        format!("nothing was confirmed in {again:?} after it went on")
    })?;
    let there = kept(&context, &confirmed).await?;
    context.close();
    Ok(format!(
        "an error after {waited:.1?}, a transaction confirmed {again:.1?} after it went on; {} confirmed, {there} there, each whole; failed: {failed:?}",
        confirmed.len()
    ))
}
