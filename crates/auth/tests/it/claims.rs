//! Genuine tokens whose claims do not fit.

use std::time::Duration;

use serde_json::{Value, json};
use tidegauge_auth::oauth::{Confirmation, Expected, KeySet, Rejection, Scopes, verify};

use crate::attacks::{AUDIENCE, ISSUER, NOW, claims, expected, now, with};
use crate::key_sets::key_set;
use crate::signer::Signer;

/// The answer to a token with these claims.
fn check_with(claims: &Value, expected: &Expected) -> Result<tidegauge_auth::oauth::AccessToken, Rejection> {
    let signer = Signer::es256();
    let keys = KeySet::from_json(&key_set(&[signer.named("k")])).unwrap();
    verify(&signer.access_token("k", claims), &keys, expected, now())
}

fn check(claim: &str, value: Value) -> Result<tidegauge_auth::oauth::AccessToken, Rejection> {
    check_with(&with(claim, value), &expected())
}

#[test]
fn every_claim_of_the_profile_must_be_there() {
    for claim in ["iss", "aud", "exp", "iat", "sub", "client_id", "jti"] {
        for missing in [Value::Null, json!({}), json!([]), json!(true), json!("")] {
            let wrong = check(claim, missing.clone()).unwrap_err();
            let is_list = claim == "aud" && (missing == json!([]) || missing == json!(""));
            let expected = if is_list { Rejection::WrongAudience } else { Rejection::MissingClaim(claim) };
            assert_eq!(wrong, expected, "{claim}: {missing}");
        }
    }
}

#[test]
fn servers_from_before_the_profile_leave_some_out() {
    let relaxed = Expected { require_type: false, ..expected() };
    assert!(check_with(&with("jti", Value::Null), &relaxed).is_ok());
    let mut older = with("client_id", Value::Null);
    assert_eq!(check_with(&older, &relaxed).unwrap().client, None);
    older["azp"] = "console".into();
    assert_eq!(check_with(&older, &relaxed).unwrap().client.as_deref(), Some("console"));
    assert_eq!(check_with(&older, &expected()).unwrap_err(), Rejection::MissingClaim("client_id"));
    for claim in ["iss", "aud", "exp", "iat", "sub"] {
        assert!(check_with(&with(claim, Value::Null), &relaxed).is_err(), "{claim}");
    }
}

#[test]
fn the_issuer_is_compared_letter_by_letter() {
    let suffix = format!("{ISSUER}/");
    let upper = ISSUER.to_uppercase();
    for other in ["https://evil.example", "https://login.example.com", &suffix, &upper] {
        assert_eq!(check("iss", other.into()).unwrap_err(), Rejection::WrongIssuer, "{other}");
    }
    assert_eq!(check("iss", json!([ISSUER])).unwrap_err(), Rejection::MissingClaim("iss"));
}

#[test]
fn the_token_must_be_meant_for_us() {
    let suffix = format!("{AUDIENCE}.evil.example");
    for other in [json!("https://other.example"), json!([]), json!([1, {}, "x"]), json!(suffix), json!("")] {
        assert_eq!(check("aud", other.clone()).unwrap_err(), Rejection::WrongAudience, "{other}");
    }
    assert!(check("aud", json!(["https://other.example", AUDIENCE])).is_ok());
}

#[test]
fn times_are_held_to_with_the_leeway_and_no_more() {
    assert_eq!(check("exp", json!(NOW - 30)).unwrap_err(), Rejection::Expired);
    assert!(check("exp", json!(NOW - 29)).is_ok());
    assert_eq!(check("nbf", json!(NOW + 31)).unwrap_err(), Rejection::NotYetValid);
    assert!(check("nbf", json!(NOW + 30)).is_ok());
    assert_eq!(check("nbf", json!("soon")).unwrap_err(), Rejection::MissingClaim("nbf"));
    assert_eq!(check("iat", json!(NOW + 31)).unwrap_err(), Rejection::IssuedInFuture);
    assert!(check("iat", json!(NOW as f64 + 29.5)).is_ok());
    for odd in [json!(-1), json!(1e300), json!(u64::MAX), json!("1"), json!(1e17)] {
        assert_eq!(check("exp", odd.clone()).unwrap_err(), Rejection::MissingClaim("exp"), "{odd}");
    }
    let generous = Expected { leeway: Duration::from_secs(86_400), ..expected() };
    assert_eq!(check_with(&with("exp", json!(NOW - 60)), &generous).unwrap_err(), Rejection::Expired);
    assert!(check_with(&with("exp", json!(NOW - 59)), &generous).is_ok());
}

#[test]
fn a_token_that_is_bound_does_not_pass_as_unbound() {
    let bound = check("cnf", json!({"jkt": "thumb"})).unwrap();
    assert_eq!(bound.confirmation, Some(Confirmation { thumbprint: "thumb".to_owned() }));
    for unknown in [
        json!({"x5t#S256": "certificate"}),
        json!({"jkt": "thumb", "x5t#S256": "certificate"}),
        json!({"jwk": {}}),
        json!({"kid": "k"}),
        json!({"jkt": 1}),
        json!({}),
        json!("thumb"),
        json!([]),
    ] {
        assert_eq!(check("cnf", unknown.clone()).unwrap_err(), Rejection::UnknownBinding, "{unknown}");
    }
}

#[test]
fn scopes_come_in_the_forms_that_servers_write() {
    assert_eq!(check_with(&claims(), &expected()).unwrap().scopes, Scopes::parse("notifiers|read"));
    for written in [json!("notifiers|read openid"), json!(["openid", "notifiers|read"])] {
        let mut claims = with("scope", Value::Null);
        claims["scp"] = written;
        assert_eq!(check_with(&claims, &expected()).unwrap().scopes, Scopes::parse("notifiers|read"));
    }
    for nothing in [Value::Null, json!(1), json!({}), json!("")] {
        assert_eq!(check("scope", nothing).unwrap().scopes, Scopes::default());
    }
    let prefixed = Expected { scope_prefix: "api://logs/".to_owned(), ..expected() };
    let claims = with("scope", json!("api://logs/monitors|read notifiers|read"));
    assert_eq!(check_with(&claims, &prefixed).unwrap().scopes, Scopes::parse("monitors|read"));
}
