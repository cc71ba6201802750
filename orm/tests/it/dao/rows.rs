//! The columns of rows: what a select list of a struct calls them, and what queries over its rows ask for.

use isogloss::OrmError;
use isogloss::entity::Linked as _;
use isogloss::prelude::*;

use crate::support::engines::{Place, each_place};

/// Its properties are not called as its fields, and the fields are in no order of their names.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "rn_people", register = false)]
struct Person {
    #[column(primary_key)]
    id: i64,
    #[column(length = 100)]
    last: String,
    #[column(length = 100)]
    first: String,
    #[foreign(Person, alias = "Boss")]
    boss_id: Option<i64>,
    #[column(property = "Town", name = "residence", length = 100)]
    city: String,
}

#[derive(Debug, Clone, PartialEq, FromRow)]
struct Named {
    #[column(name = "full")]
    name: String,
    boss_id: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, View)]
#[view(of = Person, register = false)]
struct WithBoss {
    person: Person,
    #[foreign_column("Boss", property = "First")]
    of_boss: Option<String>,
}

fn person(id: i64, last: &str, first: &str, boss_id: Option<i64>) -> Person {
    Person { id, last: last.into(), first: first.into(), boss_id, city: format!("City {id}") }
}

async fn each_filled(test: impl AsyncFn(&Session) -> OrmResult<()>) {
    each_place(async |place: Place| {
        let context = place.context(Catalog::builder().entity::<Person>().entity::<WithBoss>().build().unwrap(), true);
        let session = context.create_session().unwrap();
        let mut people = [person(1, "Abel", "Zoe", None), person(2, "Bell", "Yan", Some(1))];
        ObjectDao::new(&session).batch_insert(&mut people).await.unwrap();
        test(&session).await.unwrap();
        context.close();
    })
    .await;
}

#[tokio::test]
async fn a_set_of_whole_entities_and_of_a_struct_matches_by_field() {
    each_filled(async |session| {
        let people = ObjectViewDao::<Person>::new(session);
        let written = query!(|p: Person| p.filter(p.id == 2).select(Person {
            city: p.city,
            boss_id: p.boss_id,
            first: p.first,
            last: p.last,
            id: p.id + 10
        }));
        let mut all = people.search(query!(|p: Person| p).union_all(written.clone())).all().await?;
        all.sort_by_key(|person| person.id);
        let copy = Person { city: "City 2".into(), ..person(12, "Bell", "Yan", Some(1)) };
        assert_eq!(all, [person(1, "Abel", "Zoe", None), person(2, "Bell", "Yan", Some(1)), copy.clone()]);
        let mut all = people.search(written.union_all(query!(|p: Person| p.filter(p.id == 1)))).all().await?;
        all.sort_by_key(|person| person.id);
        assert_eq!(all, [person(1, "Abel", "Zoe", None), copy]);

        let first = query!(|p: Person| p.filter(p.boss_id == None));
        let tree = first.recursive("tree", |tree| {
            query!(|p: Person, t: Person| p.join(t.from(tree), p.boss_id == t.id).select(Person {
                id: p.id,
                first: p.first,
                last: t.last,
                boss_id: p.boss_id,
                city: p.city
            }))
        });
        let tree = query!(|tree: Person| tree.from(tree).order_by(tree.id));
        let tree = people.search(tree).all().await?;
        assert_eq!(tree, [person(1, "Abel", "Zoe", None), person(2, "Abel", "Yan", Some(1))]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn columns_of_whole_entities_are_asked_by_their_fields() {
    each_filled(async |session| {
        let people = ObjectViewDao::<Person>::new(session);
        let top = query!(|p: Person| p.order_by(p.id.desc()).take(1));
        let found = query!(|t: Person, p: Person| t.from(top).join(p, p.id == t.boss_id).select((p.last, t.city)));
        assert_eq!(people.search(found).all().await?, [("Abel".to_owned(), "City 2".to_owned())]);
        let named = query!(|p: Person| p).named("everybody");
        let found = query!(|e: Person| e.from(named).filter(e.boss_id == 1).select((e.first, e.city)));
        assert_eq!(people.search(found).all().await?, [("Yan".to_owned(), "City 2".to_owned())]);

        // Of a view its own columns, and those of its entity.
        let all = query!(|w: WithBoss| w.filter(w.of_boss == "Zoe"));
        let found = query!(|w: WithBoss| w.from(all).select((w.of_boss, w.last, w.city)));
        let row = (Some("Zoe".to_owned()), "Bell".to_owned(), "City 2".to_owned());
        assert_eq!(people.search(found).all().await?, [row]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_query_with_groups_says_what_they_have_in_common() {
    each_filled(async |session| {
        let people = ObjectViewDao::<Person>::new(session);
        let refused = |found: OrmResult<Vec<(i64, i64)>>, why: &str| match found {
            Err(OrmError::Compile(error)) => assert!(error.to_string().contains(why), "{error}"),
            other => panic!("{other:?}"),
        };
        let columns = query!(|p: Person| p.group_by(p.boss_id).select((p.id, count())));
        refused(people.search(columns).all().await, "is misplaced");
        let mixed = query!(|p: Person| p.select((p.id, count())));
        refused(people.search(mixed).all().await, "is misplaced");
        let filtered = query!(|p: Person| p.filter(p.id.max() > 5).select((p.id, p.id)));
        refused(people.search(filtered).all().await, "is misplaced");
        let by_key = query!(|p: Person| p.group_by(p.id).select((p.id, p.last.len() as i64)));
        refused(people.search(by_key).all().await, "is misplaced");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_column_with_a_name_of_its_own_is_selected_by_it() {
    each_filled(async |session| {
        let people = ObjectViewDao::<Person>::new(session);
        let names = query!(|p: Person| p.order_by(p.id).select(Named { boss_id: p.boss_id, name: p.first + p.last }));
        let found = people.search(names.clone()).all().await?;
        assert_eq!(found[1], Named { name: "YanBell".into(), boss_id: Some(1) });
        let found = query!(|n: Named| n.from(names).filter(n.boss_id == 1).select(n.name));
        assert_eq!(people.search(found).all().await?, ["YanBell"]);
        Ok(())
    })
    .await;
}
