//! Two processes read and write one row.

use isogloss::dao::{ObjectDao, ObjectViewDao};
use tokio::process::Command;

use super::holds;
use crate::place::Place;
use crate::rows::Row;
use crate::{Outcome, Scale};

const PROCESSES: i64 = 2;

pub(super) async fn run(place: &Place, scale: &Scale) -> Outcome {
    let times = i64::try_from(scale.rounds)? * 20;
    let context = place.context(&place.url, |source| source)?;
    let session = context.create_session()?;
    ObjectDao::<Row>::new(&session).insert(&mut Row { id: 1, ..Row::default() }).await?;
    let children = (0..PROCESSES).map(|_| {
        let mut child = Command::new(&scale.program);
        child.args(["--child", "count", &place.provider, &place.url, &times.to_string()]).kill_on_drop(true);
        child.status()
    });
    for status in futures_util::future::join_all(children.collect::<Vec<_>>()).await {
        let status = status?;
        holds(status.success(), || format!("a process ended with {status}"))?;
    }
    let row = ObjectViewDao::<Row>::new(&session).get(1).await?.unwrap_or_default();
    holds(row.pair == PROCESSES * times, || format!("{} updates, {} counted", PROCESSES * times, row.pair))?;
    context.close();
    Ok(format!("{}; 0", row.pair))
}
