//! A stream of which a little comes, and then nothing.

use std::pin::pin;
use std::time::{Duration, Instant};

use futures_util::TryStreamExt as _;
use isogloss::dao::{ObjectDao, ObjectViewDao};
use isogloss::driver::ErrorKind;

use super::holds;
use crate::place::Place;
use crate::proxy::Proxy;
use crate::rows::Row;
use crate::{Outcome, Scale, settled};

/// The limit of the wait for rows. The server has two seconds more.
const LIMIT: Duration = Duration::from_millis(300);

/// How many bytes of the answer come: some rows, and fewer than are read at once.
const BYTES: usize = 600;

pub(super) async fn run(place: &Place, _: &Scale) -> Outcome {
    let proxy = Proxy::to(place.address()?).await?;
    let mut url = place.by_way_of(&proxy.address.to_string())?;
    if place.provider == "mysql" {
        // Of an encrypted answer nothing can be read before the whole block is there.
        url.push_str("?tls=off");
    }
    let context = place.context(&url, |source| source.statement_timeout(LIMIT).max_pool_size(1))?;
    let session = context.create_session()?;
    settled(|| async {
        let mut rows: Vec<Row> = (0..100).flat_map(Row::pair).collect();
        ObjectDao::<Row>::new(&session).batch_insert(&mut rows).await
    })
    .await?;
    let views = ObjectViewDao::<Row>::new(&session);
    let read = async || {
        let (mut count, mut rows) = (0, pin!(views.search(()).stream()));
        loop {
            match rows.try_next().await {
                Ok(Some(_)) => count += 1,
                ended => return (count, ended.map(drop)),
            }
        }
    };
    // It is prepared, and the server knows the limit.
    settled(|| async { read().await.1 }).await?;
    proxy.allow(BYTES);
    let begun = Instant::now();
    let (count, ended) = read().await;
    let took = begun.elapsed();
    let is_late = matches!(&ended, Err(error) if error.kind() == Some(ErrorKind::Timeout));
    holds(is_late && count > 0, || format!("{count} rows, and then {ended:?}"))?;
    context.close();
    Ok(format!("{count}; {took:.1?}"))
}
