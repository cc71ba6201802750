//! Over a socket: what a list looks like while it is read, and when it breaks off.

use std::time::Duration;

use isogloss::prelude::*;
use isogloss_web::{Host, Rules};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{Kind, api, clock, context, shop, until};

async fn serve(api: axum::Router) -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, api).await });
    address
}

async fn ask(address: std::net::SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // A connection that is broken off gives what came until then.
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn b14_a_page_over_a_socket() {
    let address = serve(api(&shop().await)).await;
    let body = r##"{"$":"==","Left":{"#":"Id"},"Right":7}"##;
    let length = body.len();
    let request = format!(
        "POST /api/Order/page HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    let answer = ask(address, &request).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.contains(r#""total":1,"items":[{"id":7,"#), "{answer}");
}

async fn kinds(rows: i32, bad: impl Fn(i32) -> bool) -> OrmContext {
    let context = context();
    let session = context.create_session().unwrap();
    let mut all: Vec<Kind> = (1..=rows).map(|id| Kind { id, text: Some("x".repeat(100)), ..Kind::default() }).collect();
    ObjectDao::<Kind>::new(&session).batch_insert(&mut all).await.unwrap();
    let mut lease = session.lease(None, isogloss::session::Purpose::Write).await.unwrap();
    for id in (1..=rows).filter(|id| bad(*id)) {
        // SQLite keeps what does not fit the column.
        lease.script(&format!(r#"UPDATE "kinds" SET "Date" = 'no date' WHERE "Id" = {id}"#)).await.unwrap();
    }
    drop(lease);
    context
}

const LIST: &str = "GET /api/Kind HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

/// The API, with lists of any length.
fn unbounded(context: &OrmContext) -> axum::Router {
    use isogloss_web::EntityController;
    struct Kinds;
    impl EntityController for Kinds {
        type Entity = Kind;
        type View = Kind;

        fn rules(&self) -> Rules {
            Rules::new().max_list(None)
        }
    }
    axum::Router::new().nest("/api", Kinds.router(&Host::new(context)).unwrap())
}

#[tokio::test]
async fn b3_a_long_list_comes_in_chunks() {
    let address = serve(unbounded(&kinds(5_000, |_| false).await)).await;
    let answer = ask(address, LIST).await;
    assert!(answer.contains("transfer-encoding: chunked\r\n"));
    assert_eq!(answer.matches(r#"{"id":"#).count(), 5_000);
    assert!(answer.ends_with("]\r\n0\r\n\r\n"), "{}", &answer[answer.len() - 100..]);
}

#[tokio::test]
async fn b3_an_error_before_the_first_rows_has_a_status() {
    let address = serve(unbounded(&kinds(5, |id| id == 2).await)).await;
    let answer = ask(address, LIST).await;
    assert!(answer.starts_with("HTTP/1.1 500 Internal Server Error\r\n"), "{answer}");
    assert!(!answer.contains("no date"), "{answer}");
}

#[tokio::test]
async fn b3_an_error_in_the_middle_breaks_the_answer_off() {
    let address = serve(unbounded(&kinds(5_000, |id| id == 4_900).await)).await;
    let answer = ask(address, LIST).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{:.200}", answer);
    assert!(answer.matches(r#"{"id":"#).count() > 100);
    // Neither the end of the list nor that of the chunks.
    assert!(!answer.ends_with("0\r\n\r\n") && !answer.trim_end().ends_with(']'), "{}", &answer[answer.len() - 100..]);
}

/// Who stops reading does not keep a connection of the pool.
#[tokio::test]
async fn b3_a_client_that_does_not_read_is_given_up() {
    let context = kinds(20_000, |_| false).await;
    use isogloss_web::EntityController;
    struct Kinds;
    impl EntityController for Kinds {
        type Entity = Kind;
        type View = Kind;

        fn rules(&self) -> Rules {
            Rules::new().max_list(None).timeout(Duration::from_millis(1_500))
        }
    }
    let address = serve(axum::Router::new().nest("/api", Kinds.router(&Host::new(&context)).unwrap())).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    let clock = clock::stop();
    stream.write_all(LIST.as_bytes()).await.unwrap();
    let mut first = [0; 100];
    stream.read_exact(&mut first).await.unwrap();
    assert!(first.starts_with(b"HTTP/1.1 200"));
    let source = context.data_source(None).unwrap();
    let in_use = || source.status().pool.map_or(0, |pool| pool.open - pool.idle);
    assert_eq!(in_use(), 1);
    clock.advance(Duration::from_secs(2)).await;
    until("the connection is free", || in_use() == 0).await;
    // It is told that this was not all.
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest).await;
    assert!(!rest.ends_with(b"0\r\n\r\n"));
}
