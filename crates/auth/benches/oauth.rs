//! How long the check of an access token takes when the key of its issuer is known, for each algorithm, and of a proof
//! that its sender holds a key. `make bench-oauth` runs it and compares with the budget.

#![expect(clippy::unwrap_used, reason = "a measurement that cannot go on should say where")]

#[path = "../tests/it/signer.rs"]
mod signer;

use std::hint::black_box;
use std::time::Duration;

use serde_json::json;
use signer::{Signer, encode};
use tidegauge_auth::oauth::keys::Key;
use tidegauge_auth::oauth::{
    Algorithm, Confirmation, Expected, KeySet, Proof, ProofMemory, ProofRejection, token, verify,
};
use tidegauge_model::Timestamp;
use tidegauge_model::rng::SeededRng;

/// What the check of one token may take.
const BUDGET: Duration = Duration::from_micros(100);

const ROUNDS: usize = 21;
const CHECKS_PER_ROUND: u32 = 1_000;
const NOW: i64 = 1_780_000_000;

fn expected() -> Expected {
    Expected {
        issuer: "https://login.example.com".to_owned(),
        audiences: vec!["https://logs.example.com".to_owned()],
        algorithms: vec![Algorithm::ES256, Algorithm::EdDSA, Algorithm::RS256, Algorithm::PS256],
        require_type: true,
        leeway: Duration::from_secs(30),
        scope_prefix: String::new(),
    }
}

/// The middle one of the rounds, for one check.
fn median(mut check: impl FnMut()) -> Duration {
    let mut rounds: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let start = on_processor();
            (0..CHECKS_PER_ROUND).for_each(|_| check());
            (on_processor() - start) / CHECKS_PER_ROUND
        })
        .collect();
    rounds.sort();
    rounds[ROUNDS / 2]
}

/// How long this thread has been on a processor, so that what else runs on the machine does not count. Linux tells it.
fn on_processor() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(text.split(' ').next().unwrap().parse().unwrap())
}

fn access_token(signer: &Signer) -> Duration {
    let claims = json!({
        "iss": "https://login.example.com", "aud": "https://logs.example.com", "sub": "ada", "client_id": "console",
        "jti": "6f1c7c1e", "iat": NOW - 10, "exp": NOW + 600,
        "scope": "openid profile notifiers|read monitors|read ingest|create query|read",
    });
    // A set as issuers have it: a few keys, of which one is the right one.
    let keys = [signer.named("key-3"), Signer::es256().named("key-1"), Signer::rs256().named("key-2")];
    let keys = KeySet::from_json(json!({ "keys": keys }).to_string().as_bytes()).unwrap();
    let (text, expected) = (signer.access_token("key-3", &claims), expected());
    let now = Timestamp::from_micros(NOW * 1_000_000);
    median(|| {
        black_box(verify(black_box(&text), &keys, &expected, now).unwrap());
    })
}

/// A proof that was used before is checked whole before that is found.
fn proof(signer: &Signer) -> Duration {
    let bound_to = Confirmation { thumbprint: Key::from_json(signer.public_key()).unwrap().thumbprint() };
    let header = json!({"typ": "dpop+jwt", "alg": signer.algorithm(), "jwk": signer.public_key()});
    let (token_text, address) = ("the.access.token", "https://logs.example.com/v2/notifiers");
    let ath = encode(token::digest(token_text));
    let claims = json!({"jti": "p-1", "htm": "GET", "htu": address, "iat": NOW, "ath": ath});
    let text = signer.token(&header, &claims);
    let memory = ProofMemory::new(&SeededRng::new(1));
    let now = Timestamp::from_micros(NOW * 1_000_000);
    let leeway = Duration::from_secs(30);
    let proof = Proof { text: &text, method: "GET", address, token: token_text, leeway };
    let used = |proof: &Proof<'_>| {
        let proven = proof.check(&bound_to, now)?;
        memory.take(&proven, "holder", now)
    };
    assert_eq!(used(&proof), Ok(None));
    median(|| assert_eq!(used(black_box(&proof)), Err(ProofRejection::Replayed)))
}

#[expect(clippy::print_stdout, reason = "this is what the measurement is for")]
fn main() {
    let mut is_within = true;
    for signer in [Signer::es256(), Signer::rs256(), Signer::ps256(), Signer::eddsa()] {
        let taken = access_token(&signer);
        is_within &= taken < BUDGET;
        println!("access token {:>5}  {taken:>8.1?}", signer.algorithm());
    }
    println!("DPoP proof   ES256  {:>8.1?}", proof(&Signer::es256()));
    println!("budget of an access token: {BUDGET:?}");
    assert!(is_within, "the check of an access token takes longer than its budget");
}
