//! Links of invitations in wrong hands: whoever holds one gets no more than its maker could give at that moment. What each
//! change does to a link is in `tests/http/invitation_links.http`; here it is used.

use serde_json::{Value, json};
use tidegauge_model::capability::Grants;
use tidegauge_model::{Action, Capabilities, OrgArea};

use crate::app::{Answer, PUBLIC_URL, TestApp};
use crate::browser::{Browser, PASSWORD};
use crate::cases::Case;

const MALLORY: &str = "mallory@x.test";

pub(crate) const ALL: &[(&str, Case)] = &[
    ("a_link_gives_nothing_that_came_later", |app| Box::pin(raised_later(app))),
    ("a_link_is_joined_by_nobody_once_its_maker_lost_the_right", |app| Box::pin(joined_later(app))),
    ("links_made_in_a_session_end_with_the_password", |app| Box::pin(password_changed(app))),
];

/// An API token that may add people and nothing else.
async fn adder(app: &TestApp) -> String {
    let org = Grants::from([(OrgArea::Users, vec![Action::Create])]);
    app.api_token(Capabilities { org, ..Capabilities::default() }, None).await
}

async fn add(app: &TestApp, token: &str, email: &str) -> String {
    let user = json!({"name": "Mallory", "email": email, "role": "none"});
    let answer = app.send("POST", "/v2/users", Some(token), Some(&user)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["id"].as_str().unwrap().to_owned()
}

fn path_of(answer: &Answer) -> String {
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["link"].as_str().unwrap().strip_prefix(PUBLIC_URL).unwrap().to_owned()
}

async fn invite(app: &TestApp, token: &str, user: &str) -> String {
    path_of(&app.send("POST", &format!("/v2/users/{user}/invitation"), Some(token), None).await)
}

async fn set_role(app: &TestApp, user: &str, role: &str) {
    let path = format!("/v2/users/{user}/role");
    let answer = app.send("PUT", &path, Some(&app.owner_token), Some(&json!({"role": role}))).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

async fn is_accepted(app: &TestApp, user: &str) -> Value {
    let answer = app.send("GET", &format!("/v2/users/{user}"), Some(&app.owner_token), None).await;
    answer.json()["accepted"].clone()
}

async fn raised_later(app: TestApp) {
    let adder = adder(&app).await;
    let user = add(&app, &adder, MALLORY).await;
    let path = invite(&app, &adder, &user).await;
    let mut mallory = Browser::new(&app);
    let form = mallory.form_token(&path).await;
    set_role(&app, &user, "owner").await;
    // The page was loaded before, so that only its use is refused.
    let fields = [("password", PASSWORD), ("form_token", form.as_str())];
    assert_eq!(mallory.post(&path, &fields).await.status, 404);
    assert_eq!(is_accepted(&app, &user).await, false);
    let trail = app.send("GET", "/v2/audit", Some(&app.owner_token), None).await;
    assert!(trail.text.contains("role owner"), "it says what was given: {trail:?}");
    // What the maker could give, the link still gives.
    set_role(&app, &user, "none").await;
    assert_eq!(mallory.post(&path, &fields).await.status, 303);
    assert_eq!(is_accepted(&app, &user).await, true);
}

async fn joined_later(app: TestApp) {
    // An account of the address, by another organisation.
    let there = add(&app, &app.other_token, MALLORY).await;
    let path = invite(&app, &app.other_token, &there).await;
    let mut mallory = Browser::new(&app);
    assert_eq!(mallory.submit(&path, &path, &[("password", PASSWORD)]).await.status, 303);

    let adder = adder(&app).await;
    let user = add(&app, &adder, MALLORY).await;
    let path = invite(&app, &adder, &user).await;
    let form = mallory.form_token(&path).await;
    let fields = [("accept", "account"), ("form_token", form.as_str())];
    set_role(&app, &user, "admin").await;
    assert_eq!(mallory.post(&path, &fields).await.status, 404);
    assert_eq!(is_accepted(&app, &user).await, false);
    set_role(&app, &user, "none").await;
    assert_eq!(mallory.post(&path, &fields).await.status, 303);
}

async fn password_changed(app: TestApp) {
    let mut owner = Browser::of_owner(&app).await;
    let (first, second) =
        (add(&app, &app.owner_token, MALLORY).await, add(&app, &app.owner_token, "b@x.test").await);
    let own_page = [("sec-fetch-site", "same-origin"), ("content-type", "application/json")];
    let made = format!("/v2/users/{first}/invitation");
    let in_session = path_of(&owner.send("POST", &made, &own_page, String::new()).await);
    let by_token = invite(&app, &app.owner_token, &second).await;
    for path in [&in_session, &by_token] {
        assert_eq!(Browser::new(&app).get(path).await.status, 200);
    }
    let change = [("present_password", PASSWORD), ("new_password", "another password")];
    assert_eq!(owner.submit("/account", "/account/password", &change).await.status, 303);
    assert_eq!(Browser::new(&app).get(&in_session).await.status, 404);
    // A token does not end with the password, nor does what was made with it.
    assert_eq!(Browser::new(&app).get(&by_token).await.status, 200);
}
