//! Setting a password by a link, signing in and out, invitations, and what all of that leaves in the audit trail.

use std::time::Duration;

use serde_json::{Value, json};
use tidegauge_app::service::invite_links;
use tidegauge_catalog::Change;
use tidegauge_catalog::passwords::NewPassword;
use tidegauge_model::{Clock, Role, Timestamp};

use crate::app::TestApp;
use crate::browser::{Browser, PASSWORD, location, problem};
use crate::cases::Case;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

pub(crate) const ALL: &[(&str, Case)] = &[
    ("the_owner_sets_a_password_and_signs_in_and_out", |app| Box::pin(set_up_in_and_out(app))),
    ("a_link_is_good_once_and_for_a_time", |app| Box::pin(link_once(app))),
    ("a_link_that_is_not_taken_stays_good", |app| Box::pin(unfit_password(app))),
    ("a_newer_link_ends_the_older_and_a_reset_is_good_for_a_day", |app| Box::pin(newer_link(app))),
    ("an_invited_person_sets_a_password_and_is_in", |app| Box::pin(invited(app))),
    ("nobody_is_taken_over_by_an_invitation", |app| Box::pin(no_take_over(app))),
    ("an_invitation_ends_with_the_membership", |app| Box::pin(invitation_of_removed(app))),
    ("another_password_ends_every_session", |app| Box::pin(password_change(app))),
    ("a_hash_with_other_costs_is_renewed", |app| Box::pin(rehash(app))),
    ("signing_in_is_in_the_audit_trail_without_secrets", |app| Box::pin(audited(app))),
    ("a_day_without_failure_forgets_the_failures", |app| Box::pin(forgotten_failures(app))),
];

async fn set_up_in_and_out(app: TestApp) {
    let mut browser = Browser::of_owner(&app).await;
    let account = browser.get("/account").await;
    assert!(
        account.text.contains("owner@example.com") && account.text.contains("this browser"),
        "{account:?}"
    );

    let out = browser.submit("/account", "/logout", &[]).await;
    assert_eq!((out.status.as_u16(), location(&out)), (303, "/login"));
    assert!(!browser.cookies.contains_key("tidegauge-session"));
    assert!(!browser.is_signed_in().await);

    let answer = browser.get("/account").await;
    assert_eq!(location(&answer), "/login?return_to=/account");
    let fields = [("email", " Owner@Example.com "), ("password", PASSWORD), ("return_to", "/account?x=1")];
    let back = browser.submit("/login?return_to=/account%3Fx%3D1", "/login", &fields).await;
    assert_eq!((back.status.as_u16(), location(&back)), (303, "/account?x=1"), "{back:?}");
    assert!(browser.is_signed_in().await);
    // Who is signed in is not asked again.
    let login = browser.get("/login?return_to=/docs/").await;
    assert_eq!((login.status.as_u16(), location(&login)), (303, "/docs/"));
}

async fn link_once(app: TestApp) {
    let path = format!("/setup/{}", app.owner_link);
    let mut late = Browser::new(&app);
    let token = late.form_token(&path).await;
    Browser::of_owner(&app).await;
    let again = late.post(&path, &[("password", "another password"), ("form_token", &token)]).await;
    assert_eq!(again.status, 404, "{again:?}");
    assert_eq!(late.get(&path).await.status, 404);
    for other in
        ["/setup/x", "/setup/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "/setup/%00", "/setup/%ff"]
    {
        assert_eq!(late.get(other).await.status, 404, "{other}");
    }

    let newcomer = json!({"name": "N", "email": "n@example.com", "role": "user"});
    let newcomer = app.send("POST", "/v2/users", Some(&app.owner_token), Some(&newcomer)).await.json();
    let path = invite(&app, newcomer["id"].as_str().unwrap()).await;
    app.clock.advance(7 * DAY - Duration::from_secs(1));
    assert_eq!(late.get(&path).await.status, 200);
    app.clock.advance(Duration::from_secs(1));
    assert_eq!(late.get(&path).await.status, 404);
}

async fn unfit_password(app: TestApp) {
    let path = format!("/setup/{}", app.owner_link);
    let mut browser = Browser::new(&app);
    for unfit in ["short", "password123", "owner@example.com", &"x".repeat(2_000), "aaaaaaaaaaaa"] {
        let answer = browser.submit(&path, &path, &[("password", unfit)]).await;
        assert_eq!(answer.status, 422, "{unfit}");
        assert!(problem(&answer).starts_with("Choose a"), "{answer:?}");
        let is_shown = answer.text.contains(&format!("value=\"{unfit}\""));
        assert!(!is_shown || unfit.contains('@'), "it is not sent back");
    }
    let answer = browser.submit(&path, &path, &[("password", PASSWORD)]).await;
    assert_eq!(answer.status, 303);
}

async fn newer_link(app: TestApp) {
    Browser::of_owner(&app).await;
    let person = app.app.catalog.find_person(&app.owner).await.unwrap().unwrap();
    let mut paths = Vec::new();
    for _ in 0..2 {
        let change = change(&app);
        let made = invite_links::make(&app.app.catalog, &*app.app.rng, &person, &change).await.unwrap();
        paths.push(format!("/setup/{}", made.secret.reveal()));
    }
    let mut browser = Browser::new(&app);
    assert_eq!(browser.get(&paths[0]).await.status, 404);
    assert_eq!(browser.get(&paths[1]).await.status, 200);
    app.clock.advance(DAY);
    assert_eq!(browser.get(&paths[1]).await.status, 404, "there is a password, so it was for another one");
}

async fn invited(app: TestApp) {
    let newcomer = json!({"name": "New", "email": "new@example.com", "role": "user"});
    let newcomer = app.send("POST", "/v2/users", Some(&app.owner_token), Some(&newcomer)).await.json();
    let id = newcomer["id"].as_str().unwrap();
    let first = invite(&app, id).await;
    let path = invite(&app, id).await;
    let mut browser = Browser::new(&app);
    assert_eq!(browser.get(&first).await.status, 404, "the second took its place");
    let answer = browser.submit(&path, &path, &[("password", PASSWORD)]).await;
    assert_eq!(answer.status, 303, "{answer:?}");

    let trail = app.send("GET", "/v2/audit", Some(&app.owner_token), None).await.json();
    let actions: Vec<&str> = actions(&trail);
    assert!(actions.contains(&"user.invite") && actions.contains(&"password.set"), "{actions:?}");
    let same_origin = [("sec-fetch-site", "same-origin")];
    let user = browser.send("GET", "/v2/user", &same_origin, String::new()).await;
    assert_eq!((user.status.as_u16(), user.json()["role"]["id"].as_str()), (200, Some("user")));
    assert_eq!(browser.send("GET", "/v2/tokens", &same_origin, String::new()).await.status, 403);
    let again = app.send("POST", &format!("/v2/users/{id}/invitation"), Some(&app.owner_token), None).await;
    assert_eq!((again.status.as_u16(), again.json()["code"].as_i64()), (409, Some(409)), "{again:?}");
}

async fn no_take_over(app: TestApp) {
    let owner = Some(app.owner_token.as_str());
    let invitation = |id: &str| format!("/v2/users/{id}/invitation");
    // Whoever invites must be able to hand out all that the person holds.
    let strong = json!({"name": "Strong", "email": "strong@example.com", "role": "owner"});
    let strong = app.send("POST", "/v2/users", owner, Some(&strong)).await.json();
    let admin = app.member_token(Role::Admin).await;
    let answer = app.send("POST", &invitation(strong["id"].as_str().unwrap()), Some(&admin), None).await;
    assert_eq!(answer.status, 403, "{answer:?}");
    let user = app.member_token(Role::User).await;
    let answer = app.send("POST", &invitation(strong["id"].as_str().unwrap()), Some(&user), None).await;
    assert_eq!(answer.status, 403, "{answer:?}");
    for unknown in ["x", app.other_owner.as_str(), "user_00000000000000000000000000000000"] {
        let answer = app.send("POST", &invitation(unknown), Some(&admin), None).await;
        assert_eq!(answer.status, 404, "{unknown}: {answer:?}");
    }
}

async fn invitation_of_removed(app: TestApp) {
    let newcomer = json!({"name": "New", "email": "new@example.com", "role": "user"});
    let newcomer = app.send("POST", "/v2/users", Some(&app.owner_token), Some(&newcomer)).await.json();
    let id = newcomer["id"].as_str().unwrap();
    let path = invite(&app, id).await;
    assert_eq!(
        app.send("DELETE", &format!("/v2/users/{id}"), Some(&app.owner_token), None).await.status,
        204
    );
    let mut browser = Browser::new(&app);
    let late = browser.get(&path).await;
    assert_eq!(late.status, 404, "{late:?}");
    assert!(!browser.is_signed_in().await);
}

async fn password_change(app: TestApp) {
    let mut browser = Browser::of_owner(&app).await;
    let mut other = Browser::new(&app);
    assert_eq!(other.sign_in("owner@example.com", PASSWORD).await.status, 303);
    let change = |present, new| [("present_password", present), ("new_password", new)];
    let (page, action) = ("/account", "/account/password");
    let wrong = browser.submit(page, action, &change("not the one", "a whole new one")).await;
    assert_eq!((wrong.status.as_u16(), problem(&wrong)), (422, "The present password is not right."));
    let unfit = browser.submit(page, action, &change(PASSWORD, "12345678")).await;
    assert_eq!(unfit.status, 422);
    assert!(other.is_signed_in().await && browser.is_signed_in().await, "nothing has changed yet");

    let before = browser.session_cookie().to_owned();
    let done = browser.submit(page, action, &change(PASSWORD, "a whole new one")).await;
    assert_eq!((done.status.as_u16(), location(&done)), (303, "/account?done=password"), "{done:?}");
    assert_ne!(browser.session_cookie(), before);
    assert!(browser.is_signed_in().await && !other.is_signed_in().await);
    let mut old = Browser::new(&app);
    old.cookies.insert("tidegauge-session".to_owned(), before);
    assert!(!old.is_signed_in().await);
    let mut again = Browser::new(&app);
    assert_eq!(again.sign_in("owner@example.com", PASSWORD).await.status, 401);
    assert_eq!(again.sign_in("owner@example.com", "a whole new one").await.status, 303);
}

async fn rehash(app: TestApp) {
    Browser::of_owner(&app).await;
    let account = || async { app.app.catalog.find_account(&app.owner).await.unwrap().unwrap().hash.unwrap() };
    // "tide tables and salt" with a sixteenth of the memory.
    let weak = "$argon2id$v=19$m=1216,t=1,p=1$YSBzYWx0IGZvciB0ZXN0cw$WEAK";
    let weak = weak.replace("WEAK", &weak_output());
    let new = NewPassword { hash: &weak, account: "" };
    assert!(app.app.catalog.change_password(&app.owner, &account().await, new, &change(&app)).await.unwrap());
    let mut browser = Browser::new(&app);
    assert_eq!(browser.sign_in("owner@example.com", "x").await.status, 401);
    assert_eq!(account().await, weak, "a wrong password renews nothing");
    assert_eq!(browser.sign_in("owner@example.com", PASSWORD).await.status, 303);
    assert!(account().await.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
    assert_eq!(Browser::new(&app).sign_in("owner@example.com", PASSWORD).await.status, 303);
}

/// The output of the weaker hash, as its text form has it.
fn weak_output() -> String {
    use base64::Engine;
    let costs = argon2::Params::new(1_216, 1, 1, None).unwrap();
    let hasher = argon2::Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, costs);
    let mut output = [0; 32];
    hasher.hash_password_into(PASSWORD.as_bytes(), b"a salt for tests", &mut output).unwrap();
    base64::engine::general_purpose::STANDARD_NO_PAD.encode(output)
}

async fn audited(app: TestApp) {
    let mut browser = Browser::of_owner(&app).await;
    let mut secrets = vec![PASSWORD.to_owned(), app.owner_link.clone(), browser.session_cookie().to_owned()];
    secrets.push(browser.form_token("/account").await);
    let fields = [("present_password", PASSWORD), ("new_password", "a whole new one")];
    browser.submit("/account", "/account/password", &fields).await;
    secrets.extend(["a whole new one".to_owned(), browser.session_cookie().to_owned()]);
    let mut failing = Browser::new(&app);
    for _ in 0..6 {
        failing.sign_in("owner@example.com", "a wrong guess").await;
    }
    failing.sign_in("typed-my-secret-here", "a wrong guess").await;
    secrets.extend(["a wrong guess".to_owned(), "typed-my-secret-here".to_owned()]);
    browser.submit("/account", "/logout", &[]).await;

    let trail = app.send("GET", "/v2/audit", Some(&app.owner_token), None).await;
    let entries = trail.json();
    for action in ["user.link", "password.set", "session.create", "password.change", "session.delete"] {
        assert!(actions(&entries).contains(&action), "{action} in {entries}");
    }
    let refused: Vec<(&str, i64)> = entries
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry["outcome"] == "refused" && entry["action"] == "POST /login")
        .map(|entry| (entry["detail"].as_str().unwrap(), entry["count"].as_i64().unwrap()))
        .collect();
    for expected in [
        ("the password is wrong", 4),
        ("the password is wrong, which locks the account for a while", 1),
        ("the account is locked after failures", 1),
    ] {
        assert!(refused.contains(&expected), "{refused:?}");
    }
    let of_none = app.app.catalog.list_audit(None, Timestamp::from_micros(0), i64::MAX, 100).await.unwrap();
    assert!(of_none.iter().any(|entry| entry.detail == "no account has this address"), "{of_none:?}");
    let metrics = app.send("GET", "/metrics", None, None).await.text;
    for text in [trail.text, format!("{of_none:?}"), metrics] {
        for secret in &secrets {
            assert!(!text.contains(secret.as_str()), "{secret} in {text}");
        }
    }
}

async fn forgotten_failures(app: TestApp) {
    Browser::of_owner(&app).await;
    let mut browser = Browser::new(&app);
    for day in 0..2 {
        for attempt in 0..5 {
            let answer = browser.sign_in("owner@example.com", "a guess").await;
            assert_eq!(answer.status, 401, "attempt {attempt} of day {day}");
        }
        assert_eq!(browser.sign_in("owner@example.com", PASSWORD).await.status, 429);
        app.clock.advance(DAY);
    }
}

fn actions(trail: &Value) -> Vec<&str> {
    trail.as_array().unwrap().iter().map(|entry| entry["action"].as_str().unwrap()).collect()
}

/// The path of a link by which the owner invites somebody.
async fn invite(app: &TestApp, id: &str) -> String {
    let made = app.send("POST", &format!("/v2/users/{id}/invitation"), Some(&app.owner_token), None).await;
    assert_eq!(made.status, 200, "{made:?}");
    let link = made.json()["link"].as_str().unwrap().to_owned();
    link.strip_prefix(crate::app::PUBLIC_URL).unwrap().to_owned()
}

fn change(app: &TestApp) -> Change {
    Change { org: None, actor: "test".to_owned(), at: app.clock.now(), request_id: String::new() }
}
