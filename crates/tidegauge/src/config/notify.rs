//! The settings of messages to notifiers, checked.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use tidegauge_egress::networks::Network;
use tidegauge_egress::read_address;
use tidegauge_egress::resolver::SystemResolver;
use tidegauge_egress::webhook::WebhookClient;
use tidegauge_model::address::check_email;
use tidegauge_notify::backoff::RetryPolicy;
use tidegauge_notify::breaker::Limits;
use tidegauge_notify::channels::Bases;
use tidegauge_notify::mail::{Encryption, Login, Mailer, Server};
use tidegauge_notify::signature::SigningKey;
use tidegauge_notify::worker::WorkerOptions;

use super::error::{Error, seconds, setting};
use super::hidden::Hidden;

/// How much of an answer is read.
const ANSWER_BYTES_MAX: usize = 64 * 1024;

const FIRST_WAIT: Duration = Duration::from_secs(5);
const WAIT_MAX: Duration = Duration::from_secs(30 * 60);

/// Failures one after the other until a host is left alone, and for how long.
const FAILURES_MAX: u32 = 5;
const REST: Duration = Duration::from_secs(30);
const REST_MAX: Duration = Duration::from_secs(10 * 60);

/// Mails that one organisation may have sent in an hour, by the addresses that they go to: more than its monitors need,
/// and too few for somebody who would flood others in the operator's name.
const MAILS_AN_HOUR_MAX: u32 = 1_000;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotifySettings {
    pub notify_allowed_networks: String,
    pub notify_plain_http: bool,
    pub notify_connect_timeout_seconds: u64,
    pub notify_timeout_seconds: u64,
    pub notify_attempts_max: u32,
    pub notify_age_max_seconds: u64,
    pub notify_in_flight_max: usize,
    pub notify_in_flight_per_host: usize,
    pub notify_chat_a_url: String,
    pub notify_incident_a_url: String,
    pub notify_incident_a_eu_url: String,
    pub notify_incident_b_url: String,
    pub smtp_host: String,
    pub smtp_port: u16,
    pub smtp_encryption: String,
    pub smtp_ca_file: PathBuf,
    pub smtp_user: String,
    pub smtp_password: Hidden,
    pub smtp_password_file: PathBuf,
    pub smtp_from: String,
}

/// How messages are sent, by the settings. The password of the mail server and who signed its certificate may still be
/// in their files.
#[derive(Clone, Debug)]
pub struct Notify {
    allowed: Vec<Network>,
    allows_plain_http: bool,
    connect_time_max: Duration,
    time_max: Duration,
    retry_policy: RetryPolicy,
    limits: Limits,
    in_flight_max: usize,
    bases: Bases,
    mail: Option<Server>,
    password_file: Option<PathBuf>,
    ca_file: Option<PathBuf>,
}

pub(super) fn checked(settings: NotifySettings) -> Result<Notify, Error> {
    let allowed = settings.notify_allowed_networks.split(',').map(str::trim).filter(|text| !text.is_empty());
    let allowed = allowed
        .map(|text| text.parse().map_err(|error| setting("notify_allowed_networks", format!("{error}"))))
        .collect::<Result<_, _>>()?;
    if settings.notify_attempts_max == 0 {
        return Err(setting("notify_attempts_max", "must be at least 1"));
    }
    let mail = mail_server(&settings)?;
    let named = |path: PathBuf| Some(path).filter(|path| !path.as_os_str().is_empty());
    Ok(Notify {
        allowed,
        allows_plain_http: settings.notify_plain_http,
        connect_time_max: seconds("notify_connect_timeout_seconds", settings.notify_connect_timeout_seconds)?,
        time_max: seconds("notify_timeout_seconds", settings.notify_timeout_seconds)?,
        retry_policy: RetryPolicy {
            attempts_max: settings.notify_attempts_max,
            age_max: seconds("notify_age_max_seconds", settings.notify_age_max_seconds)?,
            first_wait: FIRST_WAIT,
            wait_max: WAIT_MAX,
        },
        limits: Limits {
            in_flight_max: settings.notify_in_flight_per_host.max(1),
            failures_max: FAILURES_MAX,
            rest: REST,
            rest_max: REST_MAX,
        },
        in_flight_max: settings.notify_in_flight_max.max(1),
        bases: Bases {
            chat_a: base("notify_chat_a_url", settings.notify_chat_a_url)?,
            incident_a: base("notify_incident_a_url", settings.notify_incident_a_url)?,
            incident_a_eu: base("notify_incident_a_eu_url", settings.notify_incident_a_eu_url)?,
            incident_b: base("notify_incident_b_url", settings.notify_incident_b_url)?,
        },
        mail,
        password_file: named(settings.smtp_password_file),
        ca_file: named(settings.smtp_ca_file),
    })
}

fn base(key: &'static str, text: String) -> Result<String, Error> {
    match read_address(&text) {
        Ok(_) => Ok(text.trim_end_matches('/').to_owned()),
        Err(problem) => Err(setting(key, problem.to_string())),
    }
}

fn mail_server(settings: &NotifySettings) -> Result<Option<Server>, Error> {
    let encryption = match settings.smtp_encryption.as_str() {
        "none" => Encryption::None,
        "starttls" => Encryption::Starttls,
        "tls" => Encryption::Tls,
        other => {
            return Err(setting("smtp_encryption", format!("{other:?} is none of none, starttls and tls")));
        }
    };
    if settings.smtp_host.is_empty() {
        return Ok(None);
    }
    if let Err(violation) = check_email("smtp_from", &settings.smtp_from) {
        return Err(setting("smtp_from", violation.problem));
    }
    let Hidden(password) = &settings.smtp_password;
    if !password.is_empty() && !settings.smtp_password_file.as_os_str().is_empty() {
        return Err(setting("smtp_password_file", "must be empty when smtp_password is set"));
    }
    let login = (!settings.smtp_user.is_empty())
        .then(|| Login { user: settings.smtp_user.clone(), password: password.clone() });
    Ok(Some(Server {
        host: settings.smtp_host.clone(),
        port: settings.smtp_port,
        encryption,
        authorities: None,
        login,
        from: settings.smtp_from.clone(),
    }))
}

impl Notify {
    /// Reads what is still in files, and gives what a worker needs.
    pub fn options(&self, signing: SigningKey) -> anyhow::Result<WorkerOptions> {
        let mut mail = self.mail.clone();
        if let (Some(file), Some(login)) =
            (&self.password_file, mail.as_mut().and_then(|mail| mail.login.as_mut()))
        {
            let text = std::fs::read_to_string(file).map_err(|error| {
                anyhow::anyhow!("setting smtp_password_file: {}: {error}", file.display())
            })?;
            text.trim_end_matches(['\r', '\n']).clone_into(&mut login.password);
        }
        if let (Some(file), Some(mail)) = (&self.ca_file, &mut mail) {
            let pem = std::fs::read(file);
            let pem =
                pem.map_err(|error| anyhow::anyhow!("setting smtp_ca_file: {}: {error}", file.display()))?;
            mail.authorities = Some(pem);
        }
        let mailer = mail.map(|mail| Mailer::new(&mail, self.time_max)).transpose()?;
        Ok(WorkerOptions {
            webhook_client: WebhookClient {
                allowed: self.allowed.clone(),
                allows_plain_http: self.allows_plain_http,
                connect_time_max: self.connect_time_max,
                time_max: self.time_max,
                response_bytes_max: ANSWER_BYTES_MAX,
                resolver: Arc::new(SystemResolver),
            },
            mailer,
            bases: self.bases.clone(),
            signing,
            retry_policy: self.retry_policy,
            limits: self.limits,
            mails_an_hour_max: MAILS_AN_HOUR_MAX,
            in_flight_max: self.in_flight_max,
            // Long enough for an attempt and for noting its end.
            lease: self.time_max * 3,
        })
    }
}
