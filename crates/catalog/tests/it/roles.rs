//! Custom roles: kept by organisation, with the people who have them.

use tidegauge_catalog::limits::ROLES_MAX;
use tidegauge_catalog::role_grants::Holding;
use tidegauge_catalog::roles::{CustomRole, RoleRefusal};
use tidegauge_catalog::users::{MainRole, MembershipRefusal, RoleLabel};
use tidegauge_model::{Capabilities, ErrorKind, OrgArea, OrgId, Role, RoleGrants, RoleId, UserId};

use crate::database::TestCatalog;
use crate::samples::{self, OTHER_OWNER, OWNER, at, person};

pub(crate) fn role(id: &str, members: &[&str]) -> CustomRole {
    CustomRole {
        id: id.into(),
        name: format!("Role {id}"),
        description: "ä role".to_owned(),
        capabilities: samples::capabilities(),
        members: members.iter().map(|&id| id.into()).collect(),
        created: at(5),
        created_by: OWNER.into(),
        modified: at(6),
    }
}

pub(crate) async fn add_people(test: &TestCatalog<'_>, org: &OrgId, ids: &[&str]) {
    for id in ids {
        test.add_member(org, &person(id), Role::None, 100, &samples::change(org)).await.unwrap().unwrap();
    }
    test.new_audit().await;
}

pub(crate) async fn insert(test: &TestCatalog<'_>, org: &OrgId, role: &CustomRole) {
    test.insert_role(org, role, &samples::change(org)).await.unwrap().unwrap();
    test.new_audit().await;
}

pub(crate) async fn granted(test: &TestCatalog<'_>, org: &OrgId, id: &str) -> RoleGrants {
    let member = test.find_member(org, &id.into()).await.unwrap().unwrap();
    test.granted_to(org, &id.into(), member.main.map(|main| main.id)).await.unwrap()
}

/// The check that lets everything pass.
fn any(_: &CustomRole) -> Result<(), RoleRefusal> {
    Ok(())
}

pub(crate) async fn read_back_what_was_inserted(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    add_people(test, &ours, &["user_a", "user_b"]).await;
    let given = role("role_1", &["user_b", OWNER, "user_a", "user_b"]);
    let stored = test.insert_role(&ours, &given, &samples::change(&ours)).await.unwrap().unwrap();
    assert_eq!(test.new_audit().await, ["role.create role_1"]);
    let members: Vec<&str> = stored.members.iter().map(UserId::as_str).collect();
    assert_eq!(members, ["user_a", "user_b", OWNER]);
    assert_eq!(CustomRole { members: given.members.clone(), ..stored.clone() }, given);
    assert_eq!(test.find_role(&ours, &"role_1".into()).await.unwrap().as_ref(), Some(&stored));
    insert(test, &ours, &role("role_2", &[])).await;
    assert_eq!(test.list_roles(&ours).await.unwrap(), [stored, role("role_2", &[])]);

    assert_eq!(test.find_role(&theirs, &"role_1".into()).await.unwrap(), None);
    assert!(test.list_roles(&theirs).await.unwrap().is_empty());
}

pub(crate) async fn have_names_of_their_own(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    insert(test, &ours, &role("role_1", &[])).await;
    let same = CustomRole { name: "Role role_1".to_owned(), ..role("role_2", &[]) };
    let refused = test.insert_role(&ours, &same, &samples::change(&ours)).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    assert_eq!(refused.to_string(), "there is a role with this name");
    insert(test, &theirs, &same).await;

    insert(test, &ours, &role("role_3", &[])).await;
    let edit = |role: &mut CustomRole| {
        role.name = "Role role_1".to_owned();
        Ok::<(), RoleRefusal>(())
    };
    let refused = test.update_role(&ours, &"role_3".into(), &samples::change(&ours), edit).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn are_for_members_alone(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    let refused = test.insert_role(&ours, &role("role_1", &[OWNER, OTHER_OWNER]), &change).await.unwrap();
    assert_eq!(refused, Err(RoleRefusal::NotAMember(OTHER_OWNER.into())));
    assert!(test.list_roles(&ours).await.unwrap().is_empty());
    insert(test, &ours, &role("role_1", &[OWNER])).await;
    let edit = |role: &mut CustomRole| {
        role.members = vec!["user_nobody".into()];
        Ok::<(), RoleRefusal>(())
    };
    let refused = test.update_role(&ours, &"role_1".into(), &change, edit).await.unwrap();
    assert_eq!(refused, Err(RoleRefusal::NotAMember("user_nobody".into())));
    assert_eq!(test.list_roles(&ours).await.unwrap(), [role("role_1", &[OWNER])]);
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn are_changed_as_they_are_at_that_moment(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    add_people(test, &ours, &["user_a"]).await;
    insert(test, &ours, &role("role_1", &[OWNER])).await;
    let change = samples::change(&ours);
    let edit = |role: &mut CustomRole| {
        assert_eq!(role.members, [UserId::from(OWNER)]);
        role.name = "After".to_owned();
        role.description = String::new();
        role.capabilities = Capabilities::all();
        role.members = vec!["user_a".into()];
        Ok::<(), RoleRefusal>(())
    };
    let changed = test.update_role(&ours, &"role_1".into(), &change, edit).await.unwrap().unwrap();
    assert_eq!(test.new_audit().await, ["role.update role_1"]);
    assert_eq!(changed.modified, change.at);
    assert_eq!(test.find_role(&ours, &"role_1".into()).await.unwrap(), Some(changed.clone()));
    assert_eq!((changed.name.as_str(), changed.created), ("After", at(5)));

    let refuse = |_: &mut CustomRole| Err(RoleRefusal::NoGroup);
    let refused = test.update_role(&ours, &"role_1".into(), &change, refuse).await.unwrap();
    assert_eq!(refused, Err(RoleRefusal::NoGroup));
    for (org, id) in [(&theirs, "role_1"), (&ours, "role_2")] {
        let missing = test.update_role(org, &id.into(), &change, |role| any(role)).await.unwrap();
        assert_eq!(missing, Err(RoleRefusal::NoRole));
        let missing = test.delete_role(org, &id.into(), &change, any).await.unwrap();
        assert_eq!(missing, Err(RoleRefusal::NoRole));
    }
    let kept =
        test.delete_role(&ours, &"role_1".into(), &change, |_| Err(RoleRefusal::NoGroup)).await.unwrap();
    assert_eq!(kept, Err(RoleRefusal::NoGroup));
    assert_eq!(test.list_roles(&ours).await.unwrap(), [changed]);
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn count_at_the_next_request(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let org_context = async || {
        let bearer = test.find_bearer(samples::OWNER_DIGEST, None).await.unwrap().unwrap();
        bearer.org_contexts[0].granted.capabilities.clone()
    };
    assert_eq!(org_context().await, Capabilities::default());
    insert(test, &ours, &role("role_1", &[OWNER])).await;
    assert_eq!(org_context().await, samples::capabilities());
    test.delete_role(&ours, &"role_1".into(), &samples::change(&ours), any).await.unwrap().unwrap();
    assert_eq!(test.new_audit().await, ["role.delete role_1"]);
    assert_eq!(org_context().await, Capabilities::default());
    assert_eq!(test.database.count("custom_role_member").await, 0);
}

pub(crate) async fn count_in_the_org_that_is_named(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    samples::join(test, &theirs, OWNER, Role::User).await;
    insert(test, &theirs, &role("role_1", &[OWNER])).await;
    for (named, expected) in [
        (None, Capabilities::default()),
        (Some(&ours), Capabilities::default()),
        (Some(&theirs), samples::capabilities()),
    ] {
        let bearer = test.find_bearer(samples::OWNER_DIGEST, named).await.unwrap().unwrap();
        assert_eq!(bearer.org_contexts[0].granted.capabilities, expected, "{named:?}");
        assert_eq!(bearer.org_contexts[1].granted.capabilities, Capabilities::default());
    }
}

pub(crate) async fn stand_in_the_place_of_a_built_in_one(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    insert(test, &ours, &role("role_1", &[])).await;
    let change = samples::change(&ours);
    let main = MainRole::Custom("role_1".into(), samples::capabilities());
    let added = test.add_member(&ours, &person("user_a"), main.clone(), 10, &change).await.unwrap().unwrap();
    let label = RoleLabel { id: "role_1".into(), name: "Role role_1".to_owned() };
    assert_eq!((added.role, added.main), (Role::None, Some(label)));
    let held = granted(test, &ours, "user_a").await;
    let expected =
        RoleGrants { main: Some("role_1".into()), roles: Vec::new(), capabilities: samples::capabilities() };
    assert_eq!(held, expected);

    // Another role takes that place, and the custom one goes with it.
    let holding = Holding { role: Role::None, granted: held };
    let person_id = UserId::from("user_a");
    test.set_role(&ours, &person_id, holding, Role::User, &change).await.unwrap().unwrap();
    assert_eq!(granted(test, &ours, "user_a").await, RoleGrants::default());
    test.set_role(&ours, &person_id, Role::User, main, &change).await.unwrap().unwrap();
    assert_eq!(granted(test, &ours, "user_a").await, expected);

    // Who is taken out of the role is left with none.
    let edit = |role: &mut CustomRole| {
        role.members.clear();
        Ok::<(), RoleRefusal>(())
    };
    test.update_role(&ours, &"role_1".into(), &change, edit).await.unwrap().unwrap();
    let member = test.find_member(&ours, &person_id).await.unwrap().unwrap();
    assert_eq!((member.role, member.main), (Role::None, None));
}

pub(crate) async fn leave_nothing_behind_when_they_are_deleted(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    insert(test, &ours, &role("role_1", &[OWNER])).await;
    let main = MainRole::Custom("role_1".into(), samples::capabilities());
    let change = samples::change(&ours);
    test.add_member(&ours, &person("user_a"), main, 10, &change).await.unwrap().unwrap();
    test.delete_role(&ours, &"role_1".into(), &change, any).await.unwrap().unwrap();
    assert_eq!(granted(test, &ours, "user_a").await, RoleGrants::default());
    assert_eq!(granted(test, &ours, OWNER).await, RoleGrants::default());
}

pub(crate) async fn hold_changes_of_members_to_what_was_checked(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    add_people(test, &ours, &["user_a"]).await;
    insert(test, &ours, &role("role_1", &["user_a"])).await;
    let (person_id, change) = (UserId::from("user_a"), samples::change(&ours));
    // The caller saw a member who held nothing.
    let changed = test.set_role(&ours, &person_id, Role::None, Role::User, &change).await.unwrap();
    assert_eq!(changed, Err(MembershipRefusal::Changed));
    let removed = test.remove_member(&ours, &person_id, Role::None, &change).await.unwrap();
    assert_eq!(removed, Err(MembershipRefusal::Changed));
    // The caller saw a role that held less, or one that is gone.
    for (id, capabilities) in [("role_1", Capabilities::default()), ("role_2", samples::capabilities())] {
        let main = MainRole::Custom(RoleId::from(id), capabilities);
        let added = test.add_member(&ours, &person("user_b"), main.clone(), 10, &change).await.unwrap();
        assert_eq!(added, Err(MembershipRefusal::Changed));
        let set = test.set_role(&ours, &OWNER.into(), Role::Owner, main, &change).await.unwrap();
        assert_eq!(set, Err(MembershipRefusal::Changed));
    }
    assert!(test.new_audit().await.is_empty());

    let holding = Holding { role: Role::None, granted: granted(test, &ours, "user_a").await };
    test.remove_member(&ours, &person_id, holding, &change).await.unwrap().unwrap();
    assert_eq!(test.find_role(&ours, &"role_1".into()).await.unwrap().unwrap().members, []);
}

pub(crate) async fn are_refused_beyond_the_limit(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    insert(test, &ours, &role("role_0", &[])).await;
    for number in 1..ROLES_MAX {
        insert(test, &ours, &role(&format!("role_{number}"), &[])).await;
    }
    let refused = test.insert_role(&ours, &role("role_x", &[]), &samples::change(&ours)).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::LimitReached);
    insert(test, &theirs, &role("role_x", &[])).await;
}

pub(crate) async fn add_up(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let billing = Capabilities::where_allowed(|area, _| area == OrgArea::Billing, |_, _| false, |_, _| false);
    insert(test, &ours, &role("role_1", &[OWNER])).await;
    insert(test, &ours, &CustomRole { capabilities: billing.clone(), ..role("role_2", &[OWNER]) }).await;
    let held = granted(test, &ours, OWNER).await.capabilities;
    assert!(held.contains(&billing) && held.contains(&samples::capabilities()));
    assert!(billing.union(&samples::capabilities()).contains(&held));
}
