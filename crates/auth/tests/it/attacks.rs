//! Tokens that must not pass, each with the reason that it is refused for.

use std::time::Duration;

use aws_lc_rs::hmac;
use serde_json::{Value, json};
use tidegauge_auth::oauth::{
    AccessToken, Algorithm, Expected, KeySet, Peek, Rejection, TOKEN_BYTES_MAX, verify,
};
use tidegauge_model::Timestamp;

use crate::key_sets::key_set;
use crate::signer::{Signer, encode};

pub(crate) const ISSUER: &str = "https://login.example.com/realms/logs";
pub(crate) const AUDIENCE: &str = "https://logs.example.com";
pub(crate) const NOW: i64 = 1_780_000_000;
const KEY: &str = "key-1";

pub(crate) fn now() -> Timestamp {
    Timestamp::from_micros(NOW * 1_000_000)
}

pub(crate) fn expected() -> Expected {
    Expected {
        issuer: ISSUER.to_owned(),
        audiences: vec![AUDIENCE.to_owned()],
        algorithms: vec![Algorithm::RS256, Algorithm::PS256, Algorithm::ES256, Algorithm::EdDSA],
        require_type: true,
        leeway: Duration::from_secs(30),
        scope_prefix: String::new(),
    }
}

pub(crate) fn claims() -> Value {
    json!({
        "iss": ISSUER, "aud": AUDIENCE, "sub": "ada", "client_id": "console", "jti": "token-1",
        "iat": NOW - 10, "exp": NOW + 600, "scope": "openid notifiers|read",
    })
}

/// The claims with one of them changed, or left out where it is null.
pub(crate) fn with(claim: &str, value: Value) -> Value {
    let mut claims = claims();
    match value {
        Value::Null => drop(claims.as_object_mut().unwrap().remove(claim)),
        value => claims[claim] = value,
    }
    claims
}

/// The keys of an issuer with this one.
fn keys(signer: &Signer) -> KeySet {
    KeySet::from_json(&key_set(&[signer.named(KEY)])).unwrap()
}

fn check(signer: &Signer, token: &str) -> Result<AccessToken, Rejection> {
    verify(token, &keys(signer), &expected(), now())
}

fn refused(signer: &Signer, token: &str) -> Rejection {
    check(signer, token).unwrap_err()
}

#[test]
fn a_good_token_passes_with_each_algorithm() {
    for signer in [Signer::es256(), Signer::eddsa(), Signer::rs256(), Signer::ps256()] {
        let token = check(&signer, &signer.access_token(KEY, &claims())).unwrap();
        assert_eq!((token.subject.as_str(), token.client.as_deref()), ("ada", Some("console")));
        assert_eq!(token.expires_at.as_micros(), (NOW + 600) * 1_000_000);
        assert!(!token.scopes.all && token.confirmation.is_none());
    }
}

#[test]
fn no_signature_is_no_token() {
    let signer = Signer::es256();
    for algorithm in ["none", "None", "NONE", "nOnE", ""] {
        let header = json!({"typ": "at+jwt", "alg": algorithm, "kid": KEY});
        let message = format!("{}.{}", encode(header.to_string()), encode(claims().to_string()));
        for signature in ["", "e30", &encode([0; 64])] {
            let token = format!("{message}.{signature}");
            assert_eq!(refused(&signer, &token), Rejection::AlgorithmNotAllowed, "{algorithm:?}");
        }
    }
    let token = signer.access_token(KEY, &claims());
    let (message, _) = token.rsplit_once('.').unwrap();
    for cut in [message.to_owned(), format!("{message}."), format!("{message}.AAAA"), format!("{token}.")] {
        assert!(matches!(refused(&signer, &cut), Rejection::Malformed | Rejection::BadSignature), "{cut}");
    }
}

/// A token whose signature anybody can make who knows the secret.
fn signed_with_secret(secret: &[u8]) -> String {
    let header = json!({"typ": "at+jwt", "alg": "HS256", "kid": KEY});
    let message = format!("{}.{}", encode(header.to_string()), encode(claims().to_string()));
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
    format!("{message}.{}", encode(hmac::sign(&key, message.as_bytes())))
}

#[test]
fn the_public_key_is_no_shared_secret() {
    for signer in [Signer::rs256(), Signer::es256()] {
        let published = signer.public_key();
        let secrets = [
            signer.public_bytes(),
            published.to_string().into_bytes(),
            published["n"].as_str().unwrap_or_default().as_bytes().to_vec(),
            published["x"].as_str().unwrap_or_default().as_bytes().to_vec(),
            Vec::new(),
        ];
        for secret in secrets {
            let forged = signed_with_secret(&secret);
            assert_eq!(refused(&signer, &forged), Rejection::AlgorithmNotAllowed);
            assert_eq!(Peek::at(&forged).unwrap_err(), Rejection::AlgorithmNotAllowed);
        }
    }
}

#[test]
fn an_algorithm_that_is_not_pinned_does_not_count() {
    let signer = Signer::rs256();
    let token = signer.access_token(KEY, &claims());
    let only_curves = Expected { algorithms: vec![Algorithm::ES256], ..expected() };
    let refusal = verify(&token, &keys(&signer), &only_curves, now()).unwrap_err();
    assert_eq!(refusal, Rejection::AlgorithmNotAllowed);
    let none = Expected { algorithms: Vec::new(), ..expected() };
    assert_eq!(verify(&token, &keys(&signer), &none, now()).unwrap_err(), Rejection::AlgorithmNotAllowed);
    // The key says of itself that it is for RS256: it verifies no other padding.
    let Signer::Rs256(pair) = signer else { unreachable!() };
    let other = Signer::Ps256(pair);
    let token = other.access_token(KEY, &claims());
    let as_rs256 = {
        let mut key = other.named(KEY);
        key["alg"] = "RS256".into();
        KeySet::from_json(&key_set(&[key])).unwrap()
    };
    assert_eq!(verify(&token, &as_rs256, &expected(), now()).unwrap_err(), Rejection::UnknownKey);
}

#[test]
fn only_the_keys_of_the_issuer_count() {
    let (signer, foreign) = (Signer::es256(), Signer::es256());
    // The same name, and another.
    assert_eq!(refused(&signer, &foreign.access_token(KEY, &claims())), Rejection::BadSignature);
    assert_eq!(refused(&signer, &foreign.access_token("key-2", &claims())), Rejection::UnknownKey);
    let empty = KeySet::default();
    let token = signer.access_token(KEY, &claims());
    assert_eq!(verify(&token, &empty, &expected(), now()).unwrap_err(), Rejection::UnknownKey);
    // A key of another kind with the same name.
    assert_eq!(refused(&signer, &Signer::eddsa().access_token(KEY, &claims())), Rejection::UnknownKey);
}

#[test]
fn a_key_that_the_token_brings_along_is_not_looked_at() {
    let (signer, foreign) = (Signer::es256(), Signer::es256());
    let header = json!({
        "typ": "at+jwt", "alg": "ES256", "kid": KEY, "jwk": foreign.public_key(),
        "jku": "https://evil.example/keys", "x5u": "https://evil.example/chain", "x5c": ["AAAA"],
    });
    assert_eq!(refused(&signer, &foreign.token(&header, &claims())), Rejection::BadSignature);
    assert!(check(&signer, &signer.token(&header, &claims())).is_ok());
}

#[test]
fn the_name_of_a_key_is_only_compared() {
    let signer = Signer::es256();
    for id in ["../../../../etc/passwd", "' OR 1=1 --", "key-1\0", "KEY-1", "", "%6bey-1", &"k".repeat(4_000)]
    {
        assert_eq!(refused(&signer, &signer.access_token(id, &claims())), Rejection::UnknownKey, "{id}");
    }
    for id in [json!(1), json!(["key-1"]), json!({})] {
        let header = json!({"typ": "at+jwt", "alg": "ES256", "kid": id});
        assert_eq!(refused(&signer, &signer.token(&header, &claims())), Rejection::Malformed);
    }
    // Without a name every fitting key is tried.
    let header = json!({"typ": "at+jwt", "alg": "ES256"});
    assert!(check(&signer, &signer.token(&header, &claims())).is_ok());
}

#[test]
fn what_must_be_understood_is_refused() {
    let signer = Signer::es256();
    for critical in [json!(["exp"]), json!(["b64"]), json!([]), json!("b64")] {
        let header = json!({"typ": "at+jwt", "alg": "ES256", "kid": KEY, "crit": critical, "b64": false});
        assert_eq!(refused(&signer, &signer.token(&header, &claims())), Rejection::UnknownExtension);
    }
}

#[test]
fn a_token_of_another_kind_is_refused() {
    let signer = Signer::es256();
    let with_type = |typ: &str| signer.token(&json!({"typ": typ, "alg": "ES256", "kid": KEY}), &claims());
    for typ in ["at+jwt", "AT+JWT", "application/at+jwt", "Application/At+Jwt"] {
        assert!(check(&signer, &with_type(typ)).is_ok(), "{typ}");
    }
    let relaxed = Expected { require_type: false, ..expected() };
    for typ in ["JWT", "dpop+jwt", "logout+jwt", "id+jwt", "application/", "at+jwt2", "", "äääääääääääää"]
    {
        assert_eq!(refused(&signer, &with_type(typ)), Rejection::WrongType, "{typ}");
        let passes = verify(&with_type(typ), &keys(&signer), &relaxed, now()).is_ok();
        assert_eq!(passes, typ == "JWT", "{typ}");
    }
    let without = signer.token(&json!({"alg": "ES256", "kid": KEY}), &claims());
    assert_eq!(refused(&signer, &without), Rejection::WrongType);
    assert!(verify(&without, &keys(&signer), &relaxed, now()).is_ok());
}

#[test]
fn a_huge_or_broken_token_is_refused() {
    let signer = Signer::es256();
    let huge = signer.access_token(KEY, &with("padding", "x".repeat(TOKEN_BYTES_MAX).into()));
    assert_eq!(refused(&signer, &huge), Rejection::TooLong);
    assert_eq!(Peek::at(&huge).unwrap_err(), Rejection::TooLong);
    let token = signer.access_token(KEY, &claims());
    let parts: Vec<&str> = token.split('.').collect();
    let [header, body, signature] = parts[..] else { unreachable!() };
    let deep = format!("{{\"a\":{}", "[".repeat(9_000));
    for broken in [
        String::new(),
        ".".to_owned(),
        "..".to_owned(),
        "a.b.c".to_owned(),
        format!("{header}.{body}"),
        format!("{header}.{body}.{signature}.{signature}"),
        format!("{header}.{body}.{signature}=="),
        format!("{header}=.{body}.{signature}"),
        format!("{header}.{}.{signature}", encode("[]")),
        format!("{header}.{}.{signature}", encode(&deep)),
        format!("{}.{body}.{signature}", encode("{\"alg\":\"ES256\",\"alg\":\"none\"}")),
        format!(" {token}"),
        format!("{token}\n"),
    ] {
        assert!(check(&signer, &broken).is_err(), "{broken}");
    }
}
