//! A server for a router, with limits for untrusted clients.

mod stalling;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::header::HOST;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Request, Version};
use axum::response::IntoResponse as _;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tower::{ServiceExt as _, service_fn};

use self::stalling::Stalling;
use crate::{Problem, ProblemKind};

/// Serves a router over HTTP/1.1, with limits for clients that are slow or ask for too much.
///
/// `axum::serve` waits for the head of a request without a limit, so that clients that send a byte from time to time
/// can occupy all connections of the process. This server limits the time and size of a head. The time and size of a
/// body are limited by [`Rules::timeout`](crate::Rules::timeout) and [`Rules::max_body`](crate::Rules::max_body).
///
/// A request of HTTP/1.1 without a `Host`, and one with two of them or an invalid one, is answered with 400, as RFC 9112
/// requires. `axum::serve` passes it on.
///
/// Handlers can extract [`ConnectInfo<SocketAddr>`].
///
/// ```no_run
/// use std::time::Duration;
///
/// use axum::Router;
/// use isogloss_web::Server;
/// use tokio::net::TcpListener;
///
/// # async fn run(api: Router) -> std::io::Result<()> {
/// let listener = TcpListener::bind("127.0.0.1:8080").await?;
/// Server::new().header_timeout(Duration::from_secs(10)).serve(listener, api, std::future::pending()).await;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Server {
    header_timeout: Duration,
    write_timeout: Duration,
    max_header_bytes: usize,
    max_connections: usize,
    grace: Duration,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            header_timeout: Duration::from_secs(30),
            write_timeout: Duration::from_secs(10),
            max_header_bytes: 32 * 1024,
            max_connections: 10_000,
            grace: Duration::from_secs(30),
        }
    }
}

/// The least that hyper reads at once.
const MIN_BUFFER: usize = 8 * 1024;

impl Server {
    /// A server with the default limits: 30 seconds for the head of a request, which has at most 100 headers and 32
    /// KiB; 10 seconds for a client that reads nothing; 10,000 connections.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how long a connection may wait for its next request, or take to send its head, before it is closed.
    #[must_use]
    pub fn header_timeout(self, timeout: Duration) -> Self {
        Self { header_timeout: timeout, ..self }
    }

    /// Sets how long a client may read nothing of an answer before the connection is closed.
    #[must_use]
    pub fn write_timeout(self, timeout: Duration) -> Self {
        Self { write_timeout: timeout, ..self }
    }

    /// Sets the maximal size of a request's head in bytes. More is answered with 431.
    #[must_use]
    pub fn max_header_bytes(self, bytes: usize) -> Self {
        Self { max_header_bytes: bytes, ..self }
    }

    /// Sets the maximal number of connections. Others wait until one is closed.
    #[must_use]
    pub fn max_connections(self, connections: usize) -> Self {
        Self { max_connections: connections, ..self }
    }

    /// Sets how long requests may continue after the server was asked to stop.
    #[must_use]
    pub fn grace(self, grace: Duration) -> Self {
        Self { grace, ..self }
    }

    /// Serves until `stop` completes. Requests in progress may finish within [`Server::grace`]; then they are aborted,
    /// as they are if this future is dropped.
    pub async fn serve(self, listener: TcpListener, router: Router, stop: impl Future<Output = ()>) {
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new())
            .header_read_timeout(self.header_timeout)
            .max_header_size(self.max_header_bytes)
            .max_buf_size(self.max_header_bytes.max(MIN_BUFFER));
        let running = GracefulShutdown::new();
        let places = Arc::new(Semaphore::new(self.max_connections.min(Semaphore::MAX_PERMITS)));
        let mut connections = JoinSet::new();
        let mut stop = pin!(stop);
        loop {
            let next = async {
                let place = Arc::clone(&places).acquire_owned().await.ok();
                (place, accept(&listener).await)
            };
            let (place, (stream, address)) = tokio::select! {
                () = &mut stop => break,
                Some(_) = connections.join_next() => continue,
                next = next => next,
            };
            let router = router.clone();
            let service = service_fn(move |request: Request<Incoming>| {
                let router = router.clone();
                async move {
                    if !has_host(request.version(), request.headers()) {
                        let problem = Problem::new(ProblemKind::BadRequest, "The request needs one valid `Host`.");
                        return Ok(problem.into_response());
                    }
                    let mut request = request.map(Body::new);
                    request.extensions_mut().insert(ConnectInfo(address));
                    router.oneshot(request).await
                }
            });
            let stream = Stalling::new(stream, self.write_timeout);
            let connection = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
            let connection = running.watch(connection);
            connections.spawn(async move {
                if let Err(error) = connection.await {
                    tracing::debug!(target: "isogloss::web", "a connection has ended: {error}");
                }
                drop(place);
            });
        }
        // New ones are not accepted any more, and not kept waiting. What still runs after the grace ends with the set.
        drop(listener);
        let _ = tokio::time::timeout(self.grace, running.shutdown()).await;
    }
}

/// Returns whether a request says which host it is for, as its version requires (RFC 9112, section 3.2).
fn has_host(version: Version, headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (Some(host), None) => host.is_empty() || host.to_str().is_ok_and(is_host),
        (None, _) => version < Version::HTTP_11,
        _ => false,
    }
}

/// Returns whether a text is a host, perhaps with a port.
fn is_host(text: &str) -> bool {
    !text.contains('@') && text.parse::<Authority>().is_ok()
}

/// The next connection.
async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok((stream, address)) => {
                // Small answers are not held back for others.
                let _ = stream.set_nodelay(true);
                return (stream, address);
            }
            // The client has gone already.
            Err(error)
                if error.kind() == io::ErrorKind::ConnectionAborted
                    || error.kind() == io::ErrorKind::ConnectionReset => {}
            Err(error) => {
                // Of files that are open, usually. Some may be closed soon.
                tracing::error!(target: "isogloss::web", "no connection can be accepted: {error}");
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        }
    }
}
