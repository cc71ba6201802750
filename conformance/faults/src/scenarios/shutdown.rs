//! The context is closed under load.

use std::time::{Duration, Instant};

use isogloss::OrmError;
use isogloss::session::SessionError;

use super::{holds, kept};
use crate::child::one;
use crate::place::Place;
use crate::{Outcome, Scale};

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
    holds(there == confirmed.len(), || format!("{there} transactions are there, {} confirmed", confirmed.len()))?;
    Ok(format!("drained in {drained:.1?}, {there} transactions, all confirmed"))
}
