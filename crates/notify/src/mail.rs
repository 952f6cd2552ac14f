//! Mails by SMTP, to the server that the settings name. What is said when one is not taken stands in `trouble`.

mod refusal;

use std::time::{Duration, SystemTime};

use lettre::message::header::ContentType;
use lettre::message::{Mailbox, Message as Letter};
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::{AsyncSmtpTransport, AsyncTransport, Tokio1Executor};
use tidegauge_model::Timestamp;
use tokio::time::timeout;

use crate::channels::Mail;

/// How the connection to the mail server is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encryption {
    None,
    /// Asked for after the greeting, and demanded.
    Starttls,
    /// From the first byte on.
    Tls,
}

/// Where mails are handed in.
#[derive(Clone, Debug)]
pub struct Server {
    pub host: String,
    pub port: u16,
    pub encryption: Encryption,
    /// Authorities whose certificates count beside those that the system trusts, as PEM.
    pub authorities: Option<Vec<u8>>,
    /// User and password.
    pub login: Option<Login>,
    /// The address that mails come from.
    pub from: String,
}

#[derive(Clone)]
pub struct Login {
    pub user: String,
    pub password: String,
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Login").field("user", &self.user).finish_non_exhaustive()
    }
}

/// Why a mail was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub reason: String,
    /// Whether the same mail could be taken later.
    pub is_passing: bool,
}

/// Hands mails in.
#[derive(Debug)]
pub struct Mailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
    time_max: Duration,
}

/// The settings of mails cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum WrongServer {
    #[error("{0:?} is not an address that mails can come from, such as alerts@example.com")]
    From(String),
    #[error("TLS to the mail server cannot be set up")]
    Tls(#[source] lettre::transport::smtp::Error),
    #[error("setting smtp_ca_file: the file holds no certificate in PEM form")]
    Authorities,
}

impl Mailer {
    pub fn new(server: &Server, time_max: Duration) -> Result<Self, WrongServer> {
        let from = server.from.parse().map_err(|_| WrongServer::From(server.from.clone()))?;
        let parameters = || tls_parameters(server);
        let tls = match server.encryption {
            Encryption::None => Tls::None,
            Encryption::Starttls => Tls::Required(parameters()?),
            Encryption::Tls => Tls::Wrapper(parameters()?),
        };
        let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(&server.host)
            .port(server.port)
            .tls(tls)
            .timeout(Some(time_max));
        if let Some(login) = &server.login {
            builder = builder.credentials(Credentials::new(login.user.clone(), login.password.clone()));
        }
        Ok(Self { transport: builder.build(), from, time_max })
    }

    pub async fn send(&self, mail: &Mail, now: Timestamp) -> Result<(), Refused> {
        let letter = self.letter(mail, now)?;
        match timeout(self.time_max, self.transport.send(letter)).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(refused(&error)),
            Err(_) => {
                let reason = format!("the mail server did not answer within {} s", self.time_max.as_secs());
                Err(Refused { reason, is_passing: true })
            }
        }
    }

    fn letter(&self, mail: &Mail, now: Timestamp) -> Result<Letter, Refused> {
        let lasting = |reason: &str| Refused { reason: reason.to_owned(), is_passing: false };
        let domain = self.from.email.domain();
        let micros = u64::try_from(now.as_micros()).unwrap_or(0);
        let mut builder = Letter::builder()
            .from(self.from.clone())
            .date(SystemTime::UNIX_EPOCH + Duration::from_micros(micros))
            .message_id(Some(format!("<{}@{domain}>", mail.id)))
            .references(format!("<{}@{domain}>", mail.thread))
            .subject(mail.subject.clone())
            .header(ContentType::TEXT_PLAIN);
        for address in &mail.to {
            let to = address.parse().map_err(|_| lasting("a mail address of the notifier is wrong"))?;
            builder = builder.to(Mailbox::new(None, to));
        }
        builder.body(mail.text.clone()).map_err(|_| lasting("the mail cannot be written"))
    }
}

/// The certificate must be good, and for the name that the settings have.
fn tls_parameters(server: &Server) -> Result<TlsParameters, WrongServer> {
    let mut builder = TlsParameters::builder(server.host.clone());
    if let Some(pem) = &server.authorities {
        // A file without any is read as none.
        if !pem.windows(PEM_HEAD.len()).any(|window| window == PEM_HEAD) {
            return Err(WrongServer::Authorities);
        }
        let authorities = Certificate::from_pem(pem).map_err(|_| WrongServer::Authorities)?;
        builder = builder.add_root_certificate(authorities);
    }
    builder.build().map_err(WrongServer::Tls)
}

const PEM_HEAD: &[u8] = b"-----BEGIN CERTIFICATE-----";

fn refused(error: &lettre::transport::smtp::Error) -> Refused {
    Refused { reason: refusal::reason(error), is_passing: !error.is_permanent() }
}
