//! Pages have each row once, whatever the order is, on every engine: rows with ties in every order and NULL in every column.

use std::fmt::Debug;
use std::future::Future;

use isogloss::dao::SearchOf;
use isogloss::entity::{Entity, Linked as _, Query};
use isogloss::expr::Decimal;
use isogloss::prelude::*;

use crate::support::engines::each_session;

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "pg_tied", columns = "snake_case", register = false)]
struct Tied {
    #[column(primary_key)]
    id: i64,
    few: Option<i32>,
    #[column(length = 20)]
    text: Option<String>,
    day: Option<chrono::NaiveDate>,
    kind: i32,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "pg_parts", columns = "snake_case", register = false)]
struct Part {
    #[column(primary_key)]
    id: i64,
    tied_id: Option<i64>,
    #[column(precision = 10, scale = 2)]
    amount: Decimal,
}

/// It has no key.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "pg_loose", columns = "snake_case", register = false)]
struct Loose {
    few: Option<i32>,
    number: Option<i32>,
}

/// A row of a query that is a table of another one.
#[derive(Debug, Clone, PartialEq, FromRow)]
struct Pair {
    id: i64,
    amount: Decimal,
}

const ROWS: i32 = 60;
const PAGE: u64 = 7;

async fn each_filled<F: Future<Output = OrmResult<()>>>(test: impl Fn(Session) -> F) {
    let catalog = || Catalog::builder().entity::<Tied>().entity::<Part>().entity::<Loose>().build().unwrap();
    each_session(catalog, async |session: Session| {
        fill(&session).await?;
        test(session).await
    })
    .await;
}

async fn fill(session: &Session) -> OrmResult<()> {
    // Their keys are in another order than that of the inserts.
    let tied = |n: i32| Tied {
        id: i64::from(n * 37 % 61),
        few: (n % 4 > 0).then_some(n % 3),
        text: (n % 5 > 0).then(|| if n % 3 == 0 { "a" } else { "b" }.to_owned()),
        day: (n % 3 > 0).then(|| chrono::NaiveDate::from_ymd_opt(2024, 1, if n % 2 == 0 { 1 } else { 2 }).unwrap()),
        kind: n % 2,
    };
    let mut rows: Vec<_> = (1..=ROWS).map(tied).collect();
    ObjectDao::new(session).batch_insert(&mut rows).await?;
    let part = |n: i64| Part { id: n * 37 % 101, tied_id: (n % 7 > 0).then_some(n % 20), amount: (n % 3 * 10).into() };
    let mut parts: Vec<_> = (1..=100).map(part).collect();
    ObjectDao::new(session).batch_insert(&mut parts).await?;
    let loose = |n: i32| Loose { few: (n % 4 > 0).then_some(n % 3), number: (n % 9 > 0).then_some(n) };
    let mut loose: Vec<_> = (1..=ROWS).map(loose).collect();
    ObjectDao::new(session).batch_insert(&mut loose).await
}

/// All pages of a query together have its rows, each as often as the query has it.
async fn has_each_row_once<V: Entity, S, R>(dao: &ObjectViewDao<V>, what: &str, query: Query<S, R>) -> OrmResult<()>
where
    Query<S, R>: SearchOf<V, Row = R>,
    R: FromRow + Debug + Send + 'static,
{
    let sorted = |rows: Vec<R>| {
        let mut rows: Vec<String> = rows.iter().map(|row| format!("{row:?}")).collect();
        rows.sort();
        rows
    };
    let all = sorted(dao.search(query.clone()).all().await?);
    let mut paged = Vec::new();
    loop {
        let page: Vec<R> = dao.search(query.clone().skip(paged.len() as u64).take(PAGE)).all().await?;
        let is_last = (page.len() as u64) < PAGE;
        paged.extend(page);
        if is_last || paged.len() > all.len() {
            break;
        }
    }
    assert!(all.len() as u64 > PAGE, "{what}");
    assert_eq!(sorted(paged), all, "{what}");
    Ok(())
}

#[tokio::test]
async fn pages_of_rows_with_ties_have_each_row_once() {
    each_filled(async |session: Session| {
        let dao = ObjectViewDao::<Tied>::new(&session);
        let all = || Query::<Tied>::new();
        has_each_row_once(&dao, "few", all().order_by(Tied::FEW)).await?;
        has_each_row_once(&dao, "text", all().order_by((Tied::TEXT.desc(), Tied::DAY))).await?;
        has_each_row_once(&dao, "list", query!(|t: Tied| t.order_by(t.kind).select((t.few, t.id)))).await?;
        has_each_row_once(&dao, "computed", query!(|t: Tied| t.order_by(t.few * 2).select((t.id, t.day)))).await?;
        has_each_row_once(&dao, "not selected", query!(|t: Tied| t.order_by(t.day.desc()).select(t.text))).await
    })
    .await;
}

#[tokio::test]
async fn pages_of_groups_distinct_rows_and_sets_have_each_row_once() {
    each_filled(async |session: Session| {
        let dao = ObjectViewDao::<Tied>::new(&session);
        let groups =
            query!(|t: Tied| t.group_by((t.few, t.text, t.kind)).order_by(count()).select((t.few, t.text, count())));
        has_each_row_once(&dao, "groups", groups).await?;
        let distinct = query!(|t: Tied| t.select((t.kind, t.few, t.day)).distinct().order_by(t.kind));
        has_each_row_once(&dao, "distinct", distinct).await?;
        let half = |kind: i32| query!(|t: Tied| t.filter(t.kind == kind).select((t.few, t.id)));
        has_each_row_once(&dao, "union", half(0).union_all(half(1))).await?;
        let all = half(0).union_all(half(1));
        let set = query!(|a: (Option<i32>, i64)| a.from(all).order_by(a.0));
        has_each_row_once(&dao, "ordered union", set).await?;
        let loose = ObjectViewDao::<Loose>::new(&session);
        has_each_row_once(&loose, "no key", Query::<Loose>::new().order_by(Loose::FEW)).await
    })
    .await;
}

#[tokio::test]
async fn pages_of_joins_and_of_tables_that_are_queries_have_each_row_once() {
    each_filled(async |session: Session| {
        let dao = ObjectViewDao::<Tied>::new(&session);
        let join = query!(|t: Tied, p: Option<Part>| t
            .left_join(p, p.tied_id == t.id)
            .order_by(t.kind)
            .select((t.id, p.id, p.amount)));
        has_each_row_once(&dao, "join", join).await?;
        let pairs = query!(|p: Part, t: Tied| p.join(t, p.tied_id == t.id).select(Pair { id: p.id, amount: p.amount }));
        has_each_row_once(&dao, "table", query!(|o: Pair| o.from(pairs).order_by(o.amount.desc()))).await?;
        // A page of a page: the inner one is the same for each of the outer.
        let page = query!(|t: Tied| t.order_by(t.kind).take(40).order_by(t.few));
        has_each_row_once(&dao, "page", page).await
    })
    .await;
}

#[tokio::test]
async fn what_is_computed_of_a_page_is_of_the_rows_that_it_shows() {
    each_filled(async |session: Session| {
        let dao = ObjectViewDao::<Tied>::new(&session);
        let page = || query!(|t: Tied| t.order_by(t.kind).take(25));
        let shown: i64 = dao.search(page()).all().await?.iter().map(|row: &Tied| row.id).sum();
        let page_ids = query!(|t: Tied| t.order_by(t.kind).take(25).select(t.id));
        let of_page = query!(|t: Tied| t.filter(t.id.is_in(page_ids)).select(t.id));
        let found: Vec<i64> = dao.search(of_page).all().await?;
        assert_eq!(found.iter().sum::<i64>(), shown);
        let filtered = page().into_segment().filter(Tied::FEW.eq(1));
        let rows = dao.search(filtered.clone()).all().await?.len() as u64;
        assert_eq!(dao.count(filtered).await?, rows);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn an_order_over_a_query_as_a_table_is_by_the_columns_of_that_table() {
    each_filled(async |session: Session| {
        let dao = ObjectViewDao::<Part>::new(&session);
        // The amount is that of another row, as `p` is a name inside as well.
        let pairs = || {
            query!(|p: Part, x: Part| p
                .join(x, x.id == p.id + 1 && p.id < 9)
                .select(Pair { id: p.id, amount: x.amount * 100 + p.id }))
        };
        let mut all: Vec<Pair> = dao.search(pairs()).all().await?;
        all.sort_by_key(|pair| std::cmp::Reverse(pair.amount));
        let of = |pairs: &[Pair]| pairs.iter().map(|pair| (pair.id, pair.amount)).collect::<Vec<_>>();
        let ordered = query!(|p: Pair| p.from(pairs()).order_by(p.amount.desc()).select((p.id, p.amount)));
        assert_eq!(dao.search(ordered).all().await?, of(&all));
        let paged = query!(|p: Pair| p.from(pairs()).order_by(p.amount.desc()).take(2).select((p.id, p.amount)));
        assert_eq!(dao.search(paged).all().await?, of(&all[..2]));
        let other =
            query!(|m: Pair| m.from(pairs()).order_by(m.amount.desc()).skip(1).take(2).select((m.id, m.amount)));
        assert_eq!(dao.search(other).all().await?, of(&all[1..3]));
        let computed = query!(|p: Pair| p.from(pairs()).order_by((p.amount * -1, p.id)).select((p.id, p.amount)));
        assert_eq!(dao.search(computed).all().await?, of(&all));
        let cursor = vec![isogloss::expr::Value::from(all[1].amount), all[1].id.into()];
        let behind = query!(|p: Pair| p
            .from(pairs())
            .order_by((p.amount.desc(), p.id.desc()))
            .after(cursor.clone(), 2)
            .select((p.id, p.amount)));
        assert_eq!(dao.search(behind).all().await?, of(&all[2..4]));
        let rows = query!(|p: Pair| p.from(pairs()).order_by(p.amount.desc()).take(3));
        assert_eq!(dao.search(rows).all().await?, all[..3]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn distinct_rows_of_a_set_are_those_of_the_whole_set() {
    each_filled(async |session: Session| {
        let dao = ObjectViewDao::<Tied>::new(&session);
        let kinds = || query!(|t: Tied| t.select(t.kind));
        let mut found: Vec<i32> = dao.search(kinds().union_all(kinds()).distinct()).all().await?;
        found.sort_unstable();
        assert_eq!(found, [0, 1]);
        Ok(())
    })
    .await;
}
