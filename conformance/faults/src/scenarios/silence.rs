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
use crate::{Outcome, Scale};

/// The limit of a statement. The server has two seconds more to end it.
const LIMIT: Duration = Duration::from_millis(300);

/// How long a caller may wait then, with what a busy machine adds.
const BOUND: Duration = Duration::from_secs(5);

pub(super) async fn run(place: &Place, _: &Scale) -> Outcome {
    let proxy = Proxy::to(place.address()?).await?;
    let url = place.by_way_of(&proxy.address.to_string())?;
    let context = place.context(&url, |source| source.statement_timeout(LIMIT).max_pool_size(2))?;
    let session = context.create_session()?;
    let (rows, views) = (ObjectDao::<Row>::new(&session), ObjectViewDao::<Row>::new(&session));

    views.count(()).await?;
    proxy.silence();
    let begun = Instant::now();
    let error = views.count(()).await.map(|_| "an answer").unwrap_err();
    let statement = begun.elapsed();
    holds(error.kind() == Some(ErrorKind::Timeout) && statement < BOUND, || format!("after {statement:?}: {error}"))?;
    proxy.heal();
    views.count(()).await?;

    session.begin(&TransactionOptions::default()).await?;
    rows.insert(&mut Row { id: 1, ..Row::default() }).await?;
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
    holds(in_doubt && commit < BOUND, || format!("COMMIT after {commit:?}: {error}"))?;
    proxy.heal();
    let begun = Instant::now();
    views.count(()).await?;
    let healed = begun.elapsed();
    holds(healed < BOUND, || format!("{healed:?} until the pool was of use again"))?;
    context.close();
    Ok(format!("{statement:.1?}; {commit:.1?}"))
}
