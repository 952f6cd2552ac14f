//! One attempt to send a message, and what it means: sent, to be tried again, or not worth another try.

use std::time::Duration;

use tidegauge_egress::EgressError;
use tidegauge_egress::webhook::{WebhookClient, WebhookRequest, target};
use tidegauge_model::Timestamp;

use crate::backoff::read_retry_after;
use crate::channels::{Outbound, Unwritable};
use crate::mail::Mailer;

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Sent {
        status: Option<u16>,
    },
    /// The receiver is in trouble, and may take the message later.
    TryAgain {
        status: Option<u16>,
        error: String,
        retry_after: Option<Duration>,
    },
    /// The receiver, or the guard before it, will never take this message.
    GiveUp {
        status: Option<u16>,
        error: String,
    },
}

impl Outcome {
    pub(crate) fn unwritable(unwritable: &Unwritable) -> Self {
        Self::GiveUp { status: None, error: unwritable.to_string() }
    }

    /// Whether the receiver works, whatever it thinks of the message.
    pub fn is_well(&self) -> bool {
        !matches!(self, Self::TryAgain { .. })
    }
}

/// Who shares the fate of a receiver: all that goes to the same host, or to the mail server.
pub fn target_of(outbound: &Outbound) -> String {
    match outbound {
        Outbound::Mail(_) => "mail".to_owned(),
        Outbound::Http(request) => {
            url::Url::parse(&request.url).map_or_else(|_| String::new(), |url| target(&url))
        }
    }
}

/// Sends once.
pub async fn send(
    outbound: &Outbound,
    webhook_client: &WebhookClient,
    mailer: Option<&Mailer>,
    now: Timestamp,
) -> Outcome {
    match outbound {
        Outbound::Http(request) => {
            let request =
                WebhookRequest { url: &request.url, headers: &request.headers, body: &request.body };
            match webhook_client.send(request).await {
                Ok(reply) => judged(reply.status, reply.retry_after.as_deref(), now),
                Err(problem) => unsent(&problem),
            }
        }
        Outbound::Mail(mail) => match mailer {
            None => {
                let error = "no mail server is configured: set smtp_host and smtp_from".to_owned();
                Outcome::GiveUp { status: None, error }
            }
            Some(mailer) => match mailer.send(mail, now).await {
                Ok(()) => Outcome::Sent { status: None },
                Err(refused) if refused.is_passing => {
                    Outcome::TryAgain { status: None, error: refused.reason, retry_after: None }
                }
                Err(refused) => Outcome::GiveUp { status: None, error: refused.reason },
            },
        },
    }
}

/// What a status means. A redirect is never followed, because it could lead anywhere.
fn judged(status: u16, retry_after: Option<&str>, now: Timestamp) -> Outcome {
    match status {
        200..=299 => Outcome::Sent { status: Some(status) },
        408 | 425 | 429 | 500..=599 => Outcome::TryAgain {
            status: Some(status),
            error: EgressError::Status(status).to_string(),
            retry_after: retry_after.and_then(|text| read_retry_after(text, now)),
        },
        300..=399 => Outcome::GiveUp { status: Some(status), error: EgressError::Redirected.to_string() },
        _ => Outcome::GiveUp { status: Some(status), error: EgressError::Status(status).to_string() },
    }
}

fn unsent(problem: &EgressError) -> Outcome {
    let error = problem.to_string();
    match problem {
        EgressError::UnknownHost(_)
        | EgressError::Unreachable
        | EgressError::BrokenOff
        | EgressError::TooSlow(_) => Outcome::TryAgain { status: None, error, retry_after: None },
        _ => Outcome::GiveUp { status: None, error },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_have_their_meaning() {
        let now = Timestamp::from_micros(0);
        for status in [200, 202, 204] {
            assert_eq!(judged(status, None, now), Outcome::Sent { status: Some(status) });
        }
        for status in [408, 425, 429, 500, 502, 503, 599] {
            assert!(matches!(judged(status, None, now), Outcome::TryAgain { .. }), "{status}");
        }
        for status in [101, 301, 307, 400, 401, 403, 404, 410, 422, 600] {
            assert!(matches!(judged(status, None, now), Outcome::GiveUp { .. }), "{status}");
        }
        let Outcome::TryAgain { retry_after, .. } = judged(429, Some("3"), now) else { panic!() };
        assert_eq!(retry_after, Some(Duration::from_secs(3)));
    }

    #[test]
    fn what_the_guard_refuses_is_not_tried_again() {
        for problem in [
            EgressError::NoUrl,
            EgressError::NotEncrypted,
            EgressError::HasUser,
            EgressError::NotPublic("a".to_owned()),
        ] {
            assert!(matches!(unsent(&problem), Outcome::GiveUp { .. }), "{problem}");
        }
        for problem in
            [EgressError::Unreachable, EgressError::BrokenOff, EgressError::TooSlow(Duration::ZERO)]
        {
            assert!(matches!(unsent(&problem), Outcome::TryAgain { .. }), "{problem}");
        }
    }
}
