//! What is said to who comes with an access token: rights by scopes, challenges, and where to get a token.

use std::time::Duration;

use serde_json::{Value, json};
use tidegauge_admission::config::oauth::{LoginConfig, LoginTarget};
use tidegauge_model::{Clock, Role};

use super::Case;
use super::world::{World, challenges};
use crate::app::PUBLIC_URL;
use crate::database::Backend;

pub(super) const ALL: &[(&str, Case)] = &[
    ("scopes_limit_what_the_person_may", |backend| Box::pin(scopes(backend))),
    ("every_401_says_how_to_get_a_token", |backend| Box::pin(refusals(backend))),
    ("what_belongs_to_the_person_is_changed_with_all_scopes_alone", |backend| Box::pin(person(backend))),
    ("what_a_person_makes_may_outlast_the_token_and_what_a_machine_makes_not", |backend| {
        Box::pin(lasting(backend))
    }),
    ("the_service_describes_itself", |backend| Box::pin(metadata(backend))),
    ("the_service_tells_how_to_sign_in_at_its_issuer", |backend| Box::pin(login(backend))),
    ("tokens_of_ours_are_as_they_were", |backend| Box::pin(ours(backend))),
];

const METADATA: &str = "/.well-known/oauth-protected-resource";

async fn scopes(backend: Backend) {
    let world = World::start(backend).await;
    let org = &world.app.org;
    assert_eq!(world.get(&world.token("owner", org, "openid notifiers|read")).await.status, 200);
    assert_eq!(world.get(&world.token("owner", org, "*")).await.status, 200);
    let refused = world.get(&world.token("owner", org, "monitors|read")).await;
    assert_eq!((refused.status.as_u16(), refused.json()["code"].clone()), (403, json!(403)));
    let said = &challenges(&refused.headers)[0];
    assert!(
        said.contains("error=\"insufficient_scope\"") && said.contains("scope=\"notifiers|read\""),
        "{said}"
    );
    // The person's own rights bound the token.
    assert_eq!(world.get(&world.token("nobody", org, "*")).await.status, 403);
    // Events of every dataset, by the scope of the action.
    let events = json!([{"a": 1}]);
    let sender = world.token("owner", org, "ingest|create datasets|create");
    let sent = world.app.send("POST", "/v1/datasets/logs/ingest", Some(&sender), Some(&events)).await;
    assert_eq!(sent.status, 200, "{sent:?}");
    let reader = world.token("owner", org, "query|read");
    let body = json!({"startTime": "now-1h", "endTime": "now", "resolution": "auto"});
    let read = world.app.send("POST", "/v1/datasets/logs/query", Some(&reader), Some(&body)).await;
    assert_eq!(read.status, 200, "{read:?}");
    let refused = world.app.send("POST", "/v1/datasets/logs/ingest", Some(&reader), Some(&events)).await;
    assert_eq!(refused.status, 403);
}

async fn refusals(backend: Backend) {
    let world = World::start(backend).await;
    let where_to = format!("resource_metadata=\"{PUBLIC_URL}{METADATA}\"");
    let mut expired = world.claims("owner", &world.app.org, "*");
    expired["exp"] = (world.seconds() - 31).into();
    for (token, error) in [
        (None, None),
        (Some("xapt-123".to_owned()), Some("invalid_token")),
        (Some("opaque".to_owned()), Some("invalid_token")),
        (Some(world.signed(&expired)), Some("invalid_token")),
        (Some(world.forged("owner", &world.app.org)), Some("invalid_token")),
    ] {
        let answer = world.app.send("GET", "/v2/notifiers", token.as_deref(), None).await;
        assert_eq!(answer.status, 401, "{token:?}");
        let body = answer.json();
        assert_eq!((body["code"].clone(), body["message"].clone()), (json!(401), json!("forbidden")));
        let said = challenges(&answer.headers);
        assert!(said[0].starts_with("Bearer realm=\"tidegauge\"") && said[0].contains(&where_to), "{said:?}");
        assert_eq!(said[0].contains("error="), error.is_some(), "{said:?}");
        assert!(error.is_none_or(|error| said[0].contains(error)), "{said:?}");
        assert!(said[1].starts_with("DPoP ") && said[1].contains("algs=\"ES256 "), "{said:?}");
    }
    let answer = world.get(&world.signed(&expired)).await;
    let description = "error_description=\"the access token has expired: get a new one\"";
    assert!(challenges(&answer.headers)[0].contains(description));
    assert_eq!(answer.json()["detail"], "the access token has expired: get a new one");
}

async fn person(backend: Backend) {
    let world = World::start(backend).await;
    let org = &world.app.org;
    let (narrow, wide) = (world.token("owner", org, "notifiers|read"), world.token("owner", org, "*"));
    let name = json!({"name": "Ada"});
    assert_eq!(world.app.send("GET", "/v2/user", Some(&narrow), None).await.status, 200);
    let refused = world.app.send("PUT", "/v2/user", Some(&narrow), Some(&name)).await;
    assert_eq!(refused.status, 403);
    assert!(challenges(&refused.headers)[0].contains("scope=\"*\""));
    assert_eq!(world.app.send("POST", "/v2/orgs", Some(&narrow), Some(&name)).await.status, 403);
    assert_eq!(world.app.send("PUT", "/v2/user", Some(&wide), Some(&name)).await.status, 200);
    // A token cannot hand out more than it holds.
    let makes_tokens = world.token("owner", org, "apiTokens|create notifiers|read");
    let more = json!({"name": "t", "orgCapabilities": {"notifiers": ["read", "update"]}});
    let less = json!({"name": "t", "orgCapabilities": {"notifiers": ["read"]}});
    assert_eq!(world.app.send("POST", "/v2/tokens", Some(&makes_tokens), Some(&more)).await.status, 403);
    let made = world.app.send("POST", "/v2/tokens", Some(&makes_tokens), Some(&less)).await;
    assert_eq!(made.status, 200, "{made:?}");
}

/// What is made with the token of a person may last longer than it: they could get another. A machine's token binds.
async fn lasting(backend: Backend) {
    let world = World::start_with(backend, |config| config.rules.machine_role = Some(Role::Admin)).await;
    let org = &world.app.org;
    let in_an_hour = world.app.clock.now().plus(Duration::from_secs(3_600));
    let expiring = world.app.personal_token_until(&world.app.owner, in_an_hour).await;
    let make = async |token: &str, more: Value| {
        let mut body = json!({"name": "t", "orgCapabilities": {"notifiers": ["read"]}});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        world.app.send("POST", "/v2/tokens", Some(token), Some(&body)).await
    };
    let scope = "apiTokens|create notifiers|read";
    for of_person in [world.token("owner", org, scope), expiring, world.app.owner_token.clone()] {
        assert_eq!(make(&of_person, json!({})).await.status, 200);
        assert_eq!(make(&of_person, json!({"endsWithMembership": true})).await.status, 200);
    }
    let machine = world.signed(&world.claims("console", org, scope));
    let refused = make(&machine, json!({})).await;
    assert_eq!(refused.status, 403);
    assert!(refused.text.contains("would outlive"), "{refused:?}");
    let soon = json!({"expiresAt": world.app.clock.now().plus(Duration::from_secs(600)).to_string()});
    assert_eq!(make(&machine, soon.clone()).await.status, 200);
    // It is no member, so there is nothing that such a token could end with.
    let mut bound = soon;
    bound["endsWithMembership"] = true.into();
    let refused = make(&machine, bound).await;
    assert_eq!(refused.status, 403);
    assert!(refused.text.contains("no member"), "{refused:?}");
}

async fn metadata(backend: Backend) {
    let world = World::start(backend).await;
    let answer = world.app.send("GET", METADATA, None, None).await.json();
    assert_eq!(answer["resource"], PUBLIC_URL);
    assert_eq!(answer["authorization_servers"], json!([world.issuer.url]));
    assert_eq!(answer["bearer_methods_supported"], json!(["header"]));
    let scopes = answer["scopes_supported"].as_array().unwrap();
    assert!(scopes.contains(&json!("*")) && scopes.contains(&json!("ingest|create")));
    assert!(answer["dpop_signing_alg_values_supported"].as_array().unwrap().contains(&json!("ES256")));
    assert_eq!(world.issuer.count("metadata"), 0, "describing ourselves asks nobody");
    let login = json!({"issuer": world.issuer.url, "client_id": "console", "resource": PUBLIC_URL});
    assert_eq!(answer["tidegauge_login"], json!([login]));
}

/// What the operator says about signing in at an issuer reaches the command line.
async fn login(backend: Backend) {
    for (target, parameter) in [(LoginTarget::Audience, Some("audience")), (LoginTarget::Nothing, None)] {
        let world = World::start_with(backend, |config| {
            config.expected.audiences = vec!["api://logs".to_owned()];
            config.expected.scope_prefix = "api://logs/".to_owned();
            config.login = LoginConfig {
                client: "cli".to_owned(),
                scope: Some("openid api://logs/*".to_owned()),
                target,
            };
        })
        .await;
        let mut expected = json!({"issuer": world.issuer.url, "client_id": "cli", "scope": "openid api://logs/*",
            "scope_prefix": "api://logs/"});
        if let Some(parameter) = parameter {
            expected[parameter] = "api://logs".into();
        }
        let answer = world.app.send("GET", METADATA, None, None).await.json();
        assert_eq!(answer["tidegauge_login"], json!([expected]));
    }
}

async fn ours(backend: Backend) {
    let world = World::start(backend).await;
    assert_eq!(world.get(&world.app.owner_token).await.status, 200);
    let headers = [("authorization".to_owned(), format!("DPoP {}", world.app.owner_token))];
    let answer = world.app.send_raw("GET", "/v2/notifiers", &headers, Vec::new()).await;
    assert_eq!(answer.status, 401);
    assert_eq!(world.issuer.count("metadata"), 0, "tokens of ours ask nobody");
}
