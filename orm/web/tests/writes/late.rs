//! Writes that take longer than a request may.

use std::time::Duration;

use isogloss::config::DataSourceConfig;
use isogloss::entity::Linked as _;
use isogloss::expr::Value;
use isogloss::model::Catalog;
use isogloss::prelude::*;
use isogloss::service::{EntityEvents, EventContext, async_trait};
use isogloss_web::{EntityController, Host, Rules};

use crate::shop::Note;
use crate::support::send_as;

struct Notes;

impl EntityController for Notes {
    type Entity = Note;
    type View = Note;

    fn rules(&self) -> Rules {
        Rules::new().timeout(Duration::from_millis(100))
    }
}

/// Thinks about every change for long.
struct Slow;

impl Slow {
    async fn thinks() -> OrmResult<bool> {
        tokio::time::sleep(Duration::from_secs(60)).await;
        Ok(true)
    }
}

#[async_trait]
impl EntityEvents<Note> for Slow {
    async fn on_inserting(&self, note: &mut Note, _: &EventContext) -> OrmResult<bool> {
        if note.text == "fast" { Ok(true) } else { Self::thinks().await }
    }

    async fn on_updating(&self, _: &mut Note, _: &EventContext) -> OrmResult<bool> {
        Self::thinks().await
    }

    async fn on_delete_iding(&self, _: &[Value], _: &EventContext) -> OrmResult<bool> {
        Self::thinks().await
    }
}

#[tokio::test]
async fn of_a_write_that_is_given_up_nobody_knows_whether_it_was_done() {
    let catalog = Catalog::builder().entity::<Note>().build().unwrap();
    let context = Orm::builder().catalog(catalog).entity_events::<Note, _>(|_| Ok(Slow)).build().await.unwrap();
    context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true)).unwrap();
    context.sync_table("Note", [""; 0]).await.unwrap();
    let api = Notes.router(&Host::new(&context)).unwrap();
    let send = async |request: &str, body: Option<&str>| send_as(&api, request, body, &[]).await;
    assert_eq!(send("POST /Note", Some(r#"{"text":"fast"}"#)).await.text, "true");
    for (request, body) in [
        ("POST /Note", Some(r#"{"text":"a"}"#)),
        ("PUT /Note", Some(r#"{"id":1,"text":"a"}"#)),
        ("DELETE /Note/1", None),
    ] {
        let answer = send(request, body).await;
        assert_eq!((answer.status.as_u16(), answer.at("/type")), (504, "/problems/in-doubt".into()), "{request}");
        assert_eq!(answer.at("/detail"), "Whether it was written is not known: look before you send it again.");
    }
}
