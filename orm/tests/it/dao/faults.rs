//! What fails in the middle: an error of its kind, and nothing is written.

use futures_util::StreamExt as _;
use isogloss::dao::{ObjectDao, ObjectViewDao};
use isogloss::driver::ErrorKind;
use isogloss::expr::from_args;
use isogloss::prelude::*;
use isogloss::session::Purpose;
use isogloss::{OrmError, Session};

use super::{Department, Mark, User, catalog, department, each, engines, mark, user};

async fn engine(session: &Session) -> &'static str {
    session.lease(None, Purpose::Read).await.unwrap().dialect().sheet().name
}

async fn script(session: &Session, sql: &str) {
    session.lease(None, Purpose::Write).await.unwrap().script(sql).await.unwrap();
}

/// A database, or a table, that takes so much and no more. PostgreSQL has no such limit but the disk's own, and the tables
/// of memory that MySQL limits take nothing back.
#[tokio::test]
async fn a_full_disk_is_told() {
    each(async |session: Session| {
        let many = || (0..40_000).map(|n| user(&format!("a name that takes its room {n}"), n)).collect::<Vec<User>>();
        let views = ObjectViewDao::<User>::new(&session);
        let full = match engine(&session).await {
            "postgres" => return println!("skipped: only its disk limits it"),
            "sqlite" => {
                session
                    .transaction(async |tx: &Session| {
                        tx.lease(None, Purpose::Write).await?.script("PRAGMA max_page_count = 60").await?;
                        ObjectDao::<User>::new(tx).batch_insert(&mut many()).await
                    })
                    .await
            }
            _ => {
                script(&session, "ALTER TABLE users ENGINE = MEMORY, MAX_ROWS = 50").await;
                ObjectDao::<User>::new(&session).batch_insert(&mut many()).await
            }
        };
        let error = full.unwrap_err();
        assert_eq!(error.kind(), Some(ErrorKind::StorageFull), "{error}");
        if engine(&session).await == "sqlite" {
            assert_eq!(views.count(()).await.unwrap(), 0);
        }
    })
    .await;
}

/// The server ends the connection at a row. The session takes another for what comes next.
#[tokio::test]
async fn a_connection_that_is_lost_in_a_batch_is_told_and_nothing_is_written() {
    each(async |session: Session| {
        if engine(&session).await != "postgres" {
            return println!("skipped: no trigger ends its connection");
        }
        script(
            &session,
            "CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             IF NEW.name = 'cut' THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF; RETURN NEW; END $$; \
             CREATE TRIGGER cut BEFORE INSERT OR UPDATE ON departments FOR EACH ROW EXECUTE FUNCTION cut()",
        )
        .await;
        let departments = ObjectDao::<Department>::new(&session);
        let views = ObjectViewDao::<Department>::new(&session);
        let mut many: Vec<Department> = (0..5_000).map(|n| department(n, &format!("D{n}"))).collect();
        many[4_000].name = "cut".into();
        for _ in 0..2 {
            let error = departments.batch_insert(&mut many).await.unwrap_err();
            assert_eq!(error.kind(), Some(ErrorKind::ConnectionLost), "{error}");
            assert_eq!((session.depth(), views.count(()).await.unwrap()), (0, 0));
        }
        let lost: Result<(), OrmError> = session
            .transaction(async |tx: &Session| {
                ObjectDao::new(tx).insert(&mut department(9_000, "first")).await?;
                ObjectDao::new(tx).batch_insert(&mut many).await
            })
            .await;
        assert_eq!(lost.unwrap_err().kind(), Some(ErrorKind::ConnectionLost));
        assert_eq!((session.depth(), views.count(()).await.unwrap()), (0, 0));
        many[4_000].name = "D4000".into();
        departments.batch_insert(&mut many).await.unwrap();
        // So it is in a stream: what comes next has a connection that lives.
        let cut = sql!("SELECT [id] FROM [departments] WHERE [id] < 3000 OR pg_terminate_backend(pg_backend_pid())");
        let rows = views.search_as::<(i32,)>(cut).stream();
        let rows: Vec<_> = rows.collect().await;
        assert!(rows.last().is_some_and(Result::is_err), "{rows:?}");
        assert_eq!(views.count(()).await.unwrap(), 5_000);
        many.iter_mut().for_each(|department| department.name.push('!'));
        many[30].name = "cut".into();
        let error = departments.batch_update(&mut many).await.unwrap_err();
        assert_eq!(error.kind(), Some(ErrorKind::ConnectionLost), "{error}");
        assert_eq!(views.count(prop("Name").ends_with("!")).await.unwrap(), 0);
    })
    .await;
}

/// What an engine says of a row, and what is done to the row.
type Spoiled = (ErrorKind, fn(&mut User));

/// Each in the row that has it, in whatever batch.
#[tokio::test]
async fn the_row_of_every_violation_is_said() {
    each(async |session: Session| {
        let users = ObjectDao::<User>::new(&session);
        let check = "ALTER TABLE users ADD CONSTRAINT grown CHECK (age < 9000)";
        let relation = "ALTER TABLE users ADD CONSTRAINT of_dept FOREIGN KEY (dept_id) REFERENCES departments (id)";
        let sqlite = engine(&session).await == "sqlite";
        let kinds: &[Spoiled] = if sqlite {
            // It adds no constraint to a table.
            script(&session, "CREATE UNIQUE INDEX ages ON users (age)").await;
            &[(ErrorKind::UniqueViolation, |user| user.age = Some(3))]
        } else {
            script(&session, check).await;
            script(&session, relation).await;
            &[
                (ErrorKind::CheckViolation, |user| user.age = Some(9_000)),
                (ErrorKind::ForeignKeyViolation, |user| user.dept_id = Some(7)),
                (ErrorKind::BadValue, |user| user.name = "x".repeat(51)),
            ]
        };
        let views = ObjectViewDao::<User>::new(&session);
        for (kind, spoil) in kinds {
            let mut many: Vec<User> = (0..3_000).map(|n| user(&format!("U{n}"), n)).collect();
            spoil(&mut many[2_500]);
            let error = users.batch_insert(&mut many).await.unwrap_err();
            assert_eq!(error.kind(), Some(*kind), "{error}");
            assert!(matches!(error, OrmError::Row { row: 2_501, .. }), "{error}");
            assert_eq!(views.count(()).await.unwrap(), 0);

            let mut many: Vec<User> = (0..400).map(|n| user(&format!("U{n}"), n)).collect();
            users.batch_insert(&mut many).await.unwrap();
            spoil(&mut many[300]);
            let error = users.batch_update(&mut many).await.unwrap_err();
            assert_eq!(error.kind(), Some(*kind), "{error}");
            assert!(matches!(error, OrmError::Row { row: 301, .. }), "{error}");
            assert_eq!(views.count(prop("Version").gt(1)).await.unwrap(), 0, "nothing is changed");
            users.delete_all_rows().await.unwrap();
        }

        // What the fixed filter keeps out is found before the engine.
        let mut many: Vec<Department> = (0..5_000).map(|n| department(n, &format!("D{n}"))).collect();
        many[4_000].open = false;
        let error = ObjectDao::new(&session).batch_insert(&mut many).await.unwrap_err();
        assert!(matches!(error, OrmError::Row { row: 4_001, .. }), "{error}");
        assert_eq!(ObjectViewDao::<Department>::new(&session).count(()).await.unwrap(), 0);
    })
    .await;
}

/// Of the arguments that a query, an object and a row give, the first that there are count.
#[tokio::test]
async fn whose_arguments_name_the_shard() {
    each(async |session: Session| {
        let marks = ObjectDao::<Mark>::new(&session);
        let views = |year: &'static str| ObjectViewDao::<Mark>::new(&session).with_args([year]);
        // The object's before the row's.
        marks.clone().with_args(["2025"]).insert(&mut mark(2024, 1, "a", 5)).await.unwrap();
        assert_eq!((views("2024").count(()).await.unwrap(), views("2025").count(()).await.unwrap()), (0, 1));
        marks.insert(&mut mark(2024, 1, "b", 6)).await.unwrap();
        // The query's before the object's.
        let of_2024 = from_args("Mark", ["2024"]).filter(prop("Points").gt(0));
        let found = views("2025").search(of_2024.clone()).all().await.unwrap();
        assert_eq!((found[0].code.as_str(), views("2025").count(of_2024).await.unwrap()), ("b", 1));

        for bad in ["2024; DROP TABLE users", "x\"y", "`", "a.b", ""] {
            assert!(views("2024").with_args([bad]).count(()).await.is_err(), "{bad}");
            assert!(marks.clone().with_args([bad]).insert(&mut mark(2024, 1, "c", 7)).await.is_err(), "{bad}");
            assert!(session.context().sync_table("Mark", [bad]).await.is_err(), "{bad}");
        }
    })
    .await;
}

/// A template that goes on behind the view's own select.
#[tokio::test]
async fn a_template_of_a_condition_is_searched() {
    engines::each(catalog, &[("User", &[]), ("Department", &[])], async |session: Session| {
        ObjectDao::new(&session).insert(&mut department(7, "Sales")).await.unwrap();
        let mut all: Vec<User> = (0..25).map(|n| User { dept_id: Some(7), ..user(&format!("U{n}"), n) }).collect();
        ObjectDao::new(&session).batch_insert(&mut all).await.unwrap();
        let (least, ages) = (20, [22, 23, 30]);
        let views = ObjectViewDao::<super::UserView>::new(&session);
        let body = || sql!("WHERE [T0].[age] >= {least} AND [T0].[age] IN {ages} ORDER BY [T0].[age] DESC").search();
        let found = views.search(body()).all().await.unwrap();
        assert_eq!(found.iter().filter_map(|found| found.user.age).collect::<Vec<_>>(), [23, 22]);
        assert_eq!(found[0].dept_name.as_deref(), Some("Sales"));
    })
    .await;
}

/// What an engine gives becomes a batch of Arrow's, of the types that the catalog knows.
#[tokio::test]
async fn rows_become_a_record_batch() {
    each(async |session: Session| {
        let mut all: Vec<User> = (0..3).map(|n| user(&format!("U{n}"), n)).collect();
        all[1].age = None;
        ObjectDao::new(&session).batch_insert(&mut all).await.unwrap();
        let rows = isogloss::dao::DataViewDao::<User>::new(&session);
        let query = from("User").order_by([prop("Name").asc()]);
        let table = rows.search_properties(&["Name", "Age", "Id"], query).await.unwrap();
        let batch = table.to_record_batch().unwrap();
        assert_eq!((batch.num_rows(), batch.num_columns()), (3, 3));
        let types: Vec<String> = batch.schema().fields().iter().map(|field| field.data_type().to_string()).collect();
        assert_eq!(types, ["Utf8", "Int32", "Int64"]);
        assert_eq!(batch.column(1).null_count(), 1);
    })
    .await;
}
