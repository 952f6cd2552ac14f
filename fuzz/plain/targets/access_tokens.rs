//! Access tokens of OAuth 2.0: no changed token passes, nor any other text, and claims that pass are those that were
//! expected. The same for proofs of a key.

#![no_main]

use std::sync::OnceLock;
use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value};
use tidegauge_auth::embedded::signing::{AccessClaims, KeyPair};
use tidegauge_auth::oauth::verify::read_claims;
use tidegauge_auth::oauth::{Algorithm, Confirmation, Expected, KeySet, Peek, Proof, verify};
use tidegauge_fuzz_plain::edits::Edits;
use tidegauge_model::Timestamp;

/// 2026-11-15T00:00:00Z, in seconds.
const NOW: i64 = 1_794_700_800;
const LEEWAY: i64 = 30;

struct World {
    keys: KeySet,
    token: String,
    expected: Expected,
}

impl World {
    fn get() -> &'static Self {
        static WORLD: OnceLock<World> = OnceLock::new();
        WORLD.get_or_init(|| {
            let (pair, _) = KeyPair::generate().expect("a key can be made");
            let claims = AccessClaims {
                iss: "https://issuer.test",
                sub: "ada",
                aud: "https://service.test",
                exp: NOW + 600,
                iat: NOW - 10,
                jti: "1",
                client_id: "console",
                scope: "openid notifiers|read",
                auth_time: None,
                grant: "grant_1",
                org: None,
                cnf: None,
            };
            let expected = Expected {
                issuer: claims.iss.to_owned(),
                audiences: vec![claims.aud.to_owned()],
                algorithms: vec![Algorithm::ES256, Algorithm::RS256, Algorithm::EdDSA],
                require_type: true,
                leeway: Duration::from_secs(LEEWAY as u64),
                scope_prefix: String::new(),
            };
            let keys = KeySet::from_json(format!("{{\"keys\":[{}]}}", pair.public()).as_bytes());
            let token = pair.sign(&claims).expect("it can be signed");
            Self { keys: keys.expect("the key can be used"), token, expected }
        })
    }
}

fn now() -> Timestamp {
    Timestamp::from_micros(NOW * 1_000_000)
}

fn check_claims(claims: Map<String, Value>, expected: &Expected) {
    let Ok(token) = read_claims(claims, expected, now()) else { return };
    assert_eq!(token.issuer, expected.issuer);
    assert!(!token.subject.is_empty());
    let is_ours = |value: &Value| value.as_str() == Some(&expected.audiences[0]);
    let audience = &token.claims["aud"];
    assert!(is_ours(audience) || audience.as_array().is_some_and(|all| all.iter().any(is_ours)));
    assert!(token.expires_at.as_micros() > (NOW - LEEWAY) * 1_000_000);
    assert!(token.issued_at.as_micros() <= (NOW + LEEWAY) * 1_000_000);
    assert_eq!(token.confirmation.is_some(), token.claims.contains_key("cnf"));
}

fuzz_target!(|data: &[u8]| {
    let world = World::get();
    let mut edited = world.token.clone().into_bytes();
    Edits(data).apply(&mut edited);
    if let Ok(edited) = String::from_utf8(edited) {
        let passes = verify(&edited, &world.keys, &world.expected, now()).is_ok();
        assert_eq!(passes, edited == world.token, "{edited}");
    }
    let Ok(text) = std::str::from_utf8(data) else { return };
    assert!(verify(text, &world.keys, &world.expected, now()).is_err());
    let _ = Peek::at(text);
    let proof = Proof {
        text,
        method: "GET",
        address: "https://service.test/",
        token: &world.token,
        leeway: Duration::ZERO,
    };
    let bound_to = Confirmation { thumbprint: "x".to_owned() };
    assert!(proof.check(&bound_to, now()).is_err());
    if let Ok(claims) = serde_json::from_str::<Map<String, Value>>(text) {
        check_claims(claims, &world.expected);
    }
});
