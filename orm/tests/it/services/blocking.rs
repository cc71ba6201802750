//! Services whose methods wait.

use isogloss::blocking::{EntityService, EntityViewService, Orm, Session};
use isogloss::entity::update;
use isogloss::expr::Expr;
use isogloss::prelude::{ValueOps as _, expr, from, prop};
use isogloss::service::EntityOperation;
use isogloss::{OrmContext, OrmResult};

use crate::services::tape::{Answer, Log, Tape};
use crate::services::{Item, ItemView, Mark, each, item, mark};

#[tokio::test]
async fn e02_e07_v01_what_waits_gives_the_same() {
    let log = Log::default();
    let builder = || {
        let tape = Tape::new("", &log).to("inserting no", Answer::No);
        isogloss::Orm::builder().entity_events::<Item, _>(move |_| Ok(tape.clone()))
    };
    each(builder, async |context: OrmContext| {
        let log = log.clone();
        tokio::task::spawn_blocking(move || run(&Orm::from(context), &log)).await.unwrap().unwrap();
    })
    .await;
}

fn run(orm: &Orm, log: &Log) -> OrmResult<()> {
    log.take();
    let session = orm.create_session()?;
    let items = EntityService::<Item, ItemView>::new(&session);
    let mut saw = item("saw", 1);
    assert!(items.insert(&mut saw)? && items.update(&mut saw)? && items.update_or_insert(&mut saw)?);
    assert!(!items.insert(&mut item("no", 1))? && items.delete(&saw)?);
    assert_eq!(log.take().iter().filter(|line| line.starts_with("committed")).count(), 4);
    let mut all: Vec<Item> = (0..6).map(|n| item(&format!("i{n}"), n)).collect();
    assert_eq!(items.batch_insert(&mut all)?.written, 6);
    assert_eq!(items.batch_update(&mut all)?.written + items.batch_update_or_insert(&mut all)?.written, 12);
    assert_eq!(items.get_object(all[0].id)?.unwrap().item, all[0]);
    assert_eq!(items.search(expr!(|i: ItemView| i.price >= 4))?.len(), 2);
    let order: Expr = from("ItemView").order_by(["Price"]).into();
    assert_eq!(items.search_one(order)?.unwrap().item, all[0]);
    assert_eq!(items.search_as::<i32>(from("ItemView").order_by(["Price"]).select(["Price"]))?, [0, 1, 2, 3, 4, 5]);
    assert!(items.search_one_as::<i32>(from("ItemView").select(["Price"]))?.is_some());
    let mut sum = 0;
    items.for_each((), |item| {
        sum += item.item.price;
        Ok(())
    })?;
    assert_eq!(
        (sum, items.count(())?, items.exists(Item::PRICE.eq(9))?, items.exists_id(all[0].id)?),
        (15, 6, false, true)
    );
    assert!(items.delete_id(all[0].id)?);
    assert_eq!(items.delete_all(expr!(|i: Item| i.price == 1))?, 1);
    assert_eq!(items.update_all(update::<Item>([Item::PRICE.set(9)]).all_rows())?, 4);
    assert_eq!(items.batch_delete(&all[2..3])?.written + items.batch_delete_id([all[3].id])?.written, 2);
    assert_eq!(items.batch(&mut [EntityOperation::delete(all[4].clone())])?.written, 1);
    log.take();
    // A transaction, and what runs behind its end.
    let failed: OrmResult<()> = session.transaction(|tx: &Session| {
        EntityService::<Item>::new(tx).insert(&mut item("back", 1))?;
        Err(isogloss::entity::FieldError::new("no").into())
    });
    assert!(failed.is_err());
    assert_eq!(log.take(), ["inserting back", "inserted back", "rolled back: inserted back"]);
    let told = log.clone();
    session.transaction(|tx: &Session| {
        items.insert(&mut item("kept", 1))?;
        tx.after_commit(move |after: Session| {
            let count = EntityViewService::<Item>::new(&after).count(prop("Name").eq("kept"))?;
            told.add(format!("{count} after"));
            Ok(())
        })
    })?;
    assert_eq!(log.take()[2..], ["committed: inserted kept", "1 after"]);
    assert_eq!(items.delete_all_rows()?, 2);
    let marks = EntityService::<Mark>::new(&session);
    marks.insert(&mut mark(2024, 1, "a", 1))?;
    assert_eq!(marks.with_args(["2024"]).count(())?, 1);
    Ok(())
}
