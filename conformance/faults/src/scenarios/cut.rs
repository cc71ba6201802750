//! Connections that are cut under load.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{Duration, Instant};

use super::{holds, kept};
use crate::child::one;
use crate::place::Place;
use crate::proxy::Proxy;
use crate::{Outcome, Scale};

/// How long it may take after the last cut until a transaction is confirmed.
const RECOVERY: Duration = Duration::from_secs(10);

pub(super) async fn run(place: &Place, scale: &Scale) -> Outcome {
    let proxy = Proxy::to(place.address()?).await?;
    let url = place.by_way_of(&proxy.address.to_string())?;
    let context = place.context(&url, |source| source.max_pool_size(8))?;
    let (next, ended) = (Arc::new(AtomicI64::new(0)), Arc::new(AtomicBool::new(false)));
    let newest = Arc::new(AtomicI64::new(-1));
    let writers = (0..12).map(|_| {
        let (context, next, ended) = (context.clone(), Arc::clone(&next), Arc::clone(&ended));
        let newest = Arc::clone(&newest);
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
    for _ in 0..scale.rounds * 4 {
        tokio::time::sleep(Duration::from_millis(150)).await;
        proxy.cut();
    }
    // What begins now has never met a cut.
    let (begun, first) = (Instant::now(), next.load(Ordering::Relaxed));
    while newest.load(Ordering::Relaxed) < first && begun.elapsed() < RECOVERY {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let again = begun.elapsed();
    ended.store(true, Ordering::Relaxed);
    let (mut confirmed, mut failed) = (Vec::new(), BTreeMap::<&'static str, usize>::new());
    for writer in futures_util::future::join_all(writers).await {
        let (own, others) = writer?;
        confirmed.extend(own);
        others.into_iter().for_each(|(kind, count)| *failed.entry(kind).or_default() += count);
    }
    let there = kept(&context, &confirmed).await?;
    context.close();
    drop(proxy);
    place.no_connections().await?;
    let only_lost = failed.keys().all(|kind| matches!(*kind, "connection_lost" | "connect"));
    let lost: usize = failed.values().sum();
    holds(only_lost && lost > 0, || format!("{} confirmed, failed: {failed:?}", confirmed.len()))?;
    holds(confirmed.iter().any(|pair| *pair >= first), || {
        format!("nothing was confirmed in {again:?} after the last cut")
    })?;
    Ok(format!(
        "{} cuts, {} confirmed, the first {again:.1?} after the last cut, {lost} told as lost, {there} there, each whole",
        scale.rounds * 4,
        confirmed.len()
    ))
}
