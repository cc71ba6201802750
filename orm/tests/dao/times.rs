//! A time is found by what was written, whatever its column cuts off.

use chrono::{DateTime, NaiveDateTime, NaiveTime, Utc};
use isogloss::dao::{ObjectDao, ObjectViewDao, UpdateOrInsertResult};
use isogloss::prelude::*;

use super::{catalog, engines};

/// Its key and its times have fewer digits behind their seconds than Rust's.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "visits", columns = "snake_case")]
pub(crate) struct Visit {
    #[column(primary_key, precision = 0)]
    pub(crate) at: NaiveDateTime,
    #[column(precision = 3)]
    pub(crate) until: Option<NaiveDateTime>,
    #[column(precision = 0)]
    pub(crate) sent: DateTime<Utc>,
    #[column(precision = 1)]
    pub(crate) clock: NaiveTime,
    pub(crate) visits: i32,
}

fn at(second: u32) -> NaiveDateTime {
    "2024-01-31T10:20:00.999999".parse::<NaiveDateTime>().unwrap() + chrono::TimeDelta::seconds(second.into())
}

fn visit(second: u32) -> Visit {
    let at = at(second);
    Visit { at, until: Some(at), sent: at.and_utc(), clock: at.time(), visits: 1 }
}

/// What is stored of it.
fn stored(visit: &Visit) -> Visit {
    use chrono::SubsecRound as _;
    Visit {
        at: visit.at.trunc_subsecs(0),
        until: visit.until.map(|time| time.trunc_subsecs(3)),
        sent: visit.sent.trunc_subsecs(0),
        clock: visit.clock.trunc_subsecs(1),
        visits: visit.visits,
    }
}

#[tokio::test]
async fn a_row_is_found_by_the_time_that_was_written() {
    engines::each(catalog, &[("Visit", &[])], async |session| {
        let (visits, views) = (ObjectDao::<Visit>::new(&session), ObjectViewDao::<Visit>::new(&session));
        let mut one = visit(0);
        assert!(visits.insert(&mut one).await.unwrap());
        assert_eq!(views.get(one.at).await.unwrap(), Some(stored(&one)));

        let times =
            expr!(|v: Visit| v.at == one.at && v.until == one.until && v.sent == one.sent && v.clock == one.clock);
        assert_eq!(views.count(times).await.unwrap(), 1);
        assert_eq!(views.count(expr!(|v: Visit| v.at != one.at || v.until != one.until)).await.unwrap(), 0);
        assert_eq!(views.count(Visit::AT.is_in([one.at, at(7)])).await.unwrap(), 1);
        // The stored time lies before the one that was written.
        assert_eq!(views.count(expr!(|v: Visit| v.at < one.at)).await.unwrap(), 1);
        assert_eq!(views.count(expr!(|v: Visit| v.at >= one.at)).await.unwrap(), 0);

        (one.visits, one.until) = (2, Some(at(5)));
        assert!(visits.update(&mut one).await.unwrap());
        assert_eq!(views.get(one.at).await.unwrap(), Some(stored(&one)));
        let renewed = table(Visit::NAME).update([("Sent", at(9).and_utc())]).filter(Visit::AT.eq(one.at));
        assert_eq!(visits.update_where(renewed).await.unwrap(), 1);
        one.sent = at(9).and_utc();
        assert_eq!(views.get(one.at).await.unwrap(), Some(stored(&one)));
        one.visits = 3;
        assert_eq!(visits.update_or_insert(&mut one).await.unwrap(), UpdateOrInsertResult::Updated);
        assert_eq!(views.get(one.at).await.unwrap(), Some(stored(&one)));

        let mut many: Vec<Visit> = (10..50).map(visit).collect();
        visits.batch_insert(&mut many).await.unwrap();
        for visit in &mut many {
            (visit.visits, visit.until) = (4, None);
        }
        assert_eq!(visits.batch_update(&mut many).await.unwrap(), 40);
        many.extend((50..60).map(visit));
        many.iter_mut().for_each(|visit| visit.visits += 1);
        visits.batch_update_or_insert(&mut many).await.unwrap();
        assert_eq!(views.count(()).await.unwrap(), 51);
        for visit in &many {
            assert_eq!(views.get(visit.at).await.unwrap().as_ref(), Some(&stored(visit)));
        }
        assert!(visits.delete(&many[0]).await.unwrap());
        assert_eq!(visits.batch_delete(&many[1..]).await.unwrap(), 49);
        assert_eq!(views.count(()).await.unwrap(), 1);
    })
    .await;
}
