//! What a statement is over, and what stands around it: other tables in subqueries, sets and joins, and whose table
//! arguments they take.

use isogloss::dao::{ObjectDao, ObjectViewDao};
use isogloss::entity::Arged;
use isogloss::expr::{Expr, SqlSegment, value};
use isogloss::prelude::*;
use isogloss::{OrmError, Session};

use super::{Department, User, department, each, user};

/// A table for each year.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "bonuses_{0}", columns = "snake_case", arged)]
pub(crate) struct Bonus {
    #[column(primary_key)]
    pub(crate) id: i32,
    pub(crate) amount: i32,
    #[column(skip)]
    pub(crate) year: u16,
}

impl Arged for Bonus {
    fn table_args(&self) -> Vec<String> {
        vec![self.year.to_string()]
    }
}

/// A table of its own, that refers to one for each year.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "claims", columns = "snake_case")]
pub(crate) struct Claim {
    #[column(primary_key)]
    pub(crate) id: i32,
    #[foreign(Bonus)]
    pub(crate) bonus_id: Option<i32>,
}

#[derive(Debug, Clone, PartialEq, Default, View)]
#[view(of = Claim)]
pub(crate) struct ClaimView {
    pub(crate) claim: Claim,
    #[foreign_column(Bonus, property = amount)]
    pub(crate) amount: Option<i32>,
}

/// Two departments, with a user in each.
async fn filled(session: &Session) {
    let (users, departments) = (ObjectDao::<User>::new(session), ObjectDao::<Department>::new(session));
    departments.batch_insert(&mut [department(1, "Sales"), department(2, "Stock")]).await.unwrap();
    let of = |name, id| User { dept_id: Some(id), ..user(name, 30) };
    users.batch_insert(&mut [of("Ann", 1), of("Bob", 2)]).await.unwrap();
}

#[tokio::test]
async fn writes_look_at_other_tables() {
    each(async |session: Session| {
        filled(&session).await;
        let (users, views) = (ObjectDao::<User>::new(&session), ObjectViewDao::<User>::new(&session));
        let of = |name: &str| prop("DeptId").in_list(from("Department").filter(prop("Name").eq(name)).select(["Id"]));
        let older = table("User").update([("Age", prop("Age") + 1)]).filter(of("Sales"));
        assert_eq!(users.update_where(older).await.unwrap(), 1);
        assert_eq!(views.count(prop("Age").eq(31)).await.unwrap(), 1);
        assert_eq!(users.delete_where(of("Stock")).await.unwrap(), 1);
        let names: Vec<String> = views.search(()).all().await.unwrap().into_iter().map(|user| user.name).collect();
        assert_eq!(names, ["Ann"]);

        for filter in [value(1).eq(1), !value(1).eq(2), prop("Id").eq(0) | value("a").eq("a")] {
            let error = users.delete_where(filter).await.unwrap_err();
            assert!(error.to_string().contains("a condition that is always true"), "{error}");
        }
        assert_eq!(views.count(()).await.unwrap(), 1);
    })
    .await;
}

#[tokio::test]
async fn sets_are_of_several_tables() {
    each(async |session: Session| {
        filled(&session).await;
        let views = ObjectViewDao::<User>::new(&session);
        let names = || from("User").select(["Name"]).union_all(from("Department").select(["Name"]));
        let whole = views.search_as::<(String,)>(SqlSegment::from(names()).order_by(["Name"]));
        let mut found: Vec<String> = whole.all().await.unwrap().into_iter().map(|(name,)| name).collect();
        assert_eq!(found, ["Ann", "Bob", "Sales", "Stock"]);
        // As a derived table, and as a common table expression.
        let late = || prop("Name").gt("B");
        for query in [SqlSegment::from(names()).filter(late()), SqlSegment::from(names().with("n")).filter(late())] {
            let rows = views.search_as::<(String,)>(query.select(["Name"])).all().await.unwrap();
            found = rows.into_iter().map(|(name,)| name).collect();
            found.sort();
            assert_eq!(found, ["Bob", "Sales", "Stock"]);
        }
        let other = from("Department").select(["Name"]).union_all(from("User").select(["Name"]));
        let error = views.search_as::<(String,)>(SqlSegment::from(other)).all().await.unwrap_err();
        assert!(
            error.to_string().contains("the request is for `User`, and the statement begins with `Department`"),
            "{error}"
        );
    })
    .await;
}

#[tokio::test]
async fn an_order_goes_through_what_follows() {
    each(async |session: Session| {
        let users = ObjectDao::<User>::new(&session);
        users.batch_insert(&mut [user("Ann", 31), user("Bob", 35), user("Cem", 33)]).await.unwrap();
        let views = ObjectViewDao::<User>::new(&session);
        let names = |users: Vec<User>| users.into_iter().map(|user| user.name).collect::<Vec<_>>();
        let old = query!(|u: User| u.order_by(u.age.desc()).filter(u.age > 30).take(2));
        assert_eq!(names(views.search(old).all().await.unwrap()), ["Bob", "Cem"]);
        // A client's order, the program's filter and page over it.
        let client =
            json_to_segment(r##"{"$orderby":{"$table":"User"},"OrderBys":[{"Field":{"#":"Age"},"Asc":false}]}"##);
        let page = client.filter(prop("Name").ne("Bob")).take(1);
        assert_eq!(names(views.search(page).all().await.unwrap()), ["Cem"]);
    })
    .await;
}

fn json_to_segment(text: &str) -> SqlSegment {
    match isogloss::json::from_str(text).unwrap() {
        Expr::Segment(segment) => segment,
        other => panic!("no query: {other:?}"),
    }
}

#[tokio::test]
async fn a_view_hands_arguments_to_what_it_joins() {
    let tables: &[(&str, &[&str])] = &[("Claim", &[]), ("Bonus", &["2024"]), ("Bonus", &["2025"]), ("User", &[])];
    crate::support::engines::each(super::catalog, tables, async |session: Session| {
        let bonus = |year, amount| Bonus { id: 1, amount, year };
        ObjectDao::<Bonus>::new(&session).batch_insert(&mut [bonus(2024, 5), bonus(2025, 7)]).await.unwrap();
        ObjectDao::<Claim>::new(&session).insert(&mut Claim { id: 1, bonus_id: Some(1) }).await.unwrap();
        for (year, amount) in [("2024", 5), ("2025", 7)] {
            let views = ObjectViewDao::<ClaimView>::new(&session).with_args([year]);
            assert_eq!(views.get(1).await.unwrap().unwrap().amount, Some(amount));
            assert_eq!(views.search(prop("Amount").eq(amount)).all().await.unwrap().len(), 1);
        }
        let users = ObjectViewDao::<User>::new(&session).with_args(["2024"]);
        let error = users.count(()).await.unwrap_err();
        assert!(matches!(error, OrmError::Compile(_)), "{error}");
        assert!(error.to_string().contains("it is not sharded"), "{error}");
    })
    .await;
}
