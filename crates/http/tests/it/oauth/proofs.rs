//! Tokens that are bound to a key of their client (RFC 9449), from the request for them to their use.

use std::time::Duration;

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use tidegauge_admission::config::oauth::Oauth;
use tidegauge_model::Clock;

use super::flow::*;
use crate::app::{Answer, PUBLIC_URL, TestApp};

/// A key of a client.
struct TokenSubject(EcdsaKeyPair);

impl TokenSubject {
    fn new() -> Self {
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new());
        Self(EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.unwrap().as_ref()).unwrap())
    }

    fn proof(&self, app: &TestApp, at: (&str, &str), access: Option<&str>, name: &str) -> String {
        self.proof_with(app, at, access, name, None)
    }

    fn proof_with(
        &self,
        app: &TestApp,
        (method, path): (&str, &str),
        access: Option<&str>,
        name: &str,
        nonce: Option<&str>,
    ) -> String {
        let point = self.0.public_key().as_ref();
        let (x, y) = (URL_SAFE_NO_PAD.encode(&point[1..33]), URL_SAFE_NO_PAD.encode(&point[33..65]));
        let jwk = json!({"kty": "EC", "crv": "P-256", "x": x, "y": y});
        let header = json!({"typ": "dpop+jwt", "alg": "ES256", "jwk": jwk});
        let iat = app.clock.now().as_millis() / 1_000;
        let mut claims =
            json!({"jti": name, "htm": method, "htu": format!("{PUBLIC_URL}{path}"), "iat": iat});
        if let Some(access) = access {
            let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, access.as_bytes());
            claims["ath"] = json!(URL_SAFE_NO_PAD.encode(digest));
        }
        if let Some(nonce) = nonce {
            claims["nonce"] = json!(nonce);
        }
        let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let message = format!("{}.{}", encode(&header), encode(&claims));
        let signature = self.0.sign(&SystemRandom::new(), message.as_bytes()).unwrap();
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature.as_ref()))
    }
}

async fn token_with(app: &TestApp, pairs: &[(&str, &str)], proof: &str) -> Answer {
    let headers = [
        ("content-type".to_owned(), "application/x-www-form-urlencoded".to_owned()),
        ("dpop".to_owned(), proof.to_owned()),
    ];
    app.send_raw("POST", "/oauth/token", &headers, encode(pairs).into_bytes()).await
}

const TOKEN: (&str, &str) = ("POST", "/oauth/token");

/// A proof is remembered once there are tokens for it, so that whoever gets none fills no memory.
pub(super) async fn remembered(app: TestApp) {
    let holder = TokenSubject::new();
    let proof = holder.proof(&app, TOKEN, None, "1");
    for _ in 0..2 {
        refused(&token_with(&app, &redemption("none"), &proof).await, 400, "invalid_grant");
    }
    let code = Browser::of(&app, &app.owner).await.code(&cli_request()).await;
    let tokens = token_with(&app, &redemption(&code), &proof).await;
    assert_eq!(tokens.status, 200, "{tokens:?}");
    let tokens = tokens.json();
    let again = token_with(&app, &refreshing(text(&tokens, "refresh_token")), &proof).await;
    refused(&again, 400, "invalid_dpop_proof");
}

/// Where each proof must hold a nonce, clients are told one, and the next one in time.
pub(super) async fn nonces(app: TestApp) {
    let settings = Oauth { is_embedded: true, demands_nonces: true, ..Oauth::default() };
    let app = TestApp::start_with(app.backend, settings).await;
    let holder = TokenSubject::new();
    let code = Browser::of(&app, &app.owner).await.code(&cli_request()).await;
    let without = token_with(&app, &redemption(&code), &holder.proof(&app, TOKEN, None, "1")).await;
    refused(&without, 400, "use_dpop_nonce");
    assert!(without.headers["access-control-expose-headers"].to_str().unwrap().contains("dpop-nonce"));
    let told = |answer: &Answer| answer.headers.get("dpop-nonce").map(|it| it.to_str().unwrap().to_owned());
    let nonce = told(&without).unwrap();
    // The code was not used up by it.
    let proof = holder.proof_with(&app, TOKEN, None, "1", Some(&nonce));
    let tokens = token_with(&app, &redemption(&code), &proof).await;
    assert_eq!((tokens.status.as_u16(), told(&tokens)), (200, None), "{tokens:?}");
    let tokens = tokens.json();
    let (access, refresh) = (text(&tokens, "access_token"), text(&tokens, "refresh_token"));

    let used = async |name: &str, nonce: &str| {
        let proof = holder.proof_with(&app, ("GET", "/v2/notifiers"), Some(access), name, Some(nonce));
        let headers = [
            ("authorization".to_owned(), format!("DPoP {access}")),
            ("dpop".to_owned(), proof),
            ("x-axiom-org-id".to_owned(), app.org.to_string()),
        ];
        app.send_raw("GET", "/v2/notifiers", &headers, Vec::new()).await
    };
    let other = used("2", "of another server").await;
    assert_eq!((other.status.as_u16(), told(&other)), (401, Some(nonce.clone())), "{other:?}");
    let fresh = used("3", &nonce).await;
    assert_eq!((fresh.status.as_u16(), told(&fresh)), (200, None), "{fresh:?}");
    app.clock.advance(Duration::from_secs(12));
    let late = used("4", &nonce).await;
    assert_eq!(late.status, 200, "{late:?}");
    let next = told(&late).unwrap();
    app.clock.advance(Duration::from_secs(10));
    let ended = used("5", &nonce).await;
    let challenge = ended.headers["www-authenticate"].to_str().unwrap();
    assert!(ended.status == 401 && challenge.contains("error=\"use_dpop_nonce\""), "{ended:?}");
    assert_eq!(used("5", &next).await.status, 200);
    // The two endpoints at one address have the same.
    let proof = holder.proof_with(&app, TOKEN, None, "6", Some(&next));
    let renewed = token_with(&app, &refreshing(refresh), &proof).await;
    assert_eq!((renewed.status.as_u16(), told(&renewed)), (200, told(&ended)), "{renewed:?}");
}

pub(super) async fn binding(app: TestApp) {
    let (holder, thief) = (TokenSubject::new(), TokenSubject::new());
    let browser = Browser::of(&app, &app.owner).await;
    let code = browser.code(&cli_request()).await;
    for (proof, name) in [
        ("x.y.z".to_owned(), "malformed"),
        (holder.proof(&app, ("GET", "/oauth/token"), None, "1"), "other method"),
        (holder.proof(&app, ("POST", "/oauth/revoke"), None, "2"), "other address"),
    ] {
        let answer = token_with(&app, &redemption(&code), &proof).await;
        assert_eq!(answer.json()["error"], "invalid_dpop_proof", "{name}");
    }
    let proof = holder.proof(&app, TOKEN, None, "3");
    let tokens = token_with(&app, &redemption(&code), &proof).await.json();
    assert_eq!(tokens["token_type"], "DPoP", "{tokens}");
    let (access, refresh) = (text(&tokens, "access_token"), text(&tokens, "refresh_token"));

    // As a bearer token it is worth nothing, nor with the proof of another key.
    assert_eq!(status(&app, access).await, 401);
    let notifiers = ("GET", "/v2/notifiers");
    let used = async |proof: String| {
        let headers = [
            ("authorization".to_owned(), format!("DPoP {access}")),
            ("dpop".to_owned(), proof),
            ("x-axiom-org-id".to_owned(), app.org.to_string()),
        ];
        app.send_raw("GET", "/v2/notifiers", &headers, Vec::new()).await.status.as_u16()
    };
    let good = holder.proof(&app, notifiers, Some(access), "4");
    assert_eq!(used(good.clone()).await, 200);
    assert_eq!(used(good).await, 401);
    assert_eq!(used(thief.proof(&app, notifiers, Some(access), "5")).await, 401);

    // The refresh token of a public client is bound too.
    refused(&token(&app, &refreshing(refresh)).await, 400, "invalid_dpop_proof");
    let stolen = token_with(&app, &refreshing(refresh), &thief.proof(&app, TOKEN, None, "6")).await;
    refused(&stolen, 400, "invalid_dpop_proof");
    let replayed = token_with(&app, &refreshing(refresh), &proof).await;
    refused(&replayed, 400, "invalid_dpop_proof");
    let next = token_with(&app, &refreshing(refresh), &holder.proof(&app, TOKEN, None, "7")).await;
    assert_eq!((next.status.as_u16(), &next.json()["token_type"]), (200, &json!("DPoP")));
}
