//! Accounts among organisations that do not know each other: who sets a password for an address in advance, adds it
//! elsewhere or invites it gets nothing of what another organisation gave that address, and learns nothing.

use serde_json::{Value, json};
use tidegauge_model::Role;

use crate::app::{Answer, TestApp};
use crate::browser::{Browser, PASSWORD, location, problem};
use crate::cases::Case;

const CEO: &str = "ceo@x.test";
const SAME_ORIGIN: [(&str, &str); 1] = [("sec-fetch-site", "same-origin")];

pub(crate) const ALL: &[(&str, Case)] = &[
    ("an_account_taken_in_advance_gets_nothing", |app| Box::pin(taken_in_advance(app))),
    ("who_was_forestalled_gets_an_account_of_their_own", |app| Box::pin(forestalled(app))),
    ("tokens_and_programs_of_an_account_get_nothing_in_advance", |app| Box::pin(tokens_in_advance(app))),
    ("invitations_of_organisations_do_not_touch", |app| Box::pin(invitations_apart(app))),
    ("adding_an_address_tells_nothing_about_accounts", |app| Box::pin(tells_nothing(app))),
    ("an_invitation_is_accepted_with_an_account", |app| Box::pin(accepted_with_account(app))),
    ("an_invitation_is_for_its_own_address", |app| Box::pin(other_address(app))),
    ("lists_say_who_has_not_accepted", |app| Box::pin(listed(app))),
];

async fn add(app: &TestApp, token: &str, email: &str, role: &str) -> Value {
    let user = json!({"name": "As we call them", "email": email, "role": role});
    let answer = app.send("POST", "/v2/users", Some(token), Some(&user)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

async fn invite(app: &TestApp, token: &str, user: &Value) -> String {
    let path = format!("/v2/users/{}/invitation", user["id"].as_str().unwrap());
    let answer = app.send("POST", &path, Some(token), None).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let link = answer.json()["link"].as_str().unwrap().to_owned();
    link.strip_prefix(crate::app::PUBLIC_URL).unwrap().to_owned()
}

/// The other organisation adds an address, and sets the password of its account itself.
async fn take(app: &TestApp) -> Browser<'_> {
    let user = add(app, &app.other_token, CEO, "none").await;
    let path = invite(app, &app.other_token, &user).await;
    let mut browser = Browser::new(app);
    assert_eq!(browser.submit(&path, &path, &[("password", PASSWORD)]).await.status, 303);
    browser
}

/// What a browser gets of our organisation.
async fn notifiers(browser: &mut Browser<'_>) -> Answer {
    let org = browser.app.org.to_string();
    let headers = [SAME_ORIGIN[0], ("x-axiom-org-id", org.as_str())];
    browser.send("GET", "/v2/notifiers", &headers, String::new()).await
}

async fn orgs(browser: &mut Browser<'_>) -> Vec<String> {
    let orgs = browser.send("GET", "/v2/orgs", &SAME_ORIGIN, String::new()).await.json();
    orgs.as_array().unwrap().iter().map(|org| org["id"].as_str().unwrap().to_owned()).collect()
}

async fn taken_in_advance(app: TestApp) {
    let mut taker = take(&app).await;
    let ours = add(&app, &app.owner_token, CEO, "admin").await;
    assert_eq!(notifiers(&mut taker).await.status, 403);
    assert_eq!(orgs(&mut taker).await, [app.other_org.to_string()]);
    // Nor once it was invited, nor by signing in again.
    invite(&app, &app.owner_token, &ours).await;
    let mut again = Browser::new(&app);
    assert_eq!(again.sign_in(CEO, PASSWORD).await.status, 303);
    assert_eq!(notifiers(&mut again).await.status, 403);
    // Nor once the person has accepted, whom the taker is not.
    let path = invite(&app, &app.owner_token, &ours).await;
    let mut ceo = Browser::new(&app);
    assert_eq!(ceo.submit(&path, &path, &[("password", "another password")]).await.status, 303);
    assert_eq!(
        (notifiers(&mut ceo).await.status.as_u16(), notifiers(&mut taker).await.status.as_u16()),
        (200, 403)
    );
    assert_eq!(orgs(&mut taker).await, [app.other_org.to_string()]);
    assert_eq!(orgs(&mut ceo).await, [app.org.to_string()]);
    let there = app.send("GET", "/v2/users", Some(&app.other_token), None).await;
    assert!(!there.text.contains(ours["id"].as_str().unwrap()), "{there:?}");
}

async fn forestalled(app: TestApp) {
    let mut taker = take(&app).await;
    let ours = add(&app, &app.owner_token, CEO, "admin").await;
    let path = invite(&app, &app.owner_token, &ours).await;
    let mut ceo = Browser::new(&app);
    assert_eq!(ceo.submit(&path, &path, &[("password", "another password")]).await.status, 303);
    let id = ours["id"].as_str().unwrap();
    let account = ceo.get("/account").await;
    assert!(account.text.contains(id), "it tells what to sign in with: {account:?}");
    assert!(!taker.get("/account").await.text.contains("Another account"), "the first has the address");
    // The address is the taker's to sign in with, the id is the person's.
    let mut browser = Browser::new(&app);
    assert_eq!(browser.sign_in(CEO, "another password").await.status, 401);
    assert_eq!(browser.sign_in(id, "another password").await.status, 303);
    assert_eq!(notifiers(&mut browser).await.status, 200);
    let change = [("present_password", "another password"), ("new_password", "a third password")];
    assert_eq!(browser.submit("/account", "/account/password", &change).await.status, 303);
    assert!(taker.is_signed_in().await, "nor does it reach the other account");
    assert_eq!(Browser::new(&app).sign_in(CEO, PASSWORD).await.status, 303);
    assert_eq!(Browser::new(&app).sign_in(id, "a third password").await.status, 303);
}

async fn tokens_in_advance(app: TestApp) {
    take(&app).await;
    let members = app.send("GET", "/v2/users", Some(&app.other_token), None).await.json();
    let taken = members.as_array().unwrap().iter().find(|user| user["email"] == CEO).unwrap();
    let taken = taken["id"].as_str().unwrap().into();
    let token = app.personal_token(&taken).await;
    let ours = add(&app, &app.owner_token, CEO, "owner").await;
    // A token of the one who waits, as if it had been made, is of no more use.
    let waiting = app.personal_token(&ours["id"].as_str().unwrap().into()).await;
    for token in [&token, &waiting] {
        for headers in [vec![], vec![("x-axiom-org-id".to_owned(), app.org.to_string())]] {
            let authorization = ("authorization".to_owned(), format!("Bearer {token}"));
            let headers = [vec![authorization], headers].concat();
            for (method, path) in [("GET", "/v2/notifiers"), ("GET", "/v2/users"), ("GET", "/v2/tokens")] {
                let answer = app.send_raw(method, path, &headers, Vec::new()).await;
                assert_eq!(answer.status, 403, "{path}: {answer:?}");
            }
        }
        let listed = app.send("GET", "/v2/orgs", Some(token), None).await;
        assert!(!listed.text.contains(app.org.as_str()), "{listed:?}");
    }
}

async fn invitations_apart(app: TestApp) {
    let ours = add(&app, &app.owner_token, CEO, "admin").await;
    let path = invite(&app, &app.owner_token, &ours).await;
    let theirs = add(&app, &app.other_token, CEO, "none").await;
    let their_path = invite(&app, &app.other_token, &theirs).await;
    let mut browser = Browser::new(&app);
    assert_eq!(browser.get(&path).await.status, 200, "it is still good");
    let path = invite(&app, &app.owner_token, &ours).await;
    assert_eq!(browser.get(&their_path).await.status, 200);
    // Neither the use of one nor the end of its membership ends the other.
    assert_eq!(browser.submit(&their_path, &their_path, &[("password", PASSWORD)]).await.status, 303);
    assert_eq!(Browser::new(&app).get(&path).await.status, 200);
    let gone = format!("/v2/users/{}", theirs["id"].as_str().unwrap());
    assert_eq!(app.send("DELETE", &gone, Some(&app.other_token), None).await.status, 204);
    let mut ceo = Browser::new(&app);
    assert_eq!(ceo.submit(&path, &path, &[("password", PASSWORD)]).await.status, 303);
    assert_eq!(notifiers(&mut ceo).await.status, 200);
}

async fn tells_nothing(app: TestApp) {
    Browser::of_owner(&app).await;
    let mut seen = Vec::new();
    for email in ["owner@example.com", "nobody@example.com"] {
        let user = add(&app, &app.other_token, email, "user").await;
        assert_ne!(user["id"], app.owner.as_str());
        assert_eq!((&user["name"], &user["email"]), (&json!("As we call them"), &json!(email)));
        let path = invite(&app, &app.other_token, &user).await;
        let page = Browser::new(&app).get(&path).await;
        let keys: Vec<String> = user.as_object().unwrap().keys().cloned().collect();
        let token =
            page.text.split_once("name=\"form_token\" value=\"").unwrap().1.split('"').next().unwrap();
        let page = page.text.replace(token, "").replace(email, "").replace(&path, "");
        let text = user.to_string().replace(email, "").replace(user["id"].as_str().unwrap(), "");
        seen.push((keys, text, page));
    }
    assert_eq!(seen[0], seen[1]);
    // What others do with their name for the address reaches nobody.
    let listed = app.send("GET", "/v2/users", Some(&app.other_token), None).await.json();
    let user = listed.as_array().unwrap().iter().find(|user| user["email"] == "owner@example.com").unwrap();
    let path = format!("/v2/users/{}", user["id"].as_str().unwrap());
    let renamed = app.send("PUT", &path, Some(&app.other_token), Some(&json!({"name": "Renamed"}))).await;
    assert_eq!(renamed.status, 200, "{renamed:?}");
    let own = app.send("GET", "/v2/user", Some(&app.owner_token), None).await;
    assert!(!own.text.contains("Renamed"), "{own:?}");
}

async fn accepted_with_account(app: TestApp) {
    let mut owner = Browser::of_owner(&app).await;
    let there = add(&app, &app.other_token, "owner@example.com", "read-only").await;
    let path = invite(&app, &app.other_token, &there).await;
    // Who is not signed in is sent to do so, and comes back.
    let mut browser = Browser::new(&app);
    let page = browser.get(&path).await;
    let sign_in = format!("/login?again=true&#38;return_to={path}");
    assert!(page.text.contains(&sign_in), "{page:?}");
    assert!(!page.text.contains("name=\"accept\""), "{page:?}");
    let refused = browser.submit(&path, &path, &[("accept", "account")]).await;
    assert_eq!(refused.status, 422, "{refused:?}");
    let fields = [("email", "owner@example.com"), ("password", PASSWORD), ("return_to", path.as_str())];
    let login = format!("/login?again=true&return_to={path}");
    let back = browser.submit(&login, "/login", &fields).await;
    assert_eq!((back.status.as_u16(), location(&back)), (303, path.as_str()));
    assert!(browser.get(&path).await.text.contains("name=\"accept\" value=\"account\""));

    let done = browser.submit(&path, &path, &[("accept", "account")]).await;
    assert_eq!((done.status.as_u16(), location(&done)), (303, "/"), "{done:?}");
    assert_eq!(browser.get(&path).await.status, 404, "it is used up");
    assert!(owner.is_signed_in().await, "nothing of the account has ended");
    let mut both = orgs(&mut owner).await;
    both.sort();
    let mut expected = vec![app.org.to_string(), app.other_org.to_string()];
    expected.sort();
    assert_eq!(both, expected);
    let members = app.send("GET", "/v2/users", Some(&app.other_token), None).await.json();
    let member =
        members.as_array().unwrap().iter().find(|user| user["email"] == "owner@example.com").unwrap();
    assert_eq!((&member["id"], &member["accepted"]), (&json!(app.owner.as_str()), &json!(true)));
    assert_eq!(member["role"]["id"], "read-only");
    let trail = app.send("GET", "/v2/audit", Some(&app.other_token), None).await.text;
    assert!(trail.contains("user.accept") && trail.contains("user.join"), "{trail}");
}

async fn other_address(app: TestApp) {
    let mut owner = Browser::of_owner(&app).await;
    let there = add(&app, &app.other_token, CEO, "admin").await;
    let path = invite(&app, &app.other_token, &there).await;
    let page = owner.get(&path).await;
    assert!(!page.text.contains("name=\"accept\""), "{page:?}");
    let refused = owner.submit(&path, &path, &[("accept", "account")]).await;
    assert_eq!(refused.status, 422, "{refused:?}");
    assert!(problem(&refused).contains("another address"), "{refused:?}");
    for fields in
        [vec![], vec![("accept", "everything")], vec![("accept", "account"), ("password", PASSWORD)]]
    {
        assert_eq!(owner.submit(&path, &path, &fields).await.status, 422, "{fields:?}");
    }
    assert_eq!(orgs(&mut owner).await, [app.org.to_string()]);
    assert_eq!(Browser::new(&app).get(&path).await.status, 200, "the link is still good");
}

async fn listed(app: TestApp) {
    let user = add(&app, &app.owner_token, CEO, "user").await;
    assert_eq!(user["accepted"], false);
    let path = format!("/v2/users/{}", user["id"].as_str().unwrap());
    let get = async || app.send("GET", &path, Some(&app.owner_token), None).await.json()["accepted"].clone();
    assert_eq!(get().await, false);
    let link = invite(&app, &app.owner_token, &user).await;
    assert_eq!(get().await, false);
    let mut browser = Browser::new(&app);
    assert_eq!(browser.submit(&link, &link, &[("password", PASSWORD)]).await.status, 303);
    assert_eq!(get().await, true);
    let owner = app.send("GET", "/v2/user", Some(&app.owner_token), None).await.json();
    assert_eq!(owner["accepted"], true);
    // A role that waits is no right to give others, nor does it keep an organisation.
    let boss = add(&app, &app.owner_token, "boss@x.test", "owner").await;
    assert_eq!(boss["accepted"], false);
    let own = format!("/v2/users/{}", app.owner);
    let left = app.send("DELETE", &own, Some(&app.owner_token), None).await;
    assert_eq!(left.status, 409, "{left:?}");
    let admin = app.member_token(Role::Admin).await;
    let answer = app.send("GET", "/v2/users", Some(&admin), None).await;
    assert_eq!(answer.status, 200);
}
