//! A wire between a program and a server, which a test cuts or stops.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::Outcome;

const OPEN: u8 = 0;
const SILENT: u8 = 1;

/// A proxy on this machine.
pub struct Proxy {
    /// Where it listens.
    pub address: SocketAddr,
    shared: Arc<ProxyShared>,
    task: JoinHandle<()>,
}

struct ProxyShared {
    state: AtomicU8,
    changed: Notify,
    /// Counts the cuts: connections that were made before one end with it.
    cuts: AtomicU64,
}

impl Proxy {
    /// A proxy to a server.
    ///
    /// # Errors
    /// There is no port.
    pub async fn to(server: String) -> Outcome<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let shared =
            Arc::new(ProxyShared { state: AtomicU8::new(OPEN), changed: Notify::new(), cuts: AtomicU64::new(0) });
        let of = Arc::clone(&shared);
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (server, shared) = (server.clone(), Arc::clone(&of));
                tokio::spawn(async move {
                    // A silent server takes connections: the kernel does that.
                    shared.open().await;
                    if let Ok(server) = TcpStream::connect(&*server).await {
                        shared.pass(client, server).await;
                    }
                });
            }
        });
        Ok(Self { address, shared, task })
    }

    /// Passes nothing on from now on, in either direction.
    pub fn silence(&self) {
        self.shared.state.store(SILENT, Ordering::SeqCst);
        self.shared.changed.notify_waiters();
    }

    /// Passes on again.
    pub fn heal(&self) {
        self.shared.state.store(OPEN, Ordering::SeqCst);
        self.shared.changed.notify_waiters();
    }

    /// Ends every connection that there is.
    pub fn cut(&self) {
        self.shared.cuts.fetch_add(1, Ordering::SeqCst);
        self.shared.changed.notify_waiters();
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
        self.cut();
    }
}

impl ProxyShared {
    async fn open(&self) {
        while self.state.load(Ordering::SeqCst) == SILENT {
            let _ = tokio::time::timeout(Duration::from_millis(20), self.changed.notified()).await;
        }
    }

    async fn pass(&self, mut client: TcpStream, mut server: TcpStream) {
        let cuts = self.cuts.load(Ordering::SeqCst);
        let (mut from_client, mut from_server) = (vec![0; 16 << 10], vec![0; 16 << 10]);
        loop {
            tokio::select! {
                read = client.read(&mut from_client) => match read {
                    Ok(count @ 1..) => {
                        self.open().await;
                        let Some(bytes) = from_client.get(..count) else { return };
                        if server.write_all(bytes).await.is_err() { return }
                    }
                    _ => return,
                },
                read = server.read(&mut from_server) => match read {
                    Ok(count @ 1..) => {
                        self.open().await;
                        let Some(bytes) = from_server.get(..count) else { return };
                        if client.write_all(bytes).await.is_err() { return }
                    }
                    _ => return,
                },
                () = self.changed.notified() => {}
            }
            if self.cuts.load(Ordering::SeqCst) != cuts {
                return;
            }
        }
    }
}
