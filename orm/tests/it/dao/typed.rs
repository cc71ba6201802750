//! Joins, subqueries, windows, common tables and sets by typed queries, on every engine.

use std::future::Future;

use chrono::{DateTime, FixedOffset};
use isogloss::entity::{Linked as _, Query, all, insert, update};
use isogloss::expr::{Decimal, FrameBound};
use isogloss::prelude::*;

use crate::support::engines::{Place, each_place, each_session};

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "tq_customers", columns = "snake_case", register = false)]
pub(super) struct Customer {
    #[column(primary_key)]
    id: i64,
    #[column(length = 100)]
    name: String,
    #[column(length = 100)]
    city: Option<String>,
    boss_id: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "tq_orders", columns = "snake_case", register = false)]
pub(super) struct Order {
    #[column(primary_key)]
    id: i64,
    customer_id: i64,
    #[column(precision = 18, scale = 2)]
    amount: Decimal,
    status: i32,
}

#[derive(Debug, Clone, PartialEq, FromRow)]
struct Best {
    name: String,
    orders: i64,
    total: Option<Decimal>,
}

/// Runs a test on every engine, with three customers and three orders.
pub(super) async fn each_filled<F: Future<Output = OrmResult<()>>>(test: impl Fn(Session) -> F) {
    let catalog = || Catalog::builder().entity::<Customer>().entity::<Order>().build().unwrap();
    each_session(catalog, async |session: Session| {
        fill(&session).await?;
        test(session).await
    })
    .await;
}

async fn fill(session: &Session) -> OrmResult<()> {
    let customer = |id, name: &str, city: Option<&str>, boss_id| Customer {
        id,
        name: name.into(),
        city: city.map(Into::into),
        boss_id,
    };
    let mut customers = [
        customer(1, "Ann", Some("Rome"), None),
        customer(2, "Bob", None, Some(1)),
        customer(3, "Cid", Some("Bonn"), Some(2)),
    ];
    ObjectDao::new(session).batch_insert(&mut customers).await?;
    let order = |id, customer_id, amount: i64, status| Order { id, customer_id, amount: amount.into(), status };
    let mut orders = [order(1, 1, 120, 1), order(2, 1, 30, 2), order(3, 2, 250, 2)];
    ObjectDao::new(session).batch_insert(&mut orders).await
}

#[tokio::test]
async fn a_left_join_gives_rows_that_may_lack_a_side() {
    each_filled(async |session: Session| {
        let customers = ObjectViewDao::<Customer>::new(&session);
        let query = query!(|c: Customer, o: Option<Order>| c
            .left_join(o, o.customer_id == c.id && o.amount > 100)
            .order_by((c.id, o.id))
            .select((c.name, o.id, o.amount)));
        let rows: Vec<(String, Option<i64>, Option<Decimal>)> = customers.search(query).all().await?;
        assert_eq!(
            rows,
            [
                ("Ann".into(), Some(1), Some(120.into())),
                ("Bob".into(), Some(3), Some(250.into())),
                ("Cid".into(), None, None),
            ]
        );
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_select_of_a_struct_is_read_by_its_fields() {
    each_filled(async |session: Session| {
        let least = 1;
        let query = query!(|o: Order, c: Customer| o
            .join(c, c.id == o.customer_id)
            .filter(o.status >= least)
            .group_by(c.name)
            .order_by(o.amount.sum().desc())
            .select(Best { orders: count(), name: c.name, total: o.amount.sum() }));
        let best = ObjectViewDao::<Order>::new(&session).search(query).all().await?;
        assert_eq!(best[0], Best { name: "Bob".into(), orders: 1, total: Some(250.into()) });
        assert_eq!(best[1], Best { name: "Ann".into(), orders: 2, total: Some(150.into()) });
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn an_entity_is_joined_with_itself() {
    each_filled(async |session: Session| {
        let query = query!(|c: Customer, boss: Option<Customer>| c
            .left_join(boss, boss.id == c.boss_id)
            .order_by(c.id)
            .select((c.name, boss.name.unwrap_or("nobody"))));
        let rows = ObjectViewDao::<Customer>::new(&session).search(query).all().await?;
        let rows: Vec<(&str, &str)> = rows.iter().map(|(name, boss)| (name.as_str(), boss.as_str())).collect();
        assert_eq!(rows, [("Ann", "nobody"), ("Bob", "Ann"), ("Cid", "Bob")]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn subqueries_stand_in_conditions() {
    each_filled(async |session: Session| {
        let orders = ObjectViewDao::<Order>::new(&session);
        let customers = ObjectViewDao::<Customer>::new(&session);
        let average = query!(|o: Order| o.select(o.amount.avg()));
        let dear: Vec<i64> = orders.search(query!(|o: Order| o.filter(o.amount > average).select(o.id))).all().await?;
        assert_eq!(dear, [3]);

        let paid = query!(|o: Order| o.filter(o.status == 2 && o.amount < 100).select(o.customer_id));
        let kept = query!(|c: Customer| c.filter(c.id.is_in(paid)).select(c.name));
        assert_eq!(customers.search(kept).all().await?, ["Ann"]);
        let by_hand = Query::<Customer>::new().filter(Customer::ID.not_in(paid.clone())).order_by(Customer::ID);
        assert_eq!(customers.search(by_hand.select(Customer::ID)).all().await?, [2, 3]);

        // Of each customer the dearest order.
        let dearest = query!(|o: Order| o
            .filter(o.amount == query!(|x: Order| x.filter(x.customer_id == o.customer_id).select(x.amount.max())))
            .order_by(o.id)
            .select(o.id));
        assert_eq!(orders.search(dearest).all().await?, [1, 3]);
        let of_rome = expr!(|o: Order| o
            .customer_id
            .is_in(query!(|c: Customer| c.filter(c.id == o.customer_id && c.city == "Rome").select(c.id))));
        assert_eq!(orders.count(of_rome).await?, 2);
        // In a select list.
        let with_count = query!(|c: Customer| c
            .order_by(c.id)
            .select((c.name, query!(|o: Order| o.filter(o.customer_id == c.id).select(count())))));
        let counts = customers.search(with_count).all().await?;
        assert_eq!(counts.iter().map(|(_, count)| *count).collect::<Vec<_>>(), [Some(2), Some(1), Some(0)]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn an_exists_speaks_of_the_tables_of_a_join() {
    each_filled(async |session: Session| {
        let query = query!(|o: Order, c: Customer| o
            .join(c, c.id == o.customer_id)
            .filter(exists::<Order>(|other| other.customer_id == c.id && other.id != o.id))
            .order_by(o.id)
            .select((o.id, c.name)));
        let rows = ObjectViewDao::<Order>::new(&session).search(query).all().await?;
        assert_eq!(rows, [(1, "Ann".to_owned()), (2, "Ann".to_owned())]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn windows_number_and_sum() {
    each_filled(async |session: Session| {
        let query = query!(|o: Order| o.order_by(o.id).select((
            o.id,
            row_number().over().partition_by(o.customer_id).order_by(o.amount.desc()),
            o.amount.sum().over().order_by(o.id).rows(FrameBound::Preceding(1), FrameBound::CurrentRow),
            o.amount.lag(1).over().order_by(o.id),
        )));
        let rows = ObjectViewDao::<Order>::new(&session).search(query).all().await?;
        let of = |n: i64| Some(Decimal::from(n));
        assert_eq!(rows, [(1, 1, of(120), None), (2, 2, of(150), of(120)), (3, 1, of(280), of(30))]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn aggregates_take_filters_and_distinct_values() {
    each_filled(async |session: Session| {
        let query = query!(|o: Order| o.select((
            o.customer_id.count_distinct(),
            count().filter(o.status == 2),
            o.amount.sum().filter(o.status == 1),
            o.status.sum().distinct(),
        )));
        let rows = ObjectViewDao::<Order>::new(&session).search(query).all().await?;
        assert_eq!(rows, [(2, 2, Some(120.into()), Some(3))]);
        let names = query!(|c: Customer| c.select(c.name.string_agg(", ", c.id.desc())));
        let names = ObjectViewDao::<Customer>::new(&session).search(names).all().await?;
        assert_eq!(names, [Some("Cid, Bob, Ann".to_owned())]);
        Ok(())
    })
    .await;
}

#[derive(Debug, Clone, PartialEq, FromRow)]
struct Total {
    customer_id: i64,
    total: Option<Decimal>,
}

fn totals() -> Query<Order, Total> {
    query!(|o: Order| o.group_by(o.customer_id).select(Total { total: o.amount.sum(), customer_id: o.customer_id }))
}

#[tokio::test]
async fn queries_are_sources_of_queries() {
    each_filled(async |session: Session| {
        let customers = ObjectViewDao::<Customer>::new(&session);
        let large = query!(|t: Total| t.from(totals()).filter(t.total > 200));
        assert_eq!(customers.search(large).all().await?, [Total { customer_id: 2, total: Some(250.into()) }]);

        let with_names = query!(|c: Customer, t: Option<Total>| c
            .left_join(t.from(totals()), t.customer_id == c.id)
            .order_by(c.id)
            .select((c.name, t.total)));
        let rows = customers.search(with_names).all().await?;
        assert_eq!(
            rows.iter().map(|(_, total)| *total).collect::<Vec<_>>(),
            [Some(150.into()), Some(250.into()), None]
        );

        let pairs = query!(|o: Order| o.select((o.id, o.amount * 2)));
        let dear = query!(|p: (i64, Decimal)| p.from(pairs).filter(p.1 > 200).order_by(p.0).select(p.0));
        assert_eq!(customers.search(dear).all().await?, [1, 3]);

        // A page of a query, whose clauses stand behind its select list.
        let last = query!(|o: Order| o.select((o.id, o.amount + 1)).order_by(o.id.desc()).take(2));
        let last = query!(|p: (i64, Decimal)| p.from(last).order_by(p.0).select((p.0, p.1)));
        assert_eq!(customers.search(last).all().await?, [(2, 31.into()), (3, 251.into())]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn common_tables_are_used_twice_and_recurse() {
    each_filled(async |session: Session| {
        let customers = ObjectViewDao::<Customer>::new(&session);
        let named = totals().named("totals");
        let above = query!(|totals: Total, other: Total| totals
            .from(named)
            .join(other.from(named), totals.total > other.total)
            .select((totals.customer_id, other.customer_id)));
        assert_eq!(customers.search(above).all().await?, [(2, 1)]);

        #[derive(Debug, Clone, PartialEq, FromRow)]
        struct Node {
            id: i64,
            depth: i32,
        }
        let root = query!(|c: Customer| c.filter(c.boss_id == None).select(Node { id: c.id, depth: 0 }));
        let tree = root.recursive("tree", |tree| {
            query!(|c: Customer, t: Node| c
                .join(t.from(tree), c.boss_id == t.id)
                .select(Node { id: c.id, depth: t.depth + 1 }))
        });
        let nodes = query!(|tree: Node| tree.from(tree).order_by(tree.depth));
        let nodes = customers.search(nodes).all().await?;
        assert_eq!(nodes.iter().map(|node| (node.id, node.depth)).collect::<Vec<_>>(), [(1, 0), (2, 1), (3, 2)]);

        // A table of the step that is called as the expression, and a query with the aliases of both.
        let buyers = query!(|c: Customer, s: Order| c.join(s, s.customer_id == c.id && s.status > 0).select(c.id));
        let root = query!(|c: Customer| c.filter(c.boss_id == None).select(Node { id: c.id, depth: c.id as i32 * 0 }));
        let below = root.recursive("c", |all| {
            query!(|c: Customer, s: Node| c
                .join(s.from(all), c.boss_id == s.id)
                .filter(c.id.is_in(buyers))
                .select(Node { id: c.id, depth: s.depth + 1 }))
        });
        let nodes = query!(|c: Node| c.from(below).order_by(c.depth).select((c.id, c.depth)));
        assert_eq!(customers.search(nodes).all().await?, [(1, 0), (2, 1)]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn sets_are_of_rows_of_one_type() {
    each_filled(async |session: Session| {
        let customers = ObjectViewDao::<Customer>::new(&session);
        let buyers = || query!(|o: Order| o.select(o.customer_id));
        let all = || query!(|c: Customer| c.select(c.id));
        let sorted = |mut ids: Vec<i64>| {
            ids.sort_unstable();
            ids
        };
        assert_eq!(sorted(customers.search(all().except(buyers())).all().await?), [3]);
        assert_eq!(sorted(customers.search(all().intersect(buyers())).all().await?), [1, 2]);
        assert_eq!(sorted(customers.search(all().union(buyers())).all().await?), [1, 2, 3]);
        assert_eq!(customers.search(all().union_all(buyers())).all().await?.len(), 6);

        let more = query!(|o: Order| o
            .filter(o.id == 1)
            .select(Total { customer_id: o.id + 100, total: o.amount.optional() }));
        let both = totals().union_all(more);
        let both = query!(|t: Total| t.from(both).order_by(t.customer_id.desc()));
        let ids: Vec<i64> = customers.search(both).all().await?.iter().map(|total| total.customer_id).collect();
        assert_eq!(ids, [101, 2, 1]);

        // Literals have the types of their fields.
        #[derive(Debug, Clone, PartialEq, FromRow)]
        struct Found {
            kind: String,
            id: i64,
            level: i16,
            is_order: bool,
        }
        let named = query!(|c: Customer| c.select(Found { kind: "customer", id: c.id, level: -1, is_order: false }));
        let bought = query!(|o: Order| o.select(Found { kind: "order", id: o.id, level: 2, is_order: true }));
        let found = named.union_all(bought);
        let found = query!(|f: Found| f.from(found).filter(f.id == 1).order_by(f.level));
        let expected = [("customer", -1, false), ("order", 2, true)].map(|(kind, level, is_order)| Found {
            kind: kind.into(),
            id: 1,
            level,
            is_order,
        });
        assert_eq!(customers.search(found).all().await?, expected);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn writes_return_what_they_wrote() {
    each_filled(async |session: Session| {
        let orders = ObjectDao::<Order>::new(&session);
        let raise =
            update::<Order>([Order::AMOUNT.set(Order::AMOUNT * 2)]).filter(expr!(|o: Order| o.customer_id == 1));
        if let Ok(same) =
            orders.update_returning(update::<Order>([Order::STATUS.set(2)]).filter(Order::ID.eq(3)), all()).await
        {
            assert_eq!(same, [Order { id: 3, customer_id: 2, amount: 250.into(), status: 2 }]);
        }
        match orders.update_returning(raise.clone(), (Order::ID, Order::AMOUNT)).await {
            Ok(mut raised) => {
                raised.sort_unstable();
                assert_eq!(raised, [(1, 240.into()), (2, 60.into())]);
            }
            Err(error) => {
                // MySQL and MariaDB have no such statement.
                assert!(error.to_string().contains("RETURNING"), "{error}");
                assert_eq!(orders.update_where(raise).await?, 2);
            }
        }

        let copies = query!(|o: Order, c: Customer| o
            .join(c, c.id == o.customer_id)
            .filter(c.city == "Rome")
            .select((o.id + 10, o.customer_id, o.amount, o.status)));
        let columns = (Order::ID, Order::CUSTOMER_ID, Order::AMOUNT, Order::STATUS);
        match orders.insert_from_returning(insert(columns, copies.clone()), Order::ID).await {
            Ok(mut copied) => {
                copied.sort_unstable();
                assert_eq!(copied, [11, 12]);
                let last = expr!(|o: Order| o.id == 12);
                assert_eq!(orders.delete_returning(last, (Order::ID, Order::STATUS)).await?, [(12, 2)]);
            }
            Err(error) => {
                // Nor has MySQL this one.
                assert!(error.to_string().contains("RETURNING"), "{error}");
                assert_eq!(orders.insert_from(insert(columns, copies.clone())).await?, 2);
                assert_eq!(orders.delete_where(expr!(|o: Order| o.id == 12)).await?, 1);
            }
        }
        assert_eq!(orders.delete_where(expr!(|o: Order| o.id == 11)).await?, 1);
        assert_eq!(orders.insert_from(insert(columns, copies)).await?, 2);

        // From another table.
        let cheapest = query!(|o: Order| o.select(o.amount.min()));
        let sets = [Order::STATUS.set(9)];
        let marked = orders.update_where(update::<Order>(sets).filter(Order::AMOUNT.eq(cheapest))).await?;
        assert_eq!(marked, 2);
        Ok(())
    })
    .await;
}

#[derive(Debug, Clone, PartialEq, FromRow)]
struct Written {
    twice: Decimal,
    #[column(name = "Key")]
    id: i64,
    is_dear: Option<bool>,
    next: Option<Decimal>,
}

#[tokio::test]
async fn writes_return_rows_of_any_struct() {
    each_filled(async |session: Session| {
        let orders = ObjectDao::<Order>::new(&session);
        let factor = 2;
        let raise = update::<Order>([Order::AMOUNT.set(Order::AMOUNT + 5)]).filter(expr!(|o: Order| o.id == 2));
        let written = expr!(|o: Order| Written {
            id: o.id,
            twice: o.amount * factor,
            is_dear: o.amount > 100,
            next: if o.status == 2 { o.amount } else { None::<Decimal> },
        });
        match orders.update_returning(raise, written.clone()).await {
            Ok(raised) => {
                assert_eq!(raised, [Written { id: 2, twice: 70.into(), is_dear: Some(false), next: Some(35.into()) }])
            }
            // MySQL and MariaDB have no such statement.
            Err(error) => assert!(error.to_string().contains("RETURNING"), "{error}"),
        }
        // Nor has MySQL these.
        let copy = query!(|o: Order| o.filter(o.id == 3).select((o.id + 10, o.customer_id, o.amount, o.status - 1)));
        let columns = (Order::ID, Order::CUSTOMER_ID, Order::AMOUNT, Order::STATUS);
        match orders.insert_from_returning(insert(columns, copy), written).await {
            Ok(copied) => {
                assert_eq!(copied, [Written { id: 13, twice: 500.into(), is_dear: Some(true), next: None }]);
                let buyer = query!(|c: Customer| c.filter(c.id == 2).select(c.name));
                let deleted = expr!(|o: Order| (o.id, o.amount - 50, o.status.max(2), buyer));
                let deleted = orders.delete_returning(expr!(|o: Order| o.id == 13), deleted).await?;
                assert_eq!(deleted, [(13, 200.into(), 2, Some("Bob".to_owned()))]);
                let buyer =
                    expr!(|o: Order| (o.id, query!(|c: Customer| c.filter(c.id == o.customer_id).select(c.name))));
                let deleted = orders.delete_returning(expr!(|o: Order| o.id == 3), buyer).await?;
                assert_eq!(deleted, [(3, Some("Bob".to_owned()))]);
            }
            Err(error) => assert!(error.to_string().contains("RETURNING"), "{error}"),
        }
        Ok(())
    })
    .await;
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "tq_notes", columns = "snake_case", register = false)]
struct Note {
    #[column(primary_key)]
    id: i64,
    #[column(length = 100)]
    title: String,
    text: Option<String>,
    at: Option<DateTime<FixedOffset>>,
    #[column(constant = false)]
    deleted: bool,
    #[column(length = 100, mode = "read|insert")]
    author: String,
    #[column(timestamp)]
    version: i32,
}

#[tokio::test]
async fn some_columns_of_a_row_are_updated() {
    each_place(async |place: Place| {
        let context = place.context(Catalog::builder().entity::<Note>().build().unwrap(), true);
        update_notes(&context.create_session().unwrap(), place.provider == "sqlite").await.unwrap();
        context.close();
    })
    .await;
}

async fn update_notes(session: &Session, is_sqlite: bool) -> OrmResult<()> {
    let notes = ObjectDao::<Note>::new(session);
    let views = ObjectViewDao::<Note>::new(session);
    let mut note = Note { id: 1, title: "a".into(), text: Some("b".into()), ..Note::default() };
    notes.insert(&mut note).await?;
    let read = note.clone();

    note.title = "c".into();
    note.text = None;
    assert!(notes.update_only(&mut note, Note::TITLE).await?);
    let text = session.sql_stack().pop().unwrap_or_default();
    let wanted = r#"UPDATE "tq_notes" AS "T0" SET "title" = ?, "version" = ? WHERE "T0"."deleted" = FALSE AND "T0"."id" = ? AND "T0"."version" = ?"#;
    assert!(!is_sqlite || text == wanted, "{text}");
    assert_eq!(note.version, 2);
    let stored = views.get(1).await?;
    assert_eq!(stored.map(|note| (note.title, note.text, note.version)), Some(("c".into(), Some("b".into()), 2)));

    // What a search would ask, while it is not awaited.
    let search = views.search(query!(|n: Note| n.filter(n.title == "c").select(n.id)));
    let select = r#"SELECT "T0"."id" AS "Id" FROM "tq_notes" "T0" WHERE "T0"."deleted" = FALSE AND "T0"."title" = ?"#;
    let line = format!("{search:?}");
    assert!(!is_sqlite || line == format!("Rows {{ of: \"Note\", sql: {select}, .. }}"), "{line}");
    let lines = format!("{search:#?}");
    assert!(
        lines.starts_with("Rows {\n    of: \"Note\",\n    sql: \n    SELECT") && lines.ends_with("\n    ..\n}"),
        "{lines}"
    );

    // One that was read before has another version.
    let mut stale = Note { text: Some("d".into()), ..read.clone() };
    assert!(!notes.update_changed(&read, &mut stale).await?);

    let before = note.clone();
    let statements = session.sql_stack().len();
    assert!(notes.update_changed(&before, &mut note).await?);
    assert_eq!(session.sql_stack().len(), statements, "nothing has changed");
    note.text = Some("e".into());
    assert!(notes.update_changed(&before, &mut note).await?);
    let text = session.sql_stack().pop().unwrap_or_default();
    let wanted = r#"UPDATE "tq_notes" AS "T0" SET "text" = ?, "version" = ? WHERE "T0"."deleted" = FALSE AND "T0"."id" = ? AND "T0"."version" = ?"#;
    assert!(!is_sqlite || text == wanted, "{text}");
    assert_eq!(note.version, 3);
    assert_eq!(views.get(1).await?, Some(note.clone()));

    let error = notes.update_only(&mut note, (Note::TITLE, Note::ID)).await.map_err(|error| error.to_string());
    let why = "is not written by an UPDATE: it is of the key, fixed, computed, inserted only, or renewed";
    assert_eq!(error, Err(format!("`Note.Id` {why}")));
    let other = Note { id: 2, ..note.clone() };
    assert!(notes.update_changed(&other, &mut note).await.is_err());

    // What no UPDATE writes is not left out in silence.
    for (field, other) in [
        ("Author", Note { author: "Bob".into(), title: "f".into(), ..note.clone() }),
        ("Deleted", Note { deleted: true, ..note.clone() }),
    ] {
        let error = notes.update_changed(&note, &mut other.clone()).await.map_err(|error| error.to_string());
        assert_eq!(error, Err(format!("`Note.{field}` {why}")));
    }
    assert_eq!(views.get(1).await?, Some(note.clone()));

    // One point in time at another offset.
    let before = note.clone();
    note.at = DateTime::parse_from_rfc3339("2024-05-01T12:00:00+02:00").ok();
    assert!(notes.update_changed(&before, &mut note).await?);
    let before = note.clone();
    note.at = DateTime::parse_from_rfc3339("2024-05-01T10:00:00+00:00").ok();
    assert_eq!(before.at, note.at);
    let statements = session.sql_stack().len();
    assert!(notes.update_changed(&before, &mut note).await?);
    assert_eq!(session.sql_stack().len(), statements + 1);
    Ok(())
}
