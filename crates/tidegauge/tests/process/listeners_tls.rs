//! Syslog over TLS: who has a certificate of the right signer may send, and nobody else.

use std::sync::Arc;

use rcgen::{CertifiedKey, KeyPair};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::database::Backend;
use crate::listeners::World;
use crate::process::{client, write};

fn certificate(name: &str) -> CertifiedKey<KeyPair> {
    rcgen::generate_simple_self_signed(vec![name.to_owned(), "127.0.0.1".to_owned()]).unwrap()
}

/// Connects with a certificate or without, and sends a message; whether the service took it to its end.
async fn send(world: &World, server: &CertifiedKey<KeyPair>, own: Option<&CertifiedKey<KeyPair>>) -> bool {
    let mut roots = RootCertStore::empty();
    roots.add(server.cert.der().clone()).unwrap();
    let builder = ClientConfig::builder().with_root_certificates(roots);
    let config = match own {
        None => builder.with_no_client_auth(),
        Some(own) => {
            let key = PrivateKeyDer::from_pem_slice(own.signing_key.serialize_pem().as_bytes()).unwrap();
            let cert = CertificateDer::from_pem_slice(own.cert.pem().as_bytes()).unwrap();
            builder.with_client_auth_cert(vec![cert], key).unwrap()
        }
    };
    let stream = TcpStream::connect(world.port("syslog over TLS")).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let Ok(mut stream) = TlsConnector::from(Arc::new(config)).connect(name, stream).await else {
        return false;
    };
    let sent = async {
        stream.write_all(b"<1>1 - host app - - - by certificate\n").await?;
        stream.shutdown().await?;
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).await
    };
    sent.await.is_ok()
}

pub(crate) async fn certificates(backend: Backend) {
    // Installs the provider that clients of this process use.
    drop(client());
    let (server, known, unknown) = (certificate("localhost"), certificate("sender"), certificate("sender"));
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (cert, key, ca) = (path("cert.pem"), path("key.pem"), path("ca.pem"));
    write(cert.as_ref(), &server.cert.pem());
    write(key.as_ref(), &server.signing_key.serialize_pem());
    write(ca.as_ref(), &known.cert.pem());
    let settings = ["--syslog-tls", "127.0.0.1:0", "--tls-cert", &cert, "--tls-key", &key];
    let settings = [&settings[..], &["--syslog-client-ca", &ca]].concat();
    let world = World::start_trusting(backend, &server.cert.pem(), &settings).await;
    assert!(!send(&world, &server, None).await, "without a certificate");
    assert!(!send(&world, &server, Some(&unknown)).await, "with one of another signer");
    assert!(send(&world, &server, Some(&known)).await);
    world.comes_to(1).await;
    assert_eq!(world.ask("logs | project message").await[0][0], "by certificate");
    assert_eq!(world.dropped("syslog_tls", "handshake").await, 2);
}
