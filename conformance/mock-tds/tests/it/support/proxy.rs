//! A wire between a driver and its server, which a test listens to and cuts.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use super::endless;

/// Forwards connections to a server.
pub(crate) struct Proxy {
    /// Where the driver connects to.
    pub(crate) address: SocketAddr,
    sent: Arc<Mutex<Vec<u8>>>,
    left: Arc<AtomicUsize>,
    held: Arc<AtomicBool>,
    open: Arc<AtomicUsize>,
    cut: watch::Sender<usize>,
}

impl Proxy {
    /// A proxy of that server.
    pub(crate) async fn new(server: SocketAddr) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let sent = Arc::<Mutex<Vec<u8>>>::default();
        let left = Arc::new(AtomicUsize::new(usize::MAX));
        let held = Arc::<AtomicBool>::default();
        let open = Arc::<AtomicUsize>::default();
        let counted = Arc::clone(&open);
        let (cut, cuts) = watch::channel(0);
        let (heard, budget, silence) = (Arc::clone(&sent), Arc::clone(&left), Arc::clone(&held));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (heard, budget, mut cuts) = (Arc::clone(&heard), Arc::clone(&budget), cuts.clone());
                let silence = Arc::clone(&silence);
                cuts.mark_unchanged();
                let open = Arc::clone(&counted);
                open.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(async move {
                    tokio::select! {
                        _ = cuts.changed() => {}
                        _ = forward(client, server, &heard, &budget, &silence) => {}
                    }
                    open.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        Ok(Self { address, sent, left, held, open, cut })
    }

    /// Cuts every connection that there is.
    pub(crate) fn cut(&self) {
        self.cut.send_modify(|cuts| *cuts += 1);
    }

    /// Lets only so many more bytes of answers through, and cuts the connection behind them.
    pub(crate) fn cut_behind(&self, bytes: usize) {
        self.left.store(bytes, Ordering::SeqCst);
    }

    /// Lets no answer through, or again all of them.
    pub(crate) fn hold(&self, held: bool) {
        self.held.store(held, Ordering::SeqCst);
    }

    /// How many connections there are.
    pub(crate) fn open(&self) -> usize {
        self.open.load(Ordering::SeqCst)
    }

    /// What the driver has sent since it was last asked.
    pub(crate) fn sent(&self) -> Vec<u8> {
        std::mem::take(&mut *self.sent.lock().unwrap())
    }
}

async fn forward(
    client: TcpStream,
    server: SocketAddr,
    heard: &Mutex<Vec<u8>>,
    left: &AtomicUsize,
    held: &AtomicBool,
) -> std::io::Result<()> {
    let (mut from_client, to_client) = client.into_split();
    let to_client = tokio::sync::Mutex::new(to_client);
    let (mut from_server, mut to_server) = TcpStream::connect(server).await?.into_split();
    let requests = async {
        let mut bytes = vec![0; 1 << 16];
        loop {
            let count = from_client.read(&mut bytes).await?;
            if count == 0 {
                return std::io::Result::Ok(());
            }
            heard.lock().unwrap().extend_from_slice(&bytes[..count]);
            match endless::asked(&bytes[..count]) {
                Some(asked) => endless::answer(asked, &mut from_client, &mut *to_client.lock().await, heard).await?,
                None => to_server.write_all(&bytes[..count]).await?,
            }
        }
    };
    let answers = async {
        let mut bytes = vec![0; 1 << 16];
        loop {
            let count = from_server.read(&mut bytes).await?;
            while held.load(Ordering::SeqCst) {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            let left = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| match left {
                usize::MAX => Some(left),
                left => Some(left.saturating_sub(count)),
            });
            let allowed = count.min(left.unwrap_or(0));
            to_client.lock().await.write_all(&bytes[..allowed]).await?;
            if count == 0 || allowed < count {
                return std::io::Result::Ok(());
            }
        }
    };
    tokio::select! {
        done = requests => done,
        done = answers => done,
    }
}
