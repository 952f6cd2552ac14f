//! The operator's commands beside a running service.

use serde_json::{Value, json};

use crate::database::Backend;
use crate::process::{Installation, client, eventually, until};

pub(crate) async fn reach(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
    let orgs: Value = serde_json::from_str(&installation.answer(&["org", "list", "--json"])).unwrap();
    let id = orgs[0]["id"].as_str().unwrap();
    let listed = installation.answer(&["org", "list"]);
    assert!(listed.starts_with("id ") && listed.contains(&format!("\n{id}  default  ")), "{listed}");
    let users = installation.answer(&["user", "list"]);
    assert!(users.contains("  owner@localhost.localdomain  owner  default "), "{users}");

    let token = installation.answer(&["token", "create", "reader", "--grant", "notifiers|read"]);
    let get = |path: &str| client().get(format!("{}{path}", service.url)).bearer_auth(&token).send();
    assert_eq!(get("/v2/notifiers").await.unwrap().status(), 200);
    assert_eq!(get("/v2/tokens").await.unwrap().status(), 403);

    let shown =
        installation.answer(&["org", "set-limits", "maxUsers=1", "apiRateLimitPerSecond=500", "--json"]);
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["license"]["maxUsers"], 1);
    let owner = installation.first_token();
    let user = json!({"name": "Second", "email": "second@example.com", "role": "user"});
    let refused = || client().post(format!("{}/v2/users", service.url)).bearer_auth(&owner).json(&user);
    let refused = until(403, refused).await;
    assert!(refused.text().await.unwrap().contains("maxUsers"));

    installation.answer(&["org", "set-payment", "success"]);
    installation.answer(&["org", "set-payment", "failed"]);
    let wrong = installation.run(&["org", "set-payment", "na"]);
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("it can go to [success blocked]"));
    installation.answer(&["org", "set-payment", "blocked"]);
    let notifier = json!({"name": "x", "properties": {"webhook": {"url": "https://example.com"}}});
    until(402, || client().post(format!("{}/v2/notifiers", service.url)).bearer_auth(&owner).json(&notifier))
        .await;

    let listed: Value = serde_json::from_str(&installation.answer(&["token", "list", "--json"])).unwrap();
    let made = listed.as_array().unwrap().iter().find(|listed| listed["name"] == "reader").unwrap();
    let listed = installation.answer(&["token", "list"]);
    assert!(listed.starts_with("id ") && listed.contains("  api       default  "), "{listed}");
    installation.answer(&["token", "delete", made["id"].as_str().unwrap()]);
    until(401, || client().get(format!("{}/v2/notifiers", service.url)).bearer_auth(&token)).await;

    let personal =
        installation.answer(&["token", "create", "mine", "--personal", "OWNER@localhost.localdomain"]);
    assert!(personal.starts_with("xapt-"));
    let audit = audit_with_the_last_refusal(&installation).await;
    let by_operator = audit.iter().filter(|entry| entry["actor"] == "operator").count();
    assert_eq!(by_operator, 7, "{audit:#?}");
    let listed = installation.answer(&["org", "audit"]);
    assert_eq!(listed.lines().count(), audit.len() + 1, "{listed}");
}

/// The audit trail once the refused notifier stands in it: a job writes refusals after their answers, so before that
/// two looks at the trail may differ.
async fn audit_with_the_last_refusal(installation: &Installation) -> Vec<Value> {
    eventually("the refused notifier in the audit trail", async || {
        let audit = installation.answer(&["org", "audit", "--json"]);
        let audit: Vec<Value> = serde_json::from_str(&audit).unwrap();
        audit.iter().any(|entry| entry["action"] == "POST /v2/notifiers").then_some(audit)
    })
    .await
}

pub(crate) async fn first_token(backend: Backend) {
    let token = "xapt-3f1c0d6e-1111-4222-8333-444455556666";
    let installation = Installation::new(backend);
    let service = installation.start(&["--first-token", token]);
    let answer = client().get(format!("{}/v2/user", service.url)).bearer_auth(token).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    service.kill();

    // A later start with another one changes nothing.
    let service = installation.start(&["--first-token", "xapt-00000000-1111-4222-8333-444455556666"]);
    let answer = client().get(format!("{}/v2/user", service.url)).bearer_auth(token).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(installation.first_token(), token);
    assert_eq!(mode(&installation.data().join("first-token")), 0o600);
    assert_eq!(mode(&installation.data().join("secret.key")), 0o600);
    assert_eq!(mode(&installation.data()), 0o700);
}

/// A folder that others may enter, as one that a person made, shows them nothing.
pub(crate) async fn open_folder(backend: Backend) {
    use std::os::unix::fs::PermissionsExt;
    let installation = Installation::new(backend);
    std::fs::create_dir_all(installation.data()).unwrap();
    std::fs::set_permissions(installation.data(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let service = installation.start(&[]);
    let mut seen = Vec::new();
    for entry in std::fs::read_dir(installation.data()).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        // Where it listens is no secret, and the lock is empty.
        let is_open = matches!(name.as_str(), "address" | "lock");
        assert!(is_open || mode(&entry.path()) & 0o077 == 0, "{name}");
        seen.push(name);
    }
    for name in ["log", "segments", "groups", "spill", "secret.key"] {
        assert!(seen.iter().any(|found| found == name), "{name} is not in {seen:?}");
    }
    assert!(backend != Backend::Sqlite || seen.iter().any(|found| found == "catalog.sqlite"), "{seen:?}");
    service.kill();
}

fn mode(path: &std::path::Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

pub(crate) async fn wrong_setting(backend: Backend) {
    let installation = Installation::new(backend);
    let cases: &[(&[&str], &str)] = &[
        (
            &["serve", "--listen", "nowhere"],
            "setting listen: \"nowhere\" is not an address such as 127.0.0.1:8080",
        ),
        (&["serve", "--tls-cert", "x.pem"], "setting tls_key: must be set too"),
        (&["serve", "--config", "/nowhere.toml"], "configuration file /nowhere.toml"),
        (&["org", "list"], "there is no installation in"),
        (&["serve", "--litsen", "x"], "a similar argument exists: '--listen'"),
    ];
    for (arguments, expected) in cases {
        let output = installation.run(arguments);
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success());
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}
