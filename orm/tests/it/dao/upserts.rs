//! Many rows at once, of which some are there.

use chrono::{Days, NaiveDate};
use isogloss::dao::{ObjectDao, ObjectViewDao, UpdateOrInsertResult};
use isogloss::driver::ErrorKind;
use isogloss::entity::Table;
use isogloss::prelude::*;
use isogloss::session::Purpose;
use isogloss::{OrmError, Session};

use super::{Department, catalog, department, engines};

/// Columns of many types, one of them unique beside the key.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "prices", columns = "snake_case")]
pub(crate) struct Price {
    #[column(primary_key, length = 20)]
    pub code: String,
    #[column(primary_key)]
    pub day: NaiveDate,
    #[column(unique)]
    pub number: i64,
    pub amount: f64,
    pub open: Option<bool>,
    #[column(length = 50)]
    pub note: Option<String>,
    #[column(length = 20)]
    pub mark: Vec<u8>,
    /// It may be missing in the program, and not in the table.
    #[column(not_null)]
    pub rank: Option<i32>,
}

fn price(number: u16) -> Price {
    let first = NaiveDate::from_ymd_opt(2024, 1, 1).unwrap();
    Price {
        code: format!("C{}", number % 7),
        day: first.checked_add_days(Days::new(number.into())).unwrap(),
        number: number.into(),
        amount: f64::from(number) / 8.0,
        open: (!number.is_multiple_of(3)).then_some(number.is_multiple_of(2)),
        note: (!number.is_multiple_of(5)).then(|| format!("note {number}, \"quoted\" {{}} \\")),
        mark: number.to_be_bytes().into(),
        rank: Some(number.into()),
    }
}

async fn each<F: Future<Output = ()>>(test: impl Fn(Session) -> F) {
    engines::each(catalog, &[("Price", &[])], test).await;
}

async fn is_postgres(session: &Session) -> bool {
    session.lease(None, Purpose::Read).await.unwrap().dialect().sheet().name == "postgres"
}

async fn all(session: &Session) -> Vec<Price> {
    let query = query!(|p: Price| p.order_by(p.number));
    ObjectViewDao::<Price>::new(session).search(query).all().await.unwrap()
}

#[tokio::test]
async fn rows_of_all_types_are_written_over_those_that_are_there() {
    each(async |session: Session| {
        let prices = ObjectDao::<Price>::new(&session);
        let mut rows: Vec<Price> = (0..500).map(price).collect();
        prices.batch_update_or_insert(&mut rows).await.unwrap();
        assert_eq!(all(&session).await, rows);

        for row in rows.iter_mut().skip(250) {
            (row.amount, row.note, row.open) = (-row.amount, Some("new".into()), None);
        }
        rows.extend((500..1_000).map(price));
        session.clear_sql_stack();
        prices.batch_update_or_insert(&mut rows).await.unwrap();
        let texts = session.sql_stack();
        assert_eq!(all(&session).await, rows);
        if is_postgres(&session).await {
            assert_eq!(texts.len(), 1, "{texts:?}");
            assert!(
                texts[0].contains(") SELECT given_rows.value_1, ") && texts[0].contains(" FROM unnest("),
                "{texts:?}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn a_key_that_a_batch_has_twice_is_an_error() {
    each(async |session: Session| {
        let prices = ObjectDao::<Price>::new(&session);
        for count in [2, 40, 900] {
            let mut rows: Vec<Price> = (0..count).map(price).collect();
            rows.push(Price { number: 5_000, ..price(1) });
            let error = prices.batch_update_or_insert(&mut rows).await.unwrap_err();
            assert!(error.to_string().contains("the same key") || error.to_string().contains("another row"), "{error}");
            assert_eq!(all(&session).await, [], "{count}");
        }
    })
    .await;
}

#[tokio::test]
async fn the_row_that_an_upsert_fails_by_is_said() {
    each(async |session: Session| {
        let prices = ObjectDao::<Price>::new(&session);
        prices.insert(&mut Price { code: "other".into(), ..price(0) }).await.unwrap();
        let mut rows: Vec<Price> = (1..800).map(price).collect();
        rows[600].number = 0;
        let error = prices.batch_update_or_insert(&mut rows).await.unwrap_err();
        assert!(matches!(error, OrmError::Row { row: 601, .. }), "{error}");
        assert_eq!(all(&session).await.len(), 1);

        rows[600].number = 601;
        rows[401].rank = None;
        let error = prices.batch_update_or_insert(&mut rows).await.unwrap_err();
        assert!(matches!(error, OrmError::Row { row: 402, .. }), "{error}");
        rows[401].rank = Some(402);
        rows[77].note = Some("x".repeat(51));
        let written = prices.batch_update_or_insert(&mut rows).await;
        if is_postgres(&session).await {
            let error = written.unwrap_err();
            assert!(matches!(error.kind(), Some(ErrorKind::BadValue)), "{error:?}");
            assert!(matches!(error, OrmError::Row { row: 78, .. }), "{error}");
        }
    })
    .await;
}

/// What one statement of all rows would not take, others do.
#[tokio::test]
async fn a_column_that_takes_no_array_of_texts() {
    each(async |session: Session| {
        let prices = ObjectDao::<Price>::new(&session);
        if is_postgres(&session).await {
            let mut lease = session.lease(None, Purpose::Write).await.unwrap();
            let to_json = "ALTER TABLE prices ALTER COLUMN note TYPE jsonb USING to_jsonb(note)";
            lease.script(to_json).await.unwrap();
            drop(lease);
            let mut rows: Vec<Price> = (1..200).map(|n| Price { note: Some(format!("[{n}]")), ..price(n) }).collect();
            prices.batch_update_or_insert(&mut rows).await.unwrap();
            let count = sql!("SELECT COUNT(*) FROM [prices] WHERE [note] = '[7]'");
            let count = ObjectViewDao::<Price>::new(&session).search_as::<(i64,)>(count);
            assert_eq!(count.all().await.unwrap(), [(1,)]);
        } else {
            println!("skipped: it has no arrays");
        }
    })
    .await;
}

/// What is missing is found before anything is sent, and what is there twice by the engine.
#[tokio::test]
async fn of_two_rows_that_fail_one_is_said_with_its_own_error() {
    each(async |session: Session| {
        let prices = ObjectDao::<Price>::new(&session);
        prices.insert(&mut Price { code: "other".into(), ..price(0) }).await.unwrap();
        let mut rows: Vec<Price> = (1..40).map(price).collect();
        rows[5].number = 0;
        rows[8].rank = None;
        let error = prices.batch_update_or_insert(&mut rows).await.unwrap_err();
        let OrmError::Row { row, .. } = &error else { panic!("{error}") };
        match *row {
            6 => assert!(error.is_unique_violation(), "{error}"),
            9 => assert!(error.to_string().contains("never NULL"), "{error}"),
            _ => panic!("{error}"),
        }
        // Two of one kind: the first is said.
        (rows[8].rank, rows[8].number) = (Some(1), 0);
        let error = prices.batch_update_or_insert(&mut rows).await.unwrap_err();
        assert!(matches!(error, OrmError::Row { row: 6, .. }) && error.is_unique_violation(), "{error}");
    })
    .await;
}

/// Somebody deletes and inserts a row over and over, while another session upserts it, in a transaction or not: that it is
/// there is nobody's error.
async fn comes_and_goes<T: Table + Clone>(tables: &[(&str, &[&str])], row: T) {
    let test = async |session: Session| {
        for in_transaction in [false, true] {
            let (other, mut row) = (session.context().create_session().unwrap(), row.clone());
            let mut theirs = row.clone();
            let comes_and_goes = tokio::spawn(async move {
                let rows = ObjectDao::<T>::new(&other);
                for _ in 0..200 {
                    let done = match rows.delete(&theirs).await {
                        Ok(_) => rows.insert(&mut theirs).await.map(drop),
                        Err(error) => Err(error),
                    };
                    // The upsert was first, or they got in each other's way.
                    assert!(done.as_ref().err().is_none_or(|e| e.is_unique_violation() || e.is_conflict()), "{done:?}");
                }
            });
            let mut written = 0;
            while !comes_and_goes.is_finished() {
                let done = match in_transaction {
                    true => session.transaction(async |tx| ObjectDao::new(tx).update_or_insert(&mut row).await).await,
                    false => ObjectDao::new(&session).update_or_insert(&mut row).await,
                };
                match done {
                    Ok(UpdateOrInsertResult::Failed) => panic!("no version or filter keeps it from being written"),
                    Ok(_) => written += 1,
                    Err(error) => assert!(error.is_conflict(), "{written}, {in_transaction}: {error:?}"),
                }
            }
            comes_and_goes.await.unwrap();
            assert!(written > 0);
        }
    };
    engines::each(catalog, tables, test).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_row_that_comes_and_goes_is_updated_or_inserted() {
    comes_and_goes(&[("Price", &[])], price(1)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn so_is_one_with_a_fixed_filter() {
    comes_and_goes(&[("Department", &[])], department(1, "one")).await;
}

/// Beside others who insert it, none deletes it: each finds it in the end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_inserts_a_row_with_a_fixed_filter_last_writes_it() {
    let test = async |session: Session| {
        for id in 0..60 {
            let one = |writer: i32| {
                let session = session.context().create_session().unwrap();
                let mut row = department(id, &format!("{id}"));
                tokio::spawn(async move {
                    let done = ObjectDao::<Department>::new(&session).update_or_insert(&mut row).await;
                    (writer, done)
                })
            };
            for writes in futures_util::future::join_all((0..3).map(one)).await {
                let (writer, done) = writes.unwrap();
                match done {
                    Ok(done) => assert_ne!(done, UpdateOrInsertResult::Failed, "{writer} of {id}"),
                    Err(error) => assert!(error.is_conflict(), "{writer} of {id}: {error:?}"),
                }
            }
        }
    };
    engines::each(catalog, &[("Department", &[])], test).await;
}

#[tokio::test]
async fn a_row_outside_of_the_fixed_filter_stays_as_it_is() {
    let test = async |session: Session| {
        let sql = "INSERT INTO departments (id, name, open) VALUES (1, 'closed', FALSE)";
        session.lease(None, Purpose::Write).await.unwrap().script(sql).await.unwrap();
        let done = ObjectDao::<Department>::new(&session).update_or_insert(&mut department(1, "one")).await;
        assert_eq!(done.unwrap(), UpdateOrInsertResult::Failed);
        let in_transaction = session.transaction(async |tx: &Session| {
            ObjectDao::<Department>::new(tx).batch_update_or_insert(&mut [department(1, "one")]).await
        });
        let error = in_transaction.await.unwrap_err();
        assert!(error.to_string().contains("outside of the fixed filter"), "{error}");
    };
    engines::each(catalog, &[("Department", &[])], test).await;
}

/// Another key that is violated is an error, whether or not the table has the entity's key as one.
#[tokio::test]
async fn another_key_that_an_upsert_violates_is_told() {
    each(async |session: Session| {
        let prices = ObjectDao::<Price>::new(&session);
        prices.insert(&mut Price { code: "other".into(), ..price(2) }).await.unwrap();
        let violates = async |what: &str| {
            let error = prices.update_or_insert(&mut price(2)).await.unwrap_err();
            assert!(error.is_unique_violation(), "{what}: {error}");
        };
        violates("alone").await;
        let tx = session.transaction(async |_: &Session| {
            violates("in a transaction").await;
            prices.update_or_insert(&mut price(3)).await
        });
        assert_eq!(tx.await.unwrap(), UpdateOrInsertResult::Inserted);
        assert_eq!(all(&session).await.len(), 2);
        if is_postgres(&session).await {
            let mut lease = session.lease(None, Purpose::Write).await.unwrap();
            lease.script("ALTER TABLE prices DROP CONSTRAINT prices_pkey").await.unwrap();
            drop(lease);
            violates("without its own key").await;
        }
    })
    .await;
}
