//! Rows of which the database makes all.

use isogloss::Session;
use isogloss::dao::{ObjectDao, ObjectViewDao};
use isogloss::prelude::*;

use crate::dao::{catalog, engines};

/// Nothing but its number.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "tickets", columns = "snake_case")]
pub(crate) struct Ticket {
    #[column(primary_key, identity)]
    pub(crate) id: i64,
}

#[tokio::test]
async fn a_row_may_be_nothing_but_its_number() {
    engines::each(catalog, &[("Ticket", &[])], async |session: Session| {
        let tickets = ObjectDao::<Ticket>::new(&session);
        let mut one = Ticket::default();
        assert!(tickets.insert(&mut one).await.unwrap());
        let mut more = vec![Ticket::default(); 3];
        tickets.batch_insert(&mut more).await.unwrap();
        let ids: Vec<i64> = [one].iter().chain(&more).map(|ticket| ticket.id).collect();
        assert_eq!(ids, [1, 2, 3, 4]);
        assert_eq!(ObjectViewDao::<Ticket>::new(&session).get(4).await.unwrap(), more.pop());
    })
    .await;
}
