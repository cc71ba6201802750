//! A disk without room: a database whose file may not grow.

use isogloss::dao::ObjectDao;
use isogloss::driver::ErrorKind;
use isogloss::session::Purpose;
use isogloss::{OrmError, Session};

use super::{holds, kept};
use crate::child::one;
use crate::place::Place;
use crate::rows::Row;
use crate::{Outcome, Scale};

/// More transactions than there is room for.
const MANY: i64 = 20_000;

pub(super) async fn run(place: &Place, scale: &Scale) -> Outcome {
    let context = place.context(&place.url, |source| source)?;
    let session = context.create_session()?;
    let mut confirmed = Vec::new();
    for round in 0..i64::try_from(scale.rounds)? {
        let from = round * MANY * 2;
        let mut rows: Vec<Row> = (from..from + MANY).flat_map(Row::pair).collect();
        let full = session
            .transaction(async |tx: &Session| {
                // It holds for this connection, which is closed afterwards, as one that a script has run on.
                tx.lease(None, Purpose::Write).await?.script("PRAGMA max_page_count = 60").await?;
                ObjectDao::<Row>::new(tx).batch_insert(&mut rows).await?;
                Ok::<_, OrmError>(())
            })
            .await;
        let is_told = matches!(&full, Err(error) if error.kind() == Some(ErrorKind::StorageFull));
        holds(is_told, || format!("a file that may not grow: {full:?}"))?;
        for pair in from..from + 50 {
            one(&context, pair).await?;
            confirmed.push(pair);
        }
    }
    let there = kept(&context, &confirmed).await?;
    holds(there == confirmed.len(), || format!("{there} transactions are there, {} confirmed", confirmed.len()))?;
    context.close();
    Ok(format!("{} times told as full, {there} transactions there, all confirmed, each whole", scale.rounds))
}
