//! The operator's commands beside a running service.

use serde_json::{Value, json};

use crate::database::Backend;
use crate::process::{Installation, Service, client, eventually, until, write};

pub(crate) async fn reach(backend: Backend) {
    let installation = Installation::empty(backend);
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

/// A token that the operator lets end with a member goes with that member, also from the memory of a running service.
pub(crate) async fn ends_with_member(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
    let owner = installation.first_token();
    let email = "second@example.com";
    let user = json!({"name": "Second", "email": email, "role": "user"});
    let added = client().post(format!("{}/v2/users", service.url)).bearer_auth(&owner).json(&user);
    let added: Value = added.send().await.unwrap().json().await.unwrap();
    let create = ["token", "create", "shipper", "--grant", "notifiers|read", "--ends-with"];
    for (address, problem) in
        [("nobody@example.com", "no user with the address"), (email, "has not accepted")]
    {
        let refused = installation.run(&[&create[..], &[address]].concat());
        assert!(!refused.status.success());
        assert!(String::from_utf8_lossy(&refused.stderr).contains(problem), "{refused:?}");
    }
    // The operator who hands a personal token over lets the membership count.
    installation.answer(&["token", "create", "theirs", "--personal", email]);
    let token = installation.answer(&[&create[..], &["Second@example.com"]].concat());
    let listed = installation.answer(&["token", "list"]);
    assert!(listed.contains(email) && listed.contains("  with its user  shipper"), "{listed}");
    let notifiers = || client().get(format!("{}/v2/notifiers", service.url)).bearer_auth(&token);
    assert_eq!(notifiers().send().await.unwrap().status(), 200);

    let path = format!("{}/v2/users/{}", service.url, added["id"].as_str().unwrap());
    assert_eq!(client().delete(path).bearer_auth(&owner).send().await.unwrap().status(), 204);
    assert_eq!(notifiers().send().await.unwrap().status(), 401);
    let listed: Value = serde_json::from_str(&installation.answer(&["token", "list", "--json"])).unwrap();
    let ended = listed.as_array().unwrap().iter().find(|listed| listed["name"] == "shipper").unwrap();
    assert!(ended["endsWithMembership"] == true && ended["expiresAt"].is_string(), "{ended}");
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

/// Whoever starts the service on such a database reads of it in the log. SQLite waits, and nothing is said.
pub(crate) async fn hasty_database(backend: Backend) {
    let installation = Installation::new(backend);
    let is_hasty = installation.hurry_database();
    let service = installation.start_logged("warn");
    let told = installation.last_errors();
    let warning = "the catalogue's database does not wait for its disk: a power cut can lose changes";
    assert_eq!(told.contains(warning), is_hasty, "{told}");
    assert!(!is_hasty || told.contains("\"level\":\"WARN\""), "{told}");
    service.kill();
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

/// A token that the file for the first one holds before the first start is that one.
pub(crate) async fn first_token_of_a_file(backend: Backend) {
    let token = "xapt-7a1c0d6e-1111-4222-8333-444455556666";
    let installation = Installation::new(backend);
    let file = installation.path("given-token");
    write(&file, &format!("{token}\n"));
    let service = installation.start(&["--first-token-file", file.to_str().unwrap()]);
    let answer = client().get(format!("{}/v2/user", service.url)).bearer_auth(token).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(std::fs::read_to_string(&file).unwrap().trim(), token);
    assert!(!installation.data().join("first-token").try_exists().unwrap());
}

/// The names of the keys that the embedded authorisation server publishes.
async fn published_keys(service: &Service) -> Vec<String> {
    let answer = client().get(format!("{}/oauth/jwks", service.url)).send().await.unwrap();
    let keys: Value = answer.json().await.unwrap();
    let name = |key: &Value| key["kid"].as_str().unwrap().to_owned();
    keys["keys"].as_array().unwrap().iter().map(name).collect()
}

/// A key that has leaked is taken away by the operator, and a new one can be shown before it signs.
pub(crate) async fn rotated_keys(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
    let first = published_keys(&service).await;
    assert_eq!(first.len(), 1);
    service.kill();
    let second = installation.answer(&["oauth", "rotate-keys", "--at-once"]);
    let service = installation.start(&[]);
    assert_eq!(published_keys(&service).await, std::slice::from_ref(&second));
    assert_ne!(first[0], second);
    service.kill();
    let third = installation.answer(&["oauth", "rotate-keys"]);
    assert_eq!(published_keys(&installation.start(&[])).await, [second, third]);
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
    for name in ["log", "segments", "partials", "spill", "secret.key"] {
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
        assert!(message.contains(expected), "{arguments:?}: {message}");
        // A command line that has to be written otherwise is told apart from what failed.
        let is_mistake = ["--litsen", "--listen"].iter().any(|flag| arguments.contains(flag));
        let code = if is_mistake { 2 } else { 1 };
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {message}");
    }
}

/// A flag counts more than the environment, and the environment more than the file: the one that counts is refused.
pub(crate) async fn layers(backend: Backend) {
    let installation = Installation::new(backend);
    let file = installation.path("settings.toml");
    write(&file, "[server]\nlisten = \"from the file\"\n");
    let refused = |flag: Option<&str>, variable: Option<&str>| {
        let mut command = Installation::bare_command();
        command.arg("serve").arg("--config").arg(&file).arg("--data").arg(installation.data());
        command.args(flag.map(|value| format!("--listen={value}")));
        command.env_remove("TIDEGAUGE_LISTEN").envs(variable.map(|value| ("TIDEGAUGE_LISTEN", value)));
        let output = command.output().unwrap();
        let code = if flag.is_some() { 2 } else { 1 };
        assert_eq!(output.status.code(), Some(code), "{flag:?} {variable:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    for (flag, variable, counts) in [
        (None, None, "\"from the file\""),
        (None, Some("from the environment"), "\"from the environment\""),
        (Some("from a flag"), Some("from the environment"), "\"from a flag\""),
        (Some("from a flag"), None, "\"from a flag\""),
    ] {
        let told = refused(flag, variable);
        assert!(told.contains(&format!("setting listen: {counts} is not an address")), "{counts}: {told}");
    }
}
