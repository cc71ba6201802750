//! The socket.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use futures_util::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_util::compat::{Compat, TokioAsyncWriteCompatExt};

/// A socket that says whether anything has come since it was last asked: only a statement that has not been answered yet
/// can be cancelled without harm, as half an answer cannot be told from another one.
pub(super) struct Wire {
    socket: Compat<TcpStream>,
    heard: Heard,
}

/// Whether anything has come.
#[derive(Debug, Clone, Default)]
pub(super) struct Heard(Arc<AtomicBool>);

impl Heard {
    pub(super) fn anything(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    pub(super) fn forget(&self) {
        self.0.store(false, Ordering::Release);
    }
}

impl Wire {
    pub(super) fn new(socket: TcpStream, heard: Heard) -> Self {
        Self { socket: socket.compat_write(), heard }
    }
}

impl AsyncRead for Wire {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut [u8]) -> Poll<io::Result<usize>> {
        let read = Pin::new(&mut self.socket).poll_read(cx, into);
        if matches!(read, Poll::Ready(Ok(1..))) {
            self.heard.0.store(true, Ordering::Release);
        }
        read
    }
}

impl AsyncWrite for Wire {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(cx)
    }

    fn poll_close(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_close(cx)
    }
}
