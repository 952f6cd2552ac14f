//! Key sets of issuers: the limits hold, and a key that shows its private part, or is for something else, is not used.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use tidegauge_auth::oauth::keys::{KEYS_MAX, Key};
use tidegauge_auth::oauth::{Algorithm, KeySet};

const ALGORITHMS: [Algorithm; 6] = [
    Algorithm::RS256,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
    Algorithm::RS512,
];

fn check_key(written: &Value) {
    let Some(key) = Key::from_json(written.clone()) else { return };
    assert!(written.get("d").is_none_or(Value::is_null) && written.get("k").is_none_or(Value::is_null));
    assert!(written.get("use").is_none_or(|purpose| purpose.is_null() || purpose == "sig"));
    assert_eq!(key.thumbprint().len(), 43);
    let kind = written["kty"].as_str().unwrap_or_default();
    for algorithm in ALGORITHMS.into_iter().filter(|algorithm| key.fits(*algorithm)) {
        let fits = match algorithm {
            Algorithm::ES256 | Algorithm::ES384 => "EC",
            Algorithm::EdDSA => "OKP",
            _ => "RSA",
        };
        assert_eq!(kind, fits);
        assert!(!key.verifies(algorithm, "message", ""));
    }
}

fuzz_target!(|data: &[u8]| {
    let read = KeySet::from_json(data);
    let Ok(document) = serde_json::from_slice::<Value>(data) else { return assert!(read.is_err()) };
    let keys = document["keys"].as_array().cloned().unwrap_or_default();
    keys.iter().for_each(check_key);
    if let Ok(set) = read {
        assert!((1..=KEYS_MAX.min(keys.len())).contains(&set.len()));
        for algorithm in ALGORITHMS {
            assert!(set.candidates(None, algorithm).count() <= set.len());
            assert_eq!(set.has(None, algorithm), set.candidates(None, algorithm).next().is_some());
        }
    }
});
