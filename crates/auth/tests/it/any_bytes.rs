//! Whatever comes is refused or read, and nothing panics.

use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};
use tidegauge_auth::bearer;
use tidegauge_auth::oauth::keys::Key;
use tidegauge_auth::oauth::{Challenge, Confirmation, KeySet, Peek, Proof, Scopes, verify};

use crate::attacks::{claims, expected, now};
use crate::key_sets::key_set;
use crate::signer::{Signer, encode};

/// Any JSON of some depth.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z_]{1,6}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn try_everything(text: &str) {
    let keys = KeySet::from_json(&key_set(&[Signer::es256().named("k")])).unwrap();
    assert!(verify(text, &keys, &expected(), now()).is_err());
    let _ = Peek::at(text);
    let bound_to = Confirmation { thumbprint: "x".to_owned() };
    let leeway = Duration::from_secs(1);
    let proof = Proof { text, method: text, address: text, token: text, leeway };
    assert!(proof.check(&bound_to, now()).is_err());
}

proptest! {
    #[test]
    fn any_text_is_refused(text in ".{0,300}") {
        try_everything(&text);
        let _ = bearer::read_any(Some(text.as_bytes()));
        let _ = Scopes::parse(&text);
        let challenge = Challenge { description: Some(text), ..Challenge::default() }.to_string();
        prop_assert!(challenge.bytes().all(|byte| (0x20..0x7f).contains(&byte)));
    }

    #[test]
    fn any_bytes_are_no_header_and_no_keys(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = bearer::read_any(Some(&bytes));
        prop_assert!(KeySet::from_json(&bytes).is_err());
    }

    #[test]
    fn any_parts_are_refused(header in any_json(), body in any_json(), signature in ".{0,20}") {
        try_everything(&format!("{}.{}.{}", encode(header.to_string()), encode(body.to_string()), encode(signature)));
    }

    #[test]
    fn any_key_is_read_or_left_out(member in "kty|crv|x|y|n|e|alg|use|key_ops|kid|d", value in any_json()) {
        for signer in [Signer::es256(), Signer::eddsa()] {
            let mut key = signer.named("k");
            key[&member] = value.clone();
            let _ = Key::from_json(key);
        }
        let _ = Key::from_json(value);
    }

    #[test]
    fn a_genuine_token_with_any_claim_is_read_or_refused(
        claim in "iss|aud|sub|exp|nbf|iat|jti|client_id|scope|scp|cnf|email|roles", value in any_json()
    ) {
        let signer = Signer::es256();
        let keys = KeySet::from_json(&key_set(&[signer.named("k")])).unwrap();
        let mut claims = claims();
        claims[&claim] = value;
        let _ = verify(&signer.access_token("k", &claims), &keys, &expected(), now());
    }

    #[test]
    fn no_altered_token_passes(position in 0usize..400, letter in "[A-Za-z0-9_.-]") {
        let signer = Signer::eddsa();
        let keys = KeySet::from_json(&key_set(&[signer.named("k")])).unwrap();
        let token = signer.access_token("k", &claims());
        let position = position % token.len();
        let mut altered = token.clone();
        altered.replace_range(position..=position, &letter);
        prop_assert_eq!(verify(&altered, &keys, &expected(), now()).is_ok(), altered == token);
    }
}
