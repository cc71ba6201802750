//! Pages of the file are overwritten.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::{self, Seek as _, SeekFrom, Write as _};

use isogloss::dao::{ObjectDao, ObjectViewDao};
use isogloss::prelude::*;

use super::holds;
use crate::place::Place;
use crate::rows::Row;
use crate::{HANG, Outcome, Scale, settled};

/// A page of SQLite.
const PAGE: u64 = 4096;

pub(super) async fn run(place: &Place, _: &Scale) -> Outcome {
    let context = place.context(&place.url, |source| source)?;
    let mut rows: Vec<Row> = (0..20_000).flat_map(Row::pair).collect();
    ObjectDao::<Row>::new(&context.create_session()?).batch_insert(&mut rows).await?;
    context.close_and_wait(HANG).await?;
    drop(context);
    // The last connection is closed behind the caller's back, and brings the log into the file: what is overwritten before
    // that is written again.
    let log = format!("{}-wal", place.file().display());
    settled(|| async {
        if std::fs::exists(&log)? { Err(io::Error::other("the log is not brought in")) } else { Ok(()) }
    })
    .await?;

    // Behind the first pages, where the tables are named.
    let mut file = OpenOptions::new().write(true).open(place.file())?;
    let pages = file.metadata()?.len() / PAGE;
    for page in (pages / 4..pages / 2).step_by(3) {
        file.seek(SeekFrom::Start(page * PAGE))?;
        file.write_all(&[0xa5; 512])?;
    }
    drop(file);

    let context = place.context(&place.url, |source| source)?;
    let session = context.create_session()?;
    let views = ObjectViewDao::<Row>::new(&session);
    let (mut failed, mut kinds) = (0, BTreeSet::new());
    for pair in 0..2_000 {
        let first = pair * 20;
        let wanted: BTreeSet<i64> = (first..first + 20).collect();
        match views.search(from("Row").filter(prop("Id").ge(first) & prop("Id").lt(first + 20))).all().await {
            Ok(found) => {
                let whole = found.iter().all(|row| {
                    rows.binary_search_by_key(&row.id, |known| known.id).is_ok_and(|at| rows.get(at) == Some(row))
                });
                let ids: BTreeSet<i64> = found.iter().map(|row| row.id).collect();
                holds(whole && ids == wanted, || format!("rows {first} and on are wrong, and nothing was told"))?;
            }
            Err(error) => {
                failed += 1;
                kinds.insert(error.driver().and_then(|error| error.code()).unwrap_or("none").to_owned());
            }
        }
    }
    holds(failed > 0, || "nothing was found to be broken".to_owned())?;
    context.close();
    Ok(format!("2,000; {failed}, code {}; 0", Vec::from_iter(kinds).join(" or ")))
}
