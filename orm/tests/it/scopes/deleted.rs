//! Rows that are marked as deleted, and stay in the table.

use chrono::NaiveDateTime;
use isogloss::Scope;
use isogloss::dao::{ObjectDao, ObjectViewDao, UpdateOrInsertResult};
use isogloss::prelude::*;

use super::{A, B, count, each_two, last, run, tenant};

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "docs", columns = "snake_case")]
pub(crate) struct Doc {
    #[column(primary_key)]
    pub(crate) id: i32,
    pub(crate) tenant_id: Option<i32>,
    #[column(length = 50)]
    pub(crate) title: String,
    #[column(soft_delete)]
    pub(crate) deleted_at: Option<NaiveDateTime>,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "pages", columns = "snake_case")]
pub(crate) struct Page {
    #[column(primary_key)]
    pub(crate) id: i32,
    #[foreign(Doc)]
    pub(crate) doc_id: Option<i32>,
    pub(crate) words: i32,
}

#[derive(Debug, Clone, PartialEq, Default, View)]
#[view(of = Page)]
pub(crate) struct PageView {
    pub(crate) page: Page,
    #[foreign_column(Doc, property = title)]
    pub(crate) doc_title: Option<String>,
}

/// Marked by a truth value, in versions.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "flags", columns = "snake_case")]
pub(crate) struct Flag {
    #[column(primary_key)]
    pub(crate) id: i32,
    #[column(soft_delete)]
    pub(crate) gone: bool,
    #[column(timestamp)]
    pub(crate) version: i32,
}

fn doc(tenant: i32, id: i32) -> Doc {
    Doc { id, tenant_id: Some(tenant), title: format!("D{id}"), deleted_at: None }
}

async fn docs(session: &Session) -> Vec<i32> {
    let found = ObjectViewDao::<Doc>::new(session).search(from("Doc").order_by(["Id"])).all().await.unwrap();
    found.into_iter().map(|doc| doc.id).collect()
}

/// What the table holds, and what of it is marked.
async fn stored<E: Entity>(session: &Session) -> (u64, u64) {
    let with = session.scoped(&Scope::new().with_deleted(E::NAME)).unwrap();
    let only = session.scoped(&Scope::new().only_deleted(E::NAME)).unwrap();
    (count::<E>(&with).await, count::<E>(&only).await)
}

#[tokio::test]
async fn b2_26_a_delete_marks_the_row() {
    each_two(async |two| {
        let session = two.all.context().create_session().unwrap();
        let mut all: Vec<Doc> = (1..=9).map(|id| doc(if id <= 6 { A } else { B }, id)).collect();
        ObjectDao::new(&session).batch_insert(&mut all).await.unwrap();
        let mine = session.scoped(&tenant(A)).unwrap();
        let dao = ObjectDao::<Doc>::new(&mine);

        assert!(dao.delete(&all[0]).await.unwrap());
        assert!(last(&mine).starts_with("UPDATE"), "{}", last(&mine));
        assert!(!dao.delete(&all[0]).await.unwrap());
        assert!(dao.delete_by_keys(2).await.unwrap() && !dao.delete_by_keys(2).await.unwrap());
        assert!(!dao.delete_by_keys(7).await.unwrap());
        assert_eq!(dao.batch_delete(&all[..3]).await.unwrap(), 1);
        assert_eq!(dao.batch_delete_by_keys([1, 4, 7]).await.unwrap(), 1);
        assert_eq!(dao.delete_where(prop("Id").gt(5)).await.unwrap(), 1);
        assert_eq!((docs(&mine).await, docs(&session).await), (vec![5], vec![5, 7, 8, 9]));
        assert_eq!((stored::<Doc>(&session).await, stored::<Doc>(&mine).await), ((9, 5), (6, 5)));
        assert_eq!(dao.delete_all_rows().await.unwrap(), 1);
        assert_eq!((docs(&mine).await, docs(&session).await), (vec![], vec![7, 8, 9]));

        // Nothing else sees them: neither by key, nor an update, nor an upsert, which does not bring them back.
        let views = ObjectViewDao::<Doc>::new(&mine);
        assert_eq!((views.get(1).await.unwrap(), views.exists_key(1).await.unwrap()), (None, false));
        assert!(!dao.update(&mut all[0].clone()).await.unwrap());
        assert_eq!(dao.batch_update(&mut all[..6].to_vec()).await.unwrap(), 0);
        assert_eq!(dao.update_or_insert(&mut all[0].clone()).await.unwrap(), UpdateOrInsertResult::Failed);
        assert!(dao.batch_update_or_insert(&mut all[..2].to_vec()).await.is_err());
        assert!(dao.insert(&mut all[0].clone()).await.unwrap_err().is_unique_violation());
        assert_eq!(stored::<Doc>(&session).await, (9, 6));

        // They are looked through, and brought back.
        let deleted = mine.scoped(&Scope::new().only_deleted("Doc")).unwrap();
        assert_eq!(docs(&deleted).await, [1, 2, 3, 4, 5, 6]);
        let found = ObjectViewDao::<Doc>::new(&deleted).get(1).await.unwrap().unwrap();
        let age = chrono::Utc::now().naive_utc() - found.deleted_at.unwrap();
        assert!(age.num_minutes().abs() < 2, "{found:?}");
        assert!(dao.restore(&all[0]).await.unwrap() && !dao.restore(&all[0]).await.unwrap());
        assert!(dao.restore_by_keys(2).await.unwrap());
        assert!(!dao.restore_by_keys(8).await.unwrap());
        assert_eq!(views.get(1).await.unwrap().as_ref(), Some(&all[0]));
        assert_eq!(docs(&mine).await, [1, 2]);
        // Also by one who sees everybody's.
        ObjectDao::<Doc>::new(&session).delete_by_keys(8).await.unwrap();
        assert!(ObjectDao::<Doc>::new(&session.unscoped("support")).restore_by_keys(8).await.unwrap());
        assert_eq!(docs(&session).await, [1, 2, 7, 8, 9]);
        assert_eq!(stored::<Doc>(&session).await, (9, 4));
    })
    .await;
}

#[tokio::test]
async fn b2_26_a_truth_value_marks_as_well() {
    each_two(async |two| {
        let session = two.all.context().create_session().unwrap();
        let dao = ObjectDao::<Flag>::new(&session);
        let mut flags: Vec<Flag> = (1..=40).map(|id| Flag { id, ..Flag::default() }).collect();
        dao.batch_insert(&mut flags).await.unwrap();
        assert_eq!(dao.batch_delete(&flags[..20]).await.unwrap(), 20);
        assert_eq!(dao.batch_delete(&flags[..20]).await.unwrap(), 0);
        assert_eq!(stored::<Flag>(&session).await, (40, 20));
        assert!(dao.restore(&flags[0]).await.unwrap() && !dao.restore(&flags[30]).await.unwrap());
        let back = ObjectViewDao::<Flag>::new(&session).get(1).await.unwrap().unwrap();
        assert!(!back.gone && back.version > 1, "{back:?}");
        assert_eq!(dao.batch_update(&mut flags[20..].to_vec()).await.unwrap(), 20);
        assert_eq!(stored::<Flag>(&session).await, (40, 19));
        // Of what is not marked so, there is nothing to bring back.
        let error = ObjectDao::<Page>::new(&session).restore_by_keys(1).await.unwrap_err();
        assert!(matches!(error, OrmError::Field(_)), "{error}");
        let error = session.scoped(&Scope::new().only_deleted("Page")).map(drop).unwrap_err();
        assert!(matches!(error, OrmError::Scope(_)), "{error}");
    })
    .await;
}

#[tokio::test]
async fn b2_27_what_a_deleted_parent_says_is_null_and_not_written_back() {
    each_two(async |two| {
        let session = two.all.context().create_session().unwrap();
        ObjectDao::new(&session).batch_insert(&mut [doc(A, 1), doc(A, 2)]).await.unwrap();
        let page = |id, doc| Page { id, doc_id: Some(doc), words: 5 };
        ObjectDao::new(&session).batch_insert(&mut [page(1, 1), page(2, 2)]).await.unwrap();
        assert!(ObjectDao::<Doc>::new(&session).delete_by_keys(1).await.unwrap());
        let views = ObjectViewDao::<PageView>::new(&session);
        let seen = views.search(from("PageView").order_by(["Id"])).all().await.unwrap();
        let titles: Vec<Option<&str>> = seen.iter().map(|page| page.doc_title.as_deref()).collect();
        assert_eq!(titles, [None, Some("D2")]);
        assert_eq!(seen[0].page, page(1, 1));
        // The page is written back with the key that it has; its document keeps its title.
        let mut changed = Page { words: 6, ..seen[0].page.clone() };
        assert!(ObjectDao::new(&session).update(&mut changed).await.unwrap());
        assert_eq!(views.get(1).await.unwrap().unwrap().page, Page { words: 6, ..page(1, 1) });
        let kept = session.scoped(&Scope::new().with_deleted("Doc")).unwrap();
        assert_eq!(
            ObjectViewDao::<PageView>::new(&kept).get(1).await.unwrap().unwrap().doc_title.as_deref(),
            Some("D1")
        );
        // A set write that looks at it does not see it.
        let of_title = |title: &str| LogicExpr::from(exists_related("Doc", prop("Title").eq(title)));
        let count =
            async |title| run(&session, table("Page").update([("Words", 7)]).filter(of_title(title))).await.unwrap();
        assert_eq!((count("D1").await, count("D2").await), (0, 1));
        assert_eq!(stored::<Doc>(&session).await, (2, 1));
    })
    .await;
}
