//! A server that says nothing any more.

use std::time::{Duration, Instant};

use isogloss::OrmError;
use isogloss::dao::{ObjectDao, ObjectViewDao};
use isogloss::driver::{ErrorKind, TransactionOptions};
use isogloss::session::{Ending, SessionError};

use super::holds;
use crate::place::Place;
use crate::proxy::Proxy;
use crate::rows::Row;
use crate::{Outcome, Scale, settled};

/// The limit of a statement. The server has two seconds more to end it.
const LIMIT: Duration = Duration::from_millis(300);

/// How long a caller may wait then.
const BOUND: Duration = Duration::from_secs(5);

pub(super) async fn run(place: &Place, scale: &Scale) -> Outcome {
    let proxy = Proxy::to(place.address()?).await?;
    let url = place.by_way_of(&proxy.address.to_string())?;
    let context = place.context(&url, |source| source.statement_timeout(LIMIT).max_pool_size(2))?;
    let session = context.create_session()?;
    let (rows, views) = (ObjectDao::<Row>::new(&session), ObjectViewDao::<Row>::new(&session));

    let bound = scale.at_most(BOUND);
    settled(|| async { views.count(()).await }).await?;
    proxy.silence();
    let begun = Instant::now();
    let error = views.count(()).await.map(|_| "an answer").unwrap_err();
    let statement = begun.elapsed();
    holds(error.kind() == Some(ErrorKind::Timeout) && statement < bound, || format!("after {statement:?}: {error}"))?;
    proxy.heal();
    settled(|| async { views.count(()).await }).await?;

    let written = settled(|| async {
        session.begin(&TransactionOptions::default()).await?;
        let written = rows.insert(&mut Row { id: 1, ..Row::default() }).await;
        if written.is_err() {
            session.rollback().await?;
        }
        written
    });
    written.await?;
    proxy.silence();
    let begun = Instant::now();
    let error = session.commit().await.map(|()| "an answer").unwrap_err();
    let commit = begun.elapsed();
    let in_doubt = match &error {
        OrmError::Session(SessionError::Commit(ended)) => {
            matches!(ended.outcomes(), [only] if matches!(only.ending, Ending::Unknown(_)))
        }
        _ => false,
    };
    holds(in_doubt && commit < bound, || format!("COMMIT after {commit:?}: {error}"))?;
    proxy.heal();
    let begun = Instant::now();
    settled(|| async { views.count(()).await }).await?;
    let healed = begun.elapsed();
    holds(healed < bound, || format!("{healed:?} until the pool was of use again"))?;
    context.close();
    Ok(format!("{statement:.1?}; {commit:.1?}"))
}
