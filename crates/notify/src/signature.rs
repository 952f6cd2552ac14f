//! Signatures of webhooks after the Standard Webhooks scheme: receivers can tell that a message is ours, when it was
//! sent, and by its id whether they had it before. Each notifier has a secret of its own, which is computed of the
//! service's key and the notifier's id, so that it is kept nowhere.

use std::fmt;

use aws_lc_rs::hmac;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tidegauge_model::{DeliveryId, NotifierId, OrgId, Timestamp};

/// The headers that a signature is made of.
pub const HEADERS: [&str; 3] = ["webhook-id", "webhook-timestamp", "webhook-signature"];

/// The key that the secrets of all notifiers are computed of.
pub struct SigningKey(hmac::Key);

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey(…)")
    }
}

impl SigningKey {
    /// From the secret key of the service, which serves other ends too.
    pub fn new(secret_key: &[u8]) -> Self {
        let root = hmac::Key::new(hmac::HMAC_SHA256, secret_key);
        let derived = hmac::sign(&root, b"tidegauge webhook signatures");
        Self(hmac::Key::new(hmac::HMAC_SHA256, derived.as_ref()))
    }

    pub fn secret(&self, org: &OrgId, notifier: &NotifierId) -> SigningSecret {
        let tag = hmac::sign(&self.0, format!("{org}/{notifier}").as_bytes());
        SigningSecret(tag.as_ref().to_vec())
    }
}

/// What the messages of one notifier are signed with.
#[derive(Clone, PartialEq, Eq)]
pub struct SigningSecret(Vec<u8>);

impl fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningSecret(…)")
    }
}

impl SigningSecret {
    /// In the form that libraries of the scheme take.
    pub fn reveal(&self) -> String {
        format!("whsec_{}", STANDARD.encode(&self.0))
    }
}

/// The headers of a message. The id stays the same when it is sent again; the time is that of this attempt.
pub(crate) fn headers(
    secret: &SigningSecret,
    id: &DeliveryId,
    now: Timestamp,
    body: &str,
) -> [(String, String); 3] {
    let seconds = now.as_micros().div_euclid(1_000_000);
    let key = hmac::Key::new(hmac::HMAC_SHA256, &secret.0);
    let tag = hmac::sign(&key, format!("{id}.{seconds}.{body}").as_bytes());
    let values = [id.to_string(), seconds.to_string(), format!("v1,{}", STANDARD.encode(tag))];
    let mut values = values.into_iter();
    HEADERS.map(|name| (name.to_owned(), values.next().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the scheme's specification.
    #[test]
    fn the_example_of_the_specification_has_its_signature() {
        let secret = SigningSecret(STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap());
        assert_eq!(secret.reveal(), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        let id = DeliveryId::from("msg_p5jXN8AQM9LWM0D4loKWxJek");
        let now = Timestamp::from_micros(1_614_265_330_000_000);
        let signed = headers(&secret, &id, now, r#"{"test": 2432232314}"#);
        assert_eq!(signed[0].1, "msg_p5jXN8AQM9LWM0D4loKWxJek");
        assert_eq!(signed[1].1, "1614265330");
        assert_eq!(signed[2].1, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn every_notifier_has_a_secret_of_its_own() {
        let key = SigningKey::new(&[7; 32]);
        let secret = |org: &str, notifier: &str| key.secret(&org.into(), &notifier.into());
        assert_eq!(secret("org_1", "notify_1"), secret("org_1", "notify_1"));
        assert_ne!(secret("org_1", "notify_1"), secret("org_1", "notify_2"));
        assert_ne!(secret("org_1", "notify_1"), secret("org_2", "notify_1"));
        assert_ne!(
            SigningKey::new(&[8; 32]).secret(&"org_1".into(), &"notify_1".into()),
            secret("org_1", "notify_1")
        );
        assert_eq!(format!("{:?}{key:?}", secret("a", "b")), "SigningSecret(…)SigningKey(…)");
    }
}
