//! Tokens that are bound to a key of their client (RFC 9449), from the request for them to their use.

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use tidegauge_model::Clock;

use super::flow::*;
use crate::app::{Answer, PUBLIC_URL, TestApp};

/// A key of a client.
struct Holder(EcdsaKeyPair);

impl Holder {
    fn new() -> Self {
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new());
        Self(EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.unwrap().as_ref()).unwrap())
    }

    fn proof(&self, app: &TestApp, (method, path): (&str, &str), access: Option<&str>, name: &str) -> String {
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

pub(super) async fn binding(app: TestApp) {
    let (holder, thief) = (Holder::new(), Holder::new());
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
