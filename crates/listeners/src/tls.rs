//! The certificate of an encrypted port, and whose certificates its senders must have. Read once, at the start.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio_rustls::TlsAcceptor;

use crate::settings::TlsPort;

pub(crate) fn acceptor(port: &TlsPort) -> anyhow::Result<TlsAcceptor> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider));
    let builder = builder.with_safe_default_protocol_versions()?;
    let builder = match &port.client_ca {
        None => builder.with_no_client_auth(),
        Some(file) => {
            let mut roots = RootCertStore::empty();
            for certificate in certificates(file)? {
                roots.add(certificate).with_context(|| format!("reading {}", file.display()))?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            builder.with_client_cert_verifier(verifier.build()?)
        }
    };
    let key = PrivateKeyDer::from_pem_file(&port.key)
        .with_context(|| format!("reading the TLS key {}", port.key.display()))?;
    let config = builder.with_single_cert(certificates(&port.cert)?, key);
    let config = config.context("the TLS certificate and its key do not fit")?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn certificates(file: &Path) -> anyhow::Result<Vec<CertificateDer<'static>>> {
    let unreadable = || format!("reading the certificates of {}", file.display());
    let found = CertificateDer::pem_file_iter(file).with_context(unreadable)?;
    let found = found.collect::<Result<Vec<_>, _>>().with_context(unreadable)?;
    anyhow::ensure!(!found.is_empty(), "{} has no certificate", file.display());
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_do_not_fit_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        let other = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("cert.pem"), made.cert.pem()).unwrap();
        std::fs::write(path("key.pem"), made.signing_key.serialize_pem()).unwrap();
        std::fs::write(path("other.pem"), other.signing_key.serialize_pem()).unwrap();
        std::fs::write(path("empty.pem"), "").unwrap();
        let port = |cert: &str, key: &str, client_ca: Option<&str>| TlsPort {
            address: "127.0.0.1:0".parse().unwrap(),
            cert: path(cert),
            key: path(key),
            client_ca: client_ca.map(path),
        };
        assert!(acceptor(&port("cert.pem", "key.pem", None)).is_ok());
        assert!(acceptor(&port("cert.pem", "key.pem", Some("cert.pem"))).is_ok());
        for (cert, key, client_ca) in [
            ("cert.pem", "other.pem", None),
            ("empty.pem", "key.pem", None),
            ("cert.pem", "empty.pem", None),
            ("missing.pem", "key.pem", None),
            ("cert.pem", "key.pem", Some("empty.pem")),
        ] {
            assert!(acceptor(&port(cert, key, client_ca)).is_err(), "{cert} {key} {client_ca:?}");
        }
    }
}
