//! Sockets to a server: plain ones, encrypted ones, and those that cancel what runs on another.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use isogloss_driver::{Error, ErrorKind, Result};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpSocket;
use tokio_postgres::{CancelToken, NoTls};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{self, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

use super::options::{PostgresOptions, Ssl};

/// What both directions of a connection go through.
pub(super) trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

pub(super) type Wire = Box<dyn Stream>;

/// One address of a server: where a connection went, a request to cancel has to go, too.
#[derive(Debug, Clone)]
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
        let tls = match options.ssl {
            Ssl::Disable => None,
            Ssl::Verify => Some(Arc::new(verifying(options)?)),
            Ssl::Prefer | Ssl::Require => Some(Arc::new(trusting()?)),
        };
        Ok(Self { ssl: options.ssl, tls })
    }

    /// A socket, encrypted as far as it shall be.
    pub(super) async fn dial(&self, address: &Address) -> io::Result<Wire> {
        let (host, at) = match address {
            Address::Tcp { host, at } => (host, *at),
            #[cfg(unix)]
            Address::Socket(path) => return Ok(Box::new(tokio::net::UnixStream::connect(path).await?)),
        };
        let socket = if at.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        socket.set_keepalive(true)?;
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
        token.cancel_query_raw(&mut wire, NoTls).await.map_err(io::Error::other)?;
        match wire.read_u8().await {
            Ok(_) => Err(io::Error::other("an answer to a request to cancel")),
            // The end, perhaps a rude one.
            Err(_) => Ok(()),
        }
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

fn verifying(options: &PostgresOptions) -> Result<ClientConfig> {
    let mut roots = RootCertStore::empty();
    if let Some(path) = &options.root_certificates {
        let bad =
            |why: String| Error::new(ErrorKind::Configuration, format!("sslrootcert `{}`: {why}", path.display()));
        let certificates = CertificateDer::pem_file_iter(path).map_err(|found| bad(found.to_string()))?;
        for certificate in certificates {
            let certificate = certificate.map_err(|found| bad(found.to_string()))?;
            roots.add(certificate).map_err(|found| bad(found.to_string()))?;
        }
        if roots.is_empty() {
            return Err(bad("there is no certificate in it".into()));
        }
    } else {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().map_err(no_tls)?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

fn trusting() -> Result<ClientConfig> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider));
    let builder = builder.with_safe_default_protocol_versions().map_err(no_tls)?;
    Ok(builder.dangerous().with_custom_certificate_verifier(Arc::new(AnyServer(provider))).with_no_client_auth())
}

fn no_tls(found: rustls::Error) -> Error {
    Error::new(ErrorKind::Configuration, found.to_string()).with_source(found)
}

/// Takes whoever answers for the server, as libpq does where `sslmode` does not say `verify`: against those that listen,
/// not against those that interfere.
#[derive(Debug)]
struct AnyServer(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyServer {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, cert, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, cert, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
