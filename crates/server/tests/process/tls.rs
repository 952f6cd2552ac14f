//! HTTPS with a certificate made on the spot.

use reqwest::{Certificate, Client};

use crate::database::Backend;
use crate::process::{Installation, write};

pub(crate) async fn serves_https(backend: Backend) {
    let installation = Installation::new(backend);
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let (cert, key) = (installation.path("cert.pem"), installation.path("key.pem"));
    write(&cert, &made.cert.pem());
    write(&key, &made.signing_key.serialize_pem());
    let files = ["--tls-cert", cert.to_str().unwrap(), "--tls-key", key.to_str().unwrap()];
    let service = installation.start(&files);
    assert!(service.url.starts_with("https://"));

    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let trusted = Certificate::from_pem(made.cert.pem().as_bytes()).unwrap();
    let address = service.address().parse().unwrap();
    let client =
        Client::builder().no_proxy().tls_certs_only([trusted]).resolve("localhost", address).build().unwrap();
    let url = format!("https://localhost:{}/v2/user", address.port());
    let answer = client.get(url).bearer_auth(installation.first_token()).send().await.unwrap();
    assert_eq!(answer.status(), 200);

    let plain = reqwest::get(format!("http://{}/healthz", service.address())).await;
    assert!(plain.is_err(), "plain HTTP must not be answered on a TLS port");
}
