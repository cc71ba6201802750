//! A wire between a program and a server, which a test cuts or stops.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::Outcome;

const OPEN: u8 = 0;
const SILENT: u8 = 1;
const REFUSING: u8 = 2;

/// Within that time, who says farewell closes the connection, and who asks something still waits for an answer.
const FAREWELL: Duration = Duration::from_millis(500);

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
    /// Where connections lead that are made from now on.
    server: Mutex<String>,
    /// Counts the cuts: connections that were made before one end with it.
    cuts: AtomicU64,
    /// Counts how often it has dropped what there was: connections that were made before pass nothing on.
    drops: AtomicU64,
    /// How many connections that were dropped somebody has asked, and how many were refused.
    vain: AtomicUsize,
    /// How many more bytes of answers are passed on.
    allowance: AtomicUsize,
}

impl Proxy {
    /// A proxy to a server.
    ///
    /// # Errors
    /// There is no port.
    pub async fn to(server: String) -> Outcome<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(ProxyShared {
            state: AtomicU8::new(OPEN),
            changed: Notify::new(),
            server: Mutex::new(server),
            cuts: AtomicU64::new(0),
            drops: AtomicU64::new(0),
            vain: AtomicUsize::new(0),
            allowance: AtomicUsize::new(usize::MAX),
        });
        let of = Arc::clone(&shared);
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                if of.state.load(Ordering::SeqCst) == REFUSING {
                    of.vain.fetch_add(1, Ordering::SeqCst);
                    continue;
                }
                let shared = Arc::clone(&of);
                tokio::spawn(async move {
                    // A silent server takes connections: the kernel does that.
                    shared.open().await;
                    let server = shared.server.lock().unwrap_or_else(PoisonError::into_inner).clone();
                    if let Ok(server) = TcpStream::connect(server).await {
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

    /// Hangs up on whoever comes.
    pub fn refuse(&self) {
        self.shared.state.store(REFUSING, Ordering::SeqCst);
    }

    /// Leads connections that are made from now on to another server.
    pub fn lead_to(&self, server: String) {
        *self.shared.server.lock().unwrap_or_else(PoisonError::into_inner) = server;
    }

    /// Passes nothing more on of the connections that there are, and tells nobody, as a firewall does with idle ones.
    pub fn drop_silently(&self) {
        self.shared.drops.fetch_add(1, Ordering::SeqCst);
    }

    /// How many connections that were dropped somebody has asked, and how many were refused.
    #[must_use]
    pub fn in_vain(&self) -> usize {
        self.shared.vain.load(Ordering::SeqCst)
    }

    /// Passes so many more bytes of answers on, and then none.
    pub fn allow(&self, bytes: usize) {
        self.shared.allowance.store(bytes, Ordering::SeqCst);
    }

    /// Passes on again.
    pub fn heal(&self) {
        self.shared.allowance.store(usize::MAX, Ordering::SeqCst);
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

    async fn until_cut(&self, cuts: u64) {
        while self.cuts.load(Ordering::SeqCst) == cuts {
            let _ = tokio::time::timeout(Duration::from_millis(20), self.changed.notified()).await;
        }
    }

    async fn pass(&self, mut client: TcpStream, mut server: TcpStream) {
        let (cuts, drops) = (self.cuts.load(Ordering::SeqCst), self.drops.load(Ordering::SeqCst));
        let (mut from_client, mut from_server) = (vec![0; 16 << 10], vec![0; 16 << 10]);
        loop {
            tokio::select! {
                read = client.read(&mut from_client) => match read {
                    Ok(count @ 1..) => {
                        if self.drops.load(Ordering::SeqCst) != drops {
                            // A farewell waits for no answer.
                            let farewell = tokio::time::timeout(FAREWELL, client.read(&mut from_client)).await;
                            if farewell.is_err() {
                                self.vain.fetch_add(1, Ordering::SeqCst);
                            }
                            return self.until_cut(cuts).await;
                        }
                        self.open().await;
                        let Some(bytes) = from_client.get(..count) else { return };
                        if server.write_all(bytes).await.is_err() { return }
                    }
                    _ => return,
                },
                read = server.read(&mut from_server) => match read {
                    Ok(count @ 1..) => {
                        self.open().await;
                        let allowed = count.min(self.allowance.load(Ordering::SeqCst));
                        let Some(bytes) = from_server.get(..allowed) else { return };
                        if client.write_all(bytes).await.is_err() { return }
                        if self.allowance.load(Ordering::SeqCst) < usize::MAX {
                            self.allowance.fetch_sub(allowed, Ordering::SeqCst);
                        }
                        if allowed < count {
                            return self.until_cut(cuts).await;
                        }
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
