//! What only shows on a socket: slow clients, bodies and heads of any size, what is sent in pieces.

use std::convert::Infallible;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{Request, StatusCode};
use futures_util::stream;
use isogloss_web::{Call, EntityController, Rules, Server, WebResult};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tower::ServiceExt as _;

use crate::hostile::app::{App, ORDERS, Region, context, host};
use crate::support::clock;

/// A test that waits so long for an answer hangs.
const HANG: Duration = Duration::from_secs(120);

/// A server that ends with the test.
struct Served {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(server: Server, api: Router) -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    Served { address, task: tokio::spawn(server.serve(listener, api, std::future::pending())) }
}

const COUNT: &str = "GET /api/Order/count HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer 1\r\nConnection: close\r\n\r\n";

impl Served {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// What comes back until the server closes, or breaks off.
    async fn send(&self, text: impl AsRef<[u8]>) -> String {
        let mut client = self.connect().await;
        // A server that has seen enough does not read the rest.
        let _ = client.write_all(text.as_ref()).await;
        rest(&mut client).await
    }

    /// That it is still there, for others. Customers have the time that requests usually have, whatever a test gives orders.
    async fn is_well(&self) {
        let answer = self.send(COUNT.replace("Order", "Customer")).await;
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("\r\n\r\n2"), "{answer}");
    }
}

async fn rest(client: &mut TcpStream) -> String {
    let mut all = Vec::new();
    let read = async {
        let mut part = [0; 4096];
        while let Ok(count @ 1..) = client.read(&mut part).await {
            all.extend_from_slice(&part[..count]);
        }
    };
    timeout(HANG, read).await.unwrap();
    String::from_utf8(all).unwrap()
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or(answer)
}

#[tokio::test]
async fn a_head_that_is_sent_slowly_is_not_waited_for() {
    let app = App::new().await;
    let served = serve(Server::new().header_timeout(Duration::from_millis(300)), app.api).await;
    let (mut silent, mut slow) = (served.connect().await, served.connect().await);
    slow.write_all(b"GET /api/Order HTTP/1.1\r\nHost: x\r\nA: ").await.unwrap();
    let drips = async {
        // One byte after the other, each in time: that of a head is all that ends it.
        while slow.write_all(b"b").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(HANG, drips).await.unwrap();
    assert_eq!(rest(&mut silent).await, "");
    served.is_well().await;
}

#[tokio::test]
async fn a_body_that_is_sent_slowly_has_the_time_of_a_request() {
    let app = App::with(Rules::new().timeout(Duration::from_millis(300))).await;
    let served = serve(Server::new(), app.api).await;
    let mut client = served.connect().await;
    let head = "POST /api/Order/page HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer 1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{";
    client.write_all(head.as_bytes()).await.unwrap();
    let mut answer = [0; 12];
    timeout(HANG, client.read_exact(&mut answer)).await.unwrap().unwrap();
    assert_eq!(&answer, b"HTTP/1.1 408");
    served.is_well().await;
}

#[tokio::test]
async fn a_body_that_breaks_off_is_no_request() {
    let app = App::new().await;
    let served = serve(Server::new(), app.api.clone()).await;
    let head = "POST /api/Order HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer 1\r\nContent-Type: application/json\r\n";
    for part in [
        "Content-Length: 1000\r\n\r\n{\"customerId\":1,\"orderNo\":\"x\",\"points\":1}",
        "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"cus",
    ] {
        let mut client = served.connect().await;
        client.write_all(format!("{head}{part}").as_bytes()).await.unwrap();
        client.shutdown().await.unwrap();
        let answer = rest(&mut client).await;
        assert!(answer.is_empty() || status(&answer) == "400", "{answer}");
    }
    served.is_well().await;
    assert_eq!(app.everything().await.len(), ORDERS + 6);
}

#[tokio::test]
async fn a_head_of_a_million_headers_is_a_431() {
    let app = App::new().await;
    let served = serve(Server::new(), app.api).await;
    let headers = "A: b\r\n".repeat(1_000_000);
    for head in [
        format!("GET /api/Order/count HTTP/1.1\r\nHost: x\r\n{headers}\r\n"),
        format!("GET /api/Order/count HTTP/1.1\r\nHost: x\r\n{}\r\n", "A: b\r\n".repeat(101)),
        format!("GET /api/Order/count HTTP/1.1\r\nHost: x\r\nA: {}\r\n\r\n", "b".repeat(1 << 20)),
    ] {
        let mut client = served.connect().await;
        // It is read no further than it is needed.
        let (mut read, mut write) = client.split();
        let sent = async {
            let _ = write.write_all(head.as_bytes()).await;
            std::future::pending::<()>().await
        };
        let mut answer = [0; 12];
        tokio::select! {
            () = sent => {},
            got = timeout(HANG, read.read_exact(&mut answer)) => { got.unwrap().unwrap(); },
        }
        assert_eq!(&answer, b"HTTP/1.1 431");
        served.is_well().await;
    }
    let target = format!("GET /api/Order/count?keyword={} HTTP/1.1\r\nHost: x\r\n\r\n", "a".repeat(100_000));
    assert!(["414", "431"].contains(&status(&served.send(target).await)));
    served.is_well().await;
}

#[tokio::test]
async fn of_a_body_of_100_mb_no_more_is_read_than_it_may_have() {
    let app = App::new().await;
    for announced in [false, true] {
        for path in ["/api/Order/page", "/api/Order"] {
            let taken = Arc::new(AtomicU64::new(0));
            let counted = Arc::clone(&taken);
            let chunks = stream::iter((0..1_600).map(move |_| {
                counted.fetch_add(64 << 10, Ordering::Relaxed);
                Ok::<_, Infallible>(Bytes::from(vec![b' '; 64 << 10]))
            }));
            let mut request =
                Request::post(path).header("authorization", "Bearer 1").header("content-type", "application/json");
            if announced {
                request = request.header("content-length", 1_600_u64 * (64 << 10));
            }
            let answer = app.api.clone().oneshot(request.body(Body::from_stream(chunks)).unwrap()).await.unwrap();
            assert_eq!(answer.status(), StatusCode::PAYLOAD_TOO_LARGE);
            let most = if announced { 0 } else { (256 + 64) << 10 };
            assert!(taken.load(Ordering::Relaxed) <= most, "{taken:?}");
        }
    }
    // On a socket, the rest of it is not waited for.
    let served = serve(Server::new(), app.api).await;
    let mut client = served.connect().await;
    let head = "POST /api/Order/page HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer 1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    client.write_all(head.as_bytes()).await.unwrap();
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
    let mut sent = 0;
    while sent < 100 << 20 && client.write_all(chunk.as_bytes()).await.is_ok() {
        sent += chunk.len();
    }
    assert!(sent < 50 << 20, "the server has read {sent} bytes");
    served.is_well().await;
}

#[tokio::test]
async fn requests_that_two_servers_would_read_in_two_ways_are_refused() {
    let app = App::new().await;
    let served = serve(Server::new(), app.api.clone()).await;
    let inner = "DELETE /api/Order/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer 1\r\n\r\n";
    let head =
        "POST /api/Order/page HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer 1\r\nContent-Type: application/json\r\n";
    for lengths in [
        format!("Content-Length: 0\r\nContent-Length: {}\r\n\r\n{inner}", inner.len()),
        format!("Content-Length: {}, 0\r\n\r\n{inner}", inner.len()),
        format!("Content-Length: +{}\r\n\r\n{inner}", inner.len()),
        format!("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n{inner}"),
        format!("Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n{inner}"),
        format!("Transfer-Encoding : chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n{inner}"),
        format!("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n{inner}"),
    ] {
        let answer = served.send(format!("{head}{lengths}")).await;
        assert!(answer.is_empty() || status(&answer) == "400", "{lengths} {answer}");
    }
    for garbage in [
        "\r\n\r\n\r\n",
        "\0\0\0\0",
        "GET\r\n\r\n",
        "GET /api HTTP/9.9\r\n\r\n",
        "GET /api/Order HTTP/1.1\r\nHo st: x\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{2}",
    ] {
        let mut client = served.connect().await;
        client.write_all(garbage.as_bytes()).await.unwrap();
        client.shutdown().await.unwrap();
        let answer = rest(&mut client).await;
        assert!(answer.is_empty() || status(&answer) == "400", "{garbage:?} {answer}");
    }
    served.is_well().await;
    assert_eq!(app.everything().await.len(), ORDERS + 6);
}

#[tokio::test]
async fn no_path_leads_out_of_the_api() {
    let app = App::new().await;
    let served = serve(Server::new(), app.api.clone()).await;
    for path in [
        "/api/Order/../../etc/passwd",
        "/api/../Order",
        "/api/Order/..%2f..%2fetc%2fpasswd",
        "/api/Order/%2e%2e/%2e%2e/etc/passwd",
        "/api/Order/..%5c..%5cwindows",
        "/api/Order/....//",
        "//api/Order/1",
        "/api//Order/1",
        "/api/Order/1/",
        "/api/order/1",
        "/api/Order/1/2",
        "/api/Order/exists/1/2",
        "/api/Order/%2e%2e",
        "/api/Order/;x=1",
        "http://other/api/Nosuch",
        "*",
    ] {
        let answer = served
            .send(format!("GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer 1\r\nConnection: close\r\n\r\n"))
            .await;
        assert!(["400", "404"].contains(&status(&answer)), "{path} {answer}");
        assert!(!answer.contains("root:"), "{path} {answer}");
    }
    served.is_well().await;
}

#[tokio::test]
async fn no_value_becomes_a_header() {
    let app = App::new().await;
    let served = serve(Server::new(), app.api.clone()).await;
    let evil = "a\\r\\nSet-Cookie: a=b\\r\\n\\r\\n<script>alert(1)</script>";
    let inserted = app.send("POST /api/Order", &format!(r#"{{"customerId":1,"orderNo":"{evil}","points":-1}}"#)).await;
    assert_eq!(inserted.text, "true", "{inserted:?}");
    let id = app.everything().await.last().unwrap().id;
    for path in [
        format!("/api/Order/{id}"),
        format!("/api/Order/{id}%0d%0aSet-Cookie:%20a=b"),
        "/api/Order/count?keyword=%0d%0aSet-Cookie:a=b".into(),
    ] {
        let answer = served
            .send(format!("GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer 1\r\nConnection: close\r\n\r\n"))
            .await;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(!head.to_lowercase().contains("cookie") && head.contains("nosniff"), "{answer}");
        assert!(!body.contains('\r') && !head.contains("text/html"), "{answer}");
    }
}

#[tokio::test]
async fn pages_of_other_sites_are_told_nothing() {
    let app = App::new().await;
    let origin = [
        ("authorization", "Bearer 1"),
        ("origin", "https://evil.example"),
        ("access-control-request-method", "DELETE"),
    ];
    for request in ["OPTIONS /api/Order", "OPTIONS /api/Order/1", "GET /api/Order/1", "POST /api/Order/page"] {
        // That no answer has a header of CORS is looked at for each of them.
        let answer = app.send_with(request, "", &origin).await;
        assert!(
            answer.status != 204 && (!request.starts_with("OPTIONS") || answer.status == 405),
            "{request} {answer:?}"
        );
    }
}

#[tokio::test]
async fn a_client_that_does_not_read_keeps_nothing_for_itself() {
    let app = App::with(Rules::new().allow_writes().max_list(None)).await;
    let many: Vec<String> = (0..200).map(|n| format!("b{n}{}", "x".repeat(90))).collect();
    for number in &many {
        let body = format!(r#"{{"customerId":1,"orderNo":"{number}","points":1}}"#);
        assert_eq!(app.send("POST /api/Order", &body).await.text, "true");
    }
    let served = serve(Server::new(), app.api.clone()).await;
    let mut deaf = Vec::new();
    for _ in 0..200 {
        let mut client = served.connect().await;
        client.write_all(b"GET /api/Order HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer 1\r\n\r\n").await.unwrap();
        deaf.push(client);
    }
    // Each has an answer that it does not read.
    for client in &deaf {
        timeout(HANG, client.peek(&mut [0])).await.unwrap().unwrap();
    }
    served.is_well().await;
    let answer = served.send(COUNT).await;
    let total = ORDERS + many.len();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with(&format!("\r\n\r\n{total}")), "{answer}");
}

#[tokio::test]
async fn a_server_that_stops_answers_what_runs_and_waits_for_no_one_else() {
    let context = context();
    let begun = Arc::new(Semaphore::new(0));
    let api = Router::new().nest("/api", Broken(Arc::clone(&begun)).router(&host(&context)).unwrap());
    let clock = clock::stop();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let server = Server::new().grace(Duration::from_secs(2));
    let task = tokio::spawn(server.serve(listener, api, async { drop(stopped.await) }));
    let connect = async |text: &str| {
        let mut client = TcpStream::connect(address).await.unwrap();
        client.write_all(text.as_bytes()).await.unwrap();
        client
    };
    let head = "GET /api/Region HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer 1\r\n";
    // One is served, one has sent half of its head, one sends nothing.
    let mut runs = connect(&format!("{head}\r\n")).await;
    let mut half = connect(head).await;
    let mut idle = connect("").await;
    begun.acquire().await.unwrap().forget();
    stop.send(()).unwrap();
    // The time of the request is over before that of the server.
    clock.advance(Duration::from_secs(1)).await;
    assert_eq!(status(&rest(&mut runs).await), "504");
    tokio::select! {
        ended = task => ended.unwrap(),
        never = clock.run() => match never {},
    }
    assert_eq!((rest(&mut half).await, rest(&mut idle).await), (String::new(), String::new()));
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn connections_beyond_those_that_there_may_be_wait_for_one() {
    let app = App::new().await;
    let served = serve(Server::new().max_connections(1), app.api).await;
    let (mut first, mut second) = (served.connect().await, served.connect().await);
    second.write_all(COUNT.as_bytes()).await.unwrap();
    // The first one is served again and again, and the second one is not.
    for _ in 0..20 {
        first.write_all(COUNT.replace("Connection: close\r\n", "").as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(format!("\r\n\r\n{ORDERS}").as_bytes()) {
            assert!(timeout(HANG, first.read_buf(&mut answer)).await.unwrap().unwrap() > 0, "{answer:?}");
        }
    }
    assert_eq!(second.try_read(&mut [0]).unwrap_err().kind(), ErrorKind::WouldBlock);
    drop(first);
    assert_eq!(status(&rest(&mut second).await), "200");
}

/// One whose endpoints fail. It says when its list begins, which does not end.
struct Broken(Arc<Semaphore>);

impl EntityController for Broken {
    type Entity = Region;
    type View = Region;

    fn rules(&self) -> Rules {
        Rules::new().timeout(Duration::from_millis(300))
    }

    async fn list(&self, _: &Call) -> WebResult {
        self.0.add_permits(1);
        std::future::pending().await
    }

    async fn get(&self, _: &Call, id: &str) -> WebResult {
        panic!("hunter2 of {id}")
    }

    async fn count(&self, _: &Call, _: Option<&str>) -> WebResult {
        let none: Vec<i32> = Vec::new();
        panic!("{}", none[0])
    }
}

#[tokio::test]
async fn a_panic_and_an_endpoint_without_end_are_problems_and_the_server_goes_on() {
    let context = context();
    let begun = Arc::new(Semaphore::new(0));
    let api = Router::new().nest("/api", Broken(Arc::clone(&begun)).router(&host(&context)).unwrap());
    let clock = clock::stop();
    let served = serve(Server::new(), api).await;
    let mut client = served.connect().await;
    let endpoints =
        [("/api/Region/1", "500"), ("/api/Region", "504"), ("/api/Region/count", "500"), ("/api/Region/2", "500")];
    for (path, expected) in endpoints {
        // On the same connection.
        client
            .write_all(format!("GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer 1\r\n\r\n").as_bytes())
            .await
            .unwrap();
        if expected == "504" {
            begun.acquire().await.unwrap().forget();
            clock.advance(Duration::from_secs(1)).await;
        }
        let mut answer = vec![0; 4096];
        let count = client.read(&mut answer).await.unwrap();
        let answer = String::from_utf8_lossy(&answer[..count]);
        assert_eq!(status(&answer), expected, "{answer}");
        assert!(answer.contains("application/problem+json") && !answer.contains("hunter2"), "{answer}");
    }
    client
        .write_all(
            b"GET /api/Region/exists/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer 1\r\nConnection: close\r\n\r\n",
        )
        .await
        .unwrap();
    assert_eq!(status(&rest(&mut client).await), "200");
}

#[tokio::test]
async fn a_client_that_does_not_read_is_given_up() {
    let large = || async { Bytes::from(vec![b'x'; 64 * 1024 * 1024]) };
    let api = App::new().await.api.route("/large", axum::routing::get(large));
    let server = Server::new().write_timeout(Duration::from_millis(300)).max_connections(1);
    let served = serve(server, api).await;
    let mut deaf = served.connect().await;
    deaf.write_all(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    // The only place is free again, while the first client is still there.
    served.is_well().await;
    drop(deaf);
}

#[tokio::test]
async fn a_request_says_once_which_host_it_is_for() {
    let app = App::new().await;
    let served = serve(Server::new(), app.api).await;
    let host = "Host: x\r\n";
    for hosts in ["", "Host: x\r\nHost: x\r\n", "Host: a b\r\n", "Host: me@x\r\n", "Host: x/y\r\n"] {
        let answer = served.send(COUNT.replace(host, hosts)).await;
        assert_eq!(status(&answer), "400", "{hosts:?} {answer}");
        assert!(answer.contains("application/problem+json"), "{answer}");
    }
    for hosts in [host, "Host: \r\n", "Host: example.org:8080\r\n", "Host: [::1]:8080\r\n"] {
        assert_eq!(status(&served.send(COUNT.replace(host, hosts)).await), "200", "{hosts:?}");
    }
    // HTTP/1.0 has none.
    let old = COUNT.replace(host, "").replace("HTTP/1.1", "HTTP/1.0");
    assert_eq!(status(&served.send(old).await), "200");
}
