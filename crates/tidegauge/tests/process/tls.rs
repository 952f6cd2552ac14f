//! HTTPS with a certificate made on the spot, and one that takes its place.

use rcgen::{CertifiedKey, KeyPair};
use reqwest::{Certificate, Client, Response};

use crate::database::Backend;
use crate::process::{Installation, Service, eventually, write};

fn certificate() -> CertifiedKey<KeyPair> {
    rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap()
}

/// Where an installation has its certificate, and the flags that say so.
struct Files {
    cert: String,
    key: String,
}

impl Files {
    fn of(installation: &Installation, made: &CertifiedKey<KeyPair>) -> Self {
        let path = |name: &str| installation.path(name).to_str().unwrap().to_owned();
        let files = Self { cert: path("cert.pem"), key: path("key.pem") };
        files.renew(made);
        files
    }

    fn renew(&self, made: &CertifiedKey<KeyPair>) {
        write(self.cert.as_ref(), &made.cert.pem());
        write(self.key.as_ref(), &made.signing_key.serialize_pem());
    }

    fn start(&self, installation: &Installation) -> Service {
        installation.start(&["--tls-cert", &self.cert, "--tls-key", &self.key])
    }
}

/// Asks who one is, over a new connection that trusts one certificate alone.
async fn ask(
    service: &Service,
    token: &str,
    trusted: &CertifiedKey<KeyPair>,
) -> Result<Response, reqwest::Error> {
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let trusted = Certificate::from_pem(trusted.cert.pem().as_bytes()).unwrap();
    let address = service.address().parse().unwrap();
    let client =
        Client::builder().no_proxy().tls_certs_only([trusted]).resolve("localhost", address).build().unwrap();
    client.get(format!("https://localhost:{}/v2/user", address.port())).bearer_auth(token).send().await
}

pub(crate) async fn serves_https(backend: Backend) {
    let installation = Installation::new(backend);
    let made = certificate();
    let service = Files::of(&installation, &made).start(&installation);
    assert!(service.url.starts_with("https://"));
    let answer = ask(&service, &installation.first_token(), &made).await.unwrap();
    assert_eq!(answer.status(), 200);

    let plain = reqwest::get(format!("http://{}/healthz", service.address())).await;
    assert!(plain.is_err(), "plain HTTP must not be answered on a TLS port");
}

/// A renewed certificate counts after SIGHUP, also when one came before it that could not be read.
pub(crate) async fn renews(backend: Backend) {
    let installation = Installation::new(backend);
    let (first, second) = (certificate(), certificate());
    let files = Files::of(&installation, &first);
    let service = files.start(&installation);
    let token = installation.first_token();
    assert!(ask(&service, &token, &second).await.is_err(), "it is not there yet");
    write(files.cert.as_ref(), "no certificate");
    service.hang_up();
    assert_eq!(ask(&service, &token, &first).await.unwrap().status(), 200, "the old one stays");
    files.renew(&second);
    service.hang_up();
    eventually("the renewed certificate", async || ask(&service, &token, &second).await.ok()).await;
}

/// Who names the wrong scheme is told so at once, however patient the command is with a server that is away.
pub(crate) async fn other_scheme(backend: Backend) {
    let installation = Installation::new(backend);
    let service = Files::of(&installation, &certificate()).start(&installation);
    let plain = Installation::new(Backend::Sqlite);
    let plain_service = plain.start(&[]);
    let (small, large) = (installation.path("small.ndjson"), installation.path("large.ndjson"));
    write(&small, "{\"a\": 1}\n");
    write(&large, &format!("{{\"a\": \"{}\"}}\n", "x".repeat(1000)).repeat(5000));
    let http = format!("http://{}", service.address());
    let https = format!("https://{}", plain_service.address());
    for (url, scheme) in [(&http, "https://"), (&https, "http://")] {
        let (small, large) = (small.to_str().unwrap(), large.to_str().unwrap());
        for arguments in [
            &["ingest", "web", small][..],
            &["ingest", "web", large],
            &["query", "print 1", "--watch"],
            &["whoami"],
        ] {
            let mut command = Installation::bare_command();
            command.args(arguments).args(["--url", url]).env("TIDEGAUGE_TOKEN", "xapt-1");
            command.env("XDG_STATE_HOME", installation.path("state"));
            let output = command.output().unwrap();
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(1), "{arguments:?} {url}: {told}");
            assert!(
                told.contains(&format!("may have to begin with {scheme}")),
                "{arguments:?} {url}: {told}"
            );
            assert!(!told.contains("trying again"), "{arguments:?} {url}: {told}");
        }
    }
}
