//! The socket.

use std::io;
use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_util::io::{AsyncRead, AsyncWrite};
use socket2::{SockRef, TcpKeepalive};
use tokio::net::TcpStream;

/// A server that is gone without a word is found out by this: silence for so long, then a question every few seconds.
const QUIET: Duration = Duration::from_secs(30);
#[cfg(any(target_os = "android", target_os = "linux", target_os = "macos", windows))]
const BETWEEN: Duration = Duration::from_secs(10);
/// How long the network may take to say that it has what was sent.
#[cfg(any(target_os = "android", target_os = "linux"))]
const UNANSWERED: Duration = Duration::from_secs(60);

/// What the driver reads from and writes to.
pub(super) struct Wire(Ear);

/// The other end of the wire in our hands, while the driver has the wire.
#[derive(Debug, Clone)]
pub(super) struct Ear(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    socket: TcpStream,
    /// The driver reads nothing for now.
    deaf: AtomicBool,
    /// It wanted to, meanwhile.
    asked: AtomicBool,
    /// It has sent something.
    said: AtomicBool,
}

impl Ear {
    pub(super) fn new(socket: TcpStream) -> io::Result<Self> {
        socket.set_nodelay(true)?;
        let settings = SockRef::from(&socket);
        let keepalive = TcpKeepalive::new().with_time(QUIET);
        #[cfg(any(target_os = "android", target_os = "linux", target_os = "macos", windows))]
        let keepalive = keepalive.with_interval(BETWEEN);
        // Where the system has no such settings, the clock of each statement is what is left.
        let _ = settings.set_tcp_keepalive(&keepalive);
        #[cfg(any(target_os = "android", target_os = "linux"))]
        let _ = settings.set_tcp_user_timeout(Some(UNANSWERED));
        let [deaf, asked, said] = Default::default();
        Ok(Self(Arc::new(Shared { socket, deaf, asked, said })))
    }

    pub(super) fn wire(&self) -> Wire {
        Wire(self.clone())
    }

    /// Lets the driver hear nothing, or again what comes.
    pub(super) fn stop(&self, deaf: bool) {
        self.0.asked.store(false, Ordering::Release);
        self.0.deaf.store(deaf, Ordering::Release);
    }

    /// Whether the driver waits for an answer since it hears nothing: it has sent what it had to say.
    pub(super) fn was_asked(&self) -> bool {
        self.0.asked.load(Ordering::Acquire)
    }

    /// Whether the driver has sent anything since this was last asked.
    pub(super) fn has_said(&self) -> bool {
        self.0.said.swap(false, Ordering::AcqRel)
    }

    /// Closes the socket at once, whoever has the connection: what runs for it at the server ends there.
    pub(super) fn hang_up(&self) {
        // An error says that it is closed.
        let _ = SockRef::from(&self.0.socket).shutdown(Shutdown::Both);
    }

    /// Whether the socket of a connection that waits for no answer is open, as far as this side knows. What comes
    /// unasked is a farewell.
    pub(super) fn is_open(&self) -> bool {
        let peeked = SockRef::from(&self.0.socket).peek(&mut [MaybeUninit::uninit(); 1]);
        matches!(peeked, Err(error) if error.kind() == io::ErrorKind::WouldBlock)
    }
}

impl AsyncRead for Wire {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut [u8]) -> Poll<io::Result<usize>> {
        let shared = &self.0.0;
        if shared.deaf.load(Ordering::Acquire) {
            shared.asked.store(true, Ordering::Release);
            return Poll::Pending;
        }
        loop {
            ready!(shared.socket.poll_read_ready(cx))?;
            match shared.socket.try_read(into) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                done => return Poll::Ready(done),
            }
        }
    }
}

impl AsyncWrite for Wire {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let Shared { socket, said, .. } = &*self.0.0;
        loop {
            ready!(socket.poll_write_ready(cx))?;
            match socket.try_write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                done => {
                    said.store(true, Ordering::Release);
                    return Poll::Ready(done);
                }
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(SockRef::from(&self.0.0.socket).shutdown(Shutdown::Write))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn a_socket_tells_whether_it_is_open_and_is_looked_after() -> io::Result<()> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        for farewell in [&b""[..], b"bye"] {
            let (socket, peer) = tokio::join!(TcpStream::connect(address), listener.accept());
            let (ear, mut peer) = (Ear::new(socket?)?, peer?.0);
            assert!(ear.is_open());
            assert!(SockRef::from(&ear.0.socket).keepalive()?);
            peer.write_all(farewell).await?;
            drop(peer);
            let closed = async {
                while ear.is_open() {
                    tokio::time::sleep(Duration::from_millis(2)).await;
                }
            };
            tokio::time::timeout(Duration::from_secs(60), closed).await?;
        }
        Ok(())
    }
}
