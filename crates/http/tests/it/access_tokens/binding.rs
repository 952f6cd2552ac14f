//! Tokens that are bound to a key of their sender (RFC 9449).

use serde_json::{Value, json};
use tidegauge_admission::config::oauth::DpopRule;
use tidegauge_auth::oauth::keys::Key;
use tidegauge_auth::oauth::token;

use super::Case;
use super::world::{World, challenges};
use crate::app::{Answer, PUBLIC_URL};
use crate::database::Backend;
use crate::signer::{Signer, encode};

pub(super) const ALL: &[(&str, Case)] = &[
    ("a_bound_token_needs_a_proof_of_its_key", |backend| Box::pin(bound(backend))),
    ("a_nonce_is_told_where_it_is_demanded", |backend| Box::pin(nonces(backend))),
    ("bound_tokens_are_refused_where_they_are_off", |backend| Box::pin(off(backend))),
    ("unbound_tokens_are_refused_where_a_key_is_required", |backend| Box::pin(required(backend))),
];

/// A token of the owner that is bound to a key.
fn bound_token(world: &World, key: &Signer) -> String {
    let mut claims = world.claims("owner", &world.app.org, "*");
    let thumbprint = Key::from_json(key.public_key()).unwrap().thumbprint();
    claims["cnf"] = json!({ "jkt": thumbprint });
    world.signed(&claims)
}

fn proof(world: &World, key: &Signer, access_token: &str, id: &str, path: &str) -> String {
    proof_with(world, key, access_token, id, path, &Value::Null)
}

fn proof_with(
    world: &World,
    key: &Signer,
    access_token: &str,
    id: &str,
    path: &str,
    nonce: &Value,
) -> String {
    let header = json!({"typ": "dpop+jwt", "alg": key.algorithm(), "jwk": key.public_key()});
    let claims: Value = json!({
        "jti": id, "htm": "GET", "htu": format!("{PUBLIC_URL}{path}"), "iat": world.seconds(),
        "ath": encode(token::digest(access_token)), "nonce": nonce,
    });
    key.token(&header, &claims)
}

async fn send(world: &World, scheme: &str, token: &str, proofs: &[&str]) -> Answer {
    let mut headers = vec![("authorization".to_owned(), format!("{scheme} {token}"))];
    headers.extend(proofs.iter().map(|proof| ("dpop".to_owned(), (*proof).to_owned())));
    world.app.send_raw("GET", "/v2/notifiers?limit=1", &headers, Vec::new()).await
}

async fn bound(backend: Backend) {
    let world = World::start(backend).await;
    let (key, thief) = (Signer::es256(), Signer::es256());
    let token = bound_token(&world, &key);
    let good = proof(&world, &key, &token, "p-1", "/v2/notifiers");
    assert_eq!(send(&world, "DPoP", &token, &[&good]).await.status, 200);

    let elsewhere = proof(&world, &key, &token, "p-2", "/v2/monitors");
    let stolen = proof(&world, &thief, &token, "p-3", "/v2/notifiers");
    let fresh = proof(&world, &key, &token, "p-4", "/v2/notifiers");
    let other_token = proof(&world, &key, "other", "p-5", "/v2/notifiers");
    for (scheme, proofs, why) in [
        ("DPoP", vec![&good], "used before"),
        ("DPoP", vec![], "without a proof"),
        ("Bearer", vec![], "as one that anybody may send"),
        ("Bearer", vec![&fresh], "as one that anybody may send, with a proof"),
        ("DPoP", vec![&elsewhere], "for another address"),
        ("DPoP", vec![&stolen], "of another key"),
        ("DPoP", vec![&other_token], "for another token"),
        ("DPoP", vec![&fresh, &fresh], "two proofs"),
    ] {
        let proofs: Vec<&str> = proofs.into_iter().map(String::as_str).collect();
        let answer = send(&world, scheme, &token, &proofs).await;
        assert_eq!(answer.status, 401, "{why}: {answer:?}");
        let said = challenges(&answer.headers);
        assert!(said[0].starts_with("DPoP ") && said[0].contains("error=\"invalid_dpop_proof\""), "{said:?}");
    }
    assert_eq!(send(&world, "DPoP", &token, &[&fresh]).await.status, 200, "refused ones use nothing up");
    // A token that is not bound is not sent as one that is.
    let unbound = world.token("owner", &world.app.org, "*");
    let proof = proof(&world, &key, &unbound, "p-6", "/v2/notifiers");
    assert_eq!(send(&world, "DPoP", &unbound, &[&proof]).await.status, 401);
    assert_eq!(send(&world, "Bearer", &unbound, &[]).await.status, 200);
}

async fn nonces(backend: Backend) {
    let world = World::start_demanding_nonces(backend).await;
    let (key, path) = (Signer::es256(), "/v2/notifiers");
    let token = bound_token(&world, &key);
    let answer = send(&world, "DPoP", &token, &[&proof(&world, &key, &token, "p-1", path)]).await;
    let said = challenges(&answer.headers);
    assert!(answer.status == 401 && said[0].contains("error=\"use_dpop_nonce\""), "{answer:?}");
    let nonce = json!(answer.headers["dpop-nonce"].to_str().unwrap());
    let good = proof_with(&world, &key, &token, "p-1", path, &nonce);
    assert_eq!(send(&world, "DPoP", &token, &[&good]).await.status, 200);
    let replayed = send(&world, "DPoP", &token, &[&good]).await;
    assert!(challenges(&replayed.headers)[0].contains("error=\"invalid_dpop_proof\""), "{replayed:?}");
    // Nobody who has not shown a good token for it is given one.
    let forged = world.forged("owner", &world.app.org);
    let refused = send(&world, "DPoP", &forged, &[&proof(&world, &key, &forged, "p-2", path)]).await;
    assert!(refused.status == 401 && !refused.headers.contains_key("dpop-nonce"), "{refused:?}");
}

async fn off(backend: Backend) {
    let world = World::start_with(backend, |config| config.dpop = DpopRule::Off).await;
    let key = Signer::es256();
    let token = bound_token(&world, &key);
    let proof = proof(&world, &key, &token, "p-1", "/v2/notifiers");
    let answer = send(&world, "DPoP", &token, &[&proof]).await;
    assert_eq!((answer.status.as_u16(), challenges(&answer.headers).len()), (401, 1));
    assert_eq!(send(&world, "Bearer", &token, &[]).await.status, 401);
}

async fn required(backend: Backend) {
    let world = World::start_with(backend, |config| config.dpop = DpopRule::Required).await;
    let key = Signer::es256();
    let token = bound_token(&world, &key);
    let proof = proof(&world, &key, &token, "p-1", "/v2/notifiers");
    assert_eq!(send(&world, "DPoP", &token, &[&proof]).await.status, 200);
    assert_eq!(world.status().await, 401);
}
