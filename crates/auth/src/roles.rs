//! What each built-in role may do.

use std::sync::Arc;

use tidegauge_model::{Action, Capabilities, OrgArea, Role, RoleGrants};

/// The capabilities of every role, made once.
#[derive(Clone, Debug)]
pub struct RoleTable(Vec<(Role, Arc<Capabilities>)>);

impl Default for RoleTable {
    fn default() -> Self {
        Self(Role::ALL.iter().map(|&role| (role, Arc::new(capabilities(role)))).collect())
    }
}

impl RoleTable {
    pub fn of(&self, role: Role) -> Arc<Capabilities> {
        match self.0.iter().find(|(known, _)| *known == role) {
            Some((_, capabilities)) => Arc::clone(capabilities),
            None => Arc::default(),
        }
    }

    /// All that a member may do: by the role of the membership, and by what was granted beside it.
    pub fn rights(&self, role: Role, granted: &RoleGrants) -> Arc<Capabilities> {
        if granted.roles.is_empty() && granted.capabilities == Capabilities::default() {
            return self.of(role);
        }
        let mut rights = self.of(role).union(&granted.capabilities);
        for &role in &granted.roles {
            rights = rights.union(&self.of(role));
        }
        Arc::new(rights)
    }
}

/// Areas that only owners and admins touch: they decide who may do what, and what it costs.
fn is_administrative(area: OrgArea) -> bool {
    use OrgArea::{ApiTokens, AuditLog, Billing, Rbac, SharedAccessKeys, Users};
    matches!(area, ApiTokens | AuditLog | Billing | Rbac | SharedAccessKeys | Users)
}

/// The capabilities of a role: owners hold everything; admins everything but changing the billing; users work with
/// data and what is built on it; read-only people look; `none` holds nothing.
fn capabilities(role: Role) -> Capabilities {
    match role {
        Role::Owner => Capabilities::all(),
        Role::Admin => Capabilities::where_allowed(
            |area, action| (area, action) != (OrgArea::Billing, Action::Update),
            |_, _| true,
            |_, _| true,
        ),
        Role::User => Capabilities::where_allowed(
            |area, action| match area {
                OrgArea::Users | OrgArea::Datasets => action == Action::Read,
                area => !is_administrative(area),
            },
            |area, action| {
                use tidegauge_model::DatasetArea::{Ingest, Query, StarredQueries, VirtualFields};
                action == Action::Read || matches!(area, Ingest | Query | StarredQueries | VirtualFields)
            },
            |_, action| action == Action::Read,
        ),
        Role::ReadOnly => Capabilities::where_allowed(
            |area, action| action == Action::Read && !is_administrative(area),
            |_, action| action == Action::Read,
            |_, action| action == Action::Read,
        ),
        Role::None => Capabilities::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_role_holds_what_the_weaker_one_holds() {
        let table = RoleTable::default();
        for pair in Role::ALL.windows(2) {
            assert!(table.of(pair[0]).contains(&table.of(pair[1])), "{pair:?}");
            assert!(!table.of(pair[1]).contains(&table.of(pair[0])), "{pair:?}");
        }
    }

    #[test]
    fn what_is_granted_comes_on_top_of_the_role() {
        let table = RoleTable::default();
        assert_eq!(table.rights(Role::User, &RoleGrants::default()), table.of(Role::User));
        let tokens =
            Capabilities::where_allowed(|area, _| area == OrgArea::ApiTokens, |_, _| false, |_, _| false);
        let granted = RoleGrants { main: None, roles: vec![Role::ReadOnly], capabilities: tokens.clone() };
        let rights = table.rights(Role::None, &granted);
        assert!(rights.contains(&table.of(Role::ReadOnly)) && rights.contains(&tokens));
        assert!(!rights.allows_org(OrgArea::Users, Action::Update));
    }

    #[test]
    fn users_cannot_hand_out_rights() {
        let user = RoleTable::default().of(Role::User);
        for area in [OrgArea::ApiTokens, OrgArea::Rbac] {
            assert!(Action::ALL.iter().all(|&action| !user.allows_org(area, action)));
        }
        assert!(!user.allows_org(OrgArea::Users, Action::Create));
    }
}
