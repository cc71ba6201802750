//! The context is closed under load.

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

/// What a shutdown waits for what is late.
const LIMIT: Duration = Duration::from_millis(200);

/// The transaction that is late.
const LATE: i64 = 1_000_000_000;

pub(super) async fn run(place: &Place, _: &Scale) -> Outcome {
    let context = place.context(&place.url, |source| source)?;
    let writers = (0..8_i64).map(|writer| {
        let context = context.clone();
        tokio::spawn(async move {
            let mut confirmed = Vec::new();
            for pair in (writer..).step_by(8) {
                match one(&context, pair).await {
                    Ok(()) => confirmed.push(pair),
                    Err(error) => return (confirmed, error),
                }
            }
            (confirmed, SessionError::Closed.into())
        })
    });
    let writers: Vec<_> = writers.collect();
    tokio::time::sleep(Duration::from_millis(500)).await;
    let begun = Instant::now();
    context.close_and_wait(Duration::from_secs(20)).await?;
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
    late(place).await?;
    Ok(format!("{drained:.0?}; {}; 0", number(there)))
}

/// A transaction and a statement's connection outlive the limit: both are told, and the transaction can still be committed.
async fn late(place: &Place) -> Outcome<()> {
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
    context.close_and_wait(LIMIT).await?;
    if place.is_server() {
        place.no_connections().await?;
    }
    let again = place.context(&place.url, |source| source)?;
    kept(&again, &[LATE]).await?;
    again.close();
    Ok(())
}
