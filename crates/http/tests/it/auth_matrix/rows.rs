//! One row for each route: how to call it so that it succeeds for who may. What is refused is the matrix's affair.

use serde_json::json;

use super::{DEFINED_ON, Id, Row, dashboards, row, senders, watching};

/// Routes that tell of the caller alone and show no id of anything.
pub(super) const WITHOUT_IDS: [&str; 2] = ["/user/capabilities", "/user/preferences"];

pub(super) fn rows() -> Vec<Row> {
    let notifier = || Some(json!({"name": "n", "properties": {"webhook": {"url": "https://example.com"}}}));
    let token = || Some(json!({"name": "t", "orgCapabilities": {"apiTokens": ["create"]}}));
    let regenerate = || Some(json!({"existingTokenExpiresAt": "2030-01-01T00:00:00Z"}));
    let starred = || {
        let query = json!({"apl": "print x = 1"});
        Some(json!({"kind": "apl", "name": "s", "who": "w", "dataset": "d", "metadata": {}, "query": query}))
    };
    let name = || Some(json!({"name": "renamed"}));
    let user = || Some(json!({"name": "u", "email": "new{version}@example.com", "role": "none"}));
    let mut rows = dataset_rows();
    rows.extend(definition_rows());
    rows.extend(watching::rows());
    rows.extend(dashboards::rows());
    rows.extend(senders::rows());
    rows.extend(senders::endpoint_rows());
    rows.extend(rbac_rows());
    rows.extend(oauth_rows());
    rows.extend(organisation_rows());
    rows.extend([
        row("GET", "/notifiers", Id::None, None, 200),
        row("POST", "/notifiers", Id::None, notifier(), 200),
        row("GET", "/notifiers/{id}", Id::Notifier, None, 200),
        row("PUT", "/notifiers/{id}", Id::Notifier, notifier(), 200),
        row("DELETE", "/notifiers/{id}", Id::Notifier, None, 204),
        row("POST", "/notifiers/{id}/test", Id::Notifier, None, 200),
        row("GET", "/notifiers/{id}/deliveries", Id::Notifier, None, 200),
        row("GET", "/notifiers/{id}/signing-secret", Id::Notifier, None, 200),
        row("POST", "/notifiers/{id}/deliveries/{deliveryId}/replay", Id::Notifier, None, 200),
        row("GET", "/tokens", Id::None, None, 200),
        row("POST", "/tokens", Id::None, token(), 200),
        row("GET", "/tokens/usage", Id::Token, None, 200),
        row("GET", "/tokens/{id}", Id::Token, None, 200),
        row("DELETE", "/tokens/{id}", Id::Token, None, 204),
        row("POST", "/tokens/{id}/regenerate", Id::Token, regenerate(), 200),
        row("GET", "/apl-starred-queries", Id::None, None, 200),
        row("POST", "/apl-starred-queries", Id::None, starred(), 200),
        row("GET", "/apl-starred-queries/{id}", Id::Starred, None, 200),
        row("PUT", "/apl-starred-queries/{id}", Id::Starred, starred(), 200),
        row("DELETE", "/apl-starred-queries/{id}", Id::Starred, None, 204),
        row("POST", "/apl-starred-queries/{id}/run", Id::Starred, Some(json!({})), 200),
        row("GET", "/user", Id::None, None, 200),
        row("PUT", "/user", Id::None, name(), 200),
        row("GET", "/user/capabilities", Id::None, None, 200),
        row("GET", "/user/preferences", Id::None, None, 200),
        row("PUT", "/user/preferences", Id::None, Some(json!({"theme": "dark"})), 200),
        row("GET", "/users", Id::None, None, 200),
        row("POST", "/users", Id::None, user(), 200),
        row("GET", "/users/{id}", Id::User, None, 200),
        row("PUT", "/users/{id}", Id::User, name(), 200),
        row("POST", "/users/{id}/invitation", Id::User, None, 200),
        row("PUT", "/users/{id}/role", Id::User, Some(json!({"role": "none"})), 200),
        row("DELETE", "/users/{id}", Id::User, None, 204),
    ]);
    rows
}

fn organisation_rows() -> Vec<Row> {
    let name = || Some(json!({"name": "renamed"}));
    vec![
        row("GET", "/orgs", Id::None, None, 200),
        row("POST", "/orgs", Id::None, name(), 200),
        row("POST", "/orgs/provision", Id::None, name(), 200),
        row("GET", "/orgs/{id}", Id::Org, None, 200),
        row("PUT", "/orgs/{id}", Id::Org, name(), 200),
        row("GET", "/orgs/{id}/usage", Id::Org, None, 200),
        row("GET", "/audit", Id::None, None, 200),
    ]
}

fn dataset_rows() -> Vec<Row> {
    let dataset = || Some(json!({"name": "made-in-{version}"}));
    let events = || Some(json!([{"status": 200}]));
    let described = || Some(json!({"description": "changed"}));
    let question =
        || Some(json!({"startTime": "2026-06-01T00:00:00Z", "endTime": "now", "resolution": "auto"}));
    let text = || Some(json!({"apl": "print x = 1"}));
    let age = || Some(json!({"maxDuration": "1h"}));
    vec![
        row("GET", "/datasets", Id::None, None, 200),
        row("POST", "/datasets", Id::None, dataset(), 200),
        row("GET", "/datasets/{id}", Id::Dataset, None, 200),
        row("PUT", "/datasets/{id}", Id::Dataset, described(), 200),
        row("DELETE", "/datasets/{id}", Id::Dataset, None, 204),
        row("GET", "/datasets/{id}/fields", Id::Dataset, None, 200),
        row("GET", "/datasets/{id}/fields/{field}", Id::Dataset, None, 200),
        row("PUT", "/datasets/{id}/fields/{field}", Id::Dataset, described(), 200),
        row("GET", "/datasets/{id}/mapfields", Id::Dataset, None, 200),
        row("PUT", "/datasets/{id}/mapfields", Id::Dataset, Some(json!(["other"])), 200),
        row("POST", "/datasets/{id}/mapfields", Id::Dataset, Some(json!({"name": "other"})), 200),
        row("DELETE", "/datasets/{id}/mapfields/{name}", Id::Dataset, None, 204),
        row("GET", "/datasets/_fields", Id::Dataset, None, 200),
        row("GET", "/datasets/_stats", Id::Dataset, None, 200),
        row("GET", "/datasets/{id}/info", Id::Dataset, None, 200),
        row("POST", "/datasets/_demo", Id::None, None, 200),
        row("POST", "/datasets/{id}/trim", Id::Dataset, age(), 204),
        row("POST", "/datasets/{id}/vacuum", Id::Dataset, None, 200),
        row("POST", "/datasets/{name}/ingest", Id::Dataset, events(), 200),
        row("POST", "/ingest/{name}", Id::Dataset, events(), 200),
        row("POST", "/datasets/{dataset_name}/query", Id::Dataset, question(), 200),
        // Who holds the right is told that a field has to be named.
        row("GET", "/datasets/{dataset_name}/patterns", Id::Dataset, None, 422),
        row("GET", "/datasets/_history", Id::SavedQuery, None, 200),
        row("GET", "/datasets/_history/{id}", Id::SavedQuery, None, 200),
        row("POST", "/datasets/_apl", Id::None, text(), 200),
        row("POST", "/query/_apl", Id::None, text(), 200),
        row("POST", "/query/fields", Id::None, Some(json!({"apl": "print x = 1", "fields": ["x"]})), 200),
        row("POST", "/query/estimate", Id::None, text(), 200),
        row("POST", "/exports", Id::None, Some(json!({"apl": "print x = 1", "format": "csv"})), 200),
        row("POST", "/answers", Id::None, text(), 200),
        row("GET", "/answers/{id}", Id::Answer, None, 200),
        // Who may ask is told that only a dataset can be followed.
        row("POST", "/query/tail", Id::None, text(), 400),
        row("POST", "/query/check", Id::None, text(), 200),
        row("POST", "/query/complete", Id::None, Some(json!({"apl": "", "position": 0})), 200),
        row("POST", "/query/format", Id::None, text(), 200),
        row(
            "POST",
            "/datasets/_apl/delete",
            Id::None,
            Some(json!({"apl": "['d'] | where x == 1", "commit": false})),
            // Who holds the right is told that there is no such dataset.
            404,
        ),
        row("POST", "/query/batch", Id::None, Some(json!([])), 200),
    ]
}

fn definition_rows() -> Vec<Row> {
    let field = |name| Some(json!({"dataset": DEFINED_ON, "name": name, "expression": "a + b"}));
    // It reads no dataset, so that it needs no right beside the one that the route asks for.
    let view = |name| Some(json!({"name": name, "aplQuery": "print x = 1"}));
    vec![
        row("GET", "/vfields", Id::None, None, 200),
        row("POST", "/vfields", Id::None, field("made in {version}"), 200),
        row("GET", "/vfields/{id}", Id::VirtualField, None, 200),
        row("PUT", "/vfields/{id}", Id::VirtualField, field("changed in {version}"), 200),
        row("DELETE", "/vfields/{id}", Id::VirtualField, None, 204),
        row("GET", "/views", Id::None, None, 200),
        row("POST", "/views", Id::None, view("made in {version}"), 200),
        row("GET", "/views/{id}", Id::View, None, 200),
        row("PUT", "/views/{id}", Id::View, view("changed in {version}"), 200),
        row("DELETE", "/views/{id}", Id::View, None, 204),
    ]
}

fn rbac_rows() -> Vec<Row> {
    let named = |name| Some(json!({"name": name}));
    vec![
        row("GET", "/rbac/roles", Id::None, None, 200),
        row("POST", "/rbac/roles", Id::None, named("made in {version}"), 200),
        row("GET", "/rbac/roles/{id}", Id::Role, None, 200),
        row("PUT", "/rbac/roles/{id}", Id::Role, named("changed in {version}"), 200),
        row("DELETE", "/rbac/roles/{id}", Id::Role, None, 204),
        row("GET", "/rbac/groups", Id::None, None, 200),
        row("POST", "/rbac/groups", Id::None, named("made in {version}"), 200),
        row("GET", "/rbac/groups/{id}", Id::Group, None, 200),
        row("PUT", "/rbac/groups/{id}", Id::Group, named("changed in {version}"), 200),
        row("DELETE", "/rbac/groups/{id}", Id::Group, None, 204),
    ]
}

fn oauth_rows() -> Vec<Row> {
    let client = || Some(json!({"name": "c", "grants": ["client_credentials"]}));
    vec![
        row("GET", "/oauth/clients", Id::None, None, 200),
        row("POST", "/oauth/clients", Id::None, client(), 200),
        row("GET", "/oauth/clients/{id}", Id::Client, None, 200),
        row("PUT", "/oauth/clients/{id}", Id::Client, client(), 200),
        row("DELETE", "/oauth/clients/{id}", Id::Client, None, 204),
        row("POST", "/oauth/clients/{id}/secret", Id::Client, Some(json!({})), 200),
        row("GET", "/user/grants", Id::Grant, None, 200),
        row("DELETE", "/user/grants/{id}", Id::Grant, None, 204),
    ]
}
