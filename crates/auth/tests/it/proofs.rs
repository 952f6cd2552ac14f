//! Proofs of RFC 9449 that must not pass, each with the reason that it is refused for.

use std::time::Duration;

use aws_lc_rs::digest;
use serde_json::{Value, json};
use tidegauge_auth::oauth::keys::Key;
use tidegauge_auth::oauth::{Confirmation, Proof, ProofMemory, ProofRejection};
use tidegauge_model::Timestamp;
use tidegauge_model::rng::SeededRng;

use crate::attacks::{NOW, now};
use crate::signer::{Signer, encode};

const TOKEN: &str = "the.access.token";
const ADDRESS: &str = "https://logs.example.com/v2/notifiers";

fn claims(id: &str) -> Value {
    let ath = encode(digest::digest(&digest::SHA256, TOKEN.as_bytes()));
    json!({"jti": id, "htm": "GET", "htu": ADDRESS, "iat": NOW, "ath": ath})
}

fn header(signer: &Signer) -> Value {
    json!({"typ": "dpop+jwt", "alg": signer.algorithm(), "jwk": signer.public_key()})
}

fn bound_to(signer: &Signer) -> Confirmation {
    Confirmation { thumbprint: Key::from_json(signer.public_key()).unwrap().thumbprint() }
}

fn memory() -> ProofMemory {
    ProofMemory::new(&SeededRng::new(1))
}

fn check_at(signer: &Signer, text: &str, memory: &ProofMemory, now: Timestamp) -> Result<(), ProofRejection> {
    let leeway = Duration::from_secs(30);
    let proof = Proof { text, method: "GET", address: ADDRESS, token: TOKEN, leeway };
    memory.take(&proof.check(&bound_to(signer), now)?, "holder", now).map(drop)
}

fn check(signer: &Signer, header: &Value, claims: &Value) -> Result<(), ProofRejection> {
    check_at(signer, &signer.token(header, claims), &memory(), now())
}

fn with(claim: &str, value: Value) -> Value {
    let mut claims = claims("proof-1");
    match value {
        Value::Null => drop(claims.as_object_mut().unwrap().remove(claim)),
        value => claims[claim] = value,
    }
    claims
}

#[test]
fn a_good_proof_passes_with_each_kind_of_key() {
    for signer in [Signer::es256(), Signer::eddsa(), Signer::rs256(), Signer::ps256()] {
        assert_eq!(check(&signer, &header(&signer), &claims("proof-1")), Ok(()));
    }
}

#[test]
fn the_thumbprint_is_that_of_the_standard() {
    // The example of RFC 7638, 3.1.
    let key = json!({
        "kty": "RSA", "e": "AQAB", "alg": "RS256", "kid": "2011-04-29",
        "n": "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw",
    });
    let thumbprint = Key::from_json(key).unwrap().thumbprint();
    assert_eq!(thumbprint, "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs");
}

#[test]
fn a_proof_counts_once() {
    let signer = Signer::es256();
    let memory = memory();
    let text = signer.token(&header(&signer), &claims("proof-1"));
    assert_eq!(check_at(&signer, &text, &memory, now()), Ok(()));
    assert_eq!(check_at(&signer, &text, &memory, now()), Err(ProofRejection::Replayed));
    // For as long as it could be used again, whatever comes in between.
    for seconds in [30, 59, 60] {
        let later = now().plus(Duration::from_secs(seconds));
        assert_eq!(check_at(&signer, &text, &memory, later), Err(ProofRejection::Replayed), "{seconds}");
    }
    let too_late = now().plus(Duration::from_secs(61));
    assert_eq!(check_at(&signer, &text, &memory, too_late), Err(ProofRejection::OtherTime));
    // The same name with another key is another proof.
    let other = Signer::es256();
    let text = other.token(&header(&other), &claims("proof-1"));
    assert_eq!(check_at(&other, &text, &memory, now()), Ok(()));
}

#[test]
fn a_proof_from_the_future_is_remembered_as_long_as_it_is_good() {
    let signer = Signer::es256();
    let memory = memory();
    let text = signer.token(&header(&signer), &with("iat", json!(NOW + 30)));
    assert_eq!(check_at(&signer, &text, &memory, now()), Ok(()));
    for seconds in [1, 60, 90] {
        let later = now().plus(Duration::from_secs(seconds));
        let another = signer.token(&header(&signer), &{
            let mut claims = claims(&format!("later-{seconds}"));
            claims["iat"] = (NOW + i64::try_from(seconds).unwrap()).into();
            claims
        });
        assert_eq!(check_at(&signer, &another, &memory, later), Ok(()));
        assert_eq!(check_at(&signer, &text, &memory, later), Err(ProofRejection::Replayed), "{seconds}");
    }
}

/// The nonce of a proof is the one in it, which is signed like the rest.
#[test]
fn a_proof_goes_on_with_a_nonce_where_memory_is_short() {
    let signer = Signer::es256();
    let memory = memory().with_room_for(2);
    let check = |claims: &Value| check_at(&signer, &signer.token(&header(&signer), claims), &memory, now());
    assert_eq!(check(&claims("proof-1")), Ok(()));
    assert_eq!(check(&claims("proof-2")), Err(ProofRejection::NonceNeeded));
    for (nonce, expected) in [
        (json!(memory.nonce(now())), Ok(())),
        (json!("of another server"), Err(ProofRejection::NonceNeeded)),
        (json!(17), Err(ProofRejection::NonceNeeded)),
        (json!(memory.nonce(now().minus(Duration::from_secs(20)))), Err(ProofRejection::NonceNeeded)),
    ] {
        let mut claims = claims("proof-2");
        claims["nonce"] = nonce.clone();
        assert_eq!(check(&claims), expected, "{nonce}");
    }
}

#[test]
fn the_memory_of_proofs_is_bounded_and_forgets_nothing_for_it() {
    let signer = Signer::es256();
    let memory = memory().with_room_for(18);
    let texts: Vec<String> =
        (0..4).map(|n| signer.token(&header(&signer), &claims(&format!("proof-{n}")))).collect();
    for text in &texts[..3] {
        assert_eq!(check_at(&signer, text, &memory, now()), Ok(()));
    }
    assert_eq!(check_at(&signer, &texts[3], &memory, now()), Err(ProofRejection::NonceNeeded));
    assert_eq!(check_at(&signer, &texts[0], &memory, now()), Err(ProofRejection::Replayed));
}

#[test]
fn the_memory_of_proofs_has_room_again_when_none_of_them_can_be_used_any_more() {
    let signer = Signer::es256();
    // A key comes to a sixth of it.
    let memory = memory().with_room_for(6);
    let check_after = |seconds: u32| {
        let mut claims = claims(&format!("after-{seconds}"));
        claims["iat"] = (NOW + i64::from(seconds)).into();
        let text = signer.token(&header(&signer), &claims);
        check_at(&signer, &text, &memory, now().plus(Duration::from_secs(seconds.into())))
    };
    assert_eq!(check_after(0), Ok(()));
    // The age of a proof; those of the same five seconds are forgotten together.
    for seconds in [1, 59, 60] {
        assert_eq!(check_after(seconds), Err(ProofRejection::NonceNeeded), "{seconds}");
    }
    assert_eq!(check_after(66), Ok(()));
    assert_eq!(check_after(67), Err(ProofRejection::NonceNeeded));
}

#[test]
fn a_proof_is_for_one_request() {
    let signer = Signer::es256();
    let refused = |claim, value| check(&signer, &header(&signer), &with(claim, value)).unwrap_err();
    for method in ["POST", "get", ""] {
        assert_eq!(refused("htm", json!(method)), ProofRejection::OtherRequest, "{method}");
    }
    for address in [
        "https://evil.example/v2/notifiers",
        "http://logs.example.com/v2/notifiers",
        "https://logs.example.com:8443/v2/notifiers",
        "https://logs.example.com/v2/notifiers/",
        "https://logs.example.com/v2/Notifiers",
        "https://logs.example.com@evil.example/v2/notifiers",
        "https://ada@logs.example.com/v2/notifiers",
        "/v2/notifiers",
        "",
    ] {
        assert_eq!(refused("htu", json!(address)), ProofRejection::OtherRequest, "{address}");
    }
    for same in ["https://LOGS.example.com:443/v2/notifiers", "https://logs.example.com/v2/notifiers?a=1#b"] {
        assert_eq!(check(&signer, &header(&signer), &with("htu", json!(same))), Ok(()), "{same}");
    }
    for seconds in [-61, 31] {
        assert_eq!(refused("iat", json!(NOW + seconds)), ProofRejection::OtherTime, "{seconds}");
    }
    assert_eq!(refused("ath", json!(encode([0; 32]))), ProofRejection::OtherToken);
    for claim in ["jti", "htm", "htu", "iat", "ath"] {
        for missing in [Value::Null, json!([]), json!(true)] {
            assert_eq!(refused(claim, missing), ProofRejection::Malformed, "{claim}");
        }
    }
    assert_eq!(refused("jti", json!("")), ProofRejection::Malformed);
    assert_eq!(refused("jti", json!("x".repeat(257))), ProofRejection::Malformed);
    assert_eq!(check(&signer, &header(&signer), &with("jti", json!("x".repeat(256)))), Ok(()));
}

#[test]
fn the_key_must_be_the_one_that_the_token_is_bound_to() {
    let (signer, thief) = (Signer::es256(), Signer::es256());
    let text = thief.token(&header(&thief), &claims("proof-1"));
    let memory = memory();
    assert_eq!(check_at(&signer, &text, &memory, now()), Err(ProofRejection::OtherKey));
    // Signed by the thief with the owner's key in the header.
    let text = thief.token(&header(&signer), &claims("proof-1"));
    assert_eq!(check_at(&signer, &text, &memory, now()), Err(ProofRejection::BadSignature));
}

#[test]
fn the_header_must_say_what_it_is_and_hide_what_is_private() {
    let signer = Signer::es256();
    let refused = |member: &str, value: Value| {
        let mut header = header(&signer);
        header[member] = value;
        check(&signer, &header, &claims("proof-1")).unwrap_err()
    };
    for typ in [json!("at+jwt"), json!("JWT"), json!(null), json!("")] {
        assert_eq!(refused("typ", typ), ProofRejection::WrongType);
    }
    for algorithm in ["none", "HS256", "RS512", ""] {
        assert_eq!(refused("alg", json!(algorithm)), ProofRejection::AlgorithmNotAllowed, "{algorithm}");
    }
    assert_eq!(refused("alg", json!("EdDSA")), ProofRejection::BadKey);
    assert_eq!(refused("crit", json!(["exp"])), ProofRejection::Malformed);
    for key in [json!(null), json!({}), json!("key"), json!({"kty": "oct", "k": "AAAA"})] {
        assert_eq!(refused("jwk", key), ProofRejection::BadKey);
    }
    for private in ["d", "p", "q", "dp", "dq", "qi", "oth", "k"] {
        let mut key = signer.public_key();
        key[private] = json!("AAAA");
        assert_eq!(refused("jwk", key), ProofRejection::BadKey, "{private}");
    }
    let long = signer.token(&header(&signer), &with("padding", json!("x".repeat(8 * 1024))));
    let memory = memory();
    assert_eq!(check_at(&signer, &long, &memory, now()), Err(ProofRejection::Malformed));
}
