//! What stands between a program and its server.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// Passes on what it gets, until it is silenced: then it keeps all for itself, and hangs up on nobody.
pub struct Proxy {
    pub port: u16,
    to: Arc<Mutex<(String, u16)>>,
    silent: watch::Sender<bool>,
}

impl Proxy {
    pub async fn new(host: &str, port: u16) -> Self {
        let to = Arc::new(Mutex::new((host.to_owned(), port)));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (silent, silence) = watch::channel(false);
        let proxy = Self { port: listener.local_addr().unwrap().port(), to: Arc::clone(&to), silent };
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (place, silence) = (to.lock().unwrap().clone(), silence.clone());
                tokio::spawn(async move {
                    let server = TcpStream::connect((place.0.as_str(), place.1)).await.unwrap();
                    let ((asks, hears), (answers, takes)) = (client.into_split(), server.into_split());
                    tokio::join!(pass(asks, takes, silence.clone()), pass(answers, hears, silence));
                });
            }
        });
        proxy
    }

    pub fn silence(&self, silent: bool) {
        self.silent.send_replace(silent);
    }

    /// Where connections lead that are made from now on.
    pub fn leads_to(&self, host: &str, port: u16) {
        *self.to.lock().unwrap() = (host.to_owned(), port);
    }
}

async fn pass(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, mut silence: watch::Receiver<bool>) {
    let mut buffer = vec![0; 16 << 10];
    while let Ok(bytes @ 1..) = from.read(&mut buffer).await {
        if silence.wait_for(|silent| !silent).await.is_err() || to.write_all(&buffer[..bytes]).await.is_err() {
            return;
        }
    }
    let _ = to.shutdown().await;
}
