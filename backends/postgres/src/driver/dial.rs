//! Sockets to a server: plain ones, encrypted ones, and those that cancel what runs on another.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use isogloss_driver::{HEAD_START, Result, first_connected};
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpSocket;
use tokio_postgres::{CancelToken, NoTls};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;

use super::certificates;
use super::options::{PostgresOptions, Ssl};

/// When a connection on which nothing is said is looked after, how often then, and how many times in vain.
const IDLE: Duration = Duration::from_secs(60);
const PROBE: Duration = Duration::from_secs(10);
#[cfg(not(target_os = "openbsd"))]
const PROBES: u32 = 3;

/// How long what was sent may stay unconfirmed.
#[cfg(any(target_os = "linux", target_os = "android"))]
const UNCONFIRMED: Duration = Duration::from_secs(30);

/// What both directions of a connection go through.
pub(super) trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

pub(super) type Wire = Box<dyn Stream>;

/// One address of a server: where a connection went, a request to cancel has to go, too.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Address {
    Tcp {
        host: Arc<str>,
        at: SocketAddr,
    },
    #[cfg(unix)]
    Socket(Arc<std::path::Path>),
}

/// How its sockets are opened.
#[derive(Debug)]
pub(super) struct Dialer {
    ssl: Ssl,
    tls: Option<Arc<ClientConfig>>,
}

impl Dialer {
    /// # Errors
    /// A file of certificates that cannot be read.
    pub(super) fn new(options: &PostgresOptions) -> Result<Self> {
        let tls = if options.ssl == Ssl::Disable { None } else { Some(Arc::new(certificates::client(options)?)) };
        Ok(Self { ssl: options.ssl, tls })
    }

    /// A socket to the first of these addresses that answers.
    pub(super) async fn reach(&self, addresses: &[Address]) -> io::Result<(Address, Wire)> {
        let reached = async |address: Address| {
            let wire = self.dial(&address).await?;
            Ok((address, wire))
        };
        let (mut host, mut found) = (None, Vec::new());
        for address in addresses {
            match address {
                Address::Tcp { host: of, at } => {
                    host = Some(of);
                    found.push(*at);
                }
                #[cfg(unix)]
                Address::Socket(_) => return reached(address.clone()).await,
            }
        }
        let none = || io::Error::new(io::ErrorKind::NotFound, "the name of the host has no address");
        let Some(host) = host else { return Err(none()) };
        let attempt = |at| reached(Address::Tcp { host: Arc::clone(host), at });
        first_connected(found, HEAD_START, attempt).await.unwrap_or_else(|| Err(none()))
    }

    /// A socket, encrypted as far as it shall be.
    pub(super) async fn dial(&self, address: &Address) -> io::Result<Wire> {
        let (host, at) = match address {
            Address::Tcp { host, at } => (host, *at),
            #[cfg(unix)]
            Address::Socket(path) => return Ok(Box::new(tokio::net::UnixStream::connect(path).await?)),
        };
        let socket = if at.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        watch(&SockRef::from(&socket))?;
        let mut stream = socket.connect(at).await?;
        stream.set_nodelay(true)?;
        let Some(tls) = &self.tls else { return Ok(Box::new(stream)) };
        // SSLRequest: its length and its number. The answer is one byte; more before the handshake is an attack.
        stream.write_all(&[0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]).await?;
        match stream.read_u8().await? {
            b'S' => {}
            _ if self.ssl == Ssl::Prefer => return Ok(Box::new(stream)),
            _ => {
                return Err(io::Error::new(
                    io::ErrorKind::Unsupported,
                    "the server has no TLS, which sslmode asks for",
                ));
            }
        }
        let name = ServerName::try_from(host.to_string()).map_err(io::Error::other)?;
        Ok(Box::new(TlsConnector::from(Arc::clone(tls)).connect(name, stream).await?))
    }

    /// Asks the server to cancel what a connection runs, and waits until it has passed that on.
    ///
    /// The server closes the socket when it has sent its signal: what the connection is sent afterwards is safe from it.
    pub(super) async fn cancel(&self, address: &Address, token: &CancelToken) -> io::Result<()> {
        let mut wire = self.dial(address).await?;
        token.cancel_query_raw(Listening(&mut wire), NoTls).await.map_err(io::Error::other)?;
        match wire.read_u8().await {
            Ok(_) => Err(io::Error::other("an answer to a request to cancel")),
            // The end, perhaps a rude one.
            Err(_) => Ok(()),
        }
    }
}

/// A wire that is written to, and not closed behind that: PgBouncer takes a request whose sender no longer listens for given
/// up, and its version 1.18.0 ends by it.
struct Listening<'w>(&'w mut Wire);

impl AsyncWrite for Listening<'_> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(cx)
    }
}

impl AsyncRead for Listening<'_> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_read(cx, into)
    }
}

/// The addresses of a host.
pub(super) async fn addresses(host: &str, port: u16) -> io::Result<Vec<Address>> {
    #[cfg(unix)]
    if host.starts_with('/') {
        let path = std::path::Path::new(host).join(format!(".s.PGSQL.{port}"));
        return Ok(vec![Address::Socket(path.into())]);
    }
    let found = tokio::net::lookup_host((host, port)).await?;
    let host: Arc<str> = host.into();
    Ok(found.map(|at| Address::Tcp { host: Arc::clone(&host), at }).collect())
}

/// Has the system look whether the other side is still there, and give up what it does not confirm: else the loss of a
/// server is noticed after a quarter of an hour.
fn watch(socket: &SockRef<'_>) -> io::Result<()> {
    let keep_alive = TcpKeepalive::new().with_time(IDLE).with_interval(PROBE);
    #[cfg(not(target_os = "openbsd"))]
    let keep_alive = keep_alive.with_retries(PROBES);
    socket.set_tcp_keepalive(&keep_alive)?;
    #[cfg(any(target_os = "linux", target_os = "android"))]
    socket.set_tcp_user_timeout(Some(UNCONFIRMED))?;
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_socket_notices_that_its_server_is_gone() -> io::Result<()> {
        let socket = TcpSocket::new_v4()?;
        let socket = SockRef::from(&socket);
        watch(&socket)?;
        assert!(socket.keepalive()?);
        assert_eq!((socket.tcp_keepalive_time()?, socket.tcp_keepalive_interval()?), (IDLE, PROBE));
        assert_eq!((socket.tcp_keepalive_retries()?, socket.tcp_user_timeout()?), (PROBES, Some(UNCONFIRMED)));
        Ok(())
    }
}
