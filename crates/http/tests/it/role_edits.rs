//! Whatever a caller does to roles, groups and people, nobody comes to hold more than they did or the caller does, and
//! nobody loses what the caller does not hold. Sequences of edits are made by chance and tried over HTTP.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use tidegauge_model::rng::{self, SeededRng};
use tidegauge_model::{Capabilities, Role, UserId};

use crate::app::TestApp;

const SEQUENCES: u64 = 6;
const EDITS: usize = 60;

/// What the roles that a caller writes are made of: some of it the caller holds, some not.
const GRANTS: [(&str, &str, &str); 8] = [
    ("orgCapabilities", "rbac", "create"),
    ("orgCapabilities", "rbac", "read"),
    ("orgCapabilities", "users", "update"),
    ("orgCapabilities", "notifiers", "read"),
    ("orgCapabilities", "apiTokens", "create"),
    ("orgCapabilities", "auditLog", "read"),
    ("orgCapabilities", "billing", "update"),
    ("orgCapabilities", "datasets", "delete"),
];

struct Draws(SeededRng);

impl Draws {
    fn below(&self, bound: usize) -> usize {
        usize::from(u16::from_le_bytes(rng::bytes(&self.0))) % bound
    }

    fn one<'a>(&self, list: &'a [String]) -> &'a str {
        &list[self.below(list.len())]
    }

    /// About half of a list.
    fn some(&self, list: &[String]) -> Vec<String> {
        list.iter().filter(|_| self.below(2) == 0).cloned().collect()
    }

    fn capabilities(&self, body: &mut Value) {
        for (family, area, action) in GRANTS.iter().filter(|_| self.below(4) == 0) {
            body[family][area] = json!([action]);
        }
        if self.below(4) == 0 {
            body["datasetCapabilities"] = json!({"*": {"query": ["read"]}});
        }
        if self.below(6) == 0 {
            body["datasetCapabilities"] = json!({"logs": {"trim": ["update"]}});
        }
    }
}

/// What every member may do, by id.
async fn rights(app: &TestApp) -> BTreeMap<UserId, Capabilities> {
    let catalog = &app.app.catalog;
    let mut all = BTreeMap::new();
    for member in catalog.list_members(&app.org).await.unwrap() {
        let main = member.main.map(|main| main.id);
        let granted = catalog.granted_to(&app.org, &member.person.id, main).await.unwrap();
        all.insert(member.person.id, (*app.app.roles.rights(member.role, &granted)).clone());
    }
    all
}

async fn owner_makes(app: &TestApp, path: &str, body: &Value) -> String {
    let answer = app.send("POST", path, Some(&app.owner_token), Some(body)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["id"].as_str().unwrap().to_owned()
}

/// An organisation with weak and strong people, roles and groups; gives the caller's id.
async fn furnish(app: &TestApp, round: u64) -> String {
    let user = |name: &str, role: &str| json!({"name": name, "email": format!("{name}{round}@example.com"), "role": role});
    let caller = owner_makes(app, "/v2/users", &user("caller", "read-only")).await;
    let mut ids = BTreeMap::new();
    for (name, role) in [("friend", "none"), ("admin", "admin"), ("clerk", "user")] {
        ids.insert(name, owner_makes(app, "/v2/users", &user(name, role)).await);
    }
    let steward = json!({"name": format!("Steward {round}"), "members": [caller],
        "orgCapabilities": {"rbac": ["create", "read"], "users": ["create", "read", "update", "delete"]}});
    let steward = owner_makes(app, "/v2/rbac/roles", &steward).await;
    let strong = json!({"name": format!("Strong {round}"), "members": [ids["clerk"]],
        "orgCapabilities": {"billing": ["read", "update"]}, "datasetCapabilities": {"*": {"trim": ["update"]}}});
    let strong = owner_makes(app, "/v2/rbac/roles", &strong).await;
    for (name, members, roles) in [
        ("weak", json!([ids["friend"]]), json!([])),
        ("strong", json!([ids["friend"]]), json!([strong])),
        ("mixed", json!([]), json!([steward, "user"])),
    ] {
        let group = json!({"name": format!("{name} {round}"), "members": members, "roles": roles});
        owner_makes(app, "/v2/rbac/groups", &group).await;
    }
    caller
}

/// One edit by chance, as the caller sends it.
async fn edit(app: &TestApp, draws: &Draws, token: &str) -> (String, u16) {
    let catalog = &app.app.catalog;
    let members = catalog.list_members(&app.org).await.unwrap();
    let people: Vec<String> = members.iter().map(|member| member.person.id.to_string()).collect();
    let custom = catalog.list_roles(&app.org).await.unwrap();
    let custom: Vec<String> = custom.iter().map(|role| role.id.to_string()).collect();
    let groups = catalog.list_groups(&app.org).await.unwrap();
    let groups: Vec<String> = groups.iter().map(|group| group.id.to_string()).collect();
    let mut roles: Vec<String> = Role::ids().iter().map(|&id| id.to_owned()).collect();
    roles.extend(custom.iter().cloned());
    let name = format!("n{}", draws.below(1 << 15));
    let role_body = || {
        let mut body = json!({"name": name, "members": draws.some(&people)});
        draws.capabilities(&mut body);
        body
    };
    let group_roles = || {
        let picked = [draws.one(&roles), draws.one(&roles)].into_iter().filter(|role| *role != "owner");
        picked.collect::<Vec<_>>()
    };
    let group_body = || json!({"name": name, "members": draws.some(&people), "roles": group_roles()});
    let (method, path, body) = match draws.below(9) {
        0 => ("POST", "/v2/rbac/roles".to_owned(), Some(role_body())),
        1 | 2 => ("PUT", format!("/v2/rbac/roles/{}", draws.one(&roles)), Some(role_body())),
        3 => ("POST", "/v2/rbac/groups".to_owned(), Some(group_body())),
        4 if !groups.is_empty() => {
            ("PUT", format!("/v2/rbac/groups/{}", draws.one(&groups)), Some(group_body()))
        }
        5 => {
            let body =
                json!({"name": name, "email": format!("{name}@example.com"), "role": draws.one(&roles)});
            ("POST", "/v2/users".to_owned(), Some(body))
        }
        6 | 7 => {
            let path = format!("/v2/users/{}/role", draws.one(&people));
            ("PUT", path, Some(json!({"role": draws.one(&roles)})))
        }
        _ => {
            let path = match draws.below(3) {
                0 => format!("/v2/rbac/roles/{}", draws.one(&roles)),
                1 if !groups.is_empty() => format!("/v2/rbac/groups/{}", draws.one(&groups)),
                _ => format!("/v2/users/{}", draws.one(&people)),
            };
            ("DELETE", path, None)
        }
    };
    app.clock.advance(Duration::from_secs(1));
    let answer = app.send(method, &path, Some(token), body.as_ref()).await;
    let status = answer.status.as_u16();
    assert!(matches!(status, 200 | 204 | 403 | 404 | 409 | 422), "{method} {path} {body:?}: {answer:?}");
    (format!("{method} {path} {body:?}"), status)
}

pub(crate) async fn nobody_gains_by_edits(app: TestApp) {
    let mut done = 0;
    for round in 0..SEQUENCES {
        let caller = UserId::from(furnish(&app, round).await);
        app.accept(&caller).await;
        let token = app.personal_token(&caller).await;
        let draws = Draws(SeededRng::new(round));
        let before = rights(&app).await;
        let own = before[&caller].clone();
        for step in 0..EDITS {
            let (what, status) = edit(&app, &draws, &token).await;
            done += usize::from(status < 300);
            let after = rights(&app).await;
            for (id, held) in &after {
                let allowed = before.get(id).map_or_else(|| own.clone(), |had| had.union(&own));
                assert!(allowed.contains(held), "round {round}, step {step}: {id} gained by {what}");
            }
            for (id, had) in &before {
                let kept = after.get(id).map_or_else(|| own.clone(), |held| held.union(&own));
                assert!(kept.contains(had), "round {round}, step {step}: {id} lost by {what}");
            }
            if !after.contains_key(&caller) {
                break;
            }
        }
    }
    assert!(done > 20, "only {done} edits were let through, so that little was tried");
}
