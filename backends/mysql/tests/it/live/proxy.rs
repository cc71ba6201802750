//! What stands between a program and its server.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Passes on what it gets.
pub struct Proxy {
    pub port: u16,
    to: Arc<Mutex<(String, u16)>>,
    /// What clients have sent.
    sent: Arc<Mutex<Vec<u8>>>,
    /// Whether it takes the word for encryption out of what servers greet with.
    strips: Arc<AtomicBool>,
    /// The text at which it hangs up, once. It passes the text on.
    last: Arc<Mutex<Option<&'static str>>>,
}

impl Proxy {
    pub async fn new(host: &str, port: u16) -> Self {
        let to = Arc::new(Mutex::new((host.to_owned(), port)));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (sent, strips) = (Arc::default(), Arc::new(AtomicBool::new(false)));
        let last = Arc::<Mutex<Option<&'static str>>>::default();
        let proxy = Self {
            port: listener.local_addr().unwrap().port(),
            to: Arc::clone(&to),
            sent: Arc::clone(&sent),
            strips: Arc::clone(&strips),
            last: Arc::clone(&last),
        };
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let place = to.lock().unwrap().clone();
                let (sent, mut strips) = (Arc::clone(&sent), strips.load(Ordering::Relaxed));
                let last = Arc::clone(&last);
                tokio::spawn(async move {
                    let server = TcpStream::connect((place.0.as_str(), place.1)).await.unwrap();
                    let ((asks, hears), (answers, takes)) = (client.into_split(), server.into_split());
                    let records = |bytes: &mut [u8]| {
                        sent.lock().unwrap().extend_from_slice(bytes);
                        last.lock().unwrap().take_if(|last| contains(bytes, last)).is_none()
                    };
                    let answered = |bytes: &mut [u8]| {
                        if std::mem::take(&mut strips) {
                            strip(bytes);
                        }
                        true
                    };
                    // Who hangs up hears nothing more.
                    tokio::select! {
                        () = pass(asks, takes, records) => {}
                        () = pass(answers, hears, answered) => {}
                    }
                });
            }
        });
        proxy
    }

    /// Says to clients that servers know no encryption, from the next connection on.
    pub fn strip_encryption(&self) {
        self.strips.store(true, Ordering::Relaxed);
    }

    /// Hangs up on both sides when a client has sent this text.
    pub fn hang_up_at(&self, text: &'static str) {
        *self.last.lock().unwrap() = Some(text);
    }

    /// Takes what clients have sent since the last time.
    pub fn sent(&self) -> Vec<u8> {
        std::mem::take(&mut *self.sent.lock().unwrap())
    }

    /// Where connections lead that are made from now on.
    pub fn leads_to(&self, host: &str, port: u16) {
        *self.to.lock().unwrap() = (host.to_owned(), port);
    }
}

/// Takes CLIENT_SSL out of a greeting: it is the bit 11 of what stands behind the version, a number, 8 bytes and a zero.
fn strip(greeting: &mut [u8]) {
    let version = 5;
    let end = version + greeting[version..].iter().position(|byte| *byte == 0).unwrap();
    greeting[end + 1 + 4 + 8 + 1 + 1] &= !0x08;
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}

/// Passes on what comes, as long as `seen` says that it goes on.
async fn pass(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut seen: impl FnMut(&mut [u8]) -> bool,
) {
    let mut buffer = vec![0; 16 << 10];
    while let Ok(bytes @ 1..) = from.read(&mut buffer).await {
        let goes_on = seen(&mut buffer[..bytes]);
        if to.write_all(&buffer[..bytes]).await.is_err() || !goes_on {
            return;
        }
    }
    let _ = to.shutdown().await;
}
