//! The versions of rows: who renews them, and who sees that they are another.

use isogloss::dao::{DataDao, ObjectDao, ObjectViewDao, UpdateOrInsertResult};
use isogloss::prelude::*;
use isogloss::session::Purpose;
use isogloss::{OrmError, Session};

use crate::dao::{catalog, engines};

/// A version that the program renews, in a row that somebody else may have made without one.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "notes", columns = "snake_case")]
pub(crate) struct Note {
    #[column(primary_key)]
    pub(crate) id: i32,
    #[column(length = 20)]
    pub(crate) text: String,
    #[column(timestamp)]
    pub(crate) version: Option<i32>,
}

/// A version of a few bits.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "small", columns = "snake_case")]
pub(crate) struct Small {
    #[column(primary_key)]
    pub(crate) id: i32,
    pub(crate) size: i32,
    #[column(timestamp)]
    pub(crate) version: i16,
}

macro_rules! narrow {
    ($($name:ident, $table:literal, $ty:ty;)*) => {
        $(
            /// A version of a type whose column may hold more.
            #[derive(Debug, Clone, PartialEq, Default, Entity)]
            #[table(name = $table, columns = "snake_case")]
            pub(crate) struct $name {
                #[column(primary_key)]
                pub(crate) id: i32,
                pub(crate) size: i32,
                #[column(timestamp)]
                pub(crate) version: $ty,
            }
        )*

        #[tokio::test]
        async fn a_version_counts_no_further_than_its_field() {
            engines::each(catalog, &[$((stringify!($name), &[])),*], async |session: Session| {
                $(
                    let all = ObjectDao::<$name>::new(&session);
                    let last: $ty = <$ty as Narrow>::LAST;
                    let mut one = $name { id: 1, size: 1, version: last };
                    all.insert(&mut one).await.unwrap();
                    assert!(all.update(&mut one).await.unwrap());
                    assert_eq!(one.version, <$ty as Narrow>::ONE);
                    let values = DataDao::<$name>::new(&session);
                    values.update_all_values([("Version", <$ty as Narrow>::NUMBER)], prop("Id").eq(1)).await.unwrap();
                    assert!(values.update_values([("Size", 5)], 1).await.unwrap());
                    let read = ObjectViewDao::<$name>::new(&session).get(1).await.unwrap().unwrap();
                    assert_eq!(read.version, <$ty as Narrow>::ONE);
                    let mut many: Vec<$name> = (2..40).map(|id| $name { id, size: 1, version: last }).collect();
                    all.batch_insert(&mut many).await.unwrap();
                    all.batch_update(&mut many).await.unwrap();
                    assert!(many.iter().all(|row| row.version == <$ty as Narrow>::ONE));
                )*
            })
            .await;
        }
    };
}

trait Narrow: Sized {
    const LAST: Self;
    const ONE: Self;
    const NUMBER: i64;
}

macro_rules! last {
    ($($ty:ty)*) => {$(
        impl Narrow for $ty {
            const LAST: Self = <$ty>::MAX;
            const ONE: Self = 1;
            const NUMBER: i64 = <$ty>::MAX as i64;
        }

        impl Narrow for Option<$ty> {
            const LAST: Self = Some(<$ty>::MAX);
            const ONE: Self = Some(1);
            const NUMBER: i64 = <$ty>::MAX as i64;
        }
    )*};
}

last!(i8 u8 u16 u32);

narrow! {
    Narrow8, "narrow_8", i8;
    Narrow8Optional, "narrow_8_optional", Option<i8>;
    NarrowU8, "narrow_u8", u8;
    NarrowU16, "narrow_u16", u16;
    NarrowU32, "narrow_u32", u32;
}

/// A version that is a time.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "stamped", columns = "snake_case")]
pub(crate) struct Stamped {
    #[column(primary_key)]
    pub(crate) id: i32,
    #[column(length = 20)]
    pub(crate) text: String,
    #[column(timestamp)]
    pub(crate) changed: chrono::NaiveDateTime,
}

/// A version that a trigger of the database renews.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "made", columns = "snake_case")]
pub(crate) struct Made {
    #[column(primary_key, identity)]
    pub(crate) id: i64,
    #[column(length = 20)]
    pub(crate) text: String,
    #[column(timestamp, mode = read, default = "7")]
    pub(crate) version: i32,
}

/// No version: the last to write wins.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "plain_rows", columns = "snake_case")]
pub(crate) struct Plain {
    #[column(primary_key)]
    pub(crate) id: i32,
    #[column(length = 20)]
    pub(crate) text: String,
}

const TABLES: &[(&str, &[&str])] = &[("Note", &[]), ("Small", &[]), ("Stamped", &[]), ("Made", &[]), ("Plain", &[])];

async fn each<F: Future<Output = ()>>(test: impl Fn(Session) -> F) {
    engines::each(catalog, TABLES, test).await;
}

#[tokio::test]
async fn a_version_that_is_null_is_renewed() {
    each(async |session: Session| {
        let notes = ObjectDao::<Note>::new(&session);
        // As another program makes them.
        let mut lease = session.lease(None, Purpose::Write).await.unwrap();
        lease.script("INSERT INTO notes (id, text) VALUES (1, 'a'), (2, 'b')").await.unwrap();
        drop(lease);
        let mut mine = Note { id: 1, text: "a".into(), version: None };
        let mut theirs = mine.clone();
        assert!(notes.update(&mut mine).await.unwrap());
        assert_eq!(mine.version, Some(1));
        assert!(!notes.update(&mut theirs).await.unwrap());

        // Beside one that is not.
        let mut both = vec![mine, Note { id: 2, text: "b".into(), version: None }];
        assert_eq!(notes.batch_update(&mut both).await.unwrap(), 2);
        assert_eq!((both[0].version, both[1].version), (Some(2), Some(1)));
    })
    .await;
}

/// Two that have seen no row and both write one: the second does not overwrite the first, whatever a default version is.
#[tokio::test]
async fn a_row_that_was_never_read_is_not_overwritten() {
    each(async |session: Session| {
        let other = session.context().create_session().unwrap();
        let (ours, theirs) = (ObjectDao::<Small>::new(&session), ObjectDao::<Small>::new(&other));
        let (mut mine, mut late) = (Small { id: 1, size: 1, version: 0 }, Small { id: 1, size: 2, version: 0 });
        assert_eq!(ours.update_or_insert(&mut mine).await.unwrap(), UpdateOrInsertResult::Inserted);
        assert_eq!(theirs.update_or_insert(&mut late).await.unwrap(), UpdateOrInsertResult::Failed);
        assert_eq!((mine.version, late.version), (1, 0));
        assert_eq!(ours.update_or_insert(&mut mine).await.unwrap(), UpdateOrInsertResult::Updated);
        assert_eq!(mine.version, 2);

        let (notes, stamped) = (ObjectDao::<Note>::new(&session), ObjectDao::<Stamped>::new(&session));
        let note = Note { id: 1, ..Note::default() };
        let stamp = Stamped { id: 1, ..Stamped::default() };
        notes.insert(&mut note.clone()).await.unwrap();
        stamped.insert(&mut stamp.clone()).await.unwrap();
        assert_eq!(notes.update_or_insert(&mut note.clone()).await.unwrap(), UpdateOrInsertResult::Failed);
        assert_eq!(stamped.update_or_insert(&mut stamp.clone()).await.unwrap(), UpdateOrInsertResult::Failed);

        // Nor one that somebody else has inserted, by the version that it has by default.
        let mut lease = session.lease(None, Purpose::Write).await.unwrap();
        lease.script("INSERT INTO small (id, size, version) VALUES (900, 5, 0)").await.unwrap();
        drop(lease);
        let unread = Small { id: 900, size: 7, version: 0 };
        assert_eq!(ours.update_or_insert(&mut unread.clone()).await.unwrap(), UpdateOrInsertResult::Failed);
        let error = ours.batch_update_or_insert(&mut [unread]).await.unwrap_err();
        assert!(matches!(error, OrmError::Row { row: 1, .. }), "{error}");
        assert!(error.to_string().contains("it is there, and the entity says no version: read it first"), "{error}");
        let mut read = ObjectViewDao::<Small>::new(&session).get(900).await.unwrap().unwrap();
        assert_eq!(read.size, 5);
        assert!(ours.update(&mut read).await.unwrap());
        assert_eq!(ours.update_or_insert(&mut read).await.unwrap(), UpdateOrInsertResult::Updated);

        // In batches, too: the whole is taken back.
        let mut many: Vec<Small> = (1..40).map(|id| Small { id: id + 1, size: 1, version: 0 }).collect();
        ours.batch_insert(&mut many).await.unwrap();
        assert!(many.iter().all(|small| small.version == 1));
        let mut again: Vec<Small> = (30..60).map(|id| Small { id, size: 9, version: 0 }).collect();
        theirs.batch_update_or_insert(&mut again).await.unwrap_err();
        let written = ObjectViewDao::<Small>::new(&session);
        assert_eq!(written.count(expr!(|s: Small| s.size == 9)).await.unwrap(), 0);
        assert_eq!(ours.batch_update(&mut many).await.unwrap(), 39);
        // What a program says itself is written as it is.
        let mut own = Small { id: 100, size: 1, version: 40 };
        ours.insert(&mut own).await.unwrap();
        assert_eq!((own.version, written.get(100).await.unwrap().unwrap().version), (40, 40));
    })
    .await;
}

/// Writers whose rows overlap, each in an order of its own.
#[tokio::test]
async fn batches_that_overlap_all_succeed() {
    engines::each(catalog, TABLES, async |session: Session| {
        let context = session.context();
        let mut rows: Vec<Small> = (1..=200).map(|id| Small { id, size: 0, version: 7 }).collect();
        ObjectDao::<Small>::new(&session).batch_insert(&mut rows).await.unwrap();
        let mut plain: Vec<Plain> = (1..=200).map(|id| Plain { id, text: "a".into() }).collect();
        ObjectDao::<Plain>::new(&session).batch_insert(&mut plain).await.unwrap();
        let writers = (0..8_u64).map(|writer| {
            let (context, mut plain) = (context.clone(), plain.clone());
            tokio::spawn(async move {
                for round in 0..6_u64 {
                    // Any order that is another one each time.
                    plain.sort_by_key(|row| {
                        u64::from(row.id.unsigned_abs()).wrapping_mul(0x9e37_79b9_7f4a_7c15 ^ (writer << 7) ^ round)
                    });
                    let mine = &mut plain[..120];
                    mine.iter_mut().for_each(|row| row.text = format!("{writer} {round}"));
                    let rows = ObjectDao::<Plain>::new(&context.create_session()?);
                    match round % 3 {
                        0 => assert_eq!(rows.batch_update(mine).await?, 120),
                        1 => rows.batch_update_or_insert(mine).await?,
                        _ => {
                            let few = &mut mine[..12];
                            assert_eq!(rows.batch_update(few).await?, 12);
                        }
                    }
                }
                Ok::<_, OrmError>(())
            })
        });
        for done in futures_util::future::join_all(writers).await {
            done.unwrap().unwrap();
        }
    })
    .await;
}

#[tokio::test]
async fn a_version_begins_again_at_the_end_of_its_type() {
    each(async |session: Session| {
        let all = ObjectDao::<Small>::new(&session);
        let mut one = Small { id: 1, size: 1, version: i16::MAX };
        all.insert(&mut one).await.unwrap();
        assert!(all.update(&mut one).await.unwrap());
        assert_eq!(one.version, 1);
        assert!(all.update(&mut one).await.unwrap());
        assert_eq!(one.version, 2);
        assert!(all.update_if(&mut one, 2).await.unwrap());
        let values = DataDao::<Small>::new(&session);
        assert_eq!(values.update_all_values([("Version", i16::MAX)], prop("Id").eq(1)).await.unwrap(), 1);
        assert!(values.update_values([("Size", 5)], 1).await.unwrap());
        assert_eq!(ObjectViewDao::<Small>::new(&session).get(1).await.unwrap().unwrap().version, 1);
        let error = all.update_if(&mut one, "a").await.unwrap_err();
        assert!(matches!(error, OrmError::Field(_)), "{error}");
        assert_eq!(error.to_string(), "`Small.Version` is a version of type Int16: give one of that type");
    })
    .await;
}

#[tokio::test]
async fn an_update_of_several_rows_renews_their_versions() {
    each(async |session: Session| {
        let notes = ObjectDao::<Note>::new(&session);
        let mut note = Note { id: 1, text: "a".into(), version: None };
        notes.insert(&mut note).await.unwrap();
        assert_eq!(note.version, Some(1));
        let version = async || ObjectViewDao::<Note>::new(&session).get(1).await.unwrap().unwrap().version;
        let update = table("Note").update([("Text", "b")]).filter(prop("Id").eq(1));
        assert_eq!(notes.update_where(update).await.unwrap(), 1);
        assert_eq!(version().await, Some(2));
        let values = DataDao::<Note>::new(&session);
        assert!(values.update_values([("Text", "c")], 1).await.unwrap());
        assert_eq!(version().await, Some(3));
        assert!(!notes.update(&mut note).await.unwrap(), "what it has read is changed");
        // One that is given is the one that it gets.
        assert_eq!(values.update_all_values([("version", 40)], prop("Id").eq(1)).await.unwrap(), 1);
        assert_eq!(version().await, Some(40));

        let stamped = ObjectDao::<Stamped>::new(&session);
        let mut one = Stamped { id: 1, ..Stamped::default() };
        stamped.insert(&mut one).await.unwrap();
        let mut other = one.clone();
        let values = DataDao::<Stamped>::new(&session);
        assert!(values.update_values([("Text", "b")], 1).await.unwrap());
        assert!(!stamped.update(&mut one).await.unwrap());
        other = ObjectViewDao::<Stamped>::new(&session).get(other.id).await.unwrap().unwrap();
        assert!(stamped.update(&mut other).await.unwrap());
    })
    .await;
}

#[tokio::test]
async fn a_version_that_the_database_makes_is_read_back() {
    each(async |session: Session| {
        let mut lease = session.lease(None, Purpose::Write).await.unwrap();
        let triggers = match lease.dialect().sheet().name {
            "postgres" => vec![
                "CREATE FUNCTION grown() RETURNS trigger LANGUAGE plpgsql AS \
                 'BEGIN NEW.version := OLD.version + 1; RETURN NEW; END'",
                "CREATE TRIGGER grown BEFORE UPDATE ON made FOR EACH ROW EXECUTE FUNCTION grown()",
            ],
            "sqlite" => vec![
                "CREATE TRIGGER grown AFTER UPDATE OF text ON made BEGIN \
                 UPDATE made SET version = OLD.version + 1 WHERE id = NEW.id; END",
            ],
            _ => vec!["CREATE TRIGGER grown BEFORE UPDATE ON made FOR EACH ROW SET NEW.version = OLD.version + 1"],
        };
        for trigger in triggers {
            lease.script(trigger).await.unwrap();
        }
        drop(lease);
        let all = ObjectDao::<Made>::new(&session);
        let mut one = Made { id: 0, text: "a".into(), version: 0 };
        all.insert(&mut one).await.unwrap();
        assert_eq!((one.id, one.version), (1, 7));
        let mut other = Made { text: "b".into(), ..Made::default() };
        all.update_or_insert(&mut other).await.unwrap();
        assert_eq!((other.id, other.version), (2, 7));
        let mut stale = one.clone();
        for version in [8, 9] {
            one.text.push('b');
            assert!(all.update(&mut one).await.unwrap());
            assert_eq!(one.version, version);
        }
        assert!(!all.update(&mut stale).await.unwrap());
        assert_eq!((stale.version, session.depth()), (7, 0));
        assert_eq!(ObjectViewDao::<Made>::new(&session).get(1).await.unwrap(), Some(one));

        // So it is in batches of any size.
        let mut many: Vec<Made> = (0..1_100).map(|n| Made { text: format!("t{n}"), ..Made::default() }).collect();
        all.batch_insert(&mut many).await.unwrap();
        assert!(many.iter().all(|made| made.version == 7));
        many.iter_mut().for_each(|made| made.text.push('!'));
        assert_eq!(all.batch_update(&mut many).await.unwrap(), 1_100);
        assert!(many.iter().all(|made| made.version == 8));
        many.truncate(20);
        many.push(Made { text: "new".into(), ..Made::default() });
        many[0].text.push('?');
        all.batch_update_or_insert(&mut many).await.unwrap();
        assert_eq!((many[0].version, many[20].version, many[20].id > 0), (9, 7, true));
        let error = all.batch_update(&mut [Made { version: 1, ..many[3].clone() }]).await.unwrap_err();
        assert!(error.to_string().contains("in its version"), "{error}");
    })
    .await;
}
