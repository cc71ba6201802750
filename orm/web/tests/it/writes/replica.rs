//! Versions, where reads go to a replica that is behind.

use std::fs;
use std::path::Path;
use std::time::Duration;

use axum::Router;
use isogloss::config::{DataSourceConfig, ReplicaConfig};
use isogloss::entity::Linked as _;
use isogloss::model::Catalog;
use isogloss::prelude::*;
use isogloss_web::{EntityController as _, Host, Rules};

use crate::support::{Plain, send, send_as};
use crate::writes::shop::Article;

fn open(config: DataSourceConfig) -> (OrmContext, Router) {
    let context = OrmContext::new(Catalog::builder().entity::<Article>().build().unwrap());
    context.add_data_source(config.sync_table(true)).unwrap();
    let api =
        Plain::<Article>::by(Rules::new().allow_writes().filled(["OwnerId"])).router(&Host::new(&context)).unwrap();
    (context, api)
}

/// A database with an article, and a replica of it that gets no more.
async fn stale(folder: &Path) -> Router {
    let [primary, replica] = ["primary.db", "replica.db"].map(|name| folder.join(name).display().to_string());
    let source = || DataSourceConfig::new("main", "sqlite", format!("{primary}?create=true"));
    let (context, api) = open(source());
    assert_eq!(send(&api, "POST /Article", r#"{"code":"a","price":1,"state":1}"#).await.text, "true");
    context.close_and_wait(Duration::from_secs(120)).await.unwrap();
    for end in ["", "-wal"] {
        let _ = fs::copy(format!("{primary}{end}"), format!("{replica}{end}"));
    }
    let (_, api) = open(source().replica(ReplicaConfig::new().connection_string(replica)));
    api
}

#[tokio::test]
async fn a_version_is_that_of_the_primary() {
    let folder = tempfile::tempdir().unwrap();
    let api = stale(folder.path()).await;
    let send =
        async |request: &str, body: Option<&str>, tags: &str| send_as(&api, request, body, &[("if-match", tags)]).await;
    let put = async |tags: &str| send("PUT /Article", Some(r#"{"id":1,"code":"a","price":2,"state":1}"#), tags).await;
    let first = put("\"1\"").await;
    assert_eq!((&*first.text, first.header("etag")), ("true", "\"2\""));
    assert_eq!(send("GET /Article/1", None, "*").await.header("etag"), "\"1\"", "the replica is behind");
    assert_eq!(put("\"1\"").await.status, 412);
    assert_eq!(put("\"1\", \"7\"").await.status, 412);
    let second = put("\"7\", \"2\"").await;
    assert_eq!((&*second.text, second.header("etag")), ("true", "\"3\""));
    assert_eq!(send("DELETE /Article/1", None, "\"2\"").await.status, 412);

    let new = r#"{"code":"b","price":1,"state":1}"#;
    assert_eq!(send("POST /Article", Some(new), "").await.header("location"), "/Article/2");
    assert_eq!(send("GET /Article/2", None, "*").await.text, "null", "the replica is behind");
    let put = r#"{"id":2,"code":"b","price":2,"state":1}"#;
    assert_eq!(send("PUT /Article", Some(put), "*").await.text, "true");
    assert_eq!(send("DELETE /Article/2", None, "\"2\"").await.text, "true");
}
