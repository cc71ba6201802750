//! A certificate of a server on this machine, signed by itself.

use mssql_mock_tds::{MockTdsServer, create_test_identity};
use openssl::asn1::Asn1Time;
use openssl::bn::BigNum;
use openssl::hash::MessageDigest;
use openssl::pkey::PKey;
use openssl::rsa::Rsa;
use openssl::x509::{X509, X509NameBuilder};

pub(crate) async fn server() -> Result<MockTdsServer, Box<dyn std::error::Error>> {
    let key = PKey::from_rsa(Rsa::generate(2048)?)?;
    let mut name = X509NameBuilder::new()?;
    name.append_entry_by_text("CN", "localhost")?;
    let name = name.build();
    let mut certificate = X509::builder()?;
    certificate.set_version(2)?;
    let serial = BigNum::from_u32(1)?.to_asn1_integer()?;
    certificate.set_serial_number(&serial)?;
    certificate.set_subject_name(&name)?;
    certificate.set_issuer_name(&name)?;
    certificate.set_pubkey(&key)?;
    let (from, until) = (Asn1Time::days_from_now(0)?, Asn1Time::days_from_now(2)?);
    certificate.set_not_before(&from)?;
    certificate.set_not_after(&until)?;
    certificate.sign(&key, MessageDigest::sha256())?;
    let identity = create_test_identity(&certificate.build().to_pem()?, &key.private_key_to_pem_pkcs8()?)?;
    Ok(MockTdsServer::new_with_strict_tls("127.0.0.1:0", identity).await?)
}
