//! A time is found by what was written, whatever its column cuts off.

use chrono::{DateTime, NaiveDateTime, NaiveTime, Utc};
use isogloss::dao::{ObjectDao, ObjectViewDao, UpdateOrInsertResult};
use isogloss::entity::Linked as _;
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

/// Times, and those that are computed from them with fewer digits.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "cuts", columns = "snake_case")]
struct Cut {
    #[column(primary_key)]
    id: i32,
    fine: NaiveDateTime,
    fine_utc: DateTime<Utc>,
    fine_clock: NaiveTime,
    #[column(precision = 1)]
    one: NaiveDateTime,
    #[column(precision = 3)]
    three: NaiveDateTime,
    #[column(precision = 4)]
    four: NaiveDateTime,
    #[column(precision = 2)]
    utc: DateTime<Utc>,
    #[column(precision = 5)]
    clock: NaiveTime,
    #[column(precision = 1)]
    short_clock: NaiveTime,
}

#[tokio::test]
async fn a_computed_time_is_cut_as_one_that_is_written() {
    let catalog = || Catalog::builder().entity::<Cut>().build().unwrap();
    engines::each(catalog, &[("Cut", &[])], async |session| {
        let (cuts, views) = (ObjectDao::<Cut>::new(&session), ObjectViewDao::<Cut>::new(&session));
        let micros = [123_456, 120_456, 100_000, 120_000, 400, 0, 999_999, 123_400, 100_006];
        let time = |micros: i64| at(0) + chrono::TimeDelta::microseconds(micros - 999_999);
        let mut all: Vec<Cut> = (1..)
            .zip(micros)
            .map(|(id, micros)| {
                let fine = time(micros);
                Cut { id, fine, fine_utc: fine.and_utc(), fine_clock: fine.time(), ..Cut::default() }
            })
            .collect();
        cuts.batch_insert(&mut all).await.unwrap();
        let computed = table(Cut::NAME).update([
            ("One", prop("Fine")),
            ("Three", prop("Fine")),
            ("Four", prop("Fine")),
            ("Utc", prop("FineUtc")),
            ("Clock", prop("FineClock")),
            ("ShortClock", prop("FineClock")),
        ]);
        let computed = computed.filter(prop("Id").gt(0));
        assert_eq!(cuts.update_where(computed).await.unwrap(), 9);
        for cut in &all {
            let (id, fine) = (cut.id, cut.fine);
            let (utc, clock) = (fine.and_utc(), fine.time());
            let found = expr!(|c: Cut| c.id == id
                && c.one == fine
                && c.three == fine
                && c.four == fine
                && c.utc == utc
                && c.clock == clock
                && c.short_clock == clock);
            assert_eq!(views.count(found).await.unwrap(), 1, "{fine}: {:?}", views.get(id).await.unwrap());
        }
    })
    .await;
}
