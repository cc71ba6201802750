//! Who may answer for a server.

use std::path::Path;
use std::sync::Arc;

use isogloss_driver::{Error, ErrorKind, Result};
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::client::verify_server_cert_signed_by_trust_anchor;
use tokio_rustls::rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::server::ParsedCertificate;
use tokio_rustls::rustls::{self, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

use super::options::{PostgresOptions, Ssl};

/// What checks a server as the options say. A file of certificates that is named is read in any case.
///
/// # Errors
/// The file cannot be read.
pub(super) fn client(options: &PostgresOptions) -> Result<ClientConfig> {
    let own = options.root_certificates.as_deref().map(read).transpose()?;
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider));
    let builder = builder
        .with_safe_default_protocol_versions()
        .map_err(|found| Error::new(ErrorKind::Configuration, found.to_string()).with_source(found))?;
    let roots = match (options.ssl, own) {
        (Ssl::Verify, own) => {
            return Ok(builder.with_root_certificates(own.unwrap_or_else(usual)).with_no_client_auth());
        }
        (Ssl::VerifyCa, own) => Some(own.unwrap_or_else(usual)),
        (Ssl::Require, own) => own,
        (Ssl::Disable | Ssl::Prefer, _) => None,
    };
    let verifier = Arc::new(AnyName { provider, roots });
    Ok(builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth())
}

/// Those that Mozilla trusts.
fn usual() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    roots
}

fn read(path: &Path) -> Result<RootCertStore> {
    let bad = |why: String| Error::new(ErrorKind::Configuration, format!("sslrootcert `{}`: {why}", path.display()));
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(path).map_err(|found| bad(found.to_string()))? {
        let certificate = certificate.map_err(|found| bad(found.to_string()))?;
        roots.add(certificate).map_err(|found| bad(found.to_string()))?;
    }
    if roots.is_empty() {
        return Err(bad("there is no certificate in it".into()));
    }
    Ok(roots)
}

/// Takes a server whatever its name is, as libpq does where `sslmode` does not say `verify-full`: one that somebody vouches
/// for; without roots whoever answers, against those that listen, not against those that interfere.
#[derive(Debug)]
struct AnyName {
    provider: Arc<CryptoProvider>,
    roots: Option<RootCertStore>,
}

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        if let Some(roots) = &self.roots {
            let algorithms = self.provider.signature_verification_algorithms.all;
            let certificate = ParsedCertificate::try_from(certificate)?;
            verify_server_cert_signed_by_trust_anchor(&certificate, roots, between, now, algorithms)?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, cert, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, cert, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
