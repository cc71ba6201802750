//! Events in the transaction of what they are of.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use isogloss::context::OrmBuilder;
use isogloss::dao::ObjectDao;
use isogloss::entity::update;
use isogloss::prelude::*;
use isogloss::service::{
    BatchResult, Change, DynamicService, EntityEvents, EntityOperation, EntityService, EventContext, ServiceError,
    SetWrite, async_trait,
};
use isogloss::{OrmContext, OrmError};

use crate::services::tape::{Answer, Log, Tape};
use crate::services::{Audit, Doc, Item, Mark, each, item, mark};

/// Runs a test on every engine with tapes that listen to items, in their order.
async fn heard<F: Future<Output = ()>>(tapes: &[Tape], test: impl Fn(EntityService<Item>) -> F) {
    let builder = || {
        tapes
            .iter()
            .cloned()
            .fold(Orm::builder(), |builder, tape| builder.entity_events::<Item, _>(move |_| Ok(tape.clone())))
    };
    each(builder, async |context: OrmContext| test(EntityService::new(&context.create_session().unwrap())).await).await;
}

async fn names(items: &EntityService<Item>) -> Vec<String> {
    let names = items.search_as(from("Item").order_by(["Name"]).select(["Name"]));
    names.await.unwrap()
}

#[tokio::test]
async fn ve01_ve02_ve14_each_operation_has_its_events() {
    let log = Log::default();
    heard(&[Tape::new("", &log)], async |items: EntityService<Item>| {
        let mut saw = item("saw", 1);
        assert!(items.insert(&mut saw).await.unwrap());
        assert_eq!(log.take(), ["inserting saw", "inserted saw", "committed: inserted saw"]);
        assert!(items.update(&mut saw).await.unwrap());
        assert_eq!(log.take(), ["updating saw", "updated saw", "committed: updated saw"]);
        assert!(items.update_or_insert(&mut saw).await.unwrap());
        assert_eq!(log.take(), ["upserting saw", "upserted saw", "committed: upserted saw"]);
        let change = update::<Item>([Item::PRICE.set(2)]).filter(Item::ID.eq(saw.id));
        assert_eq!(items.update_all(change).await.unwrap(), 1);
        let told = ["updating all [Price] where true", "updated all 1 [Price] where true"];
        assert_eq!(log.take(), [told[0], told[1], "committed: updated 1 [Price] where true"]);
        assert!(items.delete(&saw).await.unwrap());
        assert_eq!(log.take(), ["deleting saw", "deleted saw", "committed: deleted saw"]);

        let mut more = [item("a", 1), item("b", 2), item("c", 3), item("d", 4)];
        ObjectDao::<Item>::new(items.session()).batch_insert(&mut more).await.unwrap();
        assert!(items.delete_id(more[0].id).await.unwrap());
        assert_eq!(log.take(), ["deleting id 1 of []", "deleted id 1 of []", "committed: deleted id 1"]);
        items.batch_delete_id([more[0].id, more[1].id]).await.unwrap();
        assert_eq!(log.take(), ["deleting ids 2", "deleted ids 2", "committed: deleted ids 2"]);
        assert_eq!(items.delete_all(expr!(|i: Item| i.name == "c")).await.unwrap(), 1);
        let told = ["deleting all [] where true", "deleted all 1 [] where true"];
        assert_eq!(log.take(), [told[0], told[1], "committed: deleted 1 [] where true"]);
        assert_eq!(items.delete_all_rows().await.unwrap(), 1);
        let told = ["deleting all [] where false", "deleted all 1 [] where false"];
        assert_eq!(log.take(), [told[0], told[1], "committed: deleted 1 [] where false"]);
        assert_eq!(items.session().take_hook_errors().len(), 0);
    })
    .await;
}

#[tokio::test]
async fn ve01_arguments_and_composite_keys() {
    let log = Log::default();
    let tape = || {
        let tape = Tape::new("", &log);
        Orm::builder().entity_events::<Mark, _>(move |_| Ok(tape.clone()))
    };
    each(tape, async |context: OrmContext| {
        let marks = EntityService::<Mark>::new(&context.create_session().unwrap());
        marks.insert(&mut mark(2024, 1, "a", 1)).await.unwrap();
        log.take();
        assert!(marks.clone().with_args(["2024"]).delete_id((1, "a")).await.unwrap());
        let args = r#"2 of ["2024"]"#;
        assert_eq!(log.take()[..2], [format!("deleting id {args}"), format!("deleted id {args}")]);
        marks.insert(&mut mark(2025, 1, "a", 1)).await.unwrap();
        assert_eq!(marks.with_args(["2025"]).delete_all(prop("Day").eq(1)).await.unwrap(), 1);
    })
    .await;
}

#[tokio::test]
async fn ve03_ve09_the_first_false_ends_the_asking() {
    let log = Log::default();
    let tapes = [Tape::new("1 ", &log), Tape::new("2 ", &log).to("inserting no", Answer::No), Tape::new("3 ", &log)];
    heard(&tapes, async |items: EntityService<Item>| {
        assert!(items.insert(&mut item("yes", 1)).await.unwrap());
        let yes: Vec<String> = ["inserting yes", "inserted yes", "committed: inserted yes"]
            .iter()
            .flat_map(|line| (1..=3).map(move |tape| format!("{tape} {line}")))
            .collect();
        assert_eq!(log.take(), yes);
        let mut no = item("no", 1);
        assert!(!items.insert(&mut no).await.unwrap());
        assert_eq!((log.take(), no.id), (vec!["1 inserting no".to_owned(), "2 inserting no".to_owned()], 0));
        assert_eq!(names(&items).await, ["yes"]);
    })
    .await;
}

#[tokio::test]
async fn ve04_what_is_cancelled_is_not_done() {
    let log = Log::default();
    let no = ["updating", "upserting", "deleting", "inserting no"];
    let tape = no.iter().fold(Tape::new("", &log), |tape, line| tape.to(line, Answer::No));
    // The listeners before and after it agree to everything.
    let behind = Log::default();
    heard(&[Tape::new("", &Log::default()), tape, Tape::new("", &behind)], async |items: EntityService<Item>| {
        let mut saw = item("saw", 1);
        items.insert(&mut saw).await.unwrap();
        log.take();
        behind.take();
        let mut changed = Item { price: 9, ..saw.clone() };
        assert!(!items.update(&mut changed).await.unwrap());
        assert!(!items.update_or_insert(&mut changed).await.unwrap());
        assert!(!items.delete(&saw).await.unwrap() && !items.delete_id(saw.id).await.unwrap());
        assert_eq!(items.delete_all(Item::PRICE.eq(1)).await.unwrap(), 0);
        assert_eq!(items.delete_all_rows().await.unwrap(), 0);
        assert_eq!(items.update_all(update::<Item>([Item::PRICE.set(9)]).all_rows()).await.unwrap(), 0);
        let cancelled = |places: &[usize]| BatchResult { written: 0, cancelled: places.to_vec() };
        assert_eq!(items.batch_delete_id([saw.id, 2]).await.unwrap(), cancelled(&[0, 1]));
        assert_eq!(items.batch_update(&mut [changed.clone()]).await.unwrap(), cancelled(&[0]));
        assert_eq!(items.batch_update_or_insert(&mut [changed]).await.unwrap(), cancelled(&[0]));
        assert_eq!(items.batch_delete(&[saw.clone()]).await.unwrap(), cancelled(&[0]));
        assert!(log.take().iter().all(|line| line.contains("ing ")));
        assert_eq!(behind.take(), [""; 0]);

        // In a batch that row alone is left out, and named.
        let mut batch = [item("a", 1), item("no 1", 1), item("b", 1), item("no 2", 1)];
        let result = items.batch_insert(&mut batch).await.unwrap();
        assert_eq!(result, BatchResult { written: 2, cancelled: vec![1, 3] });
        assert_eq!(batch.map(|item| item.id > 0), [true, false, true, false]);
        assert_eq!(names(&items).await, ["a", "b", "saw"]);
        assert_eq!(items.get_object(saw.id).await.unwrap(), Some(saw));
        // Of a row that is left out, the others keep their places in the error.
        let error = items.batch_insert(&mut [item("no", 1), item("c", 1), item("a", 1)]).await.unwrap_err();
        assert!(error.to_string().starts_with("row 3 of `Item`"), "{error}");
    })
    .await;
}

#[tokio::test]
async fn ve05_after_is_told_of_what_was_written() {
    let log = Log::default();
    heard(&[Tape::new("", &log)], async |items: EntityService<Item>| {
        let mut absent = Item { id: 99, ..item("absent", 1) };
        assert!(!items.update(&mut absent).await.unwrap() && !items.delete(&absent).await.unwrap());
        assert!(!items.delete_id(99).await.unwrap());
        assert_eq!(items.delete_all(Item::ID.eq(99)).await.unwrap(), 0);
        let change = update::<Item>([Item::PRICE.set(2)]).filter(Item::ID.eq(99));
        assert_eq!(items.update_all(change).await.unwrap(), 0);
        let asked = ["updating absent", "deleting absent", "deleting id 1 of []", "deleting all [] where true"];
        assert_eq!(log.take()[..4], asked);
        // Keys of a batch are told always.
        items.batch_delete_id([99]).await.unwrap();
        assert_eq!(log.take(), ["deleting ids 1", "deleted ids 1", "committed: deleted ids 1"]);
    })
    .await;
    // An upsert that fails by its version is not told.
    let tape = || {
        let tape = Tape::new("", &log);
        Orm::builder().entity_events::<Doc, _>(move |_| Ok(tape.clone()))
    };
    each(tape, async |context: OrmContext| {
        let docs = EntityService::<Doc>::new(&context.create_session().unwrap());
        docs.insert(&mut Doc { id: 1, ..Doc::default() }).await.unwrap();
        log.take();
        assert!(!docs.update_or_insert(&mut Doc { id: 1, version: 7, ..Doc::default() }).await.unwrap());
        assert_eq!(log.take(), ["upserting 1"]);
        // In a batch it is an error of all.
        let mut both = [Doc { id: 2, ..Doc::default() }, Doc { id: 1, version: 7, ..Doc::default() }];
        let error = docs.batch_update_or_insert(&mut both).await.unwrap_err();
        assert!(error.to_string().starts_with("row 2 of `Doc`"), "{error}");
        assert_eq!(log.take(), ["upserting 2", "upserting 1"]);
        assert_eq!(docs.count(()).await.unwrap(), 1);
    })
    .await;
}

#[tokio::test]
async fn ve06_a_batch_asks_all_and_tells_all() {
    let log = Log::default();
    heard(&[Tape::new("", &log)], async |items: EntityService<Item>| {
        let mut all: Vec<Item> = ["a", "b", "c"].map(|name| item(name, 1)).into();
        items.session().clear_sql_stack();
        items.batch_insert(&mut all).await.unwrap();
        let events = |before: &str, after: &str, done: &str, of: &[&str]| -> Vec<String> {
            let lines = |verb: String| of.iter().map(move |name| format!("{verb} {name}"));
            lines(before.into()).chain(lines(after.into())).chain(lines(format!("committed: {done}"))).collect()
        };
        assert_eq!(log.take(), events("inserting", "inserted", "inserted", &["a", "b", "c"]));
        let inserts = items.session().sql_stack().iter().filter(|sql| sql.starts_with("INSERT")).count();
        assert_eq!(inserts, 1, "no hidden loop: {:?}", items.session().sql_stack());
        items.batch_update(&mut all).await.unwrap();
        assert_eq!(log.take(), events("updating", "updated", "updated", &["a", "b", "c"]));
        items.batch_update_or_insert(&mut all).await.unwrap();
        assert_eq!(log.take(), events("upserting", "upserted", "upserted", &["a", "b", "c"]));

        // Of what is not there nothing is told behind; of one that is given twice, it is told once.
        let mut some = vec![all[0].clone(), Item { id: 99, ..item("x", 1) }, all[2].clone()];
        assert_eq!(items.batch_update(&mut some).await.unwrap().written, 2);
        let told = log.take();
        assert_eq!(told[..3], ["updating a", "updating x", "updating c"]);
        assert_eq!(told[3..], ["updated a", "updated c", "committed: updated a", "committed: updated c"]);
        some.push(all[0].clone());
        assert_eq!(items.batch_delete(&some).await.unwrap().written, 2);
        let told = log.take();
        assert_eq!(told[4..], ["deleted a", "deleted c", "committed: deleted a", "committed: deleted c"]);
        assert_eq!(names(&items).await, ["b"]);
        items.batch_insert(&mut []).await.unwrap();
        assert_eq!(log.take(), [""; 0]);
    })
    .await;
    // Of a composite key, and of shards.
    let tape = || {
        let tape = Tape::new("", &log);
        Orm::builder().entity_events::<Mark, _>(move |_| Ok(tape.clone()))
    };
    each(tape, async |context: OrmContext| {
        let marks = EntityService::<Mark>::new(&context.create_session().unwrap());
        let mut all = [mark(2024, 1, "a", 1), mark(2025, 1, "b", 1), mark(2024, 2, "c", 1)];
        marks.batch_insert(&mut all).await.unwrap();
        log.take();
        marks
            .batch_delete(&[all[2].clone(), mark(2024, 3, "x", 1), all[1].clone(), mark(2025, 2, "c", 1)])
            .await
            .unwrap();
        assert_eq!(log.take()[4..], ["deleted c", "deleted b", "committed: deleted c", "committed: deleted b"]);
    })
    .await;
}

#[tokio::test]
async fn ve07_operations_of_a_batch_have_the_events_of_their_kinds() {
    let log = Log::default();
    let tape = Tape::new("", &log).to("inserting no", Answer::No);
    heard(&[tape], async |items: EntityService<Item>| {
        let (mut old, mut kept) = (item("old", 1), item("kept", 1));
        items.insert(&mut old).await.unwrap();
        items.insert(&mut kept).await.unwrap();
        log.take();
        let mut operations = [
            EntityOperation::delete(old),
            EntityOperation::insert(item("no", 1)),
            EntityOperation::insert(item("old", 2)),
            EntityOperation::update(kept),
        ];
        let result = items.batch(&mut operations).await.unwrap();
        assert_eq!(result, BatchResult { written: 3, cancelled: vec![1] });
        let told = log.take();
        assert_eq!(told[..4], ["deleting old", "inserting no", "inserting old", "updating kept"]);
        assert_eq!(told[4..7], ["deleted old", "inserted old", "updated kept"]);
        assert_eq!(told[7..], ["committed: deleted old", "committed: inserted old", "committed: updated kept"]);
        assert!(operations[2].entity.id > 0 && operations[1].entity.id == 0);
    })
    .await;
}

#[tokio::test]
async fn ve08_subscribers_are_made_once_at_the_first_operation() {
    let made = Arc::new(AtomicU32::new(0));
    let log = Log::default();
    let builder = || {
        made.store(0, Ordering::SeqCst);
        let (first, made, log) = (Arc::clone(&made), Arc::clone(&made), log.clone());
        Orm::builder()
            .entity_events::<Item, _>(move |_| {
                first.fetch_add(100, Ordering::SeqCst);
                Ok(Tape::default())
            })
            .entity_events::<Item, _>(move |_| match made.fetch_add(1, Ordering::SeqCst) % 100 {
                0 => Err(isogloss::entity::FieldError::new("not yet").into()),
                1 => panic!("on purpose"),
                _ => Ok(Tape::new("", &log)),
            })
    };
    each(builder, async |context: OrmContext| {
        let session = context.create_session().unwrap();
        let items = EntityService::<Item>::new(&session);
        assert_eq!((items.count(()).await.unwrap(), made.load(Ordering::SeqCst)), (0, 0));
        // It surfaces at the first operation, nothing is written, and the next one tries again.
        let error = items.insert(&mut item("a", 1)).await.unwrap_err();
        let OrmError::Service(error) = error else { panic!("{error}") };
        assert!(matches!(*error, ServiceError::NotMade { entity: "Item", .. }), "{error}");
        assert!(error.to_string().ends_with("could not be made: not yet"), "{error}");
        let error = items.insert(&mut item("a", 1)).await.unwrap_err();
        assert!(error.to_string().contains("panicked"), "{error}");
        assert_eq!(names(&items).await, [""; 0]);
        for name in ["a", "b"] {
            assert!(items.insert(&mut item(name, 1)).await.unwrap());
        }
        assert_eq!(made.load(Ordering::SeqCst), 103, "the first is made once, and the other once it can be");
        assert_eq!(log.take().len(), 6);
        // Other entities do not ask for them.
        EntityService::<Doc>::new(&session).insert(&mut Doc::default()).await.unwrap();
    })
    .await;
    // All can be made at once, which a test does.
    let context = builder().catalog(crate::services::catalog()).build().await.unwrap();
    assert!(context.check_subscribers().is_err() && context.check_subscribers().is_err());
    context.check_subscribers().unwrap();
    context.check_subscribers().unwrap();
    assert_eq!(made.load(Ordering::SeqCst), 103);
}

#[tokio::test]
async fn ve08_what_makes_a_subscriber_may_ask_for_others_but_not_for_itself() {
    let asks = |error: Arc<std::sync::Mutex<String>>| {
        Orm::builder().catalog(crate::services::catalog()).entity_events::<Item, _>(move |context| {
            *error.lock().unwrap() = context.check_subscribers().unwrap_err().to_string();
            Ok(Tape::default())
        })
    };
    let error = Arc::default();
    let context = asks(Arc::clone(&error)).build().await.unwrap();
    context.check_subscribers().unwrap();
    let error = error.lock().unwrap().clone();
    assert!(error.contains("could not be made") && error.ends_with("must not write the entity"), "{error}");
    // Two at a time do not wait for each other: the first to be ready is kept.
    let made = Arc::new(AtomicU32::new(0));
    let both = Arc::new(std::sync::Barrier::new(2));
    let count = Arc::clone(&made);
    let slow = Orm::builder().catalog(crate::services::catalog()).entity_events::<Item, _>(move |_| {
        both.wait();
        count.fetch_add(1, Ordering::SeqCst);
        Ok(Tape::default())
    });
    let context = slow.build().await.unwrap();
    std::thread::scope(|scope| {
        let other = scope.spawn(|| context.check_subscribers());
        context.check_subscribers().unwrap();
        other.join().unwrap().unwrap();
    });
    context.check_subscribers().unwrap();
    assert_eq!(made.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn ve10_an_error_is_passed_on_and_takes_everything_back() {
    let log = Log::default();
    let tapes = [
        Tape::new("1 ", &log),
        Tape::new("2 ", &log)
            .to("inserting fails", Answer::Fails)
            .to("inserting panics", Answer::Panics)
            .to("inserted late", Answer::Fails)
            .to("inserted burst", Answer::Panics),
        Tape::new("3 ", &log),
    ];
    heard(&tapes, async |items: EntityService<Item>| {
        let outer = items.session().clone();
        let last = |lines: Vec<String>| lines.into_iter().next_back();
        for in_transaction in [false, true] {
            if in_transaction {
                outer.begin(&isogloss::driver::TransactionOptions::default()).await.unwrap();
                items.insert(&mut item("before", 1)).await.unwrap();
                log.take();
            }
            let before = names(&items).await;
            for name in ["fails", "panics", "late", "burst"] {
                let error = items.insert(&mut item(name, 1)).await.unwrap_err();
                match ["panics", "burst"].contains(&name) {
                    true => assert!(
                        matches!(&error, OrmError::Service(error)
                        if matches!(&**error, ServiceError::Panicked { who } if who.ends_with("Tape"))),
                        "{error}"
                    ),
                    false => assert_eq!(error.to_string(), "unwilling"),
                }
                let told = log.take();
                assert!(!told.iter().any(|line| line.starts_with("3 inserted")), "{told:?}");
                // What was written is told to be taken back, when the whole has ended.
                let written = ["late", "burst"].contains(&name);
                let back = format!("3 rolled back: inserted {name}");
                assert_eq!(last(told) == Some(back), written && !in_transaction, "{name}");
                assert_eq!(names(&items).await, before, "{name}");
                // A batch is taken back whole.
                let batch = items.batch_insert(&mut [item("a", 1), item(name, 1)]).await;
                assert!(batch.is_err());
                log.take();
                assert_eq!(names(&items).await, before, "{name}");
            }
            if in_transaction {
                outer.commit().await.unwrap();
                let told = log.take();
                assert!(told.contains(&"3 committed: inserted before".to_owned()), "{told:?}");
                assert!(told.contains(&"3 rolled back: inserted late".to_owned()), "{told:?}");
                assert_eq!(told.iter().filter(|line| line.contains("committed")).count(), 3, "{told:?}");
                assert_eq!(names(&items).await, ["before"]);
            }
        }
    })
    .await;
}

/// Refuses what it has changed before.
struct Refuses;

#[async_trait]
impl EntityEvents<Item> for Refuses {
    async fn on_inserting(&self, item: &mut Item, _: &EventContext) -> OrmResult<bool> {
        item.price += 100;
        Ok(item.name != "no")
    }
}

#[tokio::test]
async fn ve10_what_is_not_written_stays_as_the_caller_has_it() {
    let log = Log::default();
    let late = || {
        let tape = Tape::new("", &log).to("updated 1", Answer::Fails).to("inserted 2", Answer::Fails);
        Orm::builder().entity_events::<Doc, _>(move |_| Ok(tape.clone()))
    };
    each(late, async |context: OrmContext| {
        let session = context.create_session().unwrap();
        let docs = EntityService::<Doc>::new(&session);
        let mut doc = Doc { id: 1, ..Doc::default() };
        docs.insert(&mut doc).await.unwrap();
        // The version is the one that the row has again: without the subscriber, the update finds it.
        let before = doc.clone();
        doc.text = "changed".into();
        docs.update(&mut doc).await.unwrap_err();
        assert_eq!(doc, Doc { text: "changed".into(), ..before });
        assert!(ObjectDao::<Doc>::new(&session).update(&mut doc).await.unwrap());
        let mut second = Doc { id: 2, ..Doc::default() };
        docs.insert(&mut second).await.unwrap_err();
        assert_eq!(second, Doc { id: 2, ..Doc::default() });
    })
    .await;
    each(
        || Orm::builder().entity_events::<Item, _>(|_| Ok(Refuses)),
        async |context: OrmContext| {
            let items = EntityService::<Item>::new(&context.create_session().unwrap());
            let (mut alone, mut batch) = (item("no", 1), [item("no", 1)]);
            assert!(!items.insert(&mut alone).await.unwrap());
            items.batch_insert(&mut batch).await.unwrap();
            assert_eq!((&alone, &batch[0]), (&item("no", 1), &item("no", 1)));
        },
    )
    .await;
}

/// Fills in what is missing, writes through the session, and narrows what is written to sets.
struct Shop;

#[async_trait]
impl EntityEvents<Item> for Shop {
    async fn on_inserting(&self, item: &mut Item, _: &EventContext) -> OrmResult<bool> {
        // It waits for something in between, as a call of another service would.
        tokio::task::yield_now().await;
        item.price += 100;
        Ok(true)
    }

    async fn on_updating(&self, item: &mut Item, _: &EventContext) -> OrmResult<bool> {
        item.name.make_ascii_uppercase();
        Ok(true)
    }

    async fn on_inserted(&self, item: &Item, event: &EventContext) -> OrmResult<()> {
        let audits = EntityService::<Audit>::new(event.session());
        audits.insert(&mut Audit { id: 0, text: format!("{} {}", item.name, item.id > 0) }).await?;
        if item.name == "wrong" { Err(isogloss::entity::FieldError::new("wrong").into()) } else { Ok(()) }
    }

    async fn on_delete_alling(&self, write: &mut SetWrite<Item>, _: &EventContext) -> OrmResult<bool> {
        write.narrow(expr!(|i: Item| i.name != "kept"));
        write.narrow(None::<LogicExpr>);
        Ok(true)
    }

    async fn on_update_alling(&self, write: &mut SetWrite<Item>, _: &EventContext) -> OrmResult<bool> {
        write.narrow(Item::NAME.ne("kept"));
        Ok(true)
    }
}

fn shop() -> OrmBuilder {
    Orm::builder().entity_events::<Item, _>(|_| Ok(Shop))
}

#[tokio::test]
async fn ve11_ve12_callbacks_wait_and_what_they_change_is_written() {
    each(shop, async |context: OrmContext| {
        let session = context.create_session().unwrap();
        let (items, audits) = (EntityService::<Item>::new(&session), EntityService::<Audit>::new(&session));
        let mut saw = item("saw", 1);
        items.insert(&mut saw).await.unwrap();
        assert_eq!(saw.price, 101);
        assert_eq!(items.get_object(saw.id).await.unwrap().as_ref(), Some(&saw));
        items.update(&mut saw).await.unwrap();
        assert_eq!((saw.name.as_str(), names(&items).await), ("SAW", vec!["SAW".to_owned()]));
        let mut batch = [item("a", 1), item("b", 1)];
        items.batch_insert(&mut batch).await.unwrap();
        items.batch_update(&mut batch).await.unwrap();
        assert_eq!(batch.map(|item| (item.price, item.name)), [(101, "A".into()), (101, "B".into())]);
        let mut operations = [EntityOperation::insert(item("c", 1))];
        items.batch(&mut operations).await.unwrap();
        assert_eq!(items.get_object(operations[0].entity.id).await.unwrap().unwrap().price, 101);
        // What they write through the session belongs to the operation.
        assert_eq!(audits.count(Audit::TEXT.eq("saw true")).await.unwrap(), 1);
        assert!(items.insert(&mut item("wrong", 1)).await.is_err());
        assert_eq!((audits.count(()).await.unwrap(), items.count(()).await.unwrap()), (4, 4));
    })
    .await;
}

#[tokio::test]
async fn ve12_writes_of_sets_are_narrowed_and_never_widened() {
    each(shop, async |context: OrmContext| {
        let items = EntityService::<Item>::new(&context.create_session().unwrap());
        items.batch_insert(&mut [item("kept", 1), item("a", 2), item("b", 3)]).await.unwrap();
        let change = |filter| update::<Item>([Item::PRICE.set(0)]).filter(filter);
        assert_eq!(items.update_all(change(Item::PRICE.le(102))).await.unwrap(), 1);
        assert_eq!(items.update_all(update::<Item>([Item::PRICE.set(1)]).all_rows()).await.unwrap(), 2);
        // What says nothing is refused as it was given, also where a subscriber makes a condition of it.
        assert!(items.delete_all(None::<LogicExpr>).await.unwrap_err().to_string().contains("all_rows()"));
        let always = Some(LogicExpr::all([None::<LogicExpr>]));
        assert!(items.delete_all(always).await.unwrap_err().to_string().contains("all_rows()"));
        assert!(items.update_all(update::<Item>([Item::PRICE.set(1)])).await.is_err());
        assert_eq!(items.count(()).await.unwrap(), 3);
        assert_eq!(items.delete_all_rows().await.unwrap(), 2);
        assert_eq!(names(&items).await, ["kept"]);
    })
    .await;
}

#[tokio::test]
async fn ve13_objects_raise_no_events() {
    let log = Log::default();
    heard(&[Tape::new("", &log)], async |items: EntityService<Item>| {
        let dao = ObjectDao::<Item>::new(items.session());
        let mut saw = item("saw", 1);
        dao.insert(&mut saw).await.unwrap();
        dao.update(&mut saw).await.unwrap();
        dao.batch_delete(&[saw]).await.unwrap();
        dao.delete_all_rows().await.unwrap();
        assert_eq!(log.take(), [""; 0]);
    })
    .await;
}

/// Hears of every change by one method, and does not want one of an item that is called `veto`.
#[derive(Clone)]
struct Auditor(Log);

#[async_trait]
impl EntityEvents<Item> for Auditor {
    async fn on_change(&self, change: &Change<Item>, event: &EventContext) -> OrmResult<()> {
        assert!(event.session().in_transaction());
        self.0.add(match change {
            Change::Inserted(item) | Change::Updated(item) if item.name == "veto" => {
                return Err(isogloss::entity::FieldError::new("unwilling").into());
            }
            Change::Inserted(item) => format!("inserted {}", item.name),
            Change::Updated(item) => format!("updated {}", item.name),
            Change::UpdatedOrInserted(item) => format!("upserted {}", item.name),
            Change::Deleted(item) => format!("deleted {}", item.name),
            Change::DeletedId(key) => format!("deleted {} key", key.len()),
            Change::BatchDeletedIds(keys) => format!("deleted {} keys", keys.len()),
            Change::DeletedAll(rows, write) => format!("deleted {rows} by {}", write.condition().is_some()),
            Change::UpdatedAll(rows, write) => format!("updated {rows} by {}", write.condition().is_some()),
            other => format!("{other:?}"),
        });
        Ok(())
    }
}

#[tokio::test]
async fn one_callback_hears_of_every_change() {
    let log = Log::default();
    let auditor = || {
        let auditor = Auditor(log.clone());
        Orm::builder().entity_events::<Item, _>(move |_| Ok(auditor.clone()))
    };
    each(auditor, async |context: OrmContext| {
        let items = EntityService::<Item>::new(&context.create_session().unwrap());
        let mut saw = item("saw", 1);
        items.insert(&mut saw).await.unwrap();
        items.update(&mut saw).await.unwrap();
        items.update_or_insert(&mut saw).await.unwrap();
        let change = update::<Item>([Item::PRICE.set(2)]).filter(Item::ID.eq(saw.id));
        items.update_all(change).await.unwrap();
        let written = ["inserted saw", "updated saw", "upserted saw", "updated 1 by true"];
        assert_eq!(log.take(), written);
        items.delete(&saw).await.unwrap();
        assert_eq!(log.take(), ["deleted saw"]);

        let mut more = [item("a", 1), item("b", 2), item("c", 3), item("d", 4)];
        items.batch_insert(&mut more).await.unwrap();
        assert_eq!(log.take(), ["inserted a", "inserted b", "inserted c", "inserted d"]);
        items.delete_id(more[0].id).await.unwrap();
        items.batch_delete_id([more[1].id, more[2].id]).await.unwrap();
        items.delete_all_rows().await.unwrap();
        assert_eq!(log.take(), ["deleted 1 key", "deleted 2 keys", "deleted 1 by false"]);

        // As the HTTP API writes.
        let dynamic = DynamicService::new(items.session(), "Item", "Item").unwrap();
        let mut object = dynamic.object();
        object.set("Name", "axe").unwrap();
        object.set("Price", 5).unwrap();
        dynamic.insert(&mut object).await.unwrap();
        dynamic.delete(object.key().unwrap()).await.unwrap();
        assert_eq!(log.take(), ["inserted axe", "deleted 1 key"]);

        // An error takes the change back.
        assert!(items.insert(&mut item("veto", 1)).await.is_err());
        assert_eq!(names(&items).await, [""; 0]);
    })
    .await;
}
