//! Batches whose rows overlap.

use isogloss::OrmError;
use isogloss::dao::ObjectDao;

use crate::place::Place;
use crate::rows::Row;
use crate::{Outcome, Scale};

const WRITERS: u64 = 8;
const ROWS: i64 = 200;

pub(super) async fn run(place: &Place, scale: &Scale) -> Outcome {
    let context = place.context(&place.url, |source| source)?;
    let mut rows: Vec<Row> = (0..ROWS).map(|id| Row { id, ..Row::default() }).collect();
    ObjectDao::<Row>::new(&context.create_session()?).batch_insert(&mut rows).await?;
    let rounds = u64::try_from(scale.rounds)? * 4;
    let writers = (0..WRITERS).map(|writer| {
        let (context, mut rows) = (context.clone(), rows.clone());
        tokio::spawn(async move {
            for round in 0..rounds {
                // Another order each time.
                let turn =
                    0x9e37_79b9_7f4a_7c15_u64.rotate_left(u32::try_from((writer * 7 + round) % 64).unwrap_or(0)) | 1;
                rows.sort_by_key(|row| row.id.unsigned_abs().wrapping_mul(turn));
                let (mine, _) = rows.split_at_mut(120);
                mine.iter_mut().for_each(|row| row.text = format!("{writer} {round}"));
                let dao = ObjectDao::<Row>::new(&context.create_session()?);
                match round % 2 {
                    0 => dao.batch_update(mine).await.map(drop)?,
                    _ => dao.batch_update_or_insert(mine).await?,
                }
            }
            Ok::<_, OrmError>(())
        })
    });
    for writer in futures_util::future::join_all(writers.collect::<Vec<_>>()).await {
        writer??;
    }
    context.close();
    Ok(format!("{}; 0", WRITERS * rounds))
}
