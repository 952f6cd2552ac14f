//! Groups: people who hold the roles of their groups.

use tidegauge_catalog::groups::Group;
use tidegauge_catalog::limits::GROUPS_MAX;
use tidegauge_catalog::role_grants::Holding;
use tidegauge_catalog::roles::RoleRefusal;
use tidegauge_model::{Capabilities, ErrorKind, OrgId, Role, RoleGrants, RoleRef, UserId};

use crate::database::TestCatalog;
use crate::roles::{add_people, granted, insert as insert_role, role};
use crate::samples::{self, OTHER_OWNER, OWNER, at};

fn custom(id: &str) -> RoleRef {
    RoleRef::Custom(id.into())
}

fn group(id: &str, members: &[&str], roles: &[RoleRef]) -> Group {
    Group {
        id: id.into(),
        name: format!("Group {id}"),
        description: "ä group".to_owned(),
        members: members.iter().map(|&id| id.into()).collect(),
        roles: roles.to_vec(),
        created: at(5),
        created_by: OWNER.into(),
        modified: at(6),
    }
}

async fn insert(test: &TestCatalog<'_>, org: &OrgId, group: &Group) {
    test.insert_group(org, group, &samples::change(org), any).await.unwrap().unwrap();
    test.new_audit().await;
}

fn any(_: &RoleGrants) -> Result<(), RoleRefusal> {
    Ok(())
}

pub(crate) async fn read_back_what_was_inserted(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    add_people(test, &ours, &["user_a"]).await;
    insert_role(test, &ours, &role("role_1", &[])).await;
    let given =
        group("group_1", &[OWNER, "user_a", OWNER], &[RoleRef::BuiltIn(Role::User), custom("role_1")]);
    let change = samples::change(&ours);
    let stored = test.insert_group(&ours, &given, &change, any).await.unwrap().unwrap();
    assert_eq!(test.new_audit().await, ["group.create group_1"]);
    assert_eq!(stored.members, ["user_a", OWNER].map(UserId::from));
    assert_eq!(stored.roles, [custom("role_1"), RoleRef::BuiltIn(Role::User)]);
    assert_eq!(test.find_group(&ours, &"group_1".into()).await.unwrap().as_ref(), Some(&stored));
    let empty = group("group_2", &[], &[]);
    insert(test, &ours, &empty).await;
    assert_eq!(test.list_groups(&ours).await.unwrap(), [stored, empty]);
    assert_eq!(test.find_group(&theirs, &"group_1".into()).await.unwrap(), None);
    assert!(test.list_groups(&theirs).await.unwrap().is_empty());
}

pub(crate) async fn are_refused_strangers_and_unknown_roles(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    insert_role(test, &theirs, &role("role_1", &[])).await;
    insert(test, &ours, &group("group_0", &[], &[])).await;
    let change = samples::change(&ours);
    for id in ["group_0", "group_1"] {
        for (wrong, expected) in [
            (group(id, &[OTHER_OWNER], &[]), RoleRefusal::NotAMember(OTHER_OWNER.into())),
            (group(id, &[], &[custom("role_1")]), RoleRefusal::UnknownRole(custom("role_1"))),
        ] {
            let refused = match id {
                "group_0" => test.replace_group(&ours, &wrong, &change, any).await.unwrap(),
                _ => test.insert_group(&ours, &wrong, &change, any).await.unwrap(),
            };
            assert_eq!(refused, Err(expected));
        }
    }
    assert_eq!(test.list_groups(&ours).await.unwrap(), [group("group_0", &[], &[])]);
    let same = Group { name: "Group group_0".to_owned(), ..group("group_2", &[], &[]) };
    let refused = test.insert_group(&ours, &same, &change, any).await.unwrap_err();
    assert_eq!(refused.to_string(), "there is a group with this name");
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn tell_what_they_grant_before_and_after(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    insert_role(test, &ours, &role("role_1", &[])).await;
    let change = samples::change(&ours);
    let before = group("group_1", &[], &[custom("role_1")]);
    let after = group("group_1", &[OWNER], &[RoleRef::BuiltIn(Role::User)]);
    let refuses_custom = |granted: &RoleGrants| match granted.capabilities == Capabilities::default() {
        true => Ok(()),
        false => Err(RoleRefusal::NoRole),
    };
    let refuses_built_in = |granted: &RoleGrants| match granted.roles.is_empty() {
        true => Ok(()),
        false => Err(RoleRefusal::NoRole),
    };
    let refused = test.insert_group(&ours, &before, &change, refuses_custom).await.unwrap();
    assert_eq!(refused, Err(RoleRefusal::NoRole));
    insert(test, &ours, &before).await;
    let refused = test.replace_group(&ours, &after, &change, refuses_custom).await.unwrap();
    assert_eq!(refused, Err(RoleRefusal::NoRole));
    let refused = test.replace_group(&ours, &after, &change, refuses_built_in).await.unwrap();
    assert_eq!(refused, Err(RoleRefusal::NoRole));
    let refused = test.delete_group(&ours, &"group_1".into(), &change, refuses_custom).await.unwrap();
    assert_eq!(refused, Err(RoleRefusal::NoRole));
    assert_eq!(test.list_groups(&ours).await.unwrap(), [before]);
    assert!(test.new_audit().await.is_empty());

    let replaced = test.replace_group(&ours, &after, &change, any).await.unwrap().unwrap();
    assert_eq!(replaced, Group { modified: change.at, ..after });
    assert_eq!(test.list_groups(&ours).await.unwrap(), [replaced]);
    for (org, id) in [(&theirs, "group_1"), (&ours, "group_2")] {
        let missing = test.delete_group(org, &id.into(), &change, any).await.unwrap();
        assert_eq!(missing, Err(RoleRefusal::NoGroup));
        let missing = test.replace_group(org, &group(id, &[], &[]), &change, any).await.unwrap();
        assert_eq!(missing, Err(RoleRefusal::NoGroup));
    }
    test.delete_group(&ours, &"group_1".into(), &change, any).await.unwrap().unwrap();
    assert_eq!(test.new_audit().await, ["group.update group_1", "group.delete group_1"]);
}

pub(crate) async fn give_their_roles_to_their_people(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    add_people(test, &ours, &["user_a"]).await;
    insert_role(test, &ours, &role("role_1", &["user_a"])).await;
    let roles = [custom("role_1"), RoleRef::BuiltIn(Role::ReadOnly)];
    insert(test, &ours, &group("group_1", &["user_a", OWNER], &roles)).await;
    insert(test, &ours, &group("group_2", &["user_a"], &[RoleRef::BuiltIn(Role::ReadOnly)])).await;
    let both = RoleGrants { main: None, roles: vec![Role::ReadOnly], capabilities: samples::capabilities() };
    assert_eq!(granted(test, &ours, "user_a").await, both);
    assert_eq!(granted(test, &ours, OWNER).await, both);
    let bearer = test.find_bearer(samples::OWNER_DIGEST, None).await.unwrap().unwrap();
    assert_eq!(*bearer.org_contexts[0].granted, both);

    let change = samples::change(&ours);
    test.delete_role(&ours, &"role_1".into(), &change, |_| Ok::<(), RoleRefusal>(())).await.unwrap().unwrap();
    let read_only = RoleGrants { roles: vec![Role::ReadOnly], ..RoleGrants::default() };
    assert_eq!(granted(test, &ours, OWNER).await, read_only);
    let left = test.find_group(&ours, &"group_1".into()).await.unwrap().unwrap();
    assert_eq!(left.roles, [RoleRef::BuiltIn(Role::ReadOnly)]);

    let holding = Holding { role: Role::None, granted: granted(test, &ours, "user_a").await };
    test.remove_member(&ours, &"user_a".into(), holding, &change).await.unwrap().unwrap();
    let left = test.list_groups(&ours).await.unwrap();
    assert_eq!(left[0].members, [UserId::from(OWNER)]);
    assert!(left[1].members.is_empty());
}

pub(crate) async fn are_refused_beyond_the_limit(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    for number in 0..GROUPS_MAX {
        insert(test, &ours, &group(&format!("group_{number}"), &[], &[])).await;
    }
    let change = samples::change(&ours);
    let refused = test.insert_group(&ours, &group("group_x", &[], &[]), &change, any).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::LimitReached);
}
