//! What issuers may publish as their keys.

use serde_json::{Value, json};
use tidegauge_auth::oauth::keys::{KEY_SET_BYTES_MAX, KEYS_MAX};
use tidegauge_auth::oauth::{Algorithm, KeySet, KeySetError, verify};

use crate::attacks::{claims, expected, now};
use crate::signer::{Signer, encode};

/// A key set as an issuer publishes it.
pub(crate) fn key_set(keys: &[Value]) -> Vec<u8> {
    json!({ "keys": keys }).to_string().into_bytes()
}

fn error(keys: &[Value]) -> KeySetError {
    KeySet::from_json(&key_set(keys)).unwrap_err()
}

/// The key with a member changed.
fn with(signer: &Signer, member: &str, value: Value) -> Value {
    let mut key = signer.named("k");
    key[member] = value;
    key
}

#[test]
fn ten_thousand_keys_are_refused() {
    let key = Signer::es256().named("k");
    assert_eq!(error(&vec![key.clone(); 10_000]), KeySetError::TooLarge);
    assert_eq!(error(&vec![json!({"kty": "EC"}); 10_000]), KeySetError::TooMany);
    assert_eq!(error(&vec![key.clone(); KEYS_MAX + 1]), KeySetError::TooMany);
    assert_eq!(KeySet::from_json(&key_set(&vec![key; KEYS_MAX])).unwrap().len(), KEYS_MAX);
    assert_eq!(KeySet::from_json(&vec![b' '; KEY_SET_BYTES_MAX + 1]).unwrap_err(), KeySetError::TooLarge);
}

#[test]
fn what_is_no_key_set_is_refused() {
    for text in ["", "null", "[]", "{}", "{\"keys\":1}", "{\"keys\":{}}", "<html>"] {
        assert_eq!(KeySet::from_json(text.as_bytes()).unwrap_err(), KeySetError::Malformed, "{text}");
    }
    assert_eq!(error(&[]), KeySetError::NoneUsable);
}

#[test]
fn keys_that_cannot_verify_tokens_are_left_out() {
    let signer = Signer::es256();
    let rsa = Signer::rs256();
    let unusable = [
        json!({"kty": "oct", "k": encode("secret"), "kid": "k", "alg": "HS256"}),
        json!({"kty": "unknown", "kid": "k"}),
        json!({"kid": "k"}),
        json!(1),
        json!(null),
        with(&signer, "use", json!("enc")),
        with(&signer, "key_ops", json!(["encrypt"])),
        with(&signer, "alg", json!("HS256")),
        with(&signer, "alg", json!("none")),
        with(&signer, "alg", json!("RS256")),
        with(&signer, "alg", json!("ES384")),
        with(&signer, "d", json!(encode([1; 32]))),
        with(&signer, "x", json!(encode([1; 32]))),
        with(&signer, "x", json!(encode([1; 31]))),
        with(&signer, "y", json!(null)),
        with(&signer, "crv", json!("P-521")),
        with(&signer, "crv", json!("secp256k1")),
        with(&signer, "kid", json!(1)),
        with(&Signer::eddsa(), "crv", json!("X25519")),
        with(&Signer::eddsa(), "x", json!("")),
        // Short keys, also with zeros in front.
        with(&rsa, "n", json!(encode([0xff; 128]))),
        with(&rsa, "n", json!(encode([vec![0; 128], vec![0xff; 128]].concat()))),
        with(&rsa, "n", json!(encode([0xff; 1_025]))),
        with(&rsa, "n", json!("")),
        with(&rsa, "e", json!(encode([0]))),
        with(&rsa, "e", json!(encode([2]))),
        with(&rsa, "e", json!("!")),
    ];
    for key in &unusable {
        assert_eq!(error(std::slice::from_ref(key)), KeySetError::NoneUsable, "{key}");
    }
    let mut all = unusable.to_vec();
    all.push(signer.named("good"));
    let keys = KeySet::from_json(&key_set(&all)).unwrap();
    assert_eq!(keys.len(), 1);
    assert!(keys.has(Some("good"), Algorithm::ES256) && keys.has(None, Algorithm::ES256));
    assert!(!keys.has(Some("k"), Algorithm::ES256) && !keys.has(Some("good"), Algorithm::RS256));
}

#[test]
fn several_keys_of_one_name_are_all_tried_but_not_many() {
    let signers: Vec<Signer> = (0..6).map(|_| Signer::es256()).collect();
    let published: Vec<Value> = signers.iter().map(|signer| signer.named("same")).collect();
    let keys = KeySet::from_json(&key_set(&published)).unwrap();
    let passes =
        |signer: &Signer| verify(&signer.access_token("same", &claims()), &keys, &expected(), now()).is_ok();
    assert!(signers[..4].iter().all(passes));
    assert!(!signers[4..].iter().any(passes));
}

#[test]
fn a_key_without_a_purpose_serves_all_that_its_kind_can() {
    let signer = Signer::rs256();
    let keys = KeySet::from_json(&key_set(&[signer.public_key()])).unwrap();
    assert!(keys.has(None, Algorithm::RS256) && keys.has(None, Algorithm::PS512));
    assert!(!keys.has(None, Algorithm::ES256) && !keys.has(Some("k"), Algorithm::RS256));
}
