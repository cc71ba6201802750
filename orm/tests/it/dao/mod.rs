//! Entities in and out of their tables, on every engine through one test body.

mod attributes;
mod blocking;
mod callers;
mod faults;
mod lateral;
mod numbered;
mod outermost;
mod paged;
mod plan;
mod rows;
mod sources;
mod sync;
mod texts;
mod times;
mod together;
mod typed;
mod upserts;
mod versions;

use futures_util::{StreamExt as _, TryStreamExt as _};
use isogloss::dao::{DataDao, DataViewDao, ObjectDao, ObjectViewDao, UpdateOrInsertResult};
use isogloss::driver::{ErrorKind, Row};
use isogloss::entity::{Arged, Condition, Linked as _};
use isogloss::expr::{DbValueType as T, Expr, Value, ValueTypeExpr, count_all, if_else, null, value};
use isogloss::model::Catalog;
use isogloss::prelude::*;
use isogloss::session::Purpose;
use isogloss::{OrmError, Session};

use crate::support::engines;

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "departments", columns = "snake_case")]
pub struct Department {
    #[column(primary_key)]
    pub id: i32,
    #[column(length = 50, unique)]
    pub name: String,
    #[column(constant = true)]
    pub open: bool,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "users", columns = "snake_case")]
pub struct User {
    #[column(primary_key, identity)]
    pub id: i64,
    #[column(length = 50)]
    pub name: String,
    pub age: Option<i32>,
    #[foreign(Department)]
    pub dept_id: Option<i32>,
    #[column(timestamp)]
    pub version: i32,
}

#[derive(Debug, Clone, PartialEq, Default, View)]
#[view(of = User)]
pub struct UserView {
    pub user: User,
    #[foreign_column(Department, property = name)]
    pub dept_name: Option<String>,
}

/// A composite key, and a shard by itself.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "marks_{0}", columns = "snake_case", arged)]
pub struct Mark {
    #[column(primary_key)]
    pub day: i32,
    #[column(primary_key, length = 10)]
    pub code: String,
    pub points: i32,
    #[column(skip)]
    pub year: u16,
}

impl Arged for Mark {
    fn table_args(&self) -> Vec<String> {
        vec![self.year.to_string()]
    }
}

/// A composite key of one type, which is not in the order of its names.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "seats", columns = "snake_case")]
pub struct Seat {
    #[column(primary_key)]
    pub row: i32,
    #[column(primary_key)]
    pub chair: i32,
    pub taken: bool,
}

/// The entities of these tests. Other tests of this program have entities of the same names.
fn catalog() -> Catalog {
    Catalog::builder()
        .entity::<Department>()
        .entity::<User>()
        .entity::<UserView>()
        .entity::<Mark>()
        .entity::<Seat>()
        .entity::<attributes::Bill>()
        .entity::<numbered::Ticket>()
        .entity::<outermost::Bonus>()
        .entity::<outermost::Claim>()
        .entity::<outermost::ClaimView>()
        .entity::<times::Visit>()
        .entity::<together::Wide>()
        .entity::<upserts::Price>()
        .entity::<versions::Note>()
        .entity::<versions::Small>()
        .entity::<versions::Narrow8>()
        .entity::<versions::Narrow8Optional>()
        .entity::<versions::NarrowU8>()
        .entity::<versions::NarrowU16>()
        .entity::<versions::NarrowU32>()
        .entity::<versions::Stamped>()
        .entity::<versions::Made>()
        .entity::<versions::Plain>()
        .build()
        .unwrap()
}

/// The tables, with the arguments of shards.
const TABLES: &[(&str, &[&str])] =
    &[("Department", &[]), ("User", &[]), ("Seat", &[]), ("Mark", &["2024"]), ("Mark", &["2025"])];

fn user(name: &str, age: i32) -> User {
    User { name: name.into(), age: Some(age), ..User::default() }
}

fn department(id: i32, name: &str) -> Department {
    Department { id, name: name.into(), open: true }
}

fn mark(year: u16, day: i32, code: &str, points: i32) -> Mark {
    Mark { day, code: code.into(), points, year }
}

async fn each<F: Future<Output = ()>>(test: impl Fn(Session) -> F) {
    engines::each(catalog, TABLES, test).await;
}

#[tokio::test]
async fn a_row_goes_in_and_out() {
    each(async |session: Session| {
        let (users, departments) = (ObjectDao::<User>::new(&session), ObjectDao::<Department>::new(&session));
        let views = ObjectViewDao::<UserView>::new(&session);
        assert!(departments.insert(&mut department(7, "Sales")).await.unwrap());
        let mut ann = user("Ann", 31);
        ann.dept_id = Some(7);
        assert!(users.insert(&mut ann).await.unwrap());
        assert!(ann.id > 0);

        let found = views.get(ann.id).await.unwrap().unwrap();
        assert_eq!((&found.user, found.dept_name.as_deref()), (&ann, Some("Sales")));
        assert!(views.exists_key(ann.id).await.unwrap() && views.exists_entity(&ann).await.unwrap());
        assert!(!views.exists_key(ann.id + 1).await.unwrap());

        ann.age = None;
        let mut stale = ann.clone();
        assert!(users.update(&mut ann).await.unwrap());
        assert_eq!(ann.version, 2);
        // Somebody has written it meanwhile.
        assert!(!users.update(&mut stale).await.unwrap());
        assert_eq!(stale.version, 1);
        assert!(users.update_if(&mut stale, 2).await.unwrap());
        assert_eq!((stale.version, views.get(ann.id).await.unwrap().unwrap().user.age), (3, None));

        assert!(users.delete(&ann).await.unwrap() && !users.delete(&ann).await.unwrap());
        assert_eq!(views.get(ann.id).await.unwrap(), None);
        let error = departments.insert(&mut department(7, "Other")).await.unwrap_err();
        assert!(error.is_unique_violation(), "{error}");
    })
    .await;
}

#[tokio::test]
async fn fixed_filters_hold_by_key() {
    each(async |session: Session| {
        let departments = ObjectDao::<Department>::new(&session);
        let mut closed = Department { open: false, ..department(1, "Closed") };
        let error = departments.insert(&mut closed).await.unwrap_err();
        assert!(matches!(error, OrmError::Compile(_)), "{error}");
        departments.insert(&mut department(1, "Open")).await.unwrap();
        // It is closed behind the model's back: for the model, it is not there.
        let mut lease = session.lease(None, isogloss::session::Purpose::Write).await.unwrap();
        let text = if lease.dialect().sheet().name == "postgres" { "open = FALSE" } else { "open = 0" };
        lease.script(&format!("UPDATE departments SET {text}")).await.unwrap();
        drop(lease);
        let views = ObjectViewDao::<Department>::new(&session);
        assert_eq!(views.get(1).await.unwrap(), None);
        assert_eq!(views.count(()).await.unwrap(), 0);
        assert!(!departments.update(&mut department(1, "New")).await.unwrap());
        assert!(!departments.delete_by_keys(1).await.unwrap());
        assert_eq!(departments.batch_delete_by_keys([1, 2]).await.unwrap(), 0);
        assert_eq!(departments.delete_all_rows().await.unwrap(), 0);
    })
    .await;
}

#[tokio::test]
async fn searches() {
    each(async |session: Session| {
        let mut all: Vec<User> = (0..25).map(|n| user(&format!("U{n:02}"), 20 + n)).collect();
        ObjectDao::<User>::new(&session).batch_insert(&mut all).await.unwrap();
        let views = ObjectViewDao::<UserView>::new(&session);
        let older = || expr!(|u: UserView| u.age > 40);
        assert_eq!(views.search(older()).all().await.unwrap().len(), 4);
        assert_eq!(views.count(older()).await.unwrap(), 4);
        assert!(views.exists(User::NAME.eq("U03")).await.unwrap());
        let page = query!(|u: UserView| u.filter(u.age >= 21).order_by(u.name.desc()).skip(2).take(3));
        let names: Vec<String> = views.search(page).all().await.unwrap().into_iter().map(|u| u.user.name).collect();
        assert_eq!(names, ["U22", "U21", "U20"]);
        let pairs = views.search_as::<(String, Option<i32>)>(from("User").take(2).select(["Name", "Age"]));
        assert_eq!(pairs.all().await.unwrap(), [("U00".into(), Some(20)), ("U01".into(), Some(21))]);
        let ages = views.search_as::<Option<i32>>(from("User").take(1).select(["Age"]));
        assert_eq!(ages.all().await.unwrap(), [Some(20)]);
        let first = views.search(from("UserView").order_by(["Name"])).first().await.unwrap();
        assert_eq!(first.unwrap().user, all[0]);
        let streamed: Vec<UserView> = views.search(()).stream().try_collect().await.unwrap();
        assert_eq!(streamed.len(), 25);
        // What is given up leaves the session as it was.
        assert!(std::pin::pin!(views.search(()).stream()).next().await.unwrap().is_ok());
        assert_eq!(views.count(None::<LogicExpr>).await.unwrap(), 25);

        // What a search is made of is what it finds.
        let logic = || prop("Age").gt(40);
        assert_eq!(views.count(logic()).await.unwrap(), 4);
        assert_eq!(views.count(Some(logic())).await.unwrap(), 4);
        assert_eq!(views.count(Some(older())).await.unwrap(), 4);
        assert_eq!(views.count(None::<Condition<UserView>>).await.unwrap(), 25);
        assert_eq!(views.count(Expr::from(logic())).await.unwrap(), 4);

        // A row that does not fit is told by its number, behind those that do.
        let ages = from("User").order_by(["Id"]).select([if_else(prop("Age").lt(25), prop("Age"), null())]);
        let mut ages = std::pin::pin!(views.search_as::<(i32,)>(ages).stream());
        for age in 20..25 {
            assert_eq!(ages.next().await.unwrap().unwrap(), (age,));
        }
        let error = ages.next().await.unwrap().unwrap_err();
        assert!(error.to_string().contains("row 6 of `UserView`"), "{error}");
        assert!(ages.next().await.is_none());

        let table = DataViewDao::<UserView>::new(&session);
        let rows = table.search_properties(&["Name", "DeptName"], older()).await.unwrap();
        assert_eq!((rows.len(), rows.columns().len()), (4, 2));
        assert_eq!((rows.value(0, "name"), rows.value(0, "DeptName")), (Some(&"U21".into()), Some(&Value::Null)));
    })
    .await;
}

#[tokio::test]
async fn a_table_without_rows_has_its_columns() {
    each(async |session: Session| {
        let table = DataViewDao::<UserView>::new(&session);
        let older = || (prop("Age") + 1).alias("Older");
        let searches = || -> Vec<isogloss::dao::Search> {
            vec![
                ().into(),
                prop("Age").gt(0).into(),
                from("UserView").order_by(["Name"]).take(5).into(),
                from("UserView").filter(prop("Age").gt(0)).select([prop("DeptName").into(), older()]).into(),
                query!(|u: User| u.filter(u.age > 0).select((u.name, u.version))).into(),
            ]
        };
        let mut empty = Vec::new();
        for search in searches() {
            empty.push(table.search(search).await.unwrap());
        }
        ObjectDao::<Department>::new(&session).insert(&mut department(1, "a")).await.unwrap();
        ObjectDao::<User>::new(&session).insert(&mut user("Ann", 1)).await.unwrap();
        for (search, empty) in searches().into_iter().zip(empty) {
            let full = table.search(search).await.unwrap();
            assert_eq!((full.len(), empty.len(), full.columns()), (1, 0, empty.columns()));
        }
    })
    .await;
}

#[tokio::test]
async fn a_columns_type_is_that_of_what_is_selected() {
    each(async |session: Session| {
        let users = ObjectDao::<User>::new(&session);
        users.batch_insert(&mut [user("Ann", i32::MAX), user("Bob", i32::MAX)]).await.unwrap();
        let table = DataViewDao::<User>::new(&session);
        let items = || {
            vec![
                count_all().alias("Name"),
                prop("Age").sum().alias("Age"),
                prop("Name").min().alias("Version"),
                prop("Age").avg().alias("Id"),
                ValueTypeExpr::from(prop("Id").max()).into(),
            ]
        };
        let types = [T::Int64, T::Int64, T::String, T::Double, T::Int64].map(|ty| Some(ty.into()));
        let expected: [Value; 4] =
            [2.into(), (i64::from(i32::MAX) * 2).into(), "Ann".into(), f64::from(i32::MAX).into()];
        for limit in [1, 0] {
            let found = table
                .search(from("User").filter(prop("Age").gt(0)).select(items()).into_segment().take(limit))
                .await
                .unwrap();
            let names: Vec<&str> = found.columns().iter().map(|column| column.name.as_str()).collect();
            assert_eq!(names, ["Name", "Age", "Version", "Id", "C4"]);
            assert_eq!(found.columns().iter().map(|column| column.ty).collect::<Vec<_>>(), types);
            assert_eq!(found.rows().next().map(|row| &row[..4]), (limit > 0).then_some(&expected[..]));
        }
        // A template's own select list is the engine's affair, as its rows are.
        let template = sql!("SELECT COUNT(*) AS [Name] FROM {From}");
        let found = table.search(template).await.unwrap();
        assert_eq!((found.columns()[0].ty, found.value(0, "name")), (None, Some(&2.into())));
    })
    .await;
}

#[tokio::test]
async fn a_closure_reads_rows() {
    each(async |session: Session| {
        let users = ObjectDao::<User>::new(&session);
        users.batch_insert(&mut [user("Ann", 1), user("Bob", 2)]).await.unwrap();
        let views = ObjectViewDao::<User>::new(&session);
        let query = || from("User").order_by(["Name"]).select(["Name", "Age"]);
        let label = |row: &dyn Row| Ok(format!("{}{}", row.text(0)?.unwrap_or("?"), row.i64(1)?.unwrap_or(0)));
        assert_eq!(views.search_with(query(), label).all().await.unwrap(), ["Ann1", "Bob2"]);
        assert_eq!(views.search_with(query(), label).first().await.unwrap().as_deref(), Some("Ann1"));
        let streamed: Vec<String> = views.search_with(query(), label).stream().try_collect().await.unwrap();
        assert_eq!(streamed, ["Ann1", "Bob2"]);
        let mut seen = 0;
        let numbered = move |row: &dyn Row| {
            seen += 1;
            if seen == 2 { row.i64(0).map(|n| (seen, n)) } else { Ok((seen, None)) }
        };
        let error = views.search_with(query(), numbered).all().await.unwrap_err();
        assert!(error.to_string().contains("row 2 of `User`"), "{error}");
    })
    .await;
}

#[tokio::test]
async fn batches() {
    each(async |session: Session| {
        let users = ObjectDao::<User>::new(&session);
        let views = ObjectViewDao::<User>::new(&session);
        let mut all: Vec<User> = (0..1_500).map(|n| user(&format!("U{n}"), n)).collect();
        users.batch_insert(&mut all).await.unwrap();
        let mut found = views.search(()).all().await.unwrap();
        found.sort_by_key(|user| user.age);
        assert_eq!(found, all, "each row has its own number");

        for user in &mut all {
            user.age = user.age.map(|age| age + 1);
            user.name.push('x');
        }
        assert_eq!(users.batch_update(&mut all).await.unwrap(), 1_500);
        let mut found = views.search(()).all().await.unwrap();
        found.sort_by_key(|user| user.age);
        assert_eq!((found == all, all[0].version), (true, 2));

        // What is NULL in the first row is a parameter as in the others.
        (all[0].age, all[1].dept_id) = (None, None);
        session.clear_sql_stack();
        assert_eq!(users.batch_update(&mut all).await.unwrap(), 1_500);
        let updates = session.sql_stack().iter().filter(|sql| sql.starts_with("UPDATE")).count();
        assert_eq!(updates, 1, "{:?}", session.sql_stack());
        assert_eq!(views.get(all[0].id).await.unwrap().unwrap(), all[0]);
        assert_eq!(views.get(all[1].id).await.unwrap().unwrap(), all[1]);
        all[0].age = Some(1);
        assert_eq!(users.batch_update(&mut all).await.unwrap(), 1_500);

        // One of them is of another version: none is written.
        all[1_000].version = 9;
        let error = users.batch_update(&mut all).await.unwrap_err();
        assert!(error.to_string().contains("`User` is not there in its version"), "{error}");
        assert!(matches!(error, OrmError::Row { row: 1_001, .. }), "{error}");
        assert_eq!((all[0].version, views.count(prop("Version").eq(4)).await.unwrap()), (4, 1_500));

        assert_eq!(users.batch_delete(&all[..700]).await.unwrap(), 700);
        assert_eq!(users.batch_delete_by_keys(all[700..710].iter().map(|user| user.id)).await.unwrap(), 10);
        assert_eq!(users.delete_where(expr!(|u: User| u.age > 1_000)).await.unwrap(), 500);
        assert_eq!(views.count(()).await.unwrap(), 290);
        let error = users.delete_where(LogicExpr::all(None::<LogicExpr>)).await.unwrap_err();
        assert!(matches!(error, OrmError::Compile(_)), "{error}");
    })
    .await;
}

#[tokio::test]
async fn a_batch_is_written_whole_or_not_at_all() {
    each(async |session: Session| {
        let departments = ObjectDao::<Department>::new(&session);
        let mut all: Vec<Department> = (0..6_000).map(|n| department(n, &format!("D{n}"))).collect();
        all[5_000].name = "D17".into();
        let error = departments.batch_insert(&mut all).await.unwrap_err();
        assert_eq!(error.kind(), Some(ErrorKind::UniqueViolation), "{error}");
        assert!(matches!(&error, OrmError::Row { entity, row: 5_001, .. } if entity == "Department"), "{error}");
        assert_eq!(ObjectViewDao::<Department>::new(&session).count(()).await.unwrap(), 0);
    })
    .await;
}

#[tokio::test]
async fn a_composite_key_is_in_the_order_of_its_fields() {
    each(async |session: Session| {
        let (seats, views) = (ObjectDao::<Seat>::new(&session), ObjectViewDao::<Seat>::new(&session));
        let seat = |row, chair| Seat { row, chair, taken: false };
        seats.batch_insert(&mut [seat(1, 2), seat(2, 1), seat(3, 1), seat(1, 3)]).await.unwrap();
        assert_eq!(views.get((1, 2)).await.unwrap(), Some(seat(1, 2)));
        assert!(seats.delete_by_keys((1, 2)).await.unwrap());
        assert_eq!((views.exists_key((1, 2)).await.unwrap(), views.exists_key((2, 1)).await.unwrap()), (false, true));
        assert_eq!(seats.batch_delete_by_keys([(3, 1)]).await.unwrap(), 1);
        let mut taken = [Seat { taken: true, ..seat(1, 3) }, Seat { taken: true, ..seat(2, 1) }];
        assert_eq!(seats.batch_update(&mut taken).await.unwrap(), 2);
        assert_eq!((views.get((1, 3)).await.unwrap(), views.count(()).await.unwrap()), (Some(taken[0].clone()), 2));
    })
    .await;
}

#[tokio::test]
async fn a_search_does_not_write() {
    each(async |session: Session| {
        ObjectDao::<Department>::new(&session).insert(&mut department(1, "One")).await.unwrap();
        let views = ObjectViewDao::<Department>::new(&session);
        let delete = || Expr::from(table("Department").delete().all_rows());
        assert!(views.count(delete()).await.unwrap_err().to_string().contains("a search reads"));
        assert!(views.exists(delete()).await.is_err() && views.search(delete()).all().await.is_err());
        assert!(DataViewDao::<Department>::new(&session).search(delete()).await.is_err());
        assert_eq!(views.count(()).await.unwrap(), 1);
    })
    .await;
}

/// Whatever the operation, and in a transaction that goes on.
#[tokio::test]
async fn the_row_that_a_batch_fails_by_is_said() {
    each(async |session: Session| {
        let row = |error: &OrmError| match error {
            OrmError::Row { row, .. } => *row,
            error => panic!("{error}"),
        };
        let departments = ObjectDao::<Department>::new(&session);
        let views = ObjectViewDao::<Department>::new(&session);
        let mut all: Vec<Department> = (0..1_500).map(|n| department(n, &format!("D{n}"))).collect();
        departments.batch_insert(&mut all).await.unwrap();

        all[0].name = "Zero".into();
        all[700].name = "D701".into();
        let error = departments.batch_update(&mut all).await.unwrap_err();
        assert_eq!((error.is_unique_violation(), row(&error)), (true, 701), "{error}");
        let error = departments.batch_update_or_insert(&mut all).await.unwrap_err();
        assert_eq!((error.is_unique_violation(), row(&error)), (true, 701), "{error}");
        assert_eq!(views.count(prop("Name").eq("Zero")).await.unwrap(), 0, "nothing is changed");

        let done: Result<(), OrmError> = session
            .transaction(async |tx: &Session| {
                let departments = ObjectDao::<Department>::new(tx);
                departments.insert(&mut department(9_000, "kept")).await?;
                let mut more = [department(9_001, "new"), department(9_002, "D5")];
                let error = departments.batch_insert(&mut more).await.unwrap_err();
                assert_eq!((error.is_unique_violation(), row(&error)), (true, 2), "{error}");
                Ok(())
            })
            .await;
        done.unwrap();
        assert_eq!((views.get(9_000).await.unwrap().is_some(), views.get(9_001).await.unwrap()), (true, None));
    })
    .await;
}

#[tokio::test]
async fn a_batch_of_updates_is_as_one_row_after_the_other() {
    each(async |session: Session| {
        let departments = ObjectDao::<Department>::new(&session);
        let views = ObjectViewDao::<Department>::new(&session);
        let mut all: Vec<Department> = (0..100).map(|n| department(n, &format!("D{n}"))).collect();
        departments.batch_insert(&mut all).await.unwrap();

        // One row is changed twice, and one is not there.
        all.iter_mut().for_each(|department| department.name.push('!'));
        all.extend([department(7, "Seven"), department(1_000, "Nobody")]);
        assert_eq!(departments.batch_update(&mut all).await.unwrap(), 101);
        assert_eq!(views.count(()).await.unwrap(), 100);
        assert_eq!(
            (views.get(7).await.unwrap().unwrap().name, views.get(8).await.unwrap()),
            ("Seven".into(), Some(all[8].clone()))
        );

        // A name that is taken.
        all.truncate(100);
        all.iter_mut().for_each(|department| department.name = format!("E{}", department.id));
        all[50].name = "E3".into();
        let error = departments.batch_update(&mut all).await.unwrap_err();
        assert_eq!(error.kind(), Some(ErrorKind::UniqueViolation), "{error}");
        assert_eq!(views.get(0).await.unwrap().unwrap().name, "D0!");

        all[50].name = "E50".into();
        session.clear_sql_stack();
        assert_eq!(departments.batch_update(&mut all).await.unwrap(), 100);
        let mut texts = session.sql_stack();
        let postgres = session.lease(None, Purpose::Read).await.unwrap().dialect().sheet().name == "postgres";
        let locks = texts.iter().filter(|sql| sql.ends_with("FOR NO KEY UPDATE")).count();
        texts.retain(|sql| sql.starts_with("UPDATE"));
        let found = (locks, texts.len(), texts[0].contains(" FROM unnest("));
        assert_eq!(found, (usize::from(postgres), 1, postgres), "{texts:?}");
        let mut found = views.search(()).all().await.unwrap();
        found.sort_by_key(|department| department.id);
        assert_eq!(found, all);
    })
    .await;
}

#[tokio::test]
async fn updates_or_inserts() {
    each(async |session: Session| {
        let departments = ObjectDao::<Department>::new(&session);
        let views = ObjectViewDao::<Department>::new(&session);
        let mut one = department(1, "One");
        assert_eq!(departments.update_or_insert(&mut one).await.unwrap(), UpdateOrInsertResult::Inserted);
        one.name = "Uno".into();
        assert_eq!(departments.update_or_insert(&mut one).await.unwrap(), UpdateOrInsertResult::Updated);
        assert_eq!(views.get(1).await.unwrap(), Some(one));
        let mut all: Vec<Department> = (1..121).map(|n| department(n, &format!("D{n}"))).collect();
        departments.batch_update_or_insert(&mut all).await.unwrap();
        all[3].name = "Four".into();
        departments.batch_update_or_insert(&mut all).await.unwrap();
        assert_eq!((views.count(()).await.unwrap(), views.get(4).await.unwrap().unwrap().name), (120, "Four".into()));

        let users = ObjectDao::<User>::new(&session);
        let mut new = vec![user("Ann", 1), user("Bob", 2)];
        users.batch_update_or_insert(&mut new).await.unwrap();
        assert!(new[0].id > 0 && new[1].id > new[0].id);
        new[0].age = Some(5);
        new.push(user("Cem", 3));
        users.batch_update_or_insert(&mut new).await.unwrap();
        let mut found = ObjectViewDao::<User>::new(&session).search(()).all().await.unwrap();
        found.sort_by_key(|user| user.id);
        assert_eq!(found, new);
    })
    .await;
}

#[tokio::test]
async fn what_is_not_written_is_said() {
    each(async |session: Session| {
        let users = ObjectDao::<User>::new(&session);
        let mut ann = user("Ann", 1);
        users.insert(&mut ann).await.unwrap();
        let mut stale = ann.clone();
        users.update(&mut ann).await.unwrap();
        // Another version of it is there: an insert would make a second row.
        assert_eq!(users.update_or_insert(&mut stale).await.unwrap(), UpdateOrInsertResult::Failed);
        let mut both = vec![user("Bob", 2), stale];
        let error = users.batch_update_or_insert(&mut both).await.unwrap_err();
        assert!(error.to_string().contains("row 2 of `User`"), "{error}");
        assert_eq!(ObjectViewDao::<User>::new(&session).count(()).await.unwrap(), 1);

        let departments = ObjectDao::<Department>::new(&session);
        departments.insert(&mut department(1, "One")).await.unwrap();
        // The name is taken, not the key.
        let error = departments.update_or_insert(&mut department(2, "One")).await.unwrap_err();
        assert!(error.is_unique_violation(), "{error}");
        let mut lease = session.lease(None, isogloss::session::Purpose::Write).await.unwrap();
        let text = if lease.dialect().sheet().name == "postgres" { "open = FALSE" } else { "open = 0" };
        lease.script(&format!("UPDATE departments SET {text}")).await.unwrap();
        drop(lease);
        // It is outside of the fixed filter.
        assert_eq!(
            departments.update_or_insert(&mut department(1, "New")).await.unwrap(),
            UpdateOrInsertResult::Failed
        );
        let error = departments.batch_update_or_insert(&mut [department(1, "New")]).await.unwrap_err();
        assert!(error.to_string().contains("outside of the fixed filter"), "{error}");
    })
    .await;
}

#[tokio::test]
async fn shards_are_found_by_the_rows() {
    each(async |session: Session| {
        let marks = ObjectDao::<Mark>::new(&session);
        let mut all = vec![mark(2024, 1, "a", 1), mark(2025, 1, "a", 2), mark(2024, 2, "b", 3), mark(2025, 9, "z", 4)];
        marks.batch_insert(&mut all).await.unwrap();
        let of = |year: &str| ObjectViewDao::<Mark>::new(&session).with_args([year]);
        assert_eq!((of("2024").count(()).await.unwrap(), of("2025").count(()).await.unwrap()), (2, 2));
        // The key's columns in the order of the fields: day, code.
        let found = of("2025").get((9, "z")).await.unwrap().unwrap();
        assert_eq!((found.points, found.year), (4, 0));
        for mark in &mut all {
            mark.points *= 10;
        }
        assert_eq!(marks.batch_update(&mut all).await.unwrap(), 4);
        assert_eq!(of("2024").get((2, "b")).await.unwrap().unwrap().points, 30);
        assert_eq!(marks.batch_delete(&all[..3]).await.unwrap(), 3);
        assert_eq!((of("2024").count(()).await.unwrap(), of("2025").count(()).await.unwrap()), (0, 1));
        assert!(marks.delete(&all[3]).await.unwrap());
        // A key may be written as what its fields are.
        assert!(of("2025").exists_key((8_i32, String::from("z"))).await.is_ok_and(|found| !found));
        let error = ObjectViewDao::<Mark>::new(&session).count(()).await.unwrap_err();
        assert!(matches!(error, OrmError::Compile(_)), "{error}");
        let error = of("2024").get(3).await.unwrap_err();
        assert_eq!(error.to_string(), "the key of `Mark` is (Day, Code), 1 values are given");
    })
    .await;
}

#[tokio::test]
async fn values_without_a_struct() {
    each(async |session: Session| {
        let users = ObjectDao::<User>::new(&session);
        let mut all = vec![user("Ann", 1), user("Bob", 2)];
        users.batch_insert(&mut all).await.unwrap();
        let data = DataDao::<User>::new(&session);
        assert!(data.update_values([("Name", "Eve")], all[0].id).await.unwrap());
        assert_eq!(data.update_all_values([("Age", 9)], prop("Age").gt(0)).await.unwrap(), 2);
        let error = data.update_values([("Nmae", "x")], all[0].id).await.unwrap_err();
        assert!(error.to_string().contains("did you mean `Name`"), "{error}");
        let update = table("User").update([("Age", value(1))]).filter(prop("Name").eq("Eve"));
        assert_eq!(users.update_where(update).await.unwrap(), 1);
        let other = table("Department").update([("Name", value("x"))]).filter(prop("Id").eq(1));
        assert!(matches!(users.update_where(other).await.unwrap_err(), OrmError::Compile(_)));
    })
    .await;
}

#[tokio::test]
async fn a_transaction_holds_for_every_object() {
    each(async |session: Session| {
        let users = ObjectDao::<User>::new(&session);
        let views = ObjectViewDao::<User>::new(&session);
        let done: Result<(), OrmError> = session
            .transaction(async |tx: &Session| {
                let mut all = vec![user("Ann", 1), user("Bob", 2)];
                ObjectDao::new(tx).batch_insert(&mut all).await?;
                assert_eq!(views.count(()).await?, 2);
                // What is violated in it takes back itself only.
                let mut one = all[0].clone();
                assert_eq!(users.update_or_insert(&mut one).await?, UpdateOrInsertResult::Updated);
                Err(isogloss::entity::FieldError::new("enough").into())
            })
            .await;
        assert_eq!(done.unwrap_err().to_string(), "enough");
        assert_eq!(views.count(()).await.unwrap(), 0);
    })
    .await;
}

#[tokio::test]
async fn batches_of_composite_keys_are_split() {
    each(async |session: Session| {
        let marks = ObjectDao::<Mark>::new(&session);
        // More parameters than SQLite takes, and more rows than PostgreSQL's stack. MySQL would take both as they are, so that
        // there a few statements are enough.
        let engine = session.lease(None, Purpose::Read).await.unwrap().dialect().sheet().name;
        let count: i32 = if matches!(engine, "sqlite" | "postgres") { 20_000 } else { 2_500 };
        let mut all: Vec<Mark> = (0..count).map(|day| mark(2024, day, "a", 1)).collect();
        marks.batch_insert(&mut all).await.unwrap();
        assert_eq!(marks.batch_update(&mut all).await.unwrap(), all.len() as u64);
        marks.batch_update_or_insert(&mut all).await.unwrap();
        assert_eq!(marks.batch_delete(&all[1..]).await.unwrap(), all.len() as u64 - 1);
        let last = marks.clone().with_args(["2024"]).batch_delete_by_keys([(0, "a"), (0, "b")]).await.unwrap();
        assert_eq!(last, 1);
    })
    .await;
}

/// The second look-up has the statement of the first, whatever that key was.
#[tokio::test]
async fn one_key_after_the_other() {
    each(async |session: Session| {
        let users = ObjectDao::<User>::new(&session);
        let mut all: Vec<User> = (0..3).map(|n| user(&format!("U{n}"), n)).collect();
        users.batch_insert(&mut all).await.unwrap();
        let views = ObjectViewDao::<User>::new(&session);
        // Of another type, and not there.
        assert_eq!(views.get(i64::MAX).await.unwrap(), None);
        for user in &all {
            assert_eq!(views.get(user.id).await.unwrap().as_ref(), Some(user));
            assert_eq!(views.get(user.id.to_string().as_str()).await.unwrap().as_ref(), Some(user));
            assert_eq!(ObjectViewDao::<UserView>::new(&session).get(user.id).await.unwrap().unwrap().user, *user);
        }
        assert!(views.get("no number").await.is_err() && views.get((1, 2)).await.is_err());
        assert!(views.get(Value::Null).await.is_err());

        let marks = ObjectDao::<Mark>::new(&session);
        marks.batch_insert(&mut [mark(2024, 1, "a", 5), mark(2025, 1, "a", 6)]).await.unwrap();
        for (year, points) in [("2024", 5), ("2025", 6)] {
            let found = ObjectViewDao::<Mark>::new(&session).with_args([year]).get((1, "a")).await.unwrap();
            assert_eq!(found.map(|mark| mark.points), Some(points));
        }
        assert!(ObjectViewDao::<Mark>::new(&session).get((1, "a")).await.is_err(), "of which shard?");
    })
    .await;
}
