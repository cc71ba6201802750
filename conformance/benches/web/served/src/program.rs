//! The program around a contestant's router.

use std::hint::black_box;
use std::io::{Write as _, stdout};

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::header::{CONTENT_TYPE, LOCATION};
use axum::http::{HeaderMap, Request, StatusCode};
use axum::serve::ListenerExt as _;
use tokio::net::TcpListener;
use tower::ServiceExt as _;
use workload::Outcome;

use crate::{Form, Workload, of};

/// How many requests there are to drive a router with before they come again.
const DRIVEN: i64 = 100;

/// `CONTESTANT ENGINE=URL WHAT..`
#[derive(Debug)]
pub struct Arguments {
    pub contestant: String,
    pub engine: String,
    pub url: String,
    what: Vec<String>,
}

impl Arguments {
    pub fn read(arguments: impl IntoIterator<Item = String>) -> Outcome<Self> {
        let mut arguments = arguments.into_iter();
        let (Some(contestant), Some(database)) = (arguments.next(), arguments.next()) else {
            return Err("usage: CONTESTANT sqlite=FILE|postgres=URL serve | show | drive WORKLOAD COUNT".into());
        };
        let (engine, url) = database.split_once('=').ok_or("name the engine, as in sqlite=FILE")?;
        // Some would encrypt where the server can, and others cannot.
        let url = if engine == "postgres" { format!("{url}?sslmode=disable") } else { url.into() };
        Ok(Self { contestant, engine: engine.into(), url, what: arguments.collect() })
    }
}

/// Runs on a worker thread of a runtime of two, as the handlers of a service do.
pub fn worker(main: impl Future<Output = Outcome<()>> + Send + 'static) -> Outcome<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async { tokio::spawn(main).await? })
}

/// Does with a router what the arguments say: serves it, shows its answers, or drives it in this process.
pub async fn run(router: Router, form: Form, arguments: &Arguments) -> Outcome<()> {
    let what: Vec<&str> = arguments.what.iter().map(String::as_str).collect();
    match what.as_slice() {
        ["serve"] => {
            let listener = TcpListener::bind("127.0.0.1:0").await?;
            writeln!(stdout(), "{}", listener.local_addr()?)?;
            // An answer in several parts would wait for the client's acknowledgement of the first.
            let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
            Ok(axum::serve(listener, router).await?)
        }
        ["show"] => show(&router, form).await,
        ["drive", workload, count] => {
            // However many are asked, as many are made.
            let requests: Vec<String> = of(workload.parse()?, form, DRIVEN).collect();
            for request in requests.iter().cycle().take(count.parse()?) {
                black_box(answer(&router, request).await?);
            }
            Ok(())
        }
        other => Err(format!("serve, show or drive WORKLOAD COUNT, not {other:?}").into()),
    }
}

async fn answer(router: &Router, request: &str) -> Outcome<(HeaderMap, Bytes)> {
    let mut parts = request.splitn(3, ' ');
    let (method, path) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let asked = Request::builder().method(method).uri(path);
    let asked = match parts.next() {
        Some(body) => asked.header(CONTENT_TYPE, "application/json").body(Body::from(body.to_owned()))?,
        None => asked.body(Body::empty())?,
    };
    let (head, body) = router.clone().oneshot(asked).await?.into_parts();
    let body = to_bytes(body, usize::MAX).await?;
    match head.status {
        StatusCode::OK => Ok((head.headers, body)),
        status => Err(format!("{request}\n{status}\n{}", String::from_utf8_lossy(&body)).into()),
    }
}

/// Prints the bodies of the answers to some requests, and what was inserted: for a comparison with other contestants.
async fn show(router: &Router, form: Form) -> Outcome<()> {
    for workload in Workload::ALL {
        for request in of(workload, form, 3) {
            let (headers, body) = answer(router, &request).await?;
            writeln!(stdout(), "{workload:?} {}", String::from_utf8_lossy(&body))?;
            if workload == Workload::Insert {
                let location = headers.get(LOCATION).ok_or("the new order is nowhere")?.to_str()?;
                let (_, body) = answer(router, &format!("GET {location}")).await?;
                writeln!(stdout(), "{location} {}", String::from_utf8_lossy(&body))?;
            }
        }
    }
    Ok(())
}
