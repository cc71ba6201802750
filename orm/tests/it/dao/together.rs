//! Many rows by one statement: their numbers, and UPDATE of rows with values of every type.

use chrono::{DateTime, Days, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use isogloss::dao::{ObjectDao, ObjectViewDao};
use isogloss::driver::ErrorKind;
use isogloss::entity::Linked as _;
use isogloss::expr::Decimal;
use isogloss::prelude::*;
use isogloss::session::Purpose;
use isogloss::{OrmError, Session};

use super::{Mark, User, catalog, engines, user};

/// A column of each type that the engines have in common.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "wides", columns = "snake_case")]
pub(crate) struct Wide {
    #[column(primary_key, identity)]
    pub id: i64,
    #[column(length = 200)]
    pub text: String,
    #[column(length = 100_000)]
    pub long: Option<String>,
    #[column(precision = 38, scale = 10)]
    pub amount: Decimal,
    pub double: f64,
    pub single: f32,
    pub truth: Option<bool>,
    pub small: i16,
    pub large: Option<i64>,
    pub day: NaiveDate,
    pub at: NaiveDateTime,
    pub moment: Option<DateTime<Utc>>,
    pub local: DateTime<FixedOffset>,
    pub time: NaiveTime,
    pub guid: isogloss::uuid::Uuid,
    #[column(length = 100)]
    pub bytes: Vec<u8>,
    #[column(timestamp)]
    pub version: i32,
}

/// Texts that a notation could take for something of its own.
const TEXTS: [&str; 8] = [
    "",
    " blanks  ",
    "quo'te \"d\" \\ slash \\n",
    "line\nbreak\ttab\u{1}",
    "é ß 😀 \u{2028}",
    "null",
    "{\"a\":[1]}",
    "$1 ? :a %s",
];

fn wide(number: u32) -> Wide {
    let day = NaiveDate::from_ymd_opt(1, 1, 1).unwrap().checked_add_days(Days::new(u64::from(number) * 2_000)).unwrap();
    let time = NaiveTime::MIN + TimeDelta::microseconds(i64::from(number) * 86_399_999);
    let text = TEXTS[number as usize % TEXTS.len()];
    let sign = if number.is_multiple_of(2) { 1 } else { -1 };
    Wide {
        id: 0,
        text: text.to_owned(),
        long: (!number.is_multiple_of(3)).then(|| text.repeat(50)),
        amount: Decimal::new(i128::from(number) * 123_456_789_017 * sign, 8).unwrap(),
        double: f64::from(number) / 3.0 * 10_f64.powi(i32::try_from(number).unwrap() % 200 - 100),
        single: number as f32 / 7.0,
        truth: (!number.is_multiple_of(4)).then_some(number.is_multiple_of(2)),
        small: i16::MIN + i16::try_from(number).unwrap(),
        large: (!number.is_multiple_of(5)).then(|| i64::MAX - i64::from(number)),
        day,
        at: day.and_time(time),
        moment: (!number.is_multiple_of(6)).then(|| day.and_time(time).and_utc()),
        local: day.and_time(time).and_utc().with_timezone(&FixedOffset::east_opt(7_200).unwrap()),
        time,
        guid: isogloss::uuid::Uuid::from_u128(u128::from(number) * 0x0123_4567_89ab_cdef_0123_4567),
        bytes: number.to_be_bytes().repeat(3),
        version: 0,
    }
}

async fn each<F: Future<Output = ()>>(test: impl Fn(Session) -> F) {
    engines::each(catalog, &[("Wide", &[]), ("User", &[])], test).await;
}

async fn dialect(session: &Session) -> &'static str {
    session.lease(None, Purpose::Read).await.unwrap().dialect().sheet().name
}

async fn all(session: &Session) -> Vec<Wide> {
    let query = query!(|w: Wide| w.order_by(w.id));
    ObjectViewDao::<Wide>::new(session).search(query).all().await.unwrap()
}

#[tokio::test]
async fn values_of_every_type_are_updated_together() {
    each(async |session: Session| {
        let dao = ObjectDao::<Wide>::new(&session);
        let mut rows: Vec<Wide> = (0..200).map(wide).collect();
        dao.batch_insert(&mut rows).await.unwrap();
        assert_eq!(all(&session).await, rows);
        for (number, row) in (0..).zip(&mut rows) {
            *row = Wide { id: row.id, version: row.version, ..wide(number + 301) };
        }
        session.clear_sql_stack();
        assert_eq!(dao.batch_update(&mut rows).await.unwrap(), 200);
        let texts = session.sql_stack();
        let together = match dialect(&session).await {
            "postgres" => "unnest(",
            "mysql" | "mariadb" => "JSON_TABLE(",
            _ => "",
        };
        assert!(texts.iter().any(|text| text.contains(together)), "{texts:?}");
        assert!(rows.iter().all(|row| row.version == 2));
        assert_eq!(all(&session).await, rows);
        // What stays as it is counts as well.
        assert_eq!(dao.batch_update(&mut rows).await.unwrap(), 200);

        // A row of another version takes all back.
        let mut stale = rows.clone();
        stale[150].version = 7;
        stale[3].text = "lost".into();
        let error = dao.batch_update(&mut stale).await.unwrap_err();
        assert!(error.to_string().contains("in its version"), "{error}");
        assert_eq!(all(&session).await, rows);
        // What a column does not hold is told with its row.
        let mut long = rows.clone();
        long[120].text = "x".repeat(201);
        let error = dao.batch_update(&mut long).await.map(drop);
        match (dialect(&session).await, error) {
            ("sqlite", Ok(())) => return,
            (_, Err(OrmError::Row { row: 121, .. })) => {}
            (_, other) => panic!("{other:?}"),
        }
        assert_eq!(all(&session).await, rows);
        // More than a packet of MariaDB's takes.
        for row in &mut rows {
            row.long = Some("ü\"".repeat(40_000));
        }
        assert_eq!(dao.batch_update(&mut rows).await.unwrap(), 200);
        assert_eq!(all(&session).await, rows);
    })
    .await;
}

/// Two writers whose rows are of the same shards do not wait for each other in a circle.
#[tokio::test]
async fn shards_are_written_in_one_order() {
    engines::each(catalog, super::TABLES, async |session: Session| {
        let dao = ObjectDao::<Mark>::new(&session);
        let mut marks: Vec<Mark> =
            [2024, 2025].into_iter().flat_map(|year| (0..40).map(move |day| super::mark(year, day, "a", 0))).collect();
        let in_order = |what: &str| {
            let texts = session.sql_stack();
            let at = |table: &str| texts.iter().position(|text| text.contains(table));
            let (first, second) = (at("marks_2024"), at("marks_2025"));
            assert!(first.is_some() && first < second, "{what}: {texts:?}");
            session.clear_sql_stack();
        };
        marks.reverse();
        session.clear_sql_stack();
        dao.batch_insert(&mut marks).await.unwrap();
        in_order("insert");
        assert_eq!(dao.batch_update(&mut marks).await.unwrap(), 80);
        in_order("update");
        dao.batch_update_or_insert(&mut marks).await.unwrap();
        in_order("upsert");
        session.clear_sql_stack();
        assert_eq!(dao.batch_delete(&marks).await.unwrap(), 80);
        in_order("delete");
    })
    .await;
}

/// A text here, and of a type of the database's own there.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "moods", columns = "snake_case")]
struct Mood {
    #[column(primary_key)]
    id: i32,
    #[column(length = 10)]
    mood: String,
}

/// A statement that the engine never takes is tried once.
#[tokio::test]
async fn rows_that_go_one_by_one_are_not_tried_together_again() {
    let moods = || Catalog::builder().entity::<Mood>().build().unwrap();
    engines::each(moods, &[], async |session: Session| {
        if dialect(&session).await != "postgres" {
            return println!("skipped: it has no types of the database's own");
        }
        let script = "CREATE TYPE mood AS ENUM ('low', 'high'); CREATE TABLE moods (id int PRIMARY KEY, mood mood); \
                      INSERT INTO moods SELECT n, 'low' FROM generate_series(1, 100) n";
        session.lease(None, Purpose::Write).await.unwrap().script(script).await.unwrap();
        let dao = ObjectDao::<Mood>::new(&session);
        let rows = |mood: &str| (1..=100).map(|id| Mood { id, mood: mood.to_owned() }).collect::<Vec<_>>();
        for (mood, tried) in [("high", true), ("low", false), ("high", false)] {
            session.clear_sql_stack();
            assert_eq!(dao.batch_update(&mut rows(mood)).await.unwrap(), 100);
            assert_eq!(session.sql_stack().iter().any(|text| text.contains("unnest(")), tried, "{mood}");
        }
        // A row that is wrong is told, and says nothing of the statement.
        let mut wrong = rows("low");
        wrong[70].mood = "none".into();
        let error = dao.batch_update(&mut wrong).await.unwrap_err();
        assert!(matches!(error, OrmError::Row { row: 71, .. }), "{error}");
        let found = sql!("SELECT CAST(COUNT(*) AS bigint) FROM [moods] WHERE [mood] = 'high'");
        let found = ObjectViewDao::<Mood>::new(&session).search_as::<(i64,)>(found).all().await.unwrap();
        assert_eq!(found, [(100,)]);
    })
    .await;
}

/// What the texts of a batch are taken as is not said by the character set of the database.
#[tokio::test]
async fn texts_of_a_batch_keep_their_letters_in_a_database_of_another_charset() {
    each(async |session: Session| {
        if !matches!(dialect(&session).await, "mysql" | "mariadb") {
            return println!("skipped: its databases have one character set");
        }
        let lease = session.lease(None, Purpose::Write).await;
        lease.unwrap().script("ALTER DATABASE CHARACTER SET latin1").await.unwrap();
        let dao = ObjectDao::<Wide>::new(&session);
        let mut rows: Vec<Wide> = (0..100).map(wide).collect();
        dao.batch_insert(&mut rows).await.unwrap();
        for row in &mut rows {
            (row.text, row.long) = (format!("{} \u{1F600} Ж ł", row.text), Some("\u{4E2D} ő".repeat(500)));
        }
        session.clear_sql_stack();
        assert_eq!(dao.batch_update(&mut rows).await.unwrap(), 100);
        assert!(session.sql_stack().iter().any(|text| text.contains("JSON_TABLE(")));
        assert_eq!(all(&session).await, rows);
    })
    .await;
}

#[tokio::test]
async fn each_row_has_its_own_number() {
    each(async |session: Session| {
        // Beside others, who take numbers in between.
        let other = session.context().create_session().unwrap();
        let batch = async |session: &Session, name: &str| {
            let mut rows: Vec<User> = (0..12_000).map(|n| user(&format!("{name}{n}"), n)).collect();
            let inserted = ObjectDao::<User>::new(session).batch_insert(&mut rows).await;
            inserted.map(|()| rows)
        };
        let alone = dialect(&session).await == "sqlite";
        let (first, second) = if alone {
            (batch(&session, "a").await, batch(&other, "b").await)
        } else {
            tokio::join!(batch(&session, "a"), batch(&other, "b"))
        };
        let mut rows = first.unwrap();
        rows.extend(second.unwrap());
        rows.sort_by_key(|row| row.id);
        let found = ObjectViewDao::<User>::new(&session).search(query!(|u: User| u.order_by(u.id))).all().await;
        assert_eq!(found.unwrap(), rows);
        // All or none, in a transaction that goes on.
        let failed = session
            .transaction(async |session: &Session| {
                let mut few = vec![user("c", 1); 3];
                ObjectDao::<User>::new(session).batch_insert(&mut few).await?;
                let mut wrong: Vec<User> = (0..100).map(|n| user(&format!("d{n}"), n)).collect();
                wrong[70].name = "x".repeat(51);
                let failed = ObjectDao::<User>::new(session).batch_insert(&mut wrong).await;
                OrmResult::Ok((few, failed))
            })
            .await;
        let (few, failed) = failed.unwrap();
        assert!(few[0].id < few[1].id && few[1].id < few[2].id);
        if !alone {
            assert!(matches!(&failed, Err(OrmError::Row { row: 71, .. })), "{failed:?}");
            assert_eq!(failed.unwrap_err().kind(), Some(ErrorKind::BadValue));
            assert_eq!(ObjectViewDao::<User>::new(&session).count(()).await.unwrap(), 24_003);
        }
    })
    .await;
}
