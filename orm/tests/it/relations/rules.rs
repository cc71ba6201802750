//! Scopes, fixed filters and marks of deleted rows hold for what is loaded.

use isogloss::Scope;
use isogloss::dao::ObjectDao;
use isogloss::prelude::*;
use isogloss::session::Purpose;

use super::{Desk, Note, Order, Tag, all, each, put};

#[tokio::test]
async fn another_tenants_rows_are_not_loaded() {
    each(async |session| {
        let tenant =
            |id: i32| session.context().create_session().unwrap().scoped(&Scope::new().column("TenantId", id)).unwrap();
        let note = |id, tenant_id, desk_id| Note { id, tenant_id: Some(tenant_id), desk_id };
        put(&session, [Desk { id: 1, ..Desk::default() }, Desk { id: 2, ..Desk::default() }]).await;
        put(&tenant(1), [note(1, 1, 1), note(2, 1, 2)]).await;
        put(&tenant(2), [note(3, 2, 1)]).await;
        let mut desks = all::<Desk>(&session).await;
        desks.sort_by_key(|desk| desk.id);
        for (id, notes) in [(1, [vec![1], vec![2]]), (2, [vec![3], vec![]])] {
            session.clear_sql_stack();
            tenant(id).load(&mut desks, Desk::notes()).await.unwrap();
            let found = desks.iter().map(|desk| desk.notes.get().unwrap().iter().map(|note| note.id).collect());
            assert_eq!(found.collect::<Vec<Vec<i32>>>(), notes);
        }
        // Without a scope it is refused, and what was loaded stays.
        assert!(matches!(session.load(&mut desks, Desk::notes()).await, Err(OrmError::NoScope { .. })));
        assert_eq!(desks[0].notes.get().unwrap().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn what_is_deleted_or_fixed_out_is_not_loaded() {
    each(async |session| {
        ObjectDao::<Tag>::new(&session).delete(&Tag { id: 2, ..Tag::default() }).await.unwrap();
        let mut lease = session.lease(None, Purpose::Write).await.unwrap();
        lease.script("UPDATE rel_order_tags SET open = (1 = 0) WHERE id = 4").await.unwrap();
        drop(lease);
        let mut orders = all::<Order>(&session).await;
        orders.sort_by_key(|order| order.id);
        session.load(&mut orders, Order::tags()).await.unwrap();
        let tags = |order: &Order| order.tags.get().unwrap().iter().map(|tag| tag.id).collect::<Vec<_>>();
        assert_eq!(orders.iter().map(tags).collect::<Vec<_>>(), [vec![1], vec![1], vec![]]);
    })
    .await;
}
