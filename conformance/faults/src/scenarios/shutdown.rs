//! The context is closed under load.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use isogloss::OrmError;
use isogloss::dao::ObjectDao;
use isogloss::driver::TransactionOptions;
use isogloss::session::{Purpose, SessionError};

use super::{holds, kept, number};
use crate::child::one;
use crate::place::Place;
use crate::rows::Row;
use crate::{Outcome, Scale};

/// How many transactions are confirmed when the context is closed.
const TRANSACTIONS: u64 = 100;

/// How long a shutdown may take under load.
const DRAIN: Duration = Duration::from_secs(20);

/// How long a shutdown waits for what is late.
const LIMIT: Duration = Duration::from_millis(200);

/// The transaction that is late.
const LATE: i64 = 1_000_000_000;

pub(super) async fn run(place: &Place, scale: &Scale) -> Outcome {
    let context = place.context(&place.url, |source| source)?;
    let done = Arc::new(AtomicU64::new(0));
    let writers = (0..8_i64).map(|writer| {
        let (context, done) = (context.clone(), Arc::clone(&done));
        tokio::spawn(async move {
            let mut confirmed = Vec::new();
            for pair in (writer..).step_by(8) {
                match one(&context, pair).await {
                    Ok(()) => {
                        confirmed.push(pair);
                        done.fetch_add(1, Ordering::Relaxed);
                    }
                    Err(error) => return (confirmed, error),
                }
            }
            (confirmed, SessionError::Closed.into())
        })
    });
    let writers: Vec<_> = writers.collect();
    while done.load(Ordering::Relaxed) < TRANSACTIONS {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let begun = Instant::now();
    context.close_and_wait(scale.at_most(DRAIN)).await?;
    let drained = begun.elapsed();
    let mut confirmed = Vec::new();
    for writer in writers {
        let (own, error) = writer.await?;
        confirmed.extend(own);
        holds(matches!(error, OrmError::Session(SessionError::Closed)), || format!("a writer ended with: {error}"))?;
    }
    if place.is_server() {
        place.no_connections().await?;
    }
    let again = place.context(&place.url, |source| source)?;
    let there = kept(&again, &confirmed).await?;
    again.close();
    holds(there == confirmed.len() && there > 0, || {
        format!("{there} transactions are there, {} confirmed", confirmed.len())
    })?;
    late(place, scale).await?;
    Ok(format!("{drained:.0?}; {}; 0", number(there)))
}

/// A transaction and a statement's connection outlive the limit: both are told, and the transaction can still be committed.
async fn late(place: &Place, scale: &Scale) -> Outcome<()> {
    let context = place.context(&place.url, |source| source)?;
    let (session, reader) = (context.create_session()?, context.create_session()?);
    session.begin(&TransactionOptions::default()).await?;
    let rows = ObjectDao::<Row>::new(&session);
    let [mut first, mut second] = Row::pair(LATE);
    rows.insert(&mut first).await?;
    let lease = reader.lease(None, Purpose::Read).await?;
    let told = context.close_and_wait(LIMIT).await;
    let still_open = matches!(
        &told,
        Err(OrmError::Session(SessionError::StillOpen { waited: LIMIT, transactions: 1, operations: 1 }))
    );
    holds(still_open, || format!("a transaction and a lease were open, and it was told: {told:?}"))?;
    rows.insert(&mut second).await?;
    session.commit().await?;
    drop(lease);
    context.close_and_wait(scale.at_most(LIMIT)).await?;
    if place.is_server() {
        place.no_connections().await?;
    }
    let again = place.context(&place.url, |source| source)?;
    kept(&again, &[LATE]).await?;
    again.close();
    Ok(())
}
