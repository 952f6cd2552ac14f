//! Who a token acts for, by the settings of its issuer.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tidegauge_auth::oauth::mapping::{Identity, TokenSubject, Unmapped};
use tidegauge_auth::oauth::{AccessToken, Expected, Rules, Scopes, verify};
use tidegauge_model::Role;

use crate::attacks::{claims, expected, now};

fn rules() -> Rules {
    Rules {
        user_claim: "sub".to_owned(),
        email_claim: "email".to_owned(),
        name_claim: "name".to_owned(),
        org: Some("org_a".into()),
        org_claim: None,
        role_claim: None,
        roles: BTreeMap::from([
            ("log-admins".to_owned(), Role::Admin),
            ("viewers".to_owned(), Role::ReadOnly),
        ]),
        machine_role: None,
    }
}

/// A token with these claims beside the usual ones.
fn token(more: Value) -> AccessToken {
    let mut all = claims();
    for (claim, value) in more.as_object().unwrap() {
        all[claim] = value.clone();
    }
    let Value::Object(all) = all else { unreachable!() };
    let relaxed = Expected { require_type: false, ..expected() };
    verify::read_claims(all, &relaxed, now()).unwrap()
}

fn person(rules: &Rules, more: Value) -> Identity {
    match rules.subject(&token(more)).unwrap() {
        TokenSubject::Person(identity) => identity,
        TokenSubject::Machine(machine) => panic!("{machine:?}"),
    }
}

#[test]
fn an_address_counts_only_when_the_issuer_has_verified_it() {
    for (verified, counts) in [
        (json!(true), true),
        (json!("true"), true),
        (json!(false), false),
        (json!(null), false),
        (json!(1), false),
        (json!("yes"), false),
    ] {
        let known = person(&rules(), json!({"email": "ada@example.com", "email_verified": verified}));
        assert_eq!(known.verified_email.is_some(), counts, "{verified}");
    }
    // Plain letters count without their case; a sign that stands for one makes it nobody's address.
    for (email, expected) in
        [("Kim@X.com", Some("kim@x.com")), ("\u{212a}im@x.com", None), ("\u{ff4b}im@x.com", None)]
    {
        let known = person(&rules(), json!({"email": email, "email_verified": true}));
        assert_eq!(known.verified_email.as_deref(), expected, "{email}");
    }
    let known = person(&rules(), json!({"email": "ada@example.com"}));
    assert_eq!((known.verified_email, known.subject.as_str()), (None, "ada"));
}

#[test]
fn the_largest_mapped_role_is_the_bound_and_none_is_nothing() {
    let flat = Rules { role_claim: Some("groups".to_owned()), ..rules() };
    let bound = |rules: &Rules, claim: Value| person(rules, claim).bound;
    assert_eq!(bound(&rules(), json!({"groups": ["log-admins"]})), None);
    assert_eq!(bound(&flat, json!({"groups": ["x", "viewers", "log-admins"]})), Some(Role::Admin));
    assert_eq!(bound(&flat, json!({"groups": "viewers x"})), Some(Role::ReadOnly));
    for nothing in
        [json!({}), json!({"groups": []}), json!({"groups": ["owner", 1]}), json!({"groups": {"a": 1}})]
    {
        assert_eq!(bound(&flat, nothing.clone()), Some(Role::None), "{nothing}");
    }
    let nested = Rules { role_claim: Some("realm_access.roles".to_owned()), ..rules() };
    assert_eq!(bound(&nested, json!({"realm_access": {"roles": ["viewers"]}})), Some(Role::ReadOnly));
    assert_eq!(bound(&nested, json!({"realm_access.roles": ["log-admins"]})), Some(Role::Admin));
}

#[test]
fn a_mapped_role_stands_in_for_scopes_that_the_issuer_does_not_know() {
    let mapped = Rules { role_claim: Some("groups".to_owned()), ..rules() };
    let foreign = token(json!({"scope": "openid profile"}));
    assert!(mapped.scopes(&foreign).all);
    assert_eq!(rules().scopes(&foreign), Scopes::default());
    assert_eq!(mapped.scopes(&token(json!({}))), Scopes::parse("notifiers|read"));
}

#[test]
fn machines_are_refused_unless_a_role_is_set_for_them() {
    let own = json!({"sub": "console"});
    assert_eq!(rules().subject(&token(own.clone())).unwrap_err(), Unmapped::MachinesNotAllowed);
    let allowed = Rules { machine_role: Some(Role::User), ..rules() };
    let TokenSubject::Machine(machine) = allowed.subject(&token(own.clone())).unwrap() else { panic!() };
    assert_eq!((machine.client.as_str(), machine.bound), ("console", Role::User));
    let nowhere = Rules { org: None, ..allowed.clone() };
    assert_eq!(nowhere.subject(&token(own)).unwrap_err(), Unmapped::NoOrg);
    // A person without the claim for people does not become a machine, which may be allowed more.
    let by_name = Rules { user_claim: "preferred_username".to_owned(), ..allowed };
    assert_eq!(by_name.subject(&token(json!({}))).unwrap_err(), Unmapped::NoSubject);
    let known = person(&by_name, json!({"preferred_username": "ada.l"}));
    assert_eq!(known.subject, "ada.l");
}

#[test]
fn the_organisation_is_set_or_claimed() {
    let claimed = Rules { org: None, org_claim: Some("tenant".to_owned()), ..rules() };
    assert_eq!(person(&claimed, json!({"tenant": "org_b"})).org.unwrap().as_str(), "org_b");
    assert_eq!(person(&claimed, json!({})).org, None);
    assert_eq!(person(&rules(), json!({"tenant": "org_b"})).org.unwrap().as_str(), "org_a");
}

#[test]
fn texts_that_are_too_long_or_odd_do_not_enter() {
    let long = "x".repeat(257);
    assert_eq!(rules().subject(&token(json!({"sub": long}))).unwrap_err(), Unmapped::NoSubject);
    assert_eq!(rules().subject(&token(json!({"sub": "a\u{0}b"}))).unwrap_err(), Unmapped::NoSubject);
    assert_eq!(person(&rules(), json!({"name": "a\nb"})).name, None);
}
