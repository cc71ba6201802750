//! Writes that take longer than a request may.

use std::future;
use std::sync::Arc;
use std::time::Duration;

use isogloss::config::DataSourceConfig;
use isogloss::entity::Linked as _;
use isogloss::expr::Value;
use isogloss::model::Catalog;
use isogloss::prelude::*;
use isogloss::service::{EntityEvents, EventContext, async_trait};
use isogloss_web::{EntityController, Host, Rules};
use tokio::sync::Semaphore;

use crate::support::{clock, send_as};
use crate::writes::shop::Note;

struct Notes;

impl EntityController for Notes {
    type Entity = Note;
    type View = Note;

    fn rules(&self) -> Rules {
        Rules::new().allow_writes().timeout(Duration::from_millis(100))
    }
}

/// Says when it begins to think about a change, and does not end.
struct Slow(Arc<Semaphore>);

impl Slow {
    async fn thinks(&self) -> OrmResult<bool> {
        self.0.add_permits(1);
        future::pending().await
    }
}

#[async_trait]
impl EntityEvents<Note> for Slow {
    async fn on_inserting(&self, note: &mut Note, _: &EventContext) -> OrmResult<bool> {
        if note.text == "fast" { Ok(true) } else { self.thinks().await }
    }

    async fn on_updating(&self, _: &mut Note, _: &EventContext) -> OrmResult<bool> {
        self.thinks().await
    }

    async fn on_delete_iding(&self, _: &[Value], _: &EventContext) -> OrmResult<bool> {
        self.thinks().await
    }
}

#[tokio::test]
async fn of_a_write_that_is_given_up_nobody_knows_whether_it_was_done() {
    let catalog = Catalog::builder().entity::<Note>().build().unwrap();
    let begun = Arc::new(Semaphore::new(0));
    let slow = Arc::clone(&begun);
    let builder = Orm::builder().catalog(catalog);
    let context = builder.entity_events::<Note, _>(move |_| Ok(Slow(Arc::clone(&slow)))).build().await.unwrap();
    context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true)).unwrap();
    context.sync_table("Note", [""; 0]).await.unwrap();
    let api = Notes.router(&Host::new(&context)).unwrap();
    let clock = clock::stop();
    let send = async |request: &str, body: Option<&str>| send_as(&api, request, body, &[]).await;
    assert_eq!(send("POST /Note", Some(r#"{"text":"fast"}"#)).await.text, "true");
    for (request, body) in [
        ("POST /Note", Some(r#"{"text":"a"}"#)),
        ("PUT /Note", Some(r#"{"id":1,"text":"a"}"#)),
        ("DELETE /Note/1", None),
    ] {
        let times_out = async {
            begun.acquire().await.unwrap().forget();
            clock.advance(Duration::from_secs(1)).await;
        };
        let (answer, ()) = tokio::join!(send(request, body), times_out);
        assert_eq!((answer.status.as_u16(), answer.at("/type")), (504, "/problems/in-doubt".into()), "{request}");
        assert_eq!(answer.at("/detail"), "Whether it was written is not known: look before you send it again.");
    }
}
